//go:build linux && faults

package faults

import (
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"zset.dev/operator/test/faults/recorder"
)

// twins waits until a replica is where its primary is, which nobody writes to any more, and says so unless both hold the same.
func twins(t *testing.T, r *recorder.Recorder, primary, replica *Server) {
	t.Helper()
	must(t, Alike(limited(t), primary, replica))
	one, err := r.Read(limited(t), primary.Client())
	must(t, err)
	other, err := r.Read(limited(t), replica.Client())
	must(t, err)
	if !same(one, other) {
		t.Errorf("primary and replica are at the same offset and differ: %s", difference(other, one))
	}
}

// TestPairIsRestarted kills replica and primary in turn, under load, and starts each again with what it has on disk. A replica goes on
// where it was; a primary that lost what its replica already has does not have it believed.
func TestPairIsRestarted(t *testing.T) {
	random := choices(t)
	primary := run(t, Config{Args: appending("always", "--repl-backlog-size", "32mb")})
	host, port, err := net.SplitHostPort(primary.Addr)
	must(t, err)
	replica := run(t, Config{Args: appending("everysec", "--repl-backlog-size", "32mb", "--replicaof", host, port)})
	must(t, Linked(limited(t), replica))
	var all recorder.Verdict
	n, resumed, byHand := runs(6, 60), 0, 0
	anew := true // the replica got all data last time, and perhaps had no time to write that down
	for i := range n {
		o := recording(t, primary, random, fmt.Sprintf("run%d", i))
		o.Rate = 10_000
		r := recorder.Start(o)
		t.Cleanup(r.Stop)
		must(t, r.Await(limited(t), 1+random.Int64N(3000)))
		full, err := primary.InfoInt(limited(t), "stats", "sync_full")
		must(t, err)
		if i%2 == 0 {
			replica.Kill()
			must(t, r.Await(limited(t), 1+random.Int64N(1000)))
			replica = again(t, replica)
		} else {
			primary.Kill()
			primary, full = again(t, primary), 0
		}
		if rewound(t, replica) {
			if i%2 == 0 && !anew { // else its disk may say that it was a primary just before
				t.Errorf("run %d: a replica that was restarted refuses its primary\n%s", i, replica.Log())
			}
			byHand++
			must(t, replica.Client().Do(limited(t), "REPLICAOF", "NO", "ONE").Err())
			must(t, Follow(limited(t), replica, primary.Addr))
		}
		must(t, r.Await(limited(t), 500))
		r.Stop()
		twins(t, r, primary, replica)
		v := judged(t, r, replica)
		if !v.Faultless() {
			t.Fatalf("run %d: %v", i, v)
		}
		all.Add(v)
		now, err := primary.InfoInt(limited(t), "stats", "sync_full")
		must(t, err)
		if now == full {
			resumed++
		} else if i%2 == 0 && system.Ours() && !anew {
			t.Errorf("run %d: a replica that was restarted got all data again\n%s", i, replica.Log())
		}
		anew = now != full
		progress(t, i, n, 10)
	}
	add("replica and primary killed -9 in turn and restarted", n, all, fmt.Sprintf("%d went on where they were; %d refused a primary that had lost what they had, until told by hand", resumed, byHand))
}

// rewound waits until a replica follows, or says that its primary is none for it.
func rewound(t *testing.T, replica *Server) (refused bool) {
	t.Helper()
	must(t, replica.Until(limited(t), "follows", func() (bool, error) {
		state, err := replica.Info(t.Context(), "replication", "master_link_status")
		log := replica.Log()
		at := strings.LastIndex(log, "the primary is refused: ")
		refused = at >= 0 && !strings.Contains(log[at:], "following the primary")
		return err == nil && state == "up" || refused, nil
	}))
	return refused
}

// TestFollowingByHandOutlivesARestart makes a replica a primary for a moment, of which the other knows nothing.
func TestFollowingByHandOutlivesARestart(t *testing.T) {
	primary := run(t, Config{Args: appending("always")})
	host, port, err := net.SplitHostPort(primary.Addr)
	must(t, err)
	replica := run(t, Config{Args: appending("everysec", "--replicaof", host, port)})
	must(t, Linked(limited(t), replica))
	must(t, replica.Client().Do(limited(t), "REPLICAOF", "NO", "ONE").Err())
	must(t, replica.Client().ZAddArgs(limited(t), "own", redis.ZAddArgs{Members: []redis.Z{{Score: 1, Member: "m"}}}).Err())
	must(t, Follow(limited(t), replica, primary.Addr))
	replica.Kill()
	replica = again(t, replica)
	must(t, Linked(limited(t), replica))
	if n, err := replica.Client().Exists(limited(t), "own").Result(); n != 0 || err != nil {
		t.Errorf("what it wrote as a primary is still there: %d, %v", n, err)
	}
}
