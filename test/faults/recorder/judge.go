package recorder

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// Verdict is what a judge finds. All but the first and last two lines are faults of the server: but whoever promises less may lose.
type Verdict struct {
	Acknowledged, Doubted, Refused int

	Lost         int       // acknowledged, and neither there nor superseded
	OldestLost   time.Time // when the first of them was acknowledged
	Reordered    int       // of Lost, those that are older than a write of the same writer that is there
	Phantoms     int       // members with a score that was never sent, or that nobody wrote
	RefusedThere int       // members with a score whose write was refused
	Torn         int       // transactions that are there in part
	Wrong        int       // replies that were not what the command promises

	DoubtedThere int      // of Doubted, those that are there
	Examples     []string // of faults, the first few
}

// Faultless reports whether the server kept everything.
func (v Verdict) Faultless() bool { return v.Lost == 0 && v.Consistent() }

// Consistent reports whether the server did nothing worse than to lose its last writes.
func (v Verdict) Consistent() bool {
	return v.Reordered == 0 && v.Phantoms == 0 && v.RefusedThere == 0 && v.Torn == 0 && v.Wrong == 0
}

// LostSince is for how long before a moment acknowledged writes were lost; 0 when none was.
func (v Verdict) LostSince(at time.Time) time.Duration {
	if v.Lost == 0 {
		return 0
	}
	return max(0, at.Sub(v.OldestLost))
}

func (v Verdict) String() string {
	text := fmt.Sprintf("%d acknowledged, %d lost; %d in doubt, of which %d are there; %d refused", v.Acknowledged, v.Lost, v.Doubted, v.DoubtedThere, v.Refused)
	for _, fault := range []struct {
		n    int
		name string
	}{{v.Reordered, "reordered"}, {v.Phantoms, "phantoms"}, {v.RefusedThere, "there though refused"}, {v.Torn, "torn transactions"}, {v.Wrong, "wrong replies"}} {
		if fault.n > 0 {
			text += fmt.Sprintf("; %d %s", fault.n, fault.name)
		}
	}
	if len(v.Examples) > 0 {
		text += "\n  " + strings.Join(v.Examples, "\n  ")
	}
	return text
}

// Add adds another's counts.
func (v *Verdict) Add(u Verdict) {
	v.Acknowledged += u.Acknowledged
	v.Doubted += u.Doubted
	v.Refused += u.Refused
	if u.Lost > 0 && (v.Lost == 0 || u.OldestLost.Before(v.OldestLost)) {
		v.OldestLost = u.OldestLost
	}
	v.Lost += u.Lost
	v.Reordered += u.Reordered
	v.Phantoms += u.Phantoms
	v.RefusedThere += u.RefusedThere
	v.Torn += u.Torn
	v.Wrong += u.Wrong
	v.DoubtedThere += u.DoubtedThere
	for _, e := range u.Examples {
		v.example("%s", e)
	}
}

func (v *Verdict) example(format string, args ...any) {
	if len(v.Examples) < mostTold {
		v.Examples = append(v.Examples, fmt.Sprintf(format, args...))
	}
}

// Contents are scores by key and member.
type Contents map[string]map[string]float64

// Read reads what a server holds of the recorder's keys.
func (r *Recorder) Read(ctx context.Context, client redis.UniversalClient) (Contents, error) {
	held := Contents{}
	for writer := range r.options.Writers {
		for k := range r.options.Keys {
			key := fmt.Sprintf("%s:%d:%d", r.options.Prefix, writer, k)
			members, err := client.ZRangeWithScores(ctx, key, 0, -1).Result()
			if err != nil {
				return nil, fmt.Errorf("reading %s: %w", key, err)
			}
			held[key] = make(map[string]float64, len(members))
			for _, z := range members {
				held[key][z.Member.(string)] = z.Score
			}
		}
	}
	return held, nil
}

// Judge reads what a server holds and says what it did with what it promised. Call it after Stop.
func (r *Recorder) Judge(ctx context.Context, client redis.UniversalClient) (Verdict, error) {
	held, err := r.Read(ctx, client)
	if err != nil {
		return Verdict{}, err
	}
	return r.Weigh(held), nil
}

// Weigh is Judge for what was read before.
func (r *Recorder) Weigh(held Contents) Verdict {
	v := Verdict{Wrong: len(r.wrong), Examples: slices.Clone(r.wrong)}
	for _, h := range r.histories {
		h.judge(held, &v)
	}
	return v
}

// judge adds to a verdict what a server holds of a writer's members.
func (h *history) judge(held Contents, v *Verdict) {
	for _, o := range h.outcomes {
		switch {
		case o.acknowledged():
			v.Acknowledged++
		case o == doubted:
			v.Doubted++
		case o == refused:
			v.Refused++
		}
	}
	var lost []int64
	seen := make([]int64, len(h.outcomes)) // by write: which write's state its member is in; 0 is none
	newest := int64(0)                     // the newest write that is there
	known := map[string]map[string]bool{}
	for i := range h.members {
		m := &h.members[i]
		score, there := held[m.key][m.name]
		if known[m.key] == nil {
			known[m.key] = map[string]bool{}
		}
		known[m.key][m.name] = true
		at, found := h.find(m, score, there)
		if !found {
			if n := int64(score); float64(n) == score && m.wrote(n, h.slots) && h.outcomes[n] == refused {
				v.RefusedThere++
				v.example("%s %s has the score %v, of a write that was refused", m.key, m.name, score)
			} else {
				v.Phantoms++
				v.example("%s %s has the score %v, which was never sent", m.key, m.name, score)
			}
			continue
		}
		if there {
			newest = max(newest, at)
		}
		for n := m.first; n > 0 && n <= m.last; n += h.slots {
			seen[n] = at
			if n > at && h.outcomes[n].acknowledged() {
				lost = append(lost, n)
				v.example("writer %d: write %d, acknowledged at %s, is lost: %s %s is as after write %d", h.number, n, h.outcomes[n].at().Format("05.000"), m.key, m.name, at)
			}
		}
		if at > 0 && h.outcomes[at] == doubted {
			v.DoubtedThere++
		}
	}
	for _, n := range lost {
		if at := h.outcomes[n].at(); v.Lost == 0 || at.Before(v.OldestLost) {
			v.OldestLost = at
		}
		v.Lost++
		if n < newest {
			v.Reordered++
			v.example("writer %d: write %d is lost, and write %d after it is there", h.number, n, newest)
		}
	}
	for k := range h.keys {
		key := fmt.Sprintf("%s:%d:%d", h.prefix, h.number, k)
		for name, score := range held[key] {
			if !known[key][name] {
				v.Phantoms++
				v.example("%s %s, score %v: nobody wrote that member", key, name, score)
			}
		}
	}
	if h.transaction {
		h.tear(seen, v)
	}
}

// wrote reports whether a member was written by the nth write.
func (m *member) wrote(n, slots int64) bool {
	return m.first > 0 && n >= m.first && n <= m.last && (n-m.first)%slots == 0
}

// find gives the newest write that leaves the member in a state, 0 for that before the first.
func (h *history) find(m *member, score float64, there bool) (n int64, found bool) {
	for n := m.last; n >= m.first && n > 0; n -= h.slots {
		if o := h.outcomes[n]; o == refused || o == unsent {
			continue
		}
		if gone := kindOf(h.seed, n) == remove; gone != there && (gone || score == float64(n)) {
			return n, true
		}
	}
	return 0, !there
}

// tear counts transactions of which some writes are there and some are not.
func (h *history) tear(seen []int64, v *Verdict) {
	for first := int64(1); first+int64(h.batch) <= int64(len(seen)); first += int64(h.batch) {
		in, out := int64(0), int64(0)
		for n := first; n < first+int64(h.batch); n++ {
			switch {
			case kindOf(h.seed, n) == remove || h.outcomes[n] == refused: // says nothing
			case seen[n] == n:
				in = n
			case seen[n] < n:
				out = n
			}
		}
		if in > 0 && out > 0 {
			v.Torn++
			v.example("writer %d: of the transaction of writes %d to %d, %d is there and %d is not", h.number, first, first+int64(h.batch)-1, in, out)
		}
	}
}
