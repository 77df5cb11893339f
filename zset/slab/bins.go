package slab

import "math/bits"

// bins are lists of free runs of one state by length. Up to 15 pages each length has a list of its own; above, a
// doubling has eight. Guarded by the space's lock.
type bins struct {
	heads [binCount]uint32
	some  [(binCount + 63) / 64]uint64 // which lists have a run
	pages uint32                       // of all runs
}

const (
	binCount = 16 + 28*8
	// tries bounds how many runs of a list are looked at for one that is long enough.
	tries = 8
)

// binOf is the list for runs of so many pages.
func binOf(pages uint32) int {
	if pages < 16 {
		return int(pages)
	}
	log := bits.Len32(pages) - 1
	return 16 + (log-4)*8 + int(pages>>(log-3)&7)
}

// find looks for a run of at least so many pages, among the shortest there are; 0 is none.
func (b *bins) find(s *space, pages uint32) uint32 {
	if b.pages < pages {
		return 0
	}
	bin := binOf(pages)
	run := b.heads[bin]
	for range tries {
		if run == 0 || s.record(run).length >= pages {
			break
		}
		run = s.record(run).next
	}
	if run != 0 && s.record(run).length >= pages {
		return run
	}
	if bin = b.after(bin); bin < 0 {
		return 0
	}
	return b.heads[bin]
}

// after is the first list above one that has a run; -1 is none.
func (b *bins) after(bin int) int {
	bin++
	for word := bin / 64; word < len(b.some); word++ {
		some := b.some[word]
		if word == bin/64 {
			some &= ^uint64(0) << (bin % 64)
		}
		if some != 0 {
			return word*64 + bits.TrailingZeros64(some)
		}
	}
	return -1
}

// longest is a run of the list of the longest; 0 is none.
func (b *bins) longest() uint32 {
	for word := len(b.some) - 1; word >= 0; word-- {
		if b.some[word] != 0 {
			return b.heads[word*64+bits.Len64(b.some[word])-1]
		}
	}
	return 0
}

func (b *bins) add(s *space, run, pages uint32) {
	bin := binOf(pages)
	s.push(&b.heads[bin], run)
	b.some[bin/64] |= 1 << (bin % 64)
	b.pages += pages
}

func (b *bins) remove(s *space, run, pages uint32) {
	bin := binOf(pages)
	s.unlink(&b.heads[bin], run)
	if b.heads[bin] == 0 {
		b.some[bin/64] &^= 1 << (bin % 64)
	}
	b.pages -= pages
}

// push puts a page in front of a list. Lists of free runs are guarded by the space's lock, lists of slabs by
// their pool's.
func (s *space) push(head *uint32, page uint32) {
	rec := s.record(page)
	rec.prev, rec.next = 0, *head
	if *head != 0 {
		s.record(*head).prev = page
	}
	*head = page
}

// unlink takes a page out of the list it is in.
func (s *space) unlink(head *uint32, page uint32) {
	rec := s.record(page)
	if rec.prev != 0 {
		s.record(rec.prev).next = rec.next
	} else {
		*head = rec.next
	}
	if rec.next != 0 {
		s.record(rec.next).prev = rec.prev
	}
}
