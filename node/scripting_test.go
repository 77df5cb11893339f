package node

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
)

// limiter is the sliding-window rate limiter many applications bring along.
const limiter = `
local key, now, window, limit = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
if redis.call('ZCARD', key) >= limit then return 0 end
redis.call('ZADD', key, now, ARGV[4])
redis.call('PEXPIRE', key, window)
return 1`

func TestScriptHelpersOfClients(t *testing.T) {
	s := start(t)
	ctx := context.Background()
	plain := redis.NewClient(&redis.Options{Addr: s.addr})
	defer plain.Close()
	script := redis.NewScript(limiter)
	for i, want := range []int64{1, 1, 0} {
		got, err := script.Run(ctx, plain, []string{"limit:a"}, 1000+i, 60000, 2, fmt.Sprint(i)).Int64()
		if err != nil || got != want {
			t.Errorf("go-redis, call %d: %d, %v", i, got, err)
		}
	}
	other, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{s.addr}, DisableCache: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	lua := rueidis.NewLuaScript(limiter)
	for i, want := range []int64{1, 1, 0} {
		got, err := lua.Exec(ctx, other, []string{"limit:b"}, []string{fmt.Sprint(1000 + i), "60000", "2", fmt.Sprint(i)}).AsInt64()
		if err != nil || got != want {
			t.Errorf("rueidis, call %d: %d, %v", i, got, err)
		}
	}
}

// untilReply sends a command until its reply begins as wanted.
func untilReply(t *testing.T, w *wire, want string, args ...string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		got := w.do(args...)
		if strings.HasPrefix(got, want) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%q: %q, not %q", args, got, want)
		}
	}
}

func TestBusyScript(t *testing.T) {
	s := start(t, "--busy-reply-threshold", "50")
	w, other, free := dial(t, s.addr), dial(t, s.addr), dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "k", "1", "a")
	w.expect(":1\r\n", "EVAL", "return redis.call('ZCARD', KEYS[1])", "1", "k")
	loop := "redis.call('ZCARD', KEYS[1]) if ARGV[1] then while true do end end"
	w.expect("$-1\r\n", "EVAL", loop, "1", "k") // its first run holds everything
	other.expect("-NOTBUSY No scripts in execution right now.\r\n", "SCRIPT", "KILL")

	w.send(string(array("EVAL", loop, "1", "k", "on")))
	untilReply(t, other, "-BUSY ", "ZCARD", "k")
	other.expect("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n", "ZADD", "k", "2", "b")
	other.expect("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n", "KEYS", "*")
	free.expect("+PONG\r\n", "PING")
	free.expect(":1\r\n", "ZADD", "elsewhere", "1", "a") // another partition is not concerned
	other.expect("+OK\r\n", "SCRIPT", "KILL")
	if got := w.reply(); !strings.HasPrefix(got, "-ERR Script killed by user with SCRIPT KILL. script: ") {
		t.Errorf("the script ended with %q", got)
	}
	other.expect(":0\r\n", "ZADD", "k", "2", "a")

	// One that may use any key keeps everybody out, as on real servers.
	w.send(string(array("EVAL", "while true do end", "0")))
	untilReply(t, other, "-BUSY ", "PING")
	free.expect("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n", "CONFIG", "GET", "port")
	other.expect("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n", "FUNCTION", "KILL")
	other.expect("+OK\r\n", "SCRIPT", "KILL")
	w.reply()
}

func TestBusyFunction(t *testing.T) {
	s := start(t, "--busy-reply-threshold", "50")
	w, other := dial(t, s.addr), dial(t, s.addr)
	w.expect(bulk("l"), "FUNCTION", "LOAD", "#!lua name=l\nredis.register_function('spin', function() while true do end end)")
	w.send(string(array("FCALL", "spin", "1", "k")))
	untilReply(t, other, "-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n", "PING")
	if got := other.do("FUNCTION", "STATS"); !strings.Contains(got, bulk("name")+bulk("spin")+bulk("command")+string(array("FCALL", "spin", "1", "k"))) {
		t.Errorf("statistics: %q", got)
	}
	other.expect("-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n", "SCRIPT", "KILL")
	other.expect("+OK\r\n", "FUNCTION", "KILL")
	if got := w.reply(); !strings.HasPrefix(got, "-ERR Script killed by user with FUNCTION KILL. script: spin") {
		t.Errorf("the function ended with %q", got)
	}
	dump := w.do("FUNCTION", "DUMP")
	payload := dump[strings.Index(dump, "\r\n")+2 : len(dump)-2]
	w.expect("-ERR Library l already exists\r\n", "FUNCTION", "RESTORE", payload)
	w.expect("+OK\r\n", "FUNCTION", "FLUSH")
	w.expect("-ERR DUMP payload version or checksum are wrong\r\n", "FUNCTION", "RESTORE", payload[:len(payload)-1])
	w.expect("+OK\r\n", "FUNCTION", "RESTORE", payload)
	w.expect("+OK\r\n", "FUNCTION", "RESTORE", payload, "REPLACE")
	w.expect("+OK\r\n", "FUNCTION", "DELETE", "l")
}

func TestUnkillableScript(t *testing.T) {
	s := start(t, "--busy-reply-threshold", "50")
	w, other := dial(t, s.addr), dial(t, s.addr)
	w.send(string(array("EVAL", "redis.call('ZADD', KEYS[1], 1, 'a') while true do end", "1", "k")))
	untilReply(t, other, "-UNKILLABLE ", "SCRIPT", "KILL")
	other.send(string(array("SHUTDOWN", "NOSAVE", "NOW")))
	if rest := other.rest(); rest != "" {
		t.Errorf("SHUTDOWN answered %q", rest)
	}
}

// A script that begins to build its keys after it had not done so runs anew
// with everything held, or locks the further one: never without it.
func TestScriptsWithUndeclaredKeys(t *testing.T) {
	s := start(t)
	const clients, runs = 4, 200
	source := `local n = redis.call('ZINCRBY', KEYS[1], 1, 'n')
local key = 'built:' .. ARGV[1]
if ARGV[2] == 'first' then return 0 end
return redis.call('ZINCRBY', key, 1, 'n')`
	dial(t, s.addr).expect(":0\r\n", "EVAL", source, "1", "declared:x", "0", "first")
	var group sync.WaitGroup
	for c := range clients {
		w := dial(t, s.addr)
		group.Go(func() {
			for i := range runs {
				got := w.do("EVAL", source, "1", fmt.Sprintf("declared:%d", (c+i)%7), fmt.Sprint(i%5), "then")
				if strings.HasPrefix(got, "-") && !strings.HasPrefix(got, "-ERR Script used a key that it did not declare") {
					t.Errorf("%q", got)
				}
			}
		})
	}
	group.Wait()
}

func TestScriptIsAtomic(t *testing.T) {
	s := start(t)
	const clients, runs = 4, 300
	source := `local score = tonumber(redis.call('ZSCORE', KEYS[1], 'n') or 0)
redis.call('ZADD', KEYS[1], score + 1, 'n')
redis.call('ZADD', KEYS[2], score + 1, 'n')
return 1`
	var group sync.WaitGroup
	for range clients {
		w := dial(t, s.addr)
		group.Go(func() {
			for range runs {
				if got := w.do("EVAL", source, "2", "a", "b"); got != ":1\r\n" {
					t.Errorf("%q", got)
				}
			}
		})
	}
	group.Wait()
	w := dial(t, s.addr)
	for _, key := range []string{"a", "b"} {
		w.expect("$4\r\n1200\r\n", "ZSCORE", key, "n")
	}
}

func TestScriptWakesWaiters(t *testing.T) {
	s := start(t)
	waiter, w := dial(t, s.addr), dial(t, s.addr)
	waiter.send(string(array("BZPOPMIN", "queue", "0")))
	untilReply(t, w, ":1\r\n", "EVAL", "redis.call('ZADD', KEYS[1], 1, 'a') return redis.call('ZCARD', KEYS[1])", "1", "queue")
	if got := waiter.reply(); !strings.Contains(got, "queue") {
		t.Errorf("%q", got)
	}
}

func TestScriptsAboveMaxmemory(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("ZADD", "k", "1", "a")
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "1")
	for source, want := range map[string]string{
		"return redis.call('ZADD', KEYS[1], 2, 'b')":   "-OOM ",
		"return redis.call('ZCARD', KEYS[1]) > 0":      ":1",
		"redis.call('ZREM', KEYS[1], 'none') return 1": ":1",
		"#!lua\nreturn 1":                 "-OOM ",
		"#!lua flags=no-writes\nreturn 1": ":1",
		"#!lua flags=allow-oom\nreturn redis.call('ZADD', KEYS[1], 2, 'b')": ":1",
	} {
		if got := w.do("EVAL", source, "1", "k"); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q", source, got)
		}
	}
}

func TestExpiredKeysInScripts(t *testing.T) {
	s := start(t, "--enable-debug-command", "yes")
	w := dial(t, s.addr)
	w.expect("+OK\r\n", "DEBUG", "SET-ACTIVE-EXPIRE", "0")
	w.do("ZADD", "k", "1", "m")
	w.do("PEXPIRE", "k", "1")
	w.do("DEBUG", "SLEEP", "0.005")
	if got := w.do("DEBUG", "OBJECT", "k"); !strings.HasPrefix(got, "+Value at") {
		t.Errorf("DEBUG OBJECT of what expired: %q", got)
	}
	w.expect(":0\r\n", "EVAL", "return redis.call('EXISTS', KEYS[1])", "1", "k")
	w.expect("-ERR no such key\r\n", "DEBUG", "OBJECT", "k")
}

func TestTimeStandsStillInScripts(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.expect(":1\r\n", "EVAL", `local a = redis.call('TIME')
for i = 1, 10000 do local b = redis.call('TIME') if b[1] ~= a[1] or b[2] ~= a[2] then return i end end
return 1`, "0")
	first := w.do("TIME")
	eventually(t, "time goes on", func() bool { return w.do("TIME") != first })
}

// Every kind of reply goes through a script as real servers pass it on: by the
// protocol the script chose and that of the client.
func TestReplyTypesThroughScripts(t *testing.T) {
	s := start(t, "--enable-debug-command", "yes")
	two, three := dial(t, s.addr), dial(t, s.addr)
	three.do("HELLO", "3")
	const source = "redis.setresp(tonumber(ARGV[1])) return redis.call('DEBUG', 'PROTOCOL', ARGV[2])"
	if got := two.do("EVAL", source, "0", "2", "set"); !strings.HasPrefix(got, "-ERR This Redis command is not allowed from script") {
		t.Errorf("DEBUG from a script: %q", got)
	}
	two.expect("+OK\r\n", "DEBUG", "SET-DISABLE-DENY-SCRIPTS", "1")
	for _, c := range []struct{ kind, plain, typed string }{
		{"string", bulk("Hello World"), bulk("Hello World")},
		{"integer", ":12345\r\n", ":12345\r\n"},
		{"double", bulk("3.141"), ",3.141\r\n"},
		{"bignum", bulk("1234567999999999999999999999999999999"), "(1234567999999999999999999999999999999\r\n"},
		{"true", ":1\r\n", "#t\r\n"},
		{"false", ":0\r\n", "#f\r\n"},
		{"array", "*3\r\n:0\r\n:1\r\n:2\r\n", "*3\r\n:0\r\n:1\r\n:2\r\n"},
		{"verbatim", bulk("This is a verbatim\nstring"), "=29\r\ntxt:This is a verbatim\nstring\r\n"},
		{"attrib", bulk("Some real reply following the attribute"), bulk("Some real reply following the attribute")},
	} {
		two.expect(c.plain, "EVAL", source, "0", "2", c.kind)
		three.expect(c.plain, "EVAL", source, "0", "2", c.kind)
		three.expect(c.typed, "EVAL", source, "0", "3", c.kind)
	}
	two.expect("$-1\r\n", "EVAL", source, "0", "3", "null")
	three.expect("_\r\n", "EVAL", source, "0", "2", "null")
	if got := three.do("EVAL", source, "0", "3", "map"); !strings.HasPrefix(got, "%3\r\n") {
		t.Errorf("a map: %q", got)
	}
	if got := three.do("EVAL", source, "0", "3", "set"); !strings.HasPrefix(got, "~3\r\n") {
		t.Errorf("a set: %q", got)
	}
	two.do("ACL", "SETUSER", "reader", "on", "nopass", "~a*", "+@scripting", "+zscore")
	two.do("AUTH", "reader", "x")
	for call, want := range map[string]string{"'ZSCORE', 'a1', 'm'": ":1\r\n", "'ZSCORE', 'b', 'm'": "$-1\r\n", "'ZADD', 'a1', 1, 'm'": "$-1\r\n"} {
		two.expect(want, "EVAL", "return redis.acl_check_cmd("+call+")", "0")
	}
	if got := two.do("EVAL", "return redis.acl_check_cmd('nosuch')", "0"); !strings.HasPrefix(got, "-ERR Invalid command passed to redis.acl_check_cmd()") {
		t.Errorf("of an unknown command: %q", got)
	}
}
