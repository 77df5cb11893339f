package config

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func newConfig(t *testing.T, args ...string) *Config {
	t.Helper()
	c, err := load(args, container)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// refused are CONFIG SET commands and their errors. A real server answers
// those marked as such with the same text (TestPeerErrors asks one).
var refused = []struct {
	pairs  []string
	want   string
	shared bool
}{
	{[]string{"x", "1"}, "ERR Unknown option or number of arguments for CONFIG SET - 'x'", true},
	{[]string{"Maxclients", "10", "X y", "1"}, "ERR Unknown option or number of arguments for CONFIG SET - 'X y'", true},
	{[]string{"maxclients", "10", "timeout"}, "ERR syntax error", true},
	{[]string{"maxclients", "10", "maxclients", "10"}, "ERR CONFIG SET failed (possibly related to argument 'maxclients') - duplicate parameter", true},
	{[]string{"maxclients", "10", "MAXCLIENTS", "10"}, "ERR CONFIG SET failed (possibly related to argument 'MAXCLIENTS') - duplicate parameter", true},
	{[]string{"databases", "3"}, "ERR CONFIG SET failed (possibly related to argument 'databases') - can't set immutable config", true},
	{[]string{"logfile", "x"}, "ERR CONFIG SET failed (possibly related to argument 'logfile') - can't set immutable config", true},
	{[]string{"maxclients", "x", "daemonize", "no"}, "ERR CONFIG SET failed (possibly related to argument 'daemonize') - can't set immutable config", true},
	{[]string{"port", "7000"}, "ERR CONFIG SET failed (possibly related to argument 'port') - can't set immutable config", false},
	{[]string{"DATABASES", "3"}, "ERR CONFIG SET failed (possibly related to argument 'DATABASES') - can't set immutable config", true},
	{[]string{"MaxClients", "0"}, "ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument must be between 1 and 4294967295 inclusive", true},
	{[]string{"maxclients", "0"}, "ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument must be between 1 and 4294967295 inclusive", true},
	{[]string{"maxclients", "abc"}, "ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument couldn't be parsed into an integer", true},
	{[]string{"maxclients", ""}, "ERR CONFIG SET failed (possibly related to argument 'maxclients') - argument couldn't be parsed into an integer", true},
	{[]string{"timeout", "-1"}, "ERR CONFIG SET failed (possibly related to argument 'timeout') - argument must be between 0 and 2147483647 inclusive", true},
	{[]string{"timeout", "99999999999"}, "ERR CONFIG SET failed (possibly related to argument 'timeout') - argument must be between 0 and 2147483647 inclusive", true},
	{[]string{"timeout", "010"}, "ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer", true},
	{[]string{"timeout", "1kb"}, "ERR CONFIG SET failed (possibly related to argument 'timeout') - argument couldn't be parsed into an integer", true},
	{[]string{"tcp-keepalive", "-5"}, "ERR CONFIG SET failed (possibly related to argument 'tcp-keepalive') - argument must be between 0 and 2147483647 inclusive", true},
	{[]string{"shutdown-timeout", "-1"}, "ERR CONFIG SET failed (possibly related to argument 'shutdown-timeout') - argument must be between 0 and 2147483647 inclusive", true},
	{[]string{"maxmemory", "1xb"}, "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value", true},
	{[]string{"maxmemory", "-1"}, "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value", true},
	{[]string{"maxmemory", "1.5gb"}, "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value", true},
	{[]string{"maxmemory", "0%"}, "ERR CONFIG SET failed (possibly related to argument 'maxmemory') - argument must be a memory value or a percentage above 0 and up to 100", false},
	{[]string{"maxmemory-policy", "x"}, "ERR CONFIG SET failed (possibly related to argument 'maxmemory-policy') - argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction", false},
	{[]string{"loglevel", "x"}, "ERR CONFIG SET failed (possibly related to argument 'loglevel') - argument(s) must be one of the following: debug, verbose, notice, warning, nothing", true},
	{[]string{"protected-mode", "maybe"}, "ERR CONFIG SET failed (possibly related to argument 'protected-mode') - argument must be 'yes' or 'no'", true},
	{[]string{"client-query-buffer-limit", "10"}, "ERR CONFIG SET failed (possibly related to argument 'client-query-buffer-limit') - argument must be between 1048576 and 9223372036854775807 inclusive", true},
	{[]string{"proto-max-bulk-len", "10"}, "ERR CONFIG SET failed (possibly related to argument 'proto-max-bulk-len') - argument must be between 1048576 and 9223372036854775807 inclusive", true},
	{[]string{"client-output-buffer-limit", "normal 0 0"}, "ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Wrong number of arguments in buffer limit configuration.", true},
	{[]string{"client-output-buffer-limit", "foo 0 0 0"}, "ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Invalid client class specified in buffer limit configuration.", true},
	{[]string{"client-output-buffer-limit", "normal 0 0 x"}, "ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Error in hard, soft or soft_seconds setting in buffer limit configuration.", true},
	{[]string{"client-output-buffer-limit", "normal 1 2 -3"}, "ERR CONFIG SET failed (possibly related to argument 'client-output-buffer-limit') - Error in hard, soft or soft_seconds setting in buffer limit configuration.", true},
	{[]string{"zset-max-listpack-entries", "-1"}, "ERR CONFIG SET failed (possibly related to argument 'zset-max-listpack-entries') - argument must be between 0 and 9223372036854775807 inclusive", true},
	{[]string{"zset-max-ziplist-entries", "x"}, "ERR CONFIG SET failed (possibly related to argument 'zset-max-ziplist-entries') - argument couldn't be parsed into an integer", true},
	{[]string{"zset-max-listpack-entries", "99999999999999999999"}, "ERR CONFIG SET failed (possibly related to argument 'zset-max-listpack-entries') - argument couldn't be parsed into an integer", true},
	{[]string{"zset-max-listpack-value", "-1"}, "ERR CONFIG SET failed (possibly related to argument 'zset-max-listpack-value') - argument must be a memory value", false},
	{[]string{"zset-skiplist-p", "0.8"}, "ERR CONFIG SET failed (possibly related to argument 'zset-skiplist-p') - P must be greater than 0 and at most 0.75, got 0.8", false},
	{[]string{"zset-skiplist-p", "0"}, "ERR CONFIG SET failed (possibly related to argument 'zset-skiplist-p') - P must be greater than 0 and at most 0.75, got 0", false},
	{[]string{"zset-skiplist-block-entries", "3"}, "ERR CONFIG SET failed (possibly related to argument 'zset-skiplist-block-entries') - BlockEntries must be from 4 to 240, or 0 for 64, got 3", false},
	{[]string{"zset-skiplist-max-level", "0"}, "ERR CONFIG SET failed (possibly related to argument 'zset-skiplist-max-level') - MaxLevel must be from 1 to 64, got 0", false},
	{[]string{"save", "3600"}, "ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters", true},
	{[]string{"save", "0 1"}, "ERR CONFIG SET failed (possibly related to argument 'save') - Invalid save parameters", true},
}

func TestSetRefuses(t *testing.T) {
	c := newConfig(t)
	c.OnChange(func(old, new *Values) { t.Error("a refused change was announced") })
	before, all := c.Values(), c.Get("*")
	for _, r := range refused {
		// A good pair in front must not survive a bad one.
		pairs := r.pairs
		if len(pairs)%2 == 0 && pairs[0] != "timeout" {
			pairs = append([]string{"timeout", "77"}, pairs...)
		}
		err := c.Set(pairs...)
		if err == nil || err.Error() != r.want {
			t.Errorf("CONFIG SET %q answers\n\t%v, want\n\t%s", r.pairs, err, r.want)
		}
	}
	if c.Values() != before {
		t.Error("a refused change left new values")
	}
	if diff := cmp.Diff(all, c.Get("*")); diff != "" {
		t.Error(diff)
	}
	if err := c.Set(); err == nil {
		t.Error("CONFIG SET of nothing is accepted")
	}
}

func TestSet(t *testing.T) {
	c := newConfig(t)
	var calls []string
	for _, watcher := range []string{"first", "second"} {
		c.OnChange(func(old, new *Values) {
			calls = append(calls, fmt.Sprintf("%s %d>%d", watcher, old.ZSetMaxListpackEntries, new.ZSetMaxListpackEntries))
		})
	}
	before := c.Values()
	for _, pairs := range [][]string{
		{"zset-max-listpack-entries", "10", "ZSET-skiplist-P", "0.5", "maxmemory", "50%"},
		{"zset-max-ziplist-entries", "20", "zset-max-listpack-entries", "30"}, // as in real servers the last counts
		{"save", "", "appendonly", "no", "client-output-buffer-limit", "normal 1kb 0 0 slave 2kb 0 0", "requirepass", "a b"},
	} {
		if err := c.Set(pairs...); err != nil {
			t.Errorf("CONFIG SET %q answers %v", pairs, err)
		}
	}
	want := []Pair{
		{"client-output-buffer-limit", "normal 1024 0 0 slave 2048 0 0 pubsub 33554432 8388608 60"},
		{"maxmemory", "500000"}, {"requirepass", "a b"}, {"zset-max-listpack-entries", "30"}, {"zset-skiplist-p", "0.5"},
	}
	if diff := cmp.Diff(want, c.Get("client-output-buffer-limit", "maxmemory", "requirepass", "zset-max-listpack-entries", "zset-skiplist-p")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"first 128>10", "second 128>10", "first 10>30", "second 10>30", "first 30>30", "second 30>30"}, calls); diff != "" {
		t.Error(diff)
	}
	if before.ZSetMaxListpackEntries != 128 || before.SkipListP.Text != "1/e" || before.ClientOutputBufferLimit.Normal.Hard != 256<<20 {
		t.Error("an old snapshot changed")
	}
}

func TestTuningFollows(t *testing.T) {
	c := newConfig(t)
	before := c.Values().Tuning
	if err := c.Set("timeout", "5", "zset-skiplist-p", "1/e"); err != nil {
		t.Fatal(err)
	}
	if c.Values().Tuning != before {
		t.Error("the tuning was made again though nothing of it changed")
	}
	if err := c.Set("zset-skiplist-p", "0.25", "zset-skiplist-max-level", "16", "zset-skiplist-block-entries", "240", "zset-max-listpack-entries", "1", "zset-max-listpack-value", "2"); err != nil {
		t.Fatal(err)
	}
	o := c.Values().Tuning.Options()
	if o.P != 0.25 || o.MaxLevel != 16 || o.BlockEntries != 240 || o.ListpackMaxEntries != 1 || o.ListpackMaxValueBytes != 2 {
		t.Errorf("the engine gets %+v", o)
	}
}

func TestGet(t *testing.T) {
	c := newConfig(t)
	for _, q := range []struct {
		patterns []string
		want     []Pair
	}{
		{[]string{"port"}, []Pair{{"port", "6379"}}},
		{[]string{"PORT"}, []Pair{{"PORT", "6379"}}},
		{[]string{"nothing"}, []Pair{}},
		{nil, []Pair{}},
		{[]string{"[t]imeo*"}, []Pair{{"timeout", "0"}}},
		{[]string{"ZSET-skip*"}, []Pair{{"zset-skiplist-block-entries", "64"}, {"zset-skiplist-max-level", "32"}, {"zset-skiplist-p", "1/e"}}},
		{[]string{"zset-max-*", "port", "zset-max-listpack-value"}, []Pair{
			{"port", "6379"}, {"zset-max-listpack-entries", "128"}, {"zset-max-listpack-value", "64"},
			{"zset-max-ziplist-entries", "128"}, {"zset-max-ziplist-value", "64"},
		}},
		{[]string{"?ir", "["}, []Pair{{"dir", "."}}},
	} {
		if diff := cmp.Diff(q.want, c.Get(q.patterns...)); diff != "" {
			t.Errorf("CONFIG GET %q:\n%s", q.patterns, diff)
		}
	}
	names := 0
	for i := range table {
		if !table[i].hidden {
			names += 1 + len(table[i].aliases)
		}
	}
	if got := len(c.Get("*")); got != names {
		t.Errorf("CONFIG GET * answers %d names, the table has %d", got, names)
	}
}

// TestSnapshotsAreWhole sets two directives together from one goroutine while
// others read: nobody may see one without the other.
func TestSnapshotsAreWhole(t *testing.T) {
	c := newConfig(t)
	if err := c.Set("timeout", "1", "maxclients", "1"); err != nil {
		t.Fatal(err)
	}
	const changes = 500
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for last := 0; ; {
				v := c.Values()
				n := int(v.Timeout.Seconds())
				if n != v.MaxClients || n < last {
					t.Errorf("timeout %d with maxclients %d after %d", n, v.MaxClients, last)
					return
				}
				last = n
				select {
				case <-done:
					return
				default:
					c.Get("*")
				}
			}
		})
	}
	for n := range changes {
		text := fmt.Sprint(n + 1)
		if err := c.Set("timeout", text, "maxclients", text); err != nil {
			t.Error(err)
		}
	}
	close(done)
	readers.Wait()
}
