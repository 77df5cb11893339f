package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"zset.dev/operator/node/lease"
	"zset.dev/operator/node/peertest"
	"zset.dev/operator/node/shard"
)

// api is what a shard's nodes share, in memory.
type api struct {
	mu        sync.Mutex
	record    lease.Record           // guarded by mu, as are the others
	version   int                    //
	down      map[string]bool        // pods for which it does not answer
	pods      map[string]shard.Sight //
	published []string               // pod/epoch, as they said that they are primary
}

// apiOf is the API as one pod reaches it.
type apiOf struct {
	*api
	pod string
}

var errDown = errors.New("the API does not answer")

// call is one of the API: it holds mu, unless there is an error.
func (a apiOf) call(ctx context.Context) error {
	a.mu.Lock()
	if !a.down[a.pod] && !a.down["*"] {
		return nil
	}
	a.mu.Unlock()
	<-ctx.Done()
	return errDown
}

func (a apiOf) Read(ctx context.Context) (lease.Record, error) {
	if err := a.call(ctx); err != nil {
		return lease.Record{}, err
	}
	defer a.mu.Unlock()
	return a.record, nil
}

func (a apiOf) Write(ctx context.Context, r lease.Record) (string, error) {
	if err := a.call(ctx); err != nil {
		return "", err
	}
	defer a.mu.Unlock()
	if r.Version != a.record.Version {
		return "", lease.ErrRefused
	}
	a.put(r)
	return a.record.Version, nil
}

// put changes the record; mu is held.
func (a *api) put(r lease.Record) {
	a.version++
	r.Version = strconv.Itoa(a.version)
	a.record = r
}

func (a apiOf) Look(ctx context.Context, pods []string) (map[string]shard.Sight, error) {
	if err := a.call(ctx); err != nil {
		return nil, err
	}
	defer a.mu.Unlock()
	all := map[string]shard.Sight{}
	for _, pod := range pods {
		all[pod] = a.pods[pod]
	}
	return all, nil
}

func (a apiOf) Primary(ctx context.Context, epoch int64, _ []string) error {
	if err := a.call(ctx); err != nil {
		return err
	}
	defer a.mu.Unlock()
	a.published = append(a.published, fmt.Sprintf("%s/%d", a.pod, epoch))
	return nil
}

func (a apiOf) Replica(context.Context) error { return nil }

func (a *api) set(pod string, down bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.down[pod] = down
}

func (a *api) now() lease.Record {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.record
}

// shardUnderTest is a shard whose nodes are servers in this process.
type shardUnderTest struct {
	t         *testing.T
	api       *api
	listeners []net.Listener // of each pod, for its first process
	peers     string
	args      []string
	nodes     []*running
}

const shardRetry = 60 * time.Millisecond

// newShard starts a shard of n nodes.
func newShard(t *testing.T, n int, args ...string) *shardUnderTest {
	sh := &shardUnderTest{t: t, api: &api{down: map[string]bool{}, pods: map[string]shard.Sight{}}, args: args, nodes: make([]*running, n)}
	var peers []string
	for i := range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		sh.listeners = append(sh.listeners, l)
		peers = append(peers, fmt.Sprintf("s-%d=%s", i, l.Addr()))
		sh.api.pods[fmt.Sprintf("s-%d", i)] = shard.Sight{UID: fmt.Sprintf("uid%d", i), Started: true}
	}
	sh.peers = strings.Join(peers, ",")
	for i := range n {
		sh.start(i)
	}
	return sh
}

// start starts a pod's process, the first or another, with nothing on its disk.
func (sh *shardUnderTest) start(i int, args ...string) {
	pod := fmt.Sprintf("s-%d", i)
	address := sh.listeners[i].Addr().String()
	_, port, _ := net.SplitHostPort(address)
	a := apiOf{sh.api, pod}
	first := sh.nodes[i] == nil
	o := Options{Shard: &Shard{Store: a, Pods: a, Publisher: a}, Listen: func(network, at string) (net.Listener, error) {
		if at == address && first {
			return sh.listeners[i], nil
		}
		return net.Listen(network, at)
	}}
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	sh.nodes[i] = startWith(sh.t, o, slices.Concat([]string{
		"--port", port, "--shard", "s", "--shard-namespace", "test", "--shard-pod", pod, "--shard-uid", fmt.Sprintf("uid%d", i),
		"--shard-peers", sh.peers, "--shard-size", strconv.Itoa(len(sh.nodes)),
		"--lease-retry-period", ms(shardRetry), "--lease-renew-deadline", ms(6 * shardRetry), "--lease-duration", ms(9 * shardRetry),
		"--sync-replica-timeout", "1000", "--repl-ping-replica-period", "1",
	}, sh.args, args)...)
}

// primary waits until one node of those up serves, and the others are ready, and returns its number.
func (sh *shardUnderTest) primary(up ...int) (p int) {
	sh.t.Helper()
	eventually(sh.t, "a primary, and replicas in sync with it", func() bool {
		serving, ready := 0, 0
		for _, i := range up {
			if m := sh.nodes[i].member.Load(); m != nil && m.Status().Serves {
				serving, p = serving+1, i
			}
			if sh.nodes[i].notReady() == "" {
				ready++
			}
		}
		return serving == 1 && ready == len(up)
	})
	return p
}

// ask sends a command to a node, and returns its answer.
func (sh *shardUnderTest) ask(i int, command string) string {
	sh.t.Helper()
	answer, err := peertest.Ask(sh.nodes[i].addr, strings.Fields(command)...)
	if err != nil {
		sh.t.Fatalf("node %d: %s: %v", i, command, err)
	}
	return answer
}

func TestShardElectsOne(t *testing.T) {
	sh := newShard(t, 3)
	p := sh.primary(0, 1, 2)
	if got := sh.ask(p, "ZADD z 1 a"); got != ":1" {
		t.Fatalf("a write to the primary: %s", got)
	}
	r := sh.api.now()
	if r.Epoch != 1 || r.Holder.Pod != fmt.Sprintf("s-%d", p) || len(r.Electors) != 3 {
		t.Errorf("the record is %+v", r)
	}
	for i := range sh.nodes {
		info := sh.nodes[i].addr
		if got := infoOf(t, info, "shard", "shard_epoch"); got != "1" {
			t.Errorf("node %d: epoch %s", i, got)
		}
		if i == p {
			continue
		}
		if got := sh.ask(i, "ZADD z 2 a"); !strings.HasPrefix(got, "-READONLY") {
			t.Errorf("a write to a replica: %s", got)
		}
		eventually(t, "the write on the replica", func() bool { return sh.ask(i, "ZSCORE z a") == "$1" || strings.Contains(sh.ask(i, "ZSCORE z a"), "1") })
		if got := sh.ask(i, "REPLICAOF NO ONE"); !strings.HasPrefix(got, "-ERR REPLICAOF not allowed in a shard") {
			t.Errorf("REPLICAOF: %s", got)
		}
	}
	sh.api.mu.Lock()
	defer sh.api.mu.Unlock()
	if want := fmt.Sprintf("s-%d/1", p); !slices.Equal(sh.api.published, []string{want}) {
		t.Errorf("published %v, want %s", sh.api.published, want)
	}
}

func TestShardOutlivesItsPrimary(t *testing.T) {
	sh := newShard(t, 3, "--min-sync-replicas", "1")
	was := sh.primary(0, 1, 2)
	up := []int{0, 1, 2}
	for round := range 2 {
		for i := range 50 {
			if got := sh.ask(was, fmt.Sprintf("ZADD z %d r%d-%d", i, round, i)); got != ":1" {
				t.Fatal(got)
			}
		}
		sh.kill(was)
		up = slices.DeleteFunc(up, func(i int) bool { return i == was })
		now := sh.primary(up...)
		if got := sh.ask(now, "ZCARD z"); got != fmt.Sprintf(":%d", 50*(round+1)) {
			t.Fatalf("after round %d there are %s", round, got)
		}
		if epoch := sh.api.now().Epoch; epoch != int64(round+2) {
			t.Errorf("epoch %d after round %d", epoch, round)
		}
		if round == 0 { // the pod has another process, with nothing
			sh.start(was)
			up = append(up, was)
			if again := sh.primary(up...); again != now {
				t.Fatalf("node %d is primary, not %d", again, now)
			}
			eventually(t, "everything on the one that came again", func() bool { return sh.ask(was, "ZCARD z") == ":50" })
		}
		was = now
	}
}

// An empty process that takes the place of the primary at once wipes nobody, however fast it is.
func TestShardRestartedEmpty(t *testing.T) {
	sh := newShard(t, 2, "--min-sync-replicas", "1")
	was := sh.primary(0, 1)
	if got := sh.ask(was, "ZADD z 1 a"); got != ":1" {
		t.Fatal(got)
	}
	sh.kill(was)
	sh.start(was)
	if now := sh.primary(0, 1); now == was {
		t.Error("the empty one is primary")
	}
	for i := range sh.nodes {
		eventually(t, "the data on both", func() bool { return sh.ask(i, "ZCARD z") == ":1" })
	}
}

func TestShardWithoutAPI(t *testing.T) {
	sh := newShard(t, 3)
	p := sh.primary(0, 1, 2)
	for _, who := range []string{"*", fmt.Sprintf("s-%d", p)} {
		sh.api.set(who, true)
		until := time.Now().Add(30 * shardRetry)
		for n := 0; time.Now().Before(until); n++ {
			if got := sh.ask(p, fmt.Sprintf("ZADD z %d m", n)); !strings.HasPrefix(got, ":") {
				t.Fatalf("the API is away for %s, and a write is answered %s", who, got)
			}
		}
		sh.api.set(who, false)
		if now := sh.primary(0, 1, 2); now != p {
			t.Fatalf("node %d is primary, not %d", now, p)
		}
	}
}

// Without the API and without an elector's promise a primary stops in time, and another takes over.
func TestShardFencesItself(t *testing.T) {
	sh := newShard(t, 2)
	p := sh.primary(0, 1)
	if got := sh.ask(p, "ZADD z 1 a"); got != ":1" {
		t.Fatal(got)
	}
	sh.api.set(fmt.Sprintf("s-%d", p), true)
	if got := sh.ask(1-p, "ACL SETUSER default -shard|promise"); got != "+OK" { // it gives no promise
		t.Fatal(got)
	}
	eventually(t, "the other to take over", func() bool { return sh.nodes[1-p].member.Load().Status().Serves })
	if sh.nodes[p].member.Load().Status().Serves {
		t.Error("both serve")
	}
	if got := sh.ask(p, "ZADD z 2 a"); !strings.HasPrefix(got, "-READONLY") {
		t.Errorf("the fenced primary answers %s", got)
	}
	if got := sh.ask(p, "ZSCORE z a"); strings.HasPrefix(got, "-") {
		t.Errorf("it does not let read: %s", got)
	}
	sh.api.set(fmt.Sprintf("s-%d", p), false)
	if now := sh.primary(0, 1); now != 1-p {
		t.Errorf("node %d is primary", now)
	}
}

func TestShardRecordEditedByHand(t *testing.T) {
	sh := newShard(t, 2)
	defer func() {
		if t.Failed() {
			for i, n := range sh.nodes {
				t.Logf("node %d: %+v %s\n%s", i, n.member.Load().Status(), n.notReady(), n.log)
			}
			t.Logf("record: %+v", sh.api.now())
		}
	}()
	sh.primary(0, 1)
	epoch := sh.api.now().Epoch
	for _, edit := range []struct {
		what string
		how  func(r *lease.Record)
	}{
		{"deleted", func(r *lease.Record) { *r = lease.Record{} }},
		{"epoch set back", func(r *lease.Record) { r.Epoch = 0 }},
		{"electors removed", func(r *lease.Record) { r.Electors = nil }},
		{"given to nobody that exists", func(r *lease.Record) { r.Holder = lease.Identity{Pod: "x", UID: "y", Run: "z"} }},
	} {
		sh.api.mu.Lock()
		r := sh.api.record
		edit.how(&r)
		sh.api.put(r)
		if edit.what == "deleted" {
			sh.api.record = lease.Record{}
		}
		edited := sh.api.record.Version
		sh.api.mu.Unlock()
		eventually(t, "the record written again after it was "+edit.what, func() bool {
			r := sh.api.now()
			return r.Version != edited && (r.Holder.UID == "uid0" || r.Holder.UID == "uid1")
		})
		p := sh.primary(0, 1)
		if got := sh.ask(p, "ZADD z 1 a"); !strings.HasPrefix(got, ":") {
			t.Errorf("%s: a write is answered %s", edit.what, got)
		}
		r = sh.api.now()
		if r.Epoch < epoch {
			t.Errorf("%s: the epoch went from %d to %d", edit.what, epoch, r.Epoch)
		}
		epoch = r.Epoch
	}
}

func TestShardOfOne(t *testing.T) {
	sh := newShard(t, 1)
	sh.primary(0)
	if got := sh.ask(0, "ZADD z 1 a"); got != ":1" {
		t.Error(got)
	}
	sh.api.set("*", true)
	until := time.Now().Add(20 * shardRetry)
	for time.Now().Before(until) {
		if got := sh.ask(0, "ZADD z 1 a"); got != ":0" {
			t.Fatal(got)
		}
	}
}
