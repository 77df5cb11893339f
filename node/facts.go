package node

import (
	"math"
	"net"
	"os"
	"runtime/debug"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
	"zset.dev/operator/node/pubsub"
	"zset.dev/operator/node/telemetry"
)

// usedMemory is what maxmemory limits: the keys with what they hold, the
// clients' buffers, and what is remembered of the keys clients have read.
func (s *Server) usedMemory() int64 {
	return s.keyspace.Used() + s.buffers.Load() + s.env.Tracking.Bytes()
}

// lastingMemory is usedMemory, and what the process takes too much, without what clients' buffers grew by since the
// sweep's last look. Most of that is gone in a moment, and to evict a key makes
// messages of its own, which must not make others go.
func (s *Server) lastingMemory() int64 {
	return s.usedMemory() + s.strain.Load() - max(s.buffers.Load()-s.lasting.Load(), 0)
}

// facts takes one reading of everything INFO and the metrics print.
func (s *Server) facts() telemetry.Facts {
	s.notePeak()
	values := s.config.Values()
	f := telemetry.Facts{
		Version: s.options.Version, ServerVersion: command.ServerVersion, RunID: s.runID,
		Executable: telemetry.Executable(), ConfigFile: s.options.ConfigFile, ProcessID: os.Getpid(),
		Started: s.started, Now: s.now(), Zone: values.AvailabilityZone,
		MaxClients: values.MaxClients,
		Used:       s.usedMemory(), Dataset: s.keyspace.Used() - s.keyspace.Tables(), Tables: s.keyspace.Tables(), Peak: s.peak.Load(),
		Limit: values.MaxMemory.Bytes, Policy: values.MaxMemoryPolicy,
		Keys: s.keyspace.Len(), Expiring: s.keyspace.Expiring(), Expired: s.keyspace.Expired(), Evicted: s.keyspace.Evictions(),
		Ready: s.notReady() == "", Stats: s.stats,
	}
	// Of a node without a plain port it is that of TLS, as in real servers.
	for _, address := range []net.Addr{s.TLSAddr(), s.Addr()} {
		if address != nil {
			f.Port = address.(*net.TCPAddr).Port
		}
	}
	if s.secure != nil {
		now := s.secure.Status()
		f.TLS = &telemetry.TLS{
			Serial: now.Serial, Expires: now.Expires, CASerial: now.CASerial, CAExpires: now.CAExpires,
			Reloads: now.Reloads, ReloadFailure: now.Failure,
		}
	}
	if limit := debug.SetMemoryLimit(-1); limit != math.MaxInt64 {
		f.SoftLimit = limit
	}
	f.Container = containerLimit()
	s.followingFacts(&f)
	s.shardFacts(&f)
	f.OffHeapInUse, f.OffHeapMapped = s.keyspace.OffHeap()
	f.Defragging, f.DefragHits, f.DefragMisses = s.keyspace.Defragmented()
	f.Reclaiming, f.Reclaimed = s.keyspace.Reclaimed()
	f.CurrentExceeded, f.TotalExceeded = s.env.Eviction.Exceeded()
	for _, p := range values.LatencyPercentiles {
		f.Percentiles = append(f.Percentiles, telemetry.Percentile(p))
	}
	f.Pause, f.PauseAll = s.env.Pause.Left(time.Now())
	f.Scripts = telemetry.Scripts(s.env.Scripts.Kept())
	tracked := s.env.Tracking.Counts()
	f.Channels, f.Patterns, f.ShardChannels = s.env.Hub.Len(pubsub.Channel), s.env.Hub.Len(pubsub.Pattern), s.env.Hub.Len(pubsub.Shard)
	f.Tracking, f.TrackedKeys, f.TrackedItems, f.TrackedPrefixes = tracked.Clients, tracked.Keys, tracked.Items, tracked.Prefixes
	f.WatchedKeys, f.AwaitedKeys = s.keyspace.Watched(), s.keyspace.Awaited()
	s.clients.Each(func(cl *client.Client) {
		if cl.Is(client.Blocked | client.Postponed) {
			f.Blocked++
		}
		if cl.Class() == client.PubSub {
			f.Subscribed++
		}
		if cl.Watching.Load() > 0 {
			f.Watching++
		}
		query, reply := cl.QueryCap.Load(), cl.ReplyCap.Load()
		f.Connected++
		f.QueryBytes += query
		f.ReplyBytes += reply
		f.LargestQuery = max(f.LargestQuery, query)
		f.LargestReply = max(f.LargestReply, reply)
	})
	f.Replication = s.replicationFacts()
	f.Persistence = s.store.Status()
	f.ReadProcess()
	return f
}
