package node

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

func message(channel, text string) string {
	return "*3\r\n" + bulk("message") + bulk(channel) + bulk(text)
}

func pmessage(pattern, channel, text string) string {
	return "*4\r\n" + bulk("pmessage") + bulk(pattern) + bulk(channel) + bulk(text)
}

// next checks the next thing that arrives by itself.
func (w *wire) next(want string) {
	w.t.Helper()
	if got := w.reply(); got != want {
		w.t.Fatalf("got %q, want %q", got, want)
	}
}

func TestPublish(t *testing.T) {
	s := start(t)
	w, sub, shard := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	sub.send(string(array("SUBSCRIBE", "news", "other", "news")))
	for _, n := range []string{"news:1", "other:2", "news:2"} {
		name, count, _ := strings.Cut(n, ":")
		sub.next("*3\r\n" + bulk("subscribe") + bulk(name) + ":" + count + "\r\n")
	}
	sub.expect("*3\r\n"+bulk("psubscribe")+bulk("n*")+":3\r\n", "PSUBSCRIBE", "n*")
	shard.expect("*3\r\n"+bulk("ssubscribe")+bulk("news")+":1\r\n", "SSUBSCRIBE", "news")
	w.expect(":2\r\n", "PUBLISH", "news", "hello")
	sub.next(message("news", "hello"))
	sub.next(pmessage("n*", "news", "hello"))
	w.expect(":1\r\n", "SPUBLISH", "news", "part")
	shard.next("*3\r\n" + bulk("smessage") + bulk("news") + bulk("part"))
	w.expect(":0\r\n", "PUBLISH", "quiet", "x")
	w.expect("*4\r\n"+bulk("news")+":1\r\n"+bulk("quiet")+":0\r\n", "PUBSUB", "NUMSUB", "news", "quiet")
	w.expect("*1\r\n"+bulk("other"), "PUBSUB", "CHANNELS", "o*")
	w.expect(":1\r\n", "PUBSUB", "NUMPAT")
	w.expect("*1\r\n"+bulk("news"), "PUBSUB", "SHARDCHANNELS")
	if list := w.do("CLIENT", "LIST", "TYPE", "pubsub"); !strings.Contains(list, " flags=P ") || !strings.Contains(list, " sub=2 psub=1 ssub=0 ") || strings.Count(list, "id=") != 2 {
		t.Errorf("CLIENT LIST: %q", list)
	}
	sub.conn.Close()
	shard.conn.Close()
	eventually(t, "nobody is subscribed", func() bool { return s.env.Hub.Clients() == 0 && s.env.Hub.Idle() })
	w.expect(":0\r\n", "PUBLISH", "news", "hello")
}

func TestSubscribedInRESP2(t *testing.T) {
	s := start(t)
	sub := dial(t, s.addr)
	sub.do("SUBSCRIBE", "a")
	const only = "only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed in this context\r\n"
	sub.expect("-ERR Can't execute 'zadd': "+only, "ZADD", "k", "1", "m")
	sub.expect("-ERR Can't execute 'client|id': "+only, "CLIENT", "ID")
	sub.expect("*2\r\n"+bulk("pong")+bulk(""), "PING")
	sub.expect("*2\r\n"+bulk("pong")+bulk("x"), "PING", "x")
	sub.expect("+RESET\r\n", "RESET")
	sub.expect(pong, "PING")
	if n := s.env.Hub.Clients(); n != 0 {
		t.Errorf("%d clients are subscribed after RESET", n)
	}
	sub.do("SUBSCRIBE", "a")
	sub.expect("*3\r\n"+bulk("unsubscribe")+bulk("a")+":0\r\n", "UNSUBSCRIBE")
	sub.expect(pong, "PING")
	sub.do("SUBSCRIBE", "a")
	sub.expect("+OK\r\n", "QUIT")
}

// In RESP3 messages and replies share the connection, and a message never
// comes before the reply to what caused it, nor inside one.
func TestMessagesBetweenReplies(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("HELLO", "3")
	w.expect(">3\r\n"+bulk("subscribe")+bulk("a")+":1\r\n", "SUBSCRIBE", "a")
	push := ">3\r\n" + bulk("message") + bulk("a") + bulk("x")
	w.expect(":1\r\n", "PUBLISH", "a", "x")
	w.next(push)
	w.send(string(array("MULTI")) + string(array("PUBLISH", "a", "x")) + string(array("PUBLISH", "a", "x")) + string(array("EXEC")) + string(array("PING")))
	for _, want := range []string{"+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:1\r\n:1\r\n", push, push, pong} {
		w.next(want)
	}
}

// A subscriber that reads nothing is closed at its limit; who publishes, and
// who reads, notice nothing.
func TestSlowSubscriber(t *testing.T) {
	s := start(t, "--client-output-buffer-limit", "pubsub 1mb 0 0")
	slow, reader, w := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	slow.do("SUBSCRIBE", "a")
	reader.do("SUBSCRIBE", "a")
	text := strings.Repeat("x", 10<<10)
	for s.stats.OutputLimitClosed.Load() == 0 {
		w.do("PUBLISH", "a", text)
		reader.next(message("a", text))
	}
	eventually(t, "the slow one is gone", func() bool { return s.clients.Len() == 2 })
	w.expect(":1\r\n", "PUBLISH", "a", "last")
	reader.next(message("a", "last"))
	slow.rest()
	if !strings.Contains(s.log.String(), "closed a client that does not take its messages") {
		t.Error("the log does not say so")
	}
}

// A subscriber above its soft limit for too long is closed, too.
func TestSlowSubscriberSoftLimit(t *testing.T) {
	var clock fakeClock
	clock.set(time.Unix(1000, 0))
	s := startWith(t, Options{Now: clock.now}, "--client-output-buffer-limit", "pubsub 0 1mb 5")
	slow, w := dial(t, s.addr), dial(t, s.addr)
	slow.do("SUBSCRIBE", "a")
	text := strings.Repeat("x", 100<<10)
	over := func() (over bool) {
		s.clients.Each(func(cl *client.Client) { over = over || cl.OverSoftSince.Load() != 0 })
		return over
	}
	// More than sockets take: what is above the limit stays there.
	for sent := 0; sent < 32<<20 || !over(); sent += len(text) {
		w.do("PUBLISH", "a", text)
	}
	clock.set(time.Unix(1006, 0))
	eventually(t, "it is closed", func() bool { return s.stats.OutputLimitClosed.Load() == 1 })
}

func TestMessagesKeepTheirOrder(t *testing.T) {
	s := start(t)
	var subs []*wire
	for range 3 {
		sub := dial(t, s.addr)
		sub.do("SUBSCRIBE", "a")
		subs = append(subs, sub)
	}
	const publishers, each = 4, 200
	var done sync.WaitGroup
	for p := range publishers {
		w := dial(t, s.addr)
		done.Go(func() {
			for i := range each {
				w.do("PUBLISH", "a", fmt.Sprint(p, "-", i))
			}
		})
	}
	var first string
	for i, sub := range subs {
		var all strings.Builder
		for range publishers * each {
			all.WriteString(sub.reply())
		}
		if i == 0 {
			first = all.String()
		} else if all.String() != first {
			t.Error("two subscribers saw messages in different orders")
		}
	}
	done.Wait()
}

// What subscribers to keyspace events hear, command by command.
func TestKeyspaceEvents(t *testing.T) {
	s := start(t, "--notify-keyspace-events", "KEA")
	w, sub := dial(t, s.addr), dial(t, s.addr)
	sub.do("PSUBSCRIBE", "__key*__:*")
	w.do("ZADD", "src", "1", "m")
	_, payload, _ := strings.Cut(w.do("DUMP", "src"), "\r\n")
	payload = strings.TrimSuffix(payload, "\r\n")
	sub.reply()
	sub.reply()
	for _, c := range []struct{ command, events string }{
		{"ZADD k 1 a 2 b", "zadd k"},
		{"ZADD k 1 a", ""},
		{"ZADD k 3 a", "zadd k"},
		{"ZADD k INCR 1 a", "zincr k"},
		{"ZINCRBY k 0 b", ""},
		{"ZINCRBY k 1 b", "zincr k"},
		{"ZREM k nope", ""},
		{"ZREM k a", "zrem k"},
		{"ZREM k b", "zrem k,del k"},
		{"ZADD k 1 a 2 b 3 c 4 d 5 e 6 f", "zadd k"},
		{"ZPOPMIN k 0", ""},
		{"ZPOPMIN k 2", "zpopmin k"},
		{"ZPOPMAX k", "zpopmax k"},
		{"ZMPOP 1 k MIN COUNT 9", "zpopmin k,del k"},
		{"ZADD k 1 a", "zadd k"},
		{"BZPOPMAX k 0", "zpopmax k,del k"},
		{"ZADD k 1 a 2 b 3 c", "zadd k"},
		{"ZREMRANGEBYRANK k 0 0", "zremrangebyrank k"},
		{"ZREMRANGEBYSCORE k 8 9", ""},
		{"ZREMRANGEBYSCORE k 2 2", "zremrangebyscore k"},
		{"ZREMRANGEBYLEX k - +", "zremrangebylex k,del k"},
		{"ZUNIONSTORE k 1 src", "zunionstore k"},
		{"ZINTERSTORE k 1 src", "zinterstore k"},
		{"ZDIFFSTORE k 1 src", "zdiffstore k"},
		{"ZRANGESTORE k src 0 -1", "zrangestore k"},
		{"ZRANGESTORE k src 5 6", "del k"},
		{"ZRANGESTORE k src 5 6", ""},
		{"GEOADD k 13.361389 38.115556 m", "zadd k"},
		{"GEOSEARCHSTORE k k FROMMEMBER m BYRADIUS 1 km", "geosearchstore k"},
		{"GEORADIUSBYMEMBER k m 1 km STORE k", "georadiusstore k"},
		{"EXPIRE k 100", "expire k"},
		{"EXPIRE k 100 NX", ""},
		{"PERSIST k", "persist k"},
		{"PERSIST k", ""},
		{"RENAME k j", "rename_from k,rename_to j"},
		{"COPY j k", "copy_to k"},
		{"COPY j k", ""},
		{"EXPIRE k -1", "del k"},
		{"DEL j nope", "del j"},
		{"UNLINK nope", ""},
		{"ZADD k 1 a", "zadd k"},
		{"FLUSHALL", ""},
		{"ZSCORE k a", ""},
	} {
		if got := w.do(strings.Fields(c.command)...); got[0] == '-' {
			t.Fatalf("%s: %s", c.command, got)
		}
		w.do("PUBLISH", "__key__:end", "")
		var heard []string
		for {
			parts := strings.Split(sub.reply(), "\r\n")
			if parts[6] == "__key__:end" {
				break
			}
			if event, ok := strings.CutPrefix(parts[6], "__keyevent@0__:"); ok {
				heard = append(heard, event+" "+parts[8])
			} else if key := strings.TrimPrefix(parts[6], "__keyspace@0__:"); len(heard) > 0 && heard[len(heard)-1] == parts[8]+" "+key {
				t.Errorf("%s: the key's channel came last", c.command)
			}
		}
		if got := strings.Join(heard, ","); got != c.events {
			t.Errorf("%s: heard %q, want %q", c.command, got, c.events)
		}
	}
	w.do("RESTORE", "k", "0", payload)
	sub.next(pmessage("__key*__:*", "__keyspace@0__:k", "restore"))
	sub.next(pmessage("__key*__:*", "__keyevent@0__:restore", "k"))
	w.do("PEXPIRE", "k", "1")
	sub.reply()
	sub.reply()
	sub.next(pmessage("__key*__:*", "__keyspace@0__:k", "expired"))
	sub.next(pmessage("__key*__:*", "__keyevent@0__:expired", "k"))

	// Classes and ways that are not asked for, and those that have to be.
	w.expect("+OK\r\n", "CONFIG", "SET", "notify-keyspace-events", "Enm")
	w.do("ZADD", "k", "1", "a")
	sub.next(pmessage("__key*__:*", "__keyevent@0__:new", "k"))
	w.do("ZSCORE", "nope", "a")
	sub.next(pmessage("__key*__:*", "__keyevent@0__:keymiss", "nope"))
	w.expect("+OK\r\n", "CONFIG", "SET", "notify-keyspace-events", "")
	w.do("DEL", "k")
	w.do("PUBLISH", "__key__:end", "")
	sub.next(pmessage("__key*__:*", "__key__:end", ""))
}
