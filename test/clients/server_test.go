//go:build clients

package clients

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// served is the address of the server under test; set before any test runs.
var served string

func address(t *testing.T) string {
	t.Helper()
	return served
}

func TestMain(m *testing.M) {
	stop, err := serve(strings.Fields(os.Getenv("ZSET_SERVER")))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	code := m.Run()
	stop()
	if err := table.write(os.Getenv("ZSET_CLIENTS_TABLE")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// serve starts the server on a free port and waits until it accepts.
func serve(command []string) (stop func(), err error) {
	if len(command) == 0 {
		return nil, fmt.Errorf("ZSET_SERVER is not set: run test/clients/run.sh")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	served = l.Addr().String()
	l.Close()
	dir, err := os.MkdirTemp("", "clients-")
	if err != nil {
		return nil, err
	}
	var log bytes.Buffer // read only after the process has ended
	_, port, _ := net.SplitHostPort(served)
	cmd := exec.Command(command[0], append(command[1:], "--port", port, "--bind", "127.0.0.1", "--dir", dir)...)
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }() // ends with the process, which stop ends
	stop = func() {
		cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
		case <-time.After(10 * time.Second):
			cmd.Process.Kill()
			<-ended
		}
		os.RemoveAll(dir)
	}
	for range 500 {
		if c, err := net.DialTimeout("tcp", served, time.Second); err == nil {
			c.Close()
			return stop, nil
		}
		select {
		case <-ended:
			return nil, fmt.Errorf("%s ended: %s", strconv.Quote(command[0]), log.String())
		case <-time.After(20 * time.Millisecond):
		}
	}
	stop()
	return nil, fmt.Errorf("%s did not accept on %s: %s", command[0], served, log.String())
}
