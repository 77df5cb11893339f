// Command pause is the sandbox process of every pod. It holds the pod's
// namespaces by sleeping, reaps orphans (it is PID 1 where a pod shares its PID
// namespace) and ends on SIGTERM or SIGINT.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGCHLD)
	for s := range signals {
		if s != syscall.SIGCHLD {
			return
		}
		for pid := 1; pid > 0; {
			var err error
			if pid, err = syscall.Wait4(-1, nil, syscall.WNOHANG, nil); err != nil {
				break
			}
		}
	}
}
