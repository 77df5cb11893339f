//go:build unix

package telemetry

import "syscall"

// cpuSeconds is the processor time this process has used.
func cpuSeconds() (user, system float64) {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0, 0
	}
	inSeconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return inSeconds(usage.Utime), inSeconds(usage.Stime)
}
