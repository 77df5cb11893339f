//go:build linux

package load

import (
	"errors"
	"fmt"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// patience is how long a server may be silent.
const patience = 30 * time.Second

// Conns are connections to one server that one thread drives.
type Conns struct {
	poll   int
	conns  []conn
	events []unix.EpollEvent
}

type conn struct {
	fd      int
	in      []byte // of fixed size
	have    int    // bytes of in that were read and not yet counted
	replies replies
	out     []byte          // a batch of requests, for Closed
	awaited int             // replies to come
	sent    time.Duration   // when the batch was, for Closed
	due     []time.Duration // when the requests under way were to be sent, for Open
}

// replyBuffer is enough for the replies of a batch, which Closed reads at once where it can.
const replyBuffer = 256 << 10

// Dial opens n connections to an address with a numeric host.
func Dial(address string, n int) (_ *Conns, err error) {
	to, err := netip.ParseAddrPort(address)
	if err != nil {
		return nil, err
	}
	c := &Conns{poll: -1, events: make([]unix.EpollEvent, n)}
	defer func() {
		if err != nil {
			c.Close()
			err = fmt.Errorf("connecting to %s: %w", address, err)
		}
	}()
	if c.poll, err = unix.EpollCreate1(unix.EPOLL_CLOEXEC); err != nil {
		return nil, err
	}
	for i := range n {
		fd, err := dial(to)
		if err != nil {
			return nil, err
		}
		c.conns = append(c.conns, conn{fd: fd, in: make([]byte, replyBuffer)})
		if err := unix.EpollCtl(c.poll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(i)}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

func dial(to netip.AddrPort) (int, error) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	err = errors.Join(
		unix.Connect(fd, &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}),
		unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_NODELAY, 1),
		unix.SetNonblock(fd, true))
	if err != nil {
		_ = unix.Close(fd) // the error is told
	}
	return fd, err
}

// Close closes all connections.
func (c *Conns) Close() {
	for _, conn := range c.conns {
		_ = unix.Close(conn.fd) // nothing is lost with it
	}
	if c.poll >= 0 {
		_ = unix.Close(c.poll)
	}
}

// wait gives the connections that can be read, none after the timeout.
func (c *Conns) wait(timeout time.Duration) ([]unix.EpollEvent, error) {
	n, err := unix.EpollWait(c.poll, c.events, int(timeout.Milliseconds()))
	if err == unix.EINTR {
		return nil, nil
	}
	return c.events[:max(n, 0)], err
}

// The plain calls would tell Go's scheduler of each; these never block.

func (c *conn) write(b []byte) error {
	for len(b) > 0 {
		n, _, errno := syscall.RawSyscall(unix.SYS_WRITE, uintptr(c.fd), uintptr(unsafe.Pointer(&b[0])), uintptr(len(b)))
		switch errno {
		case 0:
			b = b[n:]
		case unix.EINTR:
		case unix.EAGAIN: // the server does not keep up
			ready, err := unix.Poll([]unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLOUT}}, int(patience.Milliseconds()))
			if err != nil && err != unix.EINTR {
				return err
			}
			if ready == 0 && err == nil {
				return fmt.Errorf("the server has read nothing for %v", patience)
			}
		default:
			return fmt.Errorf("writing: %w", errno)
		}
	}
	return nil
}

// read counts the replies that have come.
func (c *conn) read() (complete int, err error) {
	if c.have == len(c.in) {
		return 0, fmt.Errorf("a reply of more than %d bytes", len(c.in))
	}
	n, _, errno := syscall.RawSyscall(unix.SYS_READ, uintptr(c.fd), uintptr(unsafe.Pointer(&c.in[c.have])), uintptr(len(c.in)-c.have))
	switch {
	case errno == unix.EAGAIN || errno == unix.EINTR:
		return 0, nil
	case errno != 0:
		return 0, fmt.Errorf("reading: %w", errno)
	case n == 0:
		return 0, errors.New("the server has closed a connection")
	}
	c.have += int(n)
	used, complete, err := c.replies.count(c.in[:c.have])
	c.have = copy(c.in, c.in[used:c.have])
	return complete, err
}
