package contender

import "github.com/google/btree"

type google struct {
	tree   *btree.BTreeG[pair]
	scores map[string]float64
}

func newGoogle(float64, uint64) Set {
	return &google{btree.NewG(32, before), map[string]float64{}}
}

func (g *google) Add(member []byte, score float64) {
	old, ok := g.scores[string(member)]
	if !ok {
		g.put(string(member), score)
		return
	}
	g.move(member, old, score)
}

func (g *google) Increment(member []byte, by float64) {
	old, ok := g.scores[string(member)]
	if !ok {
		g.put(string(member), by)
		return
	}
	g.move(member, old, old+by)
}

func (g *google) put(member string, score float64) {
	g.scores[member] = score
	g.tree.ReplaceOrInsert(pair{score, member})
}

func (g *google) move(member []byte, old, score float64) {
	if old != score {
		was, _ := g.tree.Delete(pair{old, view(member)})
		g.put(was.member, score)
	}
}

func (g *google) Remove(member []byte) {
	g.tree.Delete(pair{g.scores[string(member)], view(member)})
	delete(g.scores, string(member))
}

func (g *google) Score(member []byte) (float64, bool) {
	score, ok := g.scores[string(member)]
	return score, ok
}

func (g *google) Rank(member []byte) (rank int) {
	g.tree.AscendLessThan(pair{g.scores[string(member)], view(member)}, func(pair) bool {
		rank++
		return true
	})
	return rank
}

func (g *google) SumRanks(start, count int) (int, float64) {
	c := collector{count: count}
	g.tree.Ascend(func(p pair) bool {
		if start--; start >= 0 {
			return true
		}
		return c.take(p)
	})
	return c.n, c.total
}

func (g *google) SumScores(from float64, count int) (int, float64) {
	c := collector{count: count}
	g.tree.AscendGreaterOrEqual(pair{score: from}, c.take)
	return c.n, c.total
}

func (g *google) Visit(from float64, count int, each func([]byte, float64)) {
	g.tree.AscendGreaterOrEqual(pair{score: from}, func(p pair) bool {
		each(bytesOf(p.member), p.score)
		count--
		return count > 0
	})
}

func (g *google) PopMin() (float64, int) {
	p, _ := g.tree.DeleteMin()
	delete(g.scores, p.member)
	return p.score, len(p.member)
}

func (g *google) RemoveScores(low, high float64) int {
	var gone []pair // the tree must not change while it is walked
	g.tree.AscendRange(pair{score: low}, pair{score: high}, func(p pair) bool {
		gone = append(gone, p)
		return true
	})
	for _, p := range gone {
		g.tree.Delete(p)
		delete(g.scores, p.member)
	}
	return len(gone)
}

func (g *google) Len() int   { return g.tree.Len() }
func (g *google) Bytes() int { return 0 }
func (g *google) Release()   { *g = google{} }
