//go:build !linux

package measure

import (
	"runtime"
	"time"
)

// Pin keeps the calling goroutine on its thread; threads are kept on a CPU on Linux only.
func Pin(int) error {
	runtime.LockOSThread()
	return nil
}

var began = time.Now()

// ThreadTime is the time since the process began: the CPU time of a thread is known on Linux only.
func ThreadTime() time.Duration { return time.Since(began) }
