package direct

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"
)

// reader is a Reader of functions.
type reader struct {
	buf      []byte
	received func(b []byte, err error) bool
}

func (r *reader) Space() []byte                  { return r.buf }
func (r *reader) Received(n int, err error) bool { return r.received(r.buf[:n], err) }

// served starts Serve of a connection, and tells when it returns.
func served(c net.Conn, received func(b []byte, err error) bool) (returned chan struct{}) {
	returned = make(chan struct{})
	go func() {
		defer close(returned)
		Serve(c, &reader{make([]byte, 512), received})
	}()
	return returned
}

// arrives waits for what is to come from a channel.
func arrives[T any](t *testing.T, what string, from <-chan T) (v T) {
	t.Helper()
	select {
	case v = <-from:
	case <-time.After(30 * time.Second):
		t.Fatalf("waited 30 s for %s", what)
	}
	return v
}

func TestServeReadsEverything(t *testing.T) {
	c, peer := pair(t)
	sent := make([]byte, 1<<20)
	rand.Read(sent)
	go func() {
		for rest := sent; len(rest) > 0; {
			n := min(len(rest), 1+int(rest[0])*int(rest[0])) // in pieces of many sizes, some of exactly what Space has
			if n > 511 && n < 600 {
				n = min(len(rest), 512)
			}
			peer.Write(rest[:n])
			rest = rest[n:]
		}
		peer.(*net.TCPConn).CloseWrite()
	}()
	var got []byte
	ended := make(chan error, 1)
	arrives(t, "Serve", served(c, func(b []byte, err error) bool {
		got = append(got, b...)
		if err != nil {
			ended <- err
		}
		return err == nil
	}))
	if err := <-ended; err != io.EOF || !bytes.Equal(got, sent) {
		t.Errorf("got %d bytes of %d, error %v", len(got), len(sent), err)
	}
}

// A peer that sends its last command and closes its side at once is noticed, though a read that finds nothing is spared:
// whether both came together, as mostly, or not.
func TestServeSeesTheEndThatCameWithData(t *testing.T) {
	for range 200 {
		c, peer := pair(t)
		peer.Write([]byte("last"))
		peer.(*net.TCPConn).CloseWrite()
		ended := make(chan error, 1)
		arrives(t, "Serve", served(c, func(_ []byte, err error) bool {
			if err != nil {
				ended <- err
			}
			return err == nil
		}))
		if err := <-ended; err != io.EOF {
			t.Fatal(err)
		}
	}
}

func TestServeGoesOnAfterADeadline(t *testing.T) {
	c, peer := pair(t)
	c.SetReadDeadline(time.Unix(1, 0))
	news := make(chan string, 8)
	returned := served(c, func(b []byte, err error) bool {
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			c.SetReadDeadline(time.Time{})
			news <- "deadline"
		case err != nil:
			return false
		default:
			news <- string(b)
		}
		return true
	})
	for range 3 {
		if got := arrives(t, "the deadline", news); got != "deadline" {
			t.Fatalf("got %q", got)
		}
		peer.Write([]byte("after"))
		if got := arrives(t, "what was sent after it", news); got != "after" {
			t.Fatalf("got %q", got)
		}
		c.SetReadDeadline(time.Unix(1, 0))
	}
	arrives(t, "the last deadline", news)
	peer.Close()
	arrives(t, "Serve", returned)
}

func TestCloseDoesNotWaitForServe(t *testing.T) {
	for _, when := range []string{"waits", "works", "writes", "closes itself"} {
		t.Run(when, func(t *testing.T) {
			c, peer := pair(t)
			busy, goOn := make(chan struct{}, 8), make(chan struct{})
			var last error
			returned := served(c, func(_ []byte, err error) bool {
				if last = err; err != nil {
					return true // Serve ends all the same
				}
				busy <- struct{}{}
				switch when {
				case "works":
					<-goOn
				case "writes": // until it cannot
					for {
						if _, err := c.Write(make([]byte, 1<<20)); err != nil {
							return true
						}
					}
				case "closes itself":
					c.Close()
				}
				return true
			})
			peer.Write([]byte("command"))
			arrives(t, "the command", busy)
			closed := make(chan struct{})
			go func() {
				c.Close()
				close(closed)
			}()
			arrives(t, "Close", closed)
			if n, err := peer.Read(make([]byte, 1)); when != "writes" && err != io.EOF {
				t.Errorf("the peer reads %d bytes, error %v, before Serve returns", n, err)
			}
			close(goOn)
			arrives(t, "Serve", returned)
			if !errors.Is(last, net.ErrClosed) {
				t.Errorf("the reader was told %v at last", last)
			}
			if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a write after it: %v", err)
			}
		})
	}
}

func TestServeAllocatesNothingForARead(t *testing.T) {
	c, peer := pair(t)
	returned := served(c, func(b []byte, err error) bool {
		if err == nil {
			c.Write(b)
		}
		return err == nil
	})
	buf := make([]byte, 64)
	if n := testing.AllocsPerRun(1000, func() {
		peer.Write(buf)
		if _, err := io.ReadFull(peer, buf); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations for a read and a write", n)
	}
	peer.Close()
	arrives(t, "Serve", returned)
}
