package keyspace

import (
	"errors"
	"slices"
	"sync"

	"zset.dev/operator/zset"
	"zset.dev/operator/zset/hashindex"
)

// A Walk meets all keys once, some at a time, while they go on changing: for a
// file that what is logged from its beginning on brings up to date.
//
//	met          │ not met yet                  in (partition, position) order
//	─────────────┼────────────────►
//	 a             b                RENAME b a: meeting neither b nor, again, a
//
// Most of what is logged says what a key has, so it does not matter whether the
// walk met the key before or after. RENAME and COPY of a set too large to be
// written into the log do not: when they are done again the one key must be what
// it was then. So a set not met by then is taken as it is, under its old name,
// before it moves (follow); and of the other key the log says all there is to
// say from then on. Both are not met any more.
//
// A snapshot of a large set (zset.Snapshot) is read and ended while the set's
// key is held, whichever that is by then.
//
// One goroutine walks.
type Walk struct {
	ks   *Keyspace
	at   int  // the partition to go on with
	held Held // of the walker

	// met is to which position each partition was met. It changes while the
	// partition is held for reading, and others read it who hold it for writing.
	met [partitionCount]uint64

	mu      sync.Mutex
	waiting []string            // keys of large sets that were met and not begun; guarded by mu
	settled map[string]struct{} // keys to be left out when they are met; guarded by mu
	bytes   int                 // what taken and settled take; guarded by mu
	taken   []*Large            // not begun; guarded by mu
	open    []*Large            // all that were not closed; guarded by mu
	lost    bool                // that was more than walkBytes; guarded by mu
}

// walkBytes bounds what a Walk keeps for sets that move.
const walkBytes = 32 << 20

// ErrMoved is for a Walk during which more keys got other names than it can
// follow.
var ErrMoved = errors.New("keyspace: too many keys were renamed while all were walked over")

// Walk begins one. begun is called, if not nil, while nothing changes: what is
// logged from then on is to be done again to what the walk meets. End must be
// called. The caller holds nothing.
func (ks *Keyspace) Walk(begun func()) *Walk {
	ks.beginning.Lock()
	defer ks.beginning.Unlock()
	w := &Walk{ks: ks, settled: map[string]struct{}{}}
	ks.HoldAll(&w.held, 0)
	ks.walks = append(ks.walks, w)
	if begun != nil {
		begun()
	}
	w.held.Release()
	return w
}

// Beginning is to be locked by who does what another node did and writes that
// into the log afterwards (Held.Mute): no walk begins in between, when keys are
// ahead of the log. Whoever locks it holds nothing.
func (ks *Keyspace) Beginning() sync.Locker { return &ks.beginning }

// End ends the walk, and closes what is open.
func (w *Walk) End() {
	w.ks.HoldAll(&w.held, 0)
	defer w.held.Release()
	i := slices.Index(w.ks.walks, w)
	w.ks.walks = slices.Delete(w.ks.walks, i, i+1)
	for _, l := range w.open {
		l.sn.Close()
	}
	w.open, w.taken = nil, nil
}

// Next meets about count further keys, those of one partition at a time, which
// is held: small sets are given to yield, large ones follow from Large. Those
// whose time has come by now are left out, unless expiry is suspended: somebody
// else's clock may yet let them stay. Next reports whether there are more keys to
// be met. The error is ErrMoved.
func (w *Walk) Next(now int64, count int, yield func(*Entry)) (more bool, err error) {
	for ; w.at < partitionCount && count > 0; w.at++ {
		if count = w.meet(now, count, yield); w.met[w.at] < cursorPositions {
			break
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost {
		return false, ErrMoved
	}
	return w.at < partitionCount, nil
}

// meet meets keys of the partition the walk is at.
func (w *Walk) meet(now int64, count int, yield func(*Entry)) (left int) {
	p := &w.ks.partitions[w.at]
	p.mu.RLock()
	defer p.mu.RUnlock()
	w.met[w.at], left = p.scan(false, w.met[w.at], count, func(e *Entry) {
		switch {
		case e.rec.gone(now) && w.ks.expires() || w.isSettled(e.rec.key()):
		case e.rec.has(isLarge):
			w.mu.Lock()
			w.waiting = append(w.waiting, e.Key())
			w.mu.Unlock()
		default:
			yield(e)
		}
	})
	return left
}

func (w *Walk) isSettled(key []byte) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	_, settled := w.settled[string(key)]
	return settled
}

// Large is the next large set that was met, or taken before it moved; nil when
// there is none at present. It must be closed before the next call.
func (w *Walk) Large(now int64) *Large {
	for {
		w.mu.Lock()
		if len(w.taken) > 0 {
			l := w.taken[0]
			w.taken = w.taken[1:]
			w.mu.Unlock()
			return l
		}
		if len(w.waiting) == 0 {
			w.mu.Unlock()
			return nil
		}
		key := w.waiting[0]
		w.mu.Unlock()
		if l := w.begin(now, key); l != nil {
			return l
		}
	}
}

// begin begins a set that waits; nil if it is not there any more.
func (w *Walk) begin(now int64, key string) (l *Large) {
	w.ks.Hold(&w.held, now, []byte(key))
	defer w.held.Release()
	var e *Entry
	if w.ks.expires() {
		e = w.held.Peek([]byte(key))
	} else {
		e = w.held.Stored([]byte(key))
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stopWaiting(key) && e != nil {
		l = w.take(e)
	}
	return l
}

// stopWaiting takes a key off those that wait, and reports whether it was there.
func (w *Walk) stopWaiting(key string) bool {
	i := slices.Index(w.waiting, key)
	if i >= 0 {
		w.waiting = slices.Delete(w.waiting, i, i+1)
	}
	return i >= 0
}

// take keeps a set as it is. Its key is held for writing.
func (w *Walk) take(e *Entry) *Large {
	l := &Large{Name: []byte(e.Key()), ExpireAt: e.ExpireAt(), w: w, set: e.Set(), sn: e.Set().Snapshot()}
	l.at = l.Name
	w.open = append(w.open, l)
	return l
}

// follow is called before the set of e becomes, also or only, that of another
// key, by an effect that says nothing of its members. Both keys are held for
// writing.
func (w *Walk) follow(e *Entry, to []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	from := e.Key()
	if w.stopWaiting(from) || w.ahead(e.p, e.hash, from) {
		w.taken = append(w.taken, w.take(e))
		w.settle(from)
		w.bytes += 256
		if !e.rec.has(isLarge) {
			w.bytes += len(e.rec)
		}
	}
	slot := Slot(to)
	p := &w.ks.partitions[slot/slotsInPartition]
	if hash := w.ks.hash(to, slot); w.ahead(p, hash, string(to)) {
		w.settle(string(to))
	}
	w.stopWaiting(string(to))
	w.lost = w.lost || w.bytes > walkBytes
}

// ahead reports whether a key would still be met.
func (w *Walk) ahead(p *partition, hash uint64, key string) bool {
	_, settled := w.settled[key]
	return !settled && hashindex.PositionOf(hash) >= w.met[p.number]
}

func (w *Walk) settle(key string) {
	w.settled[key] = struct{}{}
	w.bytes += 64 + len(key)
}

// moved notes that a large set has another key now.
func (w *Walk) moved(set *zset.Set, to []byte) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, l := range w.open {
		if l.set == set {
			l.at = slices.Clone(to)
		}
	}
}

// Large is a set as it was at one moment.
type Large struct {
	Name     []byte
	ExpireAt int64 // milliseconds since the epoch; 0 is never

	w   *Walk
	set *zset.Set
	sn  *zset.Snapshot
	at  []byte // the key that holds the set now, if any does; guarded by w.mu
}

// Len is the number of members.
func (l *Large) Len() int { return l.sn.Len() }

// Next gives some more members, looking at n of the set's, and reports whether
// there are more. yield runs while the set's key is held.
func (l *Large) Next(n int, yield func(member []byte, score float64)) (more bool) {
	defer l.hold(l.w.ks.HoldShared)()
	return l.sn.Next(n, yield)
}

// Close ends it.
func (l *Large) Close() {
	defer l.hold(l.w.ks.Hold)()
	l.sn.Close()
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	i := slices.Index(l.w.open, l)
	l.w.open = slices.Delete(l.w.open, i, i+1)
}

// hold holds the key that has the set: it keeps it, then.
func (l *Large) hold(hold func(*Held, int64, ...[]byte)) (release func()) {
	for {
		key := l.key()
		hold(&l.w.held, 0, key)
		if string(l.key()) == string(key) {
			return l.w.held.Release
		}
		l.w.held.Release()
	}
}

func (l *Large) key() []byte {
	l.w.mu.Lock()
	defer l.w.mu.Unlock()
	return l.at
}
