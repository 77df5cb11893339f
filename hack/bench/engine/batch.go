package main

import "zset.dev/operator/hack/bench/workload"

// batchSize is how many operations are prepared at a time, few enough for what was prepared to stay in the first
// cache and enough for the clock.
const batchSize = 1000

// A batch is operations that were prepared so that making their arguments is not timed.
type batch struct {
	sets    []int // index of the set
	keys    []byte
	scores  []float64
	keySize int
}

func (b *batch) make(keySize int) { b.keySize = keySize }

func (b *batch) clear() { b.sets, b.keys, b.scores = b.sets[:0], b.keys[:0], b.scores[:0] }

func (b *batch) len() int { return len(b.sets) }

// add prepares an operation on the member of a number.
func (b *batch) add(members workload.Members, set, number int, score float64) {
	b.sets = append(b.sets, set)
	b.keys = members.Append(b.keys, number)
	b.scores = append(b.scores, score)
}

// copy prepares an operation on a member that a set gave.
func (b *batch) copy(set int, member []byte, score float64) {
	b.sets = append(b.sets, set)
	b.keys = append(b.keys, member...)
	b.scores = append(b.scores, score)
}

func (b *batch) member(i int) []byte {
	at := i * b.keySize
	return b.keys[at : at+b.keySize : at+b.keySize]
}
