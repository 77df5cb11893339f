//go:build linux && faults

package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"zset.dev/operator/test/faults/link"
	"zset.dev/operator/test/faults/recorder"
)

// spell lets some time go by, in which the weather does its work.
func spell(t *testing.T, r *recorder.Recorder, writes int64) {
	t.Helper()
	must(t, r.Await(limited(t), writes)) // at a rate, so this is a time
}

const spellRate = 3000 // writes a second

func TestReplicaBehindALinkThatIsSlowAndCut(t *testing.T) {
	random := choices(t)
	args := []string{"--repl-backlog-size", "32mb", "--repl-timeout", "10"}
	primary := run(t, Config{Args: args})
	proxy, err := link.NewProxy(primary.Addr)
	must(t, err)
	t.Cleanup(proxy.Close)
	replica := run(t, Config{Args: args})
	must(t, Follow(limited(t), replica, proxy.Addr))
	o := recording(t, primary, random, "recorded")
	o.Rate = spellRate
	r := recorder.Start(o)
	t.Cleanup(r.Stop)
	n, cuts := runs(8, 60), 0
	for i := range n {
		switch kind := random.IntN(4); {
		case kind < 2 || i == 0:
			proxy.Cut()
			cuts++
		case kind == 2:
			proxy.Slow(time.Duration(random.IntN(100))*time.Millisecond, 20_000+random.IntN(400_000))
		default:
			proxy.Freeze()
		}
		spell(t, r, 1+random.Int64N(spellRate))
		proxy.Heal()
		if random.IntN(2) == 0 {
			must(t, Linked(limited(t), replica))
		}
		progress(t, i, n, 10)
	}
	converges(t, primary, replica, r, "a link that is slow, frozen and cut", n, fmt.Sprintf("cut %d times", cuts), 1)
}

// converges has writing end and judges the replica.
func converges(t *testing.T, primary, replica *Server, r *recorder.Recorder, fault string, n int, measured string, atLeast int64) {
	t.Helper()
	r.Stop()
	if n := r.Failed(); n > 0 {
		t.Errorf("%d writes failed: %v", n, r.Errors())
	}
	twins(t, r, primary, replica)
	v := judged(t, r, replica)
	if !v.Faultless() {
		t.Error(v)
	}
	partial, err := primary.InfoInt(limited(t), "stats", "sync_partial_ok")
	must(t, err)
	full, err := primary.InfoInt(limited(t), "stats", "sync_full")
	must(t, err)
	if full != 1 || partial < atLeast {
		t.Errorf("%d full and %d partial syncs; with this backlog 1 and at least %d are enough\nreplica: %s", full, partial, atLeast, replica.Log())
	}
	add(fault, n, v, fmt.Sprintf("%s; %s, %d partial", measured, plural(int(full), "full sync"), partial))
}

// bad is weather of some kind.
func bad(random *rand.Rand) link.Weather {
	return link.Weather{Loss: 0.01 + 0.14*random.Float64(), Kbit: 600 + random.IntN(6000), Delay: random.IntN(80)}
}

func TestReplicaBehindALinkThatLosesPackets(t *testing.T) {
	random := choices(t)
	pair, err := link.NewPair(0)
	if errors.Is(err, link.ErrUnable) {
		t.Skip(err)
	}
	must(t, err)
	t.Cleanup(func() {
		if err := pair.Close(); err != nil {
			t.Error(err)
		}
	})
	at := func(side int) Config {
		return Config{Namespace: pair.Namespaces[side], Addr: pair.Addrs[side] + ":7000", Dial: pair.Dial(side),
			Args: []string{"--repl-backlog-size", "32mb", "--repl-timeout", "2", "--repl-ping-replica-period", "1"}}
	}
	primary, replica := run(t, at(0)), run(t, at(1))
	must(t, Follow(limited(t), replica, primary.Addr))
	o := recording(t, primary, random, "recorded")
	o.Rate = spellRate
	r := recorder.Start(o)
	t.Cleanup(r.Stop)
	n, cuts := runs(4, 30), 0
	var now link.Weather
	for i := range n {
		next := bad(random)
		t.Logf("%v", next)
		must(t, pair.Set(now, next))
		now = next
		spell(t, r, 1+random.Int64N(spellRate))
		if random.IntN(3) == 0 || i == 0 {
			must(t, pair.Cut())
			cuts++
			spell(t, r, spellRate*3+random.Int64N(spellRate)) // longer than the timeout
			must(t, pair.Mend())
		}
	}
	must(t, pair.Set(now, link.Weather{}))
	converges(t, primary, replica, r, "a link that loses packets, is slow and cut ("+pair.How()+")", n, fmt.Sprintf("cut %d times", cuts), 1)
}
