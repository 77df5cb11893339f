package command

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/telemetry"
)

var memorySpecs = []Spec{{
	Name: "memory", Arity: -2,
	Group: "server", Since: "4.0.0", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about memory.",
	Subs: []Spec{
		{
			Name: "memory|usage", Arity: -3, Flags: ReadOnly, Quiet: true, Keys: subKey("RO"),
			Group: "server", Since: "4.0.0", Complexity: "O(1)",
			Summary: "Returns the bytes that a key and what it holds take, exactly.",
			Differs: "Exact, so SAMPLES changes nothing.",
			Args:    []Arg{keyArg(), after("SAMPLES", "count", "integer").optional()},
			Run:     memoryUsage,
		},
		{
			Name: "memory|stats", Arity: 2,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Group: "server", Since: "4.0.0", Complexity: "O(1)",
			Summary: "Returns where the memory is.",
			Run:     memoryStats,
		},
		{
			Name: "memory|doctor", Arity: 2,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Group: "server", Since: "4.0.0", Complexity: "O(1)",
			Summary: "Returns what is wrong with the memory, if anything is.",
			Run: func(c *Call) {
				facts := c.Env.Facts()
				c.W.Verbatim("txt", memoryReport(&facts))
			},
		},
		{
			Name: "memory|purge", Arity: 2,
			Tips:  []string{"request_policy:all_shards", "response_policy:all_succeeded"},
			Group: "server", Since: "4.0.0", Complexity: "O(N), N bytes of the garbage collector's",
			Summary: "Collects garbage and gives what is free back to the system.",
			Run: func(c *Call) {
				debug.FreeOSMemory()
				c.Env.Keyspace.Trim()
				c.ok()
			},
		},
		{
			Name: "memory|malloc-stats", Arity: 2,
			Tips:  []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
			Group: "server", Since: "4.0.0", Complexity: "O(1)",
			Summary: "Returns the allocator's own statistics, in its own words.",
			Differs: "The statistics are of the Go runtime.",
			Run:     mallocStats,
		},
		helpSpec("memory", "server", "4.0.0", Loading|Stale, 0,
			"DOCTOR", "    What is wrong with the memory, if anything is.",
			"MALLOC-STATS", "    Statistics of the allocator, which is the Go runtime's.",
			"PURGE", "    Collect garbage and give what is free back to the system.",
			"STATS", "    Where the memory is.",
			"USAGE <key> [SAMPLES <count>]", "    The bytes that <key> and what it holds take. The figure is exact: SAMPLES is ignored."),
	},
}}

func memoryUsage(c *Call) {
	for i := 3; i < len(c.Args); i += 2 {
		if !is(c.Args[i], "SAMPLES") || i+1 >= len(c.Args) {
			c.W.Error(errSyntax)
			return
		}
		n, ok := c.integer(i + 1)
		if !ok {
			return
		}
		if n < 0 {
			c.W.Error(errSyntax)
			return
		}
	}
	c.withSubKey(func(e *keyspace.Entry) { c.W.Int(e.MemoryUsage()) })
}

// memoryStats answers the fields tools read, under the names they know. Those
// about what this server does not have are 0.
func memoryStats(c *Call) {
	f := c.Env.Facts()
	overhead := f.Used - f.Dataset
	fields := []struct {
		name  string
		value any // an int64, a float64, or a tables
	}{
		{"peak.allocated", max(f.Peak, f.Used)},
		{"total.allocated", f.Used},
		{"startup.allocated", int64(0)},
		{"replication.backlog", int64(0)},
		{"clients.slaves", int64(0)},
		{"clients.normal", f.QueryBytes + f.ReplyBytes},
		{"cluster.links", int64(0)},
		{"aof.buffer", int64(0)},
		{"lua.caches", f.Scripts.ScriptText + f.Scripts.ScriptCompiled},
		{"functions.caches", f.Scripts.LibraryText + f.Scripts.LibraryCompiled},
		{"db.0", tables{main: f.Tables}},
		{"overhead.total", overhead},
		{"keys.count", int64(f.Keys)},
		{"keys.bytes-per-key", int64(ratio(f.Dataset, int64(f.Keys)))},
		{"dataset.bytes", f.Dataset},
		{"dataset.percentage", 100 * ratio(f.Dataset, f.Used)},
		{"peak.percentage", 100 * ratio(f.Used, max(f.Peak, f.Used))},
		{"allocator.allocated", f.Used},
		{"allocator.active", f.Active()},
		{"allocator.resident", f.System()},
		{"allocator-fragmentation.ratio", ratio(f.Active(), f.Used)},
		{"allocator-fragmentation.bytes", f.Active() - f.Used},
		{"allocator-rss.ratio", ratio(f.System(), f.Active())},
		{"allocator-rss.bytes", f.System() - f.Active()},
		{"rss-overhead.ratio", ratio(f.Resident, f.System())},
		{"rss-overhead.bytes", f.Resident - f.System()},
		{"fragmentation", ratio(f.Resident, f.Used)},
		{"fragmentation.bytes", f.Resident - f.Used},
	}
	c.W.Map(len(fields))
	for _, field := range fields {
		c.W.BulkString(field.name)
		switch value := field.value.(type) {
		case int64:
			c.W.Int(value)
		case float64:
			c.W.Double(value)
		case tables:
			c.W.Map(2)
			c.W.BulkString("overhead.hashtable.main")
			c.W.Int(value.main)
			c.W.BulkString("overhead.hashtable.expires")
			c.W.Int(value.expires)
		}
	}
}

// tables is the bytes of a database's tables of keys. Here there is no table
// of their expiries.
type tables struct{ main, expires int64 }

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// memoryReport says in words what of the node's memory deserves attention.
func memoryReport(f *telemetry.Facts) string {
	const (
		little   = 5 << 20 // below it ratios mean nothing
		full     = 0.9     // of maxmemory
		fellFrom = 1.5     // times what is used now
		wasteful = 2       // times what is used
		client   = 1 << 20 // in buffers, for each
	)
	var found []string
	add := func(is bool, format string, args ...any) {
		if is {
			found = append(found, fmt.Sprintf(" * "+format+"\n", args...))
		}
	}
	add(f.Limit > 0 && ratio(f.Used, f.Limit) > full, "%d of %d bytes of maxmemory are used: writes will soon be refused.", f.Used, f.Limit)
	if f.Used > little {
		add(ratio(f.Peak, f.Used) > fellFrom, "At its peak the node used %d bytes, now %d. MEMORY PURGE gives the rest back at once.", f.Peak, f.Used)
		add(ratio(f.Resident, f.Used) > wasteful, "The process takes %d bytes for %d in use. MEMORY PURGE may help.", f.Resident, f.Used)
	}
	if buffers := f.QueryBytes + f.ReplyBytes; f.Connected > 0 {
		add(buffers/int64(f.Connected) > client, "The buffers of %d clients take %d bytes. CLIENT LIST shows whose.", f.Connected, buffers)
	}
	if len(found) == 0 {
		return "Nothing is wrong with this node's memory.\n"
	}
	return "This node's memory deserves a look:\n\n" + strings.Join(found, "")
}

func mallocStats(c *Call) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	var text strings.Builder
	fmt.Fprintf(&text, "Go runtime %s\n", runtime.Version())
	for _, line := range []struct {
		name  string
		value uint64
	}{
		{"heap in objects", m.HeapAlloc}, {"heap in use", m.HeapInuse}, {"heap idle", m.HeapIdle}, {"heap given back", m.HeapReleased},
		{"heap from the system", m.HeapSys}, {"all from the system", m.Sys}, {"stacks", m.StackInuse}, {"collector", m.GCSys},
		{"objects", m.HeapObjects}, {"next collection at", m.NextGC},
	} {
		fmt.Fprintf(&text, "%-22s %d\n", line.name+":", line.value)
	}
	fmt.Fprintf(&text, "%-22s %d, paused for %v in all\n", "collections:", m.NumGC, time.Duration(m.PauseTotalNs))
	inUse, mapped := c.Env.Keyspace.OffHeap()
	fmt.Fprintf(&text, "Outside that heap\n%-22s %d\n%-22s %d\n", "slabs in use:", inUse, "slabs from the system:", mapped)
	c.W.Verbatim("txt", text.String())
}
