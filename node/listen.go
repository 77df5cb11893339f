package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/direct"
	"zset.dev/operator/node/secure"
)

// listenAll listens on each address at port, which 0 lets the system choose:
// then all addresses share the choice. What was opened is closed on error.
func listenAll(listen func(network, address string) (net.Listener, error), addresses []string, port int, directive string) (all []net.Listener, err error) {
	defer func() {
		if err != nil {
			for _, l := range all {
				l.Close()
			}
			all = nil
		}
	}()
	for _, text := range addresses {
		a := config.ParseBind(text)
		l, err := listen(a.Network, net.JoinHostPort(a.Host, strconv.Itoa(port)))
		switch {
		case err == nil:
			all = append(all, l)
			if port == 0 {
				port = l.Addr().(*net.TCPAddr).Port
			}
		case a.Optional && absent(err):
		case errors.Is(err, syscall.EADDRINUSE):
			return all, fmt.Errorf("port %d is in use on %q: another server is running there; choose another with --%s", port, text, directive)
		default:
			return all, fmt.Errorf("cannot listen on %q port %d: %w", text, port, err)
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("none of the addresses %q exists on this machine", addresses)
	}
	return all, nil
}

// absent reports whether a listen failed because this machine has no such
// address.
func absent(err error) bool {
	return errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT) || errors.Is(err, syscall.EPROTONOSUPPORT)
}

// accept takes connections from l until it is closed.
func (s *Server) accept(l net.Listener, welcome func(net.Conn)) {
	for {
		socket, err := l.Accept()
		switch {
		case err == nil:
			welcome(socket)
		case errors.Is(err, net.ErrClosed):
			return
		default:
			// Out of file descriptors, most likely: no reason to stop, nor
			// to spin.
			s.log.Error("cannot accept a connection", "error", err)
			select {
			case <-time.After(100 * time.Millisecond):
			case <-s.stopping:
			}
		}
	}
}

const (
	errMaxClients = "-ERR max number of clients reached\r\n"
	errProtected  = "-DENIED this server runs in protected mode: it has no password, so it serves only clients on its own machine. " +
		"To serve others, set a password (requirepass), or, if the network itself keeps strangers out, turn protected-mode off.\r\n"
)

// welcome starts to serve a socket, or turns it away.
func (s *Server) welcome(socket net.Conn) {
	if s.refuses(socket) {
		s.turnAway(socket, errProtected)
		return
	}
	s.admit(socket, direct.New(socket))
}

// refuses reports whether protected mode keeps that client out.
func (s *Server) refuses(socket net.Conn) bool {
	return s.config.Values().ProtectedMode && s.env.Accounts.Default().User().NoPass() && !local(socket.RemoteAddr())
}

// admit starts to serve a socket, unless there are too many. What is read and
// written is socket; raw is what is below it.
func (s *Server) admit(raw, socket net.Conn) {
	values := s.config.Values()
	now := s.now()
	l := &line{server: s, socket: socket}
	cl := client.New(s.clients.NextID(), socket.RemoteAddr().String(), socket.LocalAddr().String(), now, l)
	l.client = cl
	cl.SetAccount(s.env.Accounts.Default())
	cl.Authenticated = s.env.Accounts.Open()
	cl.Known = cl.Authenticated
	if !s.clients.Add(cl, values.MaxClients) {
		if _, encrypted := socket.(*secure.Conn); encrypted {
			s.turnAway(raw, "") // to tell it took a handshake
		} else {
			s.turnAway(raw, errMaxClients)
		}
		return
	}
	s.stats.ConnectionsAccepted.Add(1)
	if tcp, ok := raw.(*net.TCPConn); ok {
		// The kernel gives up on a silent peer after about twice the period.
		period := values.TCPKeepalive
		tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: period > 0, Idle: period, Interval: max(period/3, time.Second), Count: 3})
	}
	s.connections.Go(newConnection(l).serve)
	if s.isStopping() {
		// The stop went through the clients before this one was listed.
		cl.Hurry()
	}
}

// turnAway tells why and closes. The text fits any socket buffer, so this
// does not wait.
func (s *Server) turnAway(socket net.Conn, why string) {
	s.stats.ConnectionsRejected.Add(1)
	socket.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
	io.WriteString(socket, why)
	socket.Close()
}

// local reports whether a peer is on this machine.
func local(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// wait waits for done to be closed, no longer than ctx lasts.
func wait(ctx context.Context, done <-chan struct{}) bool {
	select {
	case <-done:
		return true
	case <-ctx.Done():
		return false
	}
}
