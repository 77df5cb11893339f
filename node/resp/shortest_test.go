package resp

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
	"time"
)

func TestParseScoreText(t *testing.T) {
	for _, c := range []struct {
		text string
		is   bool
	}{
		{"0.5", true}, {"-0.5", true}, {"1234.5", true}, {"0.0015", true}, {"9999.12345678", true}, {"12345.123456", true},
		{"0.8000000000000003", true}, {"0.1234567890123456", true}, {"0.00012", true}, {"0.000001", true},
		// As another number, or another way.
		{"0.50", false}, {".5", false}, {"00.5", false}, {"+0.5", false}, {"5.", false}, {"5e-1", false}, {"0.5 ", false}, {"-0.0", false},
		{"0.0000005", false}, {"12345.1234567", false}, {"0.0001234567", false}, {"", false}, {"-", false}, {".", false}, {"inf", false},
		{"0.30000000000000004", false}, // of 17 digits, and not known
	} {
		f, got, _ := ParseScoreText([]byte(c.text), true)
		if got != c.is {
			t.Errorf("%q: %v", c.text, got)
		}
		if c.is && string(AppendScore(nil, f)) != c.text {
			t.Errorf("%q is written %s", c.text, AppendScore(nil, f))
		}
	}
	if _, exact, _ := ParseScoreText([]byte("0.5"), false); exact {
		t.Error("compared without being asked")
	}
}

// TestExactTextsAreWhatIsWritten takes no text that AppendScore would not write, and does not miss many that it would.
func TestExactTextsAreWhatIsWritten(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	of16, known := 0, 0
	for range 1_000_000 {
		digits := 1 + rng.IntN(17)
		n := rng.Uint64N(powersOfTen[digits])
		places := rng.IntN(digits + 4)
		text := strconv.FormatUint(n, 10)
		if rng.IntN(2) == 0 { // 0.ddd, as most
			places = digits
		}
		if places > 0 {
			text = fmt.Sprintf("%0*d", places+1, n)
			text = text[:len(text)-places] + "." + text[len(text)-places:]
		}
		if rng.IntN(2) == 0 {
			text = "-" + text
		}
		f, got, err := ParseScoreText([]byte(text), true)
		if err != nil {
			t.Fatal(text, err)
		}
		want := string(AppendScore(nil, f))
		if got && want != text {
			t.Fatalf("%s is taken for what is written %s", text, want)
		}
		switch {
		case want != text || places == 0 || n >= 1e16:
		case n >= 1e15:
			of16++
			if got {
				known++
			}
		case !got:
			t.Fatalf("%s is not known", text)
		}
	}
	if of16 == 0 || known*100 < of16*95 {
		t.Errorf("of %d that have 16 digits %d are known", of16, known)
	}
}

func BenchmarkParseScoreText(b *testing.B) {
	for _, text := range []string{"3.3", "1753000000.123", "0.1234567890123456"} {
		b.Run(text, func(b *testing.B) {
			for b.Loop() {
				ParseScoreText([]byte(text), true)
			}
		})
	}
}
