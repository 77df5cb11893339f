package command

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	diff "github.com/google/go-cmp/cmp"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// effectsTable says what commands leave in the log; effectsPage shows it to users.
const (
	effectsTable = "testdata/effects.txt"
	effectsPage  = "../../docs/replication.md"
)

// effectsTest is a node whose log is looked at.
type effectsTest struct {
	t     *testing.T
	table *Table
	c     *Call
	log   *replog.Log
	seen  int64 // offset
	now   int64 // milliseconds
}

func newEffectsTest(t *testing.T) *effectsTest {
	x := &effectsTest{t: t, log: replog.New(0, 1<<30), now: midday().UnixMilli()}
	x.table, x.c = testCall(t, func() time.Time { return time.UnixMilli(x.now) })
	x.c.Env.Keyspace.Journal(x.log)
	return x
}

// another is a call of another client.
func (x *effectsTest) another() *Call {
	n := x.c.Env.Clients.NextID()
	return &Call{
		Env: x.c.Env, W: &resp.Writer{}, Rng: rand.New(rand.NewPCG(n, 0)), At: x.c.Env.Now(),
		Client: client.New(n, "127.0.0.1:1", "127.0.0.1:2", x.c.Env.Now(), client.Unwired{}),
	}
}

// words takes a line apart. What is in braces is a payload.
func (x *effectsTest) words(line string) (args [][]byte) {
	for line = strings.TrimSpace(line); line != ""; line = strings.TrimSpace(line) {
		word, rest, _ := strings.Cut(line, " ")
		if line[0] == '{' {
			word, rest, _ = strings.Cut(line[1:], "}")
			word = string(payload(x.t, word))
		}
		args, line = append(args, []byte(word)), rest
	}
	return args
}

// payload is that of scores and members; that of none is not one.
func payload(t *testing.T, pairs string) []byte {
	set := zset.New(nil)
	words := strings.Fields(pairs)
	for i := 0; i+1 < len(words); i += 2 {
		score, err := strconv.ParseFloat(words[i], 64)
		if err != nil {
			t.Fatal(err)
		}
		set.Add([]byte(words[i+1]), score, 0)
	}
	if set.Len() == 0 {
		return nil
	}
	return rdb.Append(nil, set)
}

const libCode = "#!lua name=lib\nredis.register_function('f', function(k, a) return redis.call('zadd', k[1], a[1], 'm') end)"

// do does what a line of the table says.
func (x *effectsTest) do(line string) {
	directive, rest, ok := strings.Cut(line, ":")
	rest = strings.TrimSpace(rest)
	do := func(args ...string) { x.execute(x.c, byteWords(args...)) }
	switch {
	case ok && directive == "waiting":
		c := x.another()
		if x.execute(c, x.words(rest)); !c.Waiting() {
			x.t.Fatalf("%q answered %q", rest, c.W.Bytes())
		}
	case ok && directive == "large":
		args := append(x.words(rest), []byte("7"), []byte("last"))
		for i := range 20_000 {
			args = append(args, strconv.AppendInt(nil, int64(i), 10), fmt.Appendf(nil, "member:%06d", i))
		}
		x.execute(x.c, args)
	case ok && directive == "function":
		do("FUNCTION", "LOAD", "REPLACE", libCode)
	case ok && directive == "functions":
		do("FUNCTION", "RESTORE", string(rdb.AppendFunctions(nil, []string{libCode})))
	case ok && directive == "script":
		do("SCRIPT", "LOAD", strings.ReplaceAll(rest, " ", ""))
	case ok && directive == "later":
		n, err := strconv.ParseInt(rest, 10, 64)
		if err != nil {
			x.t.Fatal(err)
		}
		x.now += n
		x.c.At, x.c.now = time.UnixMilli(x.now), x.now
	case ok && directive == "sweep":
		x.c.Env.Keyspace.ExpireDue(x.now, 100)
	case ok && directive == "evict":
		if got := x.c.Env.Keyspace.Evict("allkeys-lru", 5, x.now); got != keyspace.Evicted {
			x.t.Fatalf("evicting ended with %v", got)
		}
	default:
		for command := range strings.SplitSeq(line, "; ") {
			args := x.words(command)
			switch string(args[1%len(args)]) {
			case "LOAD":
				args = byteWords("FUNCTION", "LOAD", libCode)
			case "(sha)":
				x.c.W.Reset(1 << 20)
				p, err := x.c.Env.Scripts.engine.Load("redis.call('zadd',KEYS[1],1,'a')")
				if err != nil {
					x.t.Fatal(err)
				}
				args[1] = []byte(p.Name)
			}
			x.execute(x.c, args)
		}
	}
}

func (x *effectsTest) execute(c *Call, args [][]byte) {
	c.W.Reset(1 << 20)
	c.Args = args
	x.table.Execute(c)
}

// logged is what the log has that was not looked at yet.
func (x *effectsTest) logged() string {
	_, end := x.log.Range()
	var lines []string
	for _, args := range commandsBetween(x.t, x.log, x.seen, end) {
		lines = append(lines, readable(x.t, args))
	}
	x.seen = end
	if lines == nil {
		return "-"
	}
	return strings.Join(slices.Compact(lines), "; ")
}

// commandsBetween is the commands in a part of a log.
func commandsBetween(t *testing.T, log *replog.Log, from, to int64) (all [][][]byte) {
	t.Helper()
	r, err := log.Read(from, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var text []byte
	for r.Offset() < to {
		b, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		text = append(text, b...)
	}
	commands := replog.NewCommands(bytes.NewReader(text[:to-from]), from)
	for {
		args, err := commands.Next()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		clone, _ := cloneArgs(args)
		all = append(all, clone)
	}
}

// readable is a command with what is not text in words.
func readable(t *testing.T, args [][]byte) string {
	switch {
	case len(args) == 0:
		return ""
	case string(args[0]) == "RESTORE":
		set, err := rdb.Read(args[3], nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for member, score := range set.All() {
			text = append(text, string(resp.AppendScore(nil, score)), string(member))
		}
		args[3] = []byte("{" + strings.Join(text, " ") + "}")
	case string(args[0]) == "FUNCTION" && len(args) == 4:
		if args[2] = []byte("(payload)"); string(args[1]) == "LOAD" {
			args[2], args[3] = []byte("REPLACE"), []byte("(code)")
		}
	case len(args) > 100:
		args = append(args[:2:2], []byte("(large)"))
	}
	return string(bytes.Join(args, []byte(" ")))
}

// TestEffects does what the table says. A write command that the table does not
// have fails it.
func TestEffects(t *testing.T) {
	text, err := os.ReadFile(effectsTable)
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for paragraph := range strings.SplitSeq(string(text), "\n\n") {
		var lines []string
		for line := range strings.SplitSeq(strings.TrimSpace(paragraph), "\n") {
			if !strings.HasPrefix(line, "#") {
				lines = append(lines, line)
			}
		}
		if len(lines) == 0 {
			continue
		}
		shown[lines[0]] = true
		t.Run(lines[0], func(t *testing.T) {
			x := newEffectsTest(t)
			for _, line := range lines[1:] {
				command, want, ok := strings.Cut(line, "  ")
				if want = strings.TrimSpace(want); !ok || want == "" {
					t.Fatalf("what does %q leave?", line)
				}
				x.do(command)
				if got := x.logged(); got != want {
					t.Errorf("%s\nleaves %s\nwant   %s\nanswer %.100q", command, got, want, x.c.W.Bytes())
				}
			}
		})
	}
	table := NewTable()
	for _, name := range table.Names() {
		if table.byName[name].Flags&(Write|MayReplicate) != 0 && !shown[name] {
			t.Errorf("%s has no paragraph about %s", effectsTable, name)
		}
	}
}

// TestWrote knows up to where the log must be kept before a client may hear of what it did, be it that another client
// did it on its behalf.
func TestWrote(t *testing.T) {
	x := newEffectsTest(t)
	waiter := x.another()
	for _, tt := range []struct {
		line  string
		wrote bool
	}{
		{"ZADD k 1 a", true}, {"ZADD k 1 a", false}, {"ZCARD k", false}, {"ZINCRBY k 1 a", true},
		{"MULTI; ZADD k 2 b; ZREM k a; EXEC", true}, {"MULTI; ZCARD k; EXEC", false},
		{"EVAL redis.call('zadd','k',7,'x') 0", true}, {"PUBLISH c m", true}, {"function: lib", true}, {"FLUSHALL", true}, {"FLUSHALL", false},
	} {
		before := x.c.Wrote
		x.do(tt.line)
		if _, end := x.log.Range(); x.c.Wrote != end || tt.wrote != (x.c.Wrote > before) {
			t.Errorf("%s: Wrote went from %d to %d, the log is at %d", tt.line, before, x.c.Wrote, end)
		}
	}
	x.execute(waiter, x.words("BZPOPMIN k 0"))
	x.do("ZADD k 1 a 2 b")
	if x.table.Resume(waiter); waiter.Waiting() {
		t.Fatal("it was not served")
	}
	if _, end := x.log.Range(); waiter.Wrote != end || x.c.Wrote != end {
		t.Errorf("Wrote is %d of who was served, %d of who served it; the log is at %d", waiter.Wrote, x.c.Wrote, end)
	}
}

// TestEffectsPage keeps the table in the documentation.
func TestEffectsPage(t *testing.T) {
	const begin, end = "<!-- effects: made from node/command/testdata/effects.txt by go generate ./node/command -->\n```\n", "```\n<!-- end -->"
	text, err := os.ReadFile(effectsTable)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(effectsPage)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), begin)
	_, after, also := strings.Cut(rest, end)
	if !ok || !also {
		t.Fatalf("%s has no place for the table", effectsPage)
	}
	want := before + begin + string(text) + end + after
	if *update {
		if err := os.WriteFile(effectsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if d := diff.Diff(want, string(page)); d != "" {
		t.Errorf("%s is stale; run go generate ./node/command\n%s", effectsPage, d)
	}
}
