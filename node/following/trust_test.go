package following

import (
	"strings"
	"testing"

	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/replog"
)

func TestJudge(t *testing.T) {
	at := replica.Position{ID: "history", Offset: 100}
	had := replog.History{ID: "next", Previous: "history", Until: 100}
	less := replog.History{ID: "next", Previous: "history", Until: 99}
	other := replog.History{ID: "other"}
	for _, tt := range []struct {
		name    string
		known   known
		primary replication.Identity
		foreign bool
		says    string // empty: followed
	}{
		{"a foreign primary", known{epoch: 7, leader: "a", position: at}, replication.Identity{}, true, ""},
		{"the first primary of a new node", known{}, replication.Identity{Epoch: 0, RunID: "a", History: other}, false, ""},
		{"a primary of a later epoch", known{epoch: 1, leader: "a", position: at}, replication.Identity{Epoch: 2, RunID: "b", History: other}, false, ""},
		{"a primary of an earlier epoch", known{epoch: 2}, replication.Identity{Epoch: 1, RunID: "a", History: had}, false, "stale: it is of epoch 1, and this node has seen epoch 2"},
		{"the same primary again", known{epoch: 1, leader: "a", position: at}, replication.Identity{Epoch: 1, RunID: "a", History: other}, false, ""},
		{"the same primary, restarted with all it had", known{epoch: 1, leader: "a", position: at}, replication.Identity{Epoch: 1, RunID: "b", History: had}, false, ""},
		{"the same primary, restarted with less", known{epoch: 1, leader: "a", position: at}, replication.Identity{Epoch: 1, RunID: "b", History: less}, false, "rewound: in epoch 1 this node has followed run a up to offset 99"},
		{"the same primary, restarted empty", known{epoch: 0, leader: "a", position: at}, replication.Identity{Epoch: 0, RunID: "b", History: other}, false, "REPLICAOF NO ONE"},
		{"a replica of the same primary", known{epoch: 1, leader: "a", position: at}, replication.Identity{Epoch: 1, RunID: "a", History: replog.History{ID: "history"}}, false, ""},
		{"a stale one that was meant", known{epoch: 5, leader: "a", position: at, forgive: true}, replication.Identity{Epoch: 1, RunID: "b", History: other}, false, ""},
		{"the holder of the record, which has less", known{epoch: 5, leader: "a", position: at, holder: &Holder{RunID: "b", Epoch: 5}}, replication.Identity{Epoch: 5, RunID: "b", History: other}, false, ""},
		{"the holder, in a later epoch", known{epoch: 4, holder: &Holder{RunID: "b", Epoch: 5}}, replication.Identity{Epoch: 6, RunID: "b"}, false, ""},
		{"the holder of a record that somebody wrote anew", known{epoch: 9, holder: &Holder{RunID: "b", Epoch: 2}}, replication.Identity{Epoch: 2, RunID: "b"}, false, ""},
		{"the holder before it is primary", known{holder: &Holder{RunID: "b", Epoch: 5}}, replication.Identity{Epoch: 4, RunID: "b"}, false, "it is not primary in epoch 5 yet, but was in 4"},
		{"an empty process in the holder's place", known{holder: &Holder{RunID: "b", Epoch: 5}}, replication.Identity{Epoch: 7, RunID: "c"}, false, "not the holder"},
		{"a foreign server in the holder's place", known{holder: &Holder{RunID: "b", Epoch: 5}}, replication.Identity{}, true, "not the holder"},
		{"a node that had followed nobody", known{epoch: 1, position: at}, replication.Identity{Epoch: 1, RunID: "b", History: other}, false, ""},
	} {
		err := tt.known.judge(tt.primary, !tt.foreign)
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.says)
		}
	}
}

func TestJudgeStamp(t *testing.T) {
	for stamp, refused := range map[int64]bool{1: true, 2: false, 3: false} {
		if err := judgeStamp(2, replication.Identity{Epoch: stamp}); (err != nil) != refused {
			t.Errorf("epoch %d after 2: %v", stamp, err)
		}
	}
}
