package zset

import (
	"bytes"
	"math"
	"testing"
)

// FuzzSet runs any bytes as a history of operations (history_test.go) on a set and a model.
func FuzzSet(f *testing.F) {
	f.Add([]byte("\x00\x01" + "\x00\x05\x08\x00"))                 // one member
	f.Add(bytes.Repeat([]byte("\x0e\x11\x3f"), 20))                // batches, across the conversion
	f.Add(bytes.Repeat([]byte("\x0d\x02\x00\xd5\xc8\x00"), 30))    // never a listpack
	f.Add(bytes.Repeat([]byte("\x00\xf0\xc9\xff\x0c\x04\x01"), 9)) // notable scores, pops
	f.Fuzz(func(t *testing.T, ops []byte) {
		const enough = 4096 // the work of a history grows with the square of its length
		newHistory(t, ops[:min(len(ops), enough)]).run()
	})
}

// FuzzListpack reads any bytes as a listpack. What is one reads the same in all ways, and stays one when edited.
func FuzzListpack(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0})
	for _, members := range []int{1, 3, 100} {
		var lp listpack
		for i := range members {
			score := notableScores[i%len(notableScores)]
			if !math.IsNaN(score) {
				member := bytes.Repeat([]byte{byte(i)}, i*3)
				lp.insert(lp.seek(&bound{score: score, member: member}), member, score)
			}
		}
		f.Add(lp.buf)
	}
	f.Fuzz(func(t *testing.T, block []byte) {
		entries, err := parseListpack(block)
		if err != nil {
			return
		}
		lp := listpack{buf: bytes.Clone(block)}
		check := func(after string) {
			t.Helper()
			if err := lp.check(); err != nil {
				t.Fatalf("after %s: %v", after, err)
			}
		}
		check("reading")
		for rank, e := range entries {
			found, at, ok := lp.find(e.member)
			if !ok || at != rank || !same(found, e) {
				t.Fatalf("find(%q) = %v, %d, %v, want %v, %d", e.member, found, at, ok, e, rank)
			}
		}
		// Write all again into another: the same bytes must come out.
		var again listpack
		for i := range entries {
			e := entries[(i*7+3)%len(entries)] // each once unless 7 divides their number
			if len(entries)%7 == 0 {
				e = entries[i]
			}
			again.insert(again.seek(&bound{score: e.score, member: e.member}), e.member, e.score)
		}
		if !bytes.Equal(again.buf, lp.buf) {
			t.Fatalf("written again %x, read %x", again.buf, lp.buf)
		}
		for rank, e := range entries {
			old, _, _ := lp.find(e.member)
			score := float64(rank%5) - 2
			lp.put(old, e.member, score, true)
			check("rescoring")
		}
		for lp.len() > 0 {
			p := lp.walk(lp.len()/2, place{}, place{})
			e := lp.entryAt(p.pos)
			lp.remove(e.at, e.next, 1)
			check("removing")
		}
	})
}
