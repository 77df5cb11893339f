package direct

import (
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// conn is a TCP connection, which one goroutine reads and one writes.
type conn struct {
	*net.TCPConn
	raw     syscall.RawConn
	in, out way

	mu      sync.Mutex
	serving bool // Serve is under way; guarded by mu
	closed  bool // meanwhile; guarded by mu
}

// way is one of a connection's two directions, owned by the goroutine that goes it.
type way struct {
	try   func(fd uintptr) bool // a method as a value, made once, and what it works on:
	buf   []byte                // still to be filled, or sent
	done  int                   // bytes read or written
	errno syscall.Errno
}

// New is the socket itself, faster, if that can be. One goroutine at a time
// may read it and one write it; the other methods may be called by any.
func New(socket net.Conn) net.Conn {
	tcp, ok := socket.(*net.TCPConn)
	if !ok {
		return socket
	}
	raw, err := tcp.SyscallConn()
	if err != nil {
		return socket
	}
	c := &conn{TCPConn: tcp, raw: raw}
	c.in.try, c.out.try = c.in.readSome, c.out.writeAll
	return c
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := c.in.do(c.raw.Read, b)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Close implements net.Conn. While Serve reads, the system would wait for it with a close: so the connection is shut down,
// both ways, and closed by Serve.
func (c *conn) Close() error {
	c.mu.Lock()
	serving := c.serving
	c.closed = c.closed || serving
	c.mu.Unlock()
	if !serving {
		return c.TCPConn.Close()
	}
	var err error
	if controlled := c.raw.Control(func(fd uintptr) { err = unix.Shutdown(int(fd), unix.SHUT_RDWR) }); controlled != nil {
		return controlled
	}
	c.SetDeadline(time.Unix(1, 0)) // who waits to write, too, looks again
	return err
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (int, error) {
	return c.out.do(c.raw.Write, b)
}

func (w *way) do(when func(func(uintptr) bool) error, b []byte) (int, error) {
	w.buf, w.done, w.errno = b, 0, 0
	err := when(w.try)
	w.buf = nil
	if err == nil && w.errno != 0 {
		err = os.NewSyscallError("socket", w.errno)
	}
	return w.done, err
}

// readSome reads what there is. It reports false when that is nothing yet.
func (w *way) readSome(fd uintptr) (done bool) {
	n, errno := transfer(syscall.SYS_READ, fd, w.buf)
	if errno == syscall.EAGAIN {
		return false
	}
	w.done, w.errno = n, errno
	return true
}

// writeAll writes as much as fits. It reports false when something is left.
func (w *way) writeAll(fd uintptr) (done bool) {
	for len(w.buf) > 0 {
		n, errno := transfer(syscall.SYS_WRITE, fd, w.buf)
		w.done += n
		w.buf = w.buf[n:]
		switch errno {
		case 0:
		case syscall.EAGAIN:
			return false
		default:
			w.errno = errno
			return true
		}
	}
	return true
}

// transfer reads into b, or writes it; b is not empty.
func transfer(trap, fd uintptr, b []byte) (n int, errno syscall.Errno) {
	for {
		r, _, errno := syscall.RawSyscall(trap, fd, uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			return int(r), 0
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}
