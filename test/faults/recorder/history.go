package recorder

import (
	"fmt"
	"time"
)

// kind is what a write says of its member.
type kind uint8

const (
	add       kind = iota // ZADD: its score is the write's number
	increment             // ZINCRBY: the same
	remove                // ZREM: it is gone
)

// kindOf is the kind of a writer's nth write; it follows from the writer's seed.
func kindOf(seed uint64, n int64) kind {
	x := (seed ^ uint64(n)) * 0x9e3779b97f4a7c15
	x ^= x >> 29
	x *= 0xbf58476d1ce4e5b9
	switch x >> 61 {
	case 0:
		return remove
	case 1, 2:
		return increment
	}
	return add
}

// outcome is when a write was acknowledged, in nanoseconds since the epoch, or one of those below.
type outcome int64

const (
	unsent  outcome = 0
	doubted outcome = -1
	refused outcome = -2
)

func (o outcome) acknowledged() bool { return o > 0 }

// history is what one writer did. Its goroutine owns it until that has ended.
type history struct {
	number      int
	seed        uint64
	prefix      string
	keys        int
	slots       int64     // members that are written at a time
	batch       int       // writes that are sent together
	transaction bool      // whether they are one
	outcomes    []outcome // by number; 0 is not used
	members     []member  // of all generations
	current     []int     // by slot: which of members
}

// member is one name in one key. It is written by every write with its slot, from first to last.
type member struct {
	key, name   string
	first, last int64 // writes
}

func newHistory(o Options, number int) *history {
	h := &history{number: number, seed: o.Seed*1_000_003 + uint64(number), prefix: o.Prefix, keys: o.Keys, slots: int64(o.Members),
		batch: o.Pipeline, transaction: number < o.Transactions, outcomes: make([]outcome, 1, 1024), current: make([]int, o.Members)}
	for slot := range h.current {
		h.renew(int64(slot), 0)
	}
	return h
}

// renew gives a slot a member of its own that was never written.
func (h *history) renew(slot int64, generation int64) {
	h.current[slot] = len(h.members)
	h.members = append(h.members, member{
		key:  fmt.Sprintf("%s:%d:%d", h.prefix, h.number, slot%int64(h.keys)),
		name: fmt.Sprintf("m%d.%d", slot, generation)})
}

// next makes the nth write and gives its member.
func (h *history) next() (n int64, m *member) {
	n = int64(len(h.outcomes))
	h.outcomes = append(h.outcomes, unsent)
	m = &h.members[h.current[n%h.slots]]
	if m.first == 0 {
		m.first = n
	}
	m.last = n
	return n, m
}

// settle says what became of a write.
func (h *history) settle(n int64, o outcome) {
	h.outcomes[n] = o
	if o == doubted {
		h.renew(n%h.slots, n)
	}
}

// score is what the member's score is after all that was acknowledged before the nth write; false if it is gone.
func (h *history) score(m *member, n int64) (float64, bool) {
	for n -= h.slots; n >= m.first && m.first > 0; n -= h.slots {
		if h.outcomes[n].acknowledged() {
			return float64(n), kindOf(h.seed, n) != remove
		}
	}
	return 0, false
}

// at is the moment of an acknowledgement.
func (o outcome) at() time.Time { return time.Unix(0, int64(o)) }
