package node

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"

	"zset.dev/operator/node/client"
)

// manyKeys gives a node so much to hold that what pipelines need is fetched before
// they run.
func manyKeys(t *testing.T, s *running) {
	t.Helper()
	w := dial(t, s.addr)
	var load strings.Builder
	const members, keys = 20_000, 2000
	for i := range members {
		load.Write(array("ZADD", "board", fmt.Sprint(i), fmt.Sprint("m", i)))
	}
	for i := range keys {
		load.Write(array("ZADD", fmt.Sprint("user", i), "1", "m1", "2", "m2"))
	}
	load.Write(array("ECHO", "loaded"))
	w.send(load.String())
	for w.reply() != bulk("loaded") {
	}
}

// A pipeline gives the replies that its commands give one by one, whatever they
// do to what those behind them look up.
func TestPipelineIsItsCommandsOneByOne(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &walk{rng: rand.New(rand.NewPCG(seed, 0)), valkey: true}
	one, many := start(t), start(t)
	manyKeys(t, one)
	manyKeys(t, many)
	single, piped := dial(t, one.addr), dial(t, many.addr)
	for range 400 {
		var commands [][]string
		for range 1 + w.rng.IntN(40) {
			key := w.pick("board", w.key(), fmt.Sprint("user", w.rng.IntN(2000)))
			member := fmt.Sprint("m", w.rng.IntN(25_000))
			switch w.rng.IntN(12) {
			case 0:
				commands = append(commands, []string{w.pick("zscore", "ZRANK", "ZREVRANK", "ZMSCORE"), key, member})
			case 1:
				commands = append(commands, []string{"ZADD", key, w.score(), member})
			case 2:
				commands = append(commands, []string{"ZINCRBY", key, "1", member})
			case 3:
				commands = append(commands, []string{"ZREM", key, member, "m1"})
			case 4:
				commands = append(commands, []string{w.pick("MULTI", "EXEC", "EXEC", "DISCARD")})
			case 5:
				commands = append(commands, []string{w.pick("ZADD", "NOSUCH", "ZSCORE", "OBJECT", "CLIENT", "ZCARD")})
			case 6:
				commands = append(commands, []string{"EVAL", "return redis.call('ZSCORE', KEYS[1], ARGV[1])", "1", key, member})
			case 7:
				commands = append(commands, []string{"RENAME", key, w.key()})
			default:
				commands = append(commands, w.command())
			}
		}
		var pipeline strings.Builder
		var want []string
		for _, args := range commands {
			pipeline.Write(array(args...))
			want = append(want, single.do(args...))
		}
		piped.send(pipeline.String())
		for i, args := range commands {
			if got := piped.reply(); got != want[i] {
				t.Fatalf("command %d of %d, %q:\nin a pipeline %q\nalone         %q", i, len(commands), args, got, want[i])
			}
		}
	}
}

// What may happen in the midst of a pipeline has its effect on the next command.
func TestPipelineInterrupted(t *testing.T) {
	const noAuth = "-NOAUTH Authentication required.\r\n"
	long := strings.Repeat("x", 20<<10)
	many := strings.Fields(strings.Repeat("m ", 2000))
	for _, c := range []struct {
		name     string
		commands [][]string
		behind   string // sent after them, as it is
		want     string
	}{
		{"replies off and on", [][]string{{"PING"}, {"CLIENT", "REPLY", "OFF"}, {"PING"}, {"ZSCORE", "k", "m"}, {"CLIENT", "REPLY", "ON"}, {"ZSCORE", "k", "m"}}, "",
			pong + "+OK\r\n" + bulk("1")},
		{"one reply skipped", [][]string{{"CLIENT", "REPLY", "SKIP"}, {"ZSCORE", "k", "m"}, {"ZCARD", "k"}}, "", ":1\r\n"},
		{"a transaction in the midst", [][]string{{"ZADD", "k", "2", "n"}, {"MULTI"}, {"ZSCORE", "k", "n"}, {"ZREM", "k", "n"}, {"EXEC"}, {"ZSCORE", "k", "n"}}, "",
			":1\r\n+OK\r\n+QUEUED\r\n+QUEUED\r\n*2\r\n" + bulk("2") + ":1\r\n" + "$-1\r\n"},
		{"another protocol", [][]string{{"ZSCORE", "k", "none"}, {"CLIENT", "REPLY", "SKIP"}, {"HELLO", "3"}, {"ZSCORE", "k", "none"}, {"ZSCORE", "k", "m"}}, "", "$-1\r\n_\r\n,1\r\n"},
		{"all keys gone", [][]string{{"ZSCORE", "k", "m"}, {"FLUSHALL"}, {"ZSCORE", "k", "m"}, {"ZADD", "k", "3", "m"}, {"ZSCORE", "k", "m"}}, "",
			bulk("1") + "+OK\r\n$-1\r\n:1\r\n" + bulk("3")},
		{"a key moved", [][]string{{"RENAME", "k", "j"}, {"ZSCORE", "k", "m"}, {"ZSCORE", "j", "m"}, {"RENAME", "j", "k"}, {"ZSCORE", "k", "m"}}, "",
			"+OK\r\n$-1\r\n" + bulk("1") + "+OK\r\n" + bulk("1")},
		{"a set that outgrows its form", [][]string{{"ZADD", "k", "2", long}, {"ZSCORE", "k", "m"}, {"ZSCORE", "k", long}, {"DEL", "k"}, {"ZADD", "k", "1", "m"}}, "",
			":1\r\n" + bulk("1") + bulk("2") + ":1\r\n:1\r\n"},
		{"a user who may do less", [][]string{{"ACL", "SETUSER", "reader", "on", "nopass", "~k", "+zscore"}, {"ZCARD", "k"}, {"AUTH", "reader", "any"}, {"ZCARD", "k"}, {"ZSCORE", "k", "m"}, {"ZSCORE", "j", "m"}}, "",
			"+OK\r\n:1\r\n+OK\r\n-NOPERM User reader has no permissions to run the 'zcard' command\r\n" + bulk("1") + "-NOPERM No permissions to access a key\r\n"},
		{"not authenticated any more", [][]string{{"CONFIG", "SET", "requirepass", "p"}, {"AUTH", "p"}, {"RESET"}, {"ZSCORE", "k", "m"}, {"AUTH", "p"}, {"ZSCORE", "k", "m"}, {"CONFIG", "SET", "requirepass", ""}}, "",
			"+OK\r\n+OK\r\n+RESET\r\n" + noAuth + "+OK\r\n" + bulk("1") + "+OK\r\n"},
		{"a stranger's long argument", [][]string{{"CONFIG", "SET", "requirepass", "p"}, {"AUTH", "p"}, {"RESET"}, {"ECHO", long}, {"PING"}}, "",
			"+OK\r\n+OK\r\n+RESET\r\n-ERR Protocol error: unauthenticated bulk length\r\n"},
		{"a wrong request behind", [][]string{{"ZSCORE", "k", "m"}, {"PING"}}, "*1\r\n$x\r\n", bulk("1") + pong + "-ERR Protocol error: invalid bulk length\r\n"},
		{"half a command behind", [][]string{{"ZSCORE", "k", "m"}, {"PING"}}, "*1\r\n$4\r\nPI", bulk("1") + pong},
		{"a line behind", [][]string{{"ZSCORE", "k", "m"}, {"PING"}}, "ZSCORE k m\r\n*0\r\n", bulk("1") + pong + bulk("1")},
		{"the end in the midst", [][]string{{"ZSCORE", "k", "m"}, {"QUIT"}, {"ZADD", "k", "9", "m"}}, "", bulk("1") + "+OK\r\n"},
		{"many words", [][]string{append([]string{"ZMSCORE", "none"}, many...), {"PING"}, append([]string{"ZMSCORE", "none"}, many...), {"ZSCORE", "k", "m"}}, "",
			"*2000\r\n" + strings.Repeat("$-1\r\n", 2000) + pong + "*2000\r\n" + strings.Repeat("$-1\r\n", 2000) + bulk("1")},
		{"names nobody knows", [][]string{{"NOSUCH"}, {strings.Repeat("z", 100)}, {""}, {"ZSCORE", "k", "m"}}, "",
			"-ERR unknown command 'NOSUCH', with args beginning with: \r\n-ERR unknown command '" + strings.Repeat("z", 100) + "', with args beginning with: \r\n-ERR unknown command '', with args beginning with: \r\n" + bulk("1")},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t)
			manyKeys(t, s)
			w := dial(t, s.addr)
			w.expect(":1\r\n", "ZADD", "k", "1", "m")
			var pipeline strings.Builder
			for _, args := range c.commands {
				pipeline.Write(array(args...))
			}
			w.send(pipeline.String() + c.behind)
			w.conn.(*net.TCPConn).CloseWrite()
			if got := w.rest(); got != c.want {
				t.Errorf("got %.300q\nwant %.300q", got, c.want)
			}
		})
	}
}

// A client that has to wait in the midst of a pipeline goes on behind what it
// waited for, also when more has arrived meanwhile.
func TestPipelineWaitsInTheMidst(t *testing.T) {
	s := start(t)
	manyKeys(t, s)
	w, other := dial(t, s.addr), dial(t, s.addr)
	commands := func(all ...string) (raw string) {
		for _, c := range all {
			raw += string(array(strings.Fields(c)...))
		}
		return raw
	}
	for _, wait := range []struct{ before, command, end, reply string }{
		{"ZSCORE user2 m2", "BZPOPMIN queue 0", "ZADD queue 1 a", popped("queue", "a", "1")},
		{"CLIENT PAUSE 100000 WRITE", "ZADD user2 3 m3", "CLIENT UNPAUSE", ":1\r\n"},
	} {
		w.send(commands("ZSCORE user1 m1", wait.before, wait.command, "ZINCRBY user1 1 counted", "ZSCORE board m77"))
		w.next(bulk("1"))
		w.reply()
		eventually(t, "it waits", func() bool {
			waits := false
			s.clients.Each(func(cl *client.Client) { waits = waits || cl.Is(client.Blocked|client.Postponed) })
			return waits
		})
		w.send(strings.Repeat(commands("ZINCRBY user1 1 counted"), 1000))
		other.do(strings.Fields(wait.end)...)
		w.next(wait.reply)
		w.next(bulk("1"))
		w.next(bulk("77"))
		for i := range 1000 {
			w.next(bulk(fmt.Sprint(i + 2)))
		}
		other.expect(":1\r\n", "ZREM", "user1", "counted")
	}
}
