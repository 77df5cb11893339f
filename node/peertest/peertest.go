// Package peertest starts real servers of the ecosystem for tests that compare or connect with them. Only tests import
// it.
//
// The environment names in PEERS a folder with their programs, as hack/peers.sh prints one; without it such tests are
// skipped.
package peertest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/tidwall/redcon"
)

// A Peer is a server that runs until the test ends.
type Peer struct {
	Addr string
	t    testing.TB
	log  bytes.Buffer

	exited chan struct{} // closed once the process has
}

// Start starts a program, say valkey-server, on a free port of the loopback with further arguments, and waits until it
// answers, with its data loaded. Its folder is dir, or one of the test's own if that is empty.
func Start(t testing.TB, program, dir string, args ...string) *Peer {
	t.Helper()
	folder := os.Getenv("PEERS")
	if folder == "" {
		t.Skip("set PEERS to a folder with redis-server and valkey-server")
	}
	if dir == "" {
		dir = t.TempDir()
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &Peer{Addr: free.Addr().String(), t: t}
	free.Close()
	_, port, _ := net.SplitHostPort(p.Addr)
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(folder, program), append([]string{
		"--port", port, "--bind", "127.0.0.1", "--dir", dir, "--save", ""}, args...)...)
	server.Stdout, server.Stderr = &p.log, &p.log
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	exited := make(chan struct{})
	p.exited = exited
	go func() { server.Wait(); close(exited) }()
	t.Cleanup(func() { cancel(); <-exited })
	for deadline := time.After(20 * time.Second); ; {
		if answer, err := p.try("PING"); err == nil && answer == "+PONG" {
			return p
		}
		select {
		case <-exited:
			t.Fatalf("%s ended: %s", program, p.log.String())
		case <-deadline:
			t.Fatalf("%s does not answer", program)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// Stop has the server end as an administrator does, without a last save.
func (p *Peer) Stop() {
	p.t.Helper()
	p.try("SHUTDOWN", "NOSAVE") // there is no answer
	select {
	case <-p.exited:
	case <-time.After(20 * time.Second):
		p.t.Fatal("the server does not stop")
	}
}

// Do sends a command, of words with blanks between, and returns the answer: a status with its +, a number with its :, or the
// strings of an array joined by blanks. An error reply fails the test.
func (p *Peer) Do(command string) string {
	p.t.Helper()
	answer, err := p.try(strings.Fields(command)...)
	if err != nil || strings.HasPrefix(answer, "-") {
		p.t.Fatalf("%s: %s, %v", command, answer, err)
	}
	return answer
}

func (p *Peer) try(words ...string) (string, error) { return Ask(p.Addr, words...) }

// Ask sends a command to any server and returns the answer as Do does, an error reply with its -.
func Ask(addr string, words ...string) (string, error) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(20 * time.Second))
	request := redcon.AppendArray(nil, len(words))
	for _, w := range words {
		request = redcon.AppendBulkString(request, w)
	}
	if _, err := conn.Write(request); err != nil {
		return "", err
	}
	return reply(bufio.NewReader(conn))
}

// reply reads an answer in the protocol's second version.
func reply(r *bufio.Reader) (string, error) {
	line, err := r.ReadString('\n')
	if err != nil {
		return "", err
	}
	line = strings.TrimSuffix(line, "\r\n")
	if line == "" {
		return "", io.ErrUnexpectedEOF
	}
	switch line[0] {
	case '$', '*':
	default:
		return line, nil
	}
	n, err := strconv.Atoi(line[1:])
	if err != nil || n < 0 {
		return "", err
	}
	if line[0] == '$' {
		b := make([]byte, n+2)
		_, err := io.ReadFull(r, b)
		return string(b[:n]), err
	}
	var parts []string
	for range n {
		part, err := reply(r)
		if err != nil {
			return "", err
		}
		parts = append(parts, part)
	}
	return strings.Join(parts, " "), nil
}
