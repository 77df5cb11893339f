package measure

import (
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
)

// Memory is what the process holds.
type Memory struct {
	Heap     int // bytes in use in the Go heap's spans
	Resident int // bytes of memory that the system has given; 0 where it does not say
}

// Settled collects garbage, gives what is free back to the system, and says what is left.
func Settled() Memory {
	runtime.GC() // twice: finalizers and pools let go of memory only after the first
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return Memory{Heap: int(m.HeapInuse), Resident: resident()}
}

// Since is the growth since an earlier state.
func (m Memory) Since(before Memory) Memory {
	return Memory{m.Heap - before.Heap, m.Resident - before.Resident}
}

func resident() int {
	b, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(b)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		return 0
	}
	return pages * os.Getpagesize()
}
