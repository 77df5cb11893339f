package zset_test

import (
	"fmt"
	"math"

	"zset.dev/operator/zset"
)

// A leaderboard: points are added up, the best come first.
func Example() {
	board := zset.New(nil)
	for _, win := range []struct {
		player string
		points float64
	}{{"ada", 30}, {"bob", 20}, {"eve", 25}, {"bob", 20}, {"dan", 5}} {
		board.Add([]byte(win.player), win.points, zset.Incr)
	}

	for player, points := range board.Descend(board.ByRank(-3, -1)) {
		fmt.Printf("%s has %v\n", player, points)
	}
	if rank, _, ok := board.Rank([]byte("eve")); ok {
		fmt.Println("eve is number", board.Len()-rank)
	}
	// Output:
	// bob has 40
	// ada has 30
	// eve has 25
	// eve is number 3
}

// Add says what it did, and under which score the member is now.
func ExampleSet_Add() {
	best := zset.New(nil)
	for _, lap := range []float64{61.2, 59.8, 60.4} {
		now, result, _ := best.Add([]byte("ada"), lap, zset.LT) // only a better time replaces
		fmt.Println(lap, result == zset.Skipped, now)
	}
	_, _, err := best.Add([]byte("ada"), math.NaN(), 0)
	fmt.Println(err)
	// Output:
	// 61.2 false 61.2
	// 59.8 false 59.8
	// 60.4 true 59.8
	// zset: resulting score is not a number (NaN)
}

// A sliding window: requests of the last ten seconds are counted, older ones forgotten.
func ExampleSet_RemoveRange() {
	window := zset.New(nil)
	allow := func(now float64) bool {
		window.RemoveRange(window.ByScore(zset.ScoreRange{Min: math.Inf(-1), Max: now - 10}))
		if window.Len() >= 3 {
			return false
		}
		window.Add(fmt.Appendf(nil, "request at %v", now), now, 0)
		return true
	}
	for _, now := range []float64{1, 2, 3, 4, 11, 11.5, 12} {
		fmt.Print(allow(now), " ")
	}
	// Output: true true true false true false true
}

// A queue: what is due first comes out first.
func ExampleSet_ByRank() {
	queue := zset.New(nil)
	queue.Add([]byte("send the letter"), 300, 0)
	queue.Add([]byte("buy stamps"), 100, 0)
	queue.Add([]byte("write it"), 200, 0)

	first := queue.ByRank(0, 1)
	for job, due := range queue.Ascend(first) {
		fmt.Printf("at %v: %s\n", due, job)
	}
	queue.RemoveRange(first)
	fmt.Println(queue.Len(), "left")
	// Output:
	// at 100: buy stamps
	// at 200: write it
	// 1 left
}

// Limit pages through a range from its low end, LimitReverse from its high end.
func ExampleRange_LimitReverse() {
	s := zset.New(nil)
	for i := range 10 {
		s.Add(fmt.Appendf(nil, "m%d", i), float64(i), 0)
	}
	all := s.ByScore(zset.ScoreRange{Min: 2, Max: 8, MaxExclusive: true})
	for member := range s.Ascend(all.Limit(1, 2)) {
		fmt.Printf("%s ", member)
	}
	for member := range s.Descend(all.LimitReverse(1, 2)) {
		fmt.Printf("%s ", member)
	}
	fmt.Println("of", all.Len())
	// Output: m3 m4 m6 m5 of 6
}

// Completion: members of one score are in the order of their bytes.
func ExampleSet_ByLex() {
	words := zset.New(nil)
	for _, word := range []string{"skip", "skill", "sky", "slab", "skim"} {
		words.Add([]byte(word), 0, 0)
	}
	prefix := []byte("sk")
	from := zset.LexBound{Value: prefix}
	to := zset.LexBound{Value: append(prefix, 0xff), Exclusive: true}
	for word := range words.Ascend(words.ByLex(zset.LexRange{Min: from, Max: to}).Limit(0, 3)) {
		fmt.Printf("%s ", word)
	}
	// Output: skill skim skip
}

// Options can change while a set is in use; what is written next follows them.
func ExampleSet_SetTuning() {
	s := zset.New(nil)
	for i := range 50 {
		s.Add(fmt.Appendf(nil, "m%d", i), float64(i), 0)
	}
	fmt.Println(s.Encoding())

	o := zset.DefaultOptions()
	o.ListpackMaxEntries = 40
	smaller, err := zset.NewTuning(o)
	if err != nil {
		fmt.Println(err)
		return
	}
	s.SetTuning(smaller)
	fmt.Println(s.Encoding())
	s.Add([]byte("m7"), 3.5, 0)
	fmt.Println(s.Encoding())

	o.P = 1
	_, err = zset.NewTuning(o)
	fmt.Println(err)
	// Output:
	// listpack
	// listpack
	// skiplist
	// zset: P must be greater than 0 and at most 0.75, got 1
}

// Scan goes through a set in steps between which it may change.
func ExampleSet_Scan() {
	s := zset.New(nil)
	for i := range 1000 {
		s.Add(fmt.Appendf(nil, "m%d", i), float64(i), 0)
	}
	seen, cursor := 0, uint64(0)
	for {
		cursor = s.Scan(cursor, 100, func(member []byte, score float64) { seen++ })
		if cursor == 0 {
			break
		}
	}
	fmt.Println(seen)
	// Output: 1000
}
