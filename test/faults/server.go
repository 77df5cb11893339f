//go:build linux

package faults

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"

	"zset.dev/operator/test/faults/recorder"
)

// Program is how a kind of server is started.
type Program struct {
	Name string // node, valkey or redis
	Path string
}

// Ours reports whether it is this project's.
func (p Program) Ours() bool { return p.Name == "node" }

// Config is how one server is started.
type Config struct {
	Dir       string // which stays
	Addr      string // empty for a free port of the loopback
	Args      []string
	Namespace string // of the network; empty for the one that this process has
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
}

// Server is a process, until Kill or Stop. Its methods may be called from any goroutine.
type Server struct {
	Program
	Config
	cmd    *exec.Cmd
	log    tail
	ended  chan struct{} // closed when the process has ended
	client *redis.Client
}

// starter starts processes on one thread that lasts, with which they end, however this process does.
var starter = sync.OnceValue(func() chan<- func() {
	work := make(chan func())
	go func() { // for as long as the process
		runtime.LockOSThread()
		for f := range work {
			f()
		}
	}()
	return work
})

// Start starts a server without waiting for anything.
func Start(p Program, c Config) (*Server, error) {
	if c.Addr == "" {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		c.Addr = net.JoinHostPort("127.0.0.1", port)
	}
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return nil, err
	}
	args := []string{"--port", port, "--bind", host, "--dir", c.Dir, "--save", "", "--protected-mode", "no"}
	if p.Ours() {
		args = append(args, "--http-port", "0")
	} else {
		args = append(args, "--repl-diskless-sync-delay", "0") // else each full sync begins after 5 s
	}
	args = append(args, c.Args...)
	program := p.Path
	if c.Namespace != "" {
		program, args = "ip", append([]string{"netns", "exec", c.Namespace, p.Path}, args...)
	}
	s := &Server{Program: p, Config: c, cmd: exec.Command(program, args...), ended: make(chan struct{})}
	s.cmd.Stdout, s.cmd.Stderr = &s.log, &s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	failed := make(chan error)
	starter() <- func() { failed <- s.cmd.Start() }
	if err := <-failed; err != nil {
		return nil, fmt.Errorf("starting %s: %w", p.Name, err)
	}
	s.client = recorder.Client(c.Addr, c.Dial)
	go func() { // ends with the process, which Kill and Stop wait for
		_ = s.cmd.Wait() // it is killed: that is no error
		close(s.ended)
	}()
	return s, nil
}

// nextPort is tried next. Ports of outgoing connections begin above those tried, so none takes the place of a server that was killed.
var nextPort atomic.Int32

// FreePort is a port that nothing listens on.
func FreePort() (string, error) {
	const first, many = 23500, 500
	nextPort.CompareAndSwap(0, int32(os.Getpid()%many)+1)
	for range many {
		port := strconv.Itoa(first + int(nextPort.Add(1))%many)
		if l, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port)); err == nil {
			return port, l.Close()
		}
	}
	return "", errors.New("no free port")
}

// Client is a client of the server, which lives as long.
func (s *Server) Client() *redis.Client { return s.client }

// Ready waits until the server answers and has loaded its data.
func (s *Server) Ready(ctx context.Context) error {
	return s.Until(ctx, "answers", func() (bool, error) { return s.client.Ping(ctx).Err() == nil, nil })
}

// Until waits for a condition of a server that runs. what it does then is for the error.
func (s *Server) Until(ctx context.Context, what string, done func() (bool, error)) error {
	tick := time.NewTicker(3 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-s.ended:
			return fmt.Errorf("waiting until %s %s: it has ended, %v\n%s", s.Name, what, s.cmd.ProcessState, s.Log())
		case <-ctx.Done():
			return fmt.Errorf("waiting until %s %s: %w\n%s", s.Name, what, ctx.Err(), s.Log())
		case <-tick.C:
		}
	}
}

// Info is the value of a line of INFO; empty if there is no such line.
func (s *Server) Info(ctx context.Context, section, name string) (string, error) {
	text, err := s.client.Info(ctx, section).Result()
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), name+":"); ok {
			return value, nil
		}
	}
	return "", nil
}

// InfoInt is Info for a number; 0 if there is no such line.
func (s *Server) InfoInt(ctx context.Context, section, name string) (int64, error) {
	text, err := s.Info(ctx, section, name)
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// Signal sends a signal, SIGSTOP and SIGCONT included.
func (s *Server) Signal(sig syscall.Signal) error { return s.cmd.Process.Signal(sig) }

// Ended is closed when the process has ended.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Kill ends the process as it stands, and waits for its end.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // an error says that it has ended
	<-s.ended
	_ = s.client.Close()
}

// Stop ends the process in order, or kills it after a time.
func (s *Server) Stop() {
	_ = s.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-s.ended:
	case <-time.After(20 * time.Second):
	}
	s.Kill()
}

// Again starts a killed server as it was, with further arguments.
func (s *Server) Again(args ...string) (*Server, error) {
	c := s.Config
	c.Args = append(append([]string(nil), c.Args...), args...)
	return Start(s.Program, c)
}

// Resident is the server's memory in bytes, without files.
func (s *Server) Resident() (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "RssAnon:"); ok {
			kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			return kib << 10, err
		}
	}
	return 0, errors.New("the system does not tell the memory of a process")
}

// Incremental is the path of the file that commands are appended to.
func (s *Server) Incremental() (string, error) {
	files, err := filepath.Glob(filepath.Join(s.Dir, "appendonlydir", "*.incr.aof"))
	if err == nil && len(files) != 1 {
		err = fmt.Errorf("there is not one incremental file: %v", files)
	}
	if err != nil {
		return "", err
	}
	return files[0], nil
}

// Log is the end of what the server printed.
func (s *Server) Log() string { return s.log.String() }

// tail keeps the end of what is written to it.
type tail struct {
	mu   sync.Mutex
	text []byte // guarded by mu
}

const kept = 16 << 10

func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, b...)
	if len(t.text) > 2*kept {
		t.text = append(t.text[:0], t.text[len(t.text)-kept:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return string(t.text)
}

// PID is the process's number.
func (s *Server) PID() int { return s.cmd.Process.Pid }
