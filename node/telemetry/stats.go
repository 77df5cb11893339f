package telemetry

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Stats is the node's counters. All may be changed and read by any goroutine.
// CONFIG RESETSTAT sets them back to zero, all but Changes.
type Stats struct {
	// What each pipeline counts is on one cache line, as processors take it
	// from each other.
	CommandsProcessed atomic.Int64
	Hits              atomic.Int64
	Misses            atomic.Int64
	BytesIn           atomic.Int64
	BytesOut          atomic.Int64
	Reads             atomic.Int64 // reads from sockets
	Writes            atomic.Int64 // writes to sockets
	Changes           atomic.Int64 // write commands that were executed, ever
	_                 [64]byte     // keeps it off what is only read

	ConnectionsAccepted atomic.Int64
	ConnectionsRejected atomic.Int64 // turned away by maxclients or protected mode
	OutputLimitClosed   atomic.Int64 // closed because a reply was too large or not read
	QueryLimitClosed    atomic.Int64 // closed because a query was too large
	IdleClosed          atomic.Int64
	ProtocolErrors      atomic.Int64
	AuthFailures        atomic.Int64
	HandshakesFailed    atomic.Int64 // of TLS
	FullSyncs           atomic.Int64 // replicas that got all data
	PartialSyncs        atomic.Int64 // replicas that went on where they were
	PartialSyncsFailed  atomic.Int64 // replicas that wanted to and could not
	ReplicaBytesOut     atomic.Int64 // sent to replicas
	ReplicasTooSlow     atomic.Int64 // closed since they were too far behind
	CommandsDenied      atomic.Int64 // to users who may not run them
	KeysDenied          atomic.Int64
	ChannelsDenied      atomic.Int64
	DatabasesDenied     atomic.Int64
	ExpiredBase         atomic.Int64 // what Expired counted at the last reset
	EvictedBase         atomic.Int64 // likewise
	ClientsEvicted      atomic.Int64 // closed to free memory

	Slow      SlowLog
	Latencies Latencies

	commands []CommandStat // one each, by the table's numbers; the slice is fixed

	mu     sync.Mutex
	errors map[string]int64 // by code; guarded by mu
	ops    rate             // guarded by mu
	in     rate             // guarded by mu
	out    rate             // guarded by mu
}

// CommandStat is what was seen of one command.
type CommandStat struct {
	Name     string // fixed
	Calls    atomic.Int64
	Nanos    atomic.Int64 // time spent in calls
	Rejected atomic.Int64 // refused before they ran
	Failed   atomic.Int64 // ran and answered an error

	times atomic.Pointer[Histogram] // nil until the first call is tracked

	_ [8]byte // makes it a cache line
}

// Times is how long the command took; nil when that was never tracked.
func (c *CommandStat) Times() *Histogram { return c.times.Load() }

// Track counts calls that took a time each.
func (c *CommandStat) Track(took time.Duration, calls int64) {
	h := c.times.Load()
	if h == nil {
		// Of two that come at once, one finds the other's.
		c.times.CompareAndSwap(nil, &Histogram{})
		if h = c.times.Load(); h == nil {
			return // a reset came between
		}
	}
	h.Add(took, calls)
}

// errorKinds bounds the table of error codes, which would otherwise grow with
// whatever codes scripts make up. The node's own codes are few, and always
// counted.
const errorKinds = 128

// errorOverflow stands for the codes beyond errorKinds.
const errorOverflow = "ERRORSTATS_OVERFLOW"

// NewStats makes counters for the commands named, numbered in that order.
func NewStats(commands []string) *Stats {
	s := &Stats{commands: make([]CommandStat, len(commands)), errors: map[string]int64{}}
	for i, name := range commands {
		s.commands[i].Name = name
	}
	return s
}

// Command is the counters of command number i.
func (s *Stats) Command(i int) *CommandStat { return &s.commands[i] }

// Commands is the counters of all commands, in the order of their names.
func (s *Stats) Commands() []*CommandStat {
	all := make([]*CommandStat, len(s.commands))
	for i := range s.commands {
		all[i] = &s.commands[i]
	}
	slices.SortFunc(all, func(a, b *CommandStat) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Error counts an error reply, given its text without the leading minus.
// Those of scripts, which may have any code, count by the overflow code once
// there are errorKinds of them.
func (s *Stats) Error(text []byte, ofScript bool) {
	code := text
	if i := bytes.IndexAny(text, " \r\n"); i >= 0 {
		code = text[:i]
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.errors[string(code)]; ofScript && !known && len(s.errors) >= errorKinds {
		s.errors[errorOverflow]++
		return
	}
	s.errors[string(code)]++
}

// ErrorCount is how often one code was answered.
type ErrorCount struct {
	Code  string
	Count int64
}

// Errors is the count of each code, in the order of the codes.
func (s *Stats) Errors() []ErrorCount {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]ErrorCount, 0, len(s.errors))
	for code, n := range s.errors {
		all = append(all, ErrorCount{code, n})
	}
	slices.SortFunc(all, func(a, b ErrorCount) int { return strings.Compare(a.Code, b.Code) })
	return all
}

// Reset sets every counter back; expired and evicted are what the keyspace
// counts now.
func (s *Stats) Reset(expired, evicted int64) {
	for _, n := range []*atomic.Int64{
		&s.ConnectionsAccepted, &s.ConnectionsRejected, &s.OutputLimitClosed, &s.QueryLimitClosed, &s.IdleClosed, &s.ProtocolErrors,
		&s.CommandsProcessed, &s.BytesIn, &s.BytesOut, &s.Hits, &s.Misses, &s.AuthFailures, &s.HandshakesFailed, &s.CommandsDenied,
		&s.KeysDenied, &s.ChannelsDenied, &s.DatabasesDenied, &s.Reads, &s.Writes, &s.ClientsEvicted, &s.FullSyncs, &s.PartialSyncs, &s.PartialSyncsFailed, &s.ReplicaBytesOut, &s.ReplicasTooSlow,
	} {
		n.Store(0)
	}
	s.ExpiredBase.Store(expired)
	s.EvictedBase.Store(evicted)
	for i := range s.commands {
		c := &s.commands[i]
		c.Calls.Store(0)
		c.Nanos.Store(0)
		c.Rejected.Store(0)
		c.Failed.Store(0)
		c.times.Store(nil)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.errors)
	s.ops, s.in, s.out = rate{}, rate{}, rate{}
}

// Tick takes a reading for the rates INFO prints; call it a few times a second.
func (s *Stats) Tick(now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ops.tick(now, s.CommandsProcessed.Load())
	s.in.tick(now, s.BytesIn.Load())
	s.out.tick(now, s.BytesOut.Load())
}

// Rates is the recent commands, bytes in and bytes out per second.
func (s *Stats) Rates() (ops, in, out float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ops.mean(), s.in.mean(), s.out.mean()
}

// rate is the mean of the last few readings of a growing counter.
type rate struct {
	at     time.Time
	value  int64
	perSec [16]float64
	next   int
}

func (r *rate) tick(now time.Time, value int64) {
	if elapsed := now.Sub(r.at).Seconds(); !r.at.IsZero() && elapsed > 0 {
		r.perSec[r.next] = float64(value-r.value) / elapsed
		r.next = (r.next + 1) % len(r.perSec)
	}
	r.at, r.value = now, value
}

func (r *rate) mean() float64 {
	sum := 0.0
	for _, v := range r.perSec {
		sum += v
	}
	return sum / float64(len(r.perSec))
}
