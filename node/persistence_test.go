package node

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"zset.dev/operator/node/command"
)

// fillAtRandom does what changes data, of all kinds.
func fillAtRandom(w *wire, rng *rand.Rand, n int) {
	for i := range n {
		key := fmt.Sprintf("key:%d", rng.IntN(30))
		other := fmt.Sprintf("key:%d", rng.IntN(30))
		member := fmt.Sprintf("member:%d", rng.IntN(300))
		switch rng.IntN(16) {
		default:
			w.do("ZADD", key, fmt.Sprint(rng.IntN(1000)), member)
		case 0:
			w.do("ZINCRBY", key, "1.5", member)
		case 1:
			w.do("ZPOPMIN", key, "3")
		case 2:
			w.do("RENAME", key, other)
		case 3:
			w.do("ZUNIONSTORE", key, "2", key, other)
		case 4:
			w.do("PEXPIRE", key, "10000000")
		case 5:
			w.do("EVAL", "redis.call('ZADD', KEYS[1], 1, ARGV[1]) redis.call('ZADD', KEYS[2], 2, ARGV[1])", "2", key, other, member)
		case 6:
			w.do("MULTI")
			w.do("ZREM", key, member)
			w.do("ZADD", other, "7", member)
			w.do("EXEC")
		case 7:
			if i%50 == 0 {
				w.do("FLUSHALL")
			}
		}
	}
}

const library = "#!lua name=lib\nredis.register_function('answer', function() return 42 end)"

// What was there is there again after a restart: from dump.rdb and from append-only files, rewritten or not while changes came.
func TestRestart(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for name, args := range map[string][]string{
		"dump.rdb": {"--save", "3600", "1"},
		"always":   {"--appendonly", "yes", "--appendfsync", "always"},
		"everysec": {"--appendonly", "yes"},
		"no":       {"--appendonly", "yes", "--appendfsync", "no"},
	} {
		t.Run(name, func(t *testing.T) {
			args := append([]string{"--dir", t.TempDir(), "--enable-debug-command", "yes"}, args...)
			digest := ""
			for round := range 3 {
				s := start(t, args...)
				w := dial(t, s.addr)
				if got := w.do("DEBUG", "DIGEST"); digest != "" && got != digest {
					t.Fatalf("round %d: the digest is %q, was %q", round, got, digest)
				}
				if round > 0 {
					w.expect(":42\r\n", "FCALL", "answer", "0")
				}
				w.do("FUNCTION", "LOAD", "REPLACE", library)
				var all sync.WaitGroup
				for i := range 3 {
					w := dial(t, s.addr)
					all.Go(func() { fillAtRandom(w, rand.New(rand.NewPCG(seed, uint64(10*round+i))), 300) })
				}
				if round == 1 {
					w.expect("+Background append only file rewriting started\r\n", "BGREWRITEAOF")
				}
				all.Wait()
				digest = w.do("DEBUG", "DIGEST")
				s.stop()
			}
		})
	}
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "--dir", dir)
	w := dial(t, s.addr)
	began := w.do("LASTSAVE")
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
	info := func(line string) bool { return strings.Contains(w.do("INFO", "persistence"), "\r\n"+line+"\r\n") }
	if !info("rdb_changes_since_last_save:1") {
		t.Error("one change is not counted")
	}
	w.expect("+Background saving started\r\n", "BGSAVE")
	eventually(t, "it is saved", func() bool { return info("rdb_bgsave_in_progress:0") && info("rdb_saves:1") })
	if !info("rdb_changes_since_last_save:0") {
		t.Error("there are changes still")
	}
	w.expect("-ERR Background save is currently not in progress or scheduled\r\n", "BGSAVE", "CANCEL")
	w.expect("-ERR syntax error\r\n", "BGSAVE", "NOW")
	if now := w.do("LASTSAVE"); now < began {
		t.Errorf("LASTSAVE went from %q to %q", began, now)
	}
	if err := os.Remove(filepath.Join(dir, "dump.rdb")); err != nil {
		t.Error(err)
	}
	w.expect("+OK\r\n", "SAVE")
	s.stop()
	if err := os.WriteFile(filepath.Join(dir, "dump.rdb.temp-1"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	s = start(t, "--dir", dir)
	w = dial(t, s.addr)
	w.expect("*2\r\n$1\r\nm\r\n$1\r\n1\r\n", "ZRANGE", "k", "0", "-1", "WITHSCORES")
	if left, _ := filepath.Glob(filepath.Join(dir, "*temp*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

// Appending is turned on and off while the node runs.
func TestAppendOnlyLive(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "--dir", dir)
	w := dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "before", "1", "m")
	w.expect("+OK\r\n", "CONFIG", "SET", "appendonly", "yes", "appendfsync", "always")
	eventually(t, "the files are whole", func() bool { return strings.Contains(w.do("INFO", "persistence"), "aof_rewrites:1") })
	w.expect(":1\r\n", "ZADD", "on", "1", "m")
	w.expect("+OK\r\n", "CONFIG", "SET", "appendonly", "no")
	w.expect(":1\r\n", "ZADD", "off", "1", "m")
	s.stop()
	s = start(t, "--dir", dir, "--appendonly", "yes")
	w = dial(t, s.addr)
	w.expect(":2\r\n", "EXISTS", "before", "on", "off")
}

// Who turns appendonly on in the configuration alone does not begin with nothing.
func TestAppendOnlyBeginsWithDump(t *testing.T) {
	dir := t.TempDir()
	s := start(t, "--dir", dir)
	w := dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
	w.expect("+OK\r\n", "SAVE")
	s.stop()
	for range 2 { // from dump.rdb, then from the append-only files
		s = start(t, "--dir", dir, "--appendonly", "yes")
		w = dial(t, s.addr)
		w.expect(":1\r\n", "EXISTS", "k")
		s.stop()
		os.Remove(filepath.Join(dir, "dump.rdb"))
	}
}

// A replica that was restarted goes on where its files end, and has by itself what its primary has.
func TestReplicaResumesAfterRestart(t *testing.T) {
	primary := start(t)
	w := dial(t, primary.addr)
	host, port, _ := strings.Cut(primary.addr, ":")
	dir := t.TempDir()
	args := []string{"--dir", dir, "--appendonly", "yes", "--replicaof", host, port}
	w.do("ZADD", "board", "1", "before")
	info := func(w *wire, line string) bool { return strings.Contains(w.do("INFO"), "\r\n"+line+"\r\n") }
	has := func(s *running, n int) {
		t.Helper()
		eventually(t, fmt.Sprintf("it has %d members", n), func() bool { return dial(t, s.addr).do("ZCARD", "board") == fmt.Sprintf(":%d\r\n", n) })
	}
	replica := start(t, args...)
	has(replica, 1)
	w.do("ZADD", "board", "1", "streamed")
	has(replica, 2)
	eventually(t, "its files are those of the primary's data", func() bool {
		base, _ := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.base.rdb"))
		text := ""
		for _, name := range base {
			content, _ := os.ReadFile(name)
			text += string(content)
		}
		return strings.Contains(text, "before") && !info(dial(t, replica.addr), "aof_rewrite_in_progress:1")
	})
	replica.stop()
	w.do("ZADD", "board", "1", "missed")
	replica = start(t, args...)
	has(replica, 3)
	if !info(w, "sync_full:1") || !info(w, "sync_partial_ok:1") {
		t.Error("it did not resume")
	}
	w.do("ZADD", "board", "1", "after")
	has(replica, 4)
	replica.stop()
	alone := start(t, "--dir", dir, "--appendonly", "yes")
	has(alone, 4)
}

// appendedTo is a node's last append-only file, changed by do.
func appendedTo(t *testing.T, dir string, do func(content []byte) []byte) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.incr.aof"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	content, err := os.ReadFile(files[0])
	if err == nil {
		err = os.WriteFile(files[0], do(content), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// The end that a crash tore off is cut off and kept beside; damage with commands behind it is refused, with what to do.
func TestDamagedEnd(t *testing.T) {
	const transaction = "*1\r\n$5\r\nMULTI\r\n*4\r\n$4\r\nZADD\r\n$1\r\nk\r\n$1\r\n1\r\n$4\r\nhalf\r\n"
	for name, tt := range map[string]struct {
		damage func([]byte) []byte
		args   []string
		lost   string // what is cut off; nothing is loaded when it is "refused"
	}{
		"half a command":  {func(b []byte) []byte { return append(b, "*4\r\n$4\r\nZA"...) }, nil, "*4\r\n$4\r\nZA"},
		"a transaction":   {func(b []byte) []byte { return append(b, transaction...) }, nil, transaction},
		"zeros":           {func(b []byte) []byte { return append(b, make([]byte, 5000)...) }, nil, strings.Repeat("\x00", 5000)},
		"garbage":         {func(b []byte) []byte { return append(b, "garbage"...) }, nil, "refused"},
		"garbage allowed": {func(b []byte) []byte { return append(b, "garbage"...) }, []string{"--aof-load-corrupt-tail-max-size", "7"}, "garbage"},
		"torn, refused":   {func(b []byte) []byte { return append(b, "*4\r\n"...) }, []string{"--aof-load-truncated", "no"}, "refused"},
		"in the midst":    {func(b []byte) []byte { b[len(b)/2] ^= 0x55; return b }, nil, "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := start(t, "--dir", dir, "--appendonly", "yes")
			w := dial(t, s.addr)
			for i := range 20 {
				w.do("ZADD", "k", "1", fmt.Sprint("member:", i))
			}
			s.stop()
			appendedTo(t, dir, tt.damage)
			s = start(t, append([]string{"--dir", dir, "--appendonly", "yes"}, tt.args...)...)
			if tt.lost == "refused" {
				if s.failure == nil || !strings.Contains(s.failure.Error(), "check it with redis-check-aof") {
					t.Errorf("it is loaded: %v", s.failure)
				}
				return
			}
			w = dial(t, s.addr)
			w.expect(":20\r\n", "ZCARD", "k")
			kept, _ := filepath.Glob(filepath.Join(dir, "appendonlydir", "*.cut-*"))
			if len(kept) != 1 {
				t.Fatalf("kept beside: %q", kept)
			}
			if content, err := os.ReadFile(kept[0]); string(content) != tt.lost || err != nil {
				t.Errorf("what was cut off is %q, %v", content, err)
			}
			if log := s.log.String(); !strings.Contains(log, fmt.Sprintf("bytes=%d", len(tt.lost))) {
				t.Errorf("the log does not say how much was cut off: %s", log)
			}
			w.expect(":1\r\n", "ZADD", "k", "1", "after")
			s.stop()
			w = dial(t, start(t, "--dir", dir, "--appendonly", "yes").addr)
			w.expect(":21\r\n", "ZCARD", "k")
		})
	}
}

// An append-only file of the time before there was a folder of them is loaded, and a folder made of it.
func TestOldAppendOnlyFile(t *testing.T) {
	dir, old := t.TempDir(), t.TempDir()
	s := start(t, "--dir", dir, "--appendonly", "yes")
	w := dial(t, s.addr)
	w.do("ZADD", "k", "1", "in the base")
	w.expect("+Background append only file rewriting started\r\n", "BGREWRITEAOF")
	eventually(t, "it is rewritten", func() bool { return strings.Contains(w.do("INFO", "persistence"), "aof_rewrite_in_progress:0") })
	w.do("ZADD", "k", "1", "appended")
	s.stop()
	var whole []byte
	for _, pattern := range []string{"*.base.rdb", "*.incr.aof"} {
		files, _ := filepath.Glob(filepath.Join(dir, "appendonlydir", pattern))
		for _, name := range files {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			whole = append(whole, content...)
		}
	}
	if err := os.WriteFile(filepath.Join(old, "appendonly.aof"), whole, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 { // from the old file, then from the folder
		s = start(t, "--dir", old, "--appendonly", "yes")
		dial(t, s.addr).expect(":2\r\n", "ZCARD", "k")
		s.stop()
		os.Remove(filepath.Join(old, "appendonly.aof"))
	}
}

// Until the data are loaded, only what does not need them is answered.
func TestLoading(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	s.env.Restrain(command.WhileLoading, true)
	const refusal = "-LOADING Redis is loading the dataset in memory\r\n"
	for _, words := range [][]string{{"ZADD", "k", "1", "m"}, {"ZRANGE", "k", "0", "-1"}, {"DBSIZE"}, {"EVAL", "return 1", "0"}, {"SAVE"}} {
		w.expect(refusal, words...)
	}
	w.expect("+OK\r\n", "MULTI")
	w.expect(refusal, "ZADD", "k", "1", "m")
	if got := w.do("EXEC"); !strings.HasPrefix(got, "-EXECABORT") {
		t.Errorf("EXEC is answered with %q", got)
	}
	if got := w.do("INFO", "persistence"); !strings.HasPrefix(got, "$") {
		t.Errorf("INFO is answered with %q", got)
	}
	w.expect("$7\r\nmessage\r\n", "ECHO", "message")
	if s.notReady() != "loading" {
		t.Errorf("the probe is told %q", s.notReady())
	}
	s.env.Restrain(command.WhileLoading, false)
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
}
