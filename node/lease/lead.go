package lease

import (
	"slices"
	"time"
)

// lead is what the holder of the record does.
func (e *Election) lead(now time.Duration, f Facts) (d Decision) {
	e.joining = f.Close
	if !e.established {
		e.established = !slices.ContainsFunc(e.others(nil), func(id Identity) bool { return !slices.Contains(f.InSync, id) })
	}
	e.deadline = e.limit(f)
	d.AskPromises = now-e.renewed > e.timing.Retry*3/2
	if f.HandOver == nil && e.releasing && e.writing == nil && !e.unknown {
		e.releasing = false // nothing was asked for, or it was refused
	}
	switch {
	case e.writing != nil:
	case e.reread:
		d.Read = e.read(now)
	case f.HandOver != nil:
		// From here on nothing is acknowledged, so that whoever takes the record has all that was.
		e.releasing = true
		if now-e.tried >= e.timing.Retry || e.tried == e.renewed {
			d.Write = e.put(now, e.released(f))
		}
	default:
		r := Record{Epoch: e.term, Holder: e.self, Electors: union(f.InSync, []Identity{e.self})}
		changed := !slices.Equal(r.Electors, e.record.Electors) || e.record.Holder != e.self || e.record.Epoch != e.term
		if now-e.tried >= e.timing.Retry || changed && e.tried == e.renewed {
			d.Write = e.put(now, r)
		}
	}
	return d
}

// released is the record given up.
func (e *Election) released(f Facts) Record {
	electors := union(e.record.Electors, nil)
	if f.HandOver.Leaving {
		electors = e.others(nil)
	}
	return Record{Epoch: e.term, Heir: f.HandOver.Heir, Electors: electors}
}

// limit is when this node must stop acknowledging if nothing more succeeds.
func (e *Election) limit(f Facts) time.Duration {
	if e.renewed == never {
		return never
	}
	// The API is perhaps not there. Only electors may claim before this one's process has provably ended: so it goes
	// on as long as each of them has promised not to.
	beyond := forever
	for _, id := range e.others(nil) {
		p, ok := f.process(id)
		if !ok {
			beyond = never
			break
		}
		beyond = min(beyond, p.Promised)
	}
	if e.timing.Unclean > 0 {
		beyond = min(beyond, e.renewed+e.timing.fraction(e.timing.Unclean))
	}
	return max(e.renewed+e.timing.Deadline, beyond)
}
