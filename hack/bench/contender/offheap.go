package contender

import (
	"zset.dev/operator/zset"
	"zset.dev/operator/zset/slab"
)

// heap has the memory of all sets of this process that are outside the Go heap, as a node has one for all its keys;
// hugeHeap is one with huge pages.
var heap, hugeHeap = slab.New(slab.Options{}), slab.New(slab.Options{HugePages: true})

// newOffHeap makes the skip list of newZset with memory from h.
func newOffHeap(h *slab.Heap) func(float64, uint64) Set {
	return func(p float64, _ uint64) Set {
		o := zset.DefaultOptions()
		o.P, o.ListpackMaxEntries = p, 0
		t := tuning(o)
		return engine{zset.NewIn(zset.OffHeap(h), t), t}
	}
}

// slotted is a listpack as a node has it: its bytes are in a slab slot, and one Set, attached to them in turn, works on
// all.
type slotted struct {
	ref   slab.Ref
	block []byte // of the slot, as long as it is used
}

// worker is that one Set.
var worker = func() engine {
	o := zset.DefaultOptions()
	o.ListpackMaxEntries = 1 << 30
	t := tuning(o)
	return engine{zset.New(t), t}
}()

func newSlotted(float64, uint64) Set { return &slotted{} }

// Resize is for zset.Room.
func (s *slotted) Resize(block []byte, size int) []byte {
	ref, b, err := heap.Alloc(size)
	if err != nil {
		return nil
	}
	n := copy(b, block)
	heap.Free(s.ref)
	s.ref = ref
	return b[:n]
}

// attach is followed by detach, when the worker has done something.
func (s *slotted) attach() engine {
	worker.Attach(s.block, s)
	return worker
}

func (s *slotted) detach() {
	if s.block, _ = worker.Detach(); s.block == nil {
		heap.Free(s.ref)
		s.ref = 0
	}
}

func (s *slotted) Add(member []byte, score float64) {
	s.attach().Add(member, score)
	s.detach()
}

func (s *slotted) Increment(member []byte, by float64) {
	s.attach().Increment(member, by)
	s.detach()
}

func (s *slotted) Remove(member []byte) {
	s.attach().Remove(member)
	s.detach()
}

func (s *slotted) Score(member []byte) (float64, bool) {
	defer s.detach()
	return s.attach().Score(member)
}

func (s *slotted) Rank(member []byte) int {
	defer s.detach()
	return s.attach().Rank(member)
}

func (s *slotted) SumRanks(start, count int) (int, float64) {
	defer s.detach()
	return s.attach().SumRanks(start, count)
}

func (s *slotted) SumScores(from float64, count int) (int, float64) {
	defer s.detach()
	return s.attach().SumScores(from, count)
}

// Visit reads from a Set of its own, as each may use another slotted set.
func (s *slotted) Visit(from float64, count int, each func(member []byte, score float64)) {
	reader := engine{zset.New(worker.tuning), worker.tuning}
	reader.Attach(s.block, s)
	reader.Visit(from, count, each)
}

func (s *slotted) PopMin() (float64, int) {
	defer s.detach()
	return s.attach().PopMin()
}

func (s *slotted) RemoveScores(low, high float64) int {
	defer s.detach()
	return s.attach().RemoveScores(low, high)
}

func (s *slotted) Len() int { return zset.PackedLen(s.block) }

// Bytes is the whole slot.
func (s *slotted) Bytes() int { return len(heap.Bytes(s.ref)) }

func (s *slotted) Release() {
	heap.Free(s.ref)
	*s = slotted{}
}
