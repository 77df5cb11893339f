package telemetry

import (
	"bytes"
	"os"
	"strconv"
)

// residentBytes is the memory of this process that is in RAM; 0 when the
// system does not tell.
func residentBytes() int64 {
	// Second field: resident pages.
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	fields := bytes.Fields(text)
	if len(fields) < 2 {
		return 0
	}
	pages, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0
	}
	return pages * int64(os.Getpagesize())
}
