package command

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/peertest"
	files "zset.dev/operator/node/persist"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

// datum is what a key holds.
type datum struct {
	members  map[string]float64
	expireAt int64
}

// content is all a keyspace holds, keys included whose time has come and that were not removed.
func content(ks *keyspace.Keyspace) map[string]datum {
	all := map[string]datum{}
	ks.Each(nil, 0, func(e *keyspace.Entry) {
		d := datum{map[string]float64{}, e.ExpireAt()}
		for member, score := range e.Set().All() {
			d.members[string(member)] = score
		}
		all[e.Key()] = d
	})
	return all
}

// compare reports what is not the same in got as in want. Real servers do not keep the sign of zero.
func compareContent(t *testing.T, what string, got, want map[string]datum, signs bool) {
	t.Helper()
	for key, w := range want {
		g, ok := got[key]
		if !ok || g.expireAt != w.expireAt || len(g.members) != len(w.members) {
			t.Errorf("%s: key %q is there %v, until %d, with %d members; want until %d, with %d", what, key, ok, g.expireAt, len(g.members), w.expireAt, len(w.members))
			continue
		}
		for member, score := range w.members {
			if other, ok := g.members[member]; !ok || other != score || signs && math.Float64bits(other) != math.Float64bits(score) {
				t.Errorf("%s: key %q member %q has %v, %v; want %v", what, key, member, other, ok, score)
				break
			}
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s: key %q is there", what, key)
		}
	}
}

// replica is an empty node to do effects on.
func replica(t *testing.T) (*Applier, *Env) {
	_, c := testCall(t, func() time.Time { return time.UnixMilli(dawn + 1e9) })
	c.Env.Keyspace.SuspendExpiry(keyspace.Following, true)
	return NewApplier(c.Env, c.Client), c.Env
}

func apply(t *testing.T, what string, a *Applier, commands [][][]byte) {
	t.Helper()
	for _, args := range commands {
		if err := a.Apply(args); err != nil {
			t.Errorf("%s: %v", what, err)
			return
		}
	}
	a.Report()
}

func loadFile(t *testing.T, env *Env, file []byte) {
	t.Helper()
	l := &files.Loader{Keyspace: env.Keyspace, Now: func() int64 { return 0 }}
	d := rdb.NewDecoder(bytes.NewReader(file), func() *zset.Set { return zset.NewIn(env.Keyspace.Memory(), env.Tuning()) })
	if err := l.Load(d); err != nil {
		t.Fatal(err)
	}
}

// TestEffectsOfHistories does what the log of a history says again, in every way that is promised, and compares.
func TestEffectsOfHistories(t *testing.T) {
	seed := rand.Uint64()
	if text := os.Getenv("SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	t.Logf("SEED=%d", seed)
	rounds := 2
	if testing.Short() {
		rounds = 1
	}
	for round := range 2 * rounds {
		moved := round%2 == 1
		t.Run(fmt.Sprint("moved=", moved), func(t *testing.T) {
			x := newEffectsHistory(t, seed+uint64(round), moved)
			saved := x.happen(3, 3000, 4)
			want := content(x.env.Keyspace)
			_, end := x.log.Range()
			all := commandsBetween(t, x.log, 0, end)
			kinds := map[string]int{}
			for _, args := range all {
				kinds[string(args[0])]++
			}
			t.Logf("%d commands left %v, %d keys at the end", x.executed.Load(), kinds, len(want))

			a, env := replica(t)
			apply(t, "from nothing", a, all)
			compareContent(t, "from nothing", content(env.Keyspace), want, true)
			if !moved {
				for range 5 {
					i := x.whole(all)
					apply(t, "again", a, all[i:])
					compareContent(t, fmt.Sprintf("again from effect %d", i), content(env.Keyspace), want, true)
				}
			}
			for i, s := range saved {
				a, env := replica(t)
				loadFile(t, env, s.file)
				what := fmt.Sprintf("from file %d, begun at %d of %d", i, s.from, end)
				apply(t, what, a, commandsBetween(t, x.log, s.from, end))
				compareContent(t, what, content(env.Keyspace), want, true)
			}
		})
	}
}

// Short histories of sets of two members, done again from each of their moments on, to the data as it was at each later
// one: sets are empty in between that never were.
func TestEffectsDoneAgain(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	a, env := replica(t)
	histories := 200
	if testing.Short() {
		histories = 30
	}
	for range histories {
		x := newEffectsTest(t)
		x.now = dawn
		var offsets []int64
		var states []map[string]datum
		var done []string
		for range 12 {
			_, end := x.log.Range()
			offsets, states = append(offsets, end), append(states, content(x.c.Env.Keyspace))
			command := []string{"ZADD k 1 a", "ZADD k 2 b", "ZADD k 1 b 2 a", "ZREM k a", "ZREM k b", "PEXPIREAT k 4000000060000", "PERSIST k",
				"RENAME k l", "RENAME l k", "COPY k l REPLACE", "DEL k", "MULTI; ZREM k a; ZADD k 3 b; EXEC"}[rng.IntN(12)]
			x.do(command)
			done = append(done, command)
		}
		_, end := x.log.Range()
		want := content(x.c.Env.Keyspace)
		states = append(states, want)
		for from, offset := range offsets {
			for _, state := range states[from:] {
				apply(t, "reset", a, [][][]byte{byteWords("FLUSHALL")})
				for key, d := range state {
					set := zset.New(nil)
					for member, score := range d.members {
						set.Add([]byte(member), score, 0)
					}
					apply(t, "state", a, [][][]byte{byteWords("RESTORE", key, fmt.Sprint(d.expireAt), string(rdb.Append(nil, set)), "ABSTTL")})
				}
				apply(t, "again", a, commandsBetween(t, x.log, offset, end))
				compareContent(t, fmt.Sprintf("%q from %d on", done, from), content(env.Keyspace), want, true)
			}
		}
		if t.Failed() {
			return
		}
	}
}

// whole is the number of a command outside of transactions.
func (x *effectsHistory) whole(all [][][]byte) int {
	i := int(x.seed % uint64(len(all)))
	x.seed = x.seed*6364136223846793005 + 1442695040888963407
	for i > 0 && string(all[i-1][0]) != "EXEC" {
		i--
	}
	return i
}

// Real servers come to the same, of the log alone and of files with what was logged since.
func TestEffectsOfHistoriesOnPeers(t *testing.T) {
	if os.Getenv("PEERS") == "" {
		t.Skip("set PEERS to a folder with redis-server and valkey-server")
	}
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, program := range []string{"redis-server", "valkey-server"} {
		for _, moved := range []bool{false, true} {
			t.Run(fmt.Sprint(program, "/moved=", moved), func(t *testing.T) {
				x := newEffectsHistory(t, seed, moved)
				saved := x.happen(3, 3000, 3)
				want := content(x.env.Keyspace)
				_, end := x.log.Range()
				for _, s := range append([]savedFile{{}}, saved...) {
					env := x.onPeer(program, s, end)
					compareContent(t, fmt.Sprintf("from %d of %d", s.from, end), content(env.Keyspace), want, false)
				}
			})
		}
	}
}

// onPeer lets a real server load a file and the log since, and gives what it holds then.
func (x *effectsHistory) onPeer(program string, s savedFile, end int64) *Env {
	t := x.t
	dir := t.TempDir()
	folder := filepath.Join(dir, "appendonlydir")
	write := func(name string, b []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	manifest := "file since.aof seq 1 type i\n"
	if s.file != nil {
		manifest = "file base.rdb seq 1 type b\n" + manifest
		write("base.rdb", s.file)
	}
	write("appendonly.aof.manifest", []byte(manifest))
	r, err := x.log.Read(s.from, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var since []byte
	for r.Offset() < end {
		b, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		since = append(since, b...)
	}
	write("since.aof", since)
	p := peertest.Start(t, program, dir, "--appendonly", "yes")
	p.Do("SAVE")
	f, err := os.Open(filepath.Join(dir, "dump.rdb"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	file, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	_, env := replica(t)
	loadFile(t, env, file)
	return env
}
