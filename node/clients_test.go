package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// The session every client library is put through.
type session struct {
	zadd      func(ctx context.Context, key string, score float64, member string) error
	zscore    func(ctx context.Context, key, member string) (float64, error)
	topScores func(ctx context.Context, key string, n int64) (map[string]float64, error)
	infoText  func(ctx context.Context) (string, error)
}

func playSession(t *testing.T, c session) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	for member, score := range map[string]float64{"alice": 31.5, "bob": 7, "carol": math.Inf(1)} {
		if err := c.zadd(ctx, "board", score, member); err != nil {
			t.Fatal(err)
		}
	}
	if score, err := c.zscore(ctx, "board", "alice"); err != nil || score != 31.5 {
		t.Errorf("alice has %v, %v", score, err)
	}
	top, err := c.topScores(ctx, "board", 2)
	if err != nil || len(top) != 2 || top["alice"] != 31.5 || !math.IsInf(top["carol"], 1) {
		t.Errorf("the top is %v, %v", top, err)
	}
	if text, err := c.infoText(ctx); err != nil || !strings.Contains(text, "# Server\r\n") {
		t.Errorf("INFO: %q, %v", text, err)
	}
}

func TestGoRedis(t *testing.T) {
	s := start(t, "--requirepass", "secret")
	for _, protocol := range []int{2, 3} {
		t.Run(fmt.Sprint("RESP", protocol), func(t *testing.T) {
			c := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol, Password: "secret", ClientName: "test"})
			defer c.Close()
			playSession(t, session{
				zadd: func(ctx context.Context, key string, score float64, member string) error {
					return c.ZAdd(ctx, key, redis.Z{Score: score, Member: member}).Err()
				},
				zscore: func(ctx context.Context, key, member string) (float64, error) {
					return c.ZScore(ctx, key, member).Result()
				},
				topScores: func(ctx context.Context, key string, n int64) (map[string]float64, error) {
					top := map[string]float64{}
					all, err := c.ZRevRangeWithScores(ctx, key, 0, n-1).Result()
					for _, z := range all {
						top[z.Member.(string)] = z.Score
					}
					return top, err
				},
				infoText: func(ctx context.Context) (string, error) { return c.Info(ctx).Result() },
			})
			ctx := context.Background()
			commands, err := c.Command(ctx).Result()
			if err != nil || len(commands) != len(s.table.Names())-subcommands(s) || commands["zadd"].FirstKeyPos != 1 {
				t.Errorf("COMMAND gives %d commands, %v", len(commands), err)
			}
			if name, err := c.ClientGetName(ctx).Result(); err != nil || name != "test" {
				t.Errorf("the connection is named %q, %v", name, err)
			}
			if pairs, err := c.ConfigGet(ctx, "zset-skiplist-p").Result(); err != nil || pairs["zset-skiplist-p"] != "1/e" {
				t.Errorf("CONFIG GET: %v, %v", pairs, err)
			}
			popped, err := c.ZPopMin(ctx, "board", 5).Result()
			if err != nil || len(popped) != 3 || popped[0].Member != "bob" {
				t.Errorf("popped %v, %v", popped, err)
			}
			if err := c.ZScore(ctx, "board", "bob").Err(); !errors.Is(err, redis.Nil) {
				t.Errorf("a missing member: %v", err)
			}
			var seen []string
			for i := range 100 {
				c.ZAdd(ctx, fmt.Sprint("key", i), redis.Z{Member: "m"})
			}
			for keys := c.Scan(ctx, 0, "key*", 7).Iterator(); keys.Next(ctx); {
				seen = append(seen, keys.Val())
			}
			if len(seen) != 100 {
				t.Errorf("a scan saw %d of 100 keys", len(seen))
			}
			if n, err := c.FlushAll(ctx).Result(); err != nil || n != "OK" {
				t.Errorf("FLUSHALL: %q, %v", n, err)
			}
		})
	}
}

func subcommands(s *running) (n int) {
	for _, name := range s.table.Names() {
		if strings.Contains(name, "|") {
			n++
		}
	}
	return n
}

// rueidis asks for client-side caching unless told not to, and gives up the
// connection when that is refused.
func TestRueidis(t *testing.T) {
	s := start(t)
	c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.addr}, DisableCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	playSession(t, session{
		zadd: func(ctx context.Context, key string, score float64, member string) error {
			return c.Do(ctx, c.B().Zadd().Key(key).ScoreMember().ScoreMember(score, member).Build()).Error()
		},
		zscore: func(ctx context.Context, key, member string) (float64, error) {
			return c.Do(ctx, c.B().Zscore().Key(key).Member(member).Build()).AsFloat64()
		},
		topScores: func(ctx context.Context, key string, n int64) (map[string]float64, error) {
			top := map[string]float64{}
			all, err := c.Do(ctx, c.B().Zrange().Key(key).Min("0").Max(fmt.Sprint(n-1)).Rev().Withscores().Build()).AsZScores()
			for _, z := range all {
				top[z.Member] = z.Score
			}
			return top, err
		},
		infoText: func(ctx context.Context) (string, error) { return c.Do(ctx, c.B().Info().Build()).ToString() },
	})
}

// Many clients add to the same and to different members and keys at once; no
// addition may be lost, and the accounting must come out even.
func TestConcurrentIncrements(t *testing.T) {
	s := start(t, "--zset-max-listpack-entries", "20")
	const workers, rounds, members = 8, 250, 40
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			w := dial(t, s.addr)
			for round := range rounds {
				// Four at a time, so that pipelines of several clients meet.
				member := fmt.Sprint(round % members)
				w.send(string(array("ZINCRBY", "shared", "1", member)) + string(array("ZINCRBY", fmt.Sprint("own", worker), "1", member)) +
					string(array("ZINCRBY", fmt.Sprint("key", round), "1", "m")) + string(array("ZRANGE", "shared", "0", "-1", "WITHSCORES")))
				for range 4 {
					if _, err := readReply(w.in); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	wg.Add(1)
	stop := make(chan struct{})
	go func() { // someone changes the tuning and looks around meanwhile
		defer wg.Done()
		w := dial(t, s.addr)
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
			}
			w.do("CONFIG", "SET", "zset-max-listpack-entries", fmt.Sprint(i%60), "zset-skiplist-p", []string{"1/e", "0.25", "0.5"}[i%3])
			w.do("INFO", "all")
			w.do("CLIENT", "LIST")
			w.do("SCAN", "0", "COUNT", "100")
			w.conn.SetDeadline(time.Now().Add(patience))
		}
	}()
	w := dial(t, s.addr)
	eventually(t, "all workers are done", func() bool {
		return w.do("ZMSCORE", "shared", "0") != "" && s.stats.Command(numberOf(t, s, "zincrby")).Calls.Load() == workers*rounds*3
	})
	close(stop)
	wg.Wait()
	for member := range members {
		want := workers * (rounds / members)
		if member < rounds%members {
			want += workers
		}
		w.expect(bulk(fmt.Sprint(want)), "ZSCORE", "shared", fmt.Sprint(member))
	}
	for round := range rounds {
		w.expect(bulk(fmt.Sprint(workers)), "ZSCORE", fmt.Sprint("key", round), "m")
	}
	w.expect("+OK\r\n", "FLUSHALL")
	if used := s.keyspace.Used(); used != 0 {
		t.Errorf("%d bytes are used by no key", used)
	}
}

func numberOf(t *testing.T, s *running, name string) int {
	t.Helper()
	for i, n := range s.table.Names() {
		if n == name {
			return i
		}
	}
	t.Fatalf("no command %q", name)
	return 0
}

// Tuning changed by CONFIG SET is followed by the next write to any set.
func TestLiveTuning(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect(":3\r\n", "ZADD", "k", "1", "a", "2", "b", "3", "c")
	w.expect(bulk("listpack"), "OBJECT", "ENCODING", "k")
	w.expect("+OK\r\n", "CONFIG", "SET", "zset-max-listpack-entries", "2")
	w.expect(bulk("listpack"), "OBJECT", "ENCODING", "k")
	w.expect(":1\r\n", "ZADD", "k", "4", "d")
	w.expect(bulk("skiplist"), "OBJECT", "ENCODING", "k")
	w.expect("+OK\r\n", "CONFIG", "SET", "zset-max-listpack-entries", "128", "zset-max-listpack-value", "4")
	w.expect(":1\r\n", "ZADD", "short", "1", "abcd")
	w.expect(bulk("listpack"), "OBJECT", "ENCODING", "short")
	w.expect(":1\r\n", "ZADD", "long", "1", "abcde")
	w.expect(bulk("skiplist"), "OBJECT", "ENCODING", "long")
	w.expect("+OK\r\n", "CONFIG", "SET", "zset-skiplist-p", "0.5", "zset-skiplist-max-level", "12")
	if o := s.env.Tuning().Options(); o.P != 0.5 || o.MaxLevel != 12 || o.ListpackMaxValueBytes != 4 {
		t.Errorf("the tuning is %+v", o)
	}
	if got := w.do("CONFIG", "SET", "zset-skiplist-p", "0.9"); !strings.HasPrefix(got, "-ERR CONFIG SET failed") {
		t.Errorf("P = 0.9: %q", got)
	}
}

func TestClientCapabilities(t *testing.T) {
	s := start(t)
	able, other := dial(t, s.addr), dial(t, s.addr)
	able.expect("+OK\r\n", "CLIENT", "SETNAME", "able")
	able.expect("+OK\r\n", "CLIENT", "CAPA", "tomorrows", "redirect")
	if got := other.do("CLIENT", "LIST", "CAPA", "r"); !strings.Contains(got, " name=able ") || strings.Count(got, "id=") != 1 || !strings.Contains(got, " capa=r ") {
		t.Errorf("those able to be redirected: %q", got)
	}
	if got := other.do("CLIENT", "LIST", "NOT-CAPA", "r"); strings.Contains(got, " name=able ") || strings.Count(got, "id=") != 1 {
		t.Errorf("those not able: %q", got)
	}
	other.expect("-ERR Unknown capa found in the provided filter: x\r\n", "CLIENT", "LIST", "CAPA", "x")
	other.expect("-ERR Unknown capa found in the NOT-CAPA filter: x\r\n", "CLIENT", "LIST", "NOT-CAPA", "x")
	able.expect("+RESET\r\n", "RESET")
	other.expect(":0\r\n", "CLIENT", "KILL", "CAPA", "r")
}
