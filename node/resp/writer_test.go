package resp

import (
	"math"
	"strings"
	"testing"
)

func TestWriter(t *testing.T) {
	for _, c := range []struct {
		name         string
		write        func(w *Writer)
		resp2, resp3 string
	}{
		{"simple", func(w *Writer) { w.Simple("OK") }, "+OK\r\n", "+OK\r\n"},
		{"simple with a line break", func(w *Writer) { w.Simple("a\r\nb") }, "+a  b\r\n", "+a  b\r\n"},
		{"error", func(w *Writer) { w.Error("ERR syntax error") }, "-ERR syntax error\r\n", "-ERR syntax error\r\n"},
		{"error with a line break", func(w *Writer) { w.Error("ERR unknown 'a\n+OK\r'") }, "-ERR unknown 'a +OK '\r\n", "-ERR unknown 'a +OK '\r\n"},
		{"int 0", func(w *Writer) { w.Int(0) }, ":0\r\n", ":0\r\n"},
		{"int 10", func(w *Writer) { w.Int(10) }, ":10\r\n", ":10\r\n"},
		{"int min", func(w *Writer) { w.Int(math.MinInt64) }, ":-9223372036854775808\r\n", ":-9223372036854775808\r\n"},
		{"bulk", func(w *Writer) { w.Bulk([]byte("a\r\n\x00b")) }, "$5\r\na\r\n\x00b\r\n", "$5\r\na\r\n\x00b\r\n"},
		{"bulk empty", func(w *Writer) { w.Bulk([]byte{}) }, "$0\r\n\r\n", "$0\r\n\r\n"},
		{"bulk nil", func(w *Writer) { w.Bulk(nil) }, "$0\r\n\r\n", "$0\r\n\r\n"},
		{"bulk string", func(w *Writer) { w.BulkString("twelve bytes") }, "$12\r\ntwelve bytes\r\n", "$12\r\ntwelve bytes\r\n"},
		{"null", (*Writer).Null, "$-1\r\n", "_\r\n"},
		{"null array", (*Writer).NullArray, "*-1\r\n", "_\r\n"},
		{"array", func(w *Writer) { w.Array(2); w.Int(1); w.Int(2) }, "*2\r\n:1\r\n:2\r\n", "*2\r\n:1\r\n:2\r\n"},
		{"array empty", func(w *Writer) { w.Array(0) }, "*0\r\n", "*0\r\n"},
		{"array long", func(w *Writer) { w.Array(1000) }, "*1000\r\n", "*1000\r\n"},
		{"map", func(w *Writer) { w.Map(1); w.Simple("k"); w.Int(2) }, "*2\r\n+k\r\n:2\r\n", "%1\r\n+k\r\n:2\r\n"},
		{"map empty", func(w *Writer) { w.Map(0) }, "*0\r\n", "%0\r\n"},
		{"map long", func(w *Writer) { w.Map(123) }, "*246\r\n", "%123\r\n"},
		{"set", func(w *Writer) { w.Set(1); w.Int(1) }, "*1\r\n:1\r\n", "~1\r\n:1\r\n"},
		{"push", func(w *Writer) { w.Push(2) }, "*2\r\n", ">2\r\n"},
		{"double", func(w *Writer) { w.Double(3.3) }, "$3\r\n3.3\r\n", ",3.3\r\n"},
		{"double nan", func(w *Writer) { w.Double(math.NaN()) }, "$3\r\nnan\r\n", ",nan\r\n"},
		{"score", func(w *Writer) { w.Score(3) }, "$1\r\n3\r\n", ",3\r\n"},
		{"score -0", func(w *Writer) { w.Score(negativeZero) }, "$2\r\n-0\r\n", ",-0\r\n"},
		{"score -inf", func(w *Writer) { w.Score(math.Inf(-1)) }, "$4\r\n-inf\r\n", ",-inf\r\n"},
		{"score max", func(w *Writer) { w.Score(math.MaxFloat64) }, "$23\r\n1.7976931348623157e+308\r\n", ",1.7976931348623157e+308\r\n"},
		{"true", func(w *Writer) { w.Bool(true) }, ":1\r\n", "#t\r\n"},
		{"false", func(w *Writer) { w.Bool(false) }, ":0\r\n", "#f\r\n"},
		{"big number", func(w *Writer) { w.BigNumber("-123") }, "$4\r\n-123\r\n", "(-123\r\n"},
		{"verbatim", func(w *Writer) { w.Verbatim("txt", "a\r\nb") }, "$4\r\na\r\nb\r\n", "=8\r\ntxt:a\r\nb\r\n"},
		{"verbatim empty", func(w *Writer) { w.Verbatim("mkd", "") }, "$0\r\n\r\n", "=4\r\nmkd:\r\n"},
	} {
		for proto, want := range map[int]string{2: c.resp2, 3: c.resp3} {
			var w Writer
			w.SetProto(proto)
			w.Simple("before")
			c.write(&w)
			if got := string(w.Bytes()); got != "+before\r\n"+want {
				t.Errorf("%s in RESP%d is %q, want %q after +before", c.name, proto, got, want)
			}
			if w.Len() != len(w.Bytes()) {
				t.Errorf("Len is %d with %d bytes", w.Len(), len(w.Bytes()))
			}
		}
	}
}

func TestWriterProto(t *testing.T) {
	var w Writer
	if w.Proto() != 2 {
		t.Errorf("a new writer speaks RESP%d", w.Proto())
	}
	w.Null()
	w.SetProto(3)
	w.Null() // HELLO's own reply is already in the new protocol
	if got, want := string(w.Bytes()), "$-1\r\n_\r\n"; got != want || w.Proto() != 3 {
		t.Errorf("wrote %q in RESP%d, want %q", got, w.Proto(), want)
	}
	w.Reset(1 << 10)
	if w.Proto() != 3 {
		t.Error("Reset changed the protocol")
	}
	w.SetProto(2)
	if w.Proto() != 2 {
		t.Error("RESP2 cannot be chosen again")
	}
}

func TestWriterPanicsOnMisuse(t *testing.T) {
	for name, f := range map[string]func(w *Writer){
		"protocol": func(w *Writer) { w.SetProto(4) },
		"format":   func(w *Writer) { w.Verbatim("text", "x") },
		"RESP2":    func(w *Writer) { w.Attribute(1) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			f(new(Writer))
		})
	}
}

func TestWriterReset(t *testing.T) {
	const keep = 4096
	var w Writer
	w.Simple("small")
	small := &w.Bytes()[0]
	w.Reset(keep)
	if w.Len() != 0 {
		t.Errorf("%d bytes left", w.Len())
	}
	w.Simple("again")
	if &w.Bytes()[0] != small {
		t.Error("a small buffer was not kept")
	}
	w.BulkString(strings.Repeat("x", 2*keep))
	w.Reset(keep)
	if cap(w.Bytes()) != 0 {
		t.Errorf("a buffer of %d bytes was kept, the bound is %d", cap(w.Bytes()), keep)
	}
}

// writeEverything writes one reply of every kind.
func writeEverything(w *Writer, member []byte) {
	w.Simple("OK")
	w.Error("ERR syntax error")
	w.Int(1234567)
	w.Bulk(member)
	w.BulkString("string")
	w.Null()
	w.NullArray()
	w.Array(10)
	w.Map(10)
	w.Set(10)
	w.Push(10)
	w.Double(0.1)
	w.Score(3.3)
	w.Bool(true)
	w.Verbatim("txt", "text")
}

func TestWriterAllocatesNothing(t *testing.T) {
	for _, proto := range []int{2, 3} {
		var w Writer
		w.SetProto(proto)
		member := []byte("member")
		if n := testing.AllocsPerRun(100, func() { writeEverything(&w, member); w.Reset(1 << 10) }); n != 0 {
			t.Errorf("RESP%d: %v allocations", proto, n)
		}
	}
}

// BenchmarkWriter writes the reply of ZRANGE WITHSCORES with 100 members.
func BenchmarkWriter(b *testing.B) {
	for _, proto := range []int{2, 3} {
		b.Run(map[int]string{2: "RESP2", 3: "RESP3"}[proto], func(b *testing.B) {
			b.ReportAllocs()
			var w Writer
			w.SetProto(proto)
			member := []byte("member:1234")
			for b.Loop() {
				w.Array(100)
				for i := range 100 {
					if proto == 3 {
						w.Array(2)
					}
					w.Bulk(member)
					w.Score(float64(i) / 8)
				}
				w.Reset(1 << 16)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/100, "ns/member")
		})
	}
}
