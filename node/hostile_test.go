package node

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Counts and lengths far beyond what there is cost what there is, and no more:
// the server allocates little, answers, and goes on.
func TestHugeCountsCostNothing(t *testing.T) {
	s := start(t, "--client-output-buffer-limit", "normal 1mb 0 0")
	w := dial(t, s.addr)
	for i := range 200 {
		w.do("ZADD", "k", strconv.Itoa(i), "m"+strconv.Itoa(i))
		w.do("ZADD", "small"+strconv.Itoa(i%5), "1", "m")
	}
	const most = "9223372036854775807"
	const least = "-9223372036854775808"
	for _, command := range []string{
		"ZRANDMEMBER k " + most, "ZRANDMEMBER k " + least, "ZRANDMEMBER k " + least + " WITHSCORES", "ZRANDMEMBER k -1000000000", "ZRANDMEMBER missing -1000000000",
		"ZPOPMIN small0 " + most, "ZPOPMAX small1 " + least, "ZMPOP 1 small2 MIN COUNT " + most, "ZMPOP " + most + " k MIN", "BZMPOP 0 " + most + " k MIN",
		"ZRANGE k " + least + " " + most, "ZRANGE k 0 -1 BYSCORE LIMIT " + most + " " + most, "ZRANGE k -inf +inf BYSCORE LIMIT 0 " + most, "ZREVRANGE k " + most + " " + least,
		"ZRANGEBYSCORE k nan nan", "ZRANGEBYLEX k - + LIMIT " + least + " " + most, "ZREMRANGEBYRANK small3 " + least + " " + most,
		"ZUNION " + most + " k", "ZUNIONSTORE d " + most + " k", "ZINTERCARD " + most + " k", "ZINTERCARD 1 k LIMIT " + most, "ZDIFF -1 k", "ZDIFF 2147483648 k",
		"SCAN " + most + " COUNT " + most, "SCAN 0 COUNT " + most, "ZSCAN k " + most + " COUNT " + most, "SLOWLOG GET " + most, "ACL LOG " + most,
		"EVAL return " + most + " k", "EVAL return -1", "LOLWUT VERSION 5 " + most + " " + most + " " + most, "CLIENT KILL ID " + most, "LATENCY RESET " + most,
		"EXPIRE k " + most, "PEXPIREAT missing " + least, "RESTORE d " + most + " x", "CLIENT PAUSE -1", "COMMAND GETKEYS EVAL x " + most + " k",
		"GEOSEARCH k FROMLONLAT 1 1 BYRADIUS 1e308 km COUNT " + most, "GEOADD k nan nan m", "OBJECT FREQ " + strings.Repeat("k", 10_000), strings.Repeat("x", 60_000),
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		c := dial(t, s.addr)
		c.send(string(array(strings.Fields(command)...)) + string(array("QUIT")))
		reply := c.rest()
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		if len(command) > 100 {
			command = command[:100]
		}
		if took > 5*time.Second {
			t.Errorf("%s took %v", command, took)
		}
		if spent := after.TotalAlloc - before.TotalAlloc; spent > 16<<20 {
			t.Errorf("%s allocated %d MB", command, spent>>20)
		}
		// One that asks for more than it may be sent is closed.
		if reply != "" && !strings.HasSuffix(reply, "+OK\r\n") {
			t.Errorf("%s: the reply ends with %q", command, reply[max(0, len(reply)-100):])
		}
	}
	w.expect(pong, "PING")
}

// A million arguments are one command like any other, and so is half of one
// that never ends, for as long as the limits allow; others go on meanwhile.
func TestMillionArguments(t *testing.T) {
	const n = 1_000_000
	s := start(t)
	other := dial(t, s.addr)
	for _, c := range []struct{ name, word, want string }{
		{"ZREM", "k", ":0\r\n"},
		{"DEL", "k", ":0\r\n"},
		{"NOSUCH", "k", "-ERR unknown command 'NOSUCH', with args beginning with: " + strings.Repeat("'k' ", 32) + "\r\n"},
		{"ZADD", "1", ":1\r\n"}, // key 1, scores and members 1
		{"PING", "k", "-ERR wrong number of arguments for 'ping' command\r\n"},
	} {
		w := dial(t, s.addr)
		count := n + n%2 + 2
		sent := make(chan struct{})
		go func() {
			defer close(sent)
			w.send("*" + strconv.Itoa(count) + "\r\n" + string(bulk(c.name)) + strings.Repeat("$1\r\n"+c.word+"\r\n", count-1))
		}()
		for waiting := true; waiting; {
			began := time.Now()
			other.expect(pong, "PING")
			if took := time.Since(began); took > time.Second {
				t.Errorf("another client waited %v beside %s", took, c.name)
			}
			select {
			case <-sent:
				waiting = false
			default:
			}
		}
		if got := w.reply(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got[:min(len(got), 200)], c.want)
		}
		w.conn.Close()
	}
	eventually(t, "the buffers are given back", func() bool { return s.buffers.Load() < 1<<20 })
}
