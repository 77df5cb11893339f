package lease

import (
	"slices"
	"time"
)

// Election is one node's part in deciding who is primary. One goroutine uses it. It has at most one write and one read of the
// record under way, each of which is answered or given up in the end.
type Election struct {
	self   Identity
	timing Timing
	epoch  int64 // the highest ever heard of

	known  bool          // record was read
	record Record        // as it was last read or written
	last   Record        // the last one that was there
	since  time.Duration // when record was first seen as it is
	asOf   time.Duration // what was asked for before then says nothing new
	open   time.Duration // since when it may be claimed; never while it may not

	reading bool
	writing *write
	reread  bool          // before anything is written again
	unknown bool          // a write's answer was lost, and it may still be made
	maybe   []Identity    // electors of writes that were perhaps made
	joining []Identity    // who is about to become one
	tried   time.Duration // when the API was last asked for something

	leads       bool
	term        int64 // the epoch in which it leads
	established bool  // every elector followed in this epoch
	releasing   bool
	renewed     time.Duration // the start of the last write that succeeded
	deadline    time.Duration

	promised   time.Duration // this node does not campaign before then
	promisedTo Identity
	electorAt  time.Duration // when an elector was last heard from
}

// write is one under way.
type write struct {
	record Record
	start  time.Duration
}

// never and forever are times that no clock shows.
const (
	never   = time.Duration(-1 << 62)
	forever = time.Duration(1<<63 - 1)
)

// New makes the election of a process that just started, at now, which knows the epoch from its disk, or 0. The timing is a
// valid one.
func New(self Identity, t Timing, epoch int64, now time.Duration) *Election {
	return &Election{
		self: self, timing: t, epoch: epoch, electorAt: now,
		asOf: never, open: never, tried: never, renewed: never, deadline: never, promised: never,
	}
}

// A Decision is what is to be done at once. Zero is nothing.
type Decision struct {
	Read  bool    // read the record, then call Observed or ReadFailed
	Write *Record // write it, if its version still is that, then call Wrote, Refused or Lost; no version is to create it

	AskPromises bool   // ask every elector for a promise
	Waits       string // why this node, a standby, does not claim; for people
}

// Step decides what to do at now. It is to be called every retry period, and when something has changed.
func (e *Election) Step(now time.Duration, f Facts) Decision {
	for _, p := range f.Peers {
		if e.last.Lists(p.ID) && f.Fates[p.ID] == MayRun {
			e.electorAt = max(e.electorAt, p.Heard)
		}
	}
	if e.leads {
		return e.lead(now, f)
	}
	return e.campaign(now, f)
}

// Heard tells of an epoch that a peer knows.
func (e *Election) Heard(epoch int64) {
	if epoch > e.epoch {
		e.epoch = epoch
		e.reread = true
	}
}

// Reread has the record read again at once, since somebody says that it has changed.
func (e *Election) Reread() {
	e.reread = true
	e.tried = min(e.tried, e.renewed)
	if !e.leads {
		e.tried = never
	}
}

// Vacant reports whether somebody might take the record, as far as that is known: nobody holds it, or who does has not
// renewed it for that long.
func (e *Election) Vacant(now, unchanged time.Duration) bool {
	return e.known && (e.record.Absent() || e.record.Holder == (Identity{}) || now-e.since >= unchanged)
}

// Keeps reports whether these, and this node, are the electors, whatever becomes of what was written before.
func (e *Election) Keeps(electors []Identity) bool {
	want := union(electors, []Identity{e.self})
	return e.leads && !e.unknown && len(e.maybe) == 0 && e.record.Holder == e.self && slices.Equal(e.record.Electors, want) &&
		(e.writing == nil || slices.Equal(e.writing.record.Electors, want))
}

// Identity is this process'.
func (e *Election) Identity() Identity { return e.self }

// Epoch is the highest this node has heard of.
func (e *Election) Epoch() int64 { return e.epoch }

// Leads reports whether this node holds the record, as far as it knows. It may not acknowledge writes for that alone.
func (e *Election) Leads() bool { return e.leads }

// Term is the epoch in which this node leads, or led: that of the record, also while somebody has deleted that.
func (e *Election) Term() int64 { return e.term }

// Record is what this node last read or wrote.
func (e *Election) Record() Record { return e.record }

// Until is when this node has to stop acknowledging writes, unless Step changes it. It is in the past for who may not
// acknowledge any.
func (e *Election) Until() time.Duration {
	if !e.leads || !e.established || e.releasing {
		return never
	}
	return e.deadline
}

// MustConfirm is who is, may be or is about to be an elector beside this node: with synchronous replicas a write is
// acknowledged only once all of them have it. So whoever becomes one has all that was acknowledged before, too.
func (e *Election) MustConfirm() []Identity { return e.others(e.joining) }

// others is who is or may be an elector beside this node, and further ones.
func (e *Election) others(further []Identity) []Identity {
	all := union(union(e.record.Electors, e.maybe), further)
	if e.writing != nil {
		all = union(all, e.writing.record.Electors)
	}
	return slices.DeleteFunc(all, func(id Identity) bool { return id == e.self })
}

// Observed is what a read returned that was asked for at start.
func (e *Election) Observed(start, now time.Duration, r Record) {
	e.reading = false
	if e.writing != nil || start < e.asOf {
		return // older than what is known, or soon to be
	}
	e.reread = false
	e.adopt(start, now, r)
	switch {
	case !e.leads && r.Holder == e.self:
		e.begin(never) // a claim whose answer was lost
	case !e.leads, r.Absent(), r.Holder == e.self && r.Epoch <= e.term:
		// As it should be; or deleted or edited by hand, and to be written again.
	case r.Holder == e.self:
		e.term = r.Epoch
	default:
		e.leads, e.releasing = false, false
	}
}

// ReadFailed ends a read without an answer.
func (e *Election) ReadFailed() { e.reading = false }

// Wrote is a write's success: the record has that version now.
func (e *Election) Wrote(now time.Duration, version string) {
	w := *e.writing
	e.writing = nil
	w.record.Version = version
	e.adopt(now, now, w.record)
	switch {
	case w.record.Holder != e.self:
		e.leads, e.releasing = false, false
	case e.leads:
		e.renewed, e.releasing = w.start, false
	default:
		e.begin(w.start)
	}
}

// Refused is a write's failure because the record had another version.
func (e *Election) Refused(now time.Duration) {
	e.writing = nil
	e.asOf = now
	e.reread, e.tried = true, never
}

// Lost is a write whose answer did not come: it may have been made, or will be.
func (e *Election) Lost(now time.Duration) {
	e.maybe = union(e.maybe, e.writing.record.Electors)
	e.unknown = true
	e.writing = nil
	e.asOf = now
}

// adopt takes the record for what it is since start, as was known at now.
func (e *Election) adopt(start, now time.Duration, r Record) {
	e.asOf = start
	if e.known && r.Version == e.record.Version {
		return
	}
	e.known, e.record, e.since, e.open = true, r, now, never
	e.unknown, e.maybe = false, nil // what was under way has been made, or never will be: the version is another
	if !r.Absent() {
		e.last = r
		e.epoch = max(e.epoch, r.Epoch)
	}
}

// begin makes this node the holder of the record.
func (e *Election) begin(renewed time.Duration) {
	e.leads, e.established, e.releasing, e.renewed, e.deadline = true, false, false, renewed, never
	e.term = e.record.Epoch
}

// read decides to read the record, unless that is under way or was just tried.
func (e *Election) read(now time.Duration) bool {
	if e.reading || now-e.tried < e.timing.Retry {
		return false
	}
	e.reading, e.tried = true, now
	return true
}

// put decides to write the record.
func (e *Election) put(now time.Duration, r Record) *Record {
	r.Version = e.record.Version
	e.writing, e.tried = &write{r, now}, now
	return &r
}
