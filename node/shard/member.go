package shard

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/lease"
)

// looksPerRetry is how often a member steps within a retry period when nothing happens: what was promised, heard and
// confirmed changes with time, too.
const looksPerRetry = 5

// Member is a node's part in its shard. Make it with New, then Run it.
type Member struct {
	options Options
	origin  time.Time // what all times count from

	calls   chan func()   // to be run by the goroutine of Run
	look    chan struct{} // has a token when there is news
	ended   chan struct{} // closed when Run has ended
	running sync.WaitGroup

	Counts Counts

	peers  atomic.Pointer[[]*peer] // written by Run's goroutine
	status atomic.Pointer[Status]  // likewise

	// What is below belongs to Run's goroutine.
	ctx       context.Context
	election  *lease.Election
	met       map[lease.Identity]time.Duration // when a process was first heard of
	started   map[lease.Identity]time.Time     // when it began, by its own word
	sights    map[string]Sight
	sighted   time.Duration // when sights were asked for
	sighting  bool
	leads     bool             // the last step's
	inSync    []lease.Identity // who is to be an elector beside this node, in this reign
	keeping   *keeping         // who waits for the record to say so
	yields    bool             // the node is to be no primary, though it holds the record, which it is about to give up
	handOver  *lease.HandOver  // how; nil while it is kept
	leaves    bool             // the node is about to stop, and follows nobody any more
	allowed   time.Duration    // what the node was last told
	expelled  bool             // since it last might acknowledge
	reported  Status
	unread    error // why the record could not be read last, if it could not
	unwritten error // likewise written; no longer of interest once somebody else holds it

	conductor conductor
}

// New makes a member that does nothing yet.
func New(o Options) *Member {
	m := &Member{
		options: o, origin: time.Now(), calls: make(chan func()), look: make(chan struct{}, 1), ended: make(chan struct{}),
		met: map[lease.Identity]time.Duration{}, started: map[lease.Identity]time.Time{}, sighted: never, allowed: never, expelled: true,
	}
	m.election = lease.New(o.Self, o.Timing, o.Epoch, m.now())
	m.peers.Store(&[]*peer{})
	m.conductor = conductor{member: m, changed: make(chan struct{}, 1)}
	m.report(lease.Decision{Waits: "it has not started"})
	return m
}

// never is a time before all others.
const never = time.Duration(-1 << 62)

// now is what all times are by: the clock that runs evenly.
func (m *Member) now() time.Duration { return time.Since(m.origin) }

// Run takes part until ctx ends. What it holds then it holds on to, until others may take it; Release gives it up before.
func (m *Member) Run(ctx context.Context) {
	m.ctx = ctx
	m.running.Go(func() { m.conductor.run(ctx) })
	tick := time.NewTicker(max(m.options.Timing.Retry/looksPerRetry, time.Millisecond))
	defer tick.Stop()
	for ctx.Err() == nil {
		m.step()
		select {
		case <-ctx.Done():
		case <-tick.C:
		case <-m.look:
		case call := <-m.calls:
			call()
		}
	}
	close(m.ended)
	m.options.Node.Allow(time.Time{}, "this node is stopping")
	m.answer(errEnded)
	for _, p := range *m.peers.Load() {
		p.stop()
	}
	m.running.Wait()
}

var errEnded = errors.New("shard: the node is stopping")

// Look lets the member look at once what is to be done.
func (m *Member) Look() {
	select {
	case m.look <- struct{}{}:
	default:
	}
}

// call runs f on the goroutine of Run, and waits for it. It reports false if that has ended, or ctx has.
func (m *Member) call(ctx context.Context, f func()) bool {
	done := make(chan struct{})
	select {
	case m.calls <- func() { f(); close(done) }:
		<-done
		return true
	case <-m.ended:
	case <-ctx.Done():
	}
	return false
}

// step decides, and lets happen what was decided.
func (m *Member) step() {
	m.tendPeers()
	now := m.now()
	d := m.election.Step(now, m.facts(now))
	m.allow()
	if leads := m.election.Leads(); leads != m.leads {
		m.leads, m.inSync = leads, nil
		m.tellPeers()
	}
	m.conductor.assign(m.duty())
	if d.AskPromises {
		m.askPromises()
	}
	if d.Read {
		m.read()
	}
	if d.Write != nil {
		m.write(*d.Write)
	}
	m.lookAtPods(now)
	m.settle()
	m.report(d)
}

// allow tells the node until when it may acknowledge, before anything else happens.
func (m *Member) allow() {
	until := m.election.Until()
	if m.now() < until {
		m.expelled = false
		if until != m.allowed {
			m.allowed = until
			m.options.Node.Allow(m.origin.Add(until), "")
		}
		return
	}
	why := "it is not the primary of its shard"
	if m.election.Leads() {
		why = "it could not renew its lease in time, or has just become primary"
	}
	if m.allowed != never || !m.expelled {
		m.allowed = never
		m.options.Node.Allow(time.Time{}, why)
	}
	if !m.expelled && !m.yields { // in a hand-over clients are held until they can find the next primary
		m.expelled = true
		m.options.Node.Expel()
	}
}

// within is how long a read or write of the record may take.
func (m *Member) within() time.Duration { return m.options.Timing.Deadline / 2 }

// read reads the record.
func (m *Member) read() {
	start := m.now()
	m.running.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, m.within())
		defer cancel()
		r, err := m.options.Store.Read(ctx)
		m.call(m.ctx, func() {
			m.unread = err
			if err != nil {
				m.options.Log.Debug("cannot read the shard's record", "error", err)
				m.Counts.Failed.Add(1)
				m.election.ReadFailed()
				return
			}
			m.election.Observed(start, m.now(), r)
			if r.Holder.Pod != "" && r.Holder != m.options.Self {
				m.unwritten = nil
			}
			m.meet(r)
		})
	})
}

// write writes the record.
func (m *Member) write(r lease.Record) {
	m.running.Go(func() {
		ctx, cancel := context.WithTimeout(m.ctx, m.within())
		defer cancel()
		version, err := m.options.Store.Write(ctx, r)
		m.call(m.ctx, func() {
			m.unwritten = nil
			switch {
			case err == nil:
				m.Counts.Renewals.Add(1)
				m.election.Wrote(m.now(), version)
				m.meet(r)
			case errors.Is(err, lease.ErrRefused):
				m.Counts.Failed.Add(1)
				m.election.Refused(m.now())
			default:
				m.Counts.Failed.Add(1)
				m.options.Log.Warn("cannot write the shard's record", "error", err)
				m.unwritten = err
				m.election.Lost(m.now())
			}
		})
	})
}

// meet takes note of processes that were heard of.
func (m *Member) meet(r lease.Record) {
	for _, id := range named(r) {
		m.meetOne(id)
	}
}

// named is who stands in a record, nobody perhaps in place of the holder.
func named(r lease.Record) []lease.Identity { return append(slices.Clone(r.Electors), r.Holder) }

func (m *Member) meetOne(id lease.Identity) {
	if _, known := m.met[id]; !known && id != (lease.Identity{}) {
		m.met[id] = m.now()
	}
}

// expected is the pods that there are to be, or may be, but for this one's.
func (m *Member) expected() (pods []string) {
	for i := range m.options.Size() {
		pods = append(pods, m.options.Name+"-"+strconv.Itoa(i))
	}
	for _, id := range named(m.election.Record()) {
		pods = append(pods, id.Pod)
	}
	slices.Sort(pods)
	pods = slices.Compact(pods)
	return slices.DeleteFunc(pods, func(pod string) bool { return pod == m.options.Self.Pod || pod == "" })
}

// tendPeers has a peer for each expected pod.
func (m *Member) tendPeers() {
	was, pods := *m.peers.Load(), m.expected()
	if len(was) == len(pods) && !slices.ContainsFunc(was, func(p *peer) bool { return !slices.Contains(pods, p.pod) }) {
		return
	}
	var all []*peer
	for _, p := range was {
		if slices.Contains(pods, p.pod) {
			all = append(all, p)
		} else {
			p.stop()
		}
	}
	for _, pod := range pods {
		if slices.ContainsFunc(all, func(p *peer) bool { return p.pod == pod }) {
			continue
		}
		ctx, stop := context.WithCancel(m.ctx)
		p := &peer{pod: pod, member: m, stop: stop, wake: make(chan struct{}, 1), heard: never, until: never}
		m.running.Go(func() { p.run(ctx) })
		all = append(all, p)
	}
	m.peers.Store(&all)
}

func (m *Member) tellPeers() {
	for _, p := range *m.peers.Load() {
		p.tell()
	}
}

// askPromises asks every elector not to campaign for a while.
func (m *Member) askPromises() {
	r := m.election.Record()
	for _, p := range *m.peers.Load() {
		if slices.ContainsFunc(r.Electors, func(id lease.Identity) bool { return id.Pod == p.pod }) {
			p.request(promise{m.options.Self, r.Epoch})
		}
	}
}

// Promise is asked by a primary of its electors. It reports whether this one promises not to campaign.
func (m *Member) Promise(ctx context.Context, holder lease.Identity, epoch int64) (promised bool) {
	m.call(ctx, func() { promised = m.election.Promise(m.now(), holder, epoch) })
	return promised
}

// News tells that the record has changed, and of the epoch of who says so.
func (m *Member) News(ctx context.Context, epoch int64) {
	m.call(ctx, func() {
		m.election.Heard(epoch)
		if !m.election.Leads() { // who holds the record knows best, and would renew later for a look at it
			m.election.Reread()
		}
	})
}
