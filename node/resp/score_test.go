package resp

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestAppendScore(t *testing.T) {
	for _, c := range []struct {
		score float64
		want  string
	}{
		{0, "0"}, {negativeZero, "-0"}, {1, "1"}, {-1, "-1"}, {3.3, "3.3"}, {-3.3, "-3.3"}, {0.30000000000000004, "0.30000000000000004"},
		{1e-5, "0.00001"}, {1e-6, "0.000001"}, {1e-7, "1e-7"}, {1.5e-5, "0.000015"}, {1.23e-5, "1.23e-5"},
		{0.001234567, "0.001234567"}, {0.0001234567, "1.234567e-4"},
		{1234.5678912, "1234.5678912"}, {12345.6789123, "1.23456789123e+4"}, {12345.678912, "12345.678912"},
		{1e18, "1000000000000000000"}, {1e19, "1e+19"}, {-1e19, "-1e+19"}, {4e18, "4000000000000000000"},
		{1 << 60, "1152921504606846976"}, {1 << 62, "4611686018427387904"}, {5e18, "5e+18"}, {1 << 63, "9223372036854776000"},
		{123456789e15, "1.23456789e+23"}, {1.2345678912345e20, "123456789123450000000"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {5e-324, "5e-324"}, {-2.2250738585072014e-308, "-2.2250738585072014e-308"},
		{math.Inf(1), "inf"}, {math.Inf(-1), "-inf"}, {math.NaN(), "nan"},
	} {
		if got := string(AppendScore([]byte("x"), c.score)); got != "x"+c.want {
			t.Errorf("AppendScore(%v) = %q, want %q", c.score, got[1:], c.want)
		}
	}
}

// TestScoreTable compares with what a real server printed; see scoreTable.
func TestScoreTable(t *testing.T) {
	file, err := os.Open(scoreTable)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := 0
	for in := bufio.NewScanner(file); in.Scan(); {
		if strings.HasPrefix(in.Text(), "#") {
			continue
		}
		hex, want, _ := strings.Cut(in.Text(), " ")
		bits, err := strconv.ParseUint(hex, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		lines++
		if got := string(AppendScore(nil, math.Float64frombits(bits))); got != want {
			t.Errorf("%s is printed %s, want %s", hex, got, want)
		}
	}
	if lines < 600 {
		t.Errorf("only %d lines in %s", lines, scoreTable)
	}
}

// checkRoundTrip fails the test unless f reads back bit for bit from a text
// that fits the space reserved for it.
func checkRoundTrip(t *testing.T, f float64) {
	t.Helper()
	text := AppendScore(nil, f)
	if len(text) > maxScoreText {
		t.Fatalf("%x is printed %s: longer than %d", math.Float64bits(f), text, maxScoreText)
	}
	back, err := ParseScore(text)
	if err != nil || math.Float64bits(back) != math.Float64bits(f) {
		t.Fatalf("%x is printed %s and reads back %x, %v", math.Float64bits(f), text, math.Float64bits(back), err)
	}
}

func TestScoreRoundTrip(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	for _, f := range sweep(rand.New(rand.NewPCG(seed, 0)), 200_000) {
		checkRoundTrip(t, f)
	}
}

func FuzzScoreRoundTrip(f *testing.F) {
	for _, score := range []float64{0, negativeZero, 3.3, 1e19, 1e-7, math.MaxFloat64, 5e-324, math.Inf(-1)} {
		f.Add(math.Float64bits(score))
	}
	f.Fuzz(func(t *testing.T, bits uint64) {
		if score := math.Float64frombits(bits); score == score {
			checkRoundTrip(t, score)
		}
	})
}

// scoreSyntax is ParseScore's syntax said another way.
var scoreSyntax = regexp.MustCompile(`^[+-]?([0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?|\.[0-9]+([eE][+-]?[0-9]+)?|(?i:inf|infinity))$`)

// outOfRange reports whether a number of right syntax is too large for a
// double, or not zero and too small.
func outOfRange(text string) bool {
	f, err := strconv.ParseFloat(text, 64)
	mantissa, _, _ := strings.Cut(strings.ToLower(text), "e")
	return err != nil || f == 0 && strings.ContainsAny(mantissa, "123456789")
}

func BenchmarkAppendScore(b *testing.B) {
	for _, f := range []float64{0, 42, 3.3, 1753000000.123, 0.30000000000000004, 1e19, 1.2345e-200} {
		b.Run(fmt.Sprint(f), func(b *testing.B) {
			b.ReportAllocs()
			var space [maxScoreText]byte
			for b.Loop() {
				AppendScore(space[:0], f)
			}
		})
	}
}

func BenchmarkParseScore(b *testing.B) {
	for _, text := range []string{"42", "3.3", "1753000000.123", "0.30000000000000004", "-inf", "nan"} {
		b.Run(text, func(b *testing.B) {
			b.ReportAllocs()
			in := []byte(text)
			for b.Loop() {
				ParseScore(in)
			}
		})
	}
}
