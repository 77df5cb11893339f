package node

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"zset.dev/operator/node/peertest"
)

// checked runs a program of a real server that checks files.
func checked(t *testing.T, program string, args ...string) {
	t.Helper()
	folder := os.Getenv("PEERS")
	if folder == "" {
		t.Skip("set PEERS to a folder with the programs of real servers")
	}
	if out, err := exec.Command(filepath.Join(folder, program), args...).CombinedOutput(); err != nil {
		t.Errorf("%s %q: %v\n%s", program, args, err, out)
	}
}

// everything is what a server holds, as its clients see it: ask answers a command.
func everything(ask func(command string) string, keys int) string {
	var all strings.Builder
	for i := range keys {
		key := fmt.Sprintf("key:%d", i)
		fmt.Fprintf(&all, "%s %s %s\n", key, ask("PEXPIRETIME "+key), ask("ZRANGE "+key+" 0 -1 WITHSCORES"))
	}
	return all.String()
}

// plain has a reply in the form that a peer's are in.
func plain(t *testing.T, w *wire) func(string) string {
	return func(command string) string {
		reply := w.do(strings.Fields(command)...)
		if !strings.HasPrefix(reply, "*") {
			return strings.TrimSpace(reply)
		}
		lines := strings.Split(strings.TrimSuffix(reply, "\r\n"), "\r\n")
		var text []string
		for i := 2; i < len(lines); i += 2 {
			text = append(text, lines[i])
		}
		return strings.Join(text, " ")
	}
}

// What a node has on disk, real servers load and their checkers pass: the append-only files, rewritten while changes came, and
// dump.rdb. What they have on disk a node loads.
func TestFilesOfRealServers(t *testing.T) {
	const keys = 30
	for _, kind := range []string{"redis", "valkey"} {
		t.Run(kind, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			dir := t.TempDir()
			s := start(t, "--dir", dir, "--appendonly", "yes")
			w := dial(t, s.addr)
			w.expect("$3\r\nlib\r\n", "FUNCTION", "LOAD", library)
			fillAtRandom(w, rand.New(rand.NewPCG(seed, 1)), 2000)
			w.expect("+Background append only file rewriting started\r\n", "BGREWRITEAOF")
			fillAtRandom(w, rand.New(rand.NewPCG(seed, 2)), 1000)
			eventually(t, "it is rewritten", func() bool { return strings.Contains(w.do("INFO", "persistence"), "aof_rewrite_in_progress:0") })
			want := everything(plain(t, w), keys)
			w.expect("+OK\r\n", "SAVE")
			s.stop()
			manifest := filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest")
			checked(t, kind+"-check-aof", manifest)
			checked(t, kind+"-check-rdb", filepath.Join(dir, "dump.rdb"))
			peer := peertest.Start(t, kind+"-server", dir, "--appendonly", "yes")
			if got := everything(peer.Do, keys); got != want {
				t.Errorf("the append-only files are loaded as\n%.2000s\nwant\n%.2000s", got, want)
			}
			if got := peer.Do("FCALL answer 0"); got != ":42" {
				t.Errorf("the function answers %s", got)
			}
			// On goes the real server, with commands as clients send them.
			for i := range 200 {
				peer.Do(fmt.Sprintf("ZINCRBY key:%d 2.5 member:%d", i%keys, i))
				peer.Do(fmt.Sprintf("ZPOPMIN key:%d", i%7))
			}
			peer.Do("EVAL return{redis.call('ZADD','key:1',1,'x'),redis.call('ZADD','key:2',1,'x')} 0")
			want = everything(peer.Do, keys)
			peer.Stop()
			checked(t, kind+"-check-aof", manifest)
			for range 2 {
				s = start(t, "--dir", dir, "--appendonly", "yes")
				w = dial(t, s.addr)
				if got := everything(plain(t, w), keys); got != want {
					t.Errorf("what the real server appended is loaded as\n%.2000s\nwant\n%.2000s", got, want)
				}
				w.expect(":42\r\n", "FCALL", "answer", "0")
				s.stop()
			}
		})
	}
}

// Files with other types are refused by the name of the key, or loaded without those.
func TestFilesWithOtherTypes(t *testing.T) {
	for _, kind := range []string{"redis", "valkey"} {
		t.Run(kind, func(t *testing.T) {
			dir := t.TempDir()
			peer := peertest.Start(t, kind+"-server", dir, "--appendonly", "yes", "--aof-use-rdb-preamble", "no")
			for _, command := range []string{"ZADD board 1 m", "SET name value", "RPUSH list a b", "ZADD gone 1 m", "SET gone x", "SELECT 0"} {
				peer.Do(command)
			}
			peer.Do("SAVE")
			peer.Stop()
			for name, args := range map[string][]string{"dump.rdb": nil, "append-only files": {"--appendonly", "yes"}} {
				s := startWith(t, Options{}, append([]string{"--dir", dir}, args...)...)
				if s.failure == nil || !strings.Contains(s.failure.Error(), "this server holds sorted sets only") {
					t.Errorf("%s: %v", name, s.failure)
				}
				s = start(t, append([]string{"--dir", dir, "--skip-other-types", "yes"}, args...)...)
				w := dial(t, s.addr)
				w.expect(":1\r\n", "DBSIZE")
				w.expect(":1\r\n", "EXISTS", "board")
				if info := w.do("INFO", "persistence"); strings.Contains(info, "loaded_skipped:0") {
					t.Errorf("%s: nothing is counted as left out", name)
				}
				s.stop()
			}
		})
	}
}
