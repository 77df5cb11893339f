package node

import (
	"net"
	"strings"
	"testing"

	"zset.dev/operator/node/following"
	"zset.dev/operator/node/replication"
)

// holder is a server as the holder of its shard's record.
func (r *running) holder(epoch int64) following.Holder {
	addr := r.Addr().(*net.TCPAddr)
	return following.Holder{Target: following.Target{Host: "127.0.0.1", Port: addr.Port}, RunID: r.runID, Epoch: epoch}
}

func (r *running) position() replication.Position { return r.env.Replication.Position() }

// Three nodes of a shard by the word of a record, here the test's: each is what the record says, and what only an earlier holder has is
// given up by it.
func TestHolders(t *testing.T) {
	a, b, c := start(t), start(t), start(t)
	for _, r := range []*running{a, b, c} {
		r.env.Following.Stand()
	}
	if got := dial(t, a.addr).do("ZADD", "board", "1", "m"); !strings.HasPrefix(got, "-READONLY ") {
		t.Errorf("a standby takes a write: %q", got)
	}
	promote := func(r *running, epoch int64) {
		t.Helper()
		if _, err := r.env.Following.Promote(epoch); err != nil {
			t.Fatal(err)
		}
	}
	in := func(epoch int64, all ...*running) {
		t.Helper()
		for _, r := range all {
			eventually(t, "the mark of the epoch to come", func() bool { return r.position().Epoch == epoch })
		}
	}
	promote(a, 4)
	for _, r := range []*running{b, c} {
		r.env.Following.FollowHolder(a.holder(4))
	}
	in(4, a, b, c)
	ask(t, a.addr, "ZADD board 1 m")
	caughtUp(t, a.addr, b.addr)
	caughtUp(t, a.addr, c.addr)

	// b takes over. a goes on for a while, as one that does not know.
	b.env.Following.Stand()
	c.env.Following.Stand()
	ask(t, a.addr, "ZADD board 2 lost")
	promote(b, 5)
	ask(t, b.addr, "ZADD board 3 kept")
	c.env.Following.FollowHolder(b.holder(5))
	a.env.Following.FollowHolder(b.holder(5))
	in(5, b, c, a)
	caughtUp(t, b.addr, a.addr)
	caughtUp(t, b.addr, c.addr)
	if got := ask(t, a.addr, "ZRANGE board 0 -1"); got != "m kept" {
		t.Errorf("the one that was primary before has %s", got)
	}
	if full := infoOf(t, b.addr, "stats", "sync_full"); full != "1" {
		t.Errorf("there were %s full synchronisations, one is needed", full)
	}

	// Another process in the holder's place is not followed, whatever it says of its epoch.
	empty := start(t)
	promote(empty, 6)
	wrong := empty.holder(6)
	wrong.RunID = b.runID
	c.env.Following.FollowHolder(wrong)
	eventually(t, "it to be refused", func() bool {
		return strings.Contains(infoOf(t, c.addr, "replication", "master_link_down_reason"), "not the holder")
	})
	if got := ask(t, c.addr, "ZRANGE board 0 -1"); got != "m kept" {
		t.Errorf("after a wrong source it has %s", got)
	}
	promote(b, 7) // whose record was made anew
	c.env.Following.FollowHolder(b.holder(7))
	in(7, b, c)
}

// The position is kept with the data.
func TestPositionAfterRestart(t *testing.T) {
	for _, how := range [][]string{{"--appendonly", "yes", "--appendfsync", "always"}, {"--save", "3600 1000000"}} {
		dir := t.TempDir()
		settings := append([]string{"--dir", dir}, how...)
		first := start(t, settings...)
		first.env.Following.Promote(1)
		first.env.Following.Stand()
		first.env.Following.Promote(3)
		ask(t, first.addr, "ZADD board 1 m")
		want := first.position()
		if want.Epoch != 3 {
			t.Fatalf("%v: position %+v", how, want)
		}
		if how[0] == "--save" {
			ask(t, first.addr, "SAVE")
		}
		first.stop()
		if again := start(t, settings...); again.position() != want {
			t.Errorf("%v: position %+v after a restart, %+v before", how, again.position(), want)
		}
	}
}

// Who is on the list, and comes for all data, gets them once the keeper has it off.
func TestNoFileForWhoIsListed(t *testing.T) {
	k := keeper{make(chan []string), make(chan error)}
	primary := startWith(t, Options{Keeper: k}, "--min-sync-replicas", "1")
	k.expect(t, nil)
	first := joinAs(t, primary.addr, "a")
	first.confirmAlways(true)
	k.expect(t, nil, "a")
	primary.inSyncAre(t, "a")
	again := make(chan *actor)
	go func() { again <- joinAs(t, primary.addr, "a") }()
	select {
	case got := <-k.asked:
		if len(got) != 0 {
			t.Fatalf("the keeper was asked for %q", got)
		}
	case <-again:
		t.Fatal("it gets all data, and the keeper has it on the list")
	}
	primary.inSyncAre(t)
	k.answers <- nil
	(<-again).confirmAlways(true)
	k.expect(t, nil, "a")
}
