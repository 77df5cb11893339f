package command

import (
	"strings"
	"testing"

	"zset.dev/operator/node/keyspace"
)

// Every command that makes a set makes it a listpack when the thresholds allow
// and not otherwise, also when they changed since the sources were made.
func TestThresholdsHoldForEveryMaker(t *testing.T) {
	makers := []string{
		"ZADD made 1 a 2 b 3 c",
		"ZUNIONSTORE made 2 k missing", "ZINTERSTORE made 2 k k", "ZDIFFSTORE made 2 k missing",
		"ZRANGESTORE made k 0 -1", "COPY k made",
		"GEOADD made 1 1 a 2 2 b 3 3 c",
		"GEOSEARCHSTORE made g FROMLONLAT 1 1 BYRADIUS 10000 km", "GEORADIUS g 1 1 10000 km STORE made", "GEORADIUSBYMEMBER g a 10000 km STOREDIST made",
		"RESTORE made 0 payload",
	}
	for _, entries := range []string{"2", "3"} {
		for _, before := range []string{"0", "128"} {
			table, c := testCall(t, midday, "--zset-max-listpack-entries", before)
			run(table, c, "ZADD k 1 a 2 b 3 c")
			run(table, c, "GEOADD g 1 1 a 2 2 b 3 3 c")
			run(table, c, "DUMP k")
			_, payload, _ := strings.Cut(string(c.W.Bytes()), "\r\n")
			_, other := testCall(t, midday, "--zset-max-listpack-entries", entries)
			c.Env.Tuning = other.Env.Tuning
			for _, maker := range makers {
				run(table, c, "DEL made")
				c.Args = nil
				for word := range strings.FieldsSeq(maker) {
					if word == "payload" {
						word = strings.TrimSuffix(payload, "\r\n")
					}
					c.Args = append(c.Args, []byte(word))
				}
				c.W.Reset(1 << 20)
				table.Execute(c)
				want := map[string]string{"2": "$8\r\nskiplist\r\n", "3": "$8\r\nlistpack\r\n"}[entries]
				if got := run(table, c, "OBJECT ENCODING made"); got != want {
					t.Errorf("%.30s, %s entries and %s when the source was made: %q", maker, entries, before, got)
				}
			}
		}
	}
}

// Replacing, renaming and deleting leave the sums of the keyspace right.
func TestStoringReleasesWhatWasThere(t *testing.T) {
	for _, entries := range []string{"0", "128"} {
		table, c := testCall(t, midday, "--zset-max-listpack-entries", entries)
		for _, command := range []string{
			"ZADD a 1 x 2 y", "ZADD b 3 y 4 z", "EXPIRE b 100", "ZUNIONSTORE b 2 a b", "ZUNIONSTORE a 2 a b", "EXPIRE a 100", "COPY a c", "COPY a b REPLACE",
			"RENAME a b", "RENAME c a", "RENAMENX a d", "ZRANGESTORE d d 0 1", "ZINTERSTORE d 2 d missing", "ZMPOP 2 a b MIN COUNT 1", "GEOADD g 1 1 m", "GEORADIUS g 1 1 10 km STORE b",
		} {
			if reply := run(table, c, command); reply[0] == '-' {
				t.Fatalf("%s: %q", command, reply)
			}
			var sum int64
			expiring := 0
			c.Env.Keyspace.Each(nil, 0, func(e *keyspace.Entry) {
				sum += e.MemoryUsage()
				if e.ExpireAt() != 0 {
					expiring++
				}
			})
			if used, tables := c.Env.Keyspace.Used(), c.Env.Keyspace.Tables(); used != sum+tables {
				t.Errorf("after %s %d bytes are used, keys take %d and tables %d", command, used, sum, tables)
			}
			if got := c.Env.Keyspace.Expiring(); got != expiring {
				t.Errorf("after %s %d keys expire by the count, %d do", command, got, expiring)
			}
		}
		run(table, c, "FLUSHALL")
		if used := c.Env.Keyspace.Used(); used != 0 {
			t.Errorf("%d bytes are used by no key", used)
		}
	}
}
