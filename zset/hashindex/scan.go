package hashindex

// Positions is the end of all positions. A position stands for the hashes whose upper bits it is; the order of hashes
// does not depend on tables, so positions mean the same after the index has grown or shrunk.
const Positions uint64 = 1 << positionBits

const positionBits = depthLimit + fractionBits

// PositionOf is where a hash is.
func PositionOf(hash uint64) uint64 { return hash >> (64 - positionBits) }

// Scan gives to yield what is at positions from from on, and says where to go on: before to, which is at most Positions,
// until nothing before it is left. It gives whole buckets until they had count refs, or were as many as count, when
// most are empty. What is in the index from the first such call to the last is given exactly once, what was removed and inserted
// meanwhile maybe more than once. After yield has changed the index it must return false, which ends the call;
// what else there was before next is then left out.
func (ix *Index) Scan(from, to uint64, count int, h Hasher, yield func(Ref) bool) (next uint64) {
	if len(ix.directory) == 0 {
		return to
	}
	for given, seen := 0, 0; from < to && (seen == 0 || given < count && seen < count); seen++ {
		t := ix.tableOf(from << (64 - positionBits))
		home := t.home(t.fraction(from << (64 - positionBits)))
		next = min(t.firstPosition(home+1), to)
		for at := home; ; {
			b := t.bucket(at)
			for slot := range bucketSlots {
				if b[slot] == 0 {
					continue
				}
				r := bucketRef(b, slot)
				if p := PositionOf(h.HashOf(r)); from <= p && p < next {
					if given++; !yield(r) {
						return next
					}
				}
			}
			if overflow(b) == 0 {
				break
			}
			if at = t.after(at); at == home {
				break
			}
		}
		from = next
	}
	return min(from, to)
}

// firstPosition is the least position whose home is the given bucket or beyond it; where there is no such bucket, the
// first of the next table.
func (t *table) firstPosition(bucket int) uint64 {
	return uint64(t.prefix)<<(positionBits-32) + uint64(t.least(bucket))<<(positionBits-fractionBits-t.depth)
}
