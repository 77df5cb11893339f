package hashindex

// All is every ref, in no particular order. It asks for no hashes. The index must not change meanwhile, though what the
// refs refer to may go.
func (ix *Index) All(yield func(Ref) bool) {
	for i := range ix.tables {
		for r := range ix.tables[i].refs {
			if !yield(r) {
				return
			}
		}
	}
}
