package node

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"
)

var peers = flag.String("peers", "", "addresses of real servers without data, with commas between, to compare with; they are flushed")

// A walk is a random sequence of commands whose replies do not depend on
// chance, the clock or the order of a server's tables.
type walk struct {
	rng    *rand.Rand
	valkey bool // the peer is one; some answers are Valkey's alone
}

func (w *walk) pick(from ...string) string { return from[w.rng.IntN(len(from))] }
func (w *walk) key() string                { return fmt.Sprint("key", w.rng.IntN(5)) }
func (w *walk) member() string             { return fmt.Sprint("m", w.rng.IntN(40)) }

// maybe gives the words one time in n.
func (w *walk) maybe(n int, words ...string) []string {
	if w.rng.IntN(n) > 0 {
		return nil
	}
	return words
}

func (w *walk) score() string {
	return w.pick("0", "1", "2", "2.5", "-3", "1e3", "1e20", "-1.5e-7", "inf", "-inf", strconv.Itoa(w.rng.IntN(100)))
}

// limit has no negative offset: in a skip list real servers count it from the
// end of the range, in a listpack and here there is nothing.
func (w *walk) limit() []string {
	return w.maybe(2, "LIMIT", w.pick("0", "1", "5"), w.pick("0", "2", "-1"))
}

func (w *walk) rank() string { return w.pick("0", "1", "2", "-1", "-2", "5", "-5", "100", "-100") }
func (w *walk) bound() string {
	return w.pick("", "(") + w.pick("0", "1", "2", "50", "-inf", "+inf", "x")
}
func (w *walk) lex() string { return w.pick("-", "+", "[m1", "(m1", "[m3", "(m30", "[", "(", "m") }

// numKeys is a count of keys and the keys; now and then the count is wrong.
func (w *walk) numKeys() []string {
	n := 1 + w.rng.IntN(4)
	words := []string{strconv.Itoa(n)}
	if w.rng.IntN(20) == 0 {
		words[0] = w.pick("0", "-1", "x", "9", "9223372036854775807", "01")
	}
	for range n {
		words = append(words, w.key())
	}
	return words
}

func (w *walk) place() []string {
	return []string{fmt.Sprint(w.rng.Float64()*360 - 180), fmt.Sprint(w.rng.Float64()*170 - 85)}
}

// near is a place not far from others.
func (w *walk) near() []string {
	return []string{fmt.Sprint(13 + w.rng.Float64()*3), fmt.Sprint(w.pick("", "-") + fmt.Sprint(37+w.rng.Float64()*3))}
}

func (w *walk) somewhere() []string {
	if w.rng.IntN(3) == 0 {
		return w.place()
	}
	return w.near()
}

func (w *walk) length() string {
	return w.pick("0", "1", "100", "500.5", "3000", "20000", "x", "-1", "1e6")
}
func (w *walk) unit() string { return w.pick("m", "km", "KM", "ft", "mi", "km", "km", "parsec") }

func words(parts ...any) (all []string) {
	for _, p := range parts {
		switch p := p.(type) {
		case string:
			all = append(all, p)
		case []string:
			all = append(all, p...)
		}
	}
	return all
}

func (w *walk) combination(name string, store bool) []string {
	keys := w.numKeys()
	all := words(name)
	if store {
		all = append(all, w.key())
	}
	all = append(all, keys...)
	if w.rng.IntN(2) == 0 {
		all = append(all, "WEIGHTS")
		for range len(keys) - 1 + w.rng.IntN(12)/11 {
			all = append(all, w.pick("1", "2", "0.5", "0", "inf", "-2", "1", "1", "x"))
		}
	}
	return words(all, w.maybe(2, "AGGREGATE", w.pick("SUM", "MIN", "MAX", "sum", "AVG")), w.maybe(2, "WITHSCORES"))
}

func (w *walk) search(options []string) []string {
	options = words(options, w.maybe(3, "WITHDIST"), w.maybe(3, "WITHHASH"), w.maybe(3, w.pick("ASC", "DESC")), w.maybe(3, "COUNT", w.pick("1", "2", "7", "0")), w.maybe(8, "ANY"))
	if w.valkey {
		options = append(options, w.maybe(3, "WITHCOORD")...)
	}
	return options
}

func (w *walk) where() []string {
	from := words("FROMLONLAT", w.somewhere())
	if w.rng.IntN(3) == 0 {
		from = words("FROMMEMBER", w.geoMember())
	}
	by := words("BYRADIUS", w.length(), w.unit())
	switch w.rng.IntN(5) {
	case 0, 1:
		by = words("BYBOX", w.length(), w.length(), w.unit())
	case 2:
		if w.valkey {
			from, by = nil, words("BYPOLYGON", w.pick("3", "4", "4", "5"), w.near(), w.near(), w.near(), w.somewhere())
		}
	}
	return words(from, by)
}

// geoMember is a member of a geo set; only Valkey answers one that is missing
// as this server does.
func (w *walk) geoMember() string {
	if w.valkey {
		return fmt.Sprint("g", w.rng.IntN(220))
	}
	return "g0"
}

func (w *walk) geoCommand() []string {
	const key = "geo"
	switch w.rng.IntN(10) {
	case 0, 1, 2:
		return words("GEOADD", key, w.maybe(5, w.pick("NX", "XX", "CH")), w.somewhere(), fmt.Sprint("g", w.rng.IntN(200)), w.somewhere(), "g0")
	case 3:
		return words("GEODIST", key, w.geoMember(), w.geoMember(), w.maybe(2, w.unit()))
	case 4:
		return words("GEOHASH", key, w.geoMember(), "nobody", "g0")
	case 5:
		if w.valkey {
			return words("GEOPOS", key, w.geoMember(), "nobody", "g0")
		}
		return words("ZSCORE", key, "g0")
	case 6:
		if w.rng.IntN(3) == 0 {
			return words("GEOSEARCHSTORE", distances, key, w.where(), "STOREDIST", w.maybe(2, "COUNT", "5"))
		}
		return words("GEOSEARCHSTORE", w.key(), key, w.search(w.where()))
	case 7:
		store := w.maybe(4, "STORE", w.key())
		if w.rng.IntN(8) == 0 {
			store = words("STOREDIST", distances)
		}
		return w.search(words("GEORADIUS", key, w.somewhere(), w.length(), w.unit(), store))
	case 8:
		return w.search(words("GEORADIUSBYMEMBER_RO", key, w.geoMember(), w.length(), w.unit()))
	}
	return w.search(words("GEOSEARCH", key, w.where()))
}

func (w *walk) command() []string {
	switch w.rng.IntN(24) {
	case 0, 1, 2, 3, 4:
		return words("ZADD", w.key(), w.maybe(3, w.pick("NX", "XX", "GT", "LT", "CH")), w.score(), w.member(), w.score(), w.member(), w.score(), w.member())
	case 5:
		return words("ZINCRBY", w.key(), w.score(), w.member())
	case 6:
		return w.combination(w.pick("ZUNION", "ZINTER", "ZUNION", "ZDIFF"), false)
	case 7:
		return words("ZDIFF", w.numKeys(), w.maybe(2, "WITHSCORES"))
	case 8:
		return w.combination(w.pick("ZUNIONSTORE", "ZINTERSTORE"), true)
	case 9:
		return words("ZDIFFSTORE", w.key(), w.numKeys())
	case 10:
		return words("ZINTERCARD", w.numKeys(), w.maybe(2, "LIMIT", w.pick("0", "1", "3", "-1", "x")))
	case 11:
		return words("ZMPOP", w.numKeys(), w.pick("MIN", "MAX", "min", "x"), w.maybe(2, "COUNT", w.pick("1", "2", "5", "0", "x")))
	case 12:
		return words("ZRANGESTORE", w.key(), w.key(), w.rank(), w.rank(), w.maybe(2, "REV"))
	case 13:
		return words("ZRANGESTORE", w.key(), w.key(), w.bound(), w.bound(), "BYSCORE", w.maybe(2, "REV"), w.limit())
	case 14:
		return words("ZRANGE", w.key(), w.bound(), w.bound(), "BYSCORE", w.maybe(2, "REV"), w.maybe(2, "WITHSCORES"), w.limit())
	case 21:
		return words("ZRANGESTORE", w.key(), "lex", w.lex(), w.lex(), "BYLEX", w.maybe(2, "REV"), w.limit())
	case 15:
		if w.rng.IntN(3) == 0 {
			// Scores are all the same, or the order by strings means nothing.
			return words("ZADD", "lex", "0", w.member(), "0", w.member())
		}
		return words(w.pick("RENAME", "RENAMENX"), w.key(), w.key())
	case 16:
		return words("COPY", w.key(), w.key(), w.maybe(2, "REPLACE"), w.maybe(4, "DB", "0"))
	case 17:
		return words("PEXPIREAT", w.key(), w.pick("99999999999999", "88888888888888", "1"), w.maybe(2, w.pick("NX", "XX", "GT", "LT")))
	case 18:
		return words(w.pick("PEXPIRETIME", "TYPE", "ZCARD", "PERSIST"), w.key())
	case 19:
		return words(w.pick("TOUCH", "EXISTS", "UNLINK"), w.key(), w.key())
	case 20:
		return words("ZRANGE", w.key(), "0", "-1", "WITHSCORES")
	}
	return w.geoCommand()
}

// unsigned takes the sign off zeros: real servers lose it in a listpack.
var unsigned = strings.NewReplacer("$2\r\n-0\r\n", "$1\r\n0\r\n", ",-0\r\n", ",0\r\n")

// Random commands get the same replies from this server and from real ones,
// and leave the same keys behind, whatever the encodings.
func TestPeersAgree(t *testing.T) {
	if *peers == "" {
		t.Skip("set -peers host:port,... to compare with running servers")
	}
	const steps = 20_000
	for _, addr := range strings.Split(*peers, ",") {
		t.Run(addr, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			w := &walk{rng: rand.New(rand.NewPCG(seed, 0))}
			ours, theirs := dial(t, start(t).addr), dial(t, addr)
			w.valkey = strings.Contains(theirs.do("INFO", "server"), "valkey_version")
			both := func(args ...string) {
				t.Helper()
				got, want := unsigned.Replace(ours.do(args...)), unsigned.Replace(theirs.do(args...))
				if got != want {
					t.Fatalf("%q:\n ours %q\npeer's %q", args, got, want)
				}
			}
			both("FLUSHALL")
			defer theirs.do("CONFIG", "SET", "zset-max-listpack-entries", "128")
			for i := range steps {
				if i%500 == 0 {
					for _, wire := range []*wire{ours, theirs} {
						wire.conn.SetDeadline(time.Now().Add(patience))
					}
					// A reply to HELLO names the server.
					proto := w.pick("2", "3")
					ours.do("HELLO", proto)
					theirs.do("HELLO", proto)
					both("CONFIG", "SET", "zset-max-listpack-entries", w.pick("0", "8", "128"))
				}
				both(w.command()...)
				if i%50 == 0 {
					key := w.pick(w.key(), "geo")
					both("ZRANGE", key, "0", "-1", "WITHSCORES")
					exchange(t, ours, theirs, key)
					sameDistances(t, ours, theirs)
				}
			}
		})
	}
}

// The same walk gives the same replies whatever the encodings.
func TestEncodingsAgreeOnWalks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &walk{rng: rand.New(rand.NewPCG(seed, 0)), valkey: true}
	packed := dial(t, start(t, "--zset-max-listpack-entries", "100000", "--zset-max-listpack-value", "1000").addr)
	listed := dial(t, start(t, "--zset-max-listpack-entries", "0").addr)
	for i := range 6000 {
		if i%500 == 0 {
			proto := w.pick("2", "3")
			packed.do("HELLO", proto)
			listed.do("HELLO", proto)
		}
		args := w.command()
		if i%20 == 0 {
			args = words("ZRANGE", w.pick(w.key(), "geo", distances), "0", "-1", "WITHSCORES")
		}
		if a, b := packed.do(args...), listed.do(args...); a != b {
			t.Fatalf("%q:\nlistpack %q\nskiplist %q", args, a, b)
		}
	}
}

// distances is a key that holds members by their distances. One score in some
// hundreds differs from a real server's by its last bit, as their C library
// rounds.
const distances = "distances"

func sameDistances(t *testing.T, ours, theirs *wire) {
	t.Helper()
	const last = 1e-14
	got, want := elements(ours.do("ZSCAN", distances, "0", "COUNT", "1000")), elements(theirs.do("ZSCAN", distances, "0", "COUNT", "1000"))
	scores := map[string]float64{}
	for i := 1; i+1 < len(want); i += 2 {
		scores[want[i]], _ = strconv.ParseFloat(want[i+1], 64)
	}
	if len(got) != len(want) || got[0] != "0" {
		t.Fatalf("distances: ours %q, peer's %q", got, want)
	}
	for i := 1; i+1 < len(got); i += 2 {
		score, _ := strconv.ParseFloat(got[i+1], 64)
		if other, ok := scores[got[i]]; !ok || math.Abs(score-other) > last*score {
			t.Errorf("%s is %v away, for the peer %v (%v)", got[i], score, other, ok)
		}
	}
}

// exchange lets each server restore what the other dumps.
func exchange(t *testing.T, ours, theirs *wire, key string) {
	t.Helper()
	dump := func(from *wire) (payload string, ok bool) {
		reply := from.do("DUMP", key)
		if reply[0] != '$' || reply[1] == '-' {
			return "", false
		}
		_, payload, _ = strings.Cut(reply, "\r\n")
		return strings.TrimSuffix(payload, "\r\n"), true
	}
	mine, ok := dump(ours)
	if !ok {
		return
	}
	peers, _ := dump(theirs)
	ours.expect("+OK\r\n", "RESTORE", "there", "0", peers, "REPLACE")
	theirs.expect("+OK\r\n", "RESTORE", "there", "0", mine, "REPLACE")
	got, want := unsigned.Replace(ours.do("ZRANGE", "there", "0", "-1", "WITHSCORES")), unsigned.Replace(theirs.do("ZRANGE", "there", "0", "-1", "WITHSCORES"))
	if got != want || got != unsigned.Replace(ours.do("ZRANGE", key, "0", "-1", "WITHSCORES")) {
		t.Fatalf("%s after DUMP and RESTORE:\n ours %q\npeer's %q", key, got, want)
	}
}
