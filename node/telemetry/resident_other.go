//go:build !linux

package telemetry

// residentBytes is 0, unknown: without Linux's /proc only the peak is told.
func residentBytes() int64 { return 0 }
