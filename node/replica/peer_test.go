package replica

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/peertest"
	"zset.dev/operator/zset"
)

// followed is what a replica got until a line begins as until says, and where it was then.
func followed(t *testing.T, p *peertest.Peer, from Position, until string, during func()) ([]string, Position) {
	t.Helper()
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
		Dial:   func(ctx context.Context) (net.Conn, error) { return new(net.Dialer).DialContext(ctx, "tcp", p.Addr) },
		NewSet: func() *zset.Set { return zset.New(nil) },
		Port:   1,
	}, sink)
	err := l.Follow(ctx, from)
	if ctx.Err() != context.Canceled {
		t.Fatalf("the link ended with %v; got %q", err, sink.lines)
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
				p := peertest.Start(t, program, "", "--repl-diskless-sync-delay", "0", "--repl-diskless-sync", diskless)
				p.Do("ZADD board 1 a 2 b")
				p.Do("SET other 1")
				got, at := followed(t, p, Position{}, "ZADD board 3 c", func() { p.Do("ZADD board 3 c") })
				got = lines(got)
				slices.Sort(got)
				if want := []string{"ZADD board 3 c", "full", "key board 2", "string other"}; !slices.Equal(got, want) {
					t.Errorf("got %q, want %q", got, want)
				}
				// The link is cut, and resumed where it was.
				p.Do("ZREM board a")
				p.Do("ZADD board 4 d")
				got, _ = followed(t, p, at, "ZADD board 4 d", nil)
				if want := []string{"partial", "ZREM board a", "ZADD board 4 d"}; !slices.Equal(lines(got), want) {
					t.Errorf("resumed: got %q, want %q", lines(got), want)
				}
			})
		}
	}
}
