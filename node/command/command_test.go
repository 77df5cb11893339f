package command

import (
	"fmt"
	"log/slog"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/node/telemetry"
	"zset.dev/operator/zset"
)

// testCall is a client of a node that has no sockets.
func testCall(t testing.TB, now func() time.Time, args ...string) (*Table, *Call) {
	t.Helper()
	return testCallOn(t, keyspace.New(), now, args...)
}

// testCallOn is testCall of a node with that keyspace.
func testCallOn(t testing.TB, ks *keyspace.Keyspace, now func() time.Time, args ...string) (*Table, *Call) {
	t.Helper()
	settings, err := config.FromArgs(args)
	if err != nil {
		t.Fatal(err)
	}
	v := settings.Values()
	tuning, err := zset.NewTuning(zset.Options{P: v.SkipListP.Value, MaxLevel: v.SkipListMaxLevel, BlockEntries: v.SkipListBlockEntries,
		ListpackMaxEntries: v.ZSetMaxListpackEntries, ListpackMaxValueBytes: v.ZSetMaxListpackValue})
	if err != nil {
		t.Fatal(err)
	}
	table := NewTable()
	stats := telemetry.NewStats(table.Names())
	clients := client.NewRegistry()
	cl := client.New(clients.NextID(), "127.0.0.1:1", "127.0.0.1:2", now(), client.Unwired{})
	clients.Add(cl, 1)
	env := &Env{
		Table: table, Keyspace: ks, Config: settings, Clients: clients, Stats: stats,
		Now: now, Tuning: func() *zset.Tuning { return tuning }, UsedMemory: ks.Used, Lasting: ks.Used,
		Facts:    func() telemetry.Facts { return telemetry.Facts{Stats: stats, Now: now(), Started: now()} },
		Shutdown: func(Shutdown) bool { return true },
	}
	env.Complete()
	return table, &Call{
		Env:    env,
		Client: cl, W: &resp.Writer{}, Rng: rand.New(rand.NewPCG(1, 2)), At: now(),
	}
}

func TestTableIsSound(t *testing.T) {
	table := NewTable()
	var check func(s *Spec, container string)
	check = func(s *Spec, container string) {
		problem := func(format string, args ...any) { t.Errorf("%s: "+format, append([]any{s.Name}, args...)...) }
		if s.Name != strings.ToLower(s.Name) || container != "" && !strings.HasPrefix(s.Name, container+"|") {
			problem("is misnamed")
		}
		if s.Summary == "" || !strings.HasSuffix(s.Summary, ".") || s.Since == "" || s.Group == "" || s.Complexity == "" {
			problem("is not documented")
		}
		if s.Arity == 0 || s.Run == nil && s.Subs == nil {
			problem("cannot be run")
		}
		if s.Flags&Write != 0 && s.Flags&ReadOnly != 0 || s.Flags&DenyOOM != 0 && s.Flags&Write == 0 {
			problem("has flags that do not go together")
		}
		least := max(s.Arity, -s.Arity)
		for _, k := range s.Keys {
			// A word and what follows it may be missing.
			if at := max(k.First, k.Count); at == 0 || at >= least && k.Word == "" || k.Step < 1 || k.Access == "" || s.Flags&(Write|ReadOnly) == 0 && s.Name != "watch" && !s.HoldsItself {
				problem("has keys at %+v", k)
			}
			if k.Access != "RO" && s.Flags&Write == 0 && !s.HoldsItself {
				problem("has access %s to its keys", k.Access)
			}
		}
		// The least number of words documented must be what the arity says.
		words := 1 + strings.Count(s.Name, "|") + leastWords(s.Args)
		// Of some, none of the optional arguments is needed but one of them is.
		oneNeeded := slices.Contains([]string{"geosearch", "geosearchstore", "client|kill"}, s.Name)
		if s.Subs == nil && words != least && !(oneNeeded && words < least) {
			problem("has arity %d, documents at least %d words", s.Arity, words)
		}
		for i := range s.Subs {
			check(&s.Subs[i], s.Name)
		}
	}
	for i := range table.specs {
		check(&table.specs[i], "")
	}
	for name := range foreignNames {
		if table.lookup([]byte(name)) != nil {
			t.Errorf("%s is a command and listed as one of another type", name)
		}
	}
	if names := table.Names(); !slices.Contains(names, "client|kill") || len(names) != len(table.byName) {
		t.Errorf("%d names, %d known", len(names), len(table.byName))
	}
}

// What users of sorted sets bring along must not get lost.
func TestPromisedCommandsAreThere(t *testing.T) {
	table := NewTable()
	for name := range strings.FieldsSeq(`
		zadd zcard zcount zdiff zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop zmscore zpopmax zpopmin zrandmember zrange
		zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex zremrangebyrank zremrangebyscore zrevrange zrevrangebylex
		zrevrangebyscore zrevrank zscan zscore zunion zunionstore bzmpop bzpopmin bzpopmax
		geoadd geodist geohash geopos geosearch geosearchstore georadius georadius_ro georadiusbymember georadiusbymember_ro
		del unlink exists type touch rename renamenx copy keys scan randomkey move swapdb flushdb flushall dump restore
		expire pexpire expireat pexpireat ttl pttl expiretime pexpiretime persist
		object|encoding object|freq object|idletime object|refcount memory|usage memory|stats memory|doctor memory|purge memory|malloc-stats
		multi exec discard watch unwatch eval evalsha eval_ro evalsha_ro script|load script|exists script|flush script|kill
		subscribe unsubscribe psubscribe punsubscribe ssubscribe sunsubscribe publish spublish
		pubsub|channels pubsub|numsub pubsub|numpat pubsub|shardchannels pubsub|shardnumsub
		client|tracking client|trackinginfo client|caching client|getredir client|kill client|pause client|unpause client|no-evict client|no-touch
		client|reply client|info client|list client|id client|setname client|getname client|setinfo client|unblock monitor
		command command|count command|list command|info command|docs command|getkeys command|getkeysandflags
		info config|get config|set config|rewrite config|resetstat slowlog|get slowlog|len slowlog|reset debug
		latency|doctor latency|graph latency|histogram latency|history latency|latest latency|reset
		acl|setuser acl|getuser acl|list acl|users acl|whoami acl|cat acl|dryrun acl|log acl|load acl|save acl|deluser acl|genpass
		hello auth reset quit ping echo select time lolwut dbsize role wait cluster|info cluster|nodes cluster|slots cluster|shards
	`) {
		if table.lookupFull(name) == nil {
			t.Errorf("there is no %s", name)
		}
	}
	for _, name := range []string{"get", "hset", "lpush", "sadd", "xadd", "sort", "pfadd", "vadd", "json.set"} {
		if !ofOtherType([]byte(name)) {
			t.Errorf("%s is not known to be of another type", name)
		}
	}
}

func leastWords(args []Arg) (n int) {
	for _, a := range args {
		if a.Optional {
			continue
		}
		own := 1
		switch a.Type {
		case "oneof":
			own = math.MaxInt
			for _, choice := range a.Args {
				own = min(own, leastWords([]Arg{choice}))
			}
		case "block":
			own = leastWords(a.Args)
			if own == 0 && a.Many {
				own = 1
			}
		}
		if a.Token != "" && a.Type != "pure-token" {
			own++
		}
		n += own
	}
	return n
}

func TestExpiryTime(t *testing.T) {
	const now = 1_700_000_000_000
	for _, c := range []struct {
		n, unit, base, want int64
		ok                  bool
	}{
		{10, seconds, now, now + 10_000, true},
		{-10, seconds, now, now - 10_000, true},
		{0, seconds, 0, 0, true},
		{math.MaxInt64 / 1000, seconds, 0, math.MaxInt64 / 1000 * 1000, true},
		{math.MaxInt64 / 1000, seconds, now, 0, false},
		{math.MaxInt64/1000 + 1, seconds, 0, 0, false},
		{math.MinInt64 / 1000, seconds, now, math.MinInt64/1000*1000 + now, true},
		{math.MinInt64/1000 - 1, seconds, 0, 0, false},
		{math.MaxInt64 - now, milliseconds, now, math.MaxInt64, true},
		{math.MaxInt64 - now + 1, milliseconds, now, 0, false},
		{math.MinInt64, milliseconds, 0, math.MinInt64, true},
	} {
		if at, ok := expiryTime(c.n, c.unit, c.base); ok != c.ok || ok && at != c.want {
			t.Errorf("expiryTime(%d, %d, %d) = %d, %v; want %d, %v", c.n, c.unit, c.base, at, ok, c.want, c.ok)
		}
	}
}

func TestCondition(t *testing.T) {
	for _, c := range []struct {
		on          condition
		present, at int64
		want        bool
	}{
		{condition{}, 0, 5, true}, {condition{}, 9, 5, true},
		{condition{nx: true}, 0, 5, true}, {condition{nx: true}, 9, 5, false},
		{condition{xx: true}, 0, 5, false}, {condition{xx: true}, 9, 5, true},
		{condition{gt: true}, 0, 5, false}, {condition{gt: true}, 5, 5, false}, {condition{gt: true}, 4, 5, true},
		{condition{lt: true}, 0, 5, true}, {condition{lt: true}, 5, 5, false}, {condition{lt: true}, 6, 5, true},
		{condition{xx: true, gt: true}, 4, 5, true}, {condition{xx: true, lt: true}, 0, 5, false},
	} {
		if got := c.on.allows(c.present, c.at); got != c.want {
			t.Errorf("%+v.allows(%d, %d) = %v", c.on, c.present, c.at, got)
		}
	}
}

func TestMirror(t *testing.T) {
	const n = 5
	for rank, want := range map[int]int{0: 4, 4: 0, -1: 0, -5: 4, 5: -n - 1, 100: -n - 1, -6: n, -100: n} {
		if got := mirror(rank, n); got != want {
			t.Errorf("mirror(%d, %d) = %d, want %d", rank, n, got, want)
		}
	}
}

// words are what random commands are made of: names and options that mean
// something, values at the edges, and keys and members few enough to meet.
var words = strings.Fields(`k k k j {k}1 {k}2 a b c m1 m2 m3 0 1 -1 2 3 10 100 1.5 -inf +inf inf nan (1 (2 [a [b (a (c - + NX XX GT LT CH INCR
	BYSCORE BYLEX REV LIMIT WITHSCORES WITHSCORE COUNT MATCH TYPE zset string * a* [a 9223372036854775807 -9223372036854775808 1e308 5e-324 -0
	SAMPLES ENCODING USAGE ID KILL LIST SETNAME x 3 AUTH default SETNAME FILTERBY PATTERN GETKEYS zadd config maxmemory timeout`)

// keep gives an env what replicates its data and saves them.
func keep(t *testing.T, env *Env) {
	env.Log = slog.New(slog.DiscardHandler)
	env.Replication = replication.New(replication.Options{
		RunID: replication.NewID(), Keyspace: env.Keyspace, Log: env.Log, Now: env.Now, Stats: env.Stats, Version: ServerVersion, Functions: env.Functions,
		Settings: func() replication.Settings { return replication.Settings{BacklogSize: 1 << 20} },
		Turning:  func() {}, Journal: env.Keyspace.Journal,
	})
	env.Persistence = persist.New(persist.Options{
		Disk: persist.System{}, Keyspace: env.Keyspace, Stream: env.Replication, Values: env.Config.Values, Now: env.Now, Log: env.Log,
		Version: ServerVersion, Functions: env.Libraries, Changes: env.Changes,
	})
	t.Cleanup(env.Persistence.Close)
}

// Random commands must never panic, give one well-formed reply each, and
// leave the sums of the keyspace right.
func FuzzCommands(f *testing.F) {
	f.Add(uint64(1), uint16(200), uint8(128))
	f.Add(uint64(2), uint16(500), uint8(0))
	f.Add(uint64(3), uint16(2000), uint8(3))
	f.Fuzz(func(t *testing.T, seed uint64, count uint16, entries uint8) {
		rng := rand.New(rand.NewPCG(seed, 0))
		now := time.UnixMilli(1_700_000_000_000)
		// Half of the time there is little memory, and a policy for that.
		policies := []string{"noeviction", "allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-lru", "volatile-lfu", "volatile-random", "volatile-ttl"}
		limit := rng.IntN(2) * (2000 + rng.IntN(20_000))
		table, c := testCall(t, func() time.Time { return now }, "--zset-max-listpack-entries", fmt.Sprint(entries),
			"--maxmemory", fmt.Sprint(limit), "--maxmemory-policy", policies[rng.IntN(len(policies))], "--dir", t.TempDir())
		keep(t, c.Env)
		for range count {
			var args [][]byte
			if rng.IntN(8) > 0 {
				name, sub, is := strings.Cut(table.names[rng.IntN(len(table.names))], "|")
				args = append(args, []byte(name))
				if is {
					args = append(args, []byte(sub))
				}
			}
			for range 1 + rng.IntN(7) {
				args = append(args, []byte(words[rng.IntN(len(words))]))
			}
			if is(args[0], "PSYNC") || is(args[0], "SYNC") || is(args[0], "REPLCONF") {
				continue // the connection is a replica's from then on, or says what needs no reply
			}
			if is(args[0], "FLUSHALL") || is(args[0], "FLUSHDB") {
				if rng.IntN(20) > 0 {
					continue // else nothing ever grows
				}
			}
			now = now.Add(time.Duration(rng.IntN(50)) * time.Millisecond)
			c.Args, c.At = args, now
			c.W.Reset(1 << 20)
			if rng.IntN(10) == 0 {
				c.leave() // a transaction, subscriptions
			}
			table.Execute(c)
			for c.Waiting() {
				c.Client.Unblock(rng.IntN(2) == 0)
				c.Env.Pause.End()
				table.Resume(c)
			}
			if strings.HasSuffix(strings.ToLower(string(args[0])), "subscribe") || is(args[0], "CLIENT") && c.W.Len() == 0 {
				continue // a reply for each channel; CLIENT REPLY has none
			}
			if c.replies != (replies{}) {
				c.replies = replies{}
				continue
			}
			if rest := skipReply(c.W.Bytes()); len(rest) != 0 && !is(args[0], "SHUTDOWN") || c.W.Len() == 0 && !is(args[0], "SHUTDOWN") {
				t.Fatalf("%q: malformed reply %q", args, c.W.Bytes())
			}
			if rng.IntN(50) == 0 {
				c.Env.Keyspace.ExpireDue(now.UnixMilli(), 100)
			}
		}
		// What each key says it takes is all that is used, but for the tables.
		var sum int64
		c.Env.Keyspace.Each(nil, 0, func(e *keyspace.Entry) {
			sum += e.MemoryUsage()
			if e.Set().Len() == 0 {
				t.Fatalf("%q holds an empty set", e.Key())
			}
		})
		if used, tables := c.Env.Keyspace.Used(), c.Env.Keyspace.Tables(); used != sum+tables {
			t.Fatalf("used %d bytes, keys take %d and tables %d", used, sum, tables)
		}
		c.Env.Keyspace.HoldAll(&c.Held, c.now)
		c.Held.Clear(false)
		c.Held.Release()
		if used := c.Env.Keyspace.Used(); used != 0 {
			t.Fatalf("%d bytes are used by no key", used)
		}
	})
}

// skipReply is what follows the first reply in b; all of b when that is
// malformed.
func skipReply(b []byte) []byte {
	line, rest, ok := strings.Cut(string(b), "\r\n")
	if !ok || line == "" {
		return b
	}
	var n int
	fmt.Sscan(line[1:], &n)
	switch line[0] {
	case '$', '=':
		if n < 0 {
			return []byte(rest)
		}
		if len(rest) < n+2 || rest[n:n+2] != "\r\n" {
			return b
		}
		return []byte(rest[n+2:])
	case '%':
		n *= 2
	case '*', '~', '>':
	case '+', '-', ':', ',', '_', '#':
		return []byte(rest)
	default:
		return b
	}
	after := []byte(rest)
	for range n {
		left := len(after)
		if after = skipReply(after); len(after) == left {
			return b
		}
	}
	return after
}
