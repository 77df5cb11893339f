package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

const patience = time.Minute

// TestMain lets the test binary be the program itself, so that its signals
// and exit codes are tested for real.
func TestMain(m *testing.M) {
	if os.Getenv("NODE_UNDER_TEST") != "" {
		version = "v1.2.3"
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// process is the program, running.
type process struct {
	*exec.Cmd
	stdout        *bufio.Reader
	stderr        bytes.Buffer
	address, http string
}

var ready = regexp.MustCompile(`msg="ready to accept connections" version=v1\.2\.3 address=(\S+) http=(\S+) pid=(\d+) `)

func launch(t *testing.T, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), "NODE_UNDER_TEST=1")
	p.Stderr = &p.stderr
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.stdout = bufio.NewReader(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	line, err := p.stdout.ReadString('\n')
	found := ready.FindStringSubmatch(line)
	if found == nil {
		t.Fatalf("the first line is %q, %v; stderr %q", line, err, p.stderr.String())
	}
	if found[3] != fmt.Sprint(p.Process.Pid) {
		t.Errorf("tells pid %s, is %d", found[3], p.Process.Pid)
	}
	p.address, p.http = found[1], found[2]
	return p
}

// end waits for the program and returns its exit code, and what it printed.
func (p *process) end(t *testing.T) (code int, out string) {
	t.Helper()
	kill := time.AfterFunc(patience, func() { p.Process.Kill() })
	defer kill.Stop()
	text, _ := io.ReadAll(p.stdout)
	p.Wait()
	return p.ProcessState.ExitCode(), string(text)
}

func connect(t *testing.T, address string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return conn
}

func TestTerminate(t *testing.T) {
	port := freePort(t)
	p := launch(t, "--port", "0", "--bind", "127.0.0.1", "--http-port", port)
	response, err := http.Get("http://" + p.http + "/livez")
	if err != nil || response.StatusCode != 200 {
		t.Errorf("/livez: %v, %v", response, err)
	}
	conn := connect(t, p.address)
	const commands = 500
	fmt.Fprint(conn, "PING\r\n")
	io.ReadFull(conn, make([]byte, len("+PONG\r\n")))
	fmt.Fprint(conn, strings.Repeat("ZINCRBY k 1 m\r\n", commands))
	p.Process.Signal(syscall.SIGTERM)
	text, err := io.ReadAll(conn)
	if n := bytes.Count(text, []byte("\r\n")); n != 2*commands || err != nil {
		t.Errorf("answered %d of %d commands sent before the signal: %v", n/2, commands, err)
	}
	code, out := p.end(t)
	if code != 0 || !strings.Contains(out, "msg=stopped") {
		t.Errorf("ended with %d: %s%s", code, out, p.stderr.String())
	}
}

func TestSecondSignalEndsAtOnce(t *testing.T) {
	p := launch(t, "--port", "0", "--bind", "127.0.0.1", "--http-port", "0", "--shutdown-timeout", "600")
	conn := connect(t, p.address)
	fmt.Fprint(conn, "ZADD k 1 "+strings.Repeat("m", 60000)+"\r\n")
	io.ReadFull(conn, make([]byte, len(":1\r\n")))
	// More replies than the kernel holds, never read.
	go fmt.Fprint(conn, strings.Repeat("ZRANGE k 0 -1\r\n", 2000))
	other := connect(t, p.address)
	eventually(t, "the write is stuck", func() bool {
		fmt.Fprint(other, "CLIENT LIST\r\n")
		buffer := make([]byte, 4096)
		n, err := other.Read(buffer)
		return err == nil && regexp.MustCompile(` obl=[1-9]`).Match(buffer[:n])
	})
	p.Process.Signal(syscall.SIGTERM)
	line, _ := p.stdout.ReadString('\n')
	if !strings.Contains(line, "msg=stopping") {
		t.Fatalf("after the first signal: %q", line)
	}
	// The handler is taken off right after the stop begins.
	eventually(t, "the second signal works", func() bool {
		p.Process.Signal(syscall.SIGTERM)
		var status syscall.WaitStatus
		pid, _ := syscall.Wait4(p.Process.Pid, &status, syscall.WNOHANG, nil)
		return pid == p.Process.Pid && status.Signaled() && status.Signal() == syscall.SIGTERM
	})
}

func TestPortInUse(t *testing.T) {
	p := launch(t, "--port", "0", "--bind", "127.0.0.1", "--http-port", "0")
	_, port, _ := net.SplitHostPort(p.address)
	var out, errors bytes.Buffer
	if code := run([]string{"--port", port, "--bind", "127.0.0.1", "--http-port", "0"}, &out, &errors); code != 1 {
		t.Errorf("ended with %d", code)
	}
	if text := errors.String(); !strings.HasPrefix(text, "node: port "+port+" is in use") || strings.Count(text, "\n") != 1 {
		t.Errorf("said %q", text)
	}
	p.Process.Signal(os.Interrupt)
	if code, _ := p.end(t); code != 0 {
		t.Errorf("SIGINT ended it with %d", code)
	}
}

func TestArguments(t *testing.T) {
	for _, c := range []struct {
		args        []string
		code        int
		out, errors string
	}{
		{[]string{"--help"}, 0, "--zset-skiplist-p", ""},
		{[]string{"--version"}, 0, "node dev", ""},
		{[]string{"--nosuch", "1"}, 2, "", "nosuch"},
		{[]string{"--port", "x"}, 2, "", "port"},
		{[]string{filepath.Join(t.TempDir(), "missing.conf")}, 2, "", "missing.conf"},
		{[]string{"--logfile", filepath.Join(t.TempDir(), "no", "such", "folder")}, 1, "", "log file"},
	} {
		var out, errors bytes.Buffer
		if code := run(c.args, &out, &errors); code != c.code || !strings.Contains(out.String(), c.out) || !strings.Contains(errors.String(), c.errors) {
			t.Errorf("%q: %d, %q, %q", c.args, code, out.String(), errors.String())
		}
	}
}

// The log goes to a file when asked, at a level that can be changed.
func TestLogFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "node.log")
	p := &process{Cmd: exec.Command(os.Args[0], "--port", "0", "--bind", "127.0.0.1", "--http-port", "0", "--logfile", file, "--loglevel", "debug")}
	p.Env = append(os.Environ(), "NODE_UNDER_TEST=1")
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill(); p.Wait() })
	var address string
	eventually(t, "the log has the address", func() bool {
		text, _ := os.ReadFile(file)
		found := ready.FindSubmatch(text)
		if found != nil {
			address = string(found[1])
		}
		return found != nil
	})
	protocolErrors := func() int {
		text, _ := os.ReadFile(file)
		return bytes.Count(text, []byte("protocol error"))
	}
	offend := func() {
		conn := connect(t, address)
		fmt.Fprint(conn, "*x\r\n")
		io.ReadAll(conn)
	}
	offend()
	eventually(t, "the debug message", func() bool { return protocolErrors() == 1 })
	conn := connect(t, address)
	fmt.Fprint(conn, "CONFIG SET loglevel warning\r\n")
	io.ReadFull(conn, make([]byte, len("+OK\r\n")))
	offend() // logged before the connection is closed, if at all
	if n := protocolErrors(); n != 1 {
		t.Errorf("%d debug messages after the level was raised, want 1", n)
	}
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}
