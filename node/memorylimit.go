package node

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"sync"

	"zset.dev/operator/node/config"
)

// containerLimit is the memory this process may use, by its control group or
// by what the machine has; 0 when that is unknown. It is read once.
var containerLimit = sync.OnceValue(func() int64 {
	available, err := config.AvailableMemory()
	if err != nil {
		return 0
	}
	return available
})

// LimitMemory tells the garbage collector how much memory there is. Left to
// itself it lets garbage grow to the size of what is alive, so a node filled
// to three quarters of its container would be killed for using one and a half
// times of it; told the limit it collects earlier instead. A tenth is left for
// what it does not count: socket buffers of the kernel, the program itself.
// GOMEMLIMIT in the environment has the last word. It returns the bytes set,
// 0 when it set nothing: what a Server is to be told as Options.SoftLimit.
func LimitMemory() int64 {
	if os.Getenv("GOMEMLIMIT") != "" {
		return 0
	}
	available := containerLimit()
	if available == 0 {
		return 0
	}
	limit := available / 10 * 9
	debug.SetMemoryLimit(limit)
	return limit
}

// heapLimit is what is left for the Go heap, of so much in all, beside what is
// outside of it, where keys are: a tenth at least, lest the collector do nothing
// but collect once keys take everything.
func heapLimit(all, outside int64) int64 { return max(all-outside, all/10) }

// limitHeap tells the garbage collector how much is left for it. To tell it
// stops everything for a moment, so it is told of steps of a hundredth.
func (s *Server) limitHeap() {
	all := s.options.SoftLimit
	if all == 0 {
		return
	}
	_, outside := s.keyspace.OffHeap()
	if limit := heapLimit(all, outside); max(limit-s.heapLimit, s.heapLimit-limit) > all/100 {
		s.heapLimit = limit
		debug.SetMemoryLimit(limit)
	}
}

// strain is the bytes by which what is alive takes more than nine tenths of so
// much in all: outside the Go heap by what is free inside of pages that are
// not, as after keys of one size made room for keys of another. The last tenth
// is for garbage, stacks and buffers.
func strain(all, outside, live int64) int64 {
	if all == 0 {
		return 0
	}
	return max(outside+live-all/10*9, 0)
}

// noteStrain looks how much memory what is alive takes, so that a node makes
// room, or refuses writes, before its container's limit ends it. That counts
// beside what maxmemory limits, which knows what is in use only.
func (s *Server) noteStrain() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	_, outside := s.keyspace.OffHeap()
	s.strain.Store(strain(s.options.SoftLimit, outside, int64(live[0].Value.Uint64())))
}
