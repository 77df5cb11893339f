package rdb

import (
	"encoding/binary"
	"fmt"
	"io"
	"strconv"

	"zset.dev/operator/zset"
)

// encoderFlush is how many bytes an Encoder gathers before it writes, unless Gather says more.
const encoderFlush = 64 << 10

// An Encoder writes a file that every Redis from 7.0 and Valkey can load. What the writer fails with it keeps: later
// calls do nothing, and Close returns it.
type Encoder struct {
	w       io.Writer
	buf     []byte
	list    []byte // a listpack, before its length is known
	sum     uint64
	written int64
	pending uint64 // members that are still due
	most    int    // bytes that are gathered before they are written
	err     error
}

// NewEncoder begins a file with the magic.
func NewEncoder(w io.Writer) *Encoder {
	e := &Encoder{w: w, most: encoderFlush}
	e.buf = fmt.Appendf(e.buf, "%s%04d", redisMagic, writtenVersion)
	return e
}

// Gather says that the caller writes by Flush: by itself the Encoder does so only once it has gathered so many bytes.
func (e *Encoder) Gather(most int) { e.most = most }

// Gathered is how many bytes wait for Flush.
func (e *Encoder) Gathered() int { return len(e.buf) }

// Aux writes a name and its value.
func (e *Encoder) Aux(name, value string) {
	e.buf = append(e.buf, opAux)
	e.buf = appendText(e.buf, []byte(name))
	e.buf = appendText(e.buf, []byte(value))
	e.ended()
}

// AuxInt is Aux for a number.
func (e *Encoder) AuxInt(name string, value int64) { e.Aux(name, strconv.FormatInt(value, 10)) }

// Function writes the code of a library of functions.
func (e *Encoder) Function(code []byte) {
	e.buf = append(e.buf, opFunction)
	e.buf = append(appendLength(e.buf, uint64(len(code))), code...)
	e.ended()
}

// Database says in which database the keys are that follow, and about how many there are and how many of them expire,
// so that tables can be made large enough at once.
func (e *Encoder) Database(number, keys, expiring int) {
	e.buf = appendLength(append(e.buf, opDatabase), uint64(number))
	e.buf = appendLength(append(e.buf, opResize), uint64(keys))
	e.buf = appendLength(e.buf, uint64(expiring))
	e.ended()
}

// Key writes a key that holds s, which is not empty.
func (e *Encoder) Key(key []byte, meta Meta, s *zset.Set) {
	e.meta(meta)
	if s.Encoding() == zset.Listpack {
		e.small(key, s)
		e.ended()
		return
	}
	e.begin(key, s.Len())
	for member, score := range s.Descend(s.ByRank(0, -1)) { // see AppendValue
		e.Member(member, score)
	}
}

// small writes a key as the type that costs less. Scores that are integers are a byte or a few in a listpack; others would
// have to become text there, of 17 digits often, which takes longer than all else, for the reader too.
func (e *Encoder) small(key []byte, s *zset.Set) {
	if integral(s) {
		e.list = appendListpack(e.list[:0], s)
		e.buf = appendLength(appendText(append(e.buf, typeListpack), key), uint64(len(e.list)))
		e.buf = append(e.buf, e.list...)
		return
	}
	e.buf = appendLength(appendText(append(e.buf, typeBinary), key), uint64(s.Len()))
	for member, score := range s.All() { // in order, so that a Decoder takes it in one pass
		e.buf = appendMember(e.buf, member, score)
	}
}

// integral reports whether all scores are integers.
func integral(s *zset.Set) bool {
	for _, score := range s.All() {
		if _, ok := asInteger(score); !ok {
			return false
		}
	}
	return true
}

// Begin writes a key whose n members, at least one, follow by as many calls of Member, in any order: for a set that
// is gathered piece by piece.
func (e *Encoder) Begin(key []byte, meta Meta, n int) {
	e.meta(meta)
	e.begin(key, n)
}

func (e *Encoder) begin(key []byte, n int) {
	e.buf = appendText(append(e.buf, typeBinary), key)
	e.buf = appendLength(e.buf, uint64(n))
	e.pending = uint64(n)
}

// Member writes one of the members that Begin announced.
func (e *Encoder) Member(member []byte, score float64) {
	if e.pending == 0 {
		panic("rdb: more members than announced")
	}
	e.pending--
	e.buf = appendMember(e.buf, member, score)
	if len(e.buf) >= e.most {
		e.Flush()
	}
}

func (e *Encoder) meta(m Meta) {
	e.ended()
	if m.ExpireAt != 0 {
		e.buf = binary.LittleEndian.AppendUint64(append(e.buf, opExpireMillis), uint64(m.ExpireAt))
	}
	switch {
	case m.Idle >= 0:
		e.buf = appendLength(append(e.buf, opIdle), uint64(m.Idle))
	case m.Frequency >= 0:
		e.buf = append(e.buf, opFrequency, byte(m.Frequency))
	}
}

// ended checks that what was begun is whole, and writes once there is much.
func (e *Encoder) ended() {
	if e.pending > 0 {
		panic("rdb: fewer members than announced")
	}
	if len(e.buf) >= e.most {
		e.Flush()
	}
}

// Flush hands everything over to the writer.
func (e *Encoder) Flush() {
	if e.err == nil && len(e.buf) > 0 {
		e.sum = updated(e.sum, e.buf)
		var n int
		n, e.err = e.w.Write(e.buf)
		e.written += int64(n)
	}
	e.buf = e.buf[:0]
}

// Written is how many bytes the writer took.
func (e *Encoder) Written() int64 { return e.written }

// Close ends the file, and returns the first error of the writer. It does not close the writer.
func (e *Encoder) Close() error {
	e.ended()
	e.buf = append(e.buf, opEnd)
	sum := updated(e.sum, e.buf)
	e.buf = binary.LittleEndian.AppendUint64(e.buf, sum)
	e.Flush()
	return e.err
}

// Err is the first error of the writer so far.
func (e *Encoder) Err() error { return e.err }
