package resp

import (
	"slices"
	"strconv"

	"github.com/tidwall/redcon"
)

// Writer appends replies to a buffer that the owner takes with Bytes and
// empties with Reset. The zero Writer is ready to use and speaks RESP2.
//
// A Writer is not safe for concurrent use: it belongs to the goroutine that
// serves its connection. It does not bound its buffer while a reply is being
// written: the owner compares Len with the client's output limit.
type Writer struct {
	buf   []byte // owned by the connection's goroutine
	resp3 bool   // likewise; set by HELLO
}

// Proto returns the protocol version in force, 2 or 3.
func (w *Writer) Proto() int {
	if w.resp3 {
		return 3
	}
	return 2
}

// SetProto chooses the protocol of the replies written from now on: 2 or 3.
// It panics on any other version, which HELLO must have refused before.
func (w *Writer) SetProto(version int) {
	if version != 2 && version != 3 {
		panic("resp: protocol version " + strconv.Itoa(version))
	}
	w.resp3 = version == 3
}

// Bytes returns what has been written since the last Reset. The slice is
// valid until the next call that writes or resets.
func (w *Writer) Bytes() []byte { return w.buf }

// Len returns the number of bytes written since the last Reset.
func (w *Writer) Len() int { return len(w.buf) }

// Reset empties the buffer. Its memory is kept for the next reply unless its
// capacity is above keepCap bytes, so that one huge reply does not make a
// connection hold its size for ever.
func (w *Writer) Reset(keepCap int) {
	if cap(w.buf) > keepCap {
		w.buf = nil
		return
	}
	w.buf = w.buf[:0]
}

// Truncate drops what was written after the first n bytes.
func (w *Writer) Truncate(n int) { w.buf = w.buf[:n] }

// Discard drops the first n bytes.
func (w *Writer) Discard(n int) { w.buf = w.buf[:copy(w.buf, w.buf[n:])] }

// ReplaceByError puts an error in the place of the bytes from one to the other.
func (w *Writer) ReplaceByError(from, to int, s string) {
	w.buf = slices.Replace(w.buf, from, to, redcon.AppendError(nil, s)...)
}

// Raw writes bytes that are encoded already.
func (w *Writer) Raw(encoded []byte) { w.buf = append(w.buf, encoded...) }

// Simple writes a simple string, such as OK. A line break in s becomes a
// space, since it would end the reply early.
func (w *Writer) Simple(s string) { w.buf = redcon.AppendString(w.buf, s) }

// Error writes an error. s starts with its code, as in "ERR syntax error".
// A line break in s becomes a space, since it would end the reply early.
func (w *Writer) Error(s string) { w.buf = redcon.AppendError(w.buf, s) }

// Int writes an integer.
func (w *Writer) Int(n int64) { w.header(':', n) }

// Bulk writes a string of any bytes. A nil slice is the empty string; a
// missing value is Null.
func (w *Writer) Bulk(b []byte) {
	w.header('$', int64(len(b)))
	w.buf = append(append(w.buf, b...), '\r', '\n')
}

// BulkString writes a string of any bytes.
func (w *Writer) BulkString(s string) { w.buf = redcon.AppendBulkString(w.buf, s) }

// Null writes the null of a missing value: a null bulk string in RESP2.
func (w *Writer) Null() {
	if w.resp3 {
		w.buf = append(w.buf, "_\r\n"...)
		return
	}
	w.buf = append(w.buf, "$-1\r\n"...)
}

// NullArray writes the null of a missing array, such as a blocking pop that
// timed out. RESP3 has one null for both.
func (w *Writer) NullArray() {
	if w.resp3 {
		w.buf = append(w.buf, "_\r\n"...)
		return
	}
	w.buf = append(w.buf, "*-1\r\n"...)
}

// Array starts an array; the caller writes its n elements next.
func (w *Writer) Array(n int) { w.header('*', int64(n)) }

// Map starts a map; the caller writes n pairs of key and value next. RESP2
// has no maps: it is an array of the 2n keys and values.
func (w *Writer) Map(n int) {
	if w.resp3 {
		w.header('%', int64(n))
		return
	}
	w.Array(2 * n)
}

// Set starts a set; the caller writes its n elements next. An array in RESP2.
func (w *Writer) Set(n int) {
	if w.resp3 {
		w.header('~', int64(n))
		return
	}
	w.Array(n)
}

// Push starts a message that answers no command; the caller writes its n
// elements next. An array in RESP2.
func (w *Writer) Push(n int) {
	if w.resp3 {
		w.header('>', int64(n))
		return
	}
	w.Array(n)
}

// Attribute starts n pairs that say something about the reply that follows
// them. RESP2 has no such thing: there it panics.
func (w *Writer) Attribute(n int) {
	if !w.resp3 {
		panic("resp: an attribute in RESP2")
	}
	w.header('|', int64(n))
}

// BigNumber writes an integer of any size, given in decimal: a bulk string in
// RESP2.
func (w *Writer) BigNumber(text string) {
	if !w.resp3 {
		w.BulkString(text)
		return
	}
	w.buf = append(w.buf, '(')
	w.buf = append(w.buf, text...)
	w.buf = append(w.buf, '\r', '\n')
}

// Double writes a floating-point number, NaN included, in the text of
// [AppendScore]: a double in RESP3, a bulk string in RESP2.
func (w *Writer) Double(f float64) {
	if w.resp3 {
		w.buf = append(w.buf, ',')
		w.buf = AppendScore(w.buf, f)
		w.buf = append(w.buf, '\r', '\n')
		return
	}
	var text [maxScoreText]byte
	w.Bulk(AppendScore(text[:0], f))
}

// Score writes a member's score, as Double does. Replies that stay strings
// in RESP3 (ZSCAN) write AppendScore's text with Bulk instead.
func (w *Writer) Score(f float64) { w.Double(f) }

// Bool writes a boolean: an integer 1 or 0 in RESP2.
func (w *Writer) Bool(b bool) {
	var text string
	switch {
	case w.resp3 && b:
		text = "#t\r\n"
	case w.resp3:
		text = "#f\r\n"
	case b:
		text = ":1\r\n"
	default:
		text = ":0\r\n"
	}
	w.buf = append(w.buf, text...)
}

// Verbatim writes text for people to read, such as INFO's. format is the
// three bytes that name its kind, "txt" or "mkd"; any other length panics.
// In RESP2 it is a bulk string without the format.
func (w *Writer) Verbatim(format, text string) {
	if len(format) != 3 {
		panic("resp: verbatim format " + strconv.Quote(format))
	}
	if !w.resp3 {
		w.BulkString(text)
		return
	}
	w.header('=', int64(len(format)+1+len(text)))
	w.buf = append(w.buf, format...)
	w.buf = append(w.buf, ':')
	w.buf = append(w.buf, text...)
	w.buf = append(w.buf, '\r', '\n')
}

// header writes the type byte and number that start a reply. Most numbers are
// small, and there are many.
func (w *Writer) header(kind byte, n int64) {
	switch {
	case 0 <= n && n < 10:
		w.buf = append(w.buf, kind, '0'+byte(n), '\r', '\n')
		return
	case 10 <= n && n < 100:
		w.buf = append(w.buf, kind, '0'+byte(n/10), '0'+byte(n%10), '\r', '\n')
		return
	}
	w.buf = append(w.buf, kind)
	w.buf = strconv.AppendInt(w.buf, n, 10)
	w.buf = append(w.buf, '\r', '\n')
}
