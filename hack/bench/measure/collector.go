package measure

import (
	"math"
	"runtime/metrics"
	"time"
)

// Collector is what the garbage collector has cost this process so far.
type Collector struct {
	gc, total, idle float64 // CPU seconds
	pauses          metrics.Float64Histogram
	cycles          uint64
}

const (
	gcCPU    = "/cpu/classes/gc/total:cpu-seconds"
	totalCPU = "/cpu/classes/total:cpu-seconds"
	idleCPU  = "/cpu/classes/idle:cpu-seconds"
	pauses   = "/sched/pauses/total/gc:seconds"
	cycles   = "/gc/cycles/total:gc-cycles"
)

// ReadCollector reads the state now. The runtime brings the CPU figures up to date at the end of each collection.
func ReadCollector() Collector {
	s := []metrics.Sample{{Name: gcCPU}, {Name: totalCPU}, {Name: idleCPU}, {Name: pauses}, {Name: cycles}}
	metrics.Read(s)
	h := s[3].Value.Float64Histogram()
	return Collector{
		gc: s[0].Value.Float64(), total: s[1].Value.Float64(), idle: s[2].Value.Float64(),
		pauses: metrics.Float64Histogram{Counts: append([]uint64(nil), h.Counts...), Buckets: h.Buckets},
		cycles: s[4].Value.Uint64(),
	}
}

// Cost is what the collector cost between two states.
type Cost struct {
	ShareOfUsed  float64       // of the CPU time that the process used
	ShareOfAll   float64       // of the CPU time that it could have used
	LongestPause time.Duration // of the world, up to a bucket's upper end; 0 if there was none
	Cycles       int
}

// Since is the cost since an earlier state.
func (c Collector) Since(before Collector) Cost {
	gc, total, idle := c.gc-before.gc, c.total-before.total, c.idle-before.idle
	cost := Cost{Cycles: int(c.cycles - before.cycles)}
	if total > 0 {
		cost.ShareOfAll = gc / total
	}
	if used := total - idle; used > 0 {
		cost.ShareOfUsed = gc / used
	}
	for i, n := range c.pauses.Counts {
		if n > before.pauses.Counts[i] {
			upper := c.pauses.Buckets[i+1]
			if math.IsInf(upper, 1) {
				upper = c.pauses.Buckets[i]
			}
			cost.LongestPause = time.Duration(upper * float64(time.Second))
		}
	}
	return cost
}
