//go:build clients

package clients

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/push"
)

// limiter is a sliding-window rate limiter as users write it: the window is a
// sorted set of the times of what was let through.
const limiter = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`

func TestGoRedis(t *testing.T) {
	const name = "go-redis"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := redis.NewClient(&redis.Options{Addr: address(t)})
	defer c.Close()
	key := func(s string) string { return "goredis:" + s }

	step(t, name, "connect", func() error {
		if err := c.Ping(ctx).Err(); err != nil {
			return err
		}
		info, err := c.ClientInfo(ctx).Result()
		if err != nil {
			return err
		}
		if info.Resp != 3 || !strings.HasPrefix(info.LibName, "go-redis") {
			return fmt.Errorf("the server has resp=%d lib-name=%q of this client", info.Resp, info.LibName)
		}
		return nil
	})
	step(t, name, "commands", func() error {
		k := key("board")
		c.Del(ctx, k)
		if n, err := c.ZAdd(ctx, k, redis.Z{Score: 1.5, Member: "ada"}, redis.Z{Score: 2, Member: "bob"}).Result(); err != nil || n != 2 {
			return fmt.Errorf("ZADD: %d, %w", n, err)
		}
		all, err := c.ZRangeWithScores(ctx, k, 0, -1).Result()
		if err != nil || len(all) != 2 || all[0].Score != 1.5 || all[1].Member != "bob" {
			return fmt.Errorf("ZRANGE: %v, %w", all, err)
		}
		if s, err := c.ZIncrBy(ctx, k, 2, "ada").Result(); err != nil || s != 3.5 {
			return fmt.Errorf("ZINCRBY: %v, %w", s, err)
		}
		if r, err := c.ZRevRankWithScore(ctx, k, "ada").Result(); err != nil || r.Rank != 0 || r.Score != 3.5 {
			return fmt.Errorf("ZREVRANK WITHSCORE: %v, %w", r, err)
		}
		if err := c.ZScore(ctx, k, "nobody").Err(); !errors.Is(err, redis.Nil) {
			return fmt.Errorf("ZSCORE of no member: %w", err)
		}
		if _, err := c.ZUnionWithScores(ctx, redis.ZStore{Keys: []string{k, k}}).Result(); err != nil {
			return fmt.Errorf("ZUNION: %w", err)
		}
		return nil
	})
	step(t, name, "pipeline", func() error {
		k := key("pipe")
		c.Del(ctx, k)
		var last *redis.IntCmd
		_, err := c.Pipelined(ctx, func(p redis.Pipeliner) error {
			for i := range 500 {
				p.ZAdd(ctx, k, redis.Z{Score: float64(i), Member: i})
			}
			last = p.ZCard(ctx, k)
			return nil
		})
		if err != nil || last.Val() != 500 {
			return fmt.Errorf("%d members: %w", last.Val(), err)
		}
		return nil
	})
	step(t, name, "transaction", func() error {
		k := key("tx")
		c.Del(ctx, k)
		var score *redis.FloatCmd
		_, err := c.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.ZAdd(ctx, k, redis.Z{Score: 1, Member: "m"})
			score = p.ZIncrBy(ctx, k, 1, "m")
			return nil
		})
		if err != nil || score.Val() != 2 {
			return fmt.Errorf("score %v: %w", score.Val(), err)
		}
		return nil
	})
	step(t, name, "watch", func() error {
		k := key("watch")
		c.Del(ctx, k)
		attempt := func(disturb bool) error {
			return c.Watch(ctx, func(tx *redis.Tx) error {
				if disturb {
					if err := c.ZAdd(ctx, k, redis.Z{Score: 1, Member: "x"}).Err(); err != nil {
						return err
					}
				}
				_, err := tx.TxPipelined(ctx, func(p redis.Pipeliner) error { p.ZAdd(ctx, k, redis.Z{Score: 2, Member: "y"}); return nil })
				return err
			}, k)
		}
		if err := attempt(true); !errors.Is(err, redis.TxFailedErr) {
			return fmt.Errorf("a watched key changed: %w", orNone(err))
		}
		return attempt(false)
	})
	step(t, name, "script", func() error {
		k := key("limit")
		c.Del(ctx, k)
		s := redis.NewScript(limiter)
		for i, want := range []int{1, 1, 0, 0} {
			got, err := s.Run(ctx, c, []string{k}, 1000+i, 60000, 2).Int()
			if err != nil || got != want {
				return fmt.Errorf("call %d: %d, want %d: %w", i, got, want, orNone(err))
			}
		}
		if ok, err := s.Exists(ctx, c).Result(); err != nil || !slices.Equal(ok, []bool{true}) {
			return fmt.Errorf("SCRIPT EXISTS: %v, %w", ok, orNone(err))
		}
		return nil
	})
	step(t, name, "blocking", func() error {
		k := key("queue")
		c.Del(ctx, k)
		popped := make(chan error, 1)
		go func() { // ends with the pop
			z, err := c.BZPopMin(ctx, 5*time.Second, k).Result()
			if err == nil && (z.Key != k || z.Member != "job" || z.Score != 7) {
				err = fmt.Errorf("popped %v", z)
			}
			popped <- err
		}()
		if err := waitBlocked(ctx, c, popped); err != nil {
			return err
		}
		if err := c.ZAdd(ctx, k, redis.Z{Score: 7, Member: "job"}).Err(); err != nil {
			return err
		}
		if err := <-popped; err != nil {
			return err
		}
		if err := c.BZPopMax(ctx, time.Second, k).Err(); !errors.Is(err, redis.Nil) {
			return fmt.Errorf("nothing to pop: %w", orNone(err))
		}
		return nil
	})
	step(t, name, "tracking", func() error {
		// The client has no cache of its own by default: track by hand and listen for the invalidation.
		k := key("tracked")
		c.ZAdd(ctx, k, redis.Z{Score: 1, Member: "m"})
		tracker := redis.NewClient(&redis.Options{Addr: address(t), PoolSize: 1})
		defer tracker.Close()
		stale := make(invalidations, 8)
		if err := tracker.RegisterPushNotificationHandler("invalidate", stale, false); err != nil {
			return err
		}
		if err := tracker.Do(ctx, "client", "tracking", "on").Err(); err != nil {
			return err
		}
		if err := tracker.ZScore(ctx, k, "m").Err(); err != nil {
			return err
		}
		if err := c.ZAdd(ctx, k, redis.Z{Score: 2, Member: "m"}).Err(); err != nil {
			return err
		}
		for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
			if err := tracker.Ping(ctx).Err(); err != nil { // pushes are read beside replies
				return err
			}
			select {
			case got := <-stale:
				if got != k {
					return fmt.Errorf("invalidation of %q", got)
				}
				return cachedRead(ctx, c, address(t), k, 2)
			default:
			}
		}
		return fmt.Errorf("no invalidation in 5 s")
	})
	step(t, name, "pubsub", func() error {
		sub := c.PSubscribe(ctx, key("news.*"))
		defer sub.Close()
		if _, err := sub.Receive(ctx); err != nil {
			return err
		}
		if n, err := c.Publish(ctx, key("news.a"), "hello").Result(); err != nil || n != 1 {
			return fmt.Errorf("PUBLISH reached %d: %w", n, orNone(err))
		}
		m, err := sub.ReceiveMessage(ctx)
		if err != nil || m.Payload != "hello" {
			return fmt.Errorf("%v: %w", m, orNone(err))
		}
		shard := c.SSubscribe(ctx, key("shard"))
		defer shard.Close()
		if _, err := shard.Receive(ctx); err != nil {
			return err
		}
		if n, err := c.SPublish(ctx, key("shard"), "hello").Result(); err != nil || n != 1 {
			return fmt.Errorf("SPUBLISH reached %d: %w", n, orNone(err))
		}
		return nil
	})
	step(t, name, "scan", func() error {
		k := key("scan")
		c.Del(ctx, k)
		for i := range 300 {
			if err := c.ZAdd(ctx, k, redis.Z{Score: float64(i), Member: fmt.Sprint("m", i)}).Err(); err != nil {
				return err
			}
		}
		seen := map[string]bool{}
		it := c.ZScan(ctx, k, 0, "m*", 50).Iterator()
		for it.Next(ctx) {
			seen[it.Val()] = true
			it.Next(ctx) // the score
		}
		if it.Err() != nil || len(seen) != 300 {
			return fmt.Errorf("ZSCAN saw %d of 300: %w", len(seen), orNone(it.Err()))
		}
		keys := c.Scan(ctx, 0, key("*"), 10).Iterator()
		found := false
		for keys.Next(ctx) {
			found = found || keys.Val() == k
		}
		if keys.Err() != nil || !found {
			return fmt.Errorf("SCAN found it: %v: %w", found, orNone(keys.Err()))
		}
		return nil
	})
}

// cachedRead reads a score through a client with its cache on, and once it has
// changed until the cache knows.
func cachedRead(ctx context.Context, c *redis.Client, addr, key string, score float64) error {
	caching := redis.NewClient(&redis.Options{Addr: addr, ClientSideCacheConfig: &redis.ClientSideCacheConfig{}})
	defer caching.Close()
	for range 2 {
		if s, err := caching.ZScore(ctx, key, "m").Result(); err != nil || s != score {
			return fmt.Errorf("with its cache on: %v, %w", s, orNone(err))
		}
	}
	if err := c.ZAdd(ctx, key, redis.Z{Score: score + 1, Member: "m"}).Err(); err != nil {
		return err
	}
	for until := time.Now().Add(5 * time.Second); time.Now().Before(until); {
		if s, err := caching.ZScore(ctx, key, "m").Result(); err != nil || s == score+1 {
			return err
		}
	}
	return fmt.Errorf("with its cache on: stale for 5 s")
}

// invalidations takes the keys the server says have changed.
type invalidations chan string

func (i invalidations) HandlePushNotification(_ context.Context, _ push.NotificationHandlerContext, notification []any) error {
	if keys, ok := notification[len(notification)-1].([]any); ok {
		for _, k := range keys {
			i <- fmt.Sprint(k)
		}
	}
	return nil
}

var errNone = errors.New("no error")

// orNone makes a nil error printable in a sentence.
func orNone(err error) error {
	if err == nil {
		return errNone
	}
	return err
}

// waitBlocked waits until the server has a blocked client, or the call that was
// to block has ended.
func waitBlocked(ctx context.Context, c *redis.Client, ended chan error) error {
	for {
		select {
		case err := <-ended:
			return fmt.Errorf("did not block: %w", orNone(err))
		default:
		}
		info, err := c.Info(ctx, "clients").Result()
		if err != nil {
			return err
		}
		if strings.Contains(info, "blocked_clients:") && !strings.Contains(info, "blocked_clients:0\r\n") {
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
	}
}
