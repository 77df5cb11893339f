package node

import (
	"bytes"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

// What replicas say of themselves, and how it is answered.
func TestREPLCONF(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	for _, c := range []struct{ said, want string }{
		{"REPLCONF listening-port 6380", "+OK\r\n"},
		{"REPLCONF ip-address replica.example capa eof capa psync2 capa other", "+OK\r\n"},
		{"REPLCONF version 9.0.0", "+OK\r\n"},
		{"REPLCONF rdb-only 0", "+OK\r\n"},
		{"REPLCONF listening-port", "-ERR syntax error\r\n"},
		{"REPLCONF listening-port x", "-ERR value is not an integer or out of range\r\n"},
		{"REPLCONF ip-address " + strings.Repeat("a", 256), "-ERR REPLCONF ip-address provided by replica instance is too long: 256 bytes\r\n"},
		{"REPLCONF rdb-filter-only keys", "-ERR Unsupported rdb-filter-only option: keys\r\n"},
		{"REPLCONF set-rdb-client-id 7", "-ERR Unrecognized REPLCONF option: set-rdb-client-id\r\n"},
		{"PSYNC x y", "-ERR value is not an integer or out of range\r\n"},
		{"PSYNC x 1 FAILOVER", "-ERR PSYNC FAILOVER can't be sent to a master.\r\n"},
	} {
		w.expect(c.want, strings.Fields(c.said)...)
	}
	// Neither has an answer: that of PING is the next.
	w.send(string(array("REPLCONF", "ACK", "5")) + string(array("REPLCONF", "GETACK", "*")))
	w.expect(pong, "PING")
	if got := w.do("REPLCONF", "zset-epoch", "0", "run-id", "a"); !regexp.MustCompile(`^\+zset epoch=0 run-id=[0-9a-f]{40} id=[0-9a-f]{40}\r\n$`).MatchString(got) {
		t.Errorf("a node of the same kind is answered %q", got)
	}
	w.do("MULTI")
	w.expect("-ERR Command 'psync' not allowed inside a transaction\r\n", "PSYNC", "?", "-1")
}

// follow lets a connection become a replica's that has everything before the offset, and returns the answer to PSYNC.
func (w *wire) follow(id, offset string) string {
	w.t.Helper()
	w.expect("+OK\r\n", "REPLCONF", "listening-port", "7", "capa", "eof", "capa", "psync2")
	w.send(string(array("PSYNC", id, offset)))
	return w.status()
}

// status reads a line, behind empty ones.
func (w *wire) status() string {
	w.t.Helper()
	for {
		line, err := w.in.ReadString('\n')
		if err != nil {
			w.t.Fatal(err)
		}
		if line != "\n" {
			return strings.TrimSuffix(line, "\r\n")
		}
	}
}

// file reads a file with a mark, and returns its keys and how many members each has.
func (w *wire) file() map[string]int {
	w.t.Helper()
	mark, ok := strings.CutPrefix(w.status(), "$EOF:")
	if !ok || len(mark) != 40 {
		w.t.Fatalf("a file is announced with the mark %q", mark)
	}
	var content []byte
	for part := make([]byte, 64<<10); !bytes.HasSuffix(content, []byte(mark)); { // nothing comes behind it yet
		n, err := w.in.Read(part)
		if err != nil {
			w.t.Fatal(err)
		}
		content = append(content, part[:n]...)
	}
	keys := map[string]int{}
	d := rdb.NewDecoder(bytes.NewReader(content[:len(content)-40]), func() *zset.Set { return zset.New(nil) })
	for {
		r, err := d.Next()
		if err == io.EOF {
			return keys
		}
		if err != nil {
			w.t.Fatal(err)
		}
		if r.Kind == rdb.Key {
			keys[string(r.Name)] = zset.PackedLen(r.Packed)
		}
	}
}

// A replica gets all data, then, once it has said that it has them, the log; and after its link was cut what it missed.
func TestPSYNC(t *testing.T) {
	s := start(t)
	w, r := dial(t, s.addr), dial(t, s.addr)
	w.do("ZADD", "k", "1", "a", "2", "b")
	fresh := regexp.MustCompile(`^\+FULLRESYNC ([0-9a-f]{40}) 0$`).FindStringSubmatch(r.follow("?", "-1"))
	if fresh == nil {
		t.Fatal("no FULLRESYNC")
	}
	if keys := r.file(); len(keys) != 1 || keys["k"] != 2 {
		t.Errorf("the file has %v", keys)
	}
	w.do("ZADD", "k", "3", "c")
	r.send(string(array("REPLCONF", "ACK", "0")))
	effect := string(array("ZADD", "k", "3", "c"))
	if got := r.read(len(effect)); got != effect {
		t.Errorf("the log begins with %q", got)
	}

	eventually(t, "the replica is known", func() bool {
		return strings.Contains(w.do("INFO", "replication"), "\r\nslave0:ip=127.0.0.1,port=7,state=online,offset=0,lag=0,type=replica\r\n")
	})
	if got := w.do("ROLE"); !regexp.MustCompile(`^\*3\r\n\$6\r\nmaster\r\n:\d+\r\n\*1\r\n\*3\r\n\$9\r\n127.0.0.1\r\n\$1\r\n7\r\n\$1\r\n0\r\n$`).MatchString(got) {
		t.Errorf("ROLE is answered %q", got)
	}
	for kind, n := range map[string]int{"replica": 1, "slave": 1, "normal": 1} {
		if got := strings.Count(w.do("CLIENT", "LIST", "TYPE", kind), "id="); got != n {
			t.Errorf("%d clients are of type %s", got, kind)
		}
	}
	if list := w.do("CLIENT", "LIST", "TYPE", "replica"); !strings.Contains(list, " flags=S ") {
		t.Errorf("the replica is listed as %q", list)
	}

	cut := dial(t, s.addr)
	if got := cut.follow(fresh[1], "1"); got != "+CONTINUE "+fresh[1] {
		t.Errorf("a link that was cut is answered %q", got)
	}
	if got := cut.read(len(effect)); got != effect {
		t.Errorf("what it missed is %q", got)
	}
	for _, c := range []struct{ id, offset string }{{fresh[1], "1000000"}, {fresh[1], "0"}, {strings.Repeat("0", 40), "1"}} {
		other := dial(t, s.addr)
		if got := other.follow(c.id, c.offset); !strings.HasPrefix(got, "+FULLRESYNC "+fresh[1]) {
			t.Errorf("PSYNC %s %s is answered %q", c.id, c.offset, got)
		}
	}
	for name, want := range map[string]int{"sync_full": 4, "sync_partial_ok": 1, "sync_partial_err": 3, "connected_slaves": 5, "repl_backlog_active": 1} {
		eventually(t, name, func() bool { return w.info(name) == want })
	}
	w.expect(":5\r\n", "CLIENT", "KILL", "TYPE", "replica")
	eventually(t, "nobody follows", func() bool { return w.info("connected_slaves") == 0 })
}

// read reads so many bytes.
func (w *wire) read(n int) string {
	w.t.Helper()
	b := make([]byte, n)
	if _, err := io.ReadFull(w.in, b); err != nil {
		w.t.Fatal(err)
	}
	return string(b)
}

// By SYNC a client gets all data and then the log, without being told where that is; one that does not know marks is told the
// length, and the log comes at once.
func TestSYNC(t *testing.T) {
	s := start(t, "--dir", t.TempDir())
	w, r := dial(t, s.addr), dial(t, s.addr)
	w.do("ZADD", "k", "1", "a")
	r.send(string(array("SYNC")))
	size, err := strconv.Atoi(strings.TrimPrefix(r.status(), "$"))
	if err != nil {
		t.Fatal(err)
	}
	file := r.read(size)
	d := rdb.NewDecoder(strings.NewReader(file), func() *zset.Set { return zset.New(nil) })
	keys := 0
	for {
		record, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if record.Kind == rdb.Key {
			keys++
		}
	}
	if keys != 1 || len(d.Rest()) > 0 {
		t.Errorf("%d keys, and %d bytes behind them", keys, len(d.Rest()))
	}
	w.do("ZREM", "k", "a")
	effect := string(array("DEL", "k"))
	for got := ""; got != effect; got = r.read(len(effect)) {
		if got != "" {
			t.Fatalf("the log begins with %q", got)
		}
	}
}

// Whoever is killed while it waits for all data, while it gets them, before it has confirmed them or afterwards leaves nothing
// behind, and keeps nobody else from following.
func TestReplicaKilledInEachPhase(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	long := strings.Repeat("m", 10_000)
	for i := range 1000 { // more than sockets hold
		w.expect(":1\r\n", "ZADD", "large:"+strconv.Itoa(i%100), "1", strconv.Itoa(i)+long)
	}
	gone := func(phase string) {
		t.Helper()
		eventually(t, "nobody follows after a kill: "+phase, func() bool { return w.info("connected_slaves") == 0 && w.info("full_syncs_running") == 0 })
	}
	busy := func() (all []*wire) {
		for range 2 {
			r := dial(t, s.addr)
			if answer := r.follow("?", "-1"); !strings.HasPrefix(answer, "+FULLRESYNC") {
				t.Fatal(answer)
			}
			r.read(1000)
			all = append(all, r)
		}
		return all
	}
	both := busy()
	waiting := dial(t, s.addr)
	waiting.send(string(array("REPLCONF", "capa", "eof")) + string(array("PSYNC", "?", "-1")))
	if got := waiting.reply() + waiting.read(2); got != "+OK\r\n\n\n" {
		t.Errorf("who waits for its turn gets %q", got)
	}
	if n := w.info("full_syncs_waiting"); n != 1 {
		t.Errorf("%d wait", n)
	}
	waiting.conn.Close()
	eventually(t, "who waited is gone", func() bool { return w.info("full_syncs_waiting") == 0 })
	for _, r := range both {
		r.conn.Close()
	}
	gone("while it gets all data")

	for _, online := range []bool{false, true} {
		r := dial(t, s.addr)
		r.follow("?", "-1")
		if keys := r.file(); len(keys) != 100 {
			t.Fatalf("a file with %d keys", len(keys))
		}
		if online {
			r.send(string(array("REPLCONF", "ACK", "0")))
			eventually(t, "it is online", func() bool { return strings.Contains(w.do("INFO", "replication"), "state=online") })
		}
		r.conn.Close()
		gone("with all data")
	}
}

// A replica that does not read is closed when it is too far behind, as is said in the log. Until then and afterwards the log takes no more
// memory than it may, and nobody waits.
func TestReplicaThatDoesNotRead(t *testing.T) {
	const limit = 8 << 20
	s := start(t, "--client-output-buffer-limit", "replica 8mb 0 0", "--repl-backlog-size", "1mb")
	w, r := dial(t, s.addr), dial(t, s.addr)
	r.follow("?", "-1")
	r.file()
	r.send(string(array("REPLCONF", "ACK", "0")))
	eventually(t, "it is online", func() bool { return strings.Contains(w.do("INFO", "replication"), "state=online") })
	member := strings.Repeat("m", 10_000)
	slowest, most := time.Duration(0), 0
	for n := 0; w.info("connected_slaves") > 0; n++ {
		if n > 10_000 {
			t.Fatal("a replica that reads nothing is still there")
		}
		before := time.Now()
		w.do("ZADD", "k", strconv.Itoa(n), member)
		slowest = max(slowest, time.Since(before))
		most = max(most, w.info("mem_replication_backlog"))
	}
	if most > limit+1<<20 {
		t.Errorf("the log took %d bytes", most)
	}
	if slowest > time.Second {
		t.Errorf("a write took %v", slowest)
	}
	if !strings.Contains(s.log.String(), "raise client-output-buffer-limit replica") {
		t.Errorf("the log does not say what to do: %s", s.log)
	}
	w.do("ZADD", "k", "0", member)
	if n := w.info("mem_replication_backlog"); n > 2<<20 {
		t.Errorf("the log still takes %d bytes", n)
	}
}

// One that says nothing is given up.
func TestReplicaThatIsSilent(t *testing.T) {
	s := start(t, "--repl-timeout", "1")
	w, r := dial(t, s.addr), dial(t, s.addr)
	r.follow("?", "-1")
	r.file()
	if rest := r.rest(); strings.Contains(rest, "ZADD") {
		t.Error("it got the log without having confirmed all data")
	}
	if !strings.Contains(s.log.String(), "repl-timeout") || w.info("connected_slaves") != 0 {
		t.Errorf("not a word of it: %s", s.log)
	}
}

// A log that nobody reads ends after repl-backlog-ttl; then who comes again gets all data anew, under another name.
func TestLogEndsWithoutReplicas(t *testing.T) {
	s := start(t, "--repl-backlog-ttl", "1")
	w, r := dial(t, s.addr), dial(t, s.addr)
	id := strings.Fields(r.follow("?", "-1"))[1]
	r.file()
	r.conn.Close()
	eventually(t, "the log ended", func() bool { return w.info("repl_backlog_active") == 0 })
	w.do("ZADD", "k", "1", "missed")
	again := dial(t, s.addr)
	answer := strings.Fields(again.follow(id, "1"))
	if answer[0] != "+FULLRESYNC" || answer[1] == id {
		t.Errorf("it is answered %q", answer)
	}
	if keys := again.file(); keys["k"] != 1 {
		t.Errorf("it gets %v", keys)
	}
}

// A node that stops lets its replicas have what was written before: it waits until they confirmed it.
func TestStopLetsReplicasCatchUp(t *testing.T) {
	s := start(t)
	w, r := dial(t, s.addr), dial(t, s.addr)
	r.follow("?", "-1")
	r.file()
	r.send(string(array("REPLCONF", "ACK", "0")))
	eventually(t, "it is online", func() bool { return strings.Contains(w.do("INFO", "replication"), "state=online") })
	const writes = 2000
	for i := range writes {
		w.send(string(array("ZADD", "k", strconv.Itoa(i), "m"+strconv.Itoa(i))))
	}
	for range writes {
		w.reply()
	}
	stopped := make(chan struct{})
	go func() {
		s.stop()
		close(stopped)
	}()
	// It asks for a confirmation behind all of it, and goes on only then.
	read, last := 0, ""
	for !strings.HasSuffix(last, "GETACK\r\n$1\r\n*\r\n") {
		words := r.reply()
		read, last = read+len(words), words
	}
	select {
	case <-stopped:
		t.Error("it stopped without the confirmation")
	default:
	}
	if !strings.Contains(s.log.String(), "stopping") {
		t.Error("it has not begun to stop")
	}
	r.send(string(array("REPLCONF", "ACK", strconv.Itoa(read))))
	<-stopped
}
