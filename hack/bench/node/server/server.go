//go:build linux

package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"syscall"
	"time"

	"zset.dev/operator/hack/bench/measure"
)

// Program is how a server is started.
type Program struct {
	Name string // in tables
	Path string
	Node bool // of this project, not a peer
}

// Server is a process. Its methods are for the goroutine that started it.
type Server struct {
	Program
	Addr   string
	cmd    *exec.Cmd
	dir    string
	log    bytes.Buffer  // owned by cmd until it has ended
	ended  chan struct{} // closed after cmd has
	paused bool
}

// Start starts a server without data, persistence or options on some CPUs, and waits until it answers. The calling goroutine
// must be locked to a thread that lasts: the server is killed when that thread ends.
func Start(ctx context.Context, p Program, cpus ...int) (_ *Server, err error) {
	dir, err := os.MkdirTemp("", "bench-node-*")
	if err != nil {
		return nil, err
	}
	port, err := freePort()
	if err != nil {
		return nil, errors.Join(err, os.Remove(dir))
	}
	args := []string{"--port", port, "--bind", "127.0.0.1", "--dir", dir}
	if p.Node {
		args = append(args, "--http-port", "0")
	} else {
		args = append(args, "--save", "", "--appendonly", "no", "--daemonize", "no")
	}
	s := &Server{Program: p, Addr: "127.0.0.1:" + port, cmd: exec.Command(p.Path, args...), dir: dir, ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	// A group of its own: an interrupt from the terminal reaches this program alone, which stops the servers.
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	before, err := measure.CPUs()
	if err != nil {
		return nil, err
	}
	// A process begins with the CPUs of the thread that starts it, so it sees from its beginning how many there are.
	if err := measure.PinThread(cpus...); err != nil {
		return nil, err
	}
	err = s.cmd.Start()
	if err := errors.Join(err, measure.PinThread(before...)); err != nil {
		return nil, errors.Join(fmt.Errorf("starting %s: %w", p.Name, err), os.RemoveAll(dir))
	}
	go func() { // ends with the process, which Stop waits for
		_ = s.cmd.Wait() // it is killed: that is no error
		close(s.ended)
	}()
	if err := s.answers(ctx); err != nil {
		s.Stop()
		return nil, fmt.Errorf("starting %s: %w\n%s", p.Name, err, s.log.Bytes())
	}
	return s, nil
}

// freePort is a port that is free now.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	port := l.Addr().(*net.TCPAddr).Port
	return strconv.Itoa(port), l.Close()
}

// answers waits for the reply to a PING.
func (s *Server) answers(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	for {
		if ping(ctx, s.Addr) {
			return nil
		}
		select {
		case <-s.ended:
			return errors.New("it has ended")
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

func ping(ctx context.Context, addr string) bool {
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", addr)
	if err != nil {
		return false
	}
	defer c.Close()
	if err := c.SetDeadline(time.Now().Add(time.Second)); err != nil {
		return false
	}
	reply := make([]byte, 7)
	if _, err := c.Write([]byte("PING\r\n")); err != nil {
		return false
	}
	n, err := c.Read(reply)
	return err == nil && string(reply[:n]) == "+PONG\r\n"
}

// Stop kills the process, waits for its end and removes its folder.
func (s *Server) Stop() {
	_ = s.cmd.Process.Kill() // an error says that it has ended
	<-s.ended
	_ = os.RemoveAll(s.dir)
}

// Pause takes the CPU from the server until Resume.
func (s *Server) Pause() error {
	if s.paused {
		return nil
	}
	s.paused = true
	return s.cmd.Process.Signal(syscall.SIGSTOP)
}

// Resume ends a Pause.
func (s *Server) Resume() error {
	if !s.paused {
		return nil
	}
	s.paused = false
	return s.cmd.Process.Signal(syscall.SIGCONT)
}

// Pin keeps the server on some CPUs.
func (s *Server) Pin(cpus ...int) error { return measure.PinProcess(s.cmd.Process.Pid, cpus...) }

// CPUTime is what the server has used.
func (s *Server) CPUTime() (time.Duration, error) { return measure.ProcessTime(s.cmd.Process.Pid) }

// Resident is the server's memory in bytes, without files.
func (s *Server) Resident() (int, error) { return measure.ProcessResident(s.cmd.Process.Pid) }

// Ended says why the server is no longer there; nil while it is.
func (s *Server) Ended() error {
	select {
	case <-s.ended:
		log := s.log.Bytes()
		return fmt.Errorf("%s has ended: %v\n%s", s.Name, s.cmd.ProcessState, log[max(0, len(log)-2000):])
	default:
		return nil
	}
}

// Turn pauses all servers but one.
func Turn(all []*Server, one *Server) error {
	for _, s := range all {
		if s != one {
			if err := s.Pause(); err != nil {
				return err
			}
		}
	}
	return one.Resume()
}
