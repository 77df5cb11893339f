package persist

import (
	"strings"
	"testing"

	"zset.dev/operator/node/replog"
)

func TestPlaces(t *testing.T) {
	for _, p := range []Place{
		{History: replog.History{ID: strings.Repeat("a", 40)}, Offset: 1},
		{History: replog.History{ID: strings.Repeat("a", 40), Previous: strings.Repeat("b", 40), Until: 77}, Offset: 1 << 40, Epoch: 3},
		{History: replog.History{ID: strings.Repeat("a", 40)}, Offset: 5, Epoch: 3, At: 3},
	} {
		if got, ok := parseAnnotation(p.annotation()); !ok || got != p {
			t.Errorf("%+v is read as %+v, %v", p, got, ok)
		}
		var got Place
		for _, a := range p.aux() {
			got.readAux(a[0], a[1])
		}
		if got != p {
			t.Errorf("%+v is read from a file of keys as %+v", p, got)
		}
	}
	for _, line := range []string{"", "#TS:1700000000", "#zset", "#zset id=a", "#zset offset=5", "#zset offset=x id=a"} {
		if got, ok := parseAnnotation(line); ok {
			t.Errorf("%q is read as %+v", line, got)
		}
	}
}
