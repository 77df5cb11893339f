package node

import (
	"net"
	"time"

	"zset.dev/operator/node/secure"
)

// handshakeTime is how long a client may take for the handshake of TLS.
const handshakeTime = 10 * time.Second

// errPlain is for a client that does not encrypt where it has to.
const errPlain = "-ERR this port speaks TLS; connect with TLS, or to the plain port if there is one\r\n"

// welcomeSecure is welcome for sockets of tls-port. The client counts as one
// from now on, so that maxclients bounds handshakes, too, and whatever closes
// clients closes these; the handshake is for the connection's goroutine, since
// it waits for the client.
func (s *Server) welcomeSecure(socket net.Conn) { s.admit(socket, s.secure.Server(socket)) }

// greet makes the handshake if there is one to make, and reports whether the
// connection goes on.
func (c *connection) greet() bool {
	socket, ok := c.socket.(*secure.Conn)
	if !ok {
		return true
	}
	term := time.Now().Add(handshakeTime)
	c.line.rearm(term)
	socket.SetWriteDeadline(term)
	if err := socket.Handshake(); err != nil {
		c.dismiss(socket, err)
		return false
	}
	socket.SetWriteDeadline(time.Time{})
	c.line.rearm(time.Time{})
	if c.server.refuses(socket) {
		c.server.stats.ConnectionsRejected.Add(1)
		socket.Write([]byte(errProtected))
		return false
	}
	c.identify(socket)
	return true
}

// dismiss ends a connection whose handshake failed.
func (c *connection) dismiss(socket *secure.Conn, err error) {
	if socket.Silent(err) {
		return
	}
	c.server.stats.HandshakesFailed.Add(1)
	c.server.log.Debug("closed a client whose TLS handshake failed", "client", c.client.Addr, "error", err)
	if secure.Plain(err) {
		socket.WritePlain(errPlain)
	}
}

// identify makes the client the user that its certificate names, if it shall
// be and there is one.
func (c *connection) identify(socket *secure.Conn) {
	name := socket.User()
	if name == "" || c.server.config.Values().TLS.AuthClientsUser != "cn" {
		return
	}
	if account := c.server.env.Accounts.Get(name); account != nil && account.User().Enabled() {
		c.client.SetAccount(account)
		c.client.Authenticated, c.client.Known = true, true
	}
}
