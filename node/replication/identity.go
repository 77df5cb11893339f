package replication

import (
	"strconv"
	"strings"
	"sync"

	"zset.dev/operator/node/replog"
)

// Identity is what nodes of this kind tell each other about whose log it is they have. A replica asks for it before it asks for
// the log, with an option that other servers refuse and whose refusal it ignores:
//
//	REPLCONF zset-epoch 3 run-id 4f…     the replica's
//	+zset epoch=3 run-id=7a… at=2 id=9c… previous=1b… until=4711
//
// and a primary stamps the log with it, in the argument of a PING, which other servers do not read:
//
//	PING "zset epoch=3 run-id=7a…"
//
// It does so with the first thing it writes, the mark of its epoch, and from time to time.
//
// A replica of a primary of another kind says so in its answer, with a last word: foreign.
type Identity struct {
	Foreign bool // the log is not of this kind's making: to do its commands twice is not the same as once
	Epoch   int64
	RunID   string         // of the process that was primary when the log's end was written
	At      int64          // the epoch of the last byte that who says this has: less until the mark of Epoch has come. Not said when it is the same
	History replog.History // not in a stamp
}

const identityWord = "zset "

// Identity is the node's: its own as a primary, that of its primary as a replica.
func (s *State) Identity() Identity {
	id := Identity{Epoch: s.Epoch(), RunID: s.RunID()}
	if leader := s.leader.Load(); leader != nil {
		if id.Foreign = leader.Foreign; !id.Foreign {
			id = *leader
		}
	}
	p := s.now.Load()
	id.History, id.At = p.history, p.marks.at(p.offset())
	return id
}

// SetLeader says whose log it is that the node has from now on, as that one says of itself; nil is its own.
func (s *State) SetLeader(id *Identity) { s.leader.Store(id) }

// Frozen runs f, which saves all keys for somebody who goes on with the log from its end as it is within f. A log of effects
// can be done again to what was saved a little later. A foreign primary's cannot, so nothing of it is applied meanwhile; nor are all
// keys replaced. f must not call Frozen.
func (s *State) Frozen(f func()) {
	s.saving.RLock()
	defer s.saving.RUnlock()
	f()
}

// Dismiss closes those who follow, for that reason: what they get is not what they need.
func (s *State) Dismiss(why string) { s.followers.dropAll(why) }

// Saving is to be held by who does what must not be done while somebody saves (Frozen).
func (s *State) Saving() sync.Locker { return &s.saving }

// Beginning is to be held while what was applied is not in the log yet (keyspace.Keyspace.Beginning).
func (s *State) Beginning() sync.Locker { return s.options.Keyspace.Beginning() }

// Answer is the status that answers a replica.
func (id Identity) Answer() string {
	text := id.Stamp()
	if id.At != id.Epoch {
		text += " at=" + strconv.FormatInt(id.At, 10)
	}
	text += " id=" + id.History.ID
	if id.History.Previous != "" {
		text += " previous=" + id.History.Previous + " until=" + strconv.FormatInt(id.History.Until, 10)
	}
	if id.Foreign {
		text += " foreign"
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
			id.Epoch, id.At = number, number
		case name == "at" && err == nil:
			id.At = number
		case word == "foreign":
			id.Foreign = true
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
