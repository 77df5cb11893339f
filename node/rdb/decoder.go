package rdb

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
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
	Set      *zset.Set // what a Key holds, not empty; the caller's from now on
	Type     string    // what an OtherKey holds: string, list, set, hash, stream or module
	Meta     Meta      // of a Key or OtherKey
	Database int       // of a Key or OtherKey
}

// A Decoder reads a file, also while it arrives. It takes memory for one string at a time, a listpack being one, and for
// the sets it makes.
type Decoder struct {
	reader
	stream   stream
	newSet   func() *zset.Set
	spare    *zset.Set // an empty one, to be used first
	begun    bool
	version  int
	valkey   bool
	database int
	name     []byte
	value    []byte
}

// NewDecoder reads from r, beyond the file's end perhaps (Rest). newSet makes the empty sets that keys' members are put
// into.
func NewDecoder(r io.Reader, newSet func() *zset.Set) *Decoder {
	d := &Decoder{newSet: newSet, stream: stream{r: r}}
	d.more = &d.stream
	return d
}

// Reuse gives an empty set, such as newSet makes, for the next key; nil is none. One given before, and not used, is let go.
func (d *Decoder) Reuse(s *zset.Set) {
	if s != nil {
		d.spare = s
	}
}

// set is an empty set for a key.
func (d *Decoder) set() *zset.Set {
	if s := d.spare; s != nil {
		d.spare = nil
		return s
	}
	return d.newSet()
}

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
			d.database = int(number)
		case opExpireMillis, opExpire, opIdle, opFrequency:
			err = d.meta(op, &meta)
		case opResize, opSlotInfo, opSlotImport, opModuleAux:
			err = d.pass(op)
		default:
			return d.key(op, meta)
		}
		if err != nil {
			return Record{}, err
		}
	}
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
	other, isOther := otherTypes[kind]
	if !isOther && !isSortedSet(kind) {
		return rec, fmt.Errorf("%w: type %d is not known", ErrFormat, kind)
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
	rec.Set = d.set()
	if err = d.reader.value(rec.Set, kind); err == nil && rec.Set.Len() == 0 {
		err = ErrFormat
	}
	if err != nil {
		rec.Set.Release()
		return rec, fmt.Errorf("key %q: %w", rec.Name, err)
	}
	return rec, nil
}

func isSortedSet(kind byte) bool {
	return kind == typeText || kind == typeBinary || kind == typeZiplist || kind == typeListpack
}
