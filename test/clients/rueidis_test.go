//go:build clients

package clients

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/redis/rueidis"
)

func TestRueidis(t *testing.T) {
	const name = "rueidis"
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var c rueidis.Client
	step(t, name, "connect", func() error {
		// Its default asks for CLIENT TRACKING ON OPTIN and gives up when that is refused.
		var err error
		if c, err = rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address(t)}}); err != nil {
			return err
		}
		return c.Do(ctx, c.B().Ping().Build()).Error()
	})
	if c == nil {
		for _, f := range features[1:] {
			table.put(name, f, "no client", "")
		}
		return
	}
	defer c.Close()
	key := func(s string) string { return "rueidis:" + s }
	do := func(words ...string) rueidis.RedisResult { return c.Do(ctx, c.B().Arbitrary(words...).Build()) }

	step(t, name, "commands", func() error {
		k := key("board")
		do("DEL", k)
		if n, err := c.Do(ctx, c.B().Zadd().Key(k).ScoreMember().ScoreMember(1.5, "ada").ScoreMember(2, "bob").Build()).AsInt64(); err != nil || n != 2 {
			return fmt.Errorf("ZADD: %d, %w", n, orNone(err))
		}
		all, err := c.Do(ctx, c.B().Zrange().Key(k).Min("0").Max("-1").Withscores().Build()).AsZScores()
		if err != nil || len(all) != 2 || all[0].Score != 1.5 || all[1].Member != "bob" {
			return fmt.Errorf("ZRANGE: %v, %w", all, orNone(err))
		}
		if s, err := c.Do(ctx, c.B().Zincrby().Key(k).Increment(2).Member("ada").Build()).AsFloat64(); err != nil || s != 3.5 {
			return fmt.Errorf("ZINCRBY: %v, %w", s, orNone(err))
		}
		if err := c.Do(ctx, c.B().Zscore().Key(k).Member("nobody").Build()).Error(); !rueidis.IsRedisNil(err) {
			return fmt.Errorf("ZSCORE of no member: %w", orNone(err))
		}
		return nil
	})
	step(t, name, "pipeline", func() error {
		k := key("pipe")
		do("DEL", k)
		var all rueidis.Commands
		for i := range 500 {
			all = append(all, c.B().Zadd().Key(k).ScoreMember().ScoreMember(float64(i), strconv.Itoa(i)).Build())
		}
		for _, r := range c.DoMulti(ctx, all...) {
			if r.Error() != nil {
				return r.Error()
			}
		}
		if n, err := do("ZCARD", k).AsInt64(); err != nil || n != 500 {
			return fmt.Errorf("%d members: %w", n, orNone(err))
		}
		return nil
	})
	transaction := func(k string, before func() error) ([]rueidis.RedisMessage, error) {
		var got []rueidis.RedisMessage
		err := c.Dedicated(func(d rueidis.DedicatedClient) error {
			if err := d.Do(ctx, d.B().Watch().Key(k).Build()).Error(); err != nil {
				return err
			}
			if err := before(); err != nil {
				return err
			}
			replies := d.DoMulti(ctx, d.B().Multi().Build(), d.B().Zadd().Key(k).ScoreMember().ScoreMember(1, "m").Build(),
				d.B().Zincrby().Key(k).Increment(1).Member("m").Build(), d.B().Exec().Build())
			for _, r := range replies[:3] {
				if r.Error() != nil {
					return r.Error()
				}
			}
			var err error
			got, err = replies[3].ToArray()
			return err
		})
		return got, err
	}
	step(t, name, "transaction", func() error {
		k := key("tx")
		do("DEL", k)
		got, err := transaction(k, func() error { return nil })
		if err != nil || len(got) != 2 {
			return fmt.Errorf("EXEC: %v, %w", got, orNone(err))
		}
		if s, err := got[1].AsFloat64(); err != nil || s != 2 {
			return fmt.Errorf("score %v, %w", s, orNone(err))
		}
		return nil
	})
	step(t, name, "watch", func() error {
		k := key("watch")
		do("DEL", k)
		_, err := transaction(k, func() error { return do("ZADD", k, "1", "x").Error() })
		if !rueidis.IsRedisNil(err) {
			return fmt.Errorf("a watched key changed: %w", orNone(err))
		}
		return nil
	})
	step(t, name, "script", func() error {
		k := key("limit")
		do("DEL", k)
		s := rueidis.NewLuaScript(limiter)
		for i, want := range []int64{1, 1, 0, 0} {
			got, err := s.Exec(ctx, c, []string{k}, []string{strconv.Itoa(1000 + i), "60000", "2"}).AsInt64()
			if err != nil || got != want {
				return fmt.Errorf("call %d: %d, want %d: %w", i, got, want, orNone(err))
			}
		}
		return nil
	})
	step(t, name, "blocking", func() error {
		k := key("queue")
		do("DEL", k)
		popped := make(chan error, 1)
		go func() { // ends with the pop
			z, err := c.Do(ctx, c.B().Bzpopmin().Key(k).Timeout(5).Build()).ToArray()
			if err == nil {
				if s, _ := z[2].AsFloat64(); len(z) != 3 || s != 7 {
					err = fmt.Errorf("popped %v", z)
				}
			}
			popped <- err
		}()
		for {
			select {
			case err := <-popped:
				return fmt.Errorf("did not block: %w", orNone(err))
			default:
			}
			info, err := do("INFO", "clients").ToString()
			if err != nil {
				return err
			}
			if !strings.Contains(info, "blocked_clients:0\r\n") {
				break
			}
		}
		if err := do("ZADD", k, "7", "job").Error(); err != nil {
			return err
		}
		return <-popped
	})
	step(t, name, "tracking", func() error {
		k := key("tracked")
		read := func() (rueidis.RedisResult, float64, error) {
			r := c.DoCache(ctx, c.B().Zscore().Key(k).Member("m").Cache(), time.Minute)
			s, err := r.AsFloat64()
			return r, s, err
		}
		if err := do("ZADD", k, "1", "m").Error(); err != nil {
			return err
		}
		if _, s, err := read(); err != nil || s != 1 {
			return fmt.Errorf("first read: %v, %w", s, orNone(err))
		}
		if r, _, err := read(); err != nil || !r.IsCacheHit() {
			return fmt.Errorf("the second read missed the cache: %w", orNone(err))
		}
		other, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address(t)}, DisableCache: true})
		if err != nil {
			return err
		}
		defer other.Close()
		if err := other.Do(ctx, other.B().Zadd().Key(k).ScoreMember().ScoreMember(2, "m").Build()).Error(); err != nil {
			return err
		}
		for until := time.Now().Add(5 * time.Second); ; {
			if _, s, err := read(); err != nil {
				return err
			} else if s == 2 {
				return nil
			}
			if time.Now().After(until) {
				return fmt.Errorf("no invalidation in 5 s")
			}
		}
	})
	step(t, name, "pubsub", func() error {
		got, listening := make(chan string, 1), make(chan error, 1)
		within, stop := context.WithTimeout(ctx, 10*time.Second)
		defer stop()
		go func() { // ends with the context
			listening <- c.Receive(within, c.B().Subscribe().Channel(key("news")).Build(), func(m rueidis.PubSubMessage) { got <- m.Message })
		}()
		for {
			if n, err := do("PUBLISH", key("news"), "hello").AsInt64(); err != nil {
				return err
			} else if n == 1 {
				break
			}
			select {
			case err := <-listening:
				return orNone(err)
			default:
			}
		}
		select {
		case m := <-got:
			if m != "hello" {
				return fmt.Errorf("got %q", m)
			}
			return nil
		case err := <-listening:
			return orNone(err)
		}
	})
	step(t, name, "scan", func() error {
		k, cursor, n := key("pipe"), uint64(0), 0
		for {
			e, err := c.Do(ctx, c.B().Zscan().Key(k).Cursor(cursor).Count(50).Build()).AsScanEntry()
			if err != nil {
				return err
			}
			n += len(e.Elements) / 2
			if cursor = e.Cursor; cursor == 0 {
				break
			}
		}
		if n < 500 {
			return fmt.Errorf("ZSCAN saw %d of 500", n)
		}
		return nil
	})
}
