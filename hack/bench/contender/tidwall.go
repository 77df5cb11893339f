package contender

import (
	"sort"

	"github.com/tidwall/btree"
)

type tidwall struct {
	tree   *btree.BTreeG[pair]
	scores map[string]float64
}

func newTidwall(float64, uint64) Set {
	return &tidwall{btree.NewBTreeGOptions(before, btree.Options{NoLocks: true}), map[string]float64{}}
}

func (t *tidwall) Add(member []byte, score float64) {
	old, ok := t.scores[string(member)]
	if !ok {
		t.put(string(member), score)
		return
	}
	t.move(member, old, score)
}

func (t *tidwall) Increment(member []byte, by float64) {
	old, ok := t.scores[string(member)]
	if !ok {
		t.put(string(member), by)
		return
	}
	t.move(member, old, old+by)
}

func (t *tidwall) put(member string, score float64) {
	t.scores[member] = score
	t.tree.Set(pair{score, member})
}

func (t *tidwall) move(member []byte, old, score float64) {
	if old != score {
		was, _ := t.tree.Delete(pair{old, view(member)})
		t.put(was.member, score)
	}
}

func (t *tidwall) Remove(member []byte) {
	t.tree.Delete(pair{t.scores[string(member)], view(member)})
	delete(t.scores, string(member))
}

func (t *tidwall) Score(member []byte) (float64, bool) {
	score, ok := t.scores[string(member)]
	return score, ok
}

// Rank searches by halves: the tree finds what is at a rank, but not the rank of what it finds.
func (t *tidwall) Rank(member []byte) int {
	wanted := pair{t.scores[string(member)], view(member)}
	return sort.Search(t.tree.Len(), func(i int) bool {
		p, _ := t.tree.GetAt(i)
		return !before(p, wanted)
	})
}

func (t *tidwall) SumRanks(start, count int) (int, float64) {
	first, ok := t.tree.GetAt(start)
	if !ok {
		return 0, 0
	}
	c := collector{count: count}
	t.tree.Ascend(first, c.take)
	return c.n, c.total
}

func (t *tidwall) SumScores(from float64, count int) (int, float64) {
	c := collector{count: count}
	t.tree.Ascend(pair{score: from}, c.take)
	return c.n, c.total
}

func (t *tidwall) Visit(from float64, count int, each func([]byte, float64)) {
	t.tree.Ascend(pair{score: from}, func(p pair) bool {
		each(bytesOf(p.member), p.score)
		count--
		return count > 0
	})
}

func (t *tidwall) PopMin() (float64, int) {
	p, _ := t.tree.PopMin()
	delete(t.scores, p.member)
	return p.score, len(p.member)
}

func (t *tidwall) RemoveScores(low, high float64) int {
	gone := t.tree.DeleteRange(pair{score: low}, pair{score: high}, nil)
	gone.Scan(func(p pair) bool {
		delete(t.scores, p.member)
		return true
	})
	return gone.Len()
}

func (t *tidwall) Len() int   { return t.tree.Len() }
func (t *tidwall) Bytes() int { return 0 }
func (t *tidwall) Release()   { *t = tidwall{} }
