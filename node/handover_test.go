package node

import (
	"fmt"
	"net"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
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
			if full := infoOf(t, sh.nodes[to].addr, "stats", "sync_full"); full != "0" {
				t.Errorf("%s full synchronisations after a hand-over", full)
			}

			sh.nodes[to].stop()
			up := []int{was, (was + 2) % 3}
			p := sh.primary(up...)
			before = b.acked[7].Load()
			eventually(t, "writes", func() bool { return b.acked[7].Load() > before+100 })
			b.check(t, p)
			if epoch := sh.api.now().Epoch; epoch != 3 {
				t.Errorf("epoch %d after two hand-overs", epoch)
			}
			for _, i := range up {
				if i != p && infoOf(t, sh.nodes[p].addr, "stats", "sync_full") != "0" {
					t.Error("a full synchronisation after the stop of a primary")
				}
			}
		})
	}
}
