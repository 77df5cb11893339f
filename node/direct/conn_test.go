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

// pair is both ends of a connection, the first of them by New.
func pair(t *testing.T) (direct, peer net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	peer, err = net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	socket, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	direct = New(socket)
	t.Cleanup(func() { direct.Close(); peer.Close() })
	return direct, peer
}

func TestEverythingArrives(t *testing.T) {
	direct, peer := pair(t)
	sent := make([]byte, 16<<20) // more than sockets hold, so that who writes has to wait
	rand.Read(sent)
	write := func(c net.Conn, result chan<- error) {
		_, err := c.Write(sent)
		c.(interface{ CloseWrite() error }).CloseWrite()
		result <- err
	}
	for _, c := range []struct{ from, to net.Conn }{{direct, peer}, {peer, direct}} {
		wrote := make(chan error, 1)
		go write(c.from, wrote)
		got, err := io.ReadAll(c.to)
		if err != nil || !bytes.Equal(got, sent) {
			t.Errorf("got %d bytes of %d, error %v", len(got), len(sent), err)
		}
		if err := <-wrote; err != nil {
			t.Error(err)
		}
	}
}

func TestReadEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(direct, peer net.Conn)
		want error
	}{
		{"when the peer closes", func(_, peer net.Conn) { peer.Close() }, io.EOF},
		{"at its deadline", func(direct, _ net.Conn) { direct.SetReadDeadline(time.Now().Add(time.Millisecond)) }, os.ErrDeadlineExceeded},
		{"at a deadline long ago", func(direct, _ net.Conn) { direct.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		{"when closed", func(direct, _ net.Conn) { direct.Close() }, net.ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			direct, peer := pair(t)
			ended := make(chan error, 1)
			go func() {
				_, err := direct.Read(make([]byte, 1))
				ended <- err
			}()
			c.end(direct, peer)
			if err := <-ended; !errors.Is(err, c.want) {
				t.Errorf("ended with %v, want %v", err, c.want)
			}
		})
	}
}

func TestWriteEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(direct, peer net.Conn)
		want error
	}{
		{"at its deadline", func(direct, _ net.Conn) { direct.SetWriteDeadline(time.Now().Add(time.Millisecond)) }, os.ErrDeadlineExceeded},
		{"when closed", func(direct, _ net.Conn) { direct.Close() }, net.ErrClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			direct, peer := pair(t)
			ended := make(chan error, 1)
			go func() {
				for {
					if n, err := direct.Write(make([]byte, 1<<20)); err != nil {
						if n < 0 || n >= 1<<20 {
							err = errors.New("an error with everything written")
						}
						ended <- err
						return
					}
				}
			}()
			c.end(direct, peer)
			if err := <-ended; !errors.Is(err, c.want) {
				t.Errorf("ended with %v, want %v", err, c.want)
			}
		})
	}
}

func TestNothingIsAllocated(t *testing.T) {
	direct, peer := pair(t)
	go io.Copy(peer, peer)
	buf := make([]byte, 64)
	if n := testing.AllocsPerRun(1000, func() {
		if _, err := direct.Write(buf); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(direct, buf); err != nil {
			t.Fatal(err)
		}
	}); n >= 1 {
		t.Errorf("%v allocations for a write and a read", n)
	}
}
