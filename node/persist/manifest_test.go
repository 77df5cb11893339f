package persist

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseManifest(t *testing.T) {
	m, err := ParseManifest("# comment\n\nfile appendonly.aof.2.base.rdb seq 2 type b\n" +
		"seq 1 type h file \"with blank.aof\"\nfile a.3.incr.aof seq 3 type i startoffset 77\r\nfile 'a.4.incr.aof' seq 4 type i\n")
	if err != nil {
		t.Fatal(err)
	}
	want := &Manifest{
		Base: &File{"appendonly.aof.2.base.rdb", 2},
		Past: []File{{"with blank.aof", 1}},
		Incr: []File{{"a.3.incr.aof", 3}, {"a.4.incr.aof", 4}},
	}
	if diff := cmp.Diff(want, m); diff != "" {
		t.Error(diff)
	}
	again, err := ParseManifest(m.String())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(m, again); diff != "" {
		t.Errorf("its own text reads as something else: %s", diff)
	}
}

func TestBadManifests(t *testing.T) {
	for text, says := range map[string]string{
		"":                          "names no file",
		"file a seq 1 type h":       "names no file",
		"file a seq 1 type b extra": "line 1: a name without a value",
		"file a seq 1 type b\nfile b seq 2 type b": "line 2: a second base",
		"file a seq 2 type i\nfile b seq 2 type i": "line 2: seq 2 after 2",
		"file ../a seq 1 type b":                   "not the name of a file in this folder",
		"file /etc/passwd seq 1 type b":            "not the name of a file in this folder",
		"file .. seq 1 type b":                     "not the name of a file in this folder",
		"seq 1 type b":                             "not the name of a file in this folder",
		"file a seq -1 type b":                     `seq "-1" is not a number`,
		"file a type b":                            `seq "" is not a number`,
		"file a seq 1 type x":                      `type "x" is not known`,
		"file \"a seq 1 type b":                    "unbalanced quotes",
		strings.Repeat("#\n", 1<<20):               "of 2097152 bytes",
	} {
		if _, err := ParseManifest(text); !errors.Is(err, ErrManifest) || !strings.Contains(err.Error(), says) {
			t.Errorf("%.60q: %v, want %q", text, err, says)
		}
	}
}
