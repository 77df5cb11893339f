package node

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

func invalidate(keys ...string) string {
	text := ">2\r\n" + bulk("invalidate") + fmt.Sprintf("*%d\r\n", len(keys))
	for _, key := range keys {
		text += bulk(key)
	}
	return text
}

// tracking is a RESP3 client that tracks.
func tracking(t *testing.T, s *running, options ...string) *wire {
	t.Helper()
	w := dial(t, s.addr)
	w.do("HELLO", "3")
	w.expect("+OK\r\n", append([]string{"CLIENT", "TRACKING", "ON"}, options...)...)
	return w
}

// nothing checks that nothing has arrived but the reply to a PING.
func (w *wire) nothing() {
	w.t.Helper()
	w.expect(pong, "PING")
}

func TestTrackingTellsOfChanges(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("ZADD", "src", "1", "m")
	for _, change := range []string{
		"ZADD k 2 m", "ZINCRBY k 1 m", "ZREM k m", "ZPOPMIN k", "DEL k", "UNLINK k", "EXPIRE k 100", "RENAME k j", "RENAME src k", "COPY src k REPLACE",
		"ZRANGESTORE k src 0 -1", "ZUNIONSTORE k 1 nope", "ZREMRANGEBYRANK k 0 -1", "BZPOPMAX k 0", "PEXPIRE k 1", "GEOADD k 1 2 m",
	} {
		w.do("FLUSHALL")
		w.do("ZADD", "k", "1", "m", "2", "n")
		w.do("ZADD", "src", "1", "m")
		c := tracking(t, s)
		c.do("ZSCORE", "k", "m")
		w.do(strings.Fields(change)...)
		if got := c.reply(); got != invalidate("k") {
			t.Fatalf("%s: %q", change, got)
		}
		if change == "PEXPIRE k 1" {
			c.do("ZCARD", "k")
			eventually(t, "it is removed", func() bool { return w.do("DBSIZE") == ":1\r\n" })
		}
		w.do("ZADD", "k", "9", "z") // told once, until it reads again
		c.do("PING")
		c.conn.Close()
	}
	c := tracking(t, s)
	c.do("ZRANGE", "k", "0", "-1")
	c.do("ZSCORE", "missing", "m")
	w.do("ZADD", "k", "9", "z") // changes nothing
	w.do("ZADD", "other", "9", "z")
	c.nothing()
	w.do("ZADD", "missing", "9", "z")
	c.next(invalidate("missing"))
	w.do("FLUSHALL")
	c.next(">2\r\n" + bulk("invalidate") + "_\r\n")
}

func TestTrackingExpiry(t *testing.T) {
	s := start(t)
	c := tracking(t, s)
	c.do("ZADD", "k", "1", "m")
	c.do("PEXPIRE", "k", "30")
	c.do("ZCARD", "k")
	c.next(invalidate("k"))
}

// One's own changes come after the reply, or not at all with NOLOOP.
func TestTrackingOwnChanges(t *testing.T) {
	s := start(t)
	c := tracking(t, s)
	c.do("ZCARD", "k")
	c.expect(":1\r\n", "ZADD", "k", "1", "m")
	c.next(invalidate("k"))
	c.do("ZCARD", "a")
	c.do("ZCARD", "b")
	c.send(string(array("MULTI")) + string(array("ZADD", "a", "1", "m")) + string(array("ZADD", "b", "1", "m")) + string(array("EXEC")))
	for _, want := range []string{"+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:1\r\n:1\r\n", invalidate("a"), invalidate("b")} {
		c.next(want)
	}
	// What a transaction changes and then reads is in the cache as it is.
	c.send(string(array("MULTI")) + string(array("ZADD", "d", "1", "m")) + string(array("ZCARD", "d")) + string(array("EXEC")))
	for _, want := range []string{"+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:1\r\n:1\r\n"} {
		c.next(want)
	}
	c.nothing()
	dial(t, s.addr).do("ZADD", "d", "2", "m")
	c.next(invalidate("d"))
	quiet := tracking(t, s, "NOLOOP")
	quiet.do("ZCARD", "k")
	quiet.do("ZADD", "k", "2", "m")
	quiet.nothing()
	quiet.do("ZCARD", "k")
	dial(t, s.addr).do("ZADD", "k", "3", "m")
	quiet.next(invalidate("k"))
}

func TestTrackingBroadcast(t *testing.T) {
	s := start(t)
	all, some, quiet := tracking(t, s, "BCAST"), tracking(t, s, "BCAST", "PREFIX", "a", "PREFIX", "b"), tracking(t, s, "BCAST", "NOLOOP")
	w := dial(t, s.addr)
	w.transaction("ZADD b 1 m", "ZADD a 1 m", "ZADD c 1 m", "ZREM a m")
	all.next(invalidate("a", "b", "c"))
	quiet.next(invalidate("a", "b", "c"))
	some.next(invalidate("a", "b"))
	quiet.do("ZADD", "z", "1", "m")
	quiet.nothing()
	all.next(invalidate("z"))
	some.nothing()
	if text := w.do("INFO"); !strings.Contains(text, "\r\ntracking_clients:3\r\n") || !strings.Contains(text, "\r\ntracking_total_prefixes:3\r\n") {
		t.Errorf("INFO: %q", text)
	}
	some.expect("+OK\r\n", "CLIENT", "TRACKING", "OFF")
	w.do("ZADD", "a", "1", "m")
	some.nothing()
	all.conn.Close()
	quiet.conn.Close()
	eventually(t, "nobody tracks", func() bool { return !s.env.Tracking.Active() })
	if n := s.env.Tracking.Counts().Prefixes; n != 0 {
		t.Errorf("%d prefixes are left", n)
	}
}

func TestTrackingOptIn(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	in, out := tracking(t, s, "OPTIN"), tracking(t, s, "OPTOUT")
	in.do("ZCARD", "k1")
	in.do("CLIENT", "CACHING", "YES")
	in.do("ZCARD", "k2")
	in.do("ZCARD", "k3")
	in.do("CLIENT", "CACHING", "YES")
	in.do("MULTI") // counts for the whole transaction
	in.do("ZCARD", "k4")
	in.do("ZCARD", "k5")
	in.do("EXEC")
	in.do("ZCARD", "k6")
	out.do("ZCARD", "k1")
	out.do("CLIENT", "CACHING", "NO")
	out.do("ZCARD", "k2")
	out.do("ZCARD", "k3")
	for i := range 6 {
		w.do("ZADD", fmt.Sprint("k", i+1), "1", "m")
	}
	for _, key := range []string{"k2", "k4", "k5"} {
		in.next(invalidate(key))
	}
	in.nothing()
	out.next(invalidate("k1"))
	out.next(invalidate("k3"))
	out.nothing()
}

func TestTrackingRedirect(t *testing.T) {
	s := start(t)
	w, sub, c := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	id := sub.id()
	sub.do("SUBSCRIBE", "__redis__:invalidate")
	c.expect("+OK\r\n", "CLIENT", "TRACKING", "ON", "REDIRECT", id)
	c.expect(":"+id+"\r\n", "CLIENT", "GETREDIR")
	c.do("ZCARD", "k")
	w.do("ZADD", "k", "1", "m")
	sub.next("*3\r\n" + bulk("message") + bulk("__redis__:invalidate") + "*1\r\n" + bulk("k"))
	w.do("FLUSHALL")
	sub.next("*3\r\n" + bulk("message") + bulk("__redis__:invalidate") + "$-1\r\n")
	c.do("HELLO", "3")
	c.do("ZCARD", "k")
	sub.conn.Close()
	eventually(t, "it is gone", func() bool { return s.clients.Len() == 2 })
	w.do("ZADD", "k", "1", "m")
	c.next(">2\r\n" + bulk("tracking-redir-broken") + ":" + id + "\r\n")
	if list := w.do("CLIENT", "LIST", "FLAGS", "R"); !strings.Contains(list, " flags=tR ") || !strings.Contains(list, " redir="+id+" ") {
		t.Errorf("CLIENT LIST: %q", list)
	}
	c.expect("+OK\r\n", "CLIENT", "TRACKING", "OFF")
	c.expect(":-1\r\n", "CLIENT", "GETREDIR")
}

// A full table drops keys and says so, when it fills and when it is made
// smaller.
func TestTrackingTableIsBounded(t *testing.T) {
	s := start(t, "--tracking-table-max-keys", "10")
	c := tracking(t, s)
	for i := range 25 {
		c.send(string(array("ZCARD", fmt.Sprint("k", i))))
	}
	told := map[string]bool{}
	for range 25 + 15 {
		if got := c.reply(); got[0] == '>' {
			told[got] = true
		}
	}
	if len(told) != 15 {
		t.Errorf("told of %d keys", len(told))
	}
	if n := s.env.Tracking.Counts(); n.Keys != 10 || n.Items != 10 {
		t.Errorf("the table has %+v", n)
	}
	dial(t, s.addr).expect("+OK\r\n", "CONFIG", "SET", "tracking-table-max-keys", "4")
	for range 6 {
		c.reply()
	}
	c.nothing()
}

// A client that is read from by many must not see a stale value after its
// invalidation, whatever the timing: a cache that trusts invalidations ends up
// with the last value written.
func TestCacheNeverStale(t *testing.T) {
	s := start(t)
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.addr}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	writer := redis.NewClient(&redis.Options{Addr: s.addr})
	defer writer.Close()
	read := func() (score float64, cached bool) {
		r := c.DoCache(ctx, c.B().Zscore().Key("k").Member("m").Cache(), time.Minute)
		score, err := r.AsFloat64()
		if err != nil && !rueidis.IsRedisNil(err) {
			t.Fatal(err)
		}
		return score, r.IsCacheHit()
	}
	hits := 0
	for i := 1; i <= 300; i++ {
		if err := writer.ZAdd(ctx, "k", redis.Z{Score: float64(i), Member: "m"}).Err(); err != nil {
			t.Fatal(err)
		}
		eventually(t, fmt.Sprint("the cache has ", i), func() bool {
			score, _ := read()
			return score == float64(i)
		})
		if _, cached := read(); cached {
			hits++
		}
	}
	if hits == 0 {
		t.Error("nothing was ever read from the cache")
	}
	if n := s.env.Tracking.Counts().Clients; n == 0 {
		t.Error("the client does not track")
	}
}

// BCAST as rueidis offers it, and its blocking commands and subscriptions.
func TestRueidisAsItComes(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	told := make(chan string, 100)
	c, err := rueidis.NewClient(rueidis.ClientOption{
		InitAddress:           []string{s.addr},
		ClientTrackingOptions: []string{"PREFIX", "a:", "PREFIX", "b:", "BCAST"},
		OnInvalidations: func(messages []rueidis.RedisMessage) {
			for _, m := range messages {
				key, _ := m.ToString()
				told <- key
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Do(ctx, c.B().Zadd().Key("a:1").ScoreMember().ScoreMember(1, "m").Build()).Error(); err != nil {
		t.Fatal(err)
	}
	select {
	case key := <-told:
		if key != "a:1" {
			t.Errorf("told of %q", key)
		}
	case <-ctx.Done():
		t.Fatal("not told")
	}
	heard := make(chan string, 1)
	listening, stop := context.WithCancel(ctx)
	done := make(chan error, 1)
	ready := make(chan bool, 1)
	go func() {
		dedicated, cancel := c.Dedicate()
		defer cancel()
		wait := dedicated.SetPubSubHooks(rueidis.PubSubHooks{
			OnMessage:      func(m rueidis.PubSubMessage) { heard <- m.Message },
			OnSubscription: func(rueidis.PubSubSubscription) { ready <- true },
		})
		dedicated.Do(listening, dedicated.B().Subscribe().Channel("news").Build())
		select {
		case err := <-wait:
			done <- err
		case <-listening.Done():
			done <- nil
		}
	}()
	<-ready
	if n, err := c.Do(ctx, c.B().Publish().Channel("news").Message("hello").Build()).AsInt64(); err != nil || n != 1 {
		t.Errorf("PUBLISH reached %d, %v", n, err)
	}
	if got := <-heard; got != "hello" {
		t.Errorf("heard %q", got)
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	popped := make(chan string, 1)
	go func() {
		all, err := c.Do(ctx, c.B().Bzpopmin().Key("queue").Timeout(0).Build()).AsStrSlice()
		popped <- fmt.Sprint(all, err)
	}()
	eventually(t, "it waits", func() bool { return s.keyspace.Awaited() == 1 })
	c.Do(ctx, c.B().Zadd().Key("queue").ScoreMember().ScoreMember(7, "job").Build())
	if got := <-popped; got != "[queue job 7] <nil>" {
		t.Errorf("popped %s", got)
	}
}

// go-redis: transactions, pipelines, subscriptions, blocking pops.
func TestGoRedisAsItComes(t *testing.T) {
	s := start(t)
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for _, protocol := range []int{2, 3} {
		c := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol})
		c.FlushAll(ctx)
		err := c.Watch(ctx, func(tx *redis.Tx) error {
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "a"})
				p.ZIncrBy(ctx, "k", 2, "a")
				return nil
			})
			return err
		}, "k")
		if err != nil {
			t.Errorf("a transaction: %v", err)
		}
		err = c.Watch(ctx, func(tx *redis.Tx) error {
			c.ZAdd(ctx, "k", redis.Z{Score: 9, Member: "z"})
			_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
				p.ZAdd(ctx, "k", redis.Z{Score: 1, Member: "a"})
				return nil
			})
			return err
		}, "k")
		if err != redis.TxFailedErr {
			t.Errorf("a transaction that must fail: %v", err)
		}
		sub := c.PSubscribe(ctx, "n*")
		if _, err := sub.Receive(ctx); err != nil {
			t.Fatal(err)
		}
		if n, err := c.Publish(ctx, "news", "hello").Result(); err != nil || n != 1 {
			t.Errorf("PUBLISH reached %d, %v", n, err)
		}
		if m, err := sub.ReceiveMessage(ctx); err != nil || m.Payload != "hello" || m.Pattern != "n*" {
			t.Errorf("received %v, %v", m, err)
		}
		if err := sub.Ping(ctx); err != nil {
			t.Error(err)
		}
		sub.Close()
		popped := make(chan string, 1)
		go func() {
			z, err := c.BZPopMax(ctx, 0, "nope", "queue").Result()
			popped <- fmt.Sprint(z, err)
		}()
		eventually(t, "it waits", func() bool { return s.keyspace.Awaited() == 2 })
		c.ZAdd(ctx, "queue", redis.Z{Score: 1.5, Member: "job"})
		if got := <-popped; !strings.Contains(got, "1.5 job") || !strings.Contains(got, "queue") {
			t.Errorf("popped %s", got)
		}
		if err := c.BZPopMin(ctx, time.Second, "nope").Err(); err != redis.Nil {
			t.Errorf("an empty pop: %v", err)
		}
		c.Close()
	}
}
