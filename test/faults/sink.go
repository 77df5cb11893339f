//go:build linux

package faults

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
)

// Sink is a replica that keeps nothing: it takes what a primary sends as slowly as its user reads. One goroutine uses it.
type Sink struct {
	Offset int64 // of the log, where the file ends
	conn   net.Conn
	in     *bufio.Reader
}

// DialSink connects and asks for a full sync. dial may be nil.
func DialSink(ctx context.Context, addr string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*Sink, error) {
	return DialSinkAs(ctx, addr, "", dial)
}

// DialSinkAs is DialSink for one that is a node of our kind, of that run id: only such can be in sync.
func DialSinkAs(ctx context.Context, addr, runID string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) (*Sink, error) {
	if dial == nil {
		dial = (&net.Dialer{}).DialContext
	}
	conn, err := dial(ctx, "tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Sink{conn: conn, in: bufio.NewReaderSize(conn, 256<<10)}
	unwatch := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer unwatch()
	commands := []string{"PING", "REPLCONF listening-port 1", "REPLCONF capa eof capa psync2", "PSYNC ? -1"}
	if runID != "" {
		commands = slices.Insert(commands, 3, "REPLCONF zset-epoch 0 run-id "+runID)
	}
	for _, command := range commands {
		answer, err := s.ask(command)
		if err == nil && strings.HasPrefix(answer, "+FULLRESYNC ") {
			words := strings.Fields(answer)
			s.Offset, err = strconv.ParseInt(words[len(words)-1], 10, 64)
		} else if err == nil && (answer[0] != '+' || strings.HasPrefix(command, "PSYNC")) {
			err = fmt.Errorf("%s: %s", command, answer)
		}
		if err != nil {
			return nil, errors.Join(err, conn.Close())
		}
	}
	return s, nil
}

// ask sends a command of words and gives the line that answers it.
func (s *Sink) ask(command string) (string, error) {
	words := strings.Fields(command)
	text := fmt.Appendf(nil, "*%d\r\n", len(words))
	for _, w := range words {
		text = fmt.Appendf(text, "$%d\r\n%s\r\n", len(w), w)
	}
	if _, err := s.conn.Write(text); err != nil {
		return "", err
	}
	return s.line()
}

// line is the next that is not empty: empty ones say that the primary lives.
func (s *Sink) line() (string, error) {
	for {
		line, err := s.in.ReadString('\n')
		if line = strings.TrimSpace(line); err != nil || line != "" {
			return line, err
		}
	}
}

// File reads the file of all data, and gives its length in bytes.
func (s *Sink) File() (n int64, err error) {
	line, err := s.line()
	if err != nil {
		return 0, err
	}
	if mark, ok := strings.CutPrefix(line, "$EOF:"); ok {
		return s.until([]byte(mark))
	}
	size, err := strconv.ParseInt(strings.TrimPrefix(line, "$"), 10, 64)
	if err != nil || line[0] != '$' {
		return 0, fmt.Errorf("not the beginning of a file: %q", line)
	}
	_, err = io.CopyN(io.Discard, s.in, size)
	return size, err
}

// until reads up to a mark and gives the number of bytes before it.
func (s *Sink) until(mark []byte) (n int64, err error) {
	for {
		if _, err := s.in.Peek(len(mark)); err != nil {
			return n, err
		}
		b, _ := s.in.Peek(s.in.Buffered())
		if at := bytes.Index(b, mark); at >= 0 {
			_, err := s.in.Discard(at + len(mark))
			return n + int64(at), err
		}
		passed, _ := s.in.Discard(len(b) - len(mark) + 1) // it is there
		n += int64(passed)
	}
}

// Acknowledge tells the primary that all before an offset has come.
func (s *Sink) Acknowledge(offset int64) error {
	digits := strconv.FormatInt(offset, 10)
	_, err := fmt.Fprintf(s.conn, "*3\r\n$8\r\nREPLCONF\r\n$3\r\nACK\r\n$%d\r\n%s\r\n", len(digits), digits)
	return err
}

// Read reads what comes after the file.
func (s *Sink) Read(b []byte) (int, error) { return s.in.Read(b) }

// Close ends the connection.
func (s *Sink) Close() error { return s.conn.Close() }
