//go:build linux && faults

package faults

import (
	"syscall"
	"testing"

	"zset.dev/operator/test/faults/recorder"
)

// inSync waits until so many replicas are.
func inSync(t *testing.T, primary *Server, replicas int64) {
	t.Helper()
	must(t, primary.Until(limited(t), "has its replicas in sync", func() (bool, error) {
		n, err := primary.InfoInt(t.Context(), "replication", "sync_replicas")
		return n == replicas, err
	}))
}

// TestEveryReplicaInSyncHasEverything kills a primary that waits for two replicas, and looks at both.
func TestEveryReplicaInSyncHasEverything(t *testing.T) {
	ours(t)
	random := choices(t)
	var all recorder.Verdict
	n := runs(3, 30)
	for i := range n {
		args := []string{"--min-sync-replicas", "1"}
		primary := run(t, Config{Args: args})
		replicas := []*Server{run(t, Config{Args: args}), run(t, Config{Args: args})}
		for _, r := range replicas {
			must(t, Follow(limited(t), r, primary.Addr))
		}
		inSync(t, primary, 2)
		r := recorder.Start(recording(t, primary, random, "recorded"))
		t.Cleanup(r.Stop)
		must(t, r.Await(limited(t), 1+random.Int64N(6000)))
		primary.Kill()
		r.Stop()
		for _, replica := range replicas {
			must(t, replica.Client().Do(limited(t), "REPLICAOF", "NO", "ONE").Err())
			v := judged(t, r, replica)
			if !v.Faultless() {
				t.Fatalf("run %d: %v", i, v)
			}
			all.Add(v)
			replica.Kill()
		}
	}
	add("primary killed -9 under load, each of two replicas in sync judged", n, all, "")
}

// TestStalledReplicaIsNotReliedOn stops a replica that writers wait for. Nothing is acknowledged without it; it catches up; and what was
// acknowledged before and after is there when the primary is killed.
func TestStalledReplicaIsNotReliedOn(t *testing.T) {
	ours(t)
	random := choices(t)
	args := []string{"--min-sync-replicas", "1", "--sync-replica-timeout", "300"}
	primary, replica := run(t, Config{Args: args}), run(t, Config{Args: args})
	must(t, Follow(limited(t), replica, primary.Addr))
	inSync(t, primary, 1)
	o := recording(t, primary, random, "recorded")
	r := recorder.Start(o)
	t.Cleanup(r.Stop)
	n := runs(3, 20)
	for range n {
		must(t, r.Await(limited(t), 1000))
		must(t, replica.Signal(syscall.SIGSTOP))
		must(t, r.AwaitFailures(limited(t), 200))
		acknowledged := r.Acknowledged()
		must(t, r.AwaitFailures(limited(t), 200))
		if now := r.Acknowledged(); now != acknowledged {
			t.Errorf("%d writes were acknowledged without the only replica", now-acknowledged)
		}
		must(t, replica.Signal(syscall.SIGCONT))
	}
	must(t, r.Await(limited(t), 1000))
	primary.Kill()
	r.Stop()
	must(t, replica.Client().Do(limited(t), "REPLICAOF", "NO", "ONE").Err())
	v := judged(t, r, replica)
	if !v.Faultless() {
		t.Error(v)
	}
	add("replica in sync stopped, and primary killed -9 later", n, v, "errors: "+said(r.Errors()))
}
