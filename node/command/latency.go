package command

import (
	"fmt"
	"strings"

	"zset.dev/operator/node/telemetry"
)

var latencySpecs = []Spec{{
	Name: "latency", Arity: -2,
	Group: "server", Since: "2.8.13", Complexity: "Depends on the subcommand",
	Summary: "A container for commands about delays.",
	Subs: []Spec{
		latencySpec("latest", 2, "2.8.13", "Returns the latest delay of each event.", latencyLatest),
		latencySpec("history", 3, "2.8.13", "Returns the delays of an event.", latencyHistory, arg("event", "string")),
		latencySpec("graph", 3, "2.8.13", "Draws the delays of an event.", latencyGraph, arg("event", "string")),
		latencySpec("doctor", 2, "2.8.13", "Returns the delays in words.", latencyDoctor),
		latencySpec("reset", -2, "2.8.13", "Forgets the delays of events.", latencyReset, arg("event", "string").optional().many()),
		latencySpec("histogram", -2, "7.0.0", "Returns how long commands took.", latencyHistogram, arg("command", "string").optional().many()),
		helpSpec("latency", "server", "2.8.13", Loading|Stale, 0,
			"DOCTOR", "    The delays in words.",
			"GRAPH <event>", "    The delays of an event, drawn.",
			"HISTORY <event>", "    The delays of an event: Unix time and milliseconds.",
			"LATEST", "    Of each event its name, and the latest delay with its Unix time, the longest, the sum and the number.",
			"RESET [<event> ...]", "    Forget the delays of events, or of all.",
			"HISTOGRAM [<command> ...]", "    How many calls took at most so many microseconds, for each command."),
	},
}}

func latencySpec(name string, arity int, since, summary string, run func(*Call), args ...Arg) Spec {
	tips := []string{"nondeterministic_output", "request_policy:all_nodes", "response_policy:special"}
	if name == "reset" {
		tips = []string{"request_policy:all_nodes", "response_policy:agg_sum"}
	}
	return Spec{
		Name: "latency|" + name, Arity: arity, Flags: Admin | whileWaiting,
		Tips:  tips,
		Group: "server", Since: since, Complexity: "O(N), N samples or commands",
		Summary: summary,
		Args:    args,
		Run:     run,
	}
}

func latencyLatest(c *Call) {
	w, events := c.W, c.Env.Stats.Latencies.Events()
	w.Array(len(events))
	for _, e := range events {
		last := e.Samples[len(e.Samples)-1]
		w.Array(6)
		w.BulkString(e.Name)
		for _, n := range []int64{last.At, last.Millis, e.Max, e.Sum, e.Count} {
			w.Int(n)
		}
	}
}

func latencyHistory(c *Call) {
	e := c.Env.Stats.Latencies.Event(string(c.Args[2]))
	c.W.Array(len(e.Samples))
	for _, s := range e.Samples {
		c.W.Array(2)
		c.W.Int(s.At)
		c.W.Int(s.Millis)
	}
}

func latencyReset(c *Call) {
	var names []string
	for _, a := range c.Args[2:] {
		names = append(names, strings.ToLower(string(a)))
	}
	c.W.Int(int64(c.Env.Stats.Latencies.Reset(names...)))
}

func latencyGraph(c *Call) {
	e := c.Env.Stats.Latencies.Event(strings.ToLower(string(c.Args[2])))
	if len(e.Samples) == 0 {
		c.W.Error("ERR No samples available for event '" + clip(c.Args[2], 128) + "'")
		return
	}
	c.W.Verbatim("txt", latencyGraphOf(e, c.At.Unix()))
}

// latencyGraphOf draws a column for each sample, the oldest on the left, with
// how long ago it was written below.
func latencyGraphOf(e telemetry.Event, now int64) string {
	const height, columns = 4, 80
	samples := e.Samples[max(0, len(e.Samples)-columns):]
	low, high := samples[0].Millis, samples[0].Millis
	for _, s := range samples {
		low, high = min(low, s.Millis), max(high, s.Millis)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s - high %d ms, low %d ms (all time high %d ms)\n%s\n", e.Name, high, low, e.Max, strings.Repeat("-", columns))
	for row := height; row > 0; row-- {
		for _, s := range samples {
			level := int64(1)
			if high > low {
				level += (s.Millis - low) * (height - 1) / (high - low)
			}
			text.WriteByte(" #"[b2i(level >= int64(row))])
		}
		text.WriteByte('\n')
	}
	ages, longest := make([]string, len(samples)), 0
	for i, s := range samples {
		ages[i] = age(now - s.At)
		longest = max(longest, len(ages[i]))
	}
	text.WriteByte('\n')
	for row := range longest {
		for _, a := range ages {
			if row < len(a) {
				text.WriteByte(a[row])
			} else {
				text.WriteByte(' ')
			}
		}
		text.WriteByte('\n')
	}
	return text.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// age is a time in seconds, short.
func age(seconds int64) string {
	switch {
	case seconds < 60:
		return fmt.Sprintf("%ds", seconds)
	case seconds < 3600:
		return fmt.Sprintf("%dm", seconds/60)
	case seconds < 86400:
		return fmt.Sprintf("%dh", seconds/3600)
	}
	return fmt.Sprintf("%dd", seconds/86400)
}

func latencyDoctor(c *Call) {
	events := c.Env.Stats.Latencies.Events()
	threshold := c.Env.Config.Values().LatencyMonitorThreshold
	var text strings.Builder
	switch {
	case len(events) == 0 && threshold == 0:
		text.WriteString("Delays are not watched. CONFIG SET latency-monitor-threshold <milliseconds> begins to.\n")
	case len(events) == 0:
		text.WriteString("No event took as long as latency-monitor-threshold.\n")
	}
	for _, e := range events {
		fmt.Fprintf(&text, "%s: %d times above the threshold, %d ms on average, %d ms at most.\n", e.Name, e.Count, e.Sum/e.Count, e.Max)
	}
	if len(events) > 0 {
		text.WriteString("SLOWLOG GET shows which commands took long.\n")
	}
	c.W.Verbatim("txt", text.String())
}

func latencyHistogram(c *Call) {
	stats := c.Env.Stats.Commands()
	if names := c.Args[2:]; len(names) > 0 {
		wanted := map[string]bool{}
		for _, name := range names {
			wanted[strings.ToLower(string(name))] = true
		}
		kept := stats[:0]
		for _, s := range stats {
			container, _, _ := strings.Cut(s.Name, "|")
			if wanted[s.Name] || wanted[container] {
				kept = append(kept, s)
			}
		}
		stats = kept
	}
	w := c.W
	type row struct {
		name    string
		calls   int64
		buckets []telemetry.Bucket
	}
	var rows []row
	for _, s := range stats {
		if h := s.Times(); h != nil {
			if buckets := h.Buckets(); len(buckets) > 0 {
				rows = append(rows, row{s.Name, buckets[len(buckets)-1].Count, buckets})
			}
		}
	}
	w.Map(len(rows))
	for _, r := range rows {
		w.BulkString(r.name)
		w.Map(2)
		w.BulkString("calls")
		w.Int(r.calls)
		w.BulkString("histogram_usec")
		w.Map(len(r.buckets))
		for _, b := range r.buckets {
			w.Int(b.Micros)
			w.Int(b.Count)
		}
	}
}
