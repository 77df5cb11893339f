package contender

import "github.com/emirpasic/gods/trees/redblacktree"

type gods struct {
	tree   *redblacktree.Tree
	scores map[string]float64
}

func newGods(float64, uint64) Set {
	tree := redblacktree.NewWith(func(a, b any) int { return compare(a.(pair), b.(pair)) })
	return &gods{tree, map[string]float64{}}
}

func (g *gods) Add(member []byte, score float64) {
	old, ok := g.scores[string(member)]
	if !ok {
		g.put(string(member), score)
		return
	}
	g.move(member, old, score)
}

func (g *gods) Increment(member []byte, by float64) {
	old, ok := g.scores[string(member)]
	if !ok {
		g.put(string(member), by)
		return
	}
	g.move(member, old, old+by)
}

func (g *gods) put(member string, score float64) {
	g.scores[member] = score
	g.tree.Put(pair{score, member}, nil)
}

// move makes the member's string anew: the tree does not hand out what it removes.
func (g *gods) move(member []byte, old, score float64) {
	if old != score {
		g.tree.Remove(pair{old, view(member)})
		g.put(string(member), score)
	}
}

func (g *gods) Remove(member []byte) {
	g.tree.Remove(pair{g.scores[string(member)], view(member)})
	delete(g.scores, string(member))
}

func (g *gods) Score(member []byte) (float64, bool) {
	score, ok := g.scores[string(member)]
	return score, ok
}

func (g *gods) Rank(member []byte) (rank int) {
	it := g.tree.IteratorAt(g.tree.GetNode(pair{g.scores[string(member)], view(member)}))
	for it.Prev() {
		rank++
	}
	return rank
}

func (g *gods) SumRanks(start, count int) (int, float64) {
	c, it := collector{count: count}, g.tree.Iterator()
	for it.Next() {
		if start--; start >= 0 {
			continue
		}
		if !c.take(it.Key().(pair)) {
			break
		}
	}
	return c.n, c.total
}

func (g *gods) SumScores(from float64, count int) (int, float64) {
	c := collector{count: count}
	g.ascend(from, c.take)
	return c.n, c.total
}

func (g *gods) ascend(from float64, each func(pair) bool) {
	node, ok := g.tree.Ceiling(pair{score: from})
	if !ok {
		return
	}
	for it := g.tree.IteratorAt(node); each(it.Key().(pair)) && it.Next(); {
	}
}

func (g *gods) Visit(from float64, count int, each func([]byte, float64)) {
	g.ascend(from, func(p pair) bool {
		each(bytesOf(p.member), p.score)
		count--
		return count > 0
	})
}

func (g *gods) PopMin() (float64, int) {
	p := g.tree.Left().Key.(pair)
	g.tree.Remove(p)
	delete(g.scores, p.member)
	return p.score, len(p.member)
}

func (g *gods) RemoveScores(low, high float64) int {
	var gone []pair
	g.ascend(low, func(p pair) bool {
		if p.score >= high {
			return false
		}
		gone = append(gone, p)
		return true
	})
	for _, p := range gone {
		g.tree.Remove(p)
		delete(g.scores, p.member)
	}
	return len(gone)
}

func (g *gods) Len() int   { return g.tree.Size() }
func (g *gods) Bytes() int { return 0 }
func (g *gods) Release()   { *g = gods{} }
