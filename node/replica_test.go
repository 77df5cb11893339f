package node

import (
	"fmt"
	"strings"
	"testing"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/peertest"
)

// ask sends a command to a server, ours or another's, and returns its answer; an error reply fails the test.
func ask(t testing.TB, addr string, command string) string {
	t.Helper()
	answer, err := peertest.Ask(addr, strings.Fields(command)...)
	if err != nil || strings.HasPrefix(answer, "-") {
		t.Fatalf("%s: %s: %q, %v", addr, command, answer, err)
	}
	return answer
}

// infoOf is a field of INFO.
func infoOf(t testing.TB, addr, section, field string) string {
	t.Helper()
	for line := range strings.Lines(ask(t, addr, "INFO "+section)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), field+":"); ok {
			return value
		}
	}
	return ""
}

// linkUp waits until a replica's link works.
func linkUp(t testing.TB, replica string) {
	t.Helper()
	eventually(t, "the link of "+replica+" to be up", func() bool { return infoOf(t, replica, "replication", "master_link_status") == "up" })
}

// caughtUp waits until a replica has all that its primary has, which nobody changes any more.
func caughtUp(t *testing.T, primary, replica string) {
	t.Helper()
	linkUp(t, replica)
	same(t, dial(t, primary), dial(t, replica))
	eventually(t, "the replica to be where the primary is", func() bool {
		return infoOf(t, replica, "replication", "slave_repl_offset") == infoOf(t, primary, "replication", "master_repl_offset")
	})
}

// follow makes a server a replica of another.
func follow(t testing.TB, replica, primary string) {
	t.Helper()
	ask(t, replica, "REPLICAOF "+strings.Replace(primary, ":", " ", 1))
}

func TestReplicaOfANode(t *testing.T) {
	primary, replica := start(t), start(t)
	ask(t, primary.addr, "ZADD board 1 a 2 b")
	ask(t, primary.addr, "ZADD brief 1 a")
	ask(t, primary.addr, "PEXPIREAT brief 32503680000000")
	ask(t, replica.addr, "ZADD old 1 x")
	follow(t, replica.addr, primary.addr)
	linkUp(t, replica.addr)
	for _, command := range []string{
		"ZADD board 3 c", "ZINCRBY board 5 a", "ZPOPMIN board", "ZUNIONSTORE both 2 board brief", "RENAME brief renamed", "ZREM both a", "DEL nothing",
		"EVAL redis.call('ZADD',KEYS[1],1,'x');redis.call('ZADD',KEYS[2],2,'y') 2 s1 s2", "PERSIST renamed", "COPY both copy",
	} {
		ask(t, primary.addr, command)
	}
	caughtUp(t, primary.addr, replica.addr)

	c := dial(t, replica.addr)
	c.expect("-READONLY You can't write against a read only replica.\r\n", "ZADD", "board", "1", "x")
	c.expect("-READONLY You can't write against a read only replica.\r\n", "BZPOPMIN", "board", "1")
	c.expect("+OK\r\n", "MULTI")
	c.expect("-READONLY You can't write against a read only replica.\r\n", "ZADD", "board", "1", "x")
	c.expect("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
	if got := c.do("EVAL", "return redis.call('ZADD',KEYS[1],1,'x')", "1", "board"); !strings.HasPrefix(got, "-READONLY You can't write against a read only replica.") {
		t.Errorf("a script that writes: %q", got)
	}
	if got := c.do("EVAL", "return redis.call('ZCARD',KEYS[1])", "1", "board"); !strings.HasPrefix(got, ":") {
		t.Errorf("a script that reads: %q", got)
	}
	if got := c.do("EVAL", "#!lua\nreturn 1", "0"); got != "-READONLY You can't write against a read only replica.\r\n" {
		t.Errorf("a script that says that it writes: %q", got)
	}
	if role := ask(t, replica.addr, "ROLE"); !strings.HasPrefix(role, "slave 127.0.0.1 :"+strings.Split(primary.addr, ":")[1]+" connected :") {
		t.Errorf("ROLE is %q", role)
	}
	if list := ask(t, replica.addr, "CLIENT LIST"); !strings.Contains(list, "flags=M ") {
		t.Errorf("the primary is not among the clients: %s", list)
	}
	if got := ask(t, replica.addr, "REPLICAOF "+strings.Replace(primary.addr, ":", " ", 1)); got != "+OK Already connected to specified master" {
		t.Errorf("REPLICAOF again: %q", got)
	}

	// The link is cut, and goes on where it was.
	ask(t, replica.addr, "CLIENT KILL TYPE master")
	ask(t, primary.addr, "ZADD board 9 z")
	caughtUp(t, primary.addr, replica.addr)
	if full := infoOf(t, primary.addr, "stats", "sync_full"); full != "1" {
		t.Errorf("there were %s full synchronisations", full)
	}

	// It becomes a primary, and takes writes.
	ask(t, replica.addr, "REPLICAOF NO ONE")
	ask(t, replica.addr, "ZADD board 10 mine")
	if role := infoOf(t, replica.addr, "replication", "role"); role != "master" {
		t.Errorf("the role is %s", role)
	}
	if epoch := replica.env.Replication.Epoch(); epoch != 1 {
		t.Errorf("its epoch is %d", epoch)
	}
}

// A chain of nodes, in the midst of which one is made a primary: those behind it go on where they were.
func TestPromotionInTheMidst(t *testing.T) {
	first, second, third := start(t), start(t), start(t)
	fill(t, dial(t, first.addr), "large", 5000)
	follow(t, second.addr, first.addr)
	linkUp(t, second.addr)
	follow(t, third.addr, second.addr)
	linkUp(t, third.addr)
	end := changing(t, first.addr, 1)
	more(t, dial(t, first.addr), 1<<16)
	ask(t, second.addr, "REPLICAOF NO ONE")
	endSecond := changing(t, second.addr, 1)
	more(t, dial(t, second.addr), 1<<16)
	end()
	linkUp(t, third.addr)

	// The old primary is told to follow the new one, has more than that, and gives it up.
	follow(t, first.addr, second.addr)
	linkUp(t, first.addr)
	if n := infoOf(t, second.addr, "stats", "sync_full"); n != "2" {
		t.Errorf("%s times all data was sent: once to each is enough", n)
	}
	more(t, dial(t, second.addr), 1<<16)
	endSecond()
	caughtUp(t, second.addr, first.addr)
	caughtUp(t, second.addr, third.addr)
	for _, s := range []*running{first, second, third} {
		if epoch := s.env.Replication.Epoch(); epoch != 1 {
			t.Errorf("a node has seen epoch %d", epoch)
		}
	}
}

// FAILOVER swaps roles under load: every write that was acknowledged is there, those behind go on where they were.
func TestFailoverBetweenNodes(t *testing.T) {
	a, b, c := start(t), start(t), start(t)
	for _, s := range []*running{b, c} {
		follow(t, s.addr, a.addr)
		linkUp(t, s.addr)
	}
	fill(t, dial(t, a.addr), "large", 2000)
	port := strings.Split(b.addr, ":")[1]
	written := make(chan int)
	w := dial(t, a.addr)
	go func() {
		n := 0
		for ; ; n++ {
			if got := w.do("ZADD", "log", fmt.Sprint(n), fmt.Sprint(n)); got != ":1\r\n" {
				if !strings.HasPrefix(got, "-READONLY") {
					t.Errorf("a write was answered %q", got)
				}
				break
			}
		}
		written <- n
	}()
	eventually(t, "some writes", func() bool { return ask(t, a.addr, "ZCARD log") > ":100" })
	ask(t, a.addr, "FAILOVER TO 127.0.0.1 "+port+" TIMEOUT 10000")
	n := <-written
	if got := ask(t, b.addr, "ZCARD log"); got != fmt.Sprint(":", n) {
		t.Errorf("%d writes were acknowledged, the new primary has %s", n, got)
	}
	ask(t, b.addr, "ZADD log 1 new")
	caughtUp(t, b.addr, a.addr)
	if role := ask(t, a.addr, "ROLE"); !strings.HasPrefix(role, "slave 127.0.0.1 :"+port) {
		t.Errorf("ROLE of the old primary: %s", role)
	}
	// The other replica follows the old primary still, which is a replica in a chain now.
	caughtUp(t, b.addr, c.addr)
	if n := infoOf(t, a.addr, "stats", "sync_full") + infoOf(t, b.addr, "stats", "sync_full"); n != "20" {
		t.Errorf("all data was sent so often: %s", n)
	}
}

func TestFailoverIsGivenUp(t *testing.T) {
	a, b := start(t, "--repl-timeout", "60"), start(t)
	link := newBridge(t, a.addr)
	w := dial(t, a.addr)
	w.expect("-ERR FAILOVER requires connected replicas.\r\n", "FAILOVER")
	ask(t, b.addr, "REPLICAOF 127.0.0.1 "+link.port())
	linkUp(t, b.addr)
	w.expect("-ERR FAILOVER target HOST and PORT is not a replica.\r\n", "FAILOVER", "TO", "127.0.0.1", "1")
	w.expect("-ERR FAILOVER timeout must be greater than 0\r\n", "FAILOVER", "TIMEOUT", "0")
	w.expect("-ERR FAILOVER with force option requires both a timeout and target HOST and IP to be specified.\r\n", "FAILOVER", "TO", "a", "1", "FORCE")
	w.expect("-ERR syntax error\r\n", "FAILOVER", "ABORT", "TIMEOUT", "1")
	w.expect("-ERR No failover in progress.\r\n", "FAILOVER", "ABORT")
	dial(t, b.addr).expect("-ERR FAILOVER is not valid when server is a replica.\r\n", "FAILOVER")

	// The replica is held up, so it cannot have everything.
	var held keyspace.Held
	b.keyspace.HoldAll(&held, 0)
	w.do("ZADD", "board", "1", "a")
	w.expect("+OK\r\n", "FAILOVER")
	w.expect("-ERR FAILOVER already in progress.\r\n", "FAILOVER")
	w.expect("-ERR REPLICAOF not allowed while failing over.\r\n", "REPLICAOF", "NO", "ONE")
	if got := infoOf(t, a.addr, "replication", "master_failover_state"); got != "waiting-for-sync" {
		t.Errorf("the failover is at %s", got)
	}
	if got := infoOf(t, a.addr, "clients", "paused_reason"); got != "failover_in_progress" {
		t.Errorf("paused: %s", got)
	}
	writer := dial(t, a.addr)
	writer.send(string(array("ZADD", "board", "2", "b")))
	eventually(t, "a write waits", func() bool { return infoOf(t, a.addr, "clients", "blocked_clients") == "1" })
	w.expect("+OK\r\n", "FAILOVER", "ABORT")
	if got := writer.reply(); got != ":1\r\n" {
		t.Errorf("the write that waited: %q", got)
	}
	eventually(t, "the failover to be over", func() bool { return infoOf(t, a.addr, "replication", "master_failover_state") == "no-failover" })

	w.expect("+OK\r\n", "FAILOVER", "TIMEOUT", "20")
	eventually(t, "the failover to be given up", func() bool { return strings.Contains(a.log.String(), "timeout exceeded") })
	eventually(t, "writes", func() bool { return infoOf(t, a.addr, "clients", "paused_reason") == "none" })
	held.Release()
	w.expect(":1\r\n", "ZADD", "board", "3", "c")
	caughtUp(t, a.addr, b.addr)
}

// A primary that restarted with less than its replica has is refused, until somebody says that this is meant.
func TestRewoundPrimaryIsRefused(t *testing.T) {
	a, b := start(t), start(t)
	link := newBridge(t, a.addr)
	ask(t, a.addr, "ZADD board 1 a")
	ask(t, b.addr, "REPLICAOF 127.0.0.1 "+link.port())
	linkUp(t, b.addr)
	empty := start(t)
	link.mu.Lock()
	link.to = empty.addr // the same place, with nothing
	link.mu.Unlock()
	link.cut(false)
	eventually(t, "the primary is refused", func() bool {
		return strings.Contains(infoOf(t, b.addr, "replication", "master_link_down_reason"), "rewound")
	})
	if got := ask(t, b.addr, "ZSCORE board a"); got != "1" {
		t.Errorf("what the replica had is %q", got)
	}
	if !strings.Contains(b.log.String(), "the primary is refused") {
		t.Error("the log does not say so")
	}
	ask(t, b.addr, "REPLICAOF NO ONE")
	ask(t, b.addr, "REPLICAOF 127.0.0.1 "+link.port())
	linkUp(t, b.addr)
	caughtUp(t, empty.addr, b.addr)
}

// A primary of an earlier epoch than a replica has seen is refused.
func TestStalePrimaryIsRefused(t *testing.T) {
	a, b, c := start(t), start(t), start(t)
	follow(t, b.addr, a.addr)
	linkUp(t, b.addr)
	follow(t, c.addr, a.addr)
	linkUp(t, c.addr)
	ask(t, b.addr, "REPLICAOF NO ONE") // epoch 1
	follow(t, c.addr, b.addr)
	linkUp(t, c.addr)
	follow(t, c.addr, a.addr) // which does not know
	eventually(t, "the primary is refused", func() bool {
		return strings.Contains(infoOf(t, c.addr, "replication", "master_link_down_reason"), "stale: it is of epoch 0, and this node has seen epoch 1")
	})
}

// Keys go on a replica when the primary says so, and are not seen before once their time has come; a promotion ends that.
func TestExpiryOnAReplica(t *testing.T) {
	a, b := start(t, "--enable-debug-command", "yes"), start(t)
	ask(t, a.addr, "DEBUG SET-ACTIVE-EXPIRE 0")
	follow(t, b.addr, a.addr)
	linkUp(t, b.addr)
	ask(t, a.addr, "ZADD brief 1 x")
	ask(t, a.addr, "PEXPIRE brief 1")
	eventually(t, "the key is not seen", func() bool { return ask(t, b.addr, "EXISTS brief") == ":0" })
	if n := b.keyspace.Len(); n != 1 {
		t.Errorf("the replica has %d keys", n)
	}
	ask(t, b.addr, "REPLICAOF NO ONE")
	eventually(t, "the key is removed", func() bool { return b.keyspace.Len() == 0 })
}

func TestReplicaWithoutItsPrimary(t *testing.T) {
	a, b := start(t), start(t, "--replica-serve-stale-data", "no")
	ask(t, a.addr, "ZADD board 1 a")
	ask(t, b.addr, "ZADD own 1 a")
	w := dial(t, b.addr)
	blocked := dial(t, b.addr)
	blocked.send(string(array("BZPOPMIN", "nothing", "0")))
	eventually(t, "a client waits", func() bool { return b.keyspace.Awaited() == 1 })
	w.expect("+OK\r\n", "REPLICAOF", "127.0.0.1", "1") // where nobody is
	if got := blocked.reply(); got != "-UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)\r\n" {
		t.Errorf("the client that waited: %q", got)
	}
	w.expect("-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n", "ZCARD", "own")
	const down = "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.\r\n"
	w.expect(down, "EVAL", "return 1", "0")
	w.expect(down, "EVAL", "#!lua flags=no-writes\nreturn 1", "0")
	w.expect(":1\r\n", "EVAL", "#!lua flags=no-writes,allow-stale\nreturn 1", "0")
	if got := w.do("EVAL", "#!lua flags=no-writes,allow-stale\nreturn redis.call('ZCARD', 'own')", "0"); !strings.HasPrefix(got, "-ERR Can not execute the command on a stale replica") {
		t.Errorf("a command that needs the primary: %q", got)
	}
	w.expect("+OK\r\n", "CONFIG", "SET", "replica-serve-stale-data", "yes")
	w.expect(":1\r\n", "ZCARD", "own")
	w.expect("-NOMASTERLINK Can't SYNC while not connected with my master\r\n", "PSYNC", "?", "-1")
	w.expect("*2\r\n$9\r\nreplicaof\r\n$11\r\n127.0.0.1 1\r\n", "CONFIG", "GET", "replicaof")
	follow(t, b.addr, a.addr)
	linkUp(t, b.addr)
	caughtUp(t, a.addr, b.addr)
	w.expect("+OK\r\n", "CONFIG", "SET", "replica-read-only", "no")
	w.expect(":1\r\n", "ZADD", "mine", "1", "a")
}

// A replica reaches its primary over TLS, with a password, as a user that may do no more than that.
func TestReplicaOfASecurePrimary(t *testing.T) {
	a := startSecure(t, "--requirepass", "secret", "--user", "follower", "on", ">word", "resetkeys", "resetchannels", "-@all", "+psync", "+replconf", "+ping")
	admin := dial(t, a.running.addr)
	admin.expect("+OK\r\n", "AUTH", "secret")
	admin.do("ZADD", "board", "1", "a")
	port := strings.Split(a.TLSAddr().String(), ":")[1]
	b := startWith(t, Options{Listen: anyPort}, a.args("--port", "7000", "--tls-replication", "yes")...)
	ask(t, b.addr, "REPLICAOF 127.0.0.1 "+port)
	eventually(t, "the primary asks for a password", func() bool {
		return strings.Contains(infoOf(t, b.addr, "replication", "master_link_down_reason"), "NOAUTH")
	})
	ask(t, b.addr, "CONFIG SET masteruser follower masterauth word")
	linkUp(t, b.addr)
	same(t, admin, dial(t, b.addr))
	if got := admin.do("CLIENT", "LIST", "TYPE", "REPLICA"); !strings.Contains(got, "user=follower") {
		t.Errorf("the replica is %s", got)
	}

	stranger := startSecure(t, "--tls-replication", "yes") // with another authority
	ask(t, stranger.running.addr, "REPLICAOF 127.0.0.1 "+port)
	eventually(t, "the certificate is refused", func() bool {
		return strings.Contains(infoOf(t, stranger.running.addr, "replication", "master_link_down_reason"), "TLS: ")
	})
}
