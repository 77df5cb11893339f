package lease

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// The simulation runs a shard of some nodes, each with an Election, against a record of its own, under faults. It checks
// after each step what must always be true, and in the end, when nothing is broken any more, that somebody serves.

const tick = 20 * time.Millisecond

type world struct {
	t      testing.TB
	rng    *rand.Rand
	timing Timing
	k      int  // replicas that must confirm a write
	disks  bool // a restarted node has what it had

	now     time.Duration // true time
	nodes   []*node
	record  Record
	version int
	apiDown bool
	events  []event // of the network, not in order
	cut     map[[2]int]bool
	apiCut  map[int]bool
	unseen  map[int64]bool // acknowledged, and legitimately lost: every process that had it has ended
	acked   []entry
	top     int64 // the highest term in which something was acknowledged
	by      Identity
	trace   []string
}

type event struct {
	at  time.Duration
	run func()
}

// entry is a write: its number, and the term in which it was executed.
type entry struct{ id, term int64 }

type node struct {
	w      *world
	index  int
	id     Identity
	rate   float64
	offset time.Duration

	up, paused bool
	back       time.Duration // true time when it starts again, or goes on
	e          *Election
	facts      Facts
	peers      map[Identity]Peer
	asked      map[Identity]time.Duration
	timeout    time.Duration // local, of the operation under way

	log     []entry
	epoch   int64 // the last one led or followed
	follows Identity
	has     map[Identity]int // what followers confirmed
	heardOf map[Identity]time.Duration
	waiting []entry
	kept    int // entries up to the last one that it acknowledged
}

func (n *node) clock() time.Duration {
	return n.offset + time.Duration(float64(n.w.now)*n.rate)
}

func (n *node) runs() bool { return n.up && !n.paused }

func (w *world) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%8.2fs ", w.now.Seconds())+fmt.Sprintf(format, args...))
}

func (w *world) fail(format string, args ...any) {
	w.t.Helper()
	for _, line := range w.trace[max(0, len(w.trace)-60):] {
		w.t.Log(line)
	}
	w.t.Fatalf("at %v: %s", w.now, fmt.Sprintf(format, args...))
}

func newWorld(t testing.TB, seed uint64, size, k int, disks bool) *world {
	w := &world{
		t: t, rng: rand.New(rand.NewPCG(seed, 1)), timing: DefaultTiming(), k: k, disks: disks,
		cut: map[[2]int]bool{}, apiCut: map[int]bool{}, unseen: map[int64]bool{},
	}
	for i := range size {
		n := &node{w: w, index: i, rate: 0.95 + w.rng.Float64()/10, offset: time.Duration(w.rng.IntN(1000)) * time.Second}
		n.id = Identity{Pod: "p" + strconv.Itoa(i), UID: "u0", Run: "r0"}
		w.nodes = append(w.nodes, n)
		n.start()
	}
	return w
}

func runNumber(id Identity) int {
	n, _ := strconv.Atoi(id.Run[1:])
	return n
}

// start begins a process.
func (n *node) start() {
	n.id.Run = "r" + strconv.Itoa(runNumber(n.id)+1)
	if !n.w.disks {
		n.log, n.epoch = nil, 0
	}
	n.up, n.paused = true, false
	n.peers, n.asked, n.has, n.heardOf = map[Identity]Peer{}, map[Identity]time.Duration{}, map[Identity]int{}, map[Identity]time.Duration{}
	n.waiting, n.follows, n.timeout = nil, Identity{}, 0
	n.e = New(n.id, n.w.timing, n.epoch, n.clock())
	n.w.logf("%v starts with %v", n.id, n.position())
}

func (n *node) position() Position {
	if len(n.log) == 0 {
		return Position{}
	}
	return Position{n.log[len(n.log)-1].term, int64(len(n.log))}
}

// crash ends a process for a while.
func (n *node) crash(away time.Duration, newPod bool) {
	n.w.logf("%v crashes", n.id)
	n.up, n.back = false, n.w.now+away
	if newPod {
		uid, _ := strconv.Atoi(n.id.UID[1:])
		n.id.UID = "u" + strconv.Itoa(uid+1)
	}
	if n.w.disks {
		return
	}
	n.log = nil
	for _, a := range n.w.acked {
		if !slices.ContainsFunc(n.w.nodes, func(o *node) bool { return slices.Contains(o.log, a) }) {
			n.w.unseen[a.id] = true
		}
	}
}

func (w *world) linked(a, b int) bool { return !w.cut[[2]int{min(a, b), max(a, b)}] }

func (w *world) later(most time.Duration, run func()) {
	w.events = append(w.events, event{w.now + time.Duration(w.rng.Int64N(int64(most)+1)), run})
}

// call is a request to the API: it may be lost, or late, as may its answer. It is late at times by more than anybody waits.
func (n *node) call(do func() (answer func())) {
	w, me := n.w, n.id
	late := 30 * time.Millisecond
	if w.rng.IntN(40) == 0 {
		late = 8 * time.Second
	}
	w.later(late, func() {
		if w.apiDown || w.apiCut[n.index] {
			return
		}
		answer := do()
		w.later(30*time.Millisecond, func() {
			if !w.apiCut[n.index] && n.up && n.id == me && w.rng.IntN(60) != 0 {
				answer()
			}
		})
	})
}

func (w *world) deliver() {
	due := w.events
	w.events = nil
	for _, ev := range due {
		if ev.at <= w.now {
			ev.run()
		} else {
			w.events = append(w.events, ev)
		}
	}
}

// whenRuns runs f now, or when the node goes on after a pause; never when the process has ended.
func (n *node) whenRuns(me Identity, f func()) {
	var try func()
	try = func() {
		switch {
		case !n.up || n.id != me:
		case n.paused:
			n.w.later(tick, try)
		default:
			f()
		}
	}
	try()
}

func (n *node) act(d Decision) {
	w, me := n.w, n.id
	if d.Read {
		start, done := n.clock(), false
		n.call(func() func() {
			r := w.record
			return func() {
				n.whenRuns(me, func() {
					if !done {
						done = true
						n.e.Observed(start, n.clock(), r)
					}
				})
			}
		})
		w.events = append(w.events, event{w.now + 2*time.Second, func() {
			n.whenRuns(me, func() {
				if !done {
					done = true
					n.e.ReadFailed()
				}
			})
		}})
	}
	if d.Write != nil {
		r, done := *d.Write, false
		end := func(f func()) {
			n.whenRuns(me, func() {
				if !done {
					done = true
					f()
				}
			})
		}
		n.call(func() func() {
			if w.record.Version != r.Version {
				return func() { end(func() { n.e.Refused(n.clock()) }) }
			}
			w.version++
			if w.record.Holder != r.Holder || !slices.Equal(w.record.Electors, r.Electors) {
				w.logf("record: %v epoch %d electors %v (by %v)", r.Holder, r.Epoch, r.Electors, n.id)
			}
			if r.Epoch < w.record.Epoch {
				w.fail("the epoch goes back from %d to %d", w.record.Epoch, r.Epoch)
			}
			w.record = r
			w.record.Version = strconv.Itoa(w.version)
			version := w.record.Version
			return func() { end(func() { n.e.Wrote(n.clock(), version) }) }
		})
		w.events = append(w.events, event{w.now + 2*time.Second, func() { end(func() { n.e.Lost(n.clock()) }) }})
	}
	if d.AskPromises {
		for _, o := range w.nodes {
			n.askPromise(o)
		}
	}
}

func (n *node) askPromise(o *node) {
	w, asked, me, to, term := n.w, n.clock(), n.id, o.id, n.e.Record().Epoch
	if o == n || !w.linked(n.index, o.index) || asked-n.asked[o.id] < 500*time.Millisecond {
		return
	}
	n.asked[o.id] = asked
	w.later(50*time.Millisecond, func() {
		o.whenRuns(to, func() {
			if !w.linked(n.index, o.index) || !o.e.Promise(o.clock(), me, term) {
				return
			}
			w.later(50*time.Millisecond, func() {
				n.whenRuns(me, func() {
					if w.linked(n.index, o.index) {
						p := n.peers[to]
						p.ID, p.Promised = to, asked+w.timing.Deadline
						n.peers[to] = p
					}
				})
			})
		})
	})
}

// gossip tells others how a node is.
func (n *node) gossip() {
	for _, o := range n.w.nodes {
		if o == n || !o.runs() || !n.w.linked(n.index, o.index) {
			continue
		}
		p := o.peers[n.id]
		p.ID, p.Heard, p.Position, p.Whole = n.id, o.clock(), n.position(), true
		o.peers[n.id] = p
		o.e.Heard(n.e.Epoch())
	}
}

// replicate brings what a standby has up to date with the node that it takes for the primary.
func (n *node) replicate() {
	if n.e.Leads() {
		return
	}
	holder := n.e.Record().Holder
	for _, p := range n.w.nodes {
		if p == n || p.id != holder || !p.runs() || !p.e.Leads() || !n.w.linked(n.index, p.index) || p.epoch < n.epoch {
			continue
		}
		if n.follows != p.id || n.epoch != p.epoch {
			common := 0
			for common < len(n.log) && common < len(p.log) && n.log[common] == p.log[common] {
				common++
			}
			if common < len(n.log) {
				// All of it is to be replaced: not before the primary has taken it off the list.
				if slices.Contains(p.e.MustConfirm(), n.id) {
					return
				}
				n.w.logf("%v drops %d of %d entries for %v", n.id, len(n.log)-common, len(n.log), p.id)
				n.log = n.log[:common]
			}
			n.follows, n.epoch = p.id, p.epoch
		}
		more := len(p.log) - len(n.log)
		n.log = append(n.log, p.log[len(n.log):len(n.log)+n.w.rng.IntN(more+1)]...)
		p.has[n.id], p.heardOf[n.id] = len(n.log), p.clock()
	}
}

// inSync is whom a primary wants for electors.
func (n *node) inSync() (near, all []Identity) {
	for id, has := range n.has {
		if len(n.log)-has < 20 && n.clock()-n.heardOf[id] < time.Second && n.factsFate(id) == MayRun {
			near = append(near, id)
			if n.w.k == 0 || has >= n.kept {
				all = append(all, id)
			}
		}
	}
	return near, all
}

func (n *node) factsFate(id Identity) Fate { return n.facts.Fates[id] }

// observe gathers the facts.
func (n *node) observe() {
	w := n.w
	n.facts = Facts{Position: n.position(), Whole: true, Fates: map[Identity]Fate{}, Pods: map[string]Presence{}, HandOver: n.facts.HandOver}
	for _, p := range n.peers {
		n.facts.Peers = append(n.facts.Peers, p)
	}
	ids := append(slices.Clone(n.e.Record().Electors), n.e.Record().Holder)
	for id := range n.peers {
		ids = append(ids, id)
	}
	for _, o := range w.nodes {
		if o == n {
			continue
		}
		n.facts.Pods[o.id.Pod] = Running
		for _, id := range ids {
			if id.Pod != o.id.Pod {
				continue
			}
			if !w.apiDown && !w.apiCut[n.index] && id.UID != o.id.UID {
				n.facts.Fates[id] = Gone // the pod is another
			}
			for other := range n.peers {
				if other.Pod == id.Pod && other.UID == id.UID && runNumber(other) > runNumber(id) {
					n.facts.Fates[id] = Replaced
				}
			}
		}
	}
	for _, id := range ids {
		if id.Pod == n.id.Pod && id != n.id {
			n.facts.Fates[id] = Replaced // this process took its place
			if id.UID != n.id.UID {
				n.facts.Fates[id] = Gone
			}
		}
	}
	if n.e.Leads() {
		n.facts.Close, n.facts.InSync = n.inSync()
	}
}

// serve is a primary's work: it executes writes and acknowledges those that are kept.
func (n *node) serve() {
	w, now := n.w, n.clock()
	if n.e.Leads() && n.epoch < n.e.term {
		n.epoch = n.e.term
		n.log = append(n.log, entry{-n.epoch, n.epoch}) // the mark of a new epoch, as it stands on a stream
		n.has, n.heardOf, n.waiting = map[Identity]int{}, map[Identity]time.Duration{}, nil
		n.kept = len(n.log) // any of it may have been acknowledged
	}
	if now >= n.e.Until() {
		n.waiting = nil // closed, in doubt
		return
	}
	if len(n.e.MustConfirm()) >= w.k && n.facts.HandOver == nil {
		e := entry{int64(len(w.trace))<<32 | int64(len(n.log))<<8 | int64(n.index), n.epoch}
		n.log = append(n.log, e)
		n.waiting = append(n.waiting, e)
	}
	for len(n.waiting) > 0 {
		first := n.waiting[0]
		place := slices.Index(n.log, first)
		if w.k > 0 && (len(n.e.MustConfirm()) < w.k || slices.ContainsFunc(n.e.MustConfirm(), func(id Identity) bool { return n.has[id] <= place })) {
			return
		}
		n.waiting, n.kept = n.waiting[1:], place+1
		w.acknowledge(n, first)
	}
}

func (w *world) acknowledge(n *node, e entry) {
	switch {
	case n.epoch < w.top:
		w.fail("%v acknowledges in term %d after %v did in term %d", n.id, n.epoch, w.by, w.top)
	case n.epoch == w.top && w.by != n.id:
		w.fail("%v and %v both acknowledge in term %d", n.id, w.by, n.epoch)
	case n.epoch > w.top:
		w.logf("%v acknowledges in term %d, having %d entries", n.id, n.epoch, len(n.log))
		if w.k > 0 {
			for _, a := range w.acked {
				if !w.unseen[a.id] && !slices.Contains(n.log, a) {
					w.fail("%v serves in term %d without an acknowledged write of term %d", n.id, n.epoch, a.term)
				}
			}
		}
	}
	w.top, w.by = n.epoch, n.id
	w.acked = append(w.acked, e)
}

func (w *world) step() {
	w.now += tick
	w.deliver()
	for _, i := range w.rng.Perm(len(w.nodes)) {
		n := w.nodes[i]
		if !n.up || n.paused {
			if n.back <= w.now {
				if n.up {
					n.paused = false
					w.logf("%v goes on", n.id)
				} else {
					n.start()
				}
			}
			continue
		}
		n.gossip()
		n.replicate()
		n.observe()
		n.act(n.e.Step(n.clock(), n.facts))
		if n.facts.HandOver != nil && !n.e.Leads() {
			n.facts.HandOver = nil
		}
		n.serve()
	}
}

// disturb causes a fault, or ends one.
func (w *world) disturb() {
	n := w.nodes[w.rng.IntN(len(w.nodes))]
	away := time.Duration(w.rng.Int64N(int64(12 * time.Second)))
	switch w.rng.IntN(14) {
	case 10, 11: // one is alone, but for the API perhaps
		for o := range w.nodes {
			w.cut[[2]int{min(n.index, o), max(n.index, o)}] = true
		}
		w.apiCut[n.index] = w.rng.IntN(2) == 0
		w.logf("%v is alone; cut from the API: %v", n.id, w.apiCut[n.index])
	case 12:
		if n.e.Leads() {
			n.crash(away, w.rng.IntN(2) == 0)
		}
	case 0:
		n.crash(away, false)
	case 1:
		n.crash(away, true)
	case 2, 3:
		if n.up {
			w.logf("%v is stopped for %v", n.id, away)
			n.paused, n.back = true, w.now+away
		}
	case 4, 5:
		o := w.rng.IntN(len(w.nodes))
		pair := [2]int{min(n.index, o), max(n.index, o)}
		w.cut[pair] = !w.cut[pair]
		w.logf("link %v cut: %v", pair, w.cut[pair])
	case 6:
		w.apiCut[n.index] = !w.apiCut[n.index]
		w.logf("%v cut from the API: %v", n.id, w.apiCut[n.index])
	case 7:
		w.apiDown = !w.apiDown
		w.logf("API down: %v", w.apiDown)
	case 8:
		if n.e.Leads() {
			n.facts.HandOver = &HandOver{Heir: w.nodes[w.rng.IntN(len(w.nodes))].id.Pod}
			w.logf("%v is to hand over to %s", n.id, n.facts.HandOver.Heir)
		}
	default:
		clear(w.cut)
		clear(w.apiCut)
		w.apiDown = false
	}
}

// TestSimulation runs shards of all kinds: RUNS of them, or the one of SEED.
func TestSimulation(t *testing.T) {
	first, count := uint64(time.Now().UnixNano()), 60
	if s := os.Getenv("SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, count = n, 1
	} else if s := os.Getenv("RUNS"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil {
			t.Fatal(err)
		}
		count = n
	} else if testing.Short() {
		count = 15
	}
	terms, acked := int64(0), 0
	for i := range count {
		seed := first + uint64(i)
		rng := rand.New(rand.NewPCG(seed, 2))
		size, k, disks := 1+rng.IntN(5), 0, rng.IntN(2) == 0
		if size > 1 {
			k = rng.IntN(min(size, 3))
		}
		t.Run(fmt.Sprintf("SEED=%d of %d nodes, %d synchronous, disks %v", seed, size, k, disks), func(t *testing.T) {
			w := newWorld(t, seed, size, k, disks)
			for w.now < 150*time.Second {
				w.step()
				if w.rng.IntN(60) == 0 {
					w.disturb()
				}
			}
			clear(w.cut)
			clear(w.apiCut)
			w.apiDown = false
			w.logf("all is well")
			// Everybody is back after 12 s; then expiry, rank and what hangs in the network may each take their time.
			for end, before := w.now+60*time.Second, len(w.acked); w.now < end; {
				w.step()
				if w.now > end-5*time.Second && len(w.acked) > before+100 {
					break
				}
			}
			if n := len(w.acked); n == 0 || w.acked[n-1].term != w.top {
				w.fail("nobody serves")
			}
			if !slices.ContainsFunc(w.nodes, func(n *node) bool { return n.clock() < n.e.Until() }) {
				w.fail("nobody serves in the end")
			}
			terms += w.top
			acked += len(w.acked)
		})
	}
	t.Logf("%d runs, %d terms, %d writes acknowledged", count, terms, acked)
}
