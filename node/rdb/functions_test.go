package rdb

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

func TestFunctions(t *testing.T) {
	codes := []string{"#!lua name=a\n" + strings.Repeat("-- long\n", 5000), "#!lua name=b\nreturn"}
	for _, want := range [][]string{nil, codes[:1], codes} {
		if got, err := ReadFunctions(AppendFunctions(nil, want)); err != nil || !slices.Equal(got, want) {
			t.Errorf("%d libraries came back as %d: %v", len(want), len(got), err)
		}
	}
	whole := AppendFunctions(nil, codes)
	for name, c := range map[string]struct {
		payload []byte
		want    error
	}{
		"nothing":        {nil, ErrFooter},
		"cut":            {whole[:len(whole)-1], ErrFooter},
		"changed":        {append([]byte{whole[0] ^ 1}, whole[1:]...), ErrFooter},
		"a sorted set":   {appendFooter([]byte{typeText, 0}, 0), ErrFormat},
		"cut inside":     {appendFooter([]byte{opFunction, 5, 'a'}, 0), ErrFormat},
		"before release": {appendFooter([]byte{opFunctionPreRelease, 0}, 0), ErrPreRelease},
	} {
		if got, err := ReadFunctions(c.payload); !errors.Is(err, c.want) || got != nil {
			t.Errorf("%s: %d libraries, %v", name, len(got), err)
		}
	}
}
