package keyspace

import (
	"math/rand/v2"

	"zset.dev/operator/zset/slab"
)

// What eviction needs of the tables. The partition is held for all of these.

// sample calls yield for n keys drawn at random, of which some may be the same,
// until it reports false.
func (p *partition) sample(rng *rand.Rand, n int, yield func(*Entry) bool) {
	for range n {
		ref, ok := p.index.Pick(rng)
		if !ok || !p.give(slab.Ref(ref), yield) {
			return
		}
	}
}

// sampleExpiring is sample among the keys that expire, and the one that does
// first.
func (p *partition) sampleExpiring(rng *rand.Rand, n int, yield func(*Entry) bool) {
	if len(p.due) == 0 {
		return
	}
	if n > 1 && !p.give(p.due[0], yield) {
		return
	}
	for range min(n, len(p.due)) {
		if !p.give(p.due[rng.IntN(len(p.due))], yield) {
			return
		}
	}
}

func (p *partition) give(ref slab.Ref, yield func(*Entry) bool) bool {
	e := Entry{}
	e.open(p, p.locate(ref), false)
	return yield(&e)
}

// at is the record of that hash, of which there is hardly ever a second.
func (p *partition) at(hash uint64) (found located, ok bool) {
	if p.count == 0 {
		return located{}, false
	}
	for probe := p.index.Probe(hash); ; probe = probe.Next() {
		for m := probe.Matches(); m != 0; m &= m - 1 {
			if ref := probe.Ref(m); p.HashOf(ref) == hash {
				return located{slab.Ref(ref), hash, p.record(slab.Ref(ref))}, true
			}
		}
		if probe.Last() {
			return located{}, false
		}
	}
}
