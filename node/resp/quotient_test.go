package resp

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"
)

// checkParse holds what ParseScore makes of a number against package strconv.
func checkParse(t *testing.T, text string) {
	t.Helper()
	want, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseScore([]byte(text)); err != nil || math.Float64bits(got) != math.Float64bits(want) {
		t.Fatalf("%s: got %v (%v), want %v", text, got, err, want)
	}
}

// A number without exponent is read as package strconv reads it, wherever its point is: also halfway between two doubles, and
// beside that.
func TestDecimals(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 0))
	t.Logf("seed %d", seed)
	for range 300_000 {
		digits := strconv.AppendUint(nil, rng.Uint64()>>rng.IntN(64), 10)
		for range rng.IntN(4) {
			digits = append([]byte("0"), digits...)
		}
		point := rng.IntN(len(digits) + 1)
		sign := []string{"", "-", "+"}[rng.IntN(3)]
		checkParse(t, fmt.Sprintf("%s%s.%s", sign, digits[:point], digits[point:]))
		checkParse(t, sign+string(digits))
	}
	for range 100_000 {
		// Integers of 54 bits and more lie halfway between doubles, or beside that.
		n := (1<<53 + rng.Uint64N(1<<10)) << rng.IntN(11)
		for _, n := range []uint64{n - 1, n, n + 1} {
			checkParse(t, strconv.FormatUint(n, 10))
		}
		// So do some that have places, and are exact in them.
		checkParse(t, strconv.FormatFloat(float64(rng.Uint64N(1<<20))+0.5/float64(uint64(1)<<rng.IntN(12)), 'f', -1, 64))
	}
	for range 100_000 {
		checkParse(t, strconv.FormatFloat(rng.Float64(), 'f', -1, 64))
		checkParse(t, strconv.FormatFloat(math.Float64frombits(rng.Uint64()&^(0x7ff<<52)|(1023-60+rng.Uint64N(120))<<52), 'f', -1, 64))
	}
}

// Reading a score takes no memory.
func TestParseScoreAllocates(t *testing.T) {
	for _, text := range []string{"17", "0.1234567890123456", "-1234567890.5", "1e300", "inf"} {
		b := []byte(text)
		if n := testing.AllocsPerRun(100, func() { ParseScore(b) }); n != 0 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
}
