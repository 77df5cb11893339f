package link

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// listen listens within a namespace.
func listen(t *testing.T, p *Pair, side int) net.Listener {
	t.Helper()
	result := make(chan net.Listener, 1)
	go func() { // a thread of its own, which ends with the goroutine, as it is never unlocked
		defer close(result)
		fd, err := os.Open("/run/netns/" + p.Namespaces[side])
		if err != nil {
			t.Error(err)
			return
		}
		defer fd.Close()
		runtime.LockOSThread()
		if err := unix.Setns(int(fd.Fd()), unix.CLONE_NEWNET); err != nil {
			t.Error(err)
			return
		}
		l, err := net.Listen("tcp", p.Addrs[side]+":7000")
		if err != nil {
			t.Error(err)
			return
		}
		result <- l
	}()
	l, ok := <-result
	if !ok {
		t.FailNow()
	}
	return l
}

func TestPairLosesSlowsAndCuts(t *testing.T) {
	p, err := NewPair(60)
	if errors.Is(err, ErrUnable) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if left, _ := os.ReadDir("/run/netns"); strings.Contains(join(left), p.Namespaces[0]) {
			t.Errorf("left behind: %v", left)
		}
	}()
	t.Log(p.How())
	l := listen(t, p, 1)
	defer l.Close()
	go func() { // until Close
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(c, c); c.Close() }() // until the other side ends
		}
	}()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	c, err := p.Dial(0)(ctx, "tcp", p.Addrs[1]+":7000")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := make([]byte, 64<<10)
	trip := func() time.Duration {
		began := time.Now()
		if _, err := c.Write(b); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c, b); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	trip()
	bad := Weather{Loss: 0.05, Kbit: 2000}
	if err := p.Set(Weather{}, bad); err != nil {
		t.Fatal(err)
	}
	if took := trip(); took < 100*time.Millisecond { // 32 KiB of them are sent at once, the others at 2 Mbit/s
		t.Errorf("64 KiB each way at 2 Mbit/s: %v", took)
	}
	if err := p.Set(bad, Weather{}); err != nil {
		t.Fatal(err)
	}
	if err := p.Cut(); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(b[:1]); err != nil {
		t.Fatal(err)
	}
	if n, err := c.Read(b); err == nil {
		t.Errorf("%d bytes through a cut cable", n)
	}
	if err := p.Mend(); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, b[:1]); err != nil {
		t.Errorf("after it was mended: %v", err)
	}
}

func join(entries []os.DirEntry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
