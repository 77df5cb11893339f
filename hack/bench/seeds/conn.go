package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/redcon"
)

// conn is a connection to a server, for one goroutine: commands are sent and then their replies received.
type conn struct {
	net.Conn
	reader *bufio.Reader
	out    []byte
}

// patience is how long a server may take to answer.
const patience = 30 * time.Second

func dial(addr string) (*conn, error) {
	c, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return newConn(c), nil
}

func newConn(c net.Conn) *conn { return &conn{Conn: c, reader: bufio.NewReaderSize(c, 64<<10)} }

func (c *conn) close() { _ = c.Conn.Close() } // nothing is lost with it

// send queues a command.
func (c *conn) send(args ...string) {
	c.out = redcon.AppendArray(c.out, len(args))
	for _, a := range args {
		c.out = redcon.AppendBulkString(c.out, a)
	}
}

// flush sends what is queued.
func (c *conn) flush() error {
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	_, err := c.Write(c.out)
	c.out = c.out[:0]
	return err
}

// receive sends what is queued and reads n replies, none of which may be an error.
func (c *conn) receive(n int) error {
	if err := c.flush(); err != nil {
		return err
	}
	for range n {
		if _, err := c.reply(); err != nil {
			return err
		}
	}
	return nil
}

// reply reads one reply that is not an array.
func (c *conn) reply() (string, error) {
	line, err := c.reader.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return "", fmt.Errorf("an empty reply")
	}
	switch kind, text := line[0], line[1:]; kind {
	case '+', ':', ',':
		return text, nil
	case '-':
		return "", fmt.Errorf("the server answers %q", text)
	case '$':
		n, err := strconv.Atoi(text)
		if err != nil || n < 0 {
			return "", err
		}
		b := make([]byte, n+2)
		if _, err := io.ReadFull(c.reader, b); err != nil {
			return "", err
		}
		return string(b[:n]), nil
	}
	return "", fmt.Errorf("an unexpected reply %q", line)
}

func (c *conn) ask(args ...string) (string, error) {
	c.send(args...)
	if err := c.flush(); err != nil {
		return "", err
	}
	return c.reply()
}

func (c *conn) integer(args ...string) (int, error) {
	text, err := c.ask(args...)
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(text)
}

// usedMemory is the server's used_memory in bytes.
func (c *conn) usedMemory() (int, error) {
	info, err := c.ask("INFO", "memory")
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(info) {
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "used_memory:"); ok {
			return strconv.Atoi(text)
		}
	}
	return 0, fmt.Errorf("the server does not tell used_memory")
}
