package hashindex

// A Probe goes through the candidates for a hash, that is all refs inserted under it and maybe others:
//
//	for p := ix.Probe(hash); ; {
//		for m := p.Matches(); m != 0; m &= m - 1 {
//			if r := p.Ref(m); same(r) { … found }
//		}
//		if !p.Next() { … not there }
//	}
//
// It is good until the index changes.
type Probe struct {
	table   *table
	bucket  []byte
	pattern uint64 // eight copies of the tag
	at      int
	left    int // buckets to come, this one included
}

// Probe looks a hash up.
func (ix *Index) Probe(hash uint64) Probe {
	if len(ix.directory) == 0 {
		return Probe{bucket: empty[:], pattern: lowBits}
	}
	t := ix.tableOf(hash)
	fraction := t.fraction(hash)
	home := t.home(fraction)
	return Probe{t, t.bucket(home), uint64(tagOf(fraction)) * lowBits, home, int(t.buckets)}
}

// empty is a bucket with nothing in it, which nobody writes to.
var empty [bucketBytes]byte

// Matches are the slots of the bucket that p is at which may have what is looked for.
func (p *Probe) Matches() Matches { return matches(p.bucket, p.pattern) }

// Ref is what the first of m refers to.
func (p *Probe) Ref(m Matches) Ref { return bucketRef(p.bucket, m.slot()) }

// Next goes on to the next bucket, unless there can be no more matches.
func (p *Probe) Next() bool {
	if overflow(p.bucket) == 0 {
		return false
	}
	return p.advance()
}

func (p *Probe) advance() bool {
	if p.left--; p.left == 0 {
		return false
	}
	p.at = p.table.after(p.at)
	p.bucket = p.table.bucket(p.at)
	return true
}
