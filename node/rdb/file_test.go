package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"zset.dev/operator/zset"
)

// told is all that a file says, a line each.
func told(r io.Reader, newSet func() *zset.Set) (lines []string, err error) {
	d := NewDecoder(r, newSet)
	for {
		rec, err := d.Next()
		if err != nil {
			if err == io.EOF {
				err = nil
			}
			return lines, err
		}
		switch rec.Kind {
		case Aux:
			lines = append(lines, fmt.Sprintf("aux %s %s", rec.Name, rec.Value))
		case Function:
			lines = append(lines, fmt.Sprintf("function %q", rec.Value))
		case OtherKey:
			lines = append(lines, fmt.Sprintf("%d %s %s", rec.Database, rec.Type, rec.Name))
		case Key:
			lines = append(lines, fmt.Sprintf("%d zset %s %+v %s", rec.Database, rec.Name, rec.Meta, text(held(&rec))))
			rec.Release()
		}
	}
}

// held is what a key holds, until the next Record.
func held(rec *Record) *zset.Set {
	if rec.Set != nil {
		return rec.Set
	}
	s := zset.New(nil)
	s.Attach(rec.Packed, nil)
	return s
}

func fresh() *zset.Set { return zset.New(nil) }

// The files were saved by these servers after the same commands, which made
// keys of every type in every encoding.
func TestFilesOfRealServers(t *testing.T) {
	long := strings.Repeat("b", 81)
	var many strings.Builder
	for i := 1; i <= 200; i++ {
		score := float64(i) / 3
		fmt.Fprintf(&many, "\"member:%d\" %v %x\n", i, score, math.Float64bits(score))
	}
	want := []string{
		"0 hash bigh", "0 hash h", "0 hash ht", "0 hash hth", "0 list l", "0 list ql", "0 set bigset", "0 set iset", "0 set set",
		"0 stream x", "0 string big64", "0 string n", "0 string s",
		"0 zset many {ExpireAt:0 Idle:-1 Frequency:F} " + many.String(),
		"0 zset skip {ExpireAt:0 Idle:-1 Frequency:F} \"7\" -0 8000000000000000\n\"" + long + "\" 1.5 3ff8000000000000\n\"c\" +Inf 7ff0000000000000\n",
		"0 zset small {ExpireAt:4000000000000 Idle:-1 Frequency:F} \"c\" -Inf fff0000000000000\n\"a\" 1 3ff0000000000000\n\"b\" 2.5 4004000000000000\n\"d\" 1e+19 43e158e460913d00\n",
		"3 zset other {ExpireAt:0 Idle:-1 Frequency:F} \"a\" 1 3ff0000000000000\n",
		`function "#!lua name=lib\nredis.register_function('f', function(keys, args) return 1 end)"`,
	}
	for _, name := range []string{"redis8.rdb", "valkey9.rdb"} {
		t.Run(name, func(t *testing.T) {
			file, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			lines, err := told(bytes.NewReader(file), fresh)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, line := range lines {
				if strings.HasPrefix(line, "aux ") {
					continue
				}
				if i := strings.Index(line, "Frequency:"); i >= 0 && !strings.HasPrefix(line[i:], "Frequency:-1") {
					line = line[:i] + "Frequency:F" + line[strings.Index(line, "}"):]
				}
				got = append(got, line)
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// written is a file with keys of all shapes.
func written(t testing.TB) []byte {
	var file bytes.Buffer
	e := NewEncoder(&file)
	e.Aux("redis-ver", "8.0.0")
	e.AuxInt("ctime", 1700000000)
	e.Function([]byte("#!lua name=lib"))
	e.Database(0, 4, 2)
	packed, listed := tuned(t, 128, 64), tuned(t, 0, 64)
	pairs := []pair{{-1.5, "a"}, {math.Copysign(0, -1), "12"}, {7, "-3"}, {math.Inf(1), "member"}}
	e.Key([]byte("packed"), Meta{ExpireAt: 4000000000000, Idle: -1, Frequency: -1}, setOf(t, packed, pairs...))
	e.Key([]byte("1234"), Meta{Idle: 70000, Frequency: -1}, setOf(t, listed, pairs...))
	e.Key([]byte(""), Meta{ExpireAt: -5, Idle: -1, Frequency: 255}, setOf(t, listed, pair{0, strings.Repeat("long", 50)}))
	e.Begin([]byte("pieces"), Meta{Idle: -1, Frequency: -1}, 2)
	e.Member([]byte("second"), 2)
	e.Member([]byte("first"), 1)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e.Written() != int64(file.Len()) {
		t.Errorf("Written is %d, the file has %d bytes", e.Written(), file.Len())
	}
	return file.Bytes()
}

func TestFileRoundTrip(t *testing.T) {
	file := written(t)
	of := func(pairs ...pair) string { return text(setOf(t, nil, pairs...)) }
	four := of(pair{-1.5, "a"}, pair{math.Copysign(0, -1), "12"}, pair{7, "-3"}, pair{math.Inf(1), "member"})
	want := []string{
		"aux redis-ver 8.0.0", "aux ctime 1700000000", `function "#!lua name=lib"`,
		"0 zset packed {ExpireAt:4000000000000 Idle:-1 Frequency:-1} " + four,
		"0 zset 1234 {ExpireAt:0 Idle:70000 Frequency:-1} " + four,
		"0 zset  {ExpireAt:-5 Idle:-1 Frequency:255} " + of(pair{0, strings.Repeat("long", 50)}),
		"0 zset pieces {ExpireAt:0 Idle:-1 Frequency:-1} " + of(pair{1, "first"}, pair{2, "second"}),
	}
	readers := map[string]io.Reader{
		"whole":     bytes.NewReader(file),
		"bytewise":  iotest.OneByteReader(bytes.NewReader(file)),
		"with data": iotest.DataErrReader(bytes.NewReader(file)),
		"and more":  io.MultiReader(bytes.NewReader(file), strings.NewReader("*1\r\n")),
	}
	for name, r := range readers {
		t.Run(name, func(t *testing.T) {
			got, err := told(r, fresh)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

func TestRestIsBehindTheFile(t *testing.T) {
	file := written(t)
	d := NewDecoder(bytes.NewReader(append(slices.Clone(file), "*1\r\n"...)), fresh)
	for {
		rec, err := d.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		rec.Release()
	}
	if got := string(d.Rest()); got != "*1\r\n" {
		t.Errorf("the rest is %q", got)
	}
	if d.Offset() != int64(len(file)) {
		t.Errorf("Offset is %d at the end of %d bytes", d.Offset(), len(file))
	}
}

// No part of a file passes for the whole, and no bit may differ.
func TestDamagedFiles(t *testing.T) {
	file := written(t)
	for n := range file {
		if _, err := told(bytes.NewReader(file[:n]), fresh); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("of %d bytes, %d: %v", len(file), n, err)
		}
	}
	for i := range file {
		for bit := range 8 {
			damaged := slices.Clone(file)
			damaged[i] ^= 1 << bit
			if _, err := told(bytes.NewReader(damaged), fresh); err == nil {
				t.Fatalf("bit %d of byte %d of %d makes no difference", bit, i, len(file))
			}
		}
	}
}

func TestFileErrors(t *testing.T) {
	tests := []struct{ name, file, says string }{
		{"nothing", "", "unexpected EOF"},
		{"another file", "not a file of this kind", "does not begin as an RDB file does"},
		{"a later version", "REDIS0999", `version "0999" of the format is not known`},
		{"no version", "REDISabcd", `version "abcd" of the format is not known`},
		{"an unknown type", "REDIS0010\xc8\x01k", "type 200 is not known"},
		{"an empty set", "REDIS0010\x05\x01k\x00", `key "k"`},
		{"a member twice", "REDIS0010\x03\x01k\x02\x01a\x011\x01a\x012", `key "k"`},
		{"an old module's key", "REDIS0010\x06\x01k", `key "k", a module`},
		{"a huge string", "REDIS0010\x05\x81\xff\xff\xff\xff\xff\xff\xff\xff", "a string of 18446744073709551615 bytes"},
		{"the wrong checksum", "REDIS0010\xff12345678", "the checksum is wrong"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := told(strings.NewReader(tt.file), fresh)
			if err == nil || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error is %v, want %q", err, tt.says)
			}
		})
	}
	for _, file := range []string{"REDIS0010\xff\x00\x00\x00\x00\x00\x00\x00\x00", "REDIS0004\xff"} {
		if _, err := told(strings.NewReader(file), fresh); err != nil {
			t.Errorf("%q: %v; files without a checksum are fine", file, err)
		}
	}
}

// Values of types and servers that the recorded files do not have, before a sorted set that shows where they ended.
func TestOldAndForeignValues(t *testing.T) {
	tests := []struct{ name, magic, value string }{
		{"list", "REDIS0003", "\x01\x01k\x02\x01a\xc0\x07"},
		{"zipmap", "REDIS0003", "\x09\x01k\x03abc"},
		{"quicklist of ziplists", "REDIS0009", "\x0e\x01k\x02\x01a\x01b"},
		{"stream, first shape", "REDIS0009", "\x0f\x01k\x01\x01i\x01l" + "\x01\x02\x03" + "\x01\x01g\x01\x02" +
			"\x01" + strings.Repeat("i", 16) + strings.Repeat("t", 8) + "\x05" +
			"\x01\x01c" + strings.Repeat("t", 8) + "\x01" + strings.Repeat("i", 16)},
		{"stream, second shape", "REDIS0010", "\x13\x01k\x00" + "\x01\x02\x03\x04\x05\x06\x07\x08" + "\x01\x01g\x01\x02\x03\x00" +
			"\x01\x01c" + strings.Repeat("t", 8) + "\x00"},
		{"module", "REDIS0009", "\x07\x01k\x81" + strings.Repeat("m", 8) + "\x01\x05\x02\x40\x01\x03ffff\x04dddddddd\x05\x03abc\x00"},
		{"module's own data", "REDIS0009", "\xf7\x81" + strings.Repeat("m", 8) + "\x02\x01\x05\x01a\x00"},
		{"slots", "REDIS0011", "\xf4\x01\x02\x03"},
		{"migration", "VALKEY080", "\xf3\x03job\x02\x01\x02\x05\x09"},
		{"hash with expiries", "VALKEY080", "\x16\x01k\x01\x01f\x01v" + strings.Repeat("t", 8)},
		{"hash with expiries, elsewhere", "REDIS0012", "\x16\x01k\x01\x00\x01f\x01v"},
		{"packed hash with expiries", "REDIS0012", "\x19\x01k" + strings.Repeat("t", 8) + "\x02lp"},
		{"compressed string", "REDIS0012", "\x00\x01k\xc3\x04\x09\x01aa\xe0"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			file := tt.magic + tt.value + "\x05\x01z\x01\x01m" + string(binary.LittleEndian.AppendUint64(nil, math.Float64bits(3))) + "\xff"
			file += string(binary.LittleEndian.AppendUint64(nil, checksum([]byte(file))))
			lines, err := told(strings.NewReader(file), fresh)
			if err != nil {
				t.Fatal(err)
			}
			if last := lines[len(lines)-1]; !strings.HasPrefix(last, "0 zset z ") {
				t.Errorf("the last line is %q", last)
			}
		})
	}
}

// Lengths that a file claims cost nothing before the bytes are there.
func TestClaimsOfFilesCostNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, claim := range []string{
		"REDIS0010\x05\x80\x3f\xff\xff\xff",
		"REDIS0010\x05\x01k\x81\x7f\xff\xff\xff\xff\xff\xff\xff",
		"REDIS0010\x11\x01k\x80\x3f\xff\xff\xff",
		"REDIS0010\x05\x01k\x01\xc3\x80\x3f\xff\xff\xff\x80\x3f\xff\xff\xff",
	} {
		if _, err := told(strings.NewReader(claim), fresh); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%q: %v", claim, err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("took %d bytes", took)
	}
}

// A writer that fails is heard of, and not written to again.
func TestEncoderKeepsTheError(t *testing.T) {
	full := errors.New("no space left")
	calls := 0
	e := NewEncoder(writerFunc(func(b []byte) (int, error) { calls++; return 10, full }))
	s := setOf(t, tuned(t, 0, 64), pair{1, strings.Repeat("x", encoderFlush)})
	meta := Meta{Idle: -1, Frequency: -1}
	e.Key([]byte("a"), meta, s)
	e.Key([]byte("b"), meta, s)
	if err := e.Close(); !errors.Is(err, full) || calls != 1 || e.Written() != 10 {
		t.Errorf("error %v after %d calls and %d bytes", err, calls, e.Written())
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func FuzzDecoder(f *testing.F) {
	f.Add(written(f)[9:])
	for _, name := range []string{"redis8.rdb", "valkey9.rdb"} {
		file, err := os.ReadFile("testdata/" + name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(file[9:])
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, magic := range []string{"REDIS0012", "VALKEY080"} {
			whole := []byte(magic + string(body))
			first, err := told(bytes.NewReader(whole), fresh)
			second, again := told(iotest.HalfReader(bytes.NewReader(whole)), fresh)
			if !slices.Equal(first, second) || (err == nil) != (again == nil) {
				t.Fatalf("%q %v\n%q %v", first, err, second, again)
			}
		}
	})
}

func benchmarkFile(b *testing.B) []byte {
	var file bytes.Buffer
	e := NewEncoder(&file)
	rng := rand.New(rand.NewPCG(1, 2))
	s := zset.New(tuned(b, 0, 64))
	for i := range 200_000 {
		s.Add(fmt.Appendf(nil, "member:%013d", i), rng.Float64(), 0)
	}
	e.Key([]byte("k"), Meta{Idle: -1, Frequency: -1}, s)
	if err := e.Close(); err != nil {
		b.Fatal(err)
	}
	return file.Bytes()
}

func BenchmarkDecoder(b *testing.B) {
	file := benchmarkFile(b)
	b.SetBytes(int64(len(file)))
	for b.Loop() {
		if _, err := NewDecoder(bytes.NewReader(file), fresh).Next(); err != nil {
			b.Fatal(err)
		}
	}
}
