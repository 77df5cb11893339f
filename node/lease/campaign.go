package lease

import (
	"fmt"
	"slices"
	"time"
)

// campaign is what a node does that does not hold the record.
func (e *Election) campaign(now time.Duration, f Facts) (d Decision) {
	switch {
	case e.writing != nil:
		d.Waits = "its claim is under way"
		return d
	case !e.known || e.reread:
		d.Waits = "it has not read the record yet"
		d.Read = e.read(now)
		return d
	}
	d.Waits = e.obstacle(now, f)
	if d.Waits != "" {
		d.Read = e.read(now)
		return d
	}
	if e.unknown && now-e.tried < e.timing.Retry {
		d.Waits = "its last claim was not answered"
		return d
	}
	d.Write = e.put(now, Record{
		Epoch: max(e.epoch, f.Position.Epoch) + 1, Holder: e.self, Electors: union(e.supporters(now, f), []Identity{e.self}),
	})
	return d
}

// supporters is who stays an elector when this node claims: those that are there. They hold all that was ever
// acknowledged, and nothing more is before they follow this node or are off the list.
func (e *Election) supporters(now time.Duration, f Facts) (ids []Identity) {
	for _, id := range e.last.Electors {
		if p, ok := f.process(id); ok && id != e.self && p.Whole && f.Fates[id] == MayRun && e.fresh(now, p) {
			ids = append(ids, id)
		}
	}
	return ids
}

// fresh reports whether a peer was heard from of late.
func (e *Election) fresh(now time.Duration, p Peer) bool { return now-p.Heard < 2*e.timing.Retry }

// obstacle is why this node does not claim the record; empty when it does.
func (e *Election) obstacle(now time.Duration, f Facts) string {
	if f.HandOver != nil && f.HandOver.Leaving {
		return "it is about to end"
	}
	if now < e.promised && f.Fates[e.promisedTo] != Replaced {
		return "it promised the primary not to"
	}
	if wait := e.vacant(now, f); wait != "" {
		e.open = never
		return wait
	}
	if e.open == never {
		e.open = now
	}
	if e.last.Lists(e.self) {
		return e.behindElectors(now, f)
	}
	if e.timing.Unclean > 0 && now-max(e.electorAt, e.since) >= e.timing.Unclean {
		if better := e.rank(now, f, func(Peer) bool { return true }); better > 0 {
			return fmt.Sprintf("%d reachable nodes have better copies", better)
		}
		return ""
	}
	for _, id := range e.last.Electors {
		if f.Fates[id] == MayRun {
			return "it is no elector, and " + id.Pod + " is one that may still run"
		}
	}
	return e.behindAll(now, f)
}

// vacant is why the record belongs to somebody still.
func (e *Election) vacant(now time.Duration, f Facts) string {
	r := e.record
	unchanged := now-e.since >= e.timing.Duration
	switch {
	case unchanged:
	case r.Absent() && e.begins(now, f):
	case r.Absent():
		return "there is no record: its holder may be about to write it again"
	case r.Holder == (Identity{}):
		if r.Heir != "" && r.Heir != e.self.Pod {
			return "the record is for " + r.Heir
		}
	case f.Fates[r.Holder] != Replaced:
		return r.Holder.Pod + " holds the record"
	}
	return ""
}

// begins reports whether there has never been a primary: every node that there may be says that it knows of none.
func (e *Election) begins(now time.Duration, f Facts) bool {
	if e.epoch > 0 || f.Position.Epoch > 0 {
		return false
	}
	for pod := range f.Pods {
		if p, ok := f.heard(pod, now-2*e.timing.Retry); !ok || p.Position.Epoch > 0 {
			return false
		}
	}
	return true
}

// behindElectors is whom an elector lets go first: who has a better copy, for a while.
func (e *Election) behindElectors(now time.Duration, f Facts) string {
	if !f.Whole {
		return "its copy is not whole"
	}
	if e.record.Holder == (Identity{}) && e.record.Heir == e.self.Pod {
		return "" // it had everything when it was named, and who named it has stopped writes for it: they wait
	}
	better := e.rank(now, f, func(p Peer) bool { return e.last.Lists(p.ID) })
	if now-e.open < time.Duration(better)*e.timing.Retry {
		return fmt.Sprintf("%d electors have better copies", better)
	}
	return ""
}

// rank is how many peers that were heard from of late have better copies.
func (e *Election) rank(now time.Duration, f Facts, counts func(Peer) bool) (better int) {
	for _, p := range f.Peers {
		if p.Whole && f.Fates[p.ID] == MayRun && e.fresh(now, p) && counts(p) && e.outranks(p, f) {
			better++
		}
	}
	return better
}

// outranks reports whether a peer should claim rather than this node.
func (e *Election) outranks(p Peer, f Facts) bool {
	mine := f.Position
	if !f.Whole {
		mine = Position{}
	}
	return mine.Before(p.Position) || mine == p.Position && p.ID.Pod < e.self.Pod
}

// behindAll is whom a node that is no elector waits for when no elector is left: every copy there may be.
func (e *Election) behindAll(now time.Duration, f Facts) string {
	var pods []string
	for pod := range f.Pods {
		pods = append(pods, pod)
	}
	slices.Sort(pods)
	for _, pod := range pods {
		p, heard := f.heard(pod, now-2*e.timing.Retry)
		switch {
		case heard && p.Whole && e.outranks(p, f):
			return pod + " has a better copy, or the same and comes first"
		case heard:
		case f.Pods[pod] == Running:
			return pod + " may have a better copy, and does not answer"
		case now-e.open < e.timing.Straggler:
			return pod + " may have a better copy, and has not started"
		}
	}
	return ""
}
