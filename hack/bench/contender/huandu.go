package contender

import (
	"math/rand"

	"github.com/huandu/skiplist"
)

// huandu's map leads to the list's elements, which hold the score: a lookup by member then needs no second map.
type huandu struct {
	list     *skiplist.SkipList
	elements map[string]*skiplist.Element
}

// byScore orders pairs for the list, which compares scores first.
type byScore struct{}

func (byScore) Compare(a, b any) int        { return compare(a.(pair), b.(pair)) }
func (byScore) CalcScore(key any) float64   { return key.(pair).score }
func pairOf(element *skiplist.Element) pair { return element.Key().(pair) }

func newHuandu(_ float64, seed uint64) Set {
	list := skiplist.New(byScore{})
	list.SetRandSource(rand.NewSource(int64(seed)))
	return &huandu{list, map[string]*skiplist.Element{}}
}

func (h *huandu) Add(member []byte, score float64) {
	element, ok := h.elements[string(member)]
	if !ok {
		h.put(string(member), score)
		return
	}
	h.move(element, score)
}

func (h *huandu) Increment(member []byte, by float64) {
	element, ok := h.elements[string(member)]
	if !ok {
		h.put(string(member), by)
		return
	}
	h.move(element, pairOf(element).score+by)
}

func (h *huandu) put(member string, score float64) {
	h.elements[member] = h.list.Set(pair{score, member}, nil)
}

func (h *huandu) move(element *skiplist.Element, score float64) {
	if p := pairOf(element); p.score != score {
		h.list.RemoveElement(element)
		h.put(p.member, score)
	}
}

func (h *huandu) Remove(member []byte) {
	h.list.RemoveElement(h.elements[string(member)])
	delete(h.elements, string(member))
}

func (h *huandu) Score(member []byte) (float64, bool) {
	element, ok := h.elements[string(member)]
	if !ok {
		return 0, false
	}
	return pairOf(element).score, true
}

func (h *huandu) Rank(member []byte) (rank int) {
	for e := h.elements[string(member)].Prev(); e != nil; e = e.Prev() {
		rank++
	}
	return rank
}

func (h *huandu) SumRanks(start, count int) (int, float64) {
	e := h.list.Front()
	for ; start > 0 && e != nil; start-- {
		e = e.Next()
	}
	return sumFrom(e, count)
}

func (h *huandu) SumScores(from float64, count int) (int, float64) {
	return sumFrom(h.list.Find(pair{score: from}), count)
}

func sumFrom(e *skiplist.Element, count int) (int, float64) {
	c := collector{count: count}
	for ; e != nil && c.take(pairOf(e)); e = e.Next() {
	}
	return c.n, c.total
}

func (h *huandu) Visit(from float64, count int, each func([]byte, float64)) {
	for e := h.list.Find(pair{score: from}); e != nil && count > 0; e = e.Next() {
		p := pairOf(e)
		each(bytesOf(p.member), p.score)
		count--
	}
}

func (h *huandu) PopMin() (float64, int) {
	p := pairOf(h.list.RemoveFront())
	delete(h.elements, p.member)
	return p.score, len(p.member)
}

func (h *huandu) RemoveScores(low, high float64) (n int) {
	e := h.list.Find(pair{score: low})
	for e != nil {
		p, next := pairOf(e), e.Next()
		if p.score >= high {
			break
		}
		h.list.RemoveElement(e)
		delete(h.elements, p.member)
		e = next
		n++
	}
	return n
}

func (h *huandu) Len() int   { return h.list.Len() }
func (h *huandu) Bytes() int { return 0 }
func (h *huandu) Release()   { *h = huandu{} }
