package yardstick

import "iter"

// FromRank gives the members from a rank on, in order. Their bytes are good until the list changes, which it must
// not meanwhile.
func (l *List) FromRank(rank int) iter.Seq2[[]byte, float64] { return l.ascend(l.seekRank(rank)) }

// FromScore gives the members from a score on, in order, as FromRank.
func (l *List) FromScore(score float64) iter.Seq2[[]byte, float64] {
	_, r := l.seek(score, nil)
	return l.ascend(r)
}

func (l *List) ascend(r ref) iter.Seq2[[]byte, float64] {
	return func(yield func([]byte, float64) bool) {
		for r != 0 {
			nd := node(l.arena.at(r))
			if !yield(l.member(nd), nd.score()) {
				return
			}
			r = nd.next(0)
		}
	}
}

// RemoveRanks takes out the members with ranks from start up to end, which must be there: unlinked at once on
// each level, then one after the other from the index.
func (l *List) RemoveRanks(start, end int) {
	r := l.cut(start, end)
	for range end - start {
		nd := node(l.arena.at(r))
		next := nd.next(0)
		slot, _, _ := l.find(l.member(nd))
		l.index.remove(slot, l.hashOf)
		l.discard(r, nd)
		r = next
	}
}

// RemoveScores takes out the members with scores from low up to but not including high, and says how many.
func (l *List) RemoveScores(low, high float64) int {
	start, _ := l.seek(low, nil)
	end, _ := l.seek(high, nil)
	if start < end {
		l.RemoveRanks(start, end)
	}
	return max(end-start, 0)
}

// cut unlinks the nodes with ranks from start up to end and gives the first; they keep the links between them.
func (l *List) cut(start, end int) (first ref) {
	var low, high path
	l.traceRank(start, &low)
	l.traceRank(end, &high)
	first = l.from(low.prev[0]).next(0)
	for level := range l.levels {
		// The level's last node before the end of the run is in the run, or it is the one before the run.
		prev, last := l.from(low.prev[level]), l.from(high.prev[level])
		past := high.rank[level] + last.span(level)
		prev.setNext(level, last.next(level))
		prev.setSpan(level, past-low.rank[level]-(end-start))
	}
	if next := l.from(low.prev[0]).next(0); next != 0 {
		node(l.arena.at(next)).setBack(low.prev[0])
	}
	l.lower()
	return first
}

// traceRank finds the path to the node that has rank members before it.
func (l *List) traceRank(rank int, p *path) {
	nd, prev, seen := l.head, ref(0), 0
	for level := l.levels - 1; level >= 0; level-- {
		for {
			next := nd.next(level)
			span := nd.span(level)
			if next == 0 || seen+span > rank {
				break
			}
			seen += span
			nd, prev = l.arena.at(next), next
		}
		p.prev[level], p.rank[level] = prev, seen
	}
}
