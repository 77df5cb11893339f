package replication

import (
	"cmp"
	"slices"
	"sync"
)

// followers is those who follow the node.
type followers struct {
	mu   sync.Mutex
	all  map[*Follower]struct{} // guarded by mu
	last uint64                 // number given; guarded by mu
}

func (fs *followers) init() { fs.all = map[*Follower]struct{}{} }

func (fs *followers) add(f *Follower) {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	fs.last++
	f.number = fs.last
	fs.all[f] = struct{}{}
}

func (fs *followers) len() int {
	fs.mu.Lock()
	defer fs.mu.Unlock()
	return len(fs.all)
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

// Farewell closes a follower that is about to stop, by its run id.
func (s *State) Farewell(run string) {
	for _, f := range s.followers.list() {
		if f.RunID == run {
			f.Drop("it is about to stop")
		}
	}
}

// Followers is who follows the node, those first that came first.
func (s *State) Followers() []FollowerInfo {
	end, now := s.Offset(), s.options.Now()
	var all []FollowerInfo
	for _, f := range s.followers.list() {
		all = append(all, f.info(end, now))
	}
	return all
}

// Syncing is how many followers wait for all data, how many get it, and how much of it those have got.
func (s *State) Syncing() (waiting, sending int, keys, bytes int64) {
	for _, f := range s.followers.list() {
		switch f.Stage() {
		case Waiting:
			waiting++
		case Sending:
			sending++
			keys += f.keys.Load()
			bytes += f.bytes.Load()
		}
	}
	return waiting, sending, keys, bytes
}
