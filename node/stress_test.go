package node

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"zset.dev/operator/node/client"
)

// Everything at once: producers by plain writes and by transactions, consumers
// by all blocking pops on several keys in any order, an operator who ends
// waits, subscribers to events, and clients that track. Each element that was
// pushed is popped exactly once, each event is heard once, and nothing is left
// behind.
func TestStress(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	s := start(t, "--notify-keyspace-events", "Ez")
	const producers, consumers, each, queues = 6, 8, 400, 4
	queue := func(rng *rand.Rand) string { return fmt.Sprint("queue", rng.IntN(queues)) }

	events := dial(t, s.addr)
	events.do("PSUBSCRIBE", "__keyevent@0__:zpop*", "end")
	events.reply()
	var pops atomic.Int64 // heard of
	var listeners sync.WaitGroup
	listeners.Go(func() {
		for {
			got := events.reply()
			if strings.Contains(got, bulk("end")) {
				return
			}
			pops.Add(1)
		}
	})
	stop := make(chan struct{})
	var others sync.WaitGroup
	for i := range 2 {
		tracker := tracking(t, s, "NOLOOP")
		rng := rand.New(rand.NewPCG(seed, uint64(100+i)))
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				tracker.send(string(array("ZCARD", queue(rng))))
				for tracker.reply()[0] == '>' {
				}
			}
		})
	}
	ender := dial(t, s.addr)
	others.Go(func() {
		rng := rand.New(rand.NewPCG(seed, 99))
		for {
			select {
			case <-stop:
				return
			default:
			}
			var waiting []uint64
			s.clients.Each(func(cl *client.Client) {
				if cl.Is(client.Blocked) {
					waiting = append(waiting, cl.ID)
				}
			})
			if len(waiting) > 0 {
				ender.do("CLIENT", "UNBLOCK", fmt.Sprint(waiting[rng.IntN(len(waiting))]))
			}
		}
	})

	var mu sync.Mutex
	taken := map[string]int{} // guarded by mu
	var left atomic.Int64
	left.Store(producers * each)
	var calls atomic.Int64 // pops that brought something
	var working sync.WaitGroup
	for i := range consumers {
		w := dial(t, s.addr)
		rng := rand.New(rand.NewPCG(seed, uint64(i)))
		working.Go(func() {
			for left.Load() > 0 {
				keys := []string{queue(rng), queue(rng), queue(rng)}
				var args []string
				switch rng.IntN(4) {
				case 0:
					args = append(append([]string{"BZPOPMIN"}, keys...), "0.05")
				case 1:
					args = append(append([]string{"BZPOPMAX"}, keys...), "0.05")
				case 2:
					args = append(append([]string{"BZMPOP", "0.05", "3"}, keys...), "MIN", "COUNT", strconv.Itoa(1+rng.IntN(3)))
				default:
					args = []string{"ZPOPMIN", keys[0], "2"}
				}
				members := 0
				for _, word := range strings.Split(w.do(args...), "\r\n") {
					if strings.HasPrefix(word, "element-") {
						mu.Lock()
						taken[word]++
						mu.Unlock()
						members++
					}
				}
				if members > 0 {
					calls.Add(1)
					left.Add(int64(-members))
				}
			}
		})
	}
	for i := range producers {
		w := dial(t, s.addr)
		rng := rand.New(rand.NewPCG(seed, uint64(50+i)))
		working.Go(func() {
			for n := 0; n < each; {
				name := func() string { n++; return fmt.Sprintf("element-%d-%d", i, n) }
				score := strconv.Itoa(rng.IntN(10))
				switch {
				case n+2 > each || rng.IntN(3) == 0:
					w.do("ZADD", queue(rng), score, name())
				case rng.IntN(2) == 0:
					to := queue(rng)
					w.transaction("ZADD "+to+" "+score+" "+name(), "ZADD "+queue(rng)+" 5 "+name(), "ZADD vain 1 x", "DEL vain", "BZPOPMIN vain 0")
				default:
					own := fmt.Sprint("own", i)
					w.do("ZADD", own, score, name())
					for w.do("RENAMENX", own, queue(rng)) != ":1\r\n" {
					}
				}
			}
		})
	}
	working.Wait()
	close(stop)
	others.Wait()
	dial(t, s.addr).do("PUBLISH", "end", "")
	listeners.Wait()

	if len(taken) != producers*each {
		t.Errorf("%d different elements were popped of %d", len(taken), producers*each)
	}
	for element, n := range taken {
		if n != 1 {
			t.Errorf("%s was popped %d times", element, n)
		}
	}
	if pops.Load() != calls.Load() {
		t.Errorf("%d pops brought something, %d were heard of", calls.Load(), pops.Load())
	}
	if n := s.keyspace.Len(); n != 0 {
		t.Errorf("%d keys are left", n)
	}
	eventually(t, "nobody waits", func() bool { return s.keyspace.Awaited() == 0 })
}
