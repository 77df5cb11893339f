package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// bounds of what a server may take
const (
	startLimit = 10 * time.Second
	stopLimit  = 5 * time.Second
)

// host starts servers and knows which of them run. One goroutine uses it.
type host struct {
	command []string    // what starts a server; the path of its configuration file is added
	peer    bool        // it is a real server: it takes every directive
	cwd     string      // root of the suite
	assets  string      // folder of the suite with configuration files
	base    []directive // what every server gets
	dir     string      // a folder per server is made in it
	servers []*server
}

// server is one process.
type server struct {
	port    int
	dir     string
	log     string
	refused []string // directives it was to have, but which the node does not know
	args    []string
	cmd     *exec.Cmd
	ended   chan struct{} // closed when the process has ended
}

func (s *server) pid() int { return s.cmd.Process.Pid }

// crashed says whether the process ended as a Go program does that panics. How
// else it ends is for the tests to say: some stop their server.
func (s *server) crashed() bool {
	select {
	case <-s.ended:
		return s.cmd.ProcessState.ExitCode() == 2
	default:
		return false
	}
}

// start makes a server with the base directives and those of extra, and waits
// until it answers.
func (h *host) start(ctx context.Context, extra []directive) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(h.dir, "server-")
	if err != nil {
		return nil, err
	}
	s := &server{port: port, dir: dir, log: filepath.Join(dir, "stdout")}
	wanted, extra, args, err := h.blend(extra)
	if err != nil {
		return nil, err
	}
	if !h.peer {
		wanted, _ = knownToNode(wanted)
		extra, s.refused = knownToNode(extra)
		wanted = append(wanted, directive{"http-port", "0"})
	}
	wanted = append(wanted, directive{"port", fmt.Sprint(port)}, directive{"dir", dir})
	wanted = slices.DeleteFunc(wanted, func(b directive) bool {
		return slices.ContainsFunc(extra, func(d directive) bool { return d.name == b.name })
	})
	wanted = append(wanted, extra...)
	var text strings.Builder
	for _, d := range wanted {
		text.WriteString(d.line() + "\n")
	}
	file := filepath.Join(dir, "node.conf")
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		return nil, err
	}
	s.args = slices.Concat(h.command, []string{file}, args)
	if err := h.launch(ctx, s, true); err != nil {
		return nil, err
	}
	h.servers = append(h.servers, s)
	return s, nil
}

// Names of what a block asks for beside directives: another file than
// default.conf to start from, directives of it to leave out, and flags.
const (
	askBase = "(base)"
	askOmit = "(omit)"
	askArgs = "(args)" // a word for the command line
)

// blend is what a server starts from, and the directives its block adds.
func (h *host) blend(asked []directive) (base, extra []directive, args []string, err error) {
	base = append([]directive{{"bind", "127.0.0.1"}}, h.base...)
	for _, d := range asked {
		switch d.name {
		case askBase:
			if base, err = readDirectives(filepath.Join(h.assets, d.value)); err != nil {
				return nil, nil, nil, err
			}
		case askOmit:
			for _, name := range strings.Fields(d.value) {
				base = slices.DeleteFunc(base, func(b directive) bool { return b.name == name })
			}
		case askArgs:
			args = append(args, d.value)
		default:
			extra = append(extra, d)
		}
	}
	return base, extra, args, nil
}

// launch starts the process of s and waits until it answers; when ready, with
// more than that it is loading its data.
func (h *host) launch(ctx context.Context, s *server, ready bool) error {
	log, err := os.OpenFile(s.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = h.cwd, log, log // a relative path in a test is meant from there
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }() // ends with the process, which stopAll ends
	s.cmd, s.ended = cmd, ended
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	for !answers(s.port, ready) {
		select {
		case <-ended:
			return fmt.Errorf("the server ended: %s", s.lastWords())
		case <-ctx.Done():
			s.stop()
			return fmt.Errorf("the server did not answer: %s", s.lastWords())
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil
}

// stop ends the process: politely, then by force.
func (s *server) stop() {
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		s.cmd.Process.Signal(sig)
		s.cmd.Process.Signal(syscall.SIGCONT)
		select {
		case <-s.ended:
			return
		case <-time.After(stopLimit):
		}
	}
}

// fallen is a server that has crashed; nil when there is none.
func (h *host) fallen() *server {
	for _, s := range h.servers {
		if s.crashed() {
			return s
		}
	}
	return nil
}

func (h *host) find(pid string) *server {
	for _, s := range h.servers {
		if fmt.Sprint(s.pid()) == pid {
			return s
		}
	}
	return nil
}

// stopAll ends every server that was started and forgets them.
func (h *host) stopAll() {
	for _, s := range h.servers {
		s.stop()
	}
	h.servers = nil
}

// lastWords is the end of the log.
func (s *server) lastWords() string {
	text, _ := os.ReadFile(s.log)
	text = bytes.TrimSpace(text)
	if i := bytes.Index(text, []byte("panic:")); i >= 0 {
		return string(text[i:min(len(text), i+1500)])
	}
	return string(text[max(0, len(text)-600):])
}

// freePort is a port of the loopback that nobody listened on a moment ago.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// answers asks the server on port for a PING; an error reply is an answer.
func answers(port int, ready bool) bool {
	reply := ask(port, "PING")
	return reply != "" && !(ready && strings.HasPrefix(reply, "-LOADING"))
}

// ask sends one inline command and returns the first line of the reply; empty
// when there is none within a second.
func ask(port int, command string) string {
	c, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", port), time.Second)
	if err != nil {
		return ""
	}
	defer c.Close()
	c.SetDeadline(time.Now().Add(time.Second))
	fmt.Fprintf(c, "%s\r\n", command)
	buf := make([]byte, 512)
	n, _ := c.Read(buf)
	line, _, _ := strings.Cut(string(buf[:n]), "\r\n")
	return line
}
