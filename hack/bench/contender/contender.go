// Package contender puts the sorted sets that are compared behind one interface: the engine, the yardstick, and
// well-known ordered containers of the Go ecosystem as a careful user would make a sorted set of them, with a map
// from members to scores beside the order. Only the benchmarks may use it.
package contender

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"zset.dev/operator/hack/bench/yardstick"
)

// Set is a sorted set of one contender. It belongs to one goroutine at a time. Members given to it are copied if
// kept. A member asked for must be there, where nothing else is said.
type Set interface {
	Add(member []byte, score float64) // a new member, or a score for one that is there
	Increment(member []byte, by float64)
	Remove(member []byte)
	Score(member []byte) (float64, bool) // of any member; false if it is not there
	Rank(member []byte) int
	// SumRanks and SumScores visit count members, fewer at the end, from a rank or score on in order; they give
	// back how many and a number that depends on their scores and members.
	SumRanks(start, count int) (int, float64)
	SumScores(from float64, count int) (int, float64)
	// Visit gives count members from a score on. Their bytes are good until the set changes.
	Visit(from float64, count int, each func(member []byte, score float64))
	// PopMin takes the first member out, which must be there, and gives its score and length.
	PopMin() (float64, int)
	// RemoveScores takes out the members with scores from low up to but not including high.
	RemoveScores(low, high float64) int
	Len() int
	// Bytes is the memory of the set as it accounts for it itself, 0 if it does not.
	Bytes() int
	// Release gives the memory back; the set must not be used any more.
	Release()
}

// Form is a contender with the options that it has.
type Form struct {
	Name string  // of the contender
	P    float64 // of the skip list, 0 if it has none
}

// String is a form's name in tables, such as "zset 1/e".
func (f Form) String() string {
	if f.P == 0 {
		return f.Name
	}
	return f.Name + " " + PText(f.P)
}

// PText is a P as users write it.
func PText(p float64) string {
	if p == 1/math.E {
		return "1/e"
	}
	return strconv.FormatFloat(p, 'g', -1, 64)
}

// kind is what there is to know of a contender.
type kind struct {
	about   string
	tunable bool
	ours    bool // accounts for its memory, so bytes need not be taken from the heap's growth
	ranks   bool // finds ranks without counting members one by one
	most    int  // members it is made for, 0: no limit
	make    func(p float64, seed uint64) Set
}

// Names of contenders that others refer to.
const (
	Zset          = "zset"
	ZsetOffHeap   = "zset-offheap"
	ZsetHuge      = "zset-hugepages"
	Listpack      = "listpack"
	ListpackSlot  = "listpack-slot"
	Yardstick     = "yardstick"
	YardstickHuge = "yardstick-huge"

	// These two take part only where they are asked for by name.
	YardstickIndirect = "yardstick-indirect"
	ZsetDefaults      = "zset-defaults"
)

// order is that of tables.
var order = []string{ZsetOffHeap, ZsetHuge, Zset, ListpackSlot, Listpack, Yardstick, YardstickHuge, "tidwall-btree", "google-btree", "huandu-skiplist", "gods-redblack"}

var kinds = map[string]kind{
	ZsetOffHeap:   {about: "this engine's skip list with its memory outside the Go heap, as a node has it", tunable: true, ours: true, ranks: true, make: newOffHeap(heap)},
	ZsetHuge:      {about: "the same in huge pages", tunable: true, ours: true, ranks: true, make: newOffHeap(hugeHeap)},
	Zset:          {about: "the same on the Go heap, as a program has it that says nothing", tunable: true, ours: true, ranks: true, make: newZset},
	ListpackSlot:  {about: "this engine's packed encoding in a slab slot that a Set is attached to, as a node has it", ours: true, ranks: true, most: 1000, make: newSlotted},
	Listpack:      {about: "the same on the Go heap, a Set each", ours: true, ranks: true, most: 1000, make: newListpack},
	Yardstick:     {about: "plain arena skip list, one node per member", tunable: true, ours: true, ranks: true, make: newYardstick(yardstick.Options{})},
	YardstickHuge: {about: "the same in huge pages", tunable: true, ours: true, ranks: true, make: newYardstick(yardstick.Options{Huge: true})},
	YardstickIndirect: {about: "the same with members apart from nodes, so that a score is one dereference further", tunable: true, ours: true, ranks: true,
		make: newYardstick(yardstick.Options{Indirect: true})},
	ZsetDefaults: {about: "this engine with its default options", tunable: true, ours: true, ranks: true, make: newDefaults},
	"tidwall-btree": {about: "github.com/tidwall/btree BTreeG (counted B-tree) + map[string]float64",
		ranks: true, make: newTidwall},
	"google-btree":    {about: "github.com/google/btree BTreeG, degree 32, + map[string]float64", make: newGoogle},
	"huandu-skiplist": {about: "github.com/huandu/skiplist + map[string]*skiplist.Element", make: newHuandu},
	"gods-redblack":   {about: "github.com/emirpasic/gods redblacktree + map[string]float64", make: newGods},
}

// Names are those of all contenders, in the order of tables.
func Names() []string { return slices.Clone(order) }

// Forms makes the forms of the named contenders at each P.
func Forms(names []string, ps []float64) ([]Form, error) {
	var forms []Form
	for _, name := range names {
		k, ok := kinds[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("there is no contender %q; there are: %s", name, strings.Join(order, " "))
		case name == YardstickHuge || name == ZsetHuge: // shows what huge pages do, for which one P is enough
			forms = append(forms, Form{name, 1 / math.E})
		case k.tunable:
			for _, p := range ps {
				forms = append(forms, Form{name, p})
			}
		default:
			forms = append(forms, Form{Name: name})
		}
	}
	return forms, nil
}

// About says in a line what a contender is.
func About(name string) string { return kinds[name].about }

// New makes an empty set; its random choices follow from the seed.
func (f Form) New(seed uint64) Set { return kinds[f.Name].make(f.P, seed) }

// Accounts says that Set.Bytes is to be believed.
func (f Form) Accounts() bool { return kinds[f.Name].ours }

// Ranks says that the contender finds ranks without counting members one by one.
func (f Form) Ranks() bool { return kinds[f.Name].ranks }

// Takes says that the contender is for sets of so many members.
func (f Form) Takes(members int) bool {
	most := kinds[f.Name].most
	return most == 0 || members <= most
}

// sum is what Set.SumRanks and SumScores make of a member.
func sum(member, score float64) float64 { return member + score }
