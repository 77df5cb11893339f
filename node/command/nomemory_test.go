package command

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"
)

// When the system has no memory left, a command that needs some is refused in
// a way that clients know, and changes nothing.
func TestNoMemoryLeft(t *testing.T) {
	digest := func(table *Table, c *Call) string { return run(table, c, "DEBUG DIGEST") }
	// Sets of more members than a listpack, and a member longer than that.
	pairs := func(n int, format string) string {
		var s strings.Builder
		for i := range n {
			fmt.Fprintf(&s, " %d.5 "+format, i, i)
		}
		return s.String()
	}
	long := strings.Repeat("x", 300_000)
	for _, c := range []struct{ name, command string }{
		{"a new small key", "ZADD fresh 1 " + strings.Repeat("y", 60) + pairs(60, "y%050d")},
		{"a new key with a skip list", "ZADD fresh" + pairs(9000, "z%040d")},
		{"a small set that grows", "ZADD small 7 a" + pairs(100, "g%060d")},
		{"a small set that becomes a skip list", "ZADD small 7 a 8 b" + pairs(9000, "g%060d")},
		{"a skip list that grows", "ZADD large 7 0000000001" + pairs(9000, "g%060d")},
		{"one long member", "ZADD small 1 " + long},
		{"an increment", "ZINCRBY small 1 " + long},
		{"a copy", "COPY large copy"},
		{"a copy over another", "COPY large small REPLACE"},
		{"a union", "ZUNIONSTORE small 2 large small"},
		{"a range", "ZRANGESTORE small large 0 -1"},
		{"another name", "RENAME small " + long},
		{"a name over another", "RENAME small other" + long},
		{"an expiry", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			ks := keyspace.NewLimited(2 << 20)
			table, call := testCallOn(t, ks, func() time.Time { return time.UnixMilli(1_000_000) }, "--enable-debug-command", "yes")
			for _, command := range []string{"ZADD small 1 a 2 b", "ZADD large" + pairs(5000, "%010d"), "ZADD other" + long + " 1 a"} {
				if reply := run(table, call, command); reply[0] == '-' {
					t.Fatalf("%.40s: %q", command, reply)
				}
			}
			fill := 0
			for ; ; fill++ { // down to where nothing of a page is left
				reply := run(table, call, fmt.Sprintf("ZADD fill%d 1 %s", fill, strings.Repeat("f", 3000)))
				if reply[0] == '-' {
					if reply != "-"+errNoMemory+"\r\n" {
						t.Fatalf("filling: %q", reply)
					}
					break
				}
			}
			command := c.command
			for i := 0; command == ""; i++ { // keys whose size class has no room for an expiry, and soon no slot
				key := fmt.Sprintf("k%d", i)
				if reply := run(table, call, "ZADD "+key+" 1 "+strings.Repeat("e", 60)); reply[0] == '-' {
					t.Skip("every size class found room")
				}
				before := digest(table, call)
				if reply := run(table, call, "EXPIRE "+key+" 100"); reply == "-"+errNoMemory+"\r\n" {
					if after := digest(table, call); after != before {
						t.Error("it changed something")
					}
					return
				}
			}
			before := digest(table, call)
			keys := ks.Len()
			if reply := run(table, call, command); reply != "-"+errNoMemory+"\r\n" {
				t.Errorf("%q", reply)
			}
			if after := digest(table, call); after != before || ks.Len() != keys {
				t.Errorf("it changed something: %d keys, %d before", ks.Len(), keys)
			}
			run(table, call, "FLUSHALL SYNC")
			if inUse, _ := ks.OffHeap(); ks.Used() != 0 || inUse != 0 {
				t.Errorf("%d bytes are used by nothing, %d outside the Go heap", ks.Used(), inUse)
			}
		})
	}
}
