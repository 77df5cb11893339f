package resp

import (
	"bufio"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// peerAddresses names running servers to compare with, as in
//
//	RESP_PEERS=127.0.0.1:7001,127.0.0.1:7002 go test ./node/resp -run Peer -v
//
// The tests write to keys of their own there and delete them.
const peerAddresses = "RESP_PEERS"

func eachPeer(t *testing.T, f func(t *testing.T, p *peer)) {
	list := os.Getenv(peerAddresses)
	if list == "" {
		t.Skipf("set %s=host:port,... to compare with running servers", peerAddresses)
	}
	for _, address := range strings.Split(list, ",") {
		t.Run(address, func(t *testing.T) {
			conn, err := net.DialTimeout("tcp", address, 5*time.Second)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			f(t, &peer{t: t, conn: conn, in: bufio.NewReader(conn)})
		})
	}
}

// peer is a connection to a real server.
type peer struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// do sends one command and returns the raw reply.
func (p *peer) do(args ...string) string {
	p.t.Helper()
	var w Writer
	w.Array(len(args))
	for _, a := range args {
		w.BulkString(a)
	}
	if err := p.conn.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		p.t.Fatal(err)
	}
	if _, err := p.conn.Write(w.Bytes()); err != nil {
		p.t.Fatal(err)
	}
	var reply strings.Builder
	p.read(&reply)
	return reply.String()
}

// read copies one whole reply.
func (p *peer) read(to *strings.Builder) {
	p.t.Helper()
	line, err := p.in.ReadString('\n')
	if err != nil {
		p.t.Fatal(err)
	}
	to.WriteString(line)
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch line[0] {
	case '$':
		if n >= 0 {
			b := make([]byte, n+2)
			if _, err := io.ReadFull(p.in, b); err != nil {
				p.t.Fatal(err)
			}
			to.Write(b)
		}
	case '%':
		n *= 2
		fallthrough
	case '*':
		for range n {
			p.read(to)
		}
	}
}
