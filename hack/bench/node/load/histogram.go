//go:build linux

package load

import (
	"math/bits"
	"time"
)

// Histogram counts durations in buckets of at most 1/64 of their value.
type Histogram struct {
	counts [64 * 40]uint32
	total  int
}

func (h *Histogram) add(d time.Duration, times int) {
	h.counts[bucket(uint64(max(d, 0)))] += uint32(times)
	h.total += times
}

// bucket is the number of leading bits below the first, and the six bits after it.
func bucket(n uint64) int {
	if n < 64 {
		return int(n)
	}
	shift := bits.Len64(n) - 7
	return min(64*shift+int(n>>shift), 64*40-1)
}

// upper is the greatest duration of a bucket.
func upper(b int) time.Duration {
	if b < 128 {
		return time.Duration(b)
	}
	shift := b/64 - 1
	return time.Duration((uint64(b-64*shift)+1)<<shift - 1)
}

// Merge adds another's counts.
func (h *Histogram) Merge(o *Histogram) {
	for i, n := range o.counts {
		h.counts[i] += n
	}
	h.total += o.total
}

// Total is how many durations there are.
func (h *Histogram) Total() int { return h.total }

// Quantile is the least duration that the share q of all does not exceed; 0 if there are none.
func (h *Histogram) Quantile(q float64) time.Duration {
	rank, seen := int(q*float64(h.total)), 0
	for i, n := range h.counts {
		if seen += int(n); seen > rank || seen == h.total && seen > 0 {
			return upper(i)
		}
	}
	return 0
}
