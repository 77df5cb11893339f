package zset

import (
	"bytes"
	"errors"
	"math"
	"slices"
)

// ErrTwice is what a Filler returns for a member that it was given before.
var ErrTwice = errors.New("zset: a member is there twice")

// A Filler fills empty sets, one after another, with members that arrive in any order, as when a set is loaded. Those in
// order, be it ascending or descending, are put into the skip list block by block with nothing searched for; others
// are sorted some at a time. What a member needs of the index is fetched for many at once.
//
// The zero Filler is ready for use. It keeps a few MiB between large sets, so let it go when it is not needed.
//
//	f.Begin(s, n)
//	for … { err = f.Add(member, score) }
//	err = f.End()
//
// A set that is being filled must not be used, and its Observer is told nothing. After an error the set is empty, and what
// is left to do is Begin.
type Filler struct {
	set     *Set
	list    *skipList // once there is one
	tuning  *Tuning
	expect  int
	indexed int        // for how many members the index was made
	waiting []arrival  // whose records are in no block yet
	order   direction  // of those
	new     []newcomer // not in the index yet
	appends *appender  // of list, as long as members were put behind all others alone
}

// An arrival is a record with its score.
type arrival struct {
	score float64
	r     ref
}

// A newcomer is a record that is not in the index yet.
type newcomer struct {
	hash uint64
	r    ref
}

// direction is in which order members arrived.
type direction uint8

const (
	rising  direction = 1 << iota
	falling           // both: at most one has
)

const (
	// newAtOnce is for how many members what they need of the index is fetched at a time.
	newAtOnce = 64
	// orderedAtOnce is how many members that arrive in order wait at most, othersAtOnce how many that do not: the more,
	// the nearer in the list those are that come one after another when sorted.
	orderedAtOnce, othersAtOnce = 16 << 10, 256 << 10
	// indexedAtFirst is for how many members the index is made at first, however many are said to come. When they have
	// come it is made anew for indexedMore times as many, which is less work than to let it grow little by little.
	indexedAtFirst, indexedMore = 256, 16
)

// Begin makes s the set to fill, with about n members: a number that need not be believed, as the more room is made for those
// to come the more have come. When it is more than a listpack may have there will be a skip list, however many come.
func (f *Filler) Begin(s *Set, n int) {
	f.set, f.list, f.expect = s, nil, n
	f.tuning = s.tuning.orDefault()
	f.waiting, f.order, f.new = f.waiting[:0], rising|falling, f.new[:0]
	if n > f.tuning.options.ListpackMaxEntries {
		f.makeList()
	}
}

// makeList makes the set a skip list.
func (f *Filler) makeList() bool {
	f.indexed = min(f.expect, indexedAtFirst)
	a := f.set.convertTo(f.indexed)
	if a == nil {
		return false
	}
	a.finish()
	f.list, f.appends = f.set.list, a
	return true
}

// Add puts in a member, which is copied. The error is ErrNaN, ErrFull as for Set.Add, or ErrTwice, which may be about a member
// added before this one.
func (f *Filler) Add(member []byte, score float64) error {
	switch {
	case math.IsNaN(score):
		return f.fail(ErrNaN)
	case len(member) > maxMember:
		return f.fail(ErrFull)
	case f.list == nil:
		if !f.set.outgrown(f.set.packed.len()+1, len(member)) {
			return f.addPacked(member, score)
		}
		if !f.makeList() {
			return f.fail(ErrFull)
		}
	}
	l := f.list
	r, ok := l.records.add(member, score)
	if !ok {
		return f.fail(ErrFull)
	}
	f.arrange(member, score)
	f.waiting = append(f.waiting, arrival{score, r})
	f.new = append(f.new, newcomer{l.key.sum(member), r})
	if len(f.new) == newAtOnce {
		if err := f.enterIndex(); err != nil {
			return f.fail(err)
		}
	}
	most := othersAtOnce
	if f.order != 0 {
		most = orderedAtOnce
	}
	if len(f.waiting) >= most && !f.enterList(false) {
		return f.fail(ErrFull)
	}
	return nil
}

// End ends the filling.
func (f *Filler) End() error {
	if f.list != nil {
		if err := f.enterIndex(); err != nil {
			return f.fail(err)
		}
		if !f.enterList(true) {
			return f.fail(ErrFull)
		}
		if f.list.length == 0 {
			f.set.Release()
		}
	}
	if cap(f.waiting) > othersAtOnce {
		f.waiting = nil
	}
	f.set.changed()
	f.set, f.list = nil, nil
	return nil
}

// fail empties the set.
func (f *Filler) fail(err error) error {
	f.set.Release()
	f.set, f.list = nil, nil
	return err
}

func (f *Filler) addPacked(member []byte, score float64) error {
	lp := &f.set.packed
	old, _, there := lp.find(member)
	if there {
		return f.fail(ErrTwice)
	}
	if !lp.put(old, member, score, false) {
		return f.fail(ErrFull)
	}
	return nil
}

// arrange says in which order a member has arrived.
func (f *Filler) arrange(member []byte, score float64) {
	n := len(f.waiting)
	if n == 0 || f.order == 0 {
		return
	}
	last := &f.waiting[n-1]
	c := 1
	if score < last.score || score == last.score && bytes.Compare(member, f.list.records.member(last.r)) < 0 {
		c = -1
	}
	if c > 0 {
		f.order &= rising
	} else {
		f.order &= falling
	}
}

// enterIndex puts newcomers into the index.
func (f *Filler) enterIndex() error {
	l := f.list
	var hashes [newAtOnce]uint64
	for i, n := range f.new {
		hashes[i] = n.hash
	}
	l.index.Touch(hashes[:len(f.new)])
	for _, n := range f.new {
		if !l.index.Reserve(n.hash, l) {
			return ErrFull
		}
		if _, twice := l.lookup(l.records.member(n.r), n.hash); twice {
			return ErrTwice
		}
		l.index.Insert(n.hash, uint32(n.r))
	}
	f.new = f.new[:0]
	if have := f.set.Len() + len(f.waiting); have >= f.indexed && f.expect > have {
		f.indexed = min(f.expect, have*indexedMore)
		if !l.reindex(f.indexed) {
			return ErrFull
		}
	}
	return nil
}

// reindex makes the index anew for so many members.
func (l *skipList) reindex(members int) bool {
	l.index.Free()
	l.index.Prepare(members)
	var refs []ref
	var hashes [newAtOnce]uint64
	enter := func() bool {
		for i, r := range refs {
			hashes[i] = l.hashOf(r)
		}
		l.index.Touch(hashes[:len(refs)])
		for i, r := range refs {
			if !l.index.Reserve(hashes[i], l) {
				return false
			}
			l.index.Insert(hashes[i], uint32(r))
		}
		refs = refs[:0]
		return true
	}
	for r := range l.records.all {
		if refs = append(refs, r); len(refs) == newAtOnce && !enter() {
			return false
		}
	}
	return enter()
}

// enterList puts waiting members in their places: all of them, or as many as make whole blocks.
func (f *Filler) enterList(all bool) bool {
	w, l := f.waiting, f.list
	if len(w) == 0 {
		return true
	}
	if f.order == 0 {
		slices.SortFunc(w, f.compare)
		f.order = rising
	}
	done := 0
	switch {
	case f.order == falling && f.beforeAll(w[0]):
		f.appends = nil
		for done < len(w) {
			n := l.prepend(w[done:], all, f.tuning)
			if n < 0 {
				return false
			}
			if n == 0 {
				break
			}
			done += n
		}
	case f.order != falling && f.appends != nil && f.behindAll(w[0]):
		for _, m := range w {
			if !f.appends.place(m.r, m.score) {
				return false
			}
		}
		f.appends.finish()
		done = len(w)
	default:
		f.appends = nil
		for _, m := range w {
			if !l.link(m.r, m.score, f.tuning) {
				return false
			}
		}
		done = len(w)
	}
	f.waiting = append(w[:0], w[done:]...)
	if len(f.waiting) == 0 {
		f.order = rising | falling
	}
	return true
}

// compare is the order of a set.
func (f *Filler) compare(a, b arrival) int {
	switch {
	case a.score < b.score:
		return -1
	case a.score > b.score:
		return 1
	}
	return bytes.Compare(f.list.records.member(a.r), f.list.records.member(b.r))
}

// beforeAll says that m comes before all members of the list.
func (f *Filler) beforeAll(m arrival) bool {
	l := f.list
	if l.last == 0 {
		return true
	}
	first := l.blocks.at(l.head.next(0)).ref(0)
	return f.compare(m, arrival{l.records.score(first), first}) < 0
}

// behindAll says that m comes after all members of the list.
func (f *Filler) behindAll(m arrival) bool {
	l := f.list
	if l.last == 0 {
		return true
	}
	at := l.blocks.at(l.last)
	last := at.ref(at.count() - 1)
	return f.compare(m, arrival{l.records.score(last), last}) > 0
}

// prepend makes a block of the first of some members, which are in descending order and come before all others, and
// returns how many it has: none if they are too few for one, unless all is set, and -1 if there is no memory.
func (l *skipList) prepend(descending []arrival, all bool, t *Tuning) int {
	most := t.options.BlockEntries
	if !all && len(descending) < most+unitBytes/entrySize {
		return 0
	}
	levels := t.level(l.random.Uint64())
	r, at, ok := l.blocks.add(levels, blockUnits(levels, min(most, len(descending))))
	if !ok {
		return -1
	}
	n := min(at.room(), len(descending))
	at.setCount(n)
	at.fit(descending[n-1].score, descending[0].score, bothSides)
	for i, m := range descending[:n] {
		key, _ := at.keyOf(m.score)
		at.setKey(n-1-i, key)
		at.setRef(n-1-i, m.r)
	}
	l.linkFront(r, at)
	return n
}

// linkFront makes a block that has its members the first.
func (l *skipList) linkFront(r ref, at block) {
	levels, n := at.levels(), at.count()
	l.raise(levels)
	if second := l.head.next(0); second != 0 {
		// The head's links to what was the first block separate nothing.
		then := l.blocks.at(second)
		bound := l.records.score(then.ref(0))
		for level := range then.levels() {
			l.head.setBound(level, bound)
		}
		then.setBack(r)
	} else {
		l.last = r
	}
	copy(at[linkAt:at.keysAt()], l.head[linkAt:])
	for level := range levels {
		l.head.setLink(level, math.Inf(-1), r, 0)
	}
	stretch(at[linkAt:at.keysAt()], n)
	stretch(l.head[linkAt+levels*linkSize:linkAt+l.levels*linkSize], n)
	l.length += n
}
