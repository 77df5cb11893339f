package zset

import (
	"bytes"
	"math"
)

// A Packer makes blocks as Detach gives them, one after another, of members that come in the order of a set. The zero Packer is
// ready for Begin.
type Packer struct {
	lp     listpack
	tuning *Tuning
	count  int
	score  float64 // of the last member
	last   int     // where that begins in the block
}

// Begin begins a block. The one before it is not valid any more.
func (p *Packer) Begin(t *Tuning) {
	const kept = 1 << 20
	if cap(p.lp.buf) > kept {
		p.lp.buf = nil
	}
	p.lp.buf = append(p.lp.buf[:0], 0, 0, 0, 0)
	p.tuning, p.count = t.orDefault(), 0
}

// Add appends a member. It reports false, with nothing done, when that does not come after the one before it, is there already,
// has no score, or is too long or one too many for a listpack: a set is what takes such members.
func (p *Packer) Add(member []byte, score float64) bool {
	lp, o := &p.lp, &p.tuning.options
	if math.IsNaN(score) || p.count >= o.ListpackMaxEntries || len(member) > o.ListpackMaxValueBytes ||
		len(lp.buf)+len(member) > listpackLimit {
		return false
	}
	if p.count > 0 {
		if score < p.score || score == p.score && bytes.Compare(member, lp.buf[p.last:]) <= 0 {
			return false
		}
		if _, _, there := lp.find(member); there {
			return false
		}
	}
	lp.buf = appendEntry(lp.buf, member, score)
	p.count++
	p.last, p.score = len(lp.buf)-len(member), score
	return true
}

// Block is what was added, nil when that is nothing. It is valid until the next Begin.
func (p *Packer) Block() []byte {
	if p.count == 0 {
		return nil
	}
	p.lp.setLen(p.count)
	return p.lp.buf
}
