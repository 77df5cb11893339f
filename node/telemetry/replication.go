package telemetry

import (
	"fmt"
	"io"
	"strings"
)

// Replication is who follows this node, and what log it has for them. Offsets are of the last byte, as the protocol
// tells them.
type Replication struct {
	Role        string // master or slave, as the protocol calls them
	ID          string // of the log's history
	PreviousID  string // of the one before it; empty when there is none
	PreviousEnd int64  // the first offset that one does not have; -1 when there is none
	Offset      int64

	Backlog      bool // there is a log
	BacklogSize  int64
	BacklogFirst int64 // the offset of its first byte
	BacklogBytes int64 // that can be read again
	BacklogTakes int64 // memory

	Replicas []Replica

	MinReplicas  int // good ones that writes need; 0 when that does not matter
	GoodReplicas int

	MinSyncReplicas int      // that must be in sync for writes; 0 = replies do not wait
	InSync          []string // names of processes

	Waiting, Sending   int   // replicas that wait for all data, and that get them
	SentKeys, SentByte int64 // what the latter have got so far
}

// Replica is one that follows this node.
type Replica struct {
	Host   string
	Port   int
	State  string
	Offset int64 // of the last byte that it confirmed
	Behind int64 // bytes
	Lag    int64 // seconds since it was heard of
}

func writeReplication(w io.Writer, f *Facts) {
	r := &f.Replication
	if f.Following != nil {
		writeFollowing(w, f)
	} else {
		line(w, "role", r.Role)
	}
	line(w, "connected_slaves", len(r.Replicas))
	if r.MinReplicas > 0 {
		line(w, "min_slaves_good_slaves", r.GoodReplicas)
	}
	for i, s := range r.Replicas {
		line(w, fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=%d,type=replica", s.Host, s.Port, s.State, s.Offset, s.Lag))
	}
	line(w, "master_failover_state", f.Handover)
	line(w, "master_replid", r.ID)
	previous := r.PreviousID
	if previous == "" {
		previous = strings.Repeat("0", 40)
	}
	line(w, "master_replid2", previous)
	line(w, "master_repl_offset", r.Offset)
	line(w, "second_repl_offset", r.PreviousEnd)
	line(w, "repl_backlog_active", flag(r.Backlog))
	line(w, "repl_backlog_size", r.BacklogSize)
	line(w, "repl_backlog_first_byte_offset", r.BacklogFirst)
	line(w, "repl_backlog_histlen", r.BacklogBytes)
	line(w, "min_sync_replicas", r.MinSyncReplicas)
	line(w, "sync_replicas", len(r.InSync))
	line(w, "in_sync", strings.Join(r.InSync, ","))
	line(w, "full_syncs_waiting", r.Waiting)
	line(w, "full_syncs_running", r.Sending)
	line(w, "full_syncs_keys_sent", r.SentKeys)
	line(w, "full_syncs_bytes_sent", r.SentByte)
}

// replicationMetrics are those of who follows this node.
var replicationMetrics = []metric{
	gauge("replication_primary", "1 on a primary, 0 on a replica.", func(f *Facts) float64 {
		if f.Replication.Role == "master" {
			return 1
		}
		return 0
	}),
	gauge("replication_offset_bytes", "Offset of the log's last byte.", func(f *Facts) float64 { return float64(f.Replication.Offset) }),
	gauge("replication_backlog_bytes", "Bytes of the log that replicas can still get.", func(f *Facts) float64 { return float64(f.Replication.BacklogBytes) }),
	gauge("replication_log_memory_bytes", "Memory of the log.", func(f *Facts) float64 { return float64(f.Replication.BacklogTakes) }),
	gauge("replicas_connected", "Replicas that follow this node.", func(f *Facts) float64 { return float64(len(f.Replication.Replicas)) }),
	gauge("replicas_online", "Replicas that have all data and get the log.", func(f *Facts) float64 {
		n := 0
		for _, r := range f.Replication.Replicas {
			if r.State == "online" {
				n++
			}
		}
		return float64(n)
	}),
	gauge("replicas_behind_bytes", "Bytes of the log that the slowest replica has not confirmed.", func(f *Facts) float64 {
		most := int64(0)
		for _, r := range f.Replication.Replicas {
			most = max(most, r.Behind)
		}
		return float64(most)
	}),
	gauge("replicas_silent_seconds", "Seconds since the most silent replica was heard of.", func(f *Facts) float64 {
		most := int64(0)
		for _, r := range f.Replication.Replicas {
			most = max(most, r.Lag)
		}
		return float64(most)
	}),
	gauge("replicas_in_sync", "Replicas that have every write that was acknowledged, if any are waited for.", func(f *Facts) float64 { return float64(len(f.Replication.InSync)) }),
	gauge("replicas_in_sync_least", "min-sync-replicas: fewer, and writes are refused.", func(f *Facts) float64 { return float64(f.Replication.MinSyncReplicas) }),
	gauge("full_syncs_running", "Replicas that are being sent all data.", func(f *Facts) float64 { return float64(f.Replication.Sending) }),
	gauge("full_syncs_waiting", "Replicas that wait for that.", func(f *Facts) float64 { return float64(f.Replication.Waiting) }),
	counter("full_syncs_total", "Replicas that were sent all data.", func(f *Facts) float64 { return float64(f.Stats.FullSyncs.Load()) }),
	counter("partial_syncs_total", "Replicas that went on where they were.", func(f *Facts) float64 { return float64(f.Stats.PartialSyncs.Load()) }),
	counter("partial_syncs_failed_total", "Replicas that wanted to and could not.", func(f *Facts) float64 { return float64(f.Stats.PartialSyncsFailed.Load()) }),
	counter("replicas_too_slow_total", "Replicas closed since they were too far behind.", func(f *Facts) float64 { return float64(f.Stats.ReplicasTooSlow.Load()) }),
	counter("replication_output_bytes_total", "Bytes sent to replicas.", func(f *Facts) float64 { return float64(f.Stats.ReplicaBytesOut.Load()) }),
}
