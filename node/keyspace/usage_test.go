package keyspace

import (
	"math/rand/v2"
	"testing"
)

const usageNow = int64(1_790_000_000_000) // Unix milliseconds, some day in 2026

// What a word says, under either kind of policy, whichever wrote it.
func TestUsageWords(t *testing.T) {
	const later = int64(7 * minute)
	how := &Counting{On: true, LogFactor: 10, DecayMinutes: 2}
	for _, c := range []struct {
		name  string
		word  word
		now   int64
		idle  int64
		count uint8
	}{
		{"used now", timeWord(usageNow, 0), usageNow, 0, freshCount},
		{"used a while ago", timeWord(usageNow, 0), usageNow + later, 420, freshCount - 3},
		{"set idle", timeWord(usageNow, 100), usageNow, 100, freshCount},
		{"never used", timeWord(usageNow, 1<<62), usageNow, usageNow / 1000, 0},
		{"a clock set back", timeWord(usageNow, 0), usageNow - later, 0, freshCount},
		{"counted now", countWord(200, usageNow), usageNow, 0, 200},
		{"counted a while ago", countWord(200, usageNow), usageNow + later, 420, 197},
		{"counted long ago", countWord(2, usageNow), usageNow + 100*minute, 6000, 0},
		{"counted where minutes wrap", countWord(9, 1<<16*minute-minute), 1<<16*minute + minute, 120, 8},
	} {
		if got := idle(c.word, c.now); got != c.idle {
			t.Errorf("%s: idle for %d, want %d", c.name, got, c.idle)
		}
		if got := how.count(c.word, c.now); got != c.count {
			t.Errorf("%s: count %d, want %d", c.name, got, c.count)
		}
	}
	if never := (&Counting{}); never.count(countWord(9, usageNow), usageNow+later) != 9 {
		t.Error("a count falls though it has no decay")
	}
}

// A use is noted in the form of the policy in force, and takes along what a
// word of the other form says.
func TestUseFollowsThePolicy(t *testing.T) {
	ks := New()
	w := ks.freshWord(usageNow)
	if w != timeWord(usageNow, 0) {
		t.Errorf("a new key has %#x", w)
	}
	ks.Count(Counting{On: true, LogFactor: 0, DecayMinutes: 1})
	w = ks.usedWord(w, usageNow+2*minute)
	if want := countWord(freshCount-2+1, usageNow+2*minute); w != want {
		t.Errorf("counted as %#x, want %#x", w, want)
	}
	if got, want := ks.freshWord(usageNow), countWord(freshCount, usageNow); got != want {
		t.Errorf("a new key has %#x, want %#x", got, want)
	}
	ks.Count(Counting{})
	if got := ks.usedWord(w, usageNow+3*minute); got != timeWord(usageNow+3*minute, 0) {
		t.Errorf("noted as %#x", got)
	}
}

// The count grows as its published table says: with a factor of 10 about 10
// after a hundred uses, 18 after a thousand, 142 after a hundred thousand, 255
// after a million.
func TestLogarithmicCount(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, c := range []struct {
		factor, uses int
		low, high    uint8
	}{
		{0, 100, 105, 105}, {0, 1000, 255, 255},
		{1, 100, 14, 24}, {1, 1000, 42, 58}, {1, 100_000, 255, 255},
		{10, 100, 8, 13}, {10, 1000, 15, 23}, {10, 100_000, 132, 155}, {10, 1_000_000, 255, 255},
		{100, 100, 5, 9}, {100, 1000, 8, 13}, {100, 1_000_000, 135, 155},
	} {
		how := &Counting{On: true, LogFactor: c.factor}
		count := uint8(freshCount)
		for range c.uses {
			count = how.more(count, rng.Float64)
		}
		if count < c.low || count > c.high {
			t.Errorf("factor %d, %d uses: count %d, want %d to %d", c.factor, c.uses, count, c.low, c.high)
		}
	}
}
