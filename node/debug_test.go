package node

import (
	"strings"
	"testing"
)

func TestDebugIsOffUnlessAllowed(t *testing.T) {
	w := dial(t, start(t).addr)
	if got := w.do("DEBUG", "SLEEP", "0"); !strings.HasPrefix(got, "-ERR DEBUG command not allowed.") {
		t.Errorf("DEBUG answers %q", got)
	}
	w = dial(t, start(t, "--enable-debug-command", "local").addr)
	w.expect("+OK\r\n", "DEBUG", "SLEEP", "0")
	w.expect("+"+strings.Repeat("0", 40)+"\r\n", "DEBUG", "DIGEST")
	w.do("ZADD", "a", "1", "x", "2", "y")
	first := w.do("DEBUG", "DIGEST")
	w.do("ZADD", "a", "3", "x")
	if w.do("DEBUG", "DIGEST") == first {
		t.Error("the digest overlooks a score")
	}
	w.do("DEL", "a")
	w.do("ZADD", "a", "2", "y")
	w.do("ZADD", "a", "1", "x")
	if got := w.do("DEBUG", "DIGEST"); got != first {
		t.Errorf("equal data have digests %s and %s", got, first)
	}
}

// What is made anew of its payloads is as it was.
func TestDebugReload(t *testing.T) {
	s := start(t, "--enable-debug-command", "local", "--zset-max-listpack-entries", "2")
	w := dial(t, s.addr)
	w.do("ZADD", "small", "-inf", "a", "0.1", "b")
	w.do("ZADD", "large", "1", "a", "2", "b", "1e300", "c")
	w.do("ZADD", "later", "1", "a")
	w.do("PEXPIREAT", "later", "9999999999999")
	w.do("CONFIG", "SET", "zset-max-listpack-entries", "1")
	digest := w.do("DEBUG", "DIGEST")
	w.expect("+OK\r\n", "DEBUG", "RELOAD")
	if got := w.do("DEBUG", "DIGEST"); got != digest {
		t.Errorf("the digest was %s and is %s", digest, got)
	}
	w.expect(":3\r\n", "DBSIZE")
	w.expect(":9999999999999\r\n", "PEXPIRETIME", "later")
	for key, encoding := range map[string]string{"small": "skiplist", "large": "skiplist", "later": "listpack"} {
		w.expect(bulk(encoding), "OBJECT", "ENCODING", key)
	}
	w.expect(":6\r\n", "EVAL", "local n = 0; for _, k in ipairs(redis.call('keys', '*')) do n = n + redis.call('zcard', k) end; return n", "0")
	w.do("DEL", "small", "large", "later")
	if used, tables := s.keyspace.Used(), s.keyspace.Tables(); used != tables {
		t.Errorf("%d bytes are in use after the last key is gone, %d of them by tables", used, tables)
	}
}

// What is loaded again is as it was, and nothing of that is in the log.
func TestDebugLoadAppended(t *testing.T) {
	s := start(t, "--enable-debug-command", "local", "--appendonly", "yes")
	w := dial(t, s.addr)
	w.do("ZADD", "a", "1", "x")
	digest := w.do("DEBUG", "DIGEST")
	size := s.store.Status().Size
	for _, load := range [][]string{{"DEBUG", "LOADAOF"}, {"DEBUG", "RELOAD"}, {"DEBUG", "RELOAD", "NOSAVE"}} {
		w.expect("+OK\r\n", load...)
		if got := w.do("DEBUG", "DIGEST"); got != digest {
			t.Errorf("%q: the digest was %s and is %s", load, digest, got)
		}
		if s.store.Flush(); size != 0 && s.store.Status().Size > size+200 {
			t.Errorf("%q is in the log", load)
		}
	}
	w.expect("-ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.\r\n", "DEBUG", "RELOAD", "x")
	w.do("FUNCTION", "LOAD", library)
	w.expect("-ERR Error trying to load the RDB dump, check server logs.\r\n", "DEBUG", "RELOAD", "NOFLUSH")
	w.expect("+OK\r\n", "DEBUG", "RELOAD", "NOFLUSH", "MERGE")
	w = dial(t, start(t, "--enable-debug-command", "local").addr)
	w.expect("-ERR Error trying to load the AOF files, check server logs.\r\n", "DEBUG", "LOADAOF")
}

// Each type of reply, for tests of clients: Valkey 9.1 answers these bytes.
func TestDebugProtocol(t *testing.T) {
	s := start(t, "--enable-debug-command", "local")
	for _, c := range []struct{ kind, resp2, resp3 string }{
		{"string", "$11\r\nHello World\r\n", "$11\r\nHello World\r\n"},
		{"integer", ":12345\r\n", ":12345\r\n"},
		{"double", "$5\r\n3.141\r\n", ",3.141\r\n"},
		{"null", "$-1\r\n", "_\r\n"},
		{"array", "*3\r\n:0\r\n:1\r\n:2\r\n", "*3\r\n:0\r\n:1\r\n:2\r\n"},
		{"set", "*3\r\n:0\r\n:1\r\n:2\r\n", "~3\r\n:0\r\n:1\r\n:2\r\n"},
		{"map", "*6\r\n:0\r\n:0\r\n:1\r\n:1\r\n:2\r\n:0\r\n", "%3\r\n:0\r\n#f\r\n:1\r\n#t\r\n:2\r\n#f\r\n"},
		{"verbatim", "$25\r\nThis is a verbatim\nstring\r\n", "=29\r\ntxt:This is a verbatim\nstring\r\n"},
		{"true", ":1\r\n", "#t\r\n"},
		{"false", ":0\r\n", "#f\r\n"},
		{"bignum", "$37\r\n1234567999999999999999999999999999999\r\n", "(1234567999999999999999999999999999999\r\n"},
		{"attrib", "$39\r\nSome real reply following the attribute\r\n",
			"|1\r\n$14\r\nkey-popularity\r\n*2\r\n$7\r\nkey:123\r\n:90\r\n$39\r\nSome real reply following the attribute\r\n"},
		{"push", "-ERR RESP2 is not supported by this command\r\n",
			"$40\r\nSome real reply following the push reply\r\n>2\r\n$16\r\nserver-cpu-usage\r\n:42\r\n"},
	} {
		for proto, want := range map[string]string{"2": c.resp2, "3": c.resp3} {
			w := dial(t, s.addr)
			w.do("HELLO", proto)
			w.send(string(array("DEBUG", "PROTOCOL", c.kind)) + string(array("QUIT")))
			if got := w.rest(); got != want+"+OK\r\n" {
				t.Errorf("%s in RESP%s: %q, want %q", c.kind, proto, got, want)
			}
		}
	}
}
