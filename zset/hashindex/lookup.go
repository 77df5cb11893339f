package hashindex

// A Probe goes through the candidates for a hash, that is all refs inserted under it and maybe others:
//
//	for p := ix.Probe(hash); ; p = p.Next() {
//		for m := p.Matches(); m != 0; m &= m - 1 {
//			if r := p.Ref(m); same(r) { … found }
//		}
//		if p.Last() { … not there }
//	}
//
// It is good until the index changes. It is a few words, and its methods are short, so that the compiler keeps it in registers:
// what takes a pointer to it would undo that.
type Probe struct {
	table    *table
	bucket   *[bucketBytes]byte
	fraction uint32
	at       int32
}

// Probe looks a hash up. The index must not be empty.
func (ix *Index) Probe(hash uint64) Probe {
	t := ix.tableOf(hash)
	fraction := t.fraction(hash)
	at := t.home(fraction)
	return Probe{t, (*[bucketBytes]byte)(t.Buf[at*bucketBytes:]), fraction, int32(at)}
}

// Matches are the slots of the bucket that p is at which may have what is looked for.
func (p Probe) Matches() Matches {
	return matches(p.bucket[:], uint64(tagOf(p.fraction))*lowBits)
}

// Ref is what the first of m refers to.
func (p Probe) Ref(m Matches) Ref { return bucketRef(p.bucket[:], m.slot()) }

// Last says that there are no more matches in buckets to come.
func (p Probe) Last() bool {
	return overflow(p.bucket[:]) == 0 || p.table.after(int(p.at)) == p.table.home(p.fraction)
}

// Next goes on to the next bucket.
func (p Probe) Next() Probe {
	p.at = int32(p.table.after(int(p.at)))
	p.bucket = (*[bucketBytes]byte)(p.table.bucket(int(p.at)))
	return p
}

// Candidates is a Probe that is at the first bucket with matches, if that is one of the first two, for those who content
// themselves with what is found mostly.
func (ix *Index) Candidates(hash uint64) (Probe, Matches) {
	p := ix.Probe(hash)
	m := p.Matches()
	if m == 0 && !p.Last() {
		p = p.Next()
		m = p.Matches()
	}
	return p, m
}

// Home is where the bucket of a hash begins and ends, to be fetched before a Probe: a table need not begin at a cache line,
// and then a bucket is on two. The index must not be empty.
func (ix *Index) Home(hash uint64) (first, last *byte) {
	t := ix.tableOf(hash)
	b := t.bucket(t.home(t.fraction(hash)))
	return &b[0], &b[bucketBytes-1]
}

// Touch brings the buckets of some hashes near, all at once: none of the reads waits for another.
func (ix *Index) Touch(hashes []uint64) {
	if len(ix.directory) == 0 {
		return
	}
	var sum uint8
	for _, hash := range hashes {
		t := ix.tableOf(hash)
		sum |= t.bucket(t.home(t.fraction(hash)))[0]
	}
	touched(sum)
}

//go:noinline
func touched(uint8) {}
