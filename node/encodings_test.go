package node

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// elements are the strings and doubles of a reply, nested or not, in order.
func elements(reply string) (all []string) {
	parts := strings.Split(reply, "\r\n")
	for i := 0; i+1 < len(parts); i++ {
		if strings.HasPrefix(parts[i], "$") {
			all = append(all, parts[i+1])
			i++
		} else if double, ok := strings.CutPrefix(parts[i], ","); ok {
			all = append(all, double)
		}
	}
	return all
}

// A member's score reads the same from every command, in both encodings.
// (Real servers print 17 digits from ZSCAN of a skip list, and lose the sign
// of zero in a listpack.)
func TestOneTextForAScore(t *testing.T) {
	for _, at := range []struct{ entries, proto string }{{"0", "2"}, {"128", "2"}, {"0", "3"}, {"128", "3"}} {
		s := start(t, "--zset-max-listpack-entries", at.entries)
		w := dial(t, s.addr)
		w.do("HELLO", at.proto)
		for sent, text := range map[string]string{
			"3.3": "3.3", "1e-7": "1e-7", "1e18": "1000000000000000000", "1e19": "1e+19", "inf": "inf", "-inf": "-inf", "-0": "-0", "0": "0",
			"0.1": "0.1", "1.7976931348623157e308": "1.7976931348623157e+308", "5e-324": "5e-324", "100": "100", "-1.5": "-1.5",
		} {
			w.do("DEL", "k")
			w.expect(":1\r\n", "ZADD", "k", sent, "m")
			for _, c := range []struct {
				args []string
				at   int
			}{
				{[]string{"ZSCORE", "k", "m"}, 0}, {[]string{"ZMSCORE", "k", "m"}, 0}, {[]string{"ZRANGE", "k", "0", "-1", "WITHSCORES"}, 1},
				{[]string{"ZRANGE", "k", "-inf", "+inf", "BYSCORE", "WITHSCORES"}, 1}, {[]string{"ZREVRANGE", "k", "0", "-1", "WITHSCORES"}, 1},
				{[]string{"ZSCAN", "k", "0"}, 2}, {[]string{"ZRANK", "k", "m", "WITHSCORE"}, 0}, {[]string{"ZADD", "k", "INCR", "-0", "m"}, 0},
				{[]string{"ZPOPMIN", "k"}, 1},
			} {
				reply := elements(w.do(c.args...))
				if len(reply) <= c.at || reply[c.at] != text {
					t.Errorf("RESP%s, entries %s, score %s, %q: got %q, want %s", at.proto, at.entries, sent, c.args, reply, text)
				}
			}
		}
	}
}

// During growth and shrinking ZSCAN misses no member present throughout; a
// listpack is given whole, with cursor 0.
func TestZScanWhileTheSetChanges(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("ZADD", "small", "1", "a", "2", "b", "3", "c")
	if reply := w.do("ZSCAN", "small", "0", "COUNT", "1"); !strings.HasPrefix(reply, "*2\r\n$1\r\n0\r\n*6\r\n") {
		t.Errorf("ZSCAN of a listpack: %q", reply)
	}

	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	const fixed = 500
	for i := range fixed {
		w.do("ZADD", "k", fmt.Sprint(rng.IntN(50)), fmt.Sprint("fixed", i))
	}
	seen := map[string]bool{}
	others := 0
	for cursor, calls := "0", 0; ; calls++ {
		reply := elements(w.do("ZSCAN", "k", cursor, "COUNT", "7"))
		cursor = reply[0]
		for i := 1; i < len(reply); i += 2 {
			seen[reply[i]] = true
		}
		if cursor == "0" {
			break
		}
		if calls > 100_000 {
			t.Fatal("the scan does not end")
		}
		// Grow to 5000 others, then shrink again.
		for range 50 {
			others++
			if others <= 5000 {
				w.do("ZADD", "k", fmt.Sprint(rng.IntN(50)), fmt.Sprint("other", others))
			} else {
				w.do("ZREM", "k", fmt.Sprint("other", others-5000))
			}
		}
	}
	for i := range fixed {
		if !seen[fmt.Sprint("fixed", i)] {
			t.Errorf("member %d was missed", i)
		}
	}
}

// The encoding of a set shows in no reply.
func TestBothEncodingsAgree(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	packed, listed := dial(t, start(t, "--zset-max-listpack-entries", "100000", "--zset-max-listpack-value", "1000").addr), dial(t, start(t, "--zset-max-listpack-entries", "0").addr)
	pick := func(from ...string) string { return from[rng.IntN(len(from))] }
	score := func() string {
		return pick("0", "-0", "1", "2", "2.5", "-inf", "+inf", "(1", "(2", "3", "(inf", "1e300")
	}
	rank := func() string {
		return pick("0", "1", "-1", "-2", "5", "-5", "100", "-100", "9223372036854775807", "-9223372036854775808")
	}
	lex := func() string { return pick("-", "+", "[m1", "(m1", "[m3", "(m9", "[", "(", "[zz") }
	member := func() string { return fmt.Sprint("m", rng.IntN(30)) }
	for range 4000 {
		var args []string
		switch rng.IntN(14) {
		case 0, 1, 2:
			args = []string{"ZADD", "k", pick("CH", "NX", "XX", "GT", "LT"), strings.TrimPrefix(score(), "("), member()}
		case 3:
			args = []string{"ZINCRBY", "k", pick("1", "-1", "0.5", "inf", "-inf"), member()}
		case 4:
			args = []string{"ZREM", "k", member(), member()}
		case 5:
			args = []string{"ZRANGE", "k", rank(), rank(), "WITHSCORES"}
		case 6:
			args = []string{"ZRANGE", "k", rank(), rank(), "REV", "WITHSCORES"}
		case 7:
			args = []string{"ZRANGE", "k", score(), score(), "BYSCORE", pick("REV", "WITHSCORES"), "LIMIT", pick("0", "1", "-1", "9"), pick("0", "1", "-1", "3")}
		case 8:
			args = []string{"ZRANGE", "k", lex(), lex(), "BYLEX", "LIMIT", pick("0", "1"), pick("-1", "2")}
		case 9:
			args = []string{pick("ZRANK", "ZREVRANK"), "k", member(), "WITHSCORE"}
		case 10:
			args = []string{"ZCOUNT", "k", score(), score()}
		case 11:
			args = []string{"ZLEXCOUNT", "k", lex(), lex()}
		case 12:
			args = []string{pick("ZPOPMIN", "ZPOPMAX"), "k", pick("0", "1", "2")}
		case 13:
			args = [][]string{{"ZREMRANGEBYRANK", "k", rank(), rank()}, {"ZREMRANGEBYSCORE", "k", score(), score()}, {"ZREMRANGEBYLEX", "k", lex(), lex()}}[rng.IntN(3)]
			if rng.IntN(4) > 0 {
				continue // else nothing ever grows
			}
		}
		a, b := packed.do(args...), listed.do(args...)
		if a != b {
			t.Fatalf("%q:\nlistpack %q\nskiplist %q", args, a, b)
		}
	}
}
