// Package workload makes what the benchmarks put into sorted sets: members of a fixed size that follow from a
// number, and scores. Everything follows from a seed, so that each contender gets the same. Only the benchmarks may
// use it.
package workload

import (
	"math/rand/v2"
	"strings"
)

const (
	digits = 12
	// LeastBytes is the shortest member there is.
	LeastBytes = digits + 1
)

// Members makes members of Size bytes, LeastBytes or more: letters and a decimal number with leading zeros, as
// user names and object ids look.
type Members struct{ prefix string }

// NewMembers makes members of size bytes.
func NewMembers(size int) Members {
	if size < LeastBytes {
		panic("workload: a member has at least 13 bytes")
	}
	return Members{("m" + strings.Repeat("x", size-LeastBytes))[:size-digits]}
}

// Size is the length of each member in bytes.
func (m Members) Size() int { return len(m.prefix) + digits }

// Append appends the member of number i, below 10^12, to dst.
func (m Members) Append(dst []byte, i int) []byte {
	dst = append(dst, m.prefix...)
	dst = append(dst, "000000000000"...)
	for at := len(dst) - 1; i > 0; at-- {
		dst[at] += byte(i % 10)
		i /= 10
	}
	return dst
}

// Random makes a source of numbers that follows from a seed.
func Random(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x7a736574)) }

// Order is the order in which scores come.
type Order string

const (
	Shuffled  Order = "random"   // uniform doubles in [0, 1)
	Ascending Order = "in order" // the same distribution, each greater than the last
)

// Score is the score of the i-th of n members to be put in.
func (o Order) Score(r *rand.Rand, i, n int) float64 {
	if o == Ascending {
		return (float64(i) + r.Float64()) / float64(n)
	}
	return r.Float64()
}
