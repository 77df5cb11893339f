package replog

// A History says which log a node has: the bytes up to some offset may be those of a log with another name, which this
// one went on from when another node became primary.
//
//	    Previous            ID
//	───────────────────┼──────────────►
//	                 Until           offset
//
// The names are replication ids as the PSYNC protocol has them: 40 hexadecimal digits, made at random.
type History struct {
	ID       string
	Previous string // empty when there is none
	Until    int64  // the offset of the first byte that Previous does not have
}

// Has reports whether the history of that name is the same as h up to offset, that of the next byte wanted: so
// that whoever has it up to there can go on with h.
func (h History) Has(id string, offset int64) bool {
	return id != "" && (id == h.ID || id == h.Previous && offset <= h.Until)
}

// Branch is the history that goes on as id from the offset of the next byte.
func (h History) Branch(id string, next int64) History {
	return History{ID: id, Previous: h.ID, Until: next}
}
