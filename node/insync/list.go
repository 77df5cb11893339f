package insync

import (
	"fmt"
	"maps"
	"slices"
	"time"
)

// Rule is what the primary was told to do.
type Rule struct {
	Least   int           // replicas that must be on the list; 0 is no waiting for any
	Timeout time.Duration // how long one may not confirm what it is sent before it has to go
}

// Replica is one as it is seen at present.
type Replica struct {
	Name   string
	Offset int64 // of the next byte it wants
	Here   bool  // connected, and it gets the log
}

// Plan is what is to be done.
type Plan struct {
	Wait      []string // those that acknowledgements wait for, sorted
	Refusal   string   // why no writes are to be taken; empty when they are
	Interrupt bool     // what is waited for now is not to be acknowledged any more; it comes before Wait
	Write     bool     // the keeper is to write List down, and Answer to be called
	List      []string // sorted
	Again     bool     // another step is due at once
}

// standing is where a replica is on its way.
type standing uint8

const (
	candidate standing = iota
	joining
	listed
	leaving
)

// member is a replica.
type member struct {
	Replica
	standing standing
	target   int64     // the log's end when it last had confirmed the one before
	since    time.Time // when that was
	barrier  int64     // of one that is joining: what it must have; 0 while that is not known
	left     time.Time // of one that is leaving: since when
}

// List is who is in sync. The zero value is a list of which it is not known what the keeper has. It is used by one goroutine at
// a time.
type List struct {
	members map[string]*member
	barred  map[string]bool // those that are to be off until they have been away

	known   []string   // what the keeper has by its last word
	tries   [][]string // lists that it may have taken since, the last of them under way if writing
	writing bool
	written bool      // it has said something
	retry   time.Time // when it is asked again at the earliest
	stuck   bool      // somebody has been leaving for too long
}

// Step looks at what is, and decides. end is that of the log, read after the last plan was carried out.
func (l *List) Step(now time.Time, rule Rule, end int64, replicas []Replica) Plan {
	if l.members == nil {
		l.members = map[string]*member{}
	}
	again := l.look(now, rule, end, replicas)
	plan := Plan{List: l.wanted()}
	if !l.writing && !now.Before(l.retry) && (!l.written || len(l.tries) > 0 || !slices.Equal(plan.List, l.known)) {
		plan.Write = true
		l.writing = true
		l.tries = append(l.tries, plan.List)
		for _, name := range plan.List {
			l.members[name].standing = listed
		}
	}
	stuck := l.isStuck(now, rule)
	plan.Interrupt = stuck && !l.stuck
	l.stuck = stuck
	l.complete(&plan, rule)
	plan.Again = again
	return plan
}

// Answer is what became of the list that was to be written. After an error it may be written or not. retry is for how long to let the keeper rest
// then.
func (l *List) Answer(now time.Time, rule Rule, err error, retry time.Duration) Plan {
	l.writing = false
	if err != nil {
		l.retry = now.Add(retry)
	} else {
		l.known, l.written = l.tries[len(l.tries)-1], true
		l.tries = nil
	}
	plan := Plan{List: l.wanted(), Again: err == nil}
	if err == nil {
		for name, m := range l.members {
			if m.standing == leaving && !slices.Contains(l.known, name) {
				delete(l.members, name)
				plan.Interrupt = plan.Interrupt || len(l.Known()) < rule.Least
			}
		}
	}
	l.stuck = l.stuck && l.isStuck(now, rule)
	l.complete(&plan, rule)
	return plan
}

// Exclude takes a replica off, as fast as the keeper does: it is about to have less than it had, or to go. Until it has been away it is not on
// the list again. Step is to follow.
func (l *List) Exclude(now time.Time, name string) {
	if l.barred == nil {
		l.barred = map[string]bool{}
	}
	l.barred[name] = true
	m := l.members[name]
	switch {
	case m == nil || m.standing == leaving:
	case l.May(name):
		m.standing, m.left = leaving, now
	default:
		delete(l.members, name)
	}
}

// May reports whether the keeper may have a replica on its list.
func (l *List) May(name string) bool {
	return slices.Contains(l.known, name) || slices.ContainsFunc(l.tries, func(try []string) bool { return slices.Contains(try, name) })
}

// look brings the members up to date.
func (l *List) look(now time.Time, rule Rule, end int64, replicas []Replica) (again bool) {
	for _, m := range l.members {
		m.Here = false
	}
	for _, r := range replicas {
		if r.Name == "" {
			continue
		}
		m := l.members[r.Name]
		if m == nil {
			if !r.Here {
				continue
			}
			m = &member{target: end, since: now}
			l.members[r.Name] = m
		}
		m.Replica = r
	}
	for name, m := range l.members {
		caught := m.Here && m.Offset >= m.target
		late := now.Sub(m.since) > rule.Timeout
		if caught {
			m.target, m.since = end, now
		}
		switch m.standing {
		case candidate:
			switch {
			case !m.Here:
				delete(l.members, name)
			case l.barred[name]:
			case caught && !late:
				m.standing, m.barrier = joining, 0
				again = true
			case late:
				m.target, m.since = end, now
			}
		case joining:
			switch {
			case !m.Here || late && !caught:
				delete(l.members, name)
			case m.barrier == 0:
				m.barrier = end
			}
		case listed:
			if late && !caught {
				m.standing, m.left = leaving, now
			}
		}
	}
	for name := range l.barred {
		if m := l.members[name]; (m == nil || !m.Here) && !l.May(name) {
			delete(l.barred, name)
		}
	}
	return again
}

// wanted is who is to be on the keeper's list.
func (l *List) wanted() []string {
	names := []string{}
	for name, m := range l.members {
		if m.standing == listed || m.standing == joining && m.barrier > 0 && m.Offset >= m.barrier {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// isStuck reports whether the keeper does not take somebody off.
func (l *List) isStuck(now time.Time, rule Rule) bool {
	for _, m := range l.members {
		if m.standing == leaving && now.Sub(m.left) > rule.Timeout {
			return true
		}
	}
	return false
}

// complete says whom to wait for, and whether writes are taken.
func (l *List) complete(plan *Plan, rule Rule) {
	if rule.Least == 0 {
		plan.Interrupt = false
		return
	}
	names := map[string]bool{}
	for name, m := range l.members {
		if m.standing != candidate {
			names[name] = true
		}
	}
	plan.Wait = slices.Sorted(maps.Keys(names))
	switch n := len(l.Known()); {
	case n < rule.Least:
		plan.Refusal = fmt.Sprintf("NOREPLICAS Not enough replicas in sync to write: %d of the %d that min-sync-replicas asks for.", n, rule.Least)
	case l.stuck:
		plan.Refusal = "NOREPLICAS A replica does not confirm writes, and cannot be taken off the list of those in sync at present."
	}
}

// Known is who is on the list, whatever the keeper has of what it was to write: those it has by its last word, without
// those about to be taken off.
func (l *List) Known() []string {
	names := []string{}
	for _, name := range l.known {
		if m := l.members[name]; m != nil && m.standing == listed {
			names = append(names, name)
		}
	}
	return names
}
