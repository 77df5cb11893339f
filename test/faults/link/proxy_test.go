package link

import (
	"io"
	"net"
	"testing"
	"time"
)

// echo answers each connection with what it sends.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // until Close
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }() // until the other side ends
		}
	}()
	return l.Addr().String()
}

func TestProxyForwardsDelaysThrottlesFreezesAndCuts(t *testing.T) {
	p, err := NewProxy(echo(t))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := make([]byte, 5)
	trip := func(conn net.Conn) (time.Duration, error) {
		began := time.Now()
		if _, err := conn.Write([]byte("hello")); err != nil {
			return 0, err
		}
		_, err := io.ReadFull(conn, b)
		return time.Since(began), err
	}
	if _, err := trip(c); err != nil || string(b) != "hello" {
		t.Fatalf("%q, %v", b, err)
	}
	if up, down := p.Passed(); up != 5 || down != 5 {
		t.Errorf("%d and %d bytes passed", up, down)
	}
	p.Slow(30*time.Millisecond, 0)
	if took, err := trip(c); err != nil || took < 60*time.Millisecond {
		t.Errorf("delayed by 30 ms each way: %v, %v", took, err)
	}
	p.Slow(0, 100)
	if took, err := trip(c); err != nil || took < 100*time.Millisecond {
		t.Errorf("5 bytes each way at 100 a second: %v, %v", took, err)
	}
	p.Heal()
	p.Freeze()
	if _, err := c.Write([]byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(30 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(b); err == nil {
		t.Errorf("%d bytes came through a frozen link", n)
	}
	p.Heal()
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, b); err != nil {
		t.Errorf("after the frost: %v", err)
	}
	p.Cut()
	if _, err := io.ReadFull(c, b); err == nil {
		t.Error("the connection lives on after a cut")
	}
	refused, err := net.Dial("tcp", p.Addr)
	if err == nil {
		defer refused.Close()
		if _, err := trip(refused); err == nil {
			t.Error("a connection is served while the link is cut")
		}
	}
	p.Heal()
	healed, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer healed.Close()
	if _, err := trip(healed); err != nil {
		t.Errorf("after the cut: %v", err)
	}
}
