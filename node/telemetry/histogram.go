package telemetry

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// A histogram has 16 steps for each doubling, so a value read from it is at
// most a sixteenth too high. The lowest steps are single nanoseconds.
const (
	histogramStep = 4 // bits
	histogramSize = (40 - histogramStep) << histogramStep
)

// Histogram is how often something took how long, up to about nine minutes;
// what takes longer counts as that. It may be used from any goroutine.
type Histogram struct {
	steps [histogramSize]atomic.Int64
}

// Add counts n times a time.
func (h *Histogram) Add(took time.Duration, n int64) { h.steps[step(took)].Add(n) }

// step is the number of the step a time falls into.
func step(took time.Duration) int {
	n := uint64(max(took, 0))
	if n < 1<<histogramStep {
		return int(n)
	}
	shift := bits.Len64(n) - histogramStep - 1
	return min((shift+1)<<histogramStep+int(n>>shift)-1<<histogramStep, histogramSize-1)
}

// highest is the longest time of a step.
func highest(i int) time.Duration {
	if i < 1<<histogramStep {
		return time.Duration(i)
	}
	shift := i>>histogramStep - 1
	return time.Duration((1<<histogramStep+i&(1<<histogramStep-1)+1)<<shift - 1)
}

// Count is how many times were counted.
func (h *Histogram) Count() (n int64) {
	for i := range h.steps {
		n += h.steps[i].Load()
	}
	return n
}

// Percentile is a time that p percent do not exceed.
func (h *Histogram) Percentile(p float64) time.Duration {
	total := h.Count()
	want, seen := p/100*float64(total), int64(0)
	for i := range h.steps {
		n := h.steps[i].Load()
		if seen += n; n > 0 && float64(seen) >= want {
			return highest(i)
		}
	}
	return 0
}

// Bucket is how many took at most so many microseconds.
type Bucket struct{ Micros, Count int64 }

// Buckets are cumulative counts for times that double from about a
// microsecond on, those that add nothing left out; then all that took longer.
func (h *Histogram) Buckets() (all []Bucket) {
	seen, reported, i := int64(0), int64(0), 0
	for limit := int64(1024); i < histogramSize; limit *= 2 {
		for ; i < histogramSize && int64(highest(i)) < limit; i++ {
			seen += h.steps[i].Load()
		}
		if seen > reported {
			all = append(all, Bucket{(limit + limit/128 - 1) / 1000, seen})
			reported = seen
		}
	}
	return all
}
