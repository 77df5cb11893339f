//go:build linux && faults

package faults

import (
	"fmt"
	"testing"

	"zset.dev/operator/test/faults/link"
	"zset.dev/operator/test/faults/recorder"
)

// phases of a full sync, by what has come through the link from the primary.
var phases = []struct {
	name string
	rate int   // bytes a second
	from int64 // bytes; at random from here
	to   int64 // to here
}{
	{"handshake", 0, 0, 20},
	{"early transfer", 2 << 20, 20_000, 200_000},
	{"late transfer", 4 << 20, 1_500_000, 2_000_000},
	{"streaming", 0, -1, -1},
}

// The members make a file of a bit more than late transfer ends with.
const syncedSets, syncedMembers = 20, 5_000

func TestKilledInEachPhaseOfAFullSync(t *testing.T) {
	for _, victim := range []string{"replica", "primary"} {
		for _, phase := range phases {
			t.Run(victim+", "+phase.name, func(t *testing.T) {
				random := choices(t)
				n := runs(1, 10)
				var all recorder.Verdict
				for range n {
					primary := run(t, Config{Args: appending("always", "--repl-backlog-size", "1mb")})
					filled(t, primary, syncedSets, syncedMembers)
					proxy, err := link.NewProxy(primary.Addr)
					must(t, err)
					t.Cleanup(proxy.Close)
					o := recording(t, primary, random, "recorded")
					o.Rate = 5000
					r := recorder.Start(o)
					t.Cleanup(r.Stop)
					must(t, r.Await(limited(t), 200))
					replica := run(t, Config{Args: appending("everysec", "--repl-backlog-size", "1mb")})
					proxy.Slow(0, phase.rate)
					must(t, Tell(limited(t), replica, proxy.Addr))
					if phase.from < 0 {
						must(t, Linked(limited(t), replica))
						must(t, r.Await(limited(t), random.Int64N(2000)))
					} else {
						goal := phase.from + random.Int64N(phase.to-phase.from)
						must(t, replica.Until(limited(t), "gets so far", func() (bool, error) {
							_, down := proxy.Passed()
							return down >= goal, nil
						}))
					}
					if victim == "replica" {
						replica.Kill()
						must(t, r.Await(limited(t), 1000)) // the primary goes on, and lets go of what it was sending
						forgotten(t, primary)
						replica = again(t, replica)
						must(t, Tell(limited(t), replica, proxy.Addr))
					} else {
						primary.Kill()
						must(t, r.AwaitFailures(limited(t), 1))
						primary = again(t, primary)
						must(t, r.Await(limited(t), 1000))
					}
					proxy.Heal()
					if rewound(t, replica) { // the primary was killed, and had not written down what the replica has
						must(t, replica.Client().Do(limited(t), "REPLICAOF", "NO", "ONE").Err())
						must(t, Follow(limited(t), replica, proxy.Addr))
					}
					must(t, r.Await(limited(t), 500))
					r.Stop()
					twins(t, r, primary, replica)
					v := judged(t, r, replica)
					if !v.Faultless() {
						t.Fatal(v)
					}
					if have := fullness(t, replica, syncedSets); have != syncedSets*syncedMembers {
						t.Fatalf("of %d members from before the replica has %d", syncedSets*syncedMembers, have)
					}
					all.Add(v)
					primary.Kill()
					replica.Kill()
				}
				add(fmt.Sprintf("%s killed -9 in a full sync, %s", victim, phase.name), n, all, "")
			})
		}
	}
}

// forgotten waits until a primary has no replica.
func forgotten(t *testing.T, primary *Server) {
	t.Helper()
	must(t, primary.Until(limited(t), "forgets its replica", func() (bool, error) {
		n, err := primary.InfoInt(limited(t), "replication", "connected_slaves")
		return n == 0, err
	}))
}
