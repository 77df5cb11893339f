package command

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/peertest"
	files "zset.dev/operator/node/persist"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// dawn is when histories begin, late enough that a real server of today does not take their keys for expired.
const dawn = int64(4_000_000_000_000)

// effectsHistory is a node on which several clients do whatever changes data, while keys expire and are evicted, all of
// which is logged, and files are saved.
type effectsHistory struct {
	t     *testing.T
	table *Table
	env   *Env
	log   *replog.Log
	seed  uint64
	moved bool // large sets get other keys, too
	calls func(i uint64) *Call

	now      atomic.Int64 // milliseconds
	executed atomic.Int64
	stop     chan struct{}
}

// savedFile is a file that was saved during a history, and from where on the log brings it up to date.
type savedFile struct {
	file []byte
	from int64
}

func newEffectsHistory(t *testing.T, seed uint64, moved bool) *effectsHistory {
	x := &effectsHistory{t: t, seed: seed, moved: moved, log: replog.New(0, 1<<40), stop: make(chan struct{})}
	x.now.Store(dawn)
	var c *Call
	x.table, c = testCall(t, x.clock, "--zset-max-listpack-entries", "8")
	x.env = c.Env
	x.env.Keyspace.Journal(x.log)
	x.calls = func(i uint64) *Call {
		return &Call{
			Env: x.env, W: &resp.Writer{}, Rng: rand.New(rand.NewPCG(seed, i)), At: x.clock(),
			Client: client.New(x.env.Clients.NextID(), "127.0.0.1:1", "127.0.0.1:2", x.clock(), client.Unwired{}),
		}
	}
	return x
}

func (x *effectsHistory) clock() time.Time { return time.UnixMilli(x.now.Load()) }

// aClient does commands at random: alone, in transactions and from scripts, and waits for keys beside that.
type aClient struct {
	*effectsHistory
	c, waiter *Call
	rng       *rand.Rand
	wrote     int64
}

func (x *effectsHistory) client(i uint64) *aClient {
	a := &aClient{effectsHistory: x, c: x.calls(2 * i), waiter: x.calls(2*i + 1), rng: rand.New(rand.NewPCG(x.seed, 1000+i))}
	return a
}

func (a *aClient) key() string {
	if a.moved && a.rng.IntN(60) == 0 {
		return a.largeKey()
	}
	return []string{"a", "{a}b", "c", "d", "", "\x00\r\n$-1\xff", "{tag}1", "{tag}2", "e", "f", "g", "h"}[a.rng.IntN(12)]
}

func (a *aClient) member(key string) string {
	switch n := a.rng.IntN(40); {
	case strings.HasPrefix(key, "large:"):
		return largeMember(a.rng.IntN(largeMembers))
	case key == "c" || key == "{tag}1": // of few members, that go and come
		return fmt.Sprint("m", n%3)
	case n == 0:
		return ""
	case n == 1:
		return "\r\n\x00\xfe*3"
	case n == 2:
		return key
	case n == 3:
		return strings.Repeat("long", 100)
	default:
		return fmt.Sprint("m", n%15)
	}
}

// largeMembers is how many make a set that is logged by the name of its key when it moves.
const largeMembers = 2600

func largeMember(i int) string { return fmt.Sprintf("%0100d", i) }

func (a *aClient) score() string {
	switch a.rng.IntN(12) {
	case 0:
		return []string{"inf", "-inf", "0", "-0", "5e-324", "1.7976931348623157e308"}[a.rng.IntN(6)]
	case 1, 2, 3:
		return strconv.FormatFloat(a.rng.NormFloat64(), 'g', 17, 64)
	case 4:
		if f := math.Float64frombits(a.rng.Uint64()); f == f {
			return strconv.FormatFloat(f, 'g', 17, 64)
		}
	}
	return fmt.Sprint(a.rng.IntN(30) - 10)
}

// commands are the kinds of commands. Each gives words, and which of them are keys.
var historyCommands = []func(a *aClient, k, l string) []string{
	func(a *aClient, k, _ string) []string { return []string{"ZADD", k, a.score(), a.member(k)} },
	func(a *aClient, k, _ string) []string {
		words := []string{"ZADD", k}
		for range 1 + a.rng.IntN(14) {
			words = append(words, a.score(), a.member(k))
		}
		return words
	},
	func(a *aClient, k, _ string) []string {
		return []string{"ZADD", k, []string{"NX", "XX", "GT", "LT", "INCR"}[a.rng.IntN(5)], a.score(), a.member(k)}
	},
	func(a *aClient, k, _ string) []string { return []string{"ZINCRBY", k, a.score(), a.member(k)} },
	func(a *aClient, k, _ string) []string { return []string{"ZREM", k, a.member(k), a.member(k)} },
	func(a *aClient, k, _ string) []string { return []string{"ZREM", k, a.member(k)} },
	func(a *aClient, _, _ string) []string { return []string{"ZREM", "c", a.member("c")} },
	func(a *aClient, _, _ string) []string { return []string{"ZADD", "c", a.score(), a.member("c")} },
	func(a *aClient, _, _ string) []string { return []string{"PEXPIRE", "c", "10000"} },
	func(a *aClient, k, _ string) []string { return []string{"ZPOPMIN", k, fmt.Sprint(a.rng.IntN(3))} },
	func(a *aClient, k, _ string) []string { return []string{"ZPOPMAX", k} },
	func(a *aClient, k, l string) []string { return []string{"ZMPOP", "2", k, l, "MIN", "COUNT", "2"} },
	func(a *aClient, k, l string) []string { return []string{"BZPOPMAX", k, l, "0"} },
	func(a *aClient, k, _ string) []string {
		from := a.rng.IntN(6) - 2
		return []string{"ZREMRANGEBYRANK", k, fmt.Sprint(from), fmt.Sprint(from + a.rng.IntN(3))}
	},
	func(a *aClient, k, _ string) []string {
		return []string{"ZREMRANGEBYSCORE", k, fmt.Sprint(a.rng.IntN(20)), fmt.Sprint(a.rng.IntN(20))}
	},
	func(a *aClient, k, _ string) []string { return []string{"ZREMRANGEBYLEX", k, "[m1", "(m12"} },
	func(a *aClient, k, l string) []string { return []string{"ZUNIONSTORE", k, "2", l, k} },
	func(a *aClient, k, l string) []string {
		return []string{"ZINTERSTORE", k, "2", l, k, "WEIGHTS", "1", "-1"}
	},
	func(a *aClient, k, l string) []string { return []string{"ZDIFFSTORE", k, "2", l, a.key()} },
	func(a *aClient, k, l string) []string {
		return []string{"ZRANGESTORE", k, l, "0", fmt.Sprint(a.rng.IntN(20))}
	},
	func(a *aClient, k, _ string) []string {
		return []string{"GEOADD", k, fmt.Sprint(a.rng.Float64() * 90), fmt.Sprint(a.rng.Float64() * 80), a.member(k)}
	},
	func(a *aClient, k, l string) []string {
		return []string{"GEOSEARCHSTORE", k, l, "FROMLONLAT", "40", "40", "BYRADIUS", "5000", "km"}
	},
	func(a *aClient, k, l string) []string {
		return []string{"GEORADIUS", l, "40", "40", "5000", "km", "STORE", k}
	},
	func(a *aClient, k, l string) []string {
		return []string{"GEORADIUSBYMEMBER", l, a.member(l), "5000", "km", "STORE", k}
	},
	func(a *aClient, k, l string) []string {
		return []string{[]string{"DEL", "UNLINK"}[a.rng.IntN(2)], k, l}
	},
	func(a *aClient, k, l string) []string { return []string{"RENAME", k, l} },
	func(a *aClient, k, l string) []string { return []string{"RENAMENX", k, l} },
	func(a *aClient, k, l string) []string { return []string{"COPY", k, l, "REPLACE"} },
	func(a *aClient, k, l string) []string { return []string{"COPY", k, l} },
	func(a *aClient, k, _ string) []string {
		return []string{"RESTORE", k, fmt.Sprint(a.rng.IntN(2) * a.rng.IntN(300)), string(payload(a.t, "1 a 2.5 m3 -7 "+fmt.Sprint("m", a.rng.IntN(20)))), "REPLACE"}
	},
	func(a *aClient, k, _ string) []string { return []string{"PEXPIRE", k, fmt.Sprint(a.rng.IntN(600))} },
	func(a *aClient, k, _ string) []string { return []string{"EXPIRE", k, fmt.Sprint(a.rng.IntN(3))} },
	func(a *aClient, k, _ string) []string {
		return []string{"EXPIREAT", k, fmt.Sprint((dawn + int64(a.rng.IntN(1e5))) / 1000)}
	},
	func(a *aClient, k, _ string) []string {
		return []string{"PEXPIREAT", k, fmt.Sprint(dawn + int64(a.rng.IntN(1e6)))}
	},
	func(a *aClient, k, _ string) []string { return []string{"PERSIST", k} },
	func(a *aClient, k, _ string) []string { return []string{"ZCARD", k} },
	func(a *aClient, _, _ string) []string {
		if a.moved || a.rng.IntN(60) > 0 {
			return []string{"PUBLISH", "channel", "message"}
		}
		return []string{[]string{"FLUSHALL", "FLUSHDB"}[a.rng.IntN(2)]}
	},
	func(a *aClient, k, _ string) []string {
		if a.rng.IntN(8) == 0 {
			return []string{"FUNCTION", "LOAD", "REPLACE", libCode}
		}
		return []string{"FCALL", "f", "1", k, a.score()}
	},
}

// largeCommand is a command on large sets, which now and then come to be anew.
func (a *aClient) largeCommand(k, l string) []string {
	switch a.rng.IntN(20) {
	case 0:
		words := []string{"ZADD", k}
		for i := range largeMembers {
			words = append(words, fmt.Sprint(i), largeMember(i))
		}
		return words
	case 1, 2, 3, 4, 5:
		return []string{"RENAME", k, l}
	case 6:
		return []string{"COPY", k, l, "REPLACE"}
	case 7:
		return historyCommands[a.rng.IntN(len(historyCommands)-2)](a, k, l)
	case 8:
		return []string{"PEXPIREAT", k, fmt.Sprint(dawn + int64(a.rng.IntN(1e8)))}
	default:
		return historyCommands[a.rng.IntN(5)](a, k, l)
	}
}

func (a *aClient) largeKey() string { return fmt.Sprint("large:", a.rng.IntN(7)) }

func (a *aClient) command() (words, keys []string) {
	if a.moved && a.rng.IntN(6) == 0 {
		k, l := a.largeKey(), a.largeKey()
		return a.largeCommand(k, l), []string{k, l}
	}
	k, l := a.key(), a.key()
	return historyCommands[a.rng.IntN(len(historyCommands))](a, k, l), []string{k, l}
}

func (a *aClient) run(c *Call, words ...string) {
	a.executed.Add(1)
	c.W.Reset(1 << 16)
	c.Args, c.At = byteWords(words...), a.clock()
	a.table.Execute(c)
	if c.Wrote < a.wrote {
		a.t.Errorf("%q: Wrote went back from %d to %d", words, a.wrote, c.Wrote)
	}
}

// script does commands that it gets as words, each behind their number.
const historyScript = "local i = 1 while i <= #ARGV do local n = tonumber(ARGV[i]) redis.pcall(unpack(ARGV, i + 1, i + n)) i = i + n + 1 end --"

func (a *aClient) step() {
	if a.waiter.Waiting() {
		a.table.Resume(a.waiter)
	}
	words, keys := a.command()
	switch n := a.rng.IntN(20); {
	case n < 2:
		a.run(a.c, "MULTI")
		for range 1 + a.rng.IntN(6) {
			words, _ := a.command()
			a.run(a.c, words...)
		}
		a.run(a.c, "EXEC")
	case n < 4:
		var all []string
		script := []string{"EVAL", historyScript + fmt.Sprint(a.rng.IntN(100))}
		for range 1 + a.rng.IntN(4) {
			words, used := a.command()
			if words[0] != "FUNCTION" && words[0] != "FCALL" {
				all = append(append(all, fmt.Sprint(len(words))), words...)
				keys = append(keys, used...)
			}
		}
		if a.rng.IntN(3) == 0 {
			keys = keys[:1]
		}
		a.run(a.c, slices.Concat(script, []string{fmt.Sprint(len(keys))}, keys, all)...)
	case n == 4 && !a.waiter.Waiting():
		a.run(a.waiter, "BZPOPMIN", keys[0], "other", "0")
	case strings.HasPrefix(words[0], "BZ"):
		if !a.waiter.Waiting() {
			a.run(a.waiter, words...)
		}
	default:
		a.run(a.c, words...)
	}
}

// happen lets clients do so many commands in all, and saves a number of files meanwhile.
func (x *effectsHistory) happen(clients int, commands int64, count int) (saved []savedFile) {
	t := x.t
	var all, beside sync.WaitGroup
	for i := range clients {
		a := x.client(uint64(i))
		all.Go(func() {
			for x.executed.Load() < commands {
				a.step()
			}
			a.waiter.End()
			a.c.End()
		})
	}
	ended := make(chan struct{})
	beside.Go(func() {
		rng := rand.New(rand.NewPCG(x.seed, 99))
		for last := int64(0); ; {
			select {
			case <-ended:
				return
			default:
			}
			runtime.Gosched()
			if n := x.executed.Load(); n >= last+20 {
				last = n
				x.now.Add(rng.Int64N(40))
				if rng.IntN(4) == 0 {
					x.env.Keyspace.ExpireDue(x.now.Load(), 1+rng.IntN(5))
				}
				if rng.IntN(10) == 0 {
					x.env.Keyspace.Evict([]keyspace.Policy{"allkeys-random", "volatile-ttl"}[rng.IntN(2)], 5, x.now.Load())
				}
			}
		}
	})
	beside.Go(func() {
		for range count {
			var file bytes.Buffer
			var s savedFile
			last := x.executed.Load()
			saver := files.Saver{
				Keyspace: x.env.Keyspace, Now: func() int64 { return x.now.Load() },
				Begun: func() { _, s.from = x.log.Range() },
				Saved: func(int64) { // commands are done between two holds
					for n := x.executed.Load(); n < last+6 && n < commands; n = x.executed.Load() {
						runtime.Gosched()
					}
					last = x.executed.Load()
				},
			}
			if _, err := saver.Save(&file); err != nil {
				t.Error(err)
				return
			}
			s.file = file.Bytes()
			saved = append(saved, s)
		}
	})
	all.Wait()
	close(ended)
	beside.Wait()
	return saved
}

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
