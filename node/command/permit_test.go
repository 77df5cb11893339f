package command

import (
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/acl"
)

func commandLine(line string) (args [][]byte) {
	for _, word := range strings.Fields(line) {
		args = append(args, []byte(word))
	}
	return args
}

// What a user needs for a command follows from the command's description.
func TestPermit(t *testing.T) {
	table, c := testCall(t, time.Now)
	for _, q := range []struct{ rules, command, want string }{
		{"+@all %R~r* %W~w* ~a*", "ZADD r 1 m", "User u has no permissions to access the 'r' key"},
		{"+@all %R~r* %W~w* ~a*", "ZADD w 1 m", ""},
		{"+@all %R~r* %W~w* ~a*", "ZADD a 1 m", ""},
		{"+@all %R~r* %W~w* ~a*", "ZSCORE r m", ""},
		{"+@all %R~r* %W~w* ~a*", "ZSCORE w m", "User u has no permissions to access the 'w' key"},
		{"+@all %R~r* %W~w* ~a*", "ZUNIONSTORE w 2 r a", ""},
		{"+@all %R~r* %W~w* ~a*", "ZUNIONSTORE r 2 r a", "User u has no permissions to access the 'r' key"},
		{"+@all %R~r* %W~w* ~a*", "ZUNIONSTORE w 2 r w", "User u has no permissions to access the 'w' key"},
		{"+@all %R~r* %W~w* ~a*", "COPY r w", ""},
		{"+@all %R~r* %W~w* ~a*", "COPY w r", "User u has no permissions to access the 'w' key"},
		{"+@all %R~r* %W~w* ~a*", "EXISTS r w a", ""},
		{"+@all %R~r* %W~w* ~a*", "EXISTS r b", "User u has no permissions to access the 'b' key"},
		{"+@all %R~r* %W~w* ~a*", "GEORADIUS r 0 0 1 m STORE b STORE w", ""},
		{"+@all %R~r* %W~w* ~a*", "GEORADIUS r 0 0 1 m STORE w STOREDIST b", "User u has no permissions to access the 'b' key"},
		{"+@all %R~r* %W~w* ~a*", "GEORADIUS r 0 0 1 m STORE STORE COUNT w", "User u has no permissions to access the 'STORE' key"},
		{"+@all %R~r* %W~w* ~a*", "EVAL x 1 r", "User u has no permissions to access the 'r' key"},
		{"+@all %R~r* %W~w* ~a*", "EVAL x 0 r", ""},
		{"+@all &c*", "SUBSCRIBE c1 d", "User u has no permissions to access the 'd' channel"},
		{"+@all &c*", "PSUBSCRIBE c1", "User u has no permissions to access the 'c1' channel"},
		{"+@all &c*", "PSUBSCRIBE c*", ""},
		{"+@all &c*", "UNSUBSCRIBE d", ""},
		{"+@all &c*", "SPUBLISH d m", "User u has no permissions to access the 'd' channel"},
		{"-@all", "AUTH u p", ""},
		{"-@all", "PING", "User u has no permissions to run the 'ping' command"},
		{"+debug|object", "DEBUG OBJECT a", ""},
		{"+debug|object", "DEBUG SLEEP 1", "User u has no permissions to run the 'debug' command"},
		{"+config -config|set", "CONFIG SET a b", "User u has no permissions to run the 'config|set' command"},
		{"+@all ~* resetdbs", "PING", ""},
		{"+@all ~* resetdbs", "ZCARD a", "User u has no permissions to access database zcard"},
		{"+@all ~* db=0", "ZCARD a", ""},
	} {
		account, _, err := c.Env.Accounts.Set("u", append([]string{"reset", "on", "nopass"}, strings.Fields(q.rules)...)...)
		if err != nil {
			t.Fatal(err)
		}
		args := commandLine(q.command)
		spec, refusal := table.resolve(args)
		if spec == nil {
			t.Fatalf("%s: %s", q.command, refusal)
		}
		got := ""
		if refused := permit(account.User(), spec, args); refused.Reason != acl.Allowed {
			got = refused.text(true)
		}
		if got != q.want {
			t.Errorf("%q, %s: %q, want %q", q.rules, q.command, got, q.want)
		}
	}
}

// BenchmarkPermit: the user who may do everything costs a look at a flag.
func BenchmarkPermit(b *testing.B) {
	table, c := testCall(b, time.Now)
	args := commandLine("ZADD a 1 m")
	spec, _ := table.resolve(args)
	for _, rules := range []string{"+@all ~* &*", "+@sortedset ~a*"} {
		if _, _, err := c.Env.Accounts.Set("u", append([]string{"reset", "on", "nopass"}, strings.Fields(rules)...)...); err != nil {
			b.Fatal(err)
		}
		c.Client.SetAccount(c.Env.Accounts.Get("u"))
		b.Run(rules, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if c.limited() && c.permitted(spec, args, atTopLevel).Reason != acl.Allowed {
					b.Fatal("refused")
				}
			}
		})
	}
}
