package zset

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// A history is a run of operations, read from bytes of any content, that is done to a set and to a model at once.
// After each operation everything that can be asked of the set is held against the model, and the set's own
// books are checked.
type history struct {
	t     testing.TB
	rest  []byte
	set   *Set
	model *model
	// memory is the set's, nil for the Go heap.
	memory *testMemory
	// log is what was done so far, for the report of a failure.
	log []string
}

// newHistory takes the set's seed from the first bytes of the history itself.
func newHistory(t testing.TB, ops []byte) *history {
	h := &history{t: t, rest: ops, model: newModel()}
	h.set = NewSeeded(nil, uint64(h.byte())<<8|uint64(h.byte()))
	if h.set.changes%2 == 1 {
		h.memory = newTestMemory()
		h.set.memory = h.memory
	}
	return h
}

func (h *history) byte() int {
	if len(h.rest) == 0 {
		return 0
	}
	b := h.rest[0]
	h.rest = h.rest[1:]
	return int(b)
}

func (h *history) fail(format string, args ...any) {
	h.t.Helper()
	for i, op := range h.log[max(0, len(h.log)-30):] {
		h.t.Logf("%4d %s", i, op)
	}
	h.t.Fatalf("after %d operations: %s", len(h.log), fmt.Sprintf(format, args...))
}

// member draws from a few dozen, so that they meet: short ones, the empty one, some that are prefixes of others,
// some of extreme bytes, and some of the lengths where fields of a listpack or a node change their size.
func (h *history) member() []byte {
	switch b := h.byte(); {
	case b < 200:
		return fmt.Appendf(nil, "m%d", b%67)
	case b < 210:
		return bytes.Repeat([]byte{0xff}, b-200)
	case b < 220:
		return make([]byte, b-210)
	case b < 240:
		return bytes.Repeat([]byte("long"), (b-220)*4)
	default:
		return bytes.Repeat([]byte{'x'}, []int{62, 63, 64, 65, 110, 120, 121, 124, 125, 127, 128, 129, 250, 300, 1000, 5000}[b-240])
	}
}

var notableScores = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 63, 64, -64, -65, 8191, 8192, 1e5, 3.3, 1e18, 1e19, 1 << 53, 1<<53 + 2,
	1 << 54, 1<<55 - 4, 1 << 55, 1 << 56, -(1 << 55), -(1 << 54), math.MaxFloat64, -math.MaxFloat64,
	math.SmallestNonzeroFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 1.7e12, 1785412345.678,
}

func (h *history) score() float64 {
	b := h.byte()
	if b < 200 {
		return float64(b%40) / 4
	}
	return notableScores[b%len(notableScores)]
}

var historyTunings = []Options{
	DefaultOptions(),
	{P: 0.25, MaxLevel: 32, BlockEntries: 8, ListpackMaxEntries: 8, ListpackMaxValueBytes: 64},
	{P: 0.5, MaxLevel: 3, BlockEntries: 4, ListpackMaxEntries: 0, ListpackMaxValueBytes: 0},
	{P: 0.75, MaxLevel: 64, BlockEntries: 12, ListpackMaxEntries: 20, ListpackMaxValueBytes: 8},
	{P: 0.01, MaxLevel: 1, BlockEntries: 240, ListpackMaxEntries: 1000, ListpackMaxValueBytes: 10000},
}

// step does one operation; it is false when the history has ended.
func (h *history) step() bool {
	if len(h.rest) == 0 {
		return false
	}
	switch op := h.byte() % 16; op {
	case 0, 1, 2, 3, 4, 5, 6:
		h.add()
	case 7, 8:
		h.remove()
	case 9:
		r := ScoreRange{Min: h.score(), Max: h.score(), MinExclusive: h.byte()%2 == 1, MaxExclusive: h.byte()%2 == 1}
		start, end := h.model.byScore(r)
		h.ranged(fmt.Sprintf("ByScore(%+v)", r), h.set.ByScore(r), start, end)
	case 10:
		r := LexRange{Min: h.lexBound(), Max: h.lexBound()}
		got := h.set.ByLex(r)
		start, end := got.Start, got.End
		if h.model.ordered() {
			start, end = h.model.byLex(r)
		}
		h.ranged(fmt.Sprintf("ByLex(%+v)", r), got, start, end)
	case 11:
		start, stop := h.byte()-128, h.byte()-128
		from, to := modelByRank(len(h.model.sorted), start, stop)
		h.ranged(fmt.Sprintf("ByRank(%d, %d)", start, stop), h.set.ByRank(start, stop), from, to)
	case 12:
		h.pop()
	case 13:
		h.retune()
		if h.byte()%4 == 0 {
			h.log = append(h.log, "Rebuild()")
			if err := h.set.Rebuild(); err != nil {
				h.fail("Rebuild: %v", err)
			}
		}
	case 14:
		h.batch()
	case 15:
		h.sameScores()
	}
	return true
}

func (h *history) add() {
	member, score, flags := h.member(), h.score(), AddFlags(0)
	if b := h.byte(); b >= 128 {
		flags = AddFlags(b % 32)
	}
	h.addOne(member, score, flags)
}

func (h *history) addOne(member []byte, score float64, flags AddFlags) {
	h.t.Helper()
	h.log = append(h.log, fmt.Sprintf("Add(%.20q, %v, %05b)", member, score, flags))
	exceeds := h.outgrown(member)
	now, r, err := h.set.Add(member, score, flags)
	wantNow, wantR, wantErr := h.model.add(string(member), score, flags)
	if r != wantR || err != wantErr || math.Float64bits(now) != math.Float64bits(wantNow) {
		h.fail("Add = %v, %v, %v, want %v, %v, %v", now, r, err, wantNow, wantR, wantErr)
	}
	if wrote := r == Added || r == Updated; wrote && exceeds(r) && h.set.Encoding() != SkipList {
		h.fail("%v of %d members is a %v", h.set.tuning.Options(), h.set.Len(), h.set.Encoding())
	}
}

// outgrown tells, given what an Add of member did, whether the set must be a skip list now.
func (h *history) outgrown(member []byte) func(AddResult) bool {
	o, before, members := h.set.tuning.Options(), h.set.Encoding(), h.set.Len()
	return func(r AddResult) bool {
		if r == Added {
			members++
		}
		return before == SkipList || members > o.ListpackMaxEntries || len(member) > o.ListpackMaxValueBytes
	}
}

func (h *history) remove() {
	member := h.member()
	h.log = append(h.log, fmt.Sprintf("Remove(%.20q)", member))
	score, ok := h.set.Remove(member)
	if want, wantOK := h.model.remove(string(member)); ok != wantOK || score != want {
		h.fail("Remove = %v, %v, want %v, %v", score, ok, want, wantOK)
	}
}

func (h *history) lexBound() LexBound {
	switch b := h.byte(); {
	case b < 20:
		return LexBound{Infinite: -1}
	case b < 40:
		return LexBound{Infinite: 1}
	default:
		return LexBound{Value: h.member(), Exclusive: b%2 == 1}
	}
}

func modelByRank(n, start, stop int) (from, to int) {
	if start < 0 {
		start += n
	}
	if stop < 0 {
		stop += n
	}
	for i := range n {
		if start <= i && i <= stop {
			if to == 0 {
				from = i
			}
			to = i + 1
		}
	}
	return from, to
}

// ranged holds what a lookup found against what it should have, limits it, walks it both ways, and may remove it.
func (h *history) ranged(call string, r Range, start, end int) {
	h.t.Helper()
	h.log = append(h.log, call)
	if r.Len() != end-start || r.Len() > 0 && r.Start != start {
		h.fail("%s = [%d, %d), want [%d, %d)", call, r.Start, r.End, start, end)
	}
	offset, count := h.byte()%12-1, h.byte()%40-2
	switch h.byte() % 4 {
	case 0:
		h.log = append(h.log, fmt.Sprintf("Limit(%d, %d)", offset, count))
		r = r.Limit(offset, count)
		if offset < 0 {
			offset, end = 0, start
		}
		start = min(start+offset, end)
		if count >= 0 {
			end = min(end, start+count)
		}
	case 1:
		h.log = append(h.log, fmt.Sprintf("LimitReverse(%d, %d)", offset, count))
		r = r.LimitReverse(offset, count)
		if offset < 0 {
			offset, start = 0, end
		}
		end = max(end-offset, start)
		if count >= 0 {
			start = max(start, end-count)
		}
	case 2: // by hand, without the places where the lookup ended
		r = Range{Start: r.Start, End: r.End}
	}
	if r.Len() != end-start || r.Len() > 0 && r.Start != start {
		h.fail("limited range is [%d, %d), want [%d, %d)", r.Start, r.End, start, end)
	}
	if start == end {
		start, end = 0, 0
	}
	h.walk(r, start, end)
	if h.byte()%3 == 0 {
		h.log = append(h.log, fmt.Sprintf("RemoveRange([%d, %d))", r.Start, r.End))
		if n := h.set.RemoveRange(r); n != end-start {
			h.fail("RemoveRange = %d, want %d", n, end-start)
		}
		h.model.removeRange(start, end)
	}
}

func (h *history) walk(r Range, start, end int) {
	h.t.Helper()
	want := h.model.sorted[start:end]
	i := 0
	for member, score := range h.set.Ascend(r) {
		if i >= len(want) || !isPair(want[i], member, score) {
			h.fail("Ascend([%d, %d)) gives at %d %.20q %v", r.Start, r.End, i, member, score)
		}
		i++
	}
	if i != len(want) {
		h.fail("Ascend([%d, %d)) gives %d", r.Start, r.End, i)
	}
	for member, score := range h.set.Descend(r) {
		if i--; i < 0 || !isPair(want[i], member, score) {
			h.fail("Descend([%d, %d)) gives at %d %.20q %v", r.Start, r.End, i, member, score)
		}
	}
	if i != 0 {
		h.fail("Descend([%d, %d)) lacks %d", r.Start, r.End, i)
	}
}

func isPair(want pair, member []byte, score float64) bool {
	return want.member == string(member) && math.Float64bits(want.score) == math.Float64bits(score)
}

func (h *history) pop() {
	count, high := h.byte()%5, h.byte()%2 == 1
	n := len(h.model.sorted)
	count = min(count, n)
	r, start := h.set.ByRank(0, count-1), 0
	if high {
		r, start = h.set.ByRank(-count, -1), n-count
	}
	if count == 0 {
		r = Range{}
	}
	h.log = append(h.log, fmt.Sprintf("pop %d, high %v", count, high))
	if got := h.set.RemoveRange(r); got != count {
		h.fail("popped %d, want %d", got, count)
	}
	h.model.removeRange(start, start+count)
}

func (h *history) retune() {
	o := historyTunings[h.byte()%len(historyTunings)]
	h.log = append(h.log, fmt.Sprintf("SetTuning(%+v)", o))
	tuning, err := NewTuning(o)
	if err != nil {
		h.fail("NewTuning: %v", err)
	}
	h.set.SetTuning(tuning)
}

// batch adds many members, so that histories of some bytes reach sets of some size.
func (h *history) batch() {
	first, count := h.byte(), h.byte()%64
	for i := range count {
		h.addOne(fmt.Appendf(nil, "b%d", first+i), float64((first*31+i*17)%97), 0)
	}
}

// sameScores makes the set one for lexicographic ranges.
func (h *history) sameScores() {
	if h.byte()%4 != 0 {
		return
	}
	for _, p := range append([]pair(nil), h.model.sorted...) {
		h.addOne([]byte(p.member), 7, 0)
	}
}

// check asks the set for everything.
func (h *history) check() {
	h.t.Helper()
	if err := h.set.check(); err != nil {
		h.fail("%v", err)
	}
	if got, want := h.set.MemoryUsage(), countedMemory(h.set); got != want {
		h.fail("MemoryUsage = %d, counted %d", got, want)
	}
	n := len(h.model.sorted)
	if h.set.Len() != n {
		h.fail("Len = %d, want %d", h.set.Len(), n)
	}
	h.walk(Range{Start: -1, End: n + 1}, 0, n)
	for i, want := range h.model.sorted {
		if score, ok := h.set.Score([]byte(want.member)); !ok || !isPair(want, []byte(want.member), score) {
			h.fail("Score(%.20q) = %v, %v, want %v", want.member, score, ok, want.score)
		}
		if rank, score, ok := h.set.Rank([]byte(want.member)); !ok || rank != i || score != want.score {
			h.fail("Rank(%.20q) = %v, %v, %v, want %v", want.member, rank, score, ok, i)
		}
		if member, score, ok := h.set.At(i); !ok || !isPair(want, member, score) {
			h.fail("At(%d) = %.20q, %v, %v, want %v", i, member, score, ok, want)
		}
	}
	for _, absent := range []string{"absent", "m", "m670"} {
		if _, ok := h.set.Score([]byte(absent)); ok {
			h.fail("Score(%q) found", absent)
		}
		if _, _, ok := h.set.Rank([]byte(absent)); ok {
			h.fail("Rank(%q) found", absent)
		}
	}
	h.checkScan()
}

func (h *history) checkScan() {
	h.t.Helper()
	seen := map[string]int{}
	for cursor, calls := uint64(0), 0; ; calls++ {
		cursor = h.set.Scan(cursor, 10, func(member []byte, score float64) {
			seen[string(member)]++
			if want, ok := h.model.scores[string(member)]; !ok || want != score {
				h.fail("Scan gives %.20q %v", member, score)
			}
		})
		if cursor == 0 {
			break
		}
		if calls > 2*h.set.Len()+10 {
			h.fail("Scan does not end")
		}
	}
	for member := range h.model.scores {
		if seen[member] != 1 {
			h.fail("Scan gives %.20q %d times", member, seen[member])
		}
	}
}

func (h *history) run() {
	h.t.Helper()
	for h.step() {
		h.check()
	}
	h.set.Release()
	if h.set.Len() != 0 || h.set.MemoryUsage() != New(nil).MemoryUsage() {
		h.fail("released, the set has %d members in %d bytes", h.set.Len(), h.set.MemoryUsage())
	}
	if h.memory != nil && len(h.memory.taken) > 0 {
		h.fail("released, the set has %d arrays of its memory", len(h.memory.taken))
	}
}

// TestHistories runs random histories. ZSET_SEED repeats one, or begins elsewhere.
func TestHistories(t *testing.T) {
	first := rand.Uint64()
	histories := 60
	if text, ok := os.LookupEnv("ZSET_SEED"); ok {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		first, histories = seed, 1
	}
	if testing.Short() {
		histories = min(histories, 10)
	}
	for i := range histories {
		seed := first + uint64(i)
		random := rand.New(rand.NewPCG(seed, 0))
		ops := make([]byte, 200+random.IntN(1500))
		for at := range ops {
			ops[at] = byte(random.Uint32())
		}
		if !t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) { newHistory(t, ops).run() }) {
			t.Fatalf("repeat with ZSET_SEED=%d", seed)
		}
	}
}
