package node

import (
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
)

func TestHeapLimit(t *testing.T) {
	for _, c := range []struct{ all, outside, want int64 }{
		{1000, 0, 1000},
		{1000, 300, 700},
		{1000, 900, 100},
		{1000, 2000, 100},
	} {
		if got := heapLimit(c.all, c.outside); got != c.want {
			t.Errorf("of %d, with %d outside, %d is left, want %d", c.all, c.outside, got, c.want)
		}
	}
}

// What keys take outside the Go heap is taken off what the collector is told.
func TestLimitFollowsKeys(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	const all = 1 << 30
	s := startWith(t, Options{SoftLimit: all})
	eventually(t, "the collector has all of it", func() bool { return debug.SetMemoryLimit(-1) <= all })
	w := dial(t, s.addr)
	for i := range 40 {
		w.do("ZADD", "k"+strconv.Itoa(i), "1", strings.Repeat("m", 1<<20))
	}
	eventually(t, "the collector has less", func() bool {
		limit := debug.SetMemoryLimit(-1)
		return limit <= all-25<<20 && limit > all-80<<20
	})
	w.do("FLUSHALL")
	eventually(t, "the collector has nearly all again", func() bool {
		limit := debug.SetMemoryLimit(-1)
		return limit > all-20<<20 && limit != math.MaxInt64
	})
}

func TestStrain(t *testing.T) {
	for _, c := range []struct{ all, outside, live, want int64 }{
		{0, 500, 500, 0}, {1000, 0, 0, 0}, {1000, 800, 100, 0}, {1000, 800, 101, 1}, {1000, 100, 950, 150},
	} {
		if got := strain(c.all, c.outside, c.live); got != c.want {
			t.Errorf("strain(%d, %d, %d) = %d, want %d", c.all, c.outside, c.live, got, c.want)
		}
	}
}

// A node whose process takes too much makes room though maxmemory would allow
// more, as far as that takes and no further.
func TestStrainMakesRoom(t *testing.T) {
	s := start(t, "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	w := dial(t, s.addr)
	for i := range 2000 {
		w.do("ZADD", strconv.Itoa(i), "1", strings.Repeat("x", 200))
	}
	before := s.keyspace.Used()
	s.env.SweepPaused.Store(true)
	w.expect(pong, "PING")
	eventually(t, "a sweep under way ends", func() bool {
		s.strain.Store(500 << 10)
		w.expect(pong, "PING")
		return s.keyspace.Used() < before-400<<10
	})
	if used := s.keyspace.Used(); used < 400<<10 {
		t.Errorf("%d bytes are left", used)
	}
}
