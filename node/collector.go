package node

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
)

// garbageFloor is how large the Go heap may get, however little of it is
// alive, before garbage is collected: keys are outside of it, so what is alive
// is a few megabytes, and left to itself the collector would run after every
// few hundred scripts.
const garbageFloor = 64 << 20

// collector sets how much garbage there may be. The sweep owns it.
type collector struct {
	floor   int64 // bytes; 0 leaves the collector alone
	percent int
	live    [1]metrics.Sample
}

// newCollector is for a process of so many bytes at most (Options.SoftLimit),
// of which garbage may be a sixteenth; 0 leaves the collector to others. GOGC
// in the environment has the last word.
func newCollector(limit int64) *collector {
	c := &collector{floor: min(garbageFloor, limit/16)}
	if os.Getenv("GOGC") != "" {
		c.floor = 0
	}
	c.live[0].Name = "/gc/heap/live:bytes"
	return c
}

// garbagePercent is the garbage there may be, in percent of what is alive, so
// that both together reach the floor; 100, as is usual, once what is alive
// does by half. The runtime takes 4 MB to be alive at least.
func garbagePercent(live, floor int64) int {
	const least = 4 << 20
	return int(max(100, floor*100/max(live, least)-100))
}

// adjust is to be called now and then. To tell the runtime stops everything
// for a moment, so it is told of larger changes only.
func (c *collector) adjust() {
	if c.floor == 0 {
		return
	}
	metrics.Read(c.live[:])
	percent := garbagePercent(int64(c.live[0].Value.Uint64()), c.floor)
	if c.percent == 0 || max(percent-c.percent, c.percent-percent) > c.percent/4 {
		c.percent = percent
		debug.SetGCPercent(percent)
	}
}
