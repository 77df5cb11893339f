package hashindex

// depthLimit bounds the directory, and with fractionBits how much of a hash decides where it is.
const depthLimit = 20

// entries are those of the directory for the hashes that begin with the upper depth bits of prefix.
func (ix *Index) entries(prefix uint32, depth int) []uint32 {
	count := 1 << (ix.depth - depth)
	first := int(uint64(prefix)>>(32-ix.depth)) &^ (count - 1)
	return ix.directory[first : first+count]
}

// divide puts two tables in the place of one.
func (ix *Index) divide(t *table, low, high table) {
	if int(t.depth) == ix.depth {
		ix.deepen()
	}
	number := uint32(len(ix.tables))
	entries := ix.entries(t.prefix, int(t.depth))
	for i := range entries[len(entries)/2:] {
		entries[len(entries)/2+i] = number
	}
	*t = low
	ix.tables = append(ix.tables, high)
	if int(low.depth) == ix.depth {
		ix.deepest += 2
	}
}

// deepen doubles the directory.
func (ix *Index) deepen() {
	directory := make([]uint32, 2*len(ix.directory))
	for i, number := range ix.directory {
		directory[2*i], directory[2*i+1] = number, number
	}
	ix.directory = directory
	ix.depth++
	ix.deepest = 0
}

// unite puts one table in the place of the two that have its hashes.
func (ix *Index) unite(joined table) {
	if int(joined.depth)+1 == ix.depth {
		ix.deepest -= 2
	}
	entries := ix.entries(joined.prefix, int(joined.depth))
	kept, freed := entries[0], entries[len(entries)-1]
	ix.tables[kept] = joined
	for i := range entries {
		entries[i] = kept
	}
	ix.forget(freed)
	for ix.deepest == 0 {
		ix.flatten()
	}
}

// forget gives the number of a table that is gone to the last one.
func (ix *Index) forget(number uint32) {
	last := uint32(len(ix.tables) - 1)
	if moved := ix.tables[last]; number != last {
		ix.tables[number] = moved
		entries := ix.entries(moved.prefix, int(moved.depth))
		for i := range entries {
			entries[i] = number
		}
	}
	ix.tables[last] = table{}
	ix.tables = ix.tables[:last]
	if cap(ix.tables) > 4*len(ix.tables) {
		ix.tables = append([]table(nil), ix.tables...)
	}
}

// flatten halves the directory, all of which no table needs.
func (ix *Index) flatten() {
	directory := make([]uint32, len(ix.directory)/2)
	for i := range directory {
		directory[i] = ix.directory[2*i]
	}
	ix.directory = directory
	ix.depth--
	for i := range ix.tables {
		if int(ix.tables[i].depth) == ix.depth {
			ix.deepest++
		}
	}
}
