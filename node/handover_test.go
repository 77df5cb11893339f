package node

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zset.dev/operator/node/command"
)

// board lets some clients write, each to a set of its own, the next score once the one before was acknowledged. They write where the
// record's holder was last made known, and try once more, a moment later, when that fails.
type board struct {
	sh      *shardUnderTest
	writers sync.WaitGroup
	end     chan struct{}
	acked   []atomic.Int64 // the last score that was acknowledged, of each
	failed  atomic.Int64   // writes that failed twice
	again   atomic.Int64   // writes that were tried once more
	longest atomic.Int64   // nanoseconds that a write took, the second try included
}

func newBoard(sh *shardUnderTest, n int) *board {
	b := &board{sh: sh, end: make(chan struct{}), acked: make([]atomic.Int64, n)}
	for i := range n {
		b.writers.Go(func() { b.write(i) })
	}
	return b
}

func (b *board) write(i int) {
	var conn *wire
	defer func() {
		if conn != nil {
			conn.conn.Close()
		}
	}()
	try := func(score int64) bool {
		if conn == nil {
			socket, err := net.Dial("tcp", b.sh.known())
			if err != nil {
				return false
			}
			conn = newWire(b.sh.t, socket)
		}
		conn.conn.SetDeadline(time.Now().Add(patience))
		conn.conn.Write(array("ZADD", fmt.Sprint("board", i), fmt.Sprint(score), "m"))
		reply, err := readReply(conn.in)
		if err != nil || strings.HasPrefix(reply, "-") {
			conn.conn.Close()
			conn = nil
			return false
		}
		return true
	}
	for score := int64(1); ; score++ {
		select {
		case <-b.end:
			return
		default:
		}
		began := time.Now()
		ok := try(score)
		if !ok {
			b.again.Add(1)
			ok = try(score)
		}
		if took := int64(time.Since(began)); took > b.longest.Load() {
			b.longest.Store(took)
		}
		if ok {
			b.acked[i].Store(score)
		} else {
			b.failed.Add(1)
		}
	}
}

// check ends the writers and reports how much of what was acknowledged is missing.
func (b *board) check(t *testing.T, primary int) {
	t.Helper()
	close(b.end)
	b.writers.Wait()
	for i := range b.acked {
		want := b.acked[i].Load()
		if want == 0 {
			t.Errorf("writer %d wrote nothing", i)
		}
		if got := b.sh.score(primary, fmt.Sprint("board", i)); got < want {
			t.Errorf("writer %d was told %d, and there is %d", i, want, got)
		}
	}
	t.Logf("tried again %d, failed %d, longest write %v", b.again.Load(), b.failed.Load(), time.Duration(b.longest.Load()))
	if b.failed.Load() > 0 {
		t.Errorf("%d writes failed twice", b.failed.Load())
	}
}

// known is where clients are sent: the address of who was last made known as the primary.
func (sh *shardUnderTest) known() string {
	sh.api.mu.Lock()
	defer sh.api.mu.Unlock()
	last := sh.api.published[len(sh.api.published)-1]
	i, _ := strconv.Atoi(last[len("s-"):strings.Index(last, "/")])
	return sh.listeners[i].Addr().String()
}

// score is what a set has for its one member.
func (sh *shardUnderTest) score(i int, key string) (score int64) {
	sh.t.Helper()
	score, err := strconv.ParseInt(sh.ask(i, "ZSCORE "+key+" m"), 10, 64)
	if err != nil {
		sh.t.Errorf("%s of node %d: %v", key, i, err)
	}
	return score
}

// Writers that try once more what failed notice nothing of a hand-over, neither of one that is asked for nor of the stop of a primary;
// nothing that they were told is lost, with or without replicas in sync.
func TestHandOverUnderLoad(t *testing.T) {
	for _, sync := range []string{"0", "1"} {
		t.Run("min-sync-replicas "+sync, func(t *testing.T) {
			sh := newShard(t, 3, "--min-sync-replicas", sync)
			was := sh.primary(0, 1, 2)
			b := newBoard(sh, 8)
			eventually(t, "writes", func() bool { return b.acked[7].Load() > 100 })
			to := (was + 1) % 3
			host, port, _ := net.SplitHostPort(sh.nodes[to].addr)
			if got := sh.ask(was, "FAILOVER TO "+host+" "+port+" TIMEOUT 5000"); got != "+OK" {
				t.Fatal(got)
			}
			eventually(t, "the other one to be primary", func() bool { return sh.primary(0, 1, 2) == to })
			eventually(t, "the hand-over to end", func() bool { return infoOf(t, sh.nodes[was].addr, "shard", "shard_handover") == "none" })
			before := b.acked[7].Load()
			eventually(t, "writes", func() bool { return b.acked[7].Load() > before+100 })
			fulls := func(i int) string { return infoOf(t, sh.nodes[i].addr, "stats", "sync_full") }
			if fulls(to) != "0" {
				t.Error("a full synchronisation after a hand-over")
			}
			was = to
			served := []string{fulls(0), fulls(1), fulls(2)}

			sh.nodes[was].stop()
			up := slices.DeleteFunc([]int{0, 1, 2}, func(i int) bool { return i == was })
			p := sh.primary(up...)
			before = b.acked[7].Load()
			eventually(t, "writes", func() bool { return b.acked[7].Load() > before+100 })
			b.check(t, p)
			if epoch := sh.api.now().Epoch; epoch != 3 {
				t.Errorf("epoch %d after two hand-overs", epoch)
			}
			if fulls(p) != served[p] {
				t.Error("a full synchronisation after the stop of a primary")
			}
		})
	}
}

// kill ends a node as a crash would: it hands nothing over, and tells nobody.
func (sh *shardUnderTest) kill(i int) {
	sh.nodes[i].beginStop(command.Shutdown{Now: true, NoSave: true})
	sh.nodes[i].stop()
}

// A replica that stops takes leave: it is off the record at once, and no write waits for it.
func TestReplicaTakesLeave(t *testing.T) {
	sh := newShard(t, 3, "--min-sync-replicas", "1", "--sync-replica-timeout", "20000")
	p := sh.primary(0, 1, 2)
	gone := (p + 1) % 3
	sh.nodes[gone].stop()
	if r := sh.api.now(); len(r.Electors) != 2 || r.Holder.Pod != fmt.Sprint("s-", p) {
		t.Errorf("the record is %+v", r)
	}
	began := time.Now()
	if got := sh.ask(p, "ZADD board 1 m"); got != ":1" {
		t.Error(got)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("a write waited for %v", took)
	}
	if got := sh.ask(p, "SHARD LEAVE nobody"); got != "+OK" {
		t.Errorf("who is not on the list takes leave: %s", got)
	}
}

// What is under way when a hand-over comes: a transaction and a script are held and then sent away like any write, who is blocked is sent
// away then, too, and none of them has been done in part. Reads go on.
func TestHandOverMeets(t *testing.T) {
	sh := newShard(t, 2)
	p := sh.primary(0, 1)
	addr := sh.nodes[p].addr
	blocked, waiting, queued, reader := dial(t, addr), dial(t, addr), dial(t, addr), dial(t, addr)
	blocked.conn.Write(array("BZPOPMIN", "nothing", "0"))
	waiting.do("ZADD", "board", "1", "m")
	waiting.conn.Write(array("WAIT", "5", "0"))
	queued.do("MULTI")
	queued.do("ZADD", "board", "2", "m")
	eventually(t, "both to be blocked", func() bool { return infoOf(t, addr, "clients", "blocked_clients") == "2" })
	if got := sh.ask(p, "FAILOVER"); got != "+OK" {
		t.Fatal(got)
	}
	if got := sh.ask(p, "FAILOVER"); got != "-ERR FAILOVER already in progress." {
		t.Errorf("a second one at once: %s", got)
	}
	eventually(t, "the record to be given up", func() bool { return sh.api.now().Holder.Pod != fmt.Sprint("s-", p) })
	queued.conn.Write(array("EXEC"))
	if got := reader.do("ZSCORE", "board", "m"); !strings.HasPrefix(got, "$") {
		t.Errorf("a read meanwhile: %q", got)
	}
	for name, w := range map[string]*wire{"blocked": blocked, "WAIT": waiting, "EXEC": queued} {
		if reply, err := readReply(w.in); err == nil {
			t.Errorf("%s: answered %q", name, reply)
		}
	}
	now := sh.primary(0, 1)
	if now == p {
		t.Fatal("the same primary")
	}
	if got := sh.score(now, "board"); got != 1 {
		t.Errorf("score %d: a part of what was sent away was done", got)
	}
	if got := sh.ask(now, "ZADD nothing 1 m"); got != ":1" { // nobody waits for it any more
		t.Error(got)
	}
	if got := sh.ask(now, "ZCARD nothing"); got != ":1" {
		t.Errorf("%s members: somebody who waited was served", got)
	}
}

// A hand-over that cannot be done leaves everything as it was, and says why.
func TestHandOverRefused(t *testing.T) {
	sh := newShard(t, 2)
	p := sh.primary(0, 1)
	other := 1 - p
	for command, want := range map[string]string{
		"FAILOVER TO nowhere 1":                  "-ERR FAILOVER target HOST and PORT is not a replica in sync.",
		"FAILOVER TO s-9 6379 FORCE TIMEOUT 100": "-ERR FAILOVER FORCE is not possible in a shard: only a replica that has everything can take over.",
		"FAILOVER ABORT":                         "-ERR No failover in progress.",
		fmt.Sprint("FAILOVER TO s-", p, " 1"):    "-ERR FAILOVER target HOST and PORT is not a replica in sync.",
		"FAILOVER TIMEOUT 0":                     "-ERR FAILOVER timeout must be greater than 0",
	} {
		if got := sh.ask(p, command); got != want {
			t.Errorf("%s: %s", command, got)
		}
	}
	if got := sh.ask(other, "FAILOVER"); got != "-ERR FAILOVER is not valid when server is a replica." {
		t.Errorf("of a replica: %s", got)
	}
	if got := sh.ask(other, "PSYNC "+sh.nodes[p].env.Replication.History().ID+" 1 FAILOVER"); got != "-ERR PSYNC FAILOVER can't be sent to a node of a shard." {
		t.Errorf("a foreign hand-over: %s", got)
	}
	w := dial(t, sh.nodes[other].addr)
	if got := w.do("ZADD", "board", "1", "m"); !strings.HasPrefix(got, "-READONLY ") {
		t.Errorf("a write to a replica: %q", got)
	}
	if got, err := readReply(w.in); err == nil {
		t.Errorf("its connection stays, and says %q", got)
	}
	sh.kill(other)
	if got := sh.ask(p, "ZADD board 1 m"); got != ":1" {
		t.Error(got)
	}
	if epoch := sh.api.now().Epoch; epoch != 1 {
		t.Errorf("epoch %d", epoch)
	}
}
