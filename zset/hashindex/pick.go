package hashindex

import "math/rand/v2"

// Pick is one of the refs, each about as likely as any other; ok is false when there are none. It takes bounded time: where
// few slots of large tables are in use, the odds are less even.
func (ix *Index) Pick(random *rand.Rand) (r Ref, ok bool) {
	const tries = 64
	limit := ix.largest()
	for range tries {
		if len(ix.tables) == 0 {
			return 0, false
		}
		// A table with half as much in it as another is to be chosen half as often.
		t := &ix.tables[random.IntN(len(ix.tables))]
		if random.IntN(limit) >= int(t.used) {
			continue
		}
		for range tries {
			slot := random.IntN(bucketSlots)
			if b := t.bucket(random.IntN(int(t.buckets))); b[slot] != 0 {
				return bucketRef(b, slot), true
			}
		}
	}
	return ix.first(random)
}

// largest is how many refs the fullest table has, or of many tables, how many one of usual size may have.
func (ix *Index) largest() int {
	if len(ix.tables) > 16 {
		return fullTable(tableBuckets)
	}
	most := 1
	for i := range ix.tables {
		most = max(most, int(ix.tables[i].used))
	}
	return most
}

// first is the first ref in some table, or in those behind it.
func (ix *Index) first(random *rand.Rand) (r Ref, ok bool) {
	start := random.IntN(len(ix.tables))
	for i := range ix.tables {
		for r := range ix.tables[(start+i)%len(ix.tables)].refs {
			return r, true
		}
	}
	return 0, false
}
