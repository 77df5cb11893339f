package command

import (
	"time"

	"zset.dev/operator/node/telemetry"
)

// tally is what a connection has executed and not yet added to the statistics
// that all share: adding to those, and reading the clock, costs as much as a
// small command does. Calls in a row of one command that is quick for certain
// share one reading of the clock, and each is taken to have taken its share.
type tally struct {
	spec         *Spec // of the calls whose time is running; nil when there are none
	calls        int64
	executed     int64 // commands of any kind
	hits, misses int64
}

// A command is quick for certain when it is Fast and has few words, or has a
// short reply that is all its work, and is timed for nothing but sums: whoever
// logs commands slower than a millisecond wants to know of each.
const (
	quickWords  = 8
	quickReply  = 2 << 10 // bytes
	quickMicros = 1000
	quickCalls  = 32 // in a row at most
)

func (c *Call) quick(spec *Spec, replied int) bool {
	switch {
	case !c.More || c.Nested || spec.Flags&Blocking != 0:
		return false
	case spec.Flags&Fast != 0 && len(c.Args) <= quickWords, spec.Sized && replied <= quickReply:
	default:
		return false
	}
	v := c.Env.Config.Values()
	return (v.SlowLogSlowerThan < 0 || v.SlowLogSlowerThan >= quickMicros) && v.LatencyMonitorThreshold == 0
}

// count adds a command, whose reply begins at start, to the tally.
func (c *Call) count(spec *Spec, start int) {
	reply := c.W.Bytes()[start:]
	if len(reply) > 0 && reply[0] == '-' {
		c.Env.Stats.Command(spec.number).Failed.Add(1)
		c.Env.Stats.Error(reply[1:], spec.Categories&Scripting != 0)
	}
	t := &c.tally
	if t.spec != spec {
		c.Report()
		t.spec = spec
	}
	if t.calls++; t.calls >= quickCalls || !c.quick(spec, len(reply)) {
		took, end := c.report()
		c.observe(spec, took, end)
	}
}

// Report adds the tally to the statistics and moves c.At on. It is to be called
// when there is nothing to execute for now, and before replies are sent, so
// that whoever has a reply finds its command counted.
func (c *Call) Report() {
	if t := &c.tally; t.calls > 0 || t.executed > 0 {
		c.report()
	}
}

// report is Report; it returns the time one call took, and the present.
func (c *Call) report() (took time.Duration, end time.Time) {
	t, stats := &c.tally, c.Env.Stats
	if t.executed > 0 {
		stats.CommandsProcessed.Add(t.executed)
		c.Client.Commands.Add(t.executed)
	}
	if t.hits > 0 {
		stats.Hits.Add(t.hits)
	}
	if t.misses > 0 {
		stats.Misses.Add(t.misses)
	}
	if t.calls > 0 {
		end = c.Env.Now()
		all := end.Sub(c.At)
		took = all / time.Duration(t.calls)
		stat := stats.Command(t.spec.number)
		if t.spec.Flags&Write != 0 {
			stats.Changes.Add(t.calls)
		}
		stat.Calls.Add(t.calls)
		stat.Nanos.Add(int64(all))
		if c.Env.Config.Values().LatencyTracking {
			stat.Track(took, t.calls)
		}
		c.At = end
	}
	*t = tally{}
	return took, end
}

// observe notes the command that has just ended when it was slow.
func (c *Call) observe(spec *Spec, took time.Duration, end time.Time) {
	v := c.Env.Config.Values()
	if limit := v.SlowLogSlowerThan; limit >= 0 && took >= time.Duration(limit)*time.Microsecond && spec.Name != "exec" && v.SlowLogMaxLen > 0 {
		c.Env.Stats.Slow.Add(telemetry.SlowCommand{
			At: end, Took: took, Addr: c.Client.Addr, Name: c.Client.Names().Name,
			Args: telemetry.SlowArgs(c.Args, func(i int) []byte { return visible(spec, c.Args, i) }),
		}, v.SlowLogMaxLen)
	}
	if limit := v.LatencyMonitorThreshold; limit > 0 && took >= time.Duration(limit)*time.Millisecond {
		event := "command"
		if spec.Flags&Fast != 0 {
			event = "fast-command"
		}
		c.Env.Stats.Latencies.Note(event, end, took)
	}
}

// countLookups adds what the command found and missed to the tally.
func (c *Call) countLookups() {
	c.tally.hits += int64(c.Held.Hits)
	c.tally.misses += int64(c.Held.Misses)
	c.Held.Hits, c.Held.Misses = 0, 0
}
