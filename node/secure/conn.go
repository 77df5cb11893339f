package secure

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
)

// Conn is the server's side of an encrypted connection. As with any, one
// goroutine reads and writes; others may set deadlines and Close.
type Conn struct {
	*tls.Conn
	wire    *wire
	closing bool // CloseWrite was called; of the goroutine that reads and writes
}

// Server makes an encrypted connection of a socket, by the Material in use.
// The handshake comes with Handshake or the first Read.
func (k *Keeper) Server(socket net.Conn) *Conn {
	w := &wire{Conn: socket, slots: k.slots}
	return &Conn{Conn: tls.Server(w, k.current.Load().config), wire: w}
}

// Handshake makes the handshake. Whoever calls it has set deadlines.
func (c *Conn) Handshake() error {
	err := c.Conn.Handshake()
	c.wire.release()
	return err
}

// Plain reports whether a handshake failed since the client does not speak
// TLS. It may be told so in plain text, by WritePlain.
func Plain(err error) bool {
	var header tls.RecordHeaderError
	return errors.As(err, &header) && header.Conn != nil
}

// Silent reports whether a handshake failed since the client left without a
// word, as probes of a port do.
func (c *Conn) Silent(err error) bool { return errors.Is(err, io.EOF) && !c.wire.heard }

// WritePlain writes text that is not encrypted.
func (c *Conn) WritePlain(text string) { io.WriteString(c.wire.Conn, text) }

// User is the common name in the client's certificate, which was verified;
// "" when there is none.
func (c *Conn) User() string {
	if chains := c.ConnectionState().VerifiedChains; len(chains) > 0 {
		return chains[0][0].Subject.CommonName
	}
	return ""
}

// Close closes the socket at once. crypto/tls's would tell the client first,
// and wait for a client that takes nothing; that is what CloseWrite is for.
func (c *Conn) Close() error { return c.wire.Conn.Close() }

// CloseWrite tells the client that nothing more comes. What it still sends is
// read as it is, to be thrown away.
func (c *Conn) CloseWrite() error {
	c.closing = true
	c.Conn.CloseWrite() // fails before the end of the handshake, when there is nothing to tell
	if half, ok := c.wire.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *Conn) Read(b []byte) (int, error) {
	if c.closing {
		return c.wire.Conn.Read(b)
	}
	return c.Conn.Read(b)
}

// wire is the socket below a connection. It bounds how many handshakes compute
// at once, since many clients that come back together would else keep all
// processors from the clients there are. A slot is taken when a client has said
// hello and given back before the answer is sent, so that a client that sends
// or takes nothing holds none. Its fields belong to the goroutine that makes
// the handshake.
type wire struct {
	net.Conn
	slots chan struct{}
	heard bool // the client has said hello
	holds bool // a slot
}

// heard is for tls.Config.GetConfigForClient.
func heard(hello *tls.ClientHelloInfo) (*tls.Config, error) {
	w := hello.Conn.(*wire)
	w.heard = true
	if !w.holds {
		w.slots <- struct{}{}
		w.holds = true
	}
	return nil, nil // go on with the same
}

func (w *wire) release() {
	if w.holds {
		w.holds = false
		<-w.slots
	}
}

func (w *wire) Read(b []byte) (int, error) {
	w.release()
	return w.Conn.Read(b)
}

func (w *wire) Write(b []byte) (int, error) {
	w.release()
	return w.Conn.Write(b)
}
