package rdb

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"zset.dev/operator/zset"
)

// unpacked is the value of type 17 that has these elements in this order, as a file has it.
func unpacked(elements [][]byte, counted int) []byte {
	list := make([]byte, listpackHeader)
	for _, e := range elements {
		list = appendPacked(list, e)
	}
	list = append(list, listpackEnd)
	list[0], list[1], list[2] = byte(len(list)), byte(len(list)>>8), byte(len(list)>>16)
	list[4], list[5] = byte(counted), byte(counted>>8)
	return append(appendLength(nil, uint64(len(list))), list...)
}

// However a listpack becomes a set, it is the same set, or none: in one pass, or member by member.
func TestPackerAgreesWithSets(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	tuning := tuned(t, 10, 70)
	p := packer{set: zset.New(tuning)}
	some := []string{"-inf", "-1e300", "-70000.5", "-3", "-0", "0", "0.1234567890123456", "1", "127", "128", "4096", "1e19", "inf", "nan", "", "x"}
	packed, large, refused, direct := 0, 0, 0, 0
	for range 30_000 {
		var elements [][]byte
		members, score := 1+rng.IntN(12), rng.IntN(4)
		for i := range members {
			member := fmt.Sprintf("m%02d", i)
			switch rng.IntN(60) {
			case 0:
				member = strings.Repeat("y", 60+rng.IntN(20))
			case 1:
				member = "m00"
			case 2:
				member = fmt.Sprint(rng.Int64() >> rng.IntN(64))
			case 3:
				member = strings.Repeat("z", 5000)
			}
			score = min(score+rng.IntN(3), 12)
			if rng.IntN(80) == 0 {
				score = rng.IntN(len(some))
			}
			elements = append(elements, []byte(member), []byte(some[score]))
		}
		counted := len(elements)
		switch rng.IntN(60) {
		case 0:
			elements = elements[1:]
		case 1:
			counted++
		case 2:
			counted = listpackUncount
		}
		value := unpacked(elements, counted)
		switch rng.IntN(40) {
		case 0:
			value[rng.IntN(len(value))] ^= 1 << rng.IntN(8)
		case 1:
			value = value[:rng.IntN(len(value))]
		}
		want := zset.New(tuning)
		wantErr := (&reader{b: value}).value(want, typeListpack)
		if wantErr == nil && want.Len() == 0 {
			wantErr = ErrFormat
		}
		block, list, err := p.value(&reader{b: value}, typeListpack)
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%x: %v, want %v", value, err, wantErr)
		}
		if err != nil {
			if refused++; block != nil || list != nil {
				t.Fatal("an error with a set")
			}
			continue
		}
		got := list
		if list == nil {
			if packed++; len(block) > 0 && len(p.pack.Block()) > 0 && &block[0] == &p.pack.Block()[0] {
				direct++
			}
			got = zset.New(tuning)
			got.Attach(block, nil)
		} else {
			large++
		}
		if got.Encoding() != want.Encoding() || text(got) != text(want) {
			t.Fatalf("%x: got a %v\n%swant a %v\n%s", value, got.Encoding(), text(got), want.Encoding(), text(want))
		}
	}
	if min(direct, packed-direct, large, refused) < 100 {
		t.Errorf("%d in one pass, %d packed otherwise, %d large, %d refused: too few of a kind", direct, packed-direct, large, refused)
	}
}

// A listpack takes no memory of its own; one that is not in order a little, whatever its size.
func TestPackerAllocates(t *testing.T) {
	s := setOf(t, tuned(t, 128, 64), everything...)
	p := packer{set: zset.New(nil)}
	ordered := AppendValue(nil, s)[1:]
	other := unpacked([][]byte{[]byte("b"), []byte("2"), []byte("a"), []byte("1.5"), []byte("c"), []byte("-7")}, 6)
	for _, c := range []struct {
		name  string
		value []byte
		most  float64
	}{{"in order", ordered, 0}, {"out of order", other, 3}} {
		r := reader{}
		if n := testing.AllocsPerRun(100, func() {
			r.b = c.value
			if _, _, err := p.value(&r, typeListpack); err != nil {
				t.Fatal(err)
			}
		}); n > c.most {
			t.Errorf("%s: %v allocations", c.name, n)
		}
	}
}
