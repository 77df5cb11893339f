//go:build linux && faults

package faults

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

// window is how much of what was acknowledged last may be lost with appendfsync everysec, by its name one second. A machine that
// is too busy to fsync in time must not fail the test, so what is measured is printed, and only far more is an error.
const window = 5 * time.Second

// recording are the options of a recorder whose shape varies. Its client outlives the server.
func recording(t *testing.T, s *Server, random *rand.Rand, prefix string) recorder.Options {
	client := recorder.Client(s.Addr, s.Dial)
	t.Cleanup(func() { client.Close() })
	return recorder.Options{Client: client, Seed: random.Uint64N(1 << 40), Prefix: prefix, Writers: 1 + random.IntN(6), Transactions: random.IntN(3),
		Keys: 1 + random.IntN(5), Members: 64 + random.IntN(2000), Pipeline: 1 + random.IntN(24)}
}

func TestKilledUnderLoad(t *testing.T) {
	for _, fsync := range []string{"always", "everysec"} {
		t.Run(fsync, func(t *testing.T) {
			random := choices(t)
			s := run(t, Config{Args: appending(fsync)})
			var all recorder.Verdict
			var longest time.Duration
			n := runs(15, 200)
			if fsync != "always" {
				n = runs(5, 50)
			}
			for i := range n {
				r := recorder.Start(recording(t, s, random, fmt.Sprintf("run%d", i)))
				t.Cleanup(r.Stop)
				must(t, r.Await(limited(t), 1+random.Int64N(6000)))
				at := time.Now()
				s.Kill()
				r.Stop()
				s = again(t, s)
				v := judged(t, r, s)
				if !v.Consistent() || fsync == "always" && v.Lost > 0 || v.LostSince(at) > window {
					t.Fatalf("run %d: %v, the oldest acknowledged %v before the kill", i, v, v.LostSince(at))
				}
				longest = max(longest, v.LostSince(at))
				all.Add(v)
				if i%10 == 9 { // else every start takes longer
					must(t, s.Client().FlushAll(t.Context()).Err())
				}
				progress(t, i, n, 20)
			}
			measured := ""
			if longest > 0 {
				measured = "lost since " + ms(longest) + " before the kill"
			}
			add("kill -9 under load, appendfsync "+fsync, n, all, measured)
		})
	}
}

// filled adds members that take a rewrite, a load or a full sync some time.
func filled(t *testing.T, s *Server, sets, members int) {
	t.Helper()
	const each = 500
	for set := range sets {
		pipe := s.Client().Pipeline()
		for at := 0; at < members; at += each {
			args := []any{"ZADD", fmt.Sprintf("filled:%d", set)}
			for i := at; i < min(at+each, members); i++ {
				args = append(args, i, fmt.Sprintf("member:%012d", i))
			}
			pipe.Do(t.Context(), args...)
		}
		_, err := pipe.Exec(t.Context())
		must(t, err)
	}
}

// fullness is how many members filled left there are.
func fullness(t *testing.T, s *Server, sets int) (n int64) {
	t.Helper()
	for set := range sets {
		card, err := s.Client().ZCard(limited(t), fmt.Sprintf("filled:%d", set)).Result()
		must(t, err)
		n += card
	}
	return n
}

func TestKilledWhileRewriting(t *testing.T) {
	random := choices(t)
	const sets, members = 20, 10_000
	s := run(t, Config{Args: appending("always", "--auto-aof-rewrite-percentage", "0")})
	filled(t, s, sets, members)
	var all recorder.Verdict
	n, within := runs(8, 60), 0
	for i := range n {
		r := recorder.Start(recording(t, s, random, fmt.Sprintf("run%d", i)))
		t.Cleanup(r.Stop)
		must(t, r.Await(limited(t), 500))
		must(t, s.Client().BgRewriteAOF(limited(t)).Err())
		must(t, r.Await(limited(t), random.Int64N(800)))
		if busy, err := s.Info(limited(t), "persistence", "aof_rewrite_in_progress"); err == nil && busy == "1" {
			within++
		}
		s.Kill()
		r.Stop()
		s = again(t, s)
		if v := judged(t, r, s); v.Faultless() {
			all.Add(v)
		} else {
			t.Fatalf("run %d: %v", i, v)
		}
		if have := fullness(t, s, sets); have != sets*members {
			t.Fatalf("run %d: of %d members from before %d are there", i, sets*members, have)
		}
		progress(t, i, n, 20)
	}
	add("kill -9 around a rewrite, appendfsync always", n, all, fmt.Sprintf("%d while it ran", within))
}

func TestKilledWhileLoading(t *testing.T) {
	random := choices(t)
	const sets, members = 20, 20_000
	s := run(t, Config{Args: appending("always")})
	filled(t, s, sets, members)
	r := recorder.Start(recording(t, s, random, "before"))
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 5000))
	s.Kill()
	r.Stop()
	n := runs(5, 40)
	for i := range n {
		began := time.Now()
		s = begin(t, s.Config)
		wait := time.Duration(random.Int64N(int64(300 * time.Millisecond)))
		select { // there is no other way to be somewhere within its start
		case <-s.Ended():
			t.Fatalf("it has ended after %v: %s", time.Since(began), s.Log())
		case <-time.After(wait):
		}
		s.Kill()
		progress(t, i, n, 20)
	}
	s = again(t, s)
	v := judged(t, r, s)
	if !v.Faultless() {
		t.Fatal(v)
	}
	if have := fullness(t, s, sets); have != sets*members {
		t.Fatalf("of %d members %d are there", sets*members, have)
	}
	add("kill -9 while loading", n, v, "")
}

// TestLossIsFound kills a server that keeps nothing: the tests here are worth as much as this one.
func TestLossIsFound(t *testing.T) {
	random := choices(t)
	s := run(t, Config{Args: []string{"--appendonly", "no"}})
	r := recorder.Start(recording(t, s, random, "recorded"))
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 2000))
	at := time.Now()
	s.Kill()
	r.Stop()
	v := judged(t, r, again(t, s))
	if v.Lost == 0 || v.LostSince(at) == 0 || !v.Consistent() {
		t.Fatal(v)
	}
	add("kill -9 without persistence, to see losses found", 1, v, "")
}
