package direct

import (
	"io"
	"net"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// session is one Serve of a connection. What happens in it happens inside one raw read of the socket, so that Go's poller does
// not forget in between that something came: then a read that has taken all there was can be followed by waiting, without
// another read that finds nothing.
type session struct {
	conn   *conn
	reader Reader

	header  unix.Msghdr
	vector  unix.Iovec
	control [unix.SizeofCmsghdr + 8]byte
}

// serve is Serve. It reports false, and does nothing, where the system cannot tell how much is left after a read.
func serve(socket net.Conn, r Reader) bool {
	c, ok := socket.(*conn)
	if !ok {
		return false
	}
	supported := false
	if err := c.raw.Control(func(fd uintptr) {
		supported = unix.SetsockoptInt(int(fd), unix.SOL_TCP, unix.TCP_INQ, 1) == nil
	}); err != nil || !supported {
		return false
	}
	c.mu.Lock()
	c.serving = true
	c.mu.Unlock()
	s := &session{conn: c, reader: r}
	s.header.Iov, s.header.Control = &s.vector, &s.control[0]
	s.header.SetIovlen(1)
	turn := s.turn
	for {
		err := c.raw.Read(turn)
		if err == nil {
			break // the reader has enough
		}
		shut := c.shut()
		if shut {
			err = net.ErrClosed
		}
		if !r.Received(0, err) || shut {
			break
		}
	}
	c.mu.Lock()
	c.serving = false
	c.mu.Unlock()
	if c.shut() {
		c.TCPConn.Close()
	}
	return true
}

// shut reports whether Close was called while Serve was under way.
func (c *conn) shut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}

// turn reads until nothing is left, and hands on what it reads. It reports whether that is the end of it, false is to wait.
func (s *session) turn(fd uintptr) (done bool) {
	for {
		n, left, errno := s.receive(fd, s.reader.Space())
		var err error
		switch {
		case errno == syscall.EAGAIN:
			return false
		case errno != 0:
			err = os.NewSyscallError("socket", errno)
		case n == 0:
			err = io.EOF
		}
		if err != nil && s.conn.shut() {
			err = net.ErrClosed
		}
		if !s.reader.Received(n, err) || err == net.ErrClosed {
			return true
		}
		if err == nil && left == 0 {
			return false
		}
	}
}

// receive reads into b, which is not empty, and tells whether more is left: bytes, or that the peer has closed its side.
func (s *session) receive(fd uintptr, b []byte) (n, left int, errno syscall.Errno) {
	s.vector.SetLen(len(b))
	for {
		s.vector.Base = &b[0]
		s.header.SetControllen(len(s.control))
		r, _, errno := syscall.RawSyscall(unix.SYS_RECVMSG, fd, uintptr(unsafe.Pointer(&s.header)), 0)
		s.vector.Base = nil
		switch errno {
		case 0:
			return int(r), s.left(), 0
		case syscall.EINTR:
		default:
			return 0, 0, errno
		}
	}
}

// left is how much the system says is left, 1 if it does not.
func (s *session) left() int {
	h := (*unix.Cmsghdr)(unsafe.Pointer(&s.control[0]))
	if s.header.Controllen < unix.SizeofCmsghdr+4 || h.Level != unix.SOL_TCP || h.Type != unix.TCP_CM_INQ {
		return 1
	}
	return int(*(*int32)(unsafe.Pointer(&s.control[unix.SizeofCmsghdr])))
}
