package replication

import (
	"cmp"
	"slices"
	"sync"
)

// followers is those who follow the node.
type followers struct {
	mu  sync.Mutex
	all map[*Follower]struct{} // guarded by mu
}

func (fs *followers) init(Options) { fs.all = map[*Follower]struct{}{} }

func (fs *followers) add(f *Follower) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.all[f] = struct{}{}
}

func (fs *followers) remove(f *Follower) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	delete(fs.all, f)
}

// list is all of them, those first that came first.
func (fs *followers) list() []*Follower {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	all := make([]*Follower, 0, len(fs.all))
	for f := range fs.all {
		all = append(all, f)
	}
	slices.SortFunc(all, func(a, b *Follower) int { return cmp.Compare(a.number, b.number) })
	return all
}

// dropAll closes all of them.
func (fs *followers) dropAll(why string) {
	for _, f := range fs.list() {
		f.Drop(why)
	}
}
