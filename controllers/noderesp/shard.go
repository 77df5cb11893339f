package noderesp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Shard is what a node says of itself as one of a shard: the section Shard of its INFO, and what of the section Replication
// goes with it. What a node does not say is zero.
type Shard struct {
	Name     string // of the shard; empty for a node that belongs to none
	Identity string // pod/uid/run of this process
	Role     string // primary, replica or standby
	Epoch    int64  // the greatest it knows of
	Holder   string // identity of whom it takes for the holder of the Lease
	Fenced   bool   // it takes no writes, although it may hold the Lease
	Waits    string // why it is not primary, or takes no writes
	InSync   bool   // it has all that was acknowledged, by its own account
	Handover string // none, waiting or releasing

	PositionEpoch, Offset int64 // how far its data reach: the epoch of the last byte, and its offset in the log
	Syncing               bool  // its data are just being replaced by a whole copy
	Unlinked              bool  // it should follow a primary, and is not connected to it
}

// HandoverNone is Shard's Handover of a node that hands over to nobody.
const HandoverNone = "none"

// parseShard reads the text of INFO. Lines it does not know are passed over.
func parseShard(text string) (s Shard) {
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		if !ok {
			continue
		}
		number, _ := strconv.ParseInt(value, 10, 64) // what is no number is said by no node, and is 0
		switch name {
		case "shard":
			s.Name = value
		case "shard_identity":
			s.Identity = value
		case "shard_role":
			s.Role = value
		case "shard_epoch":
			s.Epoch = number
		case "shard_holder":
			s.Holder = value
		case "shard_fenced":
			s.Fenced = value == "1"
		case "shard_waits":
			s.Waits = value
		case "shard_in_sync":
			s.InSync = value == "1"
		case "shard_handover":
			s.Handover = value
		case "shard_position_epoch":
			s.PositionEpoch = number
		case "shard_offset":
			s.Offset = number
		case "master_sync_in_progress":
			s.Syncing = value == "1"
		case "master_link_status":
			s.Unlinked = value == "down"
		}
	}
	return s
}

func (c *conn) Shard(ctx context.Context) (Shard, error) {
	cmd := redis.NewStringCmd(ctx, "INFO", "shard", "replication")
	if err := c.client.Process(ctx, cmd); err != nil {
		return Shard{}, fmt.Errorf("INFO: %w", classify(err))
	}
	return parseShard(cmd.Val()), nil
}

func (c *conn) Failover(ctx context.Context, host string, port int, timeout time.Duration) error {
	if err := c.client.Do(ctx, "FAILOVER", "TO", host, port, "TIMEOUT", timeout.Milliseconds()).Err(); err != nil {
		return fmt.Errorf("FAILOVER: %w", classify(err))
	}
	return nil
}
