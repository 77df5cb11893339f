package command

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
)

// applied is what becomes of the commands of a log: the members of each key named, and why applying ended.
func applied(t *testing.T, skip bool, log string, keys string) (state string, skipped int64, err error) {
	t.Helper()
	table, c := testCall(t, midday)
	c.Env.Keyspace.SuspendExpiry(keyspace.Following, true)
	a := NewApplier(c.Env, client.New(9, "10.0.0.9:6379", "10.0.0.1:1", midday(), client.Unwired{}))
	a.SkipOther = skip
	for line := range strings.SplitSeq(log, "; ") {
		if err = a.Apply(split(line)); err != nil {
			break
		}
	}
	a.Report()
	for key := range strings.FieldsSeq(keys) {
		reply := run(table, c, "ZRANGE "+key+" 0 -1")
		members := strings.FieldsFunc(reply, func(r rune) bool { return r == '\r' || r == '\n' })
		state += key + ":"
		for i := 2; i < len(members); i += 2 {
			state += members[i]
		}
		state += " "
	}
	return strings.TrimSpace(state), a.Skipped, err
}

func TestApply(t *testing.T) {
	for _, tt := range []struct{ name, log, want string }{
		{"effects", "SELECT 0; ZADD a 1 x 2 y; ZREM a x; DEL b", "a:y b:"},
		{"commands of a foreign primary", "ZADD a 1 x 2 y; ZINCRBY a 5 x; ZPOPMIN a; RENAME a b; ZUNIONSTORE a 1 b", "a:x b:x"},
		{"a transaction", "MULTI; ZADD a 1 x; ZADD b 1 y; EXEC; ZADD a 2 z", "a:xz b:y"},
		{"a transaction without its end", "ZADD a 1 x; MULTI; ZADD b 1 y", "a:x b:"},
		{"a transaction that begins again", "MULTI; ZADD a 1 x; MULTI; ZADD b 1 y; EXEC", "a: b:y"},
		{"what is not about data", "PING; PING zset; REPLCONF GETACK *; PUBLISH c m; ZADD a 1 x", "a:x b:"},
		{"all keys", "ZADD a 1 x; FLUSHALL; ZADD b 1 y", "a: b:y"},
		{"a function", "FUNCTION FLUSH; ZADD a 1 x", "a:x b:"},
	} {
		if got, _, err := applied(t, false, tt.log, "a b"); got != tt.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestApplyRefusesWhatItCannotDo(t *testing.T) {
	for _, tt := range []struct{ log, says string }{
		{"ZADD a 1 x; RPUSH list 1", `RPUSH of key "list": this server holds sorted sets only`},
		{"MULTI; ZADD a 1 x; SET s 1; EXEC", `SET of key "s": this server holds`},
		{"BITOP AND d x y", `BITOP of key "d"`},
		{"SELECT 3", "SELECT 3: there is only database 0 here"},
		{"NOSUCH", "NOSUCH: this server holds sorted sets only"},
		{"FUNCTION NOSUCH", "FUNCTION of key"},
	} {
		_, _, err := applied(t, false, tt.log, "a")
		var foreign *ForeignError
		if !errors.As(err, &foreign) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.log, err, tt.says)
		}
	}
	_, _, err := applied(t, false, "RENAME a b", "a")
	var diverged *DivergedError
	if !errors.As(err, &diverged) || !strings.Contains(err.Error(), `rename of key "a" fails here`) || !strings.Contains(err.Error(), "no such key") {
		t.Errorf("a command that fails: %v", err)
	}
}

// What is left out takes along what it was written over.
func TestApplySkipsOtherTypes(t *testing.T) {
	const before = "ZADD a 1 x; ZADD b 1 y; "
	for _, tt := range []struct {
		log, want string
		skipped   int64
	}{
		{"RPUSH list 1; SET s 1", "a:x b:y", 2},
		{"SET a 1", "a: b:y", 1},
		{"MSET a 1 b 2", "a: b:", 1},
		{"BITOP AND a s s", "a: b:y", 1},
		{"SORT a STORE b", "a:x b:", 1},
		{"LMOVE list b LEFT RIGHT", "a:x b:", 1},
		{"MULTI; SET a 1; ZADD b 2 z; EXEC", "a: b:yz", 1},
		{"RENAME list a", "a: b:y", 1},
		{"SELECT 2; ZADD a 2 z; SET b 1; SELECT 0; ZADD b 2 z", "a:x b:yz", 2},
		{"SELECT 2; MULTI; DEL a; EXEC; FLUSHDB; SELECT 0", "a:x b:y", 2},
		{"SELECT 2; FLUSHALL", "a: b:", 0},
		{"RESTORE a 0 nonsense REPLACE", "a: b:y", 1},
	} {
		if got, skipped, err := applied(t, true, before+tt.log, "a b"); got != tt.want || skipped != tt.skipped || err != nil {
			t.Errorf("%s: %q, %d skipped, %v; want %q, %d", tt.log, got, skipped, err, tt.want, tt.skipped)
		}
	}
}

// A key goes when the log says so, whatever the clock here says.
func TestApplyLeavesExpiryToTheLog(t *testing.T) {
	past := "1000"
	for _, log := range []string{"ZADD a 1 x; PEXPIREAT a " + past + "; ZADD a 2 y; PERSIST a", "ZADD a 1 x; ZADD a 2 y; PEXPIREAT a " + past + "; RENAME a b; PERSIST b; RENAME b a"} {
		if got, _, err := applied(t, false, log, "a"); got != "a:xy" || err != nil {
			t.Errorf("%s: %q, %v", log, got, err)
		}
	}
	table, c := testCall(t, midday)
	c.Env.Keyspace.SuspendExpiry(keyspace.Following, true)
	a := NewApplier(c.Env, c.Client)
	for _, command := range []string{"ZADD a 1 x", "PEXPIREAT a " + past} {
		if err := a.Apply(split(command)); err != nil {
			t.Fatal(err)
		}
	}
	if got := run(table, c, "EXISTS a"); got != ":0\r\n" || c.Env.Keyspace.Len() != 1 {
		t.Errorf("a client sees a key whose time has come: %q; there are %d keys", got, c.Env.Keyspace.Len())
	}
}

func split(command string) (args [][]byte) {
	for word := range strings.FieldsSeq(command) {
		args = append(args, []byte(word))
	}
	return args
}

func BenchmarkApply(b *testing.B) {
	for name, log := range map[string]string{"OneSet": "ZADD board %[1]d member:%[1]d", "Keys": "ZADD board:%[1]d 1 member"} {
		b.Run(name, func(b *testing.B) {
			_, c := testCall(b, time.Now)
			a := NewApplier(c.Env, c.Client)
			commands := make([][][]byte, 1<<14)
			for i := range commands {
				commands[i] = split(fmt.Sprintf(log, i))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if err := a.Apply(commands[i%len(commands)]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
