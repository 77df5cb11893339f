package resp

import (
	"math"
	"strings"
	"testing"
)

var negativeZero = math.Copysign(0, -1)

// parseCases are texts and what a real server makes of each (TestPeerParse
// asks one).
var parseCases = []struct {
	text string
	want float64
	ok   bool
}{
	{"0", 0, true}, {"1", 1, true}, {"-1", -1, true}, {"+1", 1, true}, {"3.3", 3.3, true},
	{"-0", negativeZero, true}, {"-0.0", negativeZero, true}, {"+0", 0, true},
	{"00", 0, true}, {"0123", 123, true}, {"01.5", 1.5, true},
	{".5", .5, true}, {"5.", 5, true}, {"-.5", -.5, true}, {"+.5", .5, true},
	{"1e5", 1e5, true}, {"1E5", 1e5, true}, {"1e+5", 1e5, true}, {"1e-5", 1e-5, true}, {"1.e5", 1e5, true},
	{"1e05", 1e5, true}, {"1e0000000000000005", 1e5, true},
	{"inf", math.Inf(1), true}, {"+inf", math.Inf(1), true}, {"-inf", math.Inf(-1), true},
	{"INF", math.Inf(1), true}, {"Inf", math.Inf(1), true}, {"infinity", math.Inf(1), true}, {"-Infinity", math.Inf(-1), true},

	// The edges of the exact integers, of the doubles and of nothing at all.
	{"999999999999999", 999999999999999, true}, {"1000000000000000", 1e15, true}, {"9007199254740993", 9007199254740992, true},
	{"123456789012345678901234567890", 123456789012345678901234567890, true},
	{"1.7976931348623157e308", math.MaxFloat64, true}, {"1.7976931348623158e308", math.MaxFloat64, true},
	{"1.7976931348623159e308", 0, false}, {"1e400", 0, false}, {"-1e400", 0, false}, {"1e99999999999999999999", 0, false},
	{"1e-310", 1e-310, true}, {"5e-324", 5e-324, true}, {"3e-324", 5e-324, true}, {"2.5e-324", 5e-324, true},
	{"2e-324", 0, false}, {"1e-400", 0, false}, {"1e-99999999999999999999", 0, false},
	{"0e400", 0, true}, {"0e-400", 0, true}, {"0e99999999999999999999", 0, true}, {"-0e-400", negativeZero, true},
	{strings.Repeat("9", 400), 0, false}, {"1" + strings.Repeat("0", 300) + "e-300", 1, true},
	{"0." + strings.Repeat("0", 400), 0, true}, {"0." + strings.Repeat("0", 400) + "1", 0, false},
	{"0." + strings.Repeat("3", 1000), 1. / 3, true},

	// Not numbers.
	{"", 0, false}, {"+", 0, false}, {"-", 0, false}, {".", 0, false}, {"-.", 0, false}, {"--1", 0, false}, {"+-1", 0, false},
	{"e5", 0, false}, {".e5", 0, false}, {"1e", 0, false}, {"1e+", 0, false}, {"1e5.0", 0, false},
	{" 1", 0, false}, {"1 ", 0, false}, {"\t1", 0, false}, {"1\n", 0, false}, {"1\x00", 0, false},
	{"nan", 0, false}, {"-nan", 0, false}, {"NaN", 0, false}, {"nan(1)", 0, false},
	{"infin", 0, false}, {"infx", 0, false}, {"+inf ", 0, false}, {"++inf", 0, false},
	{"0x10", 0, false}, {"0X1p3", 0, false}, {"0b1", 0, false}, {"0o7", 0, false},
	{"1_000", 0, false}, {"1e1_0", 0, false}, {"1,5", 0, false}, {"1d5", 0, false}, {"1f", 0, false}, {"\u0661", 0, false},
}

func TestParseScore(t *testing.T) {
	for _, c := range parseCases {
		got, err := ParseScore([]byte(c.text))
		if (err == nil) != c.ok || math.Float64bits(got) != math.Float64bits(c.want) {
			t.Errorf("ParseScore(%.40q) = %v, %v; want %v, ok %v", c.text, got, err, c.want, c.ok)
		}
		if err != nil && err.Error() != "ERR value is not a valid float" {
			t.Errorf("ParseScore(%.40q) answers %q", c.text, err)
		}
	}
}

// FuzzParseScore holds ParseScore to a second description of the same
// syntax, and each score it accepts to a round trip through its text.
func FuzzParseScore(f *testing.F) {
	for _, c := range parseCases {
		f.Add([]byte(c.text))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		score, err := ParseScore(b)
		if want := scoreSyntax.Match(b); err == nil && !want || err != nil && want && !outOfRange(string(b)) {
			t.Fatalf("ParseScore(%q) = %v, %v; the syntax allows it: %v", b, score, err, want)
		}
		if err != nil {
			return
		}
		if score != score {
			t.Fatalf("ParseScore(%q) is not a number", b)
		}
		checkRoundTrip(t, score)
	})
}

func TestParseInt(t *testing.T) {
	for _, c := range []struct {
		text string
		want int64
		ok   bool
	}{
		{"0", 0, true}, {"1", 1, true}, {"-1", -1, true}, {"10", 10, true}, {"1234567890", 1234567890, true},
		{"9223372036854775807", math.MaxInt64, true}, {"-9223372036854775808", math.MinInt64, true},
		{"-9223372036854775807", math.MinInt64 + 1, true},
		{"9223372036854775808", 0, false}, {"-9223372036854775809", 0, false}, {"9999999999999999999", 0, false},
		{"18446744073709551616", 0, false}, {"99999999999999999999", 0, false},
		{"", 0, false}, {"-", 0, false}, {"+", 0, false}, {"+1", 0, false}, {"-0", 0, false}, {"00", 0, false}, {"01", 0, false},
		{"-01", 0, false}, {"--1", 0, false}, {" 1", 0, false}, {"1 ", 0, false}, {"1.0", 0, false}, {"1e3", 0, false},
		{"0x1", 0, false}, {"1_0", 0, false}, {"1\x00", 0, false}, {"/", 0, false}, {":", 0, false},
	} {
		got, ok := ParseInt([]byte(c.text))
		if got != c.want || ok != c.ok {
			t.Errorf("ParseInt(%q) = %d, %v; want %d, %v", c.text, got, ok, c.want, c.ok)
		}
	}
}
