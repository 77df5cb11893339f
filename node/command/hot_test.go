package command

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/resp"
)

// hotMembers is how many members the board of hotCalls has.
const hotMembers = 100_000

// hotCalls is the commands a node spends its days with. Each round has words of
// its own, so that no answer is in the processor's caches by chance.
var hotCalls = []struct {
	name string
	args func(i int) []string
}{
	{"PING", func(int) []string { return []string{"PING"} }},
	{"ZADD update", func(i int) []string { return []string{"ZADD", "board", fmt.Sprint(i * 7919 % 100003), hotMember(i)} }},
	{"ZADD new", func(i int) []string { return []string{"ZADD", "fresh", fmt.Sprint(i * 7919 % 100003), hotMember(i)} }},
	{"ZADD small", func(i int) []string {
		return []string{"ZADD", fmt.Sprintf("user:%04d", i%1000), fmt.Sprint(i), hotMember(i % 10)}
	}},
	{"ZINCRBY", func(i int) []string { return []string{"ZINCRBY", "board", "1.5", hotMember(i)} }},
	{"ZSCORE", func(i int) []string { return []string{"ZSCORE", "board", hotMember(i)} }},
	{"ZRANK", func(i int) []string { return []string{"ZRANK", "board", hotMember(i)} }},
	{"ZRANGE", func(i int) []string {
		from := i * 7919 % (hotMembers - 10)
		return []string{"ZRANGE", "board", fmt.Sprint(from), fmt.Sprint(from + 9)}
	}},
	{"ZRANGE WITHSCORES", func(i int) []string {
		from := i * 7919 % (hotMembers - 10)
		return []string{"ZRANGE", "board", fmt.Sprint(from), fmt.Sprint(from + 9), "WITHSCORES"}
	}},
	{"ZRANGEBYSCORE", func(i int) []string {
		return []string{"ZRANGEBYSCORE", "board", fmt.Sprint(i * 7919 % hotMembers), "+inf", "LIMIT", "0", "10"}
	}},
	{"ZADD or ZPOPMIN", func(i int) []string { // in turn, so that it never runs dry
		if i%2 == 0 {
			return []string{"ZADD", "board", fmt.Sprint(hotMembers + i), hotMember(i)}
		}
		return []string{"ZPOPMIN", "board"}
	}},
}

func hotMember(i int) string { return fmt.Sprintf("member:%06d", i*104729%hotMembers) }

// hot prepares rounds of one of hotCalls, a multiple of 16: run executes round i, as
// part of a pipeline of 16.
func hot(t testing.TB, args func(i int) []string, rounds int, journal *replog.Log) (run func(i int)) {
	table, c := testCall(t, time.Now)
	c.Env.Keyspace.Journal(journal)
	const pipeline = MostAhead
	execute := func(args [][]byte, nth int) {
		c.Args, c.Nth, c.More = args, nth, nth < pipeline
		table.Execute(c)
		if c.W.Bytes()[0] == '-' {
			t.Fatalf("%q answered %q", args, c.W.Bytes())
		}
		c.W.Reset(64 << 10)
	}
	for i := range hotMembers {
		execute(byteWords("ZADD", "board", fmt.Sprint(i), fmt.Sprintf("member:%06d", i)), 0)
	}
	prepared := make([][][]byte, rounds)
	for i := range prepared {
		prepared[i] = byteWords(args(i)...)
	}
	return func(i int) {
		i %= rounds
		nth := i % pipeline
		if nth == 0 {
			table.Foresee(c, prepared[i:][:pipeline])
		}
		execute(prepared[i], nth+1)
	}
}

func byteWords(args ...string) [][]byte {
	all := make([][]byte, len(args))
	for i, a := range args {
		all[i] = []byte(a)
	}
	return all
}

// TestHotCommandsDoNotAllocate would tell of a command that makes garbage on
// its way through the table. Sets grow by doubling, so what a new member costs
// on average rounds to nothing.
func TestHotCommandsDoNotAllocate(t *testing.T) {
	const rounds = 10_000
	for _, h := range hotCalls {
		t.Run(h.name, func(t *testing.T) {
			for name, journal := range map[string]*replog.Log{"without": nil, "with": replog.New(0, 1<<20)} {
				run := hot(t, h.args, 2*rounds, journal)
				for i := range rounds {
					run(i)
				}
				i := rounds
				if n := testing.AllocsPerRun(rounds-1, func() { run(i); i++ }); n != 0 {
					t.Errorf("%v allocations a command %s a journal", n, name)
				}
			}
		})
	}
}

// BenchmarkExecute measures commands without their way through sockets.
func BenchmarkExecute(b *testing.B) {
	for _, h := range hotCalls {
		b.Run(h.name, func(b *testing.B) {
			run := hot(b, h.args, 50_000, nil)
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				run(i)
			}
		})
	}
}

// BenchmarkJournal measures commands of which each changes something, without a
// journal and with one: the difference is what an effect costs.
func BenchmarkJournal(b *testing.B) {
	for _, c := range []struct {
		name string
		args func(i int) []string
	}{
		{"ZADD", func(i int) []string { return []string{"ZADD", "user:1", fmt.Sprint(i), hotMember(i % 10)} }},
		{"ZADD of 10", func(i int) []string {
			args := []string{"ZADD", "user:1"}
			for j := range 10 {
				args = append(args, fmt.Sprint(i), hotMember(j))
			}
			return args
		}},
		{"ZINCRBY", func(i int) []string { return []string{"ZINCRBY", "user:1", "1.5", hotMember(i % 10)} }},
	} {
		for _, on := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/on=%v", c.name, on), func(b *testing.B) {
				var journal *replog.Log
				if on {
					journal = replog.New(0, 1<<20)
				}
				run := hot(b, c.args, 50_000, journal)
				b.ReportAllocs()
				b.ResetTimer()
				for i := range b.N {
					run(i)
				}
			})
		}
	}
}

// BenchmarkExecuteIndependent measures clients that each work on a key of their
// own: with -cpu 1,2 what a second processor adds.
func BenchmarkExecuteIndependent(b *testing.B) {
	table, first := testCall(b, time.Now)
	var clients atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		id := 1 + clients.Add(1)
		c := &Call{
			Env: first.Env, Client: client.New(id, "127.0.0.1:1", "127.0.0.1:2", time.Now(), client.Unwired{}),
			W: &resp.Writer{}, Rng: rand.New(rand.NewPCG(id, 0)), At: time.Now(),
		}
		key := fmt.Sprintf("user:%d", id)
		prepared := make([][][]byte, 1000)
		for i := range prepared {
			prepared[i] = byteWords("ZADD", key, fmt.Sprint(i), fmt.Sprintf("member:%03d", i*7%10))
		}
		for i := 0; pb.Next(); i++ {
			c.Args, c.More = prepared[i%len(prepared)], i%16 != 15
			table.Execute(c)
			c.W.Reset(1 << 10)
		}
	})
}
