package zset

import (
	"bytes"
	"fmt"
	"math"
	"sync"
	"testing"
)

// eachEncoding runs a test on sets of both encodings, given a function that makes them.
func eachEncoding(t *testing.T, test func(t *testing.T, fresh func() *Set)) {
	for _, encoding := range []Encoding{Listpack, SkipList} {
		entries := map[Encoding]int{Listpack: 1000, SkipList: 0}[encoding]
		tuning, err := NewTuning(Options{P: 1 / math.E, MaxLevel: 32, ListpackMaxEntries: entries, ListpackMaxValueBytes: 1000})
		if err != nil {
			t.Fatal(err)
		}
		t.Run(encoding.String(), func(t *testing.T) { test(t, func() *Set { return NewSeeded(tuning, 1) }) })
	}
}

func fill(s *Set, members int) *Set {
	for i := range members {
		s.Add(fmt.Appendf(nil, "member:%03d", i), float64(i), 0)
	}
	return s
}

// TestConversion is the table of what makes a listpack a skip list.
func TestConversion(t *testing.T) {
	tuning := func(entries, bytes int) *Tuning {
		tuning, err := NewTuning(Options{P: 0.25, MaxLevel: 8, ListpackMaxEntries: entries, ListpackMaxValueBytes: bytes})
		if err != nil {
			t.Fatal(err)
		}
		return tuning
	}
	short, long := []byte("member:001"), make([]byte, 11)
	add := func(member []byte, score float64, f AddFlags) func(s *Set) {
		return func(s *Set) { s.Add(member, score, f) }
	}
	tests := []struct {
		name    string
		members int // of 10 bytes, in a set for 4 of at most 10
		before  func(s *Set)
		write   func(s *Set)
		want    Encoding
	}{
		{"empty", 0, nil, nil, Listpack},
		{"as many as allowed", 3, nil, add([]byte("x"), 1, 0), Listpack},
		{"one more", 4, nil, add([]byte("x"), 1, 0), SkipList},
		{"full, but a condition is not met", 4, nil, add([]byte("x"), 1, XX), Listpack},
		{"full, one updated", 4, nil, add(short, 9, 0), Listpack},
		{"longer than allowed", 1, nil, add(long, 1, 0), SkipList},
		{"longer than allowed is the first", 0, nil, add(long, 1, 0), SkipList},
		{"longer than allowed, but a condition is not met", 1, nil, add(long, 1, XX), Listpack},
		{"fewer allowed now, nothing written", 4, func(s *Set) { s.SetTuning(tuning(2, 10)) }, nil, Listpack},
		{"fewer allowed now, one added", 2, func(s *Set) { s.SetTuning(tuning(2, 10)) }, add([]byte("x"), 1, 0), SkipList},
		{"fewer allowed now, one updated", 4, func(s *Set) { s.SetTuning(tuning(2, 10)) }, add(short, 9, 0), SkipList},
		{"fewer allowed now, one unchanged", 4, func(s *Set) { s.SetTuning(tuning(2, 10)) }, add(short, 1, 0), Listpack},
		{"fewer allowed now, one removed", 4, func(s *Set) { s.SetTuning(tuning(2, 10)) }, func(s *Set) { s.Remove(short) }, Listpack},
		{"shorter allowed now, one updated", 2, func(s *Set) { s.SetTuning(tuning(4, 9)) }, add(short, 9, 0), SkipList},
		{"shorter allowed now, a short one added", 2, func(s *Set) { s.SetTuning(tuning(4, 9)) }, add([]byte("x"), 9, 0), Listpack},
		{"none allowed", 0, func(s *Set) { s.SetTuning(tuning(0, 10)) }, add([]byte("x"), 9, 0), SkipList},
		{"more allowed now, one added", 5, func(s *Set) { s.SetTuning(tuning(9, 10)) }, add([]byte("x"), 1, 0), SkipList},
		{"few are left", 5, nil, func(s *Set) { s.RemoveRange(s.ByRank(1, -1)) }, SkipList},
		{"none is left after Remove", 5, func(s *Set) { s.RemoveRange(s.ByRank(0, 3)) }, func(s *Set) { s.Remove([]byte("member:004")) }, Listpack},
		{"none is left after RemoveRange", 5, nil, func(s *Set) { s.RemoveRange(s.ByRank(0, -1)) }, Listpack},
		{"none was left, one added", 5, func(s *Set) { s.RemoveRange(s.ByRank(0, -1)) }, add(short, 1, 0), Listpack},
		{"released", 5, nil, (*Set).Release, Listpack},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := fill(NewSeeded(tuning(4, 10), 1), test.members)
			want := map[string]float64{}
			for i := range test.members {
				want[fmt.Sprintf("member:%03d", i)] = float64(i)
			}
			if test.before != nil {
				test.before(s)
			}
			if test.write != nil {
				test.write(s)
			}
			if s.Encoding() != test.want {
				t.Errorf("is a %v, want a %v", s.Encoding(), test.want)
			}
			if err := s.check(); err != nil {
				t.Error(err)
			}
		})
	}
	if Listpack.String() != "listpack" || SkipList.String() != "skiplist" {
		t.Errorf("encodings are called %v and %v", Listpack, SkipList)
	}
}

// TestConversionKeepsAll compares a set before and after it has converted.
func TestConversionKeepsAll(t *testing.T) {
	s := NewSeeded(nil, 1)
	for i, score := range notableScores {
		s.Add(bytes.Repeat([]byte{byte(i)}, i), score, 0)
	}
	before := fmt.Sprint(pairsOf(s))
	long := bytes.Repeat([]byte("z"), 100)
	s.Add(long, 1, 0)
	if s.Encoding() != SkipList {
		t.Fatal(s.Encoding())
	}
	s.Remove(long)
	if after := fmt.Sprint(pairsOf(s)); after != before {
		t.Errorf("before %v\nafter %v", before, after)
	}
}

func pairsOf(s *Set) (pairs []pair) {
	for member, score := range s.All() {
		pairs = append(pairs, pair{string(member), score})
	}
	return pairs
}

// TestOddMembers uses nil, the set's own bytes, and bytes that the caller changes afterwards.
func TestOddMembers(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fresh()
		s.Add(nil, 1, 0)
		if score, ok := s.Score([]byte{}); !ok || score != 1 {
			t.Errorf("nil is not the empty member: %v, %v", score, ok)
		}
		if _, r, _ := s.Add([]byte{}, 1, 0); r != Unchanged || s.Len() != 1 {
			t.Errorf("the empty member is not nil: %v", r)
		}
		mine := []byte("mine")
		s.Add(mine, 2, 0)
		copy(mine, "else")
		if _, ok := s.Score([]byte("mine")); !ok {
			t.Error("the member changed with the caller's bytes")
		}

		s = fill(fresh(), 50)
		for i := range 200 {
			own, score, _ := s.At(i * 7 % s.Len())
			switch i % 3 {
			case 0: // another score for itself
				s.Add(own, score+25, 0)
			case 1: // a part of it as a new member
				s.Add(own[:1+i%len(own)], score-25, 0)
			case 2:
				s.Remove(own)
			}
			if err := s.check(); err != nil {
				t.Fatalf("step %d: %v", i, err)
			}
		}
	})
}

// TestOddRanges uses ranges that no lookup made, that are of another set, or that are of the set as it was. They are the
// ranks they say, as far as these exist.
func TestOddRanges(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s, other := fill(fresh(), 20), fill(fresh(), 30)
		stale := s.ByRank(0, -1)
		byScore := s.ByScore(ScoreRange{Min: 2, Max: 15})
		foreign := other.ByScore(ScoreRange{Min: 3, Max: 27})
		s.RemoveRange(s.ByRank(15, -1))
		tests := []struct {
			name       string
			r          Range
			start, end int
		}{
			{"none", Range{}, 0, 0},
			{"stale", stale, 0, 15},
			{"stale with places", byScore, 2, 15},
			{"of another set", foreign, 3, 15},
			{"below 0", Range{Start: -5, End: 3}, 0, 3},
			{"beyond the end", Range{Start: 12, End: math.MaxInt}, 12, 15},
			{"all outside", Range{Start: 40, End: 50}, 0, 0},
			{"crossed", Range{Start: 5, End: 2}, 0, 0},
			{"extremes", Range{Start: math.MinInt, End: math.MaxInt}, 0, 15},
		}
		for _, test := range tests {
			var up, down []string
			for member := range s.Ascend(test.r) {
				up = append(up, string(member))
			}
			for member := range s.Descend(test.r) {
				down = append([]string{string(member)}, down...)
			}
			var want []string
			for i := test.start; i < test.end; i++ {
				want = append(want, fmt.Sprintf("member:%03d", i))
			}
			if fmt.Sprint(up) != fmt.Sprint(want) || fmt.Sprint(down) != fmt.Sprint(want) {
				t.Errorf("%s: up %v, down %v, want %v", test.name, up, down, want)
			}
		}
		if n := s.RemoveRange(foreign); n != 12 || s.Len() != 3 {
			t.Errorf("removed %d, %d are left", n, s.Len())
		}
		if n := s.RemoveRange(Range{Start: 5, End: 2}); n != 0 {
			t.Errorf("removed %d of none", n)
		}
		if err := s.check(); err != nil {
			t.Error(err)
		}
	})
}

// TestPlacesAreForgotten uses ranges whose places would lead astray: the set has changed before them, or they are of a
// set that has other members there and as many changes behind it.
func TestPlacesAreForgotten(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fill(fresh(), 20)
		s.RemoveRange(s.ByRank(0, 2))
		stale := s.ByScore(ScoreRange{Min: 8, Max: 10})
		s.Remove([]byte("member:003"))
		s.Add([]byte("a much longer member than any other"), 0, 0)
		other := fresh()
		for i := range 20 {
			other.Add(fmt.Appendf(nil, "m%d", i), float64(-i), 0)
		}
		for range 3 {
			other.RemoveRange(other.ByRank(0, 0))
		}
		if other.changes != s.changes {
			t.Fatalf("%d changes and %d", other.changes-1, s.changes-1)
		}
		for name, r := range map[string]Range{"stale": stale, "foreign": other.ByRank(5, 7), "foreign, by score": other.ByScore(
			ScoreRange{Min: -11, Max: -9})} {
			want := fmt.Sprint(pairsOf(s)[r.Start:r.End])
			var up, down []pair
			for member, score := range s.Ascend(r) {
				up = append(up, pair{string(member), score})
			}
			for member, score := range s.Descend(r) {
				down = append([]pair{{string(member), score}}, down...)
			}
			if fmt.Sprint(up) != want || fmt.Sprint(down) != want || r.Len() != 3 {
				t.Errorf("%s: up %v, down %v, want %v", name, up, down, want)
			}
		}
	})
}

// TestWalksStartFromPlaces takes the way from the beginning away, so that only the place where the lookup ended can be used.
func TestWalksStartFromPlaces(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fill(fresh(), 100)
		r := s.ByScore(ScoreRange{Min: 40, Max: 79}).Limit(2, 30).LimitReverse(0, 25)
		if s.list != nil {
			s.list.head = nil
		} else {
			at := s.packed.walk(30, place{}, place{}).pos
			for i := listpackHeader; i < at; i++ {
				s.packed.buf[i] = 0xfe
			}
		}
		want := 47.0
		for _, score := range s.Ascend(r) {
			if score != want {
				t.Fatalf("up: %v, want %v", score, want)
			}
			want++
		}
		for _, score := range s.Descend(r) {
			if want--; score != want {
				t.Fatalf("down: %v, want %v", score, want)
			}
		}
		if want != 47 {
			t.Errorf("ended at %v", want)
		}
	})
}

// TestLoops leaves walks early, and changes the set during one.
func TestLoops(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		for name, pairs := range map[string]func(*Set) int{
			"Ascend": func(s *Set) (n int) {
				for range s.Ascend(s.ByRank(0, -1)) {
					if n++; n == 3 {
						break
					}
				}
				return n
			},
			"Descend": func(s *Set) (n int) {
				for range s.Descend(s.ByRank(0, -1)) {
					if n++; n == 3 {
						break
					}
				}
				return n
			},
			"Ascend, changing": func(s *Set) (n int) {
				for member := range s.Ascend(s.ByRank(0, -1)) {
					if n++; n == 3 {
						s.Remove(member)
					}
				}
				return n
			},
			"Descend, changing": func(s *Set) (n int) {
				for range s.Descend(s.ByRank(0, -1)) {
					if n++; n == 3 {
						s.Release()
					}
				}
				return n
			},
			"All, changing": func(s *Set) (n int) {
				for member, score := range s.All() {
					if n++; n == 3 {
						s.Add(member, score+9, 0)
					}
				}
				return n
			},
		} {
			if n := pairs(fill(fresh(), 10)); n != 3 {
				t.Errorf("%s: %d rounds, want 3", name, n)
			}
		}
		for member := range fresh().All() {
			t.Errorf("an empty set has %q", member)
		}
	})
}

// TestReadsTogether reads one set from several goroutines, for the race detector.
func TestReadsTogether(t *testing.T) {
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fill(fresh(), 100)
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				for i := range 100 {
					member, score, _ := s.At(i)
					if rank, _, ok := s.Rank(member); !ok || rank != i {
						t.Errorf("Rank(%q) = %d, %v", member, rank, ok)
					}
					if n := s.ByScore(ScoreRange{Min: score, Max: score}).Len(); n != 1 {
						t.Errorf("%d of score %v", n, score)
					}
					s.Scan(0, 10, func([]byte, float64) {})
					s.MemoryUsage()
				}
			})
		}
		readers.Wait()
	})
}

// TestAllocations shows which calls take no memory from the heap.
func TestAllocations(t *testing.T) {
	if invariants {
		t.Skip("the checks allocate")
	}
	eachEncoding(t, func(t *testing.T, fresh func() *Set) {
		s := fill(fresh(), 200)
		member := []byte("member:077")
		sum := 0.0
		low, high := LexBound{Value: member}, LexBound{Infinite: 1}
		for name, call := range map[string]func(){
			"Score":         func() { s.Score(member) },
			"Rank":          func() { s.Rank(member) },
			"At":            func() { s.At(77) },
			"ByRank":        func() { s.ByRank(5, -5) },
			"ByScore":       func() { s.ByScore(ScoreRange{Min: 10, Max: 20}) },
			"ByLex":         func() { s.ByLex(LexRange{low, high}) },
			"MemoryUsage":   func() { s.MemoryUsage() },
			"Add the same":  func() { s.Add(member, 77, 0) },
			"Add in place":  func() { s.Add(member, 77.5, 0); s.Add(member, 77, 0) },
			"Add elsewhere": func() { s.Add(member, 7.5, 0); s.Add(member, 77, 0) },
			"Ascend": func() {
				for _, score := range s.Ascend(s.ByScore(ScoreRange{Min: 10, Max: 20})) {
					sum += score
				}
			},
			"Descend": func() {
				for _, score := range s.Descend(s.ByRank(0, 9)) {
					sum += score
				}
			},
		} {
			if n := testing.AllocsPerRun(100, call); n != 0 {
				t.Errorf("%s allocates %v times", name, n)
			}
		}
	})
}

// TestManyMembers compares a large set with the model once, after additions, updates, removals, and ranges removed of
// all sizes.
func TestManyMembers(t *testing.T) {
	members := 100_000
	if testing.Short() {
		members = 10_000
	}
	s, m := NewSeeded(nil, 1), newModel()
	score := func(i, by int) float64 { return float64(i * by % members / 3) }
	for i := range members {
		s.Add(fmt.Appendf(nil, "%d", i), score(i, 7919), 0)
	}
	for i := 0; i < members; i += 3 {
		s.Add(fmt.Appendf(nil, "%d", i), score(i, 7877), 0)
	}
	for i := 0; i < members; i += 7 {
		s.Remove(fmt.Appendf(nil, "%d", i))
	}
	for i := range members {
		if i%7 != 0 {
			by := 7919
			if i%3 == 0 {
				by = 7877
			}
			m.scores[fmt.Sprint(i)] = score(i, by)
			m.sorted = append(m.sorted, pair{fmt.Sprint(i), score(i, by)})
		}
	}
	m.sort()
	for _, cut := range [][2]int{{0, 1}, {5, 5}, {100, 164}, {1000, 1400}, {members / 2, members/2 + 1}, {members / 5, members / 3},
		{2, members / 2}, {0, members / 50}, {members / 6, members}} {
		r := s.ByRank(cut[0], cut[1]-1)
		m.removeRange(r.Start, r.End)
		s.RemoveRange(r)
		if err := s.check(); err != nil {
			t.Fatalf("after %v: %v", cut, err)
		}
		if fmt.Sprint(pairsOf(s)) != fmt.Sprint(m.sorted) {
			t.Fatalf("after %v the set is not the model", cut)
		}
	}
	if s.Encoding() != SkipList || s.Len() == 0 {
		t.Errorf("a %v of %d members is left", s.Encoding(), s.Len())
	}
}
