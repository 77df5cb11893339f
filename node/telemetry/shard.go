package telemetry

import (
	"io"
	"strings"
)

// Shard is a node's part in its shard.
type Shard struct {
	Name, Identity string
	Role           string // primary, replica or standby
	Epoch          int64  // the greatest known
	Holder         string // of the record
	Electors       []string
	Fenced         bool   // it takes no writes
	Waits          string // why it is not primary
	InSync         bool   // it is an elector
	PositionEpoch  int64
	Offset         int64
	Handover       string // none, waiting or releasing

	Renewals, RenewalsFailed int64 // of the record
	Elections                int64 // this node won
}

func writeShard(w io.Writer, f *Facts) {
	s := f.Shard
	if s == nil {
		return
	}
	line(w, "shard", s.Name)
	line(w, "shard_identity", s.Identity)
	line(w, "shard_role", s.Role)
	line(w, "shard_epoch", s.Epoch)
	line(w, "shard_holder", s.Holder)
	line(w, "shard_electors", strings.Join(s.Electors, ","))
	line(w, "shard_fenced", flag(s.Fenced))
	line(w, "shard_waits", s.Waits)
	line(w, "shard_in_sync", flag(s.InSync))
	line(w, "shard_position_epoch", s.PositionEpoch)
	line(w, "shard_offset", s.Offset)
	line(w, "shard_handover", s.Handover)
	line(w, "shard_renewals", s.Renewals)
	line(w, "shard_renewals_failed", s.RenewalsFailed)
	line(w, "shard_elections", s.Elections)
}

// shardMetrics are those of a node of a shard; 0 for others.
var shardMetrics = []metric{
	ofShard("shard_epoch", "The greatest epoch this node knows of; 0 on a node that is none of a shard.", func(s *Shard) float64 { return float64(s.Epoch) }),
	ofShard("shard_primary", "1 while this node holds the shard's Lease.", func(s *Shard) float64 { return float64(flag(s.Role == "primary")) }),
	ofShard("shard_fenced", "1 while this node of a shard takes no writes.", func(s *Shard) float64 { return float64(flag(s.Fenced)) }),
	ofShard("shard_in_sync", "1 while this node may become primary.", func(s *Shard) float64 { return float64(flag(s.InSync)) }),
	ofShard("shard_lease_renewals", "Times the Lease was written.", func(s *Shard) float64 { return float64(s.Renewals) }),
	ofShard("shard_lease_failures", "Times it could not be, or the API did not answer.", func(s *Shard) float64 { return float64(s.RenewalsFailed) }),
	ofShard("shard_elections", "Times this node became primary.", func(s *Shard) float64 { return float64(s.Elections) }),
}

func ofShard(name, help string, value func(*Shard) float64) metric {
	return gauge(name, help, func(f *Facts) float64 {
		if f.Shard == nil {
			return 0
		}
		return value(f.Shard)
	})
}
