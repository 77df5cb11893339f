package command

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
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
	files "zset.dev/operator/node/persist"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/node/resp"
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
