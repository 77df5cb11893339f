package resp

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// scores stores the scores under members so long or short that the set has
// the wanted encoding and returns the texts ZMSCORE answers.
func (p *peer) scores(encoding, proto string, scores []float64) []string {
	p.t.Helper()
	const key = "resp:score:sweep"
	p.do("DEL", key)
	pad := ""
	if encoding == "skiplist" {
		pad = strings.Repeat("m", 100)
	}
	add, get := []string{"ZADD", key}, []string{"ZMSCORE", key}
	for i, f := range scores {
		member := pad + strconv.Itoa(i)
		add = append(add, strconv.FormatFloat(f, 'e', 17, 64), member)
		get = append(get, member)
	}
	if reply, want := p.do(add...), fmt.Sprintf(":%d\r\n", len(scores)); reply != want {
		p.t.Fatalf("ZADD answers %q, want %q", reply, want)
	}
	if reply := p.do("OBJECT", "ENCODING", key); !strings.Contains(reply, encoding) {
		p.t.Fatalf("encoding is %q, want %s", reply, encoding)
	}
	lines := strings.Split(p.do(get...), "\r\n")
	p.do("DEL", key)
	lines = lines[1 : len(lines)-1]
	var texts []string
	for i, line := range lines {
		switch {
		case proto == "3":
			texts = append(texts, strings.TrimPrefix(line, ","))
		case i%2 == 1:
			texts = append(texts, line)
		}
	}
	if len(texts) != len(scores) {
		p.t.Fatalf("ZMSCORE answers %d scores, want %d", len(texts), len(scores))
	}
	return texts
}

// sweep returns doubles of every count of digits and every exponent near a
// change of form, the edges of the integers, and n random ones.
func sweep(rng *rand.Rand, n int) []float64 {
	var all []float64
	add := func(text string) {
		f, err := strconv.ParseFloat(text, 64)
		if err == nil {
			all = append(all, f, -f)
		}
	}
	for digits := 1; digits <= 17; digits++ {
		for x := -330; x <= 310; x++ {
			d := "12345678912345678"[:digits]
			add(fmt.Sprintf("%s.%se%d", d[:1], d[1:], x))
		}
	}
	for bit := -1074; bit < 1024; bit++ {
		f := math.Ldexp(1, bit)
		all = append(all, f, -f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1)))
	}
	for i := range 310 {
		add(fmt.Sprintf("1e%d", i))
		add(fmt.Sprintf("9.5e%d", i))
	}
	all = append(all, 0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, 3.3)
	for len(all) < n {
		var f float64
		switch rng.IntN(4) {
		case 0:
			f = math.Float64frombits(rng.Uint64())
		case 1:
			f = float64(int64(rng.Uint64()))
		case 2:
			f = rng.Float64() * math.Pow(10, float64(rng.IntN(40)-20))
		case 3:
			f = float64(rng.IntN(1_000_000_000)) / math.Pow(10, float64(rng.IntN(12)))
		}
		if f == f {
			all = append(all, f)
		}
	}
	return all
}

// scoreTable is where TestPeerScores -update keeps what the first peer prints
// for the doubles around each change of form. TestScoreTable reads it.
const scoreTable = "testdata/scores.txt"

var update = flag.Bool("update", false, "write "+scoreTable+" from the first of "+peerAddresses)

// TestPeerScores compares AppendScore with what running servers print, in
// both encodings and protocols. Where the digits differ, the server's text
// must still be laid out by the rule and read back to the same double, ours
// must not be the longer, and such cases must be rare.
func TestPeerScores(t *testing.T) {
	const doubles, seed = 60_000, 1
	table := *update
	eachPeer(t, func(t *testing.T, p *peer) {
		for _, proto := range []string{"2", "3"} {
			p.do("HELLO", proto)
			for _, encoding := range []string{"listpack", "skiplist"} {
				t.Run("RESP"+proto+" "+encoding, func(t *testing.T) {
					all := sweep(rand.New(rand.NewPCG(seed, seed)), doubles)
					otherDigits := 0
					for batch := range slices.Chunk(all, 100) {
						for i, theirs := range p.scores(encoding, proto, batch) {
							if !checkPeerScore(t, batch[i], encoding, theirs) {
								otherDigits++
							}
						}
					}
					t.Logf("%d doubles, %d with other digits", len(all), otherDigits)
					if otherDigits > len(all)/100 {
						t.Errorf("%d of %d texts have other digits", otherDigits, len(all))
					}
				})
			}
		}
		if table && !t.Failed() {
			p.do("HELLO", "2")
			writeScoreTable(t, p)
			table = false
		}
	})
}

// checkPeerScore reports whether a server's text for f has the same digits
// as ours, and fails the test if it breaks the rule.
func checkPeerScore(t *testing.T, f float64, encoding, theirs string) bool {
	t.Helper()
	ours := string(AppendScore(nil, f))
	if ours == theirs {
		return true
	}
	if encoding == "listpack" && ours == "-0" && theirs == "0" {
		return true // the one deliberate difference in value
	}
	back, err := ParseScore([]byte(theirs))
	digits, x := digitsOf(theirs)
	laidOut := string(layOut(nil, []byte(digits), x))
	switch {
	case err != nil || back != f:
		t.Errorf("%x: server prints %s, which reads back as %v (%v)", math.Float64bits(f), theirs, back, err)
	case laidOut != strings.TrimPrefix(theirs, "-"):
		t.Errorf("%x: server prints %s, the rule gives %s", math.Float64bits(f), theirs, laidOut)
	case len(ours) > len(theirs):
		t.Errorf("%x: ours %s is longer than the server's %s", math.Float64bits(f), ours, theirs)
	}
	return false
}

// digitsOf takes the text of a number apart: its digits without zeros at
// either end and the decimal exponent of the first.
func digitsOf(text string) (digits string, x int) {
	text = strings.TrimPrefix(text, "-")
	mantissa, exponent, _ := strings.Cut(text, "e")
	x, _ = strconv.Atoi(exponent)
	whole, fraction, _ := strings.Cut(mantissa, ".")
	x += len(whole) - 1
	digits = whole + fraction
	for len(digits) > 1 && digits[0] == '0' {
		digits = digits[1:]
		x--
	}
	return strings.TrimRight(digits, "0"), x
}

// writeScoreTable writes one line of bits and text for each double that shows
// the rule: all counts of digits at all exponents where the form changes, and
// the edges.
func writeScoreTable(t *testing.T, p *peer) {
	var all []float64
	for digits := 1; digits <= 17; digits++ {
		for x := -9; x <= 26; x++ {
			d := "12345678912345678"[:digits]
			f, err := strconv.ParseFloat(fmt.Sprintf("%s.%se%d", d[:1], d[1:], x), 64)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, f)
		}
	}
	for _, bit := range []int{-1074, -1022, 52, 53, 54, 60, 61, 62, 63, 64, 1023} {
		f := math.Ldexp(1, bit)
		all = append(all, f, -f, math.Nextafter(f, 0), math.Nextafter(f, math.Inf(1)))
	}
	for x := -8; x <= 22; x++ {
		all = append(all, math.Pow(10, float64(x)), -math.Pow(10, float64(x)))
	}
	all = append(all, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 3.3)
	slices.Sort(all)
	all = slices.Compact(all)

	var text strings.Builder
	version := regexp.MustCompile(`(?m)^(valkey|redis)_version:\S+`).FindAllString(p.do("INFO", "server"), -1)
	fmt.Fprintf(&text, "# Scores as %s prints them (go test -run TestPeerScores -update): bits of the double, text.\n", version[len(version)-1])
	for batch := range slices.Chunk(all, 100) {
		for i, theirs := range p.scores("skiplist", "2", batch) {
			if checkPeerScore(t, batch[i], "skiplist", theirs) {
				fmt.Fprintf(&text, "%016x %s\n", math.Float64bits(batch[i]), theirs)
			}
		}
	}
	if err := os.WriteFile(scoreTable, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestPeerParse compares ParseScore with what running servers accept.
func TestPeerParse(t *testing.T) {
	eachPeer(t, func(t *testing.T, p *peer) {
		const key, member = "resp:score:parse", "m"
		isRedis := !strings.Contains(p.do("INFO", "server"), "valkey_version")
		p.do("HELLO", "3")
		for _, c := range parseCases {
			if isRedis && strings.HasPrefix(strings.ToLower(c.text), "0x") {
				continue // Redis reads hexadecimal, Valkey refuses it
			}
			p.do("DEL", key)
			added := p.do("ZADD", key, c.text, member)
			if !c.ok {
				if want := "-" + ErrNotFloat.Error() + "\r\n"; added != want {
					t.Errorf("%.40q: server answers %q, want %q", c.text, added, want)
				}
				continue
			}
			if want := ":1\r\n"; added != want {
				t.Errorf("%.40q: server answers %q, want %q", c.text, added, want)
			}
			want := c.want
			if want == 0 {
				want = math.Abs(want) // their listpacks keep no sign of zero
			}
			if got, want := p.do("ZSCORE", key, member), ","+string(AppendScore(nil, want))+"\r\n"; got != want {
				t.Errorf("%.40q: server reads %q, want %q", c.text, got, want)
			}
		}
		p.do("DEL", key)
	})
}
