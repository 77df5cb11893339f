package node

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Whoever a client is, what it may do follows changes at once: in commands,
// transactions and scripts, and its connection ends with its user.
func TestUsersLive(t *testing.T) {
	s := start(t)
	admin, w := dial(t, s.addr), dial(t, s.addr)
	admin.expect("+OK\r\n", "ACL", "SETUSER", "u", "on", ">p", "+@all", "-@admin", "%R~r*", "~a*", "&c*")
	w.expect("-WRONGPASS invalid username-password pair or user is disabled.\r\n", "AUTH", "u", "q")
	w.expect("+OK\r\n", "AUTH", "u", "p")
	w.expect(bulk("u"), "ACL", "WHOAMI")
	w.expect("-NOPERM User u has no permissions to run the 'acl|list' command\r\n", "ACL", "LIST")
	w.expect(":1\r\n", "ZADD", "a", "1", "m")
	w.expect("-NOPERM No permissions to access a key\r\n", "ZADD", "r", "1", "m")
	w.expect("$-1\r\n", "ZSCORE", "r", "m")
	w.expect("-NOPERM No permissions to access a key\r\n", "ZUNIONSTORE", "r", "1", "a")
	w.expect(":1\r\n", "ZUNIONSTORE", "a2", "1", "a")
	w.expect("-NOPERM No permissions to access a key\r\n", "GEORADIUS", "a", "0", "0", "1", "m", "STORE", "a", "STOREDIST", "x")
	w.expect("-NOPERM No permissions to access a channel\r\n", "PUBLISH", "x", "m")
	w.expect(":0\r\n", "PUBLISH", "c1", "m")
	w.expect("-ERR ACL failure in script: No permissions to access a key\r\n", "EVAL", "return redis.pcall('ZADD', 'x', 1, 'm')", "0")

	w.expect("+OK\r\n", "MULTI")
	w.expect("-NOPERM No permissions to access a key\r\n", "ZADD", "r", "1", "m")
	w.expect("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
	w.expect("+OK\r\n", "MULTI")
	w.expect("+QUEUED\r\n", "ZCARD", "a")
	admin.expect("+OK\r\n", "ACL", "SETUSER", "u", "-zcard")
	w.expect("*1\r\n-NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. "+
		"This command is no longer allowed for the following reason: no permission to execute the command or subcommand\r\n", "EXEC")

	// A wait ends when its user may not go on.
	w.send("*3\r\n$8\r\nBZPOPMIN\r\n$2\r\naw\r\n$1\r\n0\r\n")
	eventually(t, "blocked", func() bool { return strings.Contains(admin.do("INFO", "clients"), "blocked_clients:1\r\n") })
	admin.expect("+OK\r\n", "ACL", "SETUSER", "u", "resetkeys")
	admin.expect(":1\r\n", "ZADD", "aw", "1", "m")
	if got := w.reply(); got != "-NOPERM No permissions to access a key\r\n" {
		t.Errorf("the wait ends with %q", got)
	}
	admin.expect(":1\r\n", "ZCARD", "aw")

	admin.expect(":1\r\n", "ACL", "DELUSER", "u")
	if got := w.rest(); got != "" {
		t.Errorf("the client of a deleted user gets %q", got)
	}
}

// The password of the configuration is the default user's.
func TestRequirePassIsTheDefaultUsers(t *testing.T) {
	s := start(t, "--requirepass", "a")
	w := dial(t, s.addr)
	w.expect("-NOAUTH Authentication required.\r\n", "PING")
	w.expect("+OK\r\n", "AUTH", "a")
	w.expect("+OK\r\n", "CONFIG", "SET", "requirepass", "b")
	other := dial(t, s.addr)
	other.expect("-WRONGPASS invalid username-password pair or user is disabled.\r\n", "AUTH", "default", "a")
	other.expect("+OK\r\n", "AUTH", "default", "b")
	w.expect("+OK\r\n", "CONFIG", "SET", "requirepass", "")
	dial(t, s.addr).expect("+PONG\r\n", "PING")
	w.expect("+OK\r\n", "ACL", "SETUSER", "default", "off")
	dial(t, s.addr).expect("-NOAUTH Authentication required.\r\n", "PING")
}

func TestACLFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "users.acl")
	if err := os.WriteFile(path, []byte("user u on nopass ~a* +@all\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := start(t, "--dir", dir, "--aclfile", "users.acl")
	w := dial(t, s.addr)
	w.expect("+OK\r\n", "AUTH", "u", "x")
	w.expect("-NOPERM No permissions to access a key\r\n", "ZCARD", "b")
	w.expect("+OK\r\n", "ACL", "SETUSER", "v", "on", "nopass", "~b", "+zcard")
	w.expect("+OK\r\n", "ACL", "SAVE")
	text, err := os.ReadFile(path)
	want := "user default on nopass ~* &* +@all\nuser u on nopass ~a* resetchannels +@all\nuser v on nopass ~b resetchannels -@all +zcard\n"
	if err != nil || string(text) != want {
		t.Errorf("saved %q: %v", text, err)
	}
	if err := os.WriteFile(path, []byte("user v on nopass ~b +zcard +ping +acl\nuser v off\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := w.do("ACL", "LOAD"); !strings.Contains(got, "Duplicate user 'v' found") {
		t.Errorf("a wrong file: %q", got)
	}
	w.expect("*3\r\n"+bulk("default")+bulk("u")+bulk("v"), "ACL", "USERS")
	if err := os.WriteFile(path, []byte("user v on nopass ~b +zcard\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.expect("+OK\r\n", "ACL", "LOAD") // and is closed, as its user is gone
	if got := w.rest(); got != "" {
		t.Errorf("the client of a user who is gone gets %q", got)
	}
}

func TestSlowLogHidesPasswords(t *testing.T) {
	w := dial(t, start(t, "--slowlog-log-slower-than", "0", "--latency-monitor-threshold", "1000").addr)
	w.do("ACL", "SETUSER", "u", ">secret")
	w.do("CONFIG", "SET", "requirepass", "secret")
	w.do("AUTH", "secret")
	w.do("HELLO", "2", "AUTH", "default", "secret", "SETNAME", "n")
	got := w.do("SLOWLOG", "GET", "-1")
	if strings.Contains(got, "secret") || strings.Count(got, "(redacted)") != 6 || !strings.Contains(got, "SETNAME") {
		t.Errorf("the slow log has %q", got)
	}
	w.expect("*0\r\n", "LATENCY", "LATEST")
	if got := w.do("LATENCY", "HISTOGRAM", "auth"); !strings.Contains(got, "calls\r\n:1\r\n") {
		t.Errorf("the times of AUTH are %q", got)
	}
}
