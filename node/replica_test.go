package node

import (
	"fmt"
	"slices"
	"strings"
	"testing"

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

// dataOf is all that a server has, member by member, with the times at which keys go.
func dataOf(t testing.TB, addr string) string {
	t.Helper()
	keys := strings.Fields(ask(t, addr, "KEYS *"))
	slices.Sort(keys)
	var all strings.Builder
	for _, key := range keys {
		if ask(t, addr, "TYPE "+key) == "+zset" {
			fmt.Fprintf(&all, "%s until %s: %s\n", key, ask(t, addr, "PEXPIRETIME "+key), ask(t, addr, "ZRANGE "+key+" 0 -1 WITHSCORES"))
		}
	}
	return all.String()
}

// linkUp waits until a replica's link works.
func linkUp(t testing.TB, replica string) {
	t.Helper()
	eventually(t, "the link of "+replica+" to be up", func() bool { return infoOf(t, replica, "replication", "master_link_status") == "up" })
}

// caughtUp waits until a replica has all that its primary has, which gets no more, and compares.
func caughtUp(t testing.TB, primary, replica string) {
	t.Helper()
	field := "slave_repl_offset"
	eventually(t, "the replica to have everything", func() bool {
		return infoOf(t, replica, "replication", "master_link_status") == "up" &&
			infoOf(t, replica, "replication", field) == infoOf(t, primary, "replication", "master_repl_offset")
	})
	sameData(t, primary, replica)
}

func sameData(t testing.TB, primary, replica string) {
	t.Helper()
	if want, got := dataOf(t, primary), dataOf(t, replica); want != got {
		t.Fatalf("the replica has\n%.3000s\nthe primary\n%.3000s", got, want)
	}
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
	if got := c.do("EVAL", "#!lua\nreturn 1", "0"); got != "-READONLY Can not run script with write flag on readonly replica.\r\n" {
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
