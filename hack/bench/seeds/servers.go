package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// servers are those that embedded compares: a node of this checkout, built for it, and the newest Valkey that can be had.
type servers struct {
	folder  string // of the node's program, and where both work
	started []*exec.Cmd
}

// start starts those that have no address yet. Without a peer, because it cannot be had here, only the node is measured.
func (s *servers) start(node, peer *string) (err error) {
	if *node != "" && *peer != "" {
		return nil
	}
	if s.folder, err = os.MkdirTemp("", "zset-seeds-"); err != nil {
		return err
	}
	root, err := output(exec.Command("git", "rev-parse", "--show-toplevel"))
	if err != nil {
		return fmt.Errorf("finding the checkout: %w", err)
	}
	if *node == "" {
		program := filepath.Join(s.folder, "node")
		build := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/node")
		build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as make build does
		if _, err := output(build); err != nil {
			return fmt.Errorf("building the node: %w", err)
		}
		if *node, err = s.run(program, "--http-port", "0"); err != nil {
			return fmt.Errorf("starting the node: %w", err)
		}
	}
	if *peer == "" {
		programs, err := output(exec.Command(filepath.Join(root, "hack/peers.sh")))
		if err == nil {
			*peer, err = s.run(filepath.Join(programs, "valkey-server"), "--save", "", "--appendonly", "no")
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "embedded: only the node is measured, as there is no other server: %v\n", err)
		}
	}
	return nil
}

// run starts a server on a free port of this machine and waits until it answers.
func (s *servers) run(program string, args ...string) (addr string, err error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	addr = l.Addr().String()
	if err := l.Close(); err != nil {
		return "", err
	}
	_, port, _ := strings.Cut(addr, ":")
	c := exec.Command(program, append([]string{"--port", port, "--bind", "127.0.0.1", "--dir", s.folder, "--loglevel", "warning"}, args...)...)
	c.Stdout, c.Stderr = os.Stderr, os.Stderr
	if err := c.Start(); err != nil {
		return "", err
	}
	s.started = append(s.started, c)
	for range 100 {
		if err = ping(addr); err == nil {
			return addr, nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return "", fmt.Errorf("%s does not answer at %s: %w", filepath.Base(program), addr, err)
}

func ping(addr string) error {
	c, err := dial(addr)
	if err != nil {
		return err
	}
	defer c.close()
	_, err = c.ask("PING")
	return err
}

// stop ends what was started.
func (s *servers) stop() error {
	var errs []error
	for _, c := range s.started {
		errs = append(errs, c.Process.Kill())
		_ = c.Wait() // it says that the process was killed
	}
	if s.folder != "" {
		errs = append(errs, os.RemoveAll(s.folder))
	}
	return errors.Join(errs...)
}

// output is what a command prints, without the end of the last line; what it complains of goes on to the user.
func output(c *exec.Cmd) (string, error) {
	c.Stderr = os.Stderr
	out, err := c.Output()
	return strings.TrimSpace(string(out)), err
}
