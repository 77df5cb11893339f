package command

import (
	"strings"
	"testing"

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
			"MEMORY STATS": "keys.bytes-per-key", "MEMORY DOCTOR": "memory", "MEMORY MALLOC-STATS": "heap in use", "MEMORY PURGE": "+OK",
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
