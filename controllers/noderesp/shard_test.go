package noderesp

import (
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseShard(t *testing.T) {
	for _, test := range []struct {
		name, text string
		want       Shard
	}{
		{"a primary", "# Replication\r\nrole:master\r\nmaster_link_status:up\r\nmaster_sync_in_progress:0\r\n\r\n# Shard\r\nshard:board-s0\r\n" +
			"shard_identity:board-s0-1/u-1/r-1\r\nshard_role:primary\r\nshard_epoch:7\r\nshard_holder:board-s0-1/u-1/r-1\r\n" +
			"shard_electors:board-s0-0/u-0/r-0,board-s0-1/u-1/r-1\r\nshard_fenced:0\r\nshard_waits:\r\nshard_in_sync:1\r\n" +
			"shard_position_epoch:7\r\nshard_offset:1234\r\nshard_handover:waiting\r\n",
			Shard{Name: "board-s0", Identity: "board-s0-1/u-1/r-1", Role: "primary", Epoch: 7, Holder: "board-s0-1/u-1/r-1",
				InSync: true, PositionEpoch: 7, Offset: 1234, Handover: "waiting"}},
		{"a replica that gets a copy", "master_link_status:down\r\nmaster_sync_in_progress:1\r\nshard:board-s0\r\nshard_role:replica\r\nshard_fenced:1\r\n" +
			"shard_waits:board-s0-1 holds the record: it is alive\r\n",
			Shard{Name: "board-s0", Role: "replica", Fenced: true, Waits: "board-s0-1 holds the record: it is alive", Syncing: true, Unlinked: true}},
		{"a node of no shard", "# Replication\r\nrole:master\r\n", Shard{}},
		{"nonsense", "shard_epoch:much\r\nshard\r\n:\r\n\r\n", Shard{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, parseShard(test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// A node without replicas refuses to hand over, in the words of the protocol.
func TestFailoverRefused(t *testing.T) {
	host, text, err := net.SplitHostPort(startNode(t))
	if err != nil {
		t.Fatal(err)
	}
	port, _ := strconv.Atoi(text)
	node, err := DialRESP(t.Context(), net.JoinHostPort(host, text))
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	err = node.Failover(t.Context(), host, port, time.Second)
	if refusal := new(Refusal); !errors.As(err, &refusal) || refusal.Reply != "ERR FAILOVER requires connected replicas." {
		t.Errorf("%v", err)
	}
	if s, err := node.Shard(t.Context()); err != nil || s.Name != "" {
		t.Errorf("a node of no shard says %+v, %v", s, err)
	}
}
