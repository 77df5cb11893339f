package command

import (
	"math"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
)

// Eviction makes room while more memory is used than maxmemory allows. It may
// be used from any goroutine that holds no partition.
type Eviction struct {
	env  *Env
	wake chan struct{} // holds one when the background has something to do

	above atomic.Int64 // since when too much is used, Unix nanoseconds; 0 while it is not
	spent atomic.Int64 // nanoseconds it was in all before that
}

// room is how much there is.
type room uint8

const (
	enough room = iota
	partly      // not enough, but more is to come
	none
)

func newEviction(env *Env) *Eviction { return &Eviction{env: env, wake: make(chan struct{}, 1)} }

// excess is the bytes used above a limit, by what else than keys is used.
func (v *Eviction) excess(limit, beside int64) int64 {
	return v.env.Keyspace.Used() + beside - limit
}

// makeRoom evicts keys until there is room or its time is over, in which case
// the background goes on.
//
// What else takes memory than keys is looked at once: to tell clients of keys
// that go takes some, too, and must not make further ones go.
func (v *Eviction) makeRoom() room {
	values := v.env.Config.Values()
	limit := values.MaxMemory.Bytes
	if limit <= 0 {
		v.ended()
		return enough
	}
	if v.env.UsedMemory() <= limit {
		v.ended()
		return enough
	}
	if v.env.Pause.on.Load() || v.env.replica() && values.Following.IgnoreMemory {
		return enough // data stay as they are, or as the primary has them
	}
	return v.evict(values)
}

func (v *Eviction) evict(values *config.Values) room {
	now, began := v.env.Now(), time.Now()
	v.above.CompareAndSwap(0, began.UnixNano())
	policy := keyspace.Policy(values.MaxMemoryPolicy)
	patience := evictPatience(values.EvictionTenacity)
	if policy == keyspace.NoEviction {
		return none
	}
	beside := v.env.Lasting() - v.env.Keyspace.Used()
	defer func() { v.noteCycle(values, now, time.Since(began)) }()
	for v.excess(values.MaxMemory.Bytes, beside) > 0 {
		if time.Since(began) >= patience {
			v.Wake()
			return partly
		}
		switch v.env.Keyspace.Evict(policy, values.MaxMemorySamples, now.UnixMilli()) {
		case keyspace.NothingFits:
			return none
		case keyspace.AllHeld: // by a script that hangs, say; the sweep wakes the background
			return partly
		}
	}
	v.ended()
	return enough
}

func (v *Eviction) noteCycle(values *config.Values, now time.Time, took time.Duration) {
	if limit := values.LatencyMonitorThreshold; limit > 0 && took >= time.Duration(limit)*time.Millisecond {
		v.env.Stats.Latencies.Note("eviction-cycle", now, took)
	}
}

// evictPatience is how long one command evicts, by maxmemory-eviction-tenacity.
func evictPatience(tenacity int) time.Duration {
	const step = 50 * time.Microsecond
	switch {
	case tenacity <= 10:
		return time.Duration(tenacity) * step
	case tenacity < 100:
		return time.Duration(10 * float64(step) * math.Pow(1.15, float64(tenacity-10)))
	}
	return math.MaxInt64
}

// ended notes that there is room again.
func (v *Eviction) ended() {
	if since := v.above.Load(); since != 0 && v.above.CompareAndSwap(since, 0) {
		v.spent.Add(time.Now().UnixNano() - since)
	}
}

// Exceeded is for how long more memory than allowed is used at present, and
// was since the statistics were reset, which includes the present time.
func (v *Eviction) Exceeded() (current, total time.Duration) {
	if since := v.above.Load(); since != 0 {
		current = max(time.Duration(time.Now().UnixNano()-since), 0)
	}
	return current, time.Duration(v.spent.Load()) + current
}

// Reset forgets how long too much memory was used.
func (v *Eviction) Reset() {
	v.above.Store(0)
	v.spent.Store(0)
}

// Wake lets the background look whether there is too much.
func (v *Eviction) Wake() {
	select {
	case v.wake <- struct{}{}:
	default:
	}
}

// Run evicts what commands left to the background, until stop is closed.
// Between two turns of the length a command has, it lets others go first.
func (v *Eviction) Run(stop <-chan struct{}) {
	for {
		select {
		case <-stop:
			return
		case <-v.wake:
		}
		v.makeRoom() // wakes again when it ran out of time
	}
}

// followPolicy lets uses of keys be noted as the eviction policy needs it, and
// what has become too much go at once.
func (env *Env) followPolicy() {
	count := func(v *config.Values) {
		env.Keyspace.Count(keyspace.Counting{
			On: keyspace.Policy(v.MaxMemoryPolicy).LFU(), LogFactor: v.LFULogFactor, DecayMinutes: v.LFUDecayTime,
		})
	}
	count(env.Config.Values())
	env.Config.OnChange(func(_, now *config.Values) {
		count(now)
		env.Eviction.Wake()
	})
}

// outOfMemory makes room, as before every command, and reports whether there is
// none for this one. While a transaction is open whatever is queued takes
// memory; what ends it does not.
func (c *Call) outOfMemory(spec *Spec) bool {
	c.short = c.Env.Eviction.makeRoom() == none
	return c.short && (c.anyFlag(spec, DenyOOM) || c.tx.open && !spec.AtOnce)
}
