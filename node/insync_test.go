package node

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// actor is a replica that a test plays: it gets the log and confirms when it is told to.
type actor struct {
	t        testing.TB
	conn     net.Conn
	received atomic.Int64 // the offset behind all that came
	gone     chan struct{}

	mu     sync.Mutex
	auto   bool // confirm all that comes; guarded by mu
	forget bool // keep no log; guarded by mu
	log    bytes.Buffer
}

// joinAs follows a server, with the name that nodes of this kind have; an empty one is that of another kind.
func joinAs(t testing.TB, addr, name string) *actor {
	t.Helper()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	a := &actor{t: t, conn: conn, gone: make(chan struct{})}
	conn.SetDeadline(time.Now().Add(patience))
	in := bufio.NewReader(conn)
	ask := func(args ...string) string {
		conn.Write(array(args...))
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
	ask("REPLCONF", "capa", "eof", "capa", "psync2")
	if name != "" {
		ask("REPLCONF", "zset-epoch", "0", "run-id", name)
	}
	words := strings.Fields(ask("PSYNC", "?", "-1"))
	if len(words) != 3 || words[0] != "+FULLRESYNC" {
		t.Fatalf("%q", words)
	}
	last, _ := strconv.ParseInt(words[2], 10, 64)
	line, err := in.ReadString('\n')
	for err == nil && line == "\n" {
		line, err = in.ReadString('\n')
	}
	mark, marked := strings.CutPrefix(strings.TrimSpace(line), "$EOF:")
	if err != nil || !marked {
		t.Fatalf("%q %v", line, err)
	}
	var file []byte
	for !bytes.HasSuffix(file, []byte(mark)) {
		b, err := in.ReadByte()
		if err != nil {
			t.Fatal(err)
		}
		file = append(file, b)
	}
	a.received.Store(last + 1)
	a.confirm()
	go func() {
		defer close(a.gone)
		b := make([]byte, 64<<10)
		for {
			n, err := in.Read(b)
			a.mu.Lock()
			if !a.forget {
				a.log.Write(b[:n])
			}
			a.received.Add(int64(n))
			auto := a.auto
			a.mu.Unlock()
			if auto && n > 0 {
				a.confirm()
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(a.leave)
	return a
}

// confirm confirms all that came.
func (a *actor) confirm() {
	a.conn.SetDeadline(time.Now().Add(patience))
	a.conn.Write(array("REPLCONF", "ACK", strconv.FormatInt(a.received.Load()-1, 10)))
}

// confirmAlways lets it confirm from now on whatever comes, or not any more.
func (a *actor) confirmAlways(auto bool) {
	a.mu.Lock()
	a.auto = auto
	a.mu.Unlock()
	if auto {
		a.confirm()
	}
}

// heard reports whether the log has that text.
func (a *actor) heard(text string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return bytes.Contains(a.log.Bytes(), []byte(text))
}

func (a *actor) leave() {
	a.conn.Close()
	<-a.gone
}

// inSyncAre waits until these are the replicas in sync.
func (r *running) inSyncAre(t testing.TB, names ...string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%q to be in sync", names), func() bool { return slices.Equal(r.inSync.InSync(), names) })
}

const fewInSync = "-NOREPLICAS Not enough replicas in sync to write: 0 of the 1 that min-sync-replicas asks for.\r\n"

func TestWritesWaitForReplicasInSync(t *testing.T) {
	s := start(t, "--min-sync-replicas", "1")
	w := dial(t, s.addr)
	w.expect(fewInSync, "ZADD", "k", "1", "a")
	w.expect("*0\r\n", "ZRANGE", "k", "0", "-1")
	other := joinAs(t, s.addr, "")
	other.confirmAlways(true)
	a := joinAs(t, s.addr, "a")
	a.confirmAlways(true)
	s.inSyncAre(t, "a")
	w.expect(":1\r\n", "ZADD", "k", "1", "a")
	a.confirmAlways(false)
	w.send(string(array("ZADD", "k", "1", "b")) + string(array("PING")))
	s.ran(t, 2)
	s.holdsBack(t, w)
	eventually(t, "the write to get there", func() bool { return a.received.Load() == s.env.Replication.Offset() })
	a.confirm()
	if got := w.reply() + w.reply(); got != ":1\r\n+PONG\r\n" {
		t.Errorf("got %q", got)
	}
	if !a.heard("GETACK") {
		t.Error("nobody asked it to confirm")
	}
}

// A replica that stalls, or is gone, is waited for as long as it may, then it is off the list.
func TestReplicaLeavesTheList(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(*actor)
	}{
		{"stalled", func(a *actor) { a.confirmAlways(false) }},
		{"gone", func(a *actor) { a.leave() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t, "--min-sync-replicas", "1", "--sync-replica-timeout", "300")
			w := dial(t, s.addr)
			a, b := joinAs(t, s.addr, "a"), joinAs(t, s.addr, "b")
			a.confirmAlways(true)
			b.confirmAlways(true)
			s.inSyncAre(t, "a", "b")
			c.end(a)
			began := time.Now()
			w.expect(":1\r\n", "ZADD", "k", "1", "a") // b is left
			if took := time.Since(began); took < 200*time.Millisecond {
				t.Errorf("it was waited for only %v", took)
			}
			s.inSyncAre(t, "b")
			c.end(b)
			w.expect(inDoubt, "ZADD", "k", "1", "b")
			w.expect(fewInSync, "ZADD", "k", "1", "c")
			w.expect(":2\r\n", "ZCARD", "k")
			d := joinAs(t, s.addr, "d")
			d.confirmAlways(true)
			s.inSyncAre(t, "d")
			w.expect(":1\r\n", "ZADD", "k", "1", "c")
		})
	}
}

// keeper is one that a test answers for.
type keeper struct {
	asked   chan []string
	answers chan error
}

func (k keeper) Write(ctx context.Context, names []string) error {
	select {
	case k.asked <- names:
	case <-ctx.Done():
		return ctx.Err()
	}
	select {
	case err := <-k.answers:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k keeper) expect(t *testing.T, answer error, names ...string) {
	t.Helper()
	select {
	case got := <-k.asked:
		if !slices.Equal(got, names) {
			t.Fatalf("the keeper was asked for %q, want %q", got, names)
		}
		k.answers <- answer
	case <-time.After(patience):
		t.Fatalf("the keeper was not asked for %q", names)
	}
}

// Nobody is relied on before the keeper has it, nor forgotten before the keeper forgot it.
func TestKeeperComesFirst(t *testing.T) {
	k := keeper{make(chan []string), make(chan error)}
	s := startWith(t, Options{Keeper: k}, "--min-sync-replicas", "1", "--sync-replica-timeout", "1000")
	w := dial(t, s.addr)
	k.expect(t, nil)
	a := joinAs(t, s.addr, "a")
	a.confirmAlways(true)
	w.expect(fewInSync, "ZADD", "k", "1", "a")
	k.expect(t, errors.New("lost"), "a")
	w.expect(fewInSync, "ZADD", "k", "1", "a")
	k.expect(t, nil, "a")
	s.inSyncAre(t, "a")
	a.confirmAlways(false)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.ran(t, 1)
	names := <-k.asked // to take it off
	if len(names) != 0 {
		t.Fatalf("%q", names)
	}
	s.holdsBack(t, w)
	w2 := dial(t, s.addr)
	w2.expect(fewInSync, "ZADD", "k", "1", "b")
	a.confirm() // it is waited for still, and that is enough
	if got := w.reply(); got != ":1\r\n" {
		t.Errorf("got %q", got)
	}
	k.answers <- nil
	s.inSyncAre(t)
	k.expect(t, nil, "a") // it was only slow
	s.inSyncAre(t, "a")

	// A keeper that does not answer: who waits is told before long.
	w.send(string(array("ZADD", "k", "1", "c")))
	s.ran(t, 2)
	<-k.asked
	if got := w.reply(); got != inDoubt {
		t.Errorf("got %q", got)
	}
}

func TestMinSyncReplicasLive(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "k", "1", "a")
	w.expect("+OK\r\n", "CONFIG", "SET", "min-sync-replicas", "1")
	w.expect(fewInSync, "ZADD", "k", "1", "b")
	w.expect("+OK\r\n", "CONFIG", "SET", "min-sync-replicas", "0")
	w.expect(":1\r\n", "ZADD", "k", "1", "b")
	a := joinAs(t, s.addr, "a")
	a.confirmAlways(true)
	s.inSyncAre(t, "a")
	w.do("CONFIG", "SET", "min-sync-replicas", "1")
	w.expect(":1\r\n", "ZADD", "k", "1", "c")
	if got := w.do("INFO", "replication"); !strings.Contains(got, "min_sync_replicas:1\r\nsync_replicas:1\r\nin_sync:a\r\n") {
		t.Errorf("INFO: %s", got)
	}
}

// When the role changes what waits is in doubt.
func TestInDoubtWhenTheRoleChanges(t *testing.T) {
	s := start(t, "--min-sync-replicas", "1")
	w := dial(t, s.addr)
	a := joinAs(t, s.addr, "a")
	a.confirmAlways(true)
	s.inSyncAre(t, "a")
	a.confirmAlways(false)
	w.send(string(array("ZADD", "k", "1", "a")))
	s.ran(t, 1)
	s.holdsBack(t, w)
	s.env.Replication.Follow()
	if got := w.reply(); got != inDoubt {
		t.Errorf("got %q", got)
	}
	s.env.Replication.Promote()
	w.expect(fewInSync, "ZADD", "k", "1", "b")
}

func TestMinReplicasToWrite(t *testing.T) {
	const few = "-NOREPLICAS Not enough good replicas to write.\r\n"
	s := start(t, "--min-replicas-to-write", "1", "--min-replicas-max-lag", "1")
	w := dial(t, s.addr)
	w.expect(few, "ZADD", "k", "1", "a")
	w.expect("*0\r\n", "ZRANGE", "k", "0", "-1")
	if got := w.do("EVAL", "return redis.call('ZADD', KEYS[1], 1, 'b')", "1", "k"); !strings.HasPrefix(got, "-NOREPLICAS Not enough good replicas to write.") {
		t.Errorf("in a script: %q", got)
	}
	a := joinAs(t, s.addr, "")
	eventually(t, "writes to be taken", func() bool { return w.do("ZADD", "k", "1", "a") != few })
	if got := w.do("INFO", "replication"); !strings.Contains(got, "min_slaves_good_slaves:1\r\n") {
		t.Errorf("INFO: %s", got)
	}
	eventually(t, "a silent replica to be none", func() bool { return w.do("ZADD", "k", "1", "a") == few })
	a.confirm()
	eventually(t, "writes to be taken again", func() bool { return w.do("ZADD", "k", "1", "a") != few })
	a.leave()
	eventually(t, "writes to be refused", func() bool { return w.do("ZADD", "k", "1", "a") == few })
	w.expect("+OK\r\n", "CONFIG", "SET", "min-slaves-to-write", "0")
	w.expect(":0\r\n", "ZADD", "k", "1", "a")
}

func TestWait(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect(":0\r\n", "WAIT", "1", "1")
	a := joinAs(t, s.addr, "")
	b := joinAs(t, s.addr, "")
	w.expect(":2\r\n", "WAIT", "2", "0") // nothing was written
	w.do("ZADD", "k", "1", "a")
	w.expect(":0\r\n", "WAIT", "0", "0")
	w.expect(":0\r\n", "WAIT", "1", "20")
	w.blocked(s, "WAIT", "1", "0")
	eventually(t, "to be asked", func() bool { return a.heard("GETACK") && b.heard("GETACK") })
	a.confirm()
	if got := w.reply(); got != ":1\r\n" {
		t.Errorf("got %q", got)
	}
	w.blocked(s, "WAIT", "2", "0")
	b.confirm()
	if got := w.reply(); got != ":2\r\n" {
		t.Errorf("got %q", got)
	}

	// Ended by others.
	w.do("ZADD", "k", "1", "b")
	admin := dial(t, s.addr)
	id := fmt.Sprint(s.clientAt(w).ID)
	w.blocked(s, "WAIT", "1", "0")
	admin.expect(":1\r\n", "CLIENT", "UNBLOCK", id)
	if got := w.reply(); got != ":0\r\n" {
		t.Errorf("got %q", got)
	}
	w.blocked(s, "WAIT", "1", "0")
	admin.expect(":1\r\n", "CLIENT", "UNBLOCK", id, "ERROR")
	if got := w.reply(); got != "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n" {
		t.Errorf("got %q", got)
	}
	admin.expect(":0\r\n", "CLIENT", "UNBLOCK", id)

	// Where nobody can wait.
	w.do("MULTI")
	w.do("ZADD", "k", "1", "c")
	w.do("WAIT", "1", "0")
	w.expect("*2\r\n:1\r\n:0\r\n", "EXEC")
	w.expect(":0\r\n", "EVAL", "return redis.call('WAIT', 1, 0)", "0")
	w.blocked(s, "WAIT", "1", "0")
	w.conn.Close()
	eventually(t, "the client to be gone", func() bool { return s.clientAt(w) == nil })
}

func TestWaitAOF(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect("-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n", "WAITAOF", "1", "0", "0")
	a := joinAs(t, s.addr, "")
	w.do("ZADD", "k", "1", "a")
	eventually(t, "the write to get there", func() bool { return a.received.Load() == s.env.Replication.Offset() })
	a.confirm()
	eventually(t, "it to be confirmed", func() bool { return w.do("WAIT", "1", "0") == ":1\r\n" })
	w.expect("*2\r\n:0\r\n:0\r\n", "WAITAOF", "0", "1", "1") // in memory is not on disk
	w.blocked(s, "WAITAOF", "0", "1", "0")
	at := strconv.FormatInt(a.received.Load()-1, 10)
	a.conn.Write(array("REPLCONF", "ACK", at, "FACK", at))
	if got := w.reply(); got != "*2\r\n:0\r\n:1\r\n" {
		t.Errorf("got %q", got)
	}

	// Who waits for this node's files when there are no more.
	dir := t.TempDir()
	for _, of := range [][]string{{"WAITAOF", "1", "0", "0"}, {"WAITAOF", "1", "1", "0"}} {
		s := start(t, "--dir", dir, "--appendonly", "yes", "--appendfsync", "no")
		w, other := dial(t, s.addr), dial(t, s.addr)
		w.do("ZADD", "k", "1", "a")
		w.blocked(s, of...)
		other.expect("+OK\r\n", "CONFIG", "SET", "appendonly", "no")
		if got := w.reply(); got != "-ERR WAITAOF cannot be used when numlocal is set but appendonly is disabled.\r\n" {
			t.Errorf("%v: %q", of, got)
		}
	}
}

// Between two nodes: the replica confirms as soon as it has a write, and takes over with all of them.
func TestNodesInSync(t *testing.T) {
	primary, replica := start(t, "--min-sync-replicas", "1"), start(t, "--min-sync-replicas", "1")
	follow(t, replica.addr, primary.addr)
	linkUp(t, replica.addr)
	primary.inSyncAre(t, replica.runID)
	w, r := dial(t, primary.addr), dial(t, replica.addr)
	began := time.Now()
	const writes = 50
	for i := range writes {
		w.expect(":1\r\n", "ZADD", "k", "1", fmt.Sprint(i))
		r.expect(fmt.Sprintf(":%d\r\n", i+1), "ZCARD", "k")
	}
	if took := time.Since(began); took > writes*time.Second/10 {
		t.Errorf("%d writes took %v: the replica does not confirm at once", writes, took)
	}
	w.expect(":1\r\n", "WAIT", "1", "0")
	if got := infoOf(t, primary.addr, "replication", "in_sync"); got != replica.runID {
		t.Errorf("in sync is %q, the replica is %q", got, replica.runID)
	}

	// Handed over, the old primary is in sync with the new one.
	w.expect("+OK\r\n", "FAILOVER")
	replica.inSyncAre(t, primary.runID)
	eventually(t, "the new primary to take writes", func() bool { return r.do("ZADD", "k", "1", "last") != fewInSync })
	r.expect(fmt.Sprintf(":%d\r\n", writes+1), "ZCARD", "k")
	eventually(t, "the old one to have them", func() bool { return dial(t, primary.addr).do("ZCARD", "k") == fmt.Sprintf(":%d\r\n", writes+1) })
	primary.inSyncAre(t)
}

// A great many that write and wait while replicas confirm: nobody waits for ever, and no reply overtakes.
func TestManyWaitForReplicasInSync(t *testing.T) {
	s := start(t, "--min-sync-replicas", "1")
	a := joinAs(t, s.addr, "a")
	a.confirmAlways(true)
	s.inSyncAre(t, "a")
	var clients sync.WaitGroup
	for n := range 16 {
		clients.Go(func() {
			conn, err := net.Dial("tcp", s.addr)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			conn.SetDeadline(time.Now().Add(patience))
			in := bufio.NewReader(conn)
			for round := range 50 {
				var send, want bytes.Buffer
				for i := range 16 {
					send.Write(array("ZADD", "k"+strconv.Itoa(n), "1", fmt.Sprint(round, i)))
					send.Write(array("ZCARD", "k"+strconv.Itoa(n)))
					fmt.Fprintf(&want, ":1\r\n:%d\r\n", round*16+i+1)
				}
				conn.Write(send.Bytes())
				got := make([]byte, want.Len())
				if _, err := io.ReadFull(in, got); err != nil || !bytes.Equal(got, want.Bytes()) {
					t.Errorf("got %q, %v, want %q", got, err, want.Bytes())
					return
				}
			}
		})
	}
	clients.Wait()
}
