package measure

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// CPUs are those that this process may use, in order.
func CPUs() ([]int, error) {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return nil, err
	}
	var cpus []int
	for i := range 1024 {
		if allowed.IsSet(i) {
			cpus = append(cpus, i)
		}
	}
	return cpus, nil
}

// PinProcess keeps all threads of a process, and those that they start, on some CPUs.
func PinProcess(pid int, cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	// A thread started meanwhile may have the old CPUs, so go on until all have been seen to have the new ones.
	for done := false; !done; {
		done = true
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		for _, task := range tasks {
			tid, err := strconv.Atoi(task.Name())
			if err != nil {
				return err
			}
			var now unix.CPUSet
			if err := unix.SchedGetaffinity(tid, &now); err != nil && !errors.Is(err, unix.ESRCH) {
				return err
			} else if err == nil && now != set {
				done = false
				if err := unix.SchedSetaffinity(tid, &set); err != nil && !errors.Is(err, unix.ESRCH) {
					return err
				}
			}
		}
	}
	return nil
}

// ProcessTime is the CPU time that a process has used.
func ProcessTime(pid int) (time.Duration, error) {
	var t unix.Timespec
	clock := int32(^pid<<3 | 2) // how Linux names the CPU clock of a process
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}

// ProcessResident is the memory of a process that the system has given and that no file backs, in bytes.
func ProcessResident(pid int) (int, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kib, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSpace(value), " kB"))
			return kib << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status does not tell RssAnon", pid)
}

// PinThread keeps the calling thread on some CPUs; the goroutine should be locked to it.
func PinThread(cpus ...int) error {
	var set unix.CPUSet
	for _, cpu := range cpus {
		set.Set(cpu)
	}
	return unix.SchedSetaffinity(0, &set)
}
