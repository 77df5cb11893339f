package keyspace

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"zset.dev/operator/node/replog"
)

// walkTest is a keyspace with keys of known places, and a walk over it.
type walkTest struct {
	t  *testing.T
	ks *Keyspace
	h  Held
}

// in is a key of that partition.
func in(partition int, name string) []byte {
	for i := 0; ; i++ {
		key := fmt.Appendf(nil, "%s:%d", name, i)
		if Partition(key) == partition {
			return key
		}
	}
}

// fill lets key hold so many members of a hundred bytes.
func (x *walkTest) fill(key []byte, members int) {
	x.ks.Hold(&x.h, 0, key)
	defer x.h.Release()
	e, err := x.h.Create(key, 0)
	if err != nil {
		x.t.Fatal(err)
	}
	set := e.Write(nil)
	for i := range members {
		set.Add(fmt.Appendf(nil, "%0100d", i), float64(i), 0)
	}
	x.h.Settle(e)
}

func (x *walkTest) rename(from, to []byte) {
	x.ks.Hold(&x.h, 0, from, to)
	defer x.h.Release()
	if err := x.h.Rename(x.h.Find(from), to); err != nil {
		x.t.Fatal(err)
	}
}

// rest walks to the end and gives the members of each key met.
func rest(t *testing.T, w *Walk) map[string]int {
	t.Helper()
	met := map[string]int{}
	note := func(key string, n int) {
		if _, twice := met[key]; twice {
			t.Errorf("%s was met twice", key)
		}
		met[key] = n
	}
	for more := true; more; {
		var err error
		if more, err = w.Next(0, 1, func(e *Entry) { note(e.Key(), e.Set().Len()) }); err != nil {
			t.Fatal(err)
		}
		for l := w.Large(0); l != nil; l = w.Large(0) {
			n := 0
			for l.Next(100, func([]byte, float64) { n++ }) {
			}
			if n != l.Len() {
				t.Errorf("%s has %d members, of which %d were given", l.Name, l.Len(), n)
			}
			note(string(l.Name), n)
			l.Close()
		}
	}
	return met
}

const manyMembers = 3000 // more than is logged when a set moves

func TestWalkFollowsWhatMoves(t *testing.T) {
	first, middle, last := in(0, "first"), in(60, "middle"), in(127, "last")
	for _, tt := range []struct {
		name  string
		moves [][2][]byte // once the walk is at partition 30
		want  string      // what is met after that
		log   string
	}{
		{"from ahead to behind", [][2][]byte{{last, first}}, "last=3000", "RENAME last first"},
		{"from ahead to ahead", [][2][]byte{{last, middle}}, "last=3000", "RENAME last middle"},
		{"there and back", [][2][]byte{{last, first}, {first, last}}, "last=3000", "RENAME last first|RENAME first last"},
		{"round and round", [][2][]byte{{last, first}, {first, middle}, {middle, last}, {last, middle}}, "last=3000",
			"RENAME last first|RENAME first middle|RENAME middle last|RENAME last middle"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := &walkTest{t: t, ks: New()}
			log := replog.New(0, 1<<20)
			x.fill(last, manyMembers)
			var begun int64
			x.ks.Journal(log)
			w := x.ks.Walk(func() { _, begun = log.Range() })
			w.at = 30
			for i := range 30 {
				w.met[i] = cursorPositions
			}
			for _, m := range tt.moves {
				x.rename(m[0], m[1])
			}
			short := func(text string) string {
				for _, key := range [][]byte{first, middle, last} {
					name, _, _ := strings.Cut(string(key), ":")
					text = strings.ReplaceAll(text, string(key), name)
				}
				return text
			}
			met := rest(t, w)
			var got []string
			for _, key := range slices.Sorted(maps.Keys(met)) {
				got = append(got, fmt.Sprint(short(key), "=", met[key]))
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("met %s, want %s", s, tt.want)
			}
			if s := short(loggedSince(t, log, begun)); s != tt.log {
				t.Errorf("logged %s, want %s", s, tt.log)
			}
			w.End()
			if len(x.ks.walks) != 0 || len(w.open) != 0 {
				t.Error("it did not end")
			}
			clearAll(x.ks)
			if used := x.ks.Used() - x.ks.Tables(); used != 0 {
				t.Errorf("%d bytes are still used", used)
			}
		})
	}
}

// A set that is being given moves to another partition, changes there and goes.
func TestWalkReadsWhatMoves(t *testing.T) {
	x := &walkTest{t: t, ks: New()}
	first, last := in(0, "first"), in(127, "last")
	x.fill(first, manyMembers)
	w := x.ks.Walk(nil)
	defer w.End()
	if _, err := w.Next(0, 1, func(*Entry) { t.Error("a small set") }); err != nil {
		t.Fatal(err)
	}
	l, n := w.Large(0), 0
	give := func() bool { return l.Next(100, func([]byte, float64) { n++ }) }
	give()
	x.rename(first, last)
	if string(l.key()) != string(last) {
		t.Errorf("the set is at %s", l.key())
	}
	give()
	x.ks.Hold(&x.h, 0, last)
	e := x.h.Find(last)
	set := e.Write(nil)
	set.RemoveRange(set.ByRank(0, 99))
	x.h.Settle(e)
	x.h.Release()
	give()
	x.ks.Hold(&x.h, 0, last)
	x.h.Drop(last)
	x.h.Release()
	for give() {
	}
	if l.Close(); n != manyMembers {
		t.Errorf("%d members", n)
	}
}

// What a walk keeps for sets that move is bounded.
func TestWalkGivesUp(t *testing.T) {
	x := &walkTest{t: t, ks: New()}
	last := in(127, "last")
	x.fill(last, 1)
	w := x.ks.Walk(nil)
	defer w.End()
	name := strings.Repeat("x", 1<<20)
	for i := range 64 {
		to := fmt.Appendf(nil, "{%s}%s%d", in(127, "last"), name, i)
		x.rename(last, to)
		last = to
	}
	if _, err := w.Next(0, 1, func(*Entry) {}); !errors.Is(err, ErrMoved) {
		t.Errorf("%v", err)
	}
}

// Keys whose time has come are met where another node says when keys go.
func TestWalkMeetsExpiredKeysOfOthers(t *testing.T) {
	for _, following := range []bool{false, true} {
		x := &walkTest{t: t, ks: New()}
		small, large := in(3, "small"), in(4, "large")
		x.fill(small, 1)
		x.fill(large, manyMembers)
		x.ks.Hold(&x.h, 0, small, large)
		x.h.SetExpiry(x.h.Find(small), 10)
		x.h.SetExpiry(x.h.Find(large), 10)
		x.h.Release()
		x.ks.SuspendExpiry(Following, following)
		w := x.ks.Walk(nil)
		met := 0
		for more := true; more; {
			more, _ = w.Next(20, 1, func(*Entry) { met++ })
			for l := w.Large(20); l != nil; l = w.Large(20) {
				met++
				l.Close()
			}
		}
		w.End()
		if want := map[bool]int{true: 2}[following]; met != want {
			t.Errorf("following %v: met %d keys, want %d", following, met, want)
		}
	}
}
