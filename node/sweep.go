package node

import (
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
)

const (
	sweepEvery  = 100 * time.Millisecond
	clientEvery = 5     // sweeps between two looks at the clients
	expireMost  = 20000 // keys removed in one sweep at most: some 10 ms
)

// sweep does what comes round by the clock, until the stop begins.
func (s *Server) sweep() {
	ticker := time.NewTicker(sweepEvery)
	defer ticker.Stop()
	collector := newCollector(s.options.SoftLimit)
	for n := 0; ; n++ {
		select {
		case <-s.stopping:
			return
		case <-ticker.C:
		}
		s.clock.Set()
		if s.env.SweepPaused.Load() {
			continue
		}
		now := s.now()
		s.env.Pause.Look(time.Now())
		s.env.Tracking.Shrink()
		s.expire(now)
		s.lasting.Store(s.buffers.Load())
		s.noteStrain()
		s.env.Eviction.Wake()
		s.env.Replication.Tend()
		s.require()
		s.boundClients()
		s.stats.Tick(now)
		s.notePeak()
		s.limitHeap()
		collector.adjust()
		s.defragment()
		if n%clientEvery == 0 {
			s.sweepClients(now)
		}
	}
}

func (s *Server) notePeak() {
	if used := s.usedMemory(); used > s.peak.Load() {
		s.peak.Store(used)
	}
}

// verdict is why a client has to go.
type verdict uint8

const (
	keep verdict = iota
	idle
	stuck
)

// judge decides about a client by when it last sent something, since when a
// write to it makes no progress and since when its replies are above the soft
// limit (0: not at present), all in Unix milliseconds.
func judge(now, active, writing, overSoft int64, timeout, stall, softFor time.Duration) verdict {
	since := func(then int64) time.Duration { return time.Duration(now-then) * time.Millisecond }
	switch {
	case writing != 0 && since(writing) > stall,
		overSoft != 0 && softFor > 0 && since(overSoft) > softFor:
		return stuck
	case timeout > 0 && writing == 0 && since(active) > timeout:
		return idle
	}
	return keep
}

func (s *Server) sweepClients(now time.Time) {
	values := s.config.Values()
	s.clients.Each(func(cl *client.Client) {
		timeout := values.Timeout
		if cl.Is(client.Blocked|client.Postponed|client.Following|client.Leading) || cl.Subscriptions() > 0 {
			timeout = 0 // it is silent because it waits, or repl-timeout counts
		}
		softFor := outputLimit(values, cl.Class()).SoftFor
		switch judge(now.UnixMilli(), cl.IdleSince(), cl.WritingSince.Load(), cl.OverSoftSince.Load(), timeout, s.options.WriteStall, softFor) {
		case idle:
			s.stats.IdleClosed.Add(1)
			s.log.Debug("closed an idle client", "client", cl.Addr)
			cl.Close()
		case stuck:
			s.stats.OutputLimitClosed.Add(1)
			s.log.Warn("closed a client that does not read its replies", "client", cl.Addr, "bytes", cl.ReplyUsed.Load())
			cl.Close()
		default:
			if mayShrink(cl, now.UnixMilli()) {
				cl.Wake() // connection.shrink
			}
		}
	})
}

const (
	// shrinkAfter is how long a client is silent before it keeps only small buffers.
	shrinkAfter = 2 * time.Second
	smallBuffer = readStart
)

// mayShrink reports whether a silent client keeps buffers that it does not need.
func mayShrink(cl *client.Client, now int64) bool {
	return now-cl.IdleSince() >= shrinkAfter.Milliseconds() && cl.WritingSince.Load() == 0 && cl.QueryUsed.Load() == 0 &&
		(cl.QueryCap.Load() > smallBuffer || cl.ReplyCap.Load() > smallBuffer)
}

// expire removes keys that are due, and notes when that took long.
func (s *Server) expire(now time.Time) {
	if s.env.ExpiryPaused.Load() {
		return
	}
	began := time.Now()
	s.keyspace.ExpireDue(now.UnixMilli(), expireMost)
	limit := s.config.Values().LatencyMonitorThreshold
	if took := time.Since(began); limit > 0 && took >= time.Duration(limit)*time.Millisecond {
		s.stats.Latencies.Note("expire-cycle", now, took)
	}
}

// defragFor is how long keys are moved together in one sweep.
const defragFor = time.Millisecond

// defragment moves keys together, if so much memory lies between them that it
// pays.
func (s *Server) defragment() {
	values := s.config.Values()
	if !values.Defrag {
		return
	}
	until := time.Now().Add(defragFor)
	s.keyspace.Defragment(keyspace.Fragmentation{Percent: int64(values.DefragPercent), Bytes: values.DefragBytes},
		func() bool { return time.Now().Before(until) })
}
