package measure

import (
	"runtime"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Pin keeps the calling goroutine on its thread, and the thread on a CPU; a negative cpu takes the last one that
// this process may use. The garbage collector's threads stay free to run elsewhere, as they do in a server.
func Pin(cpu int) error {
	runtime.LockOSThread()
	var allowed, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	for i := 0; cpu < 0 && i < 1024; i++ {
		if allowed.IsSet(1023 - i) {
			cpu = 1023 - i
		}
	}
	one.Set(cpu)
	return unix.SchedSetaffinity(0, &one)
}

// ThreadTime is the CPU time of the calling thread since it began. Differences leave out what other processes
// took of the CPU.
func ThreadTime() time.Duration {
	var t unix.Timespec
	// The plain call would tell the scheduler of each; this clock never blocks.
	_, _, errno := syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, unix.CLOCK_THREAD_CPUTIME_ID, uintptr(unsafe.Pointer(&t)), 0)
	if errno != 0 {
		panic("measure: the thread's CPU clock: " + errno.Error())
	}
	return time.Duration(t.Nano())
}
