package command

import (
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/telemetry"
)

func TestMemoryReport(t *testing.T) {
	const mb = 1 << 20
	well := telemetry.Facts{Used: 100 * mb, Peak: 110 * mb, Resident: 150 * mb, Connected: 2, Limit: 200 * mb}
	for name, c := range map[string]struct {
		change func(*telemetry.Facts)
		want   string
	}{
		"well":               {func(*telemetry.Facts) {}, "Nothing is wrong"},
		"nearly full":        {func(f *telemetry.Facts) { f.Limit = 105 * mb }, "maxmemory"},
		"no limit":           {func(f *telemetry.Facts) { f.Limit = 0 }, "Nothing is wrong"},
		"past its peak":      {func(f *telemetry.Facts) { f.Peak = 300 * mb }, "At its peak"},
		"wasteful":           {func(f *telemetry.Facts) { f.Resident = 300 * mb }, "The process takes"},
		"small and wasteful": {func(f *telemetry.Facts) { f.Used, f.Peak, f.Resident = mb, 3*mb, 30*mb }, "Nothing is wrong"},
		"large buffers":      {func(f *telemetry.Facts) { f.ReplyBytes = 4 * mb }, "CLIENT LIST"},
	} {
		f := well
		c.change(&f)
		if got := memoryReport(&f); !strings.Contains(got, c.want) {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Whoever asks gets a whole reply, in both protocols.
func TestMemoryCommandsAnswer(t *testing.T) {
	table, c := testCall(t, midday)
	run(table, c, "ZADD k 1 a")
	for _, proto := range []int{2, 3} {
		c.W.SetProto(proto)
		for command, want := range map[string]string{
			"MEMORY STATS": "db.0", "MEMORY DOCTOR": "memory", "MEMORY MALLOC-STATS": "heap in use", "MEMORY PURGE": "+OK",
			"LOLWUT": "skip list", "LOLWUT VERSION 5 1 2": "skip list", "LOLWUT VERSION x": "-ERR value is not an integer",
			"MEMORY USAGE k SAMPLES 0": ":", "OBJECT FREQ k": "-ERR An LFU maxmemory policy is not selected",
			"SORT k": "sorted sets only", "SORT_RO k": "sorted sets only",
		} {
			if reply := run(table, c, command); !strings.Contains(reply, want) || len(skipReply([]byte(reply))) != 0 {
				t.Errorf("RESP%d %s: %q", proto, command, reply)
			}
		}
	}
}

// A key is idle since it was last read or written, not since it was looked at.
func TestIdleTime(t *testing.T) {
	now := midday()
	table, c := testCall(t, func() time.Time { return now })
	idle := func(want, command string) {
		t.Helper()
		c.At = now
		run(table, c, command)
		c.At = now
		if got := run(table, c, "OBJECT IDLETIME k"); got != want {
			t.Errorf("after %s: %q", command, got)
		}
	}
	idle(":0\r\n", "ZADD k 1 a")
	now = now.Add(100 * time.Second)
	for _, quiet := range []string{"OBJECT ENCODING k", "TTL k", "PTTL k", "EXISTS k", "TYPE k", "MEMORY USAGE k", "SCAN 0", "PING"} {
		idle(":100\r\n", quiet)
	}
	run(table, c, "CLIENT NO-TOUCH ON")
	idle(":100\r\n", "ZSCORE k a")
	idle(":0\r\n", "TOUCH k")
	now = now.Add(50 * time.Second)
	run(table, c, "CLIENT NO-TOUCH OFF")
	idle(":50\r\n", "TTL k")
	for _, use := range []string{"ZSCORE k a", "ZADD k 2 b", "TOUCH k", "DUMP k", "ZUNION 1 k"} {
		now = now.Add(10 * time.Second)
		idle(":0\r\n", use)
	}
	payload := run(table, c, "DUMP k")
	_, payload, _ = strings.Cut(payload, "\r\n")
	c.At = now
	c.Args = [][]byte{[]byte("RESTORE"), []byte("k"), []byte("0"), []byte(strings.TrimSuffix(payload, "\r\n")), []byte("REPLACE"), []byte("IDLETIME"), []byte("77")}
	table.Execute(c)
	idle(":77\r\n", "PING")
}
