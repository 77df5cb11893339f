package node

import (
	"net"
	"sync"
	"syscall"
	"testing"
)

// recording is a listener that remembers what it accepted.
type recording struct {
	net.Listener
	mu       sync.Mutex
	accepted []net.Conn // guarded by mu
}

func (l *recording) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	l.mu.Lock()
	defer l.mu.Unlock()
	if err == nil {
		l.accepted = append(l.accepted, c)
	}
	return c, err
}

// Clients are probed after the configured silence; those that come after a
// change of it, after the new one.
func TestTCPKeepalive(t *testing.T) {
	var l *recording
	s := startWith(t, Options{Listen: func(network, address string) (net.Listener, error) {
		inner, err := net.Listen(network, address)
		l = &recording{Listener: inner}
		return l, err
	}}, "--tcp-keepalive", "77")
	option := func(level, name int) (value int) {
		l.mu.Lock()
		defer l.mu.Unlock()
		raw, err := l.accepted[len(l.accepted)-1].(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		raw.Control(func(fd uintptr) { value, err = syscall.GetsockoptInt(int(fd), level, name) })
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	w := dial(t, s.addr)
	w.expect(pong, "PING")
	if on, idle := option(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE), option(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE); on == 0 || idle != 77 {
		t.Errorf("probes: %d, after %d s", on, idle)
	}
	w.expect("+OK\r\n", "CONFIG", "SET", "tcp-keepalive", "0")
	dial(t, s.addr).expect(pong, "PING")
	if on := option(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE); on != 0 {
		t.Error("probes, though they are off")
	}
}
