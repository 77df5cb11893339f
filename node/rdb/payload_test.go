package rdb

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"zset.dev/operator/zset"
)

func tuned(t testing.TB, entries, valueBytes int) *zset.Tuning {
	t.Helper()
	o := zset.DefaultOptions()
	o.ListpackMaxEntries, o.ListpackMaxValueBytes = entries, valueBytes
	tuning, err := zset.NewTuning(o)
	if err != nil {
		t.Fatal(err)
	}
	return tuning
}

// text writes a set down, scores by their bits.
func text(s *zset.Set) string {
	var all strings.Builder
	for member, score := range s.All() {
		fmt.Fprintf(&all, "%q %v %x\n", member, score, math.Float64bits(score))
	}
	return all.String()
}

type pair struct {
	score  float64
	member string
}

func setOf(t testing.TB, tuning *zset.Tuning, pairs ...pair) *zset.Set {
	t.Helper()
	s := zset.New(tuning)
	for _, p := range pairs {
		if _, _, err := s.Add([]byte(p.member), p.score, 0); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// sealed puts version and checksum behind a value.
func sealed(version uint16, value []byte) []byte {
	b := binary.LittleEndian.AppendUint16(bytes.Clone(value), version)
	return binary.LittleEndian.AppendUint64(b, checksum(b))
}

// The check value of the checksum's definition.
func TestChecksum(t *testing.T) {
	if got := checksum([]byte("123456789")); got != 0xe9c6d914c4b8d9ca {
		t.Errorf("got %x", got)
	}
}

// everything has each form a member and a score take in a listpack.
var everything = []pair{
	{1, "a"}, {2.5, "b"}, {math.Inf(1), "123"}, {math.Inf(-1), "-70000"}, {127, "c127"}, {128, "c128"}, {-4096, "m"}, {4095, "n"}, {-4097, "o"},
	{32768, "p"}, {-8388608, "q"}, {8388608, "r"}, {2147483648, "s"}, {-1e18, "t"}, {1e300, "u"}, {3, "9223372036854775807"}, {4, ""},
	{5, strings.Repeat("y", 64)},
}

// What Valkey 9.1 and Redis 8.0 dump of everything: a listpack compressed and
// not, and pairs.
const (
	valkeyCompressed = "11c3409d40dd1fdd0000002400f290eefe04842d696e6605817402f400009c584c491ff20981711f02f200008004816f02f1ffef03816d02d00002816102010181620283322e350401f4ff80000a7f09030180010401e04079e03600094205018463313237057f60070c3805c08002816e02cfff028170208d06800004817202f32095030005817340ab200920000e098175028631652b333030077b018320ca0104ff50000a91427dfd32d1bb"
	redisCompressed  = "11c3409d40dd1fdd0000002400f290eefe04842d696e6605817402f400009c584c491ff20981711f02f200008004816f02f1ffef03816d02d00002816102010181620283322e350401f4ff80000a7f09030180010401e04079e03600094205018463313237057f60070c3805c08002816e02cfff028170208d06800004817202f32095030005817340ab200920000e098175028631652b333030077b018320ca0104ff0c000ecdbf2c994a2806"
	redisPlain       = "1140dddd0000002400f290eefe04842d696e6605817402f400009c584c491ff209817102f200008004816f02f1ffef03816d02d00002816102010181620283322e3504f4ffffffffffffff7f09030180010401e040797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979797979794205018463313237057f01846331323805c08002816e02cfff02817002f200800004817202f30000800005817302f40000008000000000098175028631652b333030077b0183696e6604ff0c002325bcaa58e4ed63"
	valkeyPairs      = "0507c07b000000000000f07fc3094046017878e039000178789c7500883ce4377ec29f8601000000000000001440016200000000000004400161000000000000f03f017a0000000000000080c290eefeff000000000000f0ff50009ea1452320ff6efb"
)

var pairsPayload = []pair{{1, "a"}, {2.5, "b"}, {math.Copysign(0, -1), "z"}, {math.Inf(1), "123"}, {math.Inf(-1), "-70000"}, {1e300, strings.Repeat("x", 70)}, {5, "99999"}}

func TestReadsWhatServersDump(t *testing.T) {
	for _, c := range []struct {
		payload string
		want    []pair
	}{
		{valkeyCompressed, everything}, {redisCompressed, everything}, {redisPlain, everything}, {valkeyPairs, pairsPayload},
	} {
		payload, err := hex.DecodeString(c.payload)
		if err != nil {
			t.Fatal(err)
		}
		for _, entries := range []int{0, 128} {
			tuning := tuned(t, entries, 100)
			s, err := Read(payload, nil, tuning)
			if err != nil {
				t.Fatalf("%.20s…: %v", c.payload, err)
			}
			if got, want := text(s), text(setOf(t, tuning, c.want...)); got != want {
				t.Errorf("%.20s…: got\n%swant\n%s", c.payload, got, want)
			}
			if want := (zset.Encoding)(zset.Listpack); entries == 0 && s.Encoding() == want || entries > 0 && s.Encoding() != want {
				t.Errorf("%d entries may be packed, the set is a %v", entries, s.Encoding())
			}
		}
	}
}

// A listpack is written byte for byte as a server writes it uncompressed.
func TestWritesWhatServersWrite(t *testing.T) {
	want, err := hex.DecodeString(redisPlain)
	if err != nil {
		t.Fatal(err)
	}
	got := AppendValue(nil, setOf(t, tuned(t, 128, 64), everything...))
	if !bytes.Equal(got, want[:len(want)-footerBytes]) {
		t.Errorf("got  %x\nwant %x", got, want[:len(want)-footerBytes])
	}
}

func ziplistOf(entries ...string) []byte {
	var body []byte
	last, previous := ziplistHeader, 0
	for _, e := range entries {
		last += previous
		if previous < ziplistFar {
			body = append(body, byte(previous))
		} else {
			body = binary.LittleEndian.AppendUint32(append(body, ziplistFar), uint32(previous))
		}
		body = append(body, e...)
		previous = len(body) + ziplistHeader - last
	}
	b := binary.LittleEndian.AppendUint32(nil, uint32(ziplistHeader+len(body)+1))
	b = binary.LittleEndian.AppendUint32(b, uint32(last))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(entries)))
	b = append(append(b, body...), ziplistEnd)
	return append(appendLength([]byte{typeZiplist}, uint64(len(b))), b...)
}

func TestReadsOlderForms(t *testing.T) {
	long := strings.Repeat("l", 300)
	for name, c := range map[string]struct {
		value []byte
		want  []pair
	}{
		"ziplist": {
			ziplistOf("\x01a", "\xf1", "\x01b", "\xfe\x80", "\xfe\x05", "\xc0\x00\x80", "\x41\x2c"+long, "\xf0\x00\x00\x80", "\x01d", "\xd0\x00\x00\x00\x80",
				"\x80\x00\x00\x00\x01e", "\xe0\x00\x00\x00\x00\x01\x00\x00\x00", "\x01f", "\x032.5", "\xfd", "\x03inf"),
			[]pair{{0, "a"}, {-128, "b"}, {-32768, "5"}, {-8388608, long}, {math.MinInt32, "d"}, {1 << 32, "e"}, {2.5, "f"}, {math.Inf(1), "12"}},
		},
		"text": {
			[]byte("\x03\x04\x01a\x032.5\x01b\xfe\x01c\xff\xc0\x07\x17-1.7976931348623157e308"),
			[]pair{{2.5, "a"}, {math.Inf(1), "b"}, {math.Inf(-1), "c"}, {-math.MaxFloat64, "7"}},
		},
	} {
		for _, entries := range []int{0, 128} {
			tuning := tuned(t, entries, 1000)
			s, err := Read(sealed(6, c.value), nil, tuning)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if got, want := text(s), text(setOf(t, tuning, c.want...)); got != want {
				t.Errorf("%s: got\n%swant\n%s", name, got, want)
			}
		}
	}
}

// A set is the same after Append and Read, whichever encodings it has before
// and after.
func TestRoundTrip(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	scores := []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e17, -1e18, 1 << 53, 1e19, 5e-324, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.MinInt64, 1 << 63}
	for range 300 {
		var pairs []pair
		for range 1 + rng.IntN(200) {
			member := make([]byte, rng.IntN(1<<rng.IntN(14)))
			for i := range member {
				member[i] = byte(rng.Uint32())
			}
			if rng.IntN(3) == 0 {
				member = fmt.Append(nil, rng.Int64()>>rng.IntN(64))
			}
			score := scores[rng.IntN(len(scores))]
			if rng.IntN(2) == 0 {
				score = math.Float64frombits(rng.Uint64())
			}
			if score == score {
				pairs = append(pairs, pair{score, string(member)})
			}
		}
		if len(pairs) == 0 {
			continue
		}
		from, to := tuned(t, 512*rng.IntN(2), 1<<20), tuned(t, 512*rng.IntN(2), 1<<20)
		s := setOf(t, from, pairs...)
		back, err := Read(Append(nil, s), nil, to)
		if err != nil {
			t.Fatal(err)
		}
		if text(back) != text(s) {
			t.Fatalf("got\n%swant\n%s", text(back), text(s))
		}
	}
}

// Lengths around each border of the listpack's and the string's own lengths.
func TestRoundTripOfLengths(t *testing.T) {
	for _, entries := range []int{0, 128} {
		tuning := tuned(t, entries, 1<<22)
		for _, n := range []int{0, 1, 63, 64, 119, 120, 121, 124, 125, 126, 127, 128, 129, 4095, 4096, 16370, 16377, 16378, 16379, 16383, 16384, 16385, 2097140, 2097145, 2097146, 2097147, 2097151, 2097152} {
			s := setOf(t, tuning, pair{1, strings.Repeat("x", n)})
			back, err := Read(Append(nil, s), nil, tuning)
			if err != nil || text(back) != text(s) {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
	}
}

func TestRefusesFooters(t *testing.T) {
	value := AppendValue(nil, setOf(t, nil, pair{1, "a"}))
	good := sealed(writtenVersion, value)
	for name, payload := range map[string][]byte{
		"nothing":    nil,
		"too short":  good[len(good)-9:],
		"too new":    sealed(newestVersion+1, value),
		"no sum":     append(bytes.Clone(good[:len(good)-8]), 0, 0, 0, 0, 0, 0, 0, 0),
		"cut":        good[:len(good)-1],
		"more bytes": append(bytes.Clone(good), 0),
	} {
		if _, err := Read(payload, nil, nil); err != ErrFooter {
			t.Errorf("%s: %v", name, err)
		}
	}
	for i := range 8 * len(good) {
		bad := bytes.Clone(good)
		bad[i/8] ^= 1 << (i % 8)
		if _, err := Read(bad, nil, nil); err != ErrFooter {
			t.Errorf("bit %d: %v", i, err)
		}
	}
	if _, err := Read(sealed(newestVersion, value), nil, nil); err != nil {
		t.Errorf("the newest version: %v", err)
	}
}

func TestRefusesOtherTypes(t *testing.T) {
	payload, err := hex.DecodeString("000568656c6c6f0c00a804ebb69f1ebe43") // SET of Redis 8.0
	if err != nil {
		t.Fatal(err)
	}
	var other OtherTypeError
	if _, err := Read(payload, nil, nil); !errors.As(err, &other) || other != "string" {
		t.Errorf("got %v", err)
	}
	for kind := range 256 {
		_, err := Read(sealed(10, []byte{byte(kind), 0}), nil, nil)
		if _, known := otherTypes[byte(kind)]; errors.As(err, &other) != known || !known && err != ErrFormat {
			t.Errorf("type %d: %v", kind, err)
		}
	}
}

func TestRefusesBadFormats(t *testing.T) {
	listpack := func(counted int, body string) string {
		b := binary.LittleEndian.AppendUint32(nil, uint32(listpackHeader+len(body)+1))
		b = binary.LittleEndian.AppendUint16(b, uint16(counted))
		b = append(append(b, body...), listpackEnd)
		return "\x11" + string(appendLength(nil, uint64(len(b)))) + string(b)
	}
	pairOf := "\x81a\x02\x01\x01"
	if _, err := Read(sealed(10, []byte(listpack(2, pairOf))), nil, nil); err != nil {
		t.Fatalf("the good one: %v", err)
	}
	if _, err := Read(sealed(10, []byte(listpack(0xffff, pairOf))), nil, nil); err != nil {
		t.Fatalf("the uncounted one: %v", err)
	}
	for name, value := range map[string]string{
		"empty":                              "",
		"no members":                         "\x05\x00",
		"empty listpack":                     listpack(0, ""),
		"a member without score":             listpack(1, "\x81a\x02"),
		"miscounted":                         listpack(3, pairOf),
		"twice the same member":              listpack(4, pairOf+pairOf),
		"a wrong length from behind":         listpack(2, "\x81a\x03\x01\x01"),
		"a score that is text":               listpack(2, "\x81a\x02\x81a\x02"),
		"a score that is not a number":       listpack(2, "\x81a\x02\x83nan\x04"),
		"a hexadecimal score":                listpack(2, "\x81a\x02\x830x1\x04"),
		"a string beyond the end":            listpack(2, "\x8ffoo"),
		"a huge string":                      listpack(2, "\xf0\xff\xff\xff\xffa"),
		"an unknown encoding":                listpack(2, "\xf5a\x02\x01\x01"),
		"more behind":                        listpack(2, pairOf) + "x",
		"pairs, no number":                   "\x05\x01\x01a\x00\x00\x00\x00\x00\x00\xf8\x7f",
		"pairs, twice the same":              "\x05\x02\x01a\x00\x00\x00\x00\x00\x00\x00\x00\x01a\x00\x00\x00\x00\x00\x00\x00\x00",
		"pairs, cut":                         "\x05\x01\x01a\x00\x00\x00\x00",
		"pairs, a huge count":                "\x05\x81\xff\xff\xff\xff\xff\xff\xff\xff\x01a\x00\x00\x00\x00\x00\x00\x00\x00",
		"pairs, a special count":             "\x05\xc0\x01\x01a\x00\x00\x00\x00\x00\x00\x00\x00",
		"pairs, an unknown string":           "\x05\x01\xc4a\x00\x00\x00\x00\x00\x00\x00\x00",
		"text, no number":                    "\x03\x01\x01a\xfd",
		"text, an underflow":                 "\x03\x01\x01a\x061e-400",
		"compressed, a huge size":            "\x11\xc3\x01\x81\x00\xff\xff\xff\xff\xff\xff\xff\x00",
		"compressed, less than said":         "\x11\xc3\x02\x05\x00a",
		"compressed, more than said":         "\x11\xc3\x06\x02\x04abcde",
		"compressed, a copy from before":     "\x11\xc3\x04\x05\x00a\x20\x05",
		"compressed, a run beyond the input": "\x11\xc3\x02\x05\x1fa",
		"compressed, a cut copy":             "\x11\xc3\x03\x05\x00a\xe0",
		"ziplist, the wrong length before":   "\x0c\x0f\x0f\x00\x00\x00\x0d\x00\x00\x00\x02\x00\x00\x01a\x02\xf2\xff",
		"ziplist, the wrong last":            strings.Replace(string(ziplistOf("\x01a", "\xf2")), "\x0d\x00", "\x0c\x00", 1),
		"ziplist, an unknown encoding":       string(ziplistOf("\x01a", "\xc1")),
		"ziplist, its end inside":            string(ziplistOf("\x01a", "\xff")),
		"ziplist, a member without score":    string(ziplistOf("\x01a")),
	} {
		if s, err := Read(sealed(10, []byte(value)), nil, nil); err != ErrFormat {
			t.Errorf("%s: %v, %v", name, err, s)
		}
	}
}

// A payload cannot make Read take more memory than in proportion to its own
// length, whatever it claims.
func TestClaimsCostNothing(t *testing.T) {
	for _, value := range []string{
		"\x05\x81\x7f\xff\xff\xff\xff\xff\xff\xff", "\x05\x01\x81\x7f\xff\xff\xff\xff\xff\xff\xff", "\x11\xc3\x81\x00\x00\x00\xff\xff\xff\xff\xff\x81\x00\x00\x00\xff\xff\xff\xff\xff",
		"\x11\x80\xff\xff\xff\xff", "\x11\xc3\x02\x80\x3f\xff\xff\xff\x00a",
	} {
		payload := sealed(10, []byte(value))
		const reads, most = 100, 8192 // far under each claim; under the race detector slices.Grow allocates twice
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range reads {
			if _, err := Read(payload, nil, nil); err != ErrFormat {
				t.Fatalf("%q: %v", value, err)
			}
		}
		runtime.ReadMemStats(&after)
		if each := (after.TotalAlloc - before.TotalAlloc) / reads; each > most {
			t.Errorf("%q takes %d bytes", value, each)
		}
	}
}
