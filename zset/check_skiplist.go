package zset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
)

func (l *skipList) check() error {
	nodes, err := l.checkOrder()
	if err != nil {
		return err
	}
	return errors.Join(l.checkLevels(nodes), l.checkIndex(nodes), l.checkArena(nodes))
}

// checkOrder walks the lowest level, and gives the refs of all nodes in order.
func (l *skipList) checkOrder() ([]ref, error) {
	var nodes []ref
	prev := ref(0)
	for r := l.head.next(0); r != 0; r = l.at(r).next(0) {
		nd := l.at(r)
		if back := nd.back(); back != prev {
			return nil, fmt.Errorf("node %d of %d: back is %d, want %d", len(nodes), r, back, prev)
		}
		if math.IsNaN(nd.score()) {
			return nil, fmt.Errorf("node %d: score is not a number", len(nodes))
		}
		if b := (bound{score: nd.score(), member: nd.member()}); prev != 0 && !l.at(prev).before(&b) {
			return nil, fmt.Errorf("node %d: member %q with score %v is out of order", len(nodes), b.member, b.score)
		}
		nodes = append(nodes, r)
		prev = r
	}
	if l.last != prev {
		return nil, fmt.Errorf("last is %d, want %d", l.last, prev)
	}
	if len(nodes) == 0 {
		return nil, errors.New("a skip list without members")
	}
	return nodes, nil
}

// checkLevels builds the links of all levels from the nodes' order and height, and compares.
func (l *skipList) checkLevels(nodes []ref) error {
	top := 1
	prev, rank := make([]ref, levelsLimit), make([]int, levelsLimit)
	expect := func(level int, next ref, span int) error {
		nd := l.from(prev[level])
		if nd.next(level) != next {
			return fmt.Errorf("level %d, rank %d: next is %d, want %d", level, rank[level], nd.next(level), next)
		}
		if level > 0 && nd.span(level) != span {
			return fmt.Errorf("level %d, rank %d: span is %d, want %d", level, rank[level], nd.span(level), span)
		}
		return nil
	}
	for i, r := range nodes {
		levels := l.at(r).levels()
		if levels > l.levels {
			return fmt.Errorf("node %d has %d levels, the list %d", i, levels, l.levels)
		}
		top = max(top, levels)
		for level := range levels {
			if err := expect(level, r, i+1-rank[level]); err != nil {
				return err
			}
			prev[level], rank[level] = r, i+1
		}
	}
	if l.levels != top {
		return fmt.Errorf("list has %d levels, its tallest node %d", l.levels, top)
	}
	for level := range l.levels {
		if err := expect(level, 0, len(nodes)-rank[level]); err != nil {
			return err
		}
	}
	return nil
}

// checkIndex finds each node, and nothing else.
func (l *skipList) checkIndex(nodes []ref) error {
	ix := &l.index
	if ix.used != len(nodes) {
		return fmt.Errorf("index has %d members, list %d", ix.used, len(nodes))
	}
	if indexFull(ix.slots(), ix.used) || indexEmpty(ix.slots(), ix.used) {
		return fmt.Errorf("index has %d slots for %d members", ix.slots(), ix.used)
	}
	for i, r := range nodes {
		if _, found, _ := l.find(l.at(r).member()); found != r {
			return fmt.Errorf("node %d: index finds %d, want %d", i, found, r)
		}
	}
	taken := 0
	for slot, r := range ix.refs {
		if (r != 0) != (ix.tags[slot] != 0) {
			return fmt.Errorf("slot %d: ref %d with tag %#x", slot, r, ix.tags[slot])
		}
		if r != 0 {
			taken++
		}
	}
	if taken != ix.used {
		return fmt.Errorf("index has %d slots taken for %d members", taken, ix.used)
	}
	if !slices.Equal(ix.tags[:tagGroup-1], ix.tags[ix.slots():]) {
		return errors.New("index: tags at the end are not those of the beginning")
	}
	return nil
}

// block is a stretch of an arena.
type block struct {
	start, size int // units
	kind        string
}

// checkArena accounts for each unit: it belongs to one node or one free block.
func (l *skipList) checkArena(nodes []ref) error {
	a := &l.arena
	blocks := []block{{0, 1, "nil"}}
	live := 0
	for _, r := range nodes {
		size := blockBytes(l.at(r).bytes())
		live += size
		blocks = append(blocks, block{int(r), size / unitBytes, "node"})
	}
	if a.live != live {
		return fmt.Errorf("arena has %d bytes live, want %d", a.live, live)
	}
	held := 0
	for _, chunk := range a.chunks {
		held += cap(chunk)
	}
	if a.held != held {
		return fmt.Errorf("arena holds %d bytes, want %d", a.held, held)
	}
	blocks, err := a.freeBlocks(blocks)
	if err != nil {
		return err
	}
	slices.SortFunc(blocks, func(x, y block) int { return x.start - y.start })
	return a.checkTiling(blocks)
}

// freeBlocks appends all free blocks.
func (a *arena) freeBlocks(blocks []block) ([]block, error) {
	some := uint64(0)
	for class, r := range a.free {
		if r != 0 && class <= exactUnits {
			some |= 1 << (class - 1)
		}
		for ; r != 0; r = ref(binary.LittleEndian.Uint32(a.at(r))) {
			blocks = append(blocks, block{int(r), classUnits(class), "free block"})
			if len(blocks) > a.held/unitBytes {
				return nil, fmt.Errorf("arena: free blocks of class %d go in a circle", class)
			}
		}
	}
	if a.some != some {
		return nil, fmt.Errorf("arena: classes marked as having some are %b, want %b", a.some, some)
	}
	return blocks, nil
}

// classUnits is the size of blocks of a class: the inverse of sizeClass.
func classUnits(class int) int {
	if class <= exactUnits {
		return class
	}
	above := class - exactUnits - 1
	return (above%8 + 9) << (above/8 + 3)
}

// checkTiling holds blocks in order against the filled parts of the chunks.
func (a *arena) checkTiling(blocks []block) error {
	for number, chunk := range a.chunks {
		at, end := number<<chunkShift, number<<chunkShift+len(chunk)/unitBytes
		for at < end {
			if len(blocks) == 0 || blocks[0].start != at {
				return fmt.Errorf("arena: unit %d belongs to nothing, next are %v", at, blocks[:min(len(blocks), 2)])
			}
			at += blocks[0].size
			blocks = blocks[1:]
		}
		if at != end {
			return fmt.Errorf("arena: chunk %d ends at %d, its last block at %d", number, end, at)
		}
	}
	return nil // no block is left: all were read, so they lie in chunks
}
