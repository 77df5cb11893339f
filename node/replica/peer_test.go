package replica

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/zset"
)

// A peer is a real server, started for a test.
type peer struct {
	t    *testing.T
	addr string
}

// startPeer starts a program of the folder that the environment names in PEERS.
func startPeer(t *testing.T, program string) *peer {
	t.Helper()
	folder := os.Getenv("PEERS")
	if folder == "" {
		t.Skip("set PEERS to a folder with redis-server and valkey-server")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := free.Addr().String()
	free.Close()
	_, port, _ := net.SplitHostPort(addr)
	ctx, cancel := context.WithCancel(context.Background())
	server := exec.CommandContext(ctx, filepath.Join(folder, program), "--port", port, "--bind", "127.0.0.1",
		"--dir", t.TempDir(), "--save", "", "--repl-diskless-sync-delay", "0", "--repl-backlog-size", "1mb")
	server.Stdout, server.Stderr = io.Discard, io.Discard
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cancel(); server.Wait() })
	p := &peer{t, addr}
	for deadline := time.Now().Add(10 * time.Second); ; {
		if conn, err := net.Dial("tcp", addr); err == nil {
			conn.Close()
			return p
		}
		if time.Now().After(deadline) {
			t.Fatal("the server does not answer")
		}
		<-time.After(10 * time.Millisecond)
	}
}

// do sends commands on a connection of its own.
func (p *peer) do(commands ...string) {
	p.t.Helper()
	conn, err := net.Dial("tcp", p.addr)
	if err != nil {
		p.t.Fatal(err)
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(10 * time.Second))
	for _, c := range commands {
		conn.Write(command(strings.Fields(c)...))
		answer := make([]byte, 512)
		n, err := conn.Read(answer)
		if err != nil || answer[0] == '-' {
			p.t.Fatalf("%s: %q, %v", c, answer[:n], err)
		}
	}
}

// followed is what a replica got until a line begins as until says, and where it was then.
func (p *peer) followed(from Position, until string, during func()) ([]string, Position) {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	sink := &recorder{}
	position := from
	sink.done = func(line string) {
		var end int64
		switch words := strings.Fields(line); words[0] {
		case "full":
			fmt.Sscan(words[2], &end)
			position = Position{words[1], end}
			if during != nil {
				during()
			}
		case "partial":
			position.ID = words[1]
		case "key":
		default:
			fmt.Sscan(words[len(words)-1], &position.Offset)
		}
		if strings.HasPrefix(line, until) {
			cancel()
		}
	}
	l := New(Options{
		Dial:   func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", p.addr) },
		NewSet: func() *zset.Set { return zset.New(nil) },
		Port:   1,
	}, sink)
	err := l.Follow(ctx, from)
	if ctx.Err() != context.Canceled {
		p.t.Fatalf("the link ended with %v; got %q", err, sink.lines)
	}
	return sink.lines, position
}

// lines drops offsets and what servers send on their own.
func lines(all []string) (kept []string) {
	for _, line := range all {
		words := strings.Fields(line)
		switch words[0] {
		case "SELECT", "PING", "REPLCONF":
		case "full", "partial":
			kept = append(kept, words[0])
		case "key", "string":
			kept = append(kept, line)
		default:
			kept = append(kept, strings.Join(words[:len(words)-1], " "))
		}
	}
	return kept
}

func TestFollowsRealServers(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		for _, diskless := range []string{"yes", "no"} {
			t.Run(program+", diskless "+diskless, func(t *testing.T) {
				p := startPeer(t, program)
				p.do("CONFIG SET repl-diskless-sync "+diskless, "ZADD board 1 a 2 b", "SET other 1")
				got, at := p.followed(Position{}, "ZADD board 3 c", func() { p.do("ZADD board 3 c") })
				got = lines(got)
				slices.Sort(got)
				if want := []string{"ZADD board 3 c", "full", "key board 2", "string other"}; !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				// The link is cut, and resumed where it was.
				p.do("ZREM board a", "ZADD board 4 d")
				got, _ = p.followed(at, "ZADD board 4 d", nil)
				if want := []string{"partial", "ZREM board a", "ZADD board 4 d"}; !slices.Equal(lines(got), want) {
					t.Errorf("resumed: got %q, want %q", lines(got), want)
				}
			})
		}
	}
}
