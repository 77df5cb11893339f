package keyspace

import "math/rand/v2"

// What eviction needs of the tables. The partition is held for all of these.

// sample calls yield for n keys, those of a place drawn at random and the ones
// behind it, until it reports false: the order of keys is that of their hashes,
// so neighbours have nothing in common. There may be fewer keys than n.
func (p *partition) sample(rng *rand.Rand, n int, yield func(*Entry) bool) {
	if p.count == 0 {
		return
	}
	skip := rng.IntN(p.count)
	slot := 0
	for ; p.slots[slot] == nil || skip >= p.slots[slot].count; slot++ {
		if d := p.slots[slot]; d != nil {
			skip -= d.count
		}
	}
	for range slotsInPartition {
		if d := p.slots[slot]; d != nil {
			start := rng.IntN(len(d.buckets))
			for i := range d.buckets {
				for e := d.buckets[(start+i)%len(d.buckets)]; e != nil; e = e.next {
					if !yield(e) {
						return
					}
					if n--; n == 0 {
						return
					}
				}
			}
		}
		slot = (slot + 1) % slotsInPartition
	}
}

// sampleExpiring is sample among the keys that expire, and the one that does
// first.
func (p *partition) sampleExpiring(rng *rand.Rand, n int, yield func(*Entry) bool) {
	if len(p.due) == 0 {
		return
	}
	if n > 1 && !yield(p.due[0]) {
		return
	}
	for range min(n, len(p.due)) {
		if !yield(p.due[rng.IntN(len(p.due))]) {
			return
		}
	}
}

// at is the entry of that hash; nil when there is none.
func (p *partition) at(hash uint64) (found *Entry) {
	d := p.slots[hash%Slots%slotsInPartition]
	if d == nil {
		return nil
	}
	for e := d.buckets[hash>>d.shift()]; e != nil; e = e.next {
		if e.hash == hash {
			return e
		}
	}
	return nil
}
