package node

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zset.dev/operator/node/config"
)

// patience is how long a test waits for what must come; it is only ever used
// up by a failure.
const patience = time.Minute

// running is a server under test, on ports of its own.
type running struct {
	*Server
	addr string
	log  *syncWriter
	stop func() // ends it and waits; may be called more than once
}

// syncWriter is a log that a test may read while the server writes.
type syncWriter struct {
	mu   sync.Mutex
	text strings.Builder // guarded by mu
}

func (w *syncWriter) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p)
}

func (w *syncWriter) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}

func start(t testing.TB, args ...string) *running { return startWith(t, Options{}, args...) }

func startWith(t testing.TB, o Options, args ...string) *running {
	t.Helper()
	var file []string
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		file, args = args[:1], args[1:]
	}
	settings, err := config.FromArgs(slices.Concat(file, []string{"--port", "0", "--bind", "127.0.0.1", "--http-port", "0", "--dir", t.TempDir()}, args))
	if err != nil {
		t.Fatal(err)
	}
	log := &syncWriter{}
	o.Config, o.Version, o.Log = settings, "test", slog.New(slog.NewTextHandler(log, nil))
	s, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(done)
	}()
	addr := ""
	if a := s.Addr(); a != nil {
		addr = a.String()
	}
	r := &running{Server: s, addr: addr, log: log, stop: func() { cancel(); <-done }}
	t.Cleanup(r.stop)
	eventually(t, "the data are loaded", func() bool { return s.loaded.Load() || s.isStopping() })
	return r
}

// eventually waits until ok, asking again and again.
func eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-tick.C:
		case <-deadline:
			t.Fatalf("waited %v for: %s", patience, what)
		}
	}
}

// wire is a client that sees bytes.
type wire struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

func dial(t testing.TB, addr string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	conn.SetDeadline(time.Now().Add(patience))
	return newWire(t, conn)
}

func newWire(t testing.TB, conn net.Conn) *wire { return &wire{t, conn, bufio.NewReader(conn)} }

// array is a command as clients send it.
func array(args ...string) []byte {
	b := fmt.Appendf(nil, "*%d\r\n", len(args))
	for _, a := range args {
		b = fmt.Appendf(b, "$%d\r\n%s\r\n", len(a), a)
	}
	return b
}

func (w *wire) send(raw string) {
	w.t.Helper()
	if _, err := io.WriteString(w.conn, raw); err != nil {
		w.t.Fatal(err)
	}
}

// do sends a command and returns the bytes of its reply.
func (w *wire) do(args ...string) string {
	w.t.Helper()
	w.send(string(array(args...)))
	return w.reply()
}

// expect sends a command and checks the bytes of its reply.
func (w *wire) expect(want string, args ...string) {
	w.t.Helper()
	if got := w.do(args...); got != want {
		w.t.Fatalf("%q: got %q, want %q", args, got, want)
	}
}

// reply reads one reply, whatever its type.
func (w *wire) reply() string {
	w.t.Helper()
	text, err := readReply(w.in)
	if err != nil {
		w.t.Fatalf("after %q: %v", text, err)
	}
	return text
}

// rest reads until the server closes; a reset counts as that.
func (w *wire) rest() string {
	w.t.Helper()
	b, err := io.ReadAll(w.in)
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		w.t.Fatalf("the connection stays open; read %q", b)
	}
	return string(b)
}

func readReply(in *bufio.Reader) (string, error) {
	line, err := in.ReadString('\n')
	if err != nil {
		return line, err
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch line[0] {
	case '$', '=':
		if n < 0 {
			return line, nil
		}
		body := make([]byte, n+2)
		_, err := io.ReadFull(in, body)
		return line + string(body), err
	case '%':
		n *= 2
	case '*', '~', '>':
	default:
		return line, nil
	}
	for range n {
		element, err := readReply(in)
		line += element
		if err != nil {
			return line, err
		}
	}
	return line, nil
}

// bulk is a string as replies hold it.
func bulk(s string) string { return fmt.Sprintf("$%d\r\n%s\r\n", len(s), s) }

// fakeClock is a clock that a test sets.
type fakeClock struct{ at atomic.Pointer[time.Time] }

func (c *fakeClock) set(t time.Time) { c.at.Store(&t) }
func (c *fakeClock) now() time.Time  { return *c.at.Load() }
