package rdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"

	"zset.dev/operator/zset"
)

// ErrChecksum is for a file that is not what was written.
var ErrChecksum = errors.New("rdb: the checksum is wrong")

// Kind is what a Record is.
type Kind uint8

const (
	// Aux is a name and its value.
	Aux Kind = iota
	// Key is a key that holds a sorted set.
	Key
	// OtherKey is a key that holds something else, which was skipped.
	OtherKey
	// Function is the code of a library of functions.
	Function
)

// A Record is one thing that a file holds.
type Record struct {
	Kind     Kind
	Name     []byte    // of an Aux, or the key; valid until the next Record
	Value    []byte    // of an Aux, or a library's code; valid until the next Record
	Packed   []byte    // what a Key holds, as zset.Set.Detach gives it; valid until the next Record
	Set      *zset.Set // what a Key holds if that is a skip list, and Packed is nil; the caller's from now on
	Type     string    // what an OtherKey holds: string, list, set, hash, stream or module
	Meta     Meta      // of a Key or OtherKey
	Database int       // of a Key or OtherKey
}

// Release gives back what r has that is the caller's.
func (r *Record) Release() {
	if r.Set != nil {
		r.Set.Release()
	}
}

// A Decoder reads a file, also while it arrives. It takes memory for one string at a time, a listpack being one, and for
// the sets it makes.
type Decoder struct {
	reader
	stream   stream
	newSet   func() *zset.Set
	packer   packer
	begun    bool
	version  int
	valkey   bool
	database int
	keys     int
	name     []byte
	value    []byte
}

// NewDecoder reads from r, beyond the file's end perhaps (Rest). newSet makes the empty set that keys' members are put
// into, one key's after another's; what is large leaves it.
func NewDecoder(r io.Reader, newSet func() *zset.Set) *Decoder {
	d := &Decoder{newSet: newSet, stream: stream{r: r}}
	d.more = &d.stream
	return d
}

// Keys is how many keys the database has that is being read, as far as the file says so and may be believed; 0 if it does not.
func (d *Decoder) Keys() int { return d.keys }

// Offset is how many bytes were read and understood.
func (d *Decoder) Offset() int64 {
	return d.stream.offset + int64(len(d.stream.buf)-d.stream.counted-len(d.b))
}

// Rest is what was read from the io.Reader and is behind the file's end.
func (d *Decoder) Rest() []byte { return d.b }

// Next reads on to the next Record. At the file's end, when its checksum is right, the error is io.EOF. It is ErrChecksum
// when it is not, io.ErrUnexpectedEOF when the end is missing, wraps ErrFormat when the file makes no sense, or is the
// io.Reader's; each says at which byte.
func (d *Decoder) Next() (Record, error) {
	rec, err := d.next()
	if err != nil && err != io.EOF {
		return Record{}, fmt.Errorf("rdb: at byte %d: %w", d.Offset(), err)
	}
	return rec, err
}

// Begin reads on until it is known that this is a file that can be read, which else Next does. Its errors are those of Next.
func (d *Decoder) Begin() error {
	if err := d.begin(); err != nil {
		return fmt.Errorf("rdb: at byte %d: %w", d.Offset(), err)
	}
	return nil
}

func (d *Decoder) next() (Record, error) {
	if err := d.begin(); err != nil {
		return Record{}, err
	}
	meta := Meta{Idle: -1, Frequency: -1}
	for {
		op, err := d.byte()
		if err != nil {
			return Record{}, err
		}
		switch op {
		case opEnd:
			return Record{}, d.end()
		case opAux, opFunction:
			return d.words(op)
		case opDatabase:
			number, err := d.count()
			if err != nil || number > 1<<31-1 {
				return Record{}, firstOf(err, ErrFormat)
			}
			d.database, d.keys = int(number), 0
		case opExpireMillis, opExpire, opIdle, opFrequency:
			err = d.meta(op, &meta)
		case opResize:
			err = d.resize()
		case opSlotInfo, opSlotImport, opModuleAux:
			err = d.pass(op)
		default:
			return d.key(op, meta)
		}
		if err != nil {
			return Record{}, err
		}
	}
}

// resize reads how many keys are to come, and how many of them expire.
func (d *Decoder) resize() error {
	keys, err := d.count()
	if err == nil {
		d.keys = int(min(keys, math.MaxInt32))
		err = d.passLength()
	}
	return err
}

func firstOf(err, other error) error {
	if err != nil {
		return err
	}
	return other
}

// begin reads the magic and the version.
func (d *Decoder) begin() error {
	if d.begun {
		return nil
	}
	magic, err := d.take(magicBytes)
	if err != nil {
		return err
	}
	digits := ""
	switch {
	case string(magic[:len(redisMagic)]) == redisMagic:
		digits = string(magic[len(redisMagic):])
	case string(magic[:len(valkeyMagic)]) == valkeyMagic:
		digits, d.valkey = string(magic[len(valkeyMagic):]), true
	default:
		return fmt.Errorf("%w: it does not begin as an RDB file does", ErrFormat)
	}
	if d.version, err = strconv.Atoi(digits); err != nil || d.version < 1 || d.version > newestVersion {
		return fmt.Errorf("%w: version %q of the format is not known", ErrFormat, digits)
	}
	d.begun = true
	return nil
}

// end compares the checksum.
func (d *Decoder) end() error {
	const checked = 5 // the first version with a checksum
	if d.version < checked {
		return io.EOF
	}
	d.stream.count(len(d.stream.buf) - len(d.b))
	sum := d.stream.sum
	want, err := d.take(8)
	if err != nil {
		return err
	}
	if want := binary.LittleEndian.Uint64(want); want != 0 && want != sum {
		return ErrChecksum
	}
	return io.EOF
}

// words reads an Aux or a Function.
func (d *Decoder) words(op byte) (rec Record, err error) {
	rec.Kind = Function
	if op == opAux {
		rec.Kind = Aux
		if rec.Name, err = d.copied(&d.name); err != nil {
			return rec, err
		}
	}
	rec.Value, err = d.copied(&d.value)
	return rec, err
}

// copied reads a string into memory of its own.
func (d *Decoder) copied(to *[]byte) ([]byte, error) {
	text, err := d.text()
	*to = append((*to)[:0], text...)
	return *to, err
}

func (d *Decoder) meta(op byte, m *Meta) error {
	switch op {
	case opExpireMillis:
		b, err := d.take(8)
		if err != nil {
			return err
		}
		m.ExpireAt = expiry(int64(binary.LittleEndian.Uint64(b)))
	case opExpire:
		b, err := d.take(4)
		if err != nil {
			return err
		}
		m.ExpireAt = expiry(int64(int32(binary.LittleEndian.Uint32(b))) * 1000)
	case opIdle:
		idle, err := d.count()
		if err != nil || idle > 1<<62 {
			return firstOf(err, ErrFormat)
		}
		m.Idle = int64(idle)
	case opFrequency:
		b, err := d.byte()
		m.Frequency = int(b)
		return err
	}
	return nil
}

// expiry is a time as Meta has it: 0, which means never there, is the moment after.
func expiry(at int64) int64 {
	if at == 0 {
		return 1
	}
	return at
}

// key reads a key of that type.
func (d *Decoder) key(kind byte, meta Meta) (Record, error) {
	rec := Record{Kind: Key, Meta: meta, Database: d.database}
	var other OtherTypeError
	isOther := !isSortedSet(kind)
	if isOther {
		var known bool
		if other, known = otherTypes[kind]; !known {
			return rec, fmt.Errorf("%w: type %d is not known", ErrFormat, kind)
		}
	}
	var err error
	if rec.Name, err = d.copied(&d.name); err != nil {
		return rec, err
	}
	if isOther {
		rec.Kind, rec.Type = OtherKey, string(other)
		if err := d.passValue(kind); err != nil {
			return rec, fmt.Errorf("key %q, a %s: %w", rec.Name, rec.Type, err)
		}
		return rec, nil
	}
	if d.packer.set == nil {
		d.packer.set = d.newSet()
	}
	if rec.Packed, rec.Set, err = d.packer.value(&d.reader, kind); err != nil {
		return rec, fmt.Errorf("key %q: %w", rec.Name, err)
	}
	return rec, nil
}

func isSortedSet(kind byte) bool {
	return kind == typeText || kind == typeBinary || kind == typeZiplist || kind == typeListpack
}
