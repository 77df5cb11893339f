package replication

import (
	"testing"

	"zset.dev/operator/node/replog"
)

func TestIdentity(t *testing.T) {
	for _, id := range []Identity{
		{Epoch: 0, RunID: "run", History: replog.History{ID: "now"}},
		{Epoch: 3, RunID: "run", At: 3, History: replog.History{ID: "now"}},
		{Foreign: true, Epoch: 2, RunID: "run", At: 1, History: replog.History{ID: "now"}},
		{Epoch: 1 << 40, RunID: "run", History: replog.History{ID: "now", Previous: "before", Until: 4711}},
	} {
		if got, ok := ParseIdentity(id.Answer()); !ok || got != id {
			t.Errorf("%q is read as %+v, %v", id.Answer(), got, ok)
		}
		got, ok := ParseIdentity(id.Stamp())
		if want := (Identity{Epoch: id.Epoch, At: id.Epoch, RunID: id.RunID}); !ok || got != want {
			t.Errorf("%q is read as %+v, %v", id.Stamp(), got, ok)
		}
	}
	for _, other := range []string{"", "OK", "zset", "zset ", "zset epoch=x run-id=a", "zset epoch=-1 run-id=a", "zset epoch=1", "zset run-id=a", "message of a client"} {
		if id, ok := ParseIdentity(other); ok {
			t.Errorf("%q is read as %+v", other, id)
		}
	}
}

func TestIdentityOfAReplicaIsThatOfItsPrimary(t *testing.T) {
	s := New(Options{RunID: "own"})
	s.SetLeader(&Identity{RunID: "other"})
	if got := s.Identity().RunID; got != "other" {
		t.Errorf("as a replica: %s", got)
	}
	s.SetLeader(nil)
	if got := s.Identity().RunID; got != "own" {
		t.Errorf("as a primary: %s", got)
	}
}
