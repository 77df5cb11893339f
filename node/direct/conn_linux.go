package direct

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"
)

// conn is a TCP connection, of which one goroutine reads and writes.
type conn struct {
	*net.TCPConn
	raw syscall.RawConn

	// The methods below as values, made once, and what they work on. Owned by
	// the goroutine that reads and writes.
	read, write func(fd uintptr) bool
	buf         []byte // still to be filled, or sent
	done        int    // bytes read or written
	errno       syscall.Errno
}

// New is the socket itself, faster, if that can be. One goroutine at a time
// may read or write it; the other methods may be called by any.
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
	c.read, c.write = c.readSome, c.writeAll
	return c
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	n, err := c.do(c.raw.Read, c.read, b)
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (int, error) {
	return c.do(c.raw.Write, c.write, b)
}

func (c *conn) do(when func(func(uintptr) bool) error, what func(uintptr) bool, b []byte) (int, error) {
	c.buf, c.done, c.errno = b, 0, 0
	err := when(what)
	c.buf = nil
	if err == nil && c.errno != 0 {
		err = os.NewSyscallError("socket", c.errno)
	}
	return c.done, err
}

// readSome reads what there is. It reports false when that is nothing yet.
func (c *conn) readSome(fd uintptr) (done bool) {
	n, errno := transfer(syscall.SYS_READ, fd, c.buf)
	if errno == syscall.EAGAIN {
		return false
	}
	c.done, c.errno = n, errno
	return true
}

// writeAll writes as much as fits. It reports false when something is left.
func (c *conn) writeAll(fd uintptr) (done bool) {
	for len(c.buf) > 0 {
		n, errno := transfer(syscall.SYS_WRITE, fd, c.buf)
		c.done += n
		c.buf = c.buf[n:]
		switch errno {
		case 0:
		case syscall.EAGAIN:
			return false
		default:
			c.errno = errno
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
