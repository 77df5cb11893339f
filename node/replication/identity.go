package replication

import (
	"strconv"
	"strings"

	"zset.dev/operator/node/replog"
)

// Identity is what nodes of this kind tell each other about whose log it is they have. A replica asks for it before it asks for
// the log, with an option that other servers refuse and whose refusal it ignores:
//
//	REPLCONF zset-epoch 3 run-id 4f…     the replica's
//	+zset epoch=3 run-id=7a… id=9c… previous=1b… until=4711
//
// and a primary stamps the log with it, in the argument of a PING, which other servers do not read:
//
//	PING "zset epoch=3 run-id=7a…"
type Identity struct {
	Epoch   int64
	RunID   string         // of the process that was primary when the log's end was written
	History replog.History // not in a stamp
}

const identityWord = "zset "

// Identity is the node's: its own as a primary, that of its primary as a replica.
func (s *State) Identity() Identity {
	id := Identity{Epoch: s.Epoch(), RunID: s.RunID(), History: s.History()}
	if leader := s.leader.Load(); leader != nil {
		id.RunID = *leader
	}
	return id
}

// SetLeader says whose log it is that the node has, by run id; its own when that is empty.
func (s *State) SetLeader(runID string) {
	if runID == "" {
		s.leader.Store(nil)
		return
	}
	s.leader.Store(&runID)
}

// Answer is the status that answers a replica.
func (id Identity) Answer() string {
	text := id.Stamp() + " id=" + id.History.ID
	if id.History.Previous != "" {
		text += " previous=" + id.History.Previous + " until=" + strconv.FormatInt(id.History.Until, 10)
	}
	return text
}

// Stamp is the argument of the PING.
func (id Identity) Stamp() string {
	return identityWord + "epoch=" + strconv.FormatInt(id.Epoch, 10) + " run-id=" + id.RunID
}

// ParseIdentity reads an answer or a stamp. It is neither unless ok: nodes that are none of this kind say other things.
func ParseIdentity(text string) (id Identity, ok bool) {
	rest, ok := strings.CutPrefix(text, identityWord)
	if !ok {
		return Identity{}, false
	}
	id.Epoch = -1
	for word := range strings.FieldsSeq(rest) {
		name, value, _ := strings.Cut(word, "=")
		number, err := strconv.ParseInt(value, 10, 64)
		switch {
		case name == "epoch" && err == nil:
			id.Epoch = number
		case name == "run-id":
			id.RunID = value
		case name == "id":
			id.History.ID = value
		case name == "previous":
			id.History.Previous = value
		case name == "until" && err == nil:
			id.History.Until = number
		}
	}
	return id, id.Epoch >= 0 && id.RunID != ""
}
