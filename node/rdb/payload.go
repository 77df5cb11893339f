package rdb

import (
	"encoding/binary"
	"errors"
	"math"

	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var (
	// ErrFooter is for a payload whose version is too new or whose checksum is
	// wrong, or that is too short to have either.
	ErrFooter = errors.New("rdb: payload version or checksum are wrong")
	// ErrPreRelease is for functions in a form that no release of a server wrote.
	ErrPreRelease = errors.New("rdb: functions in the form before release")
	// ErrFormat is for a payload that is whole, or a file, and makes no sense.
	ErrFormat = errors.New("rdb: bad data format")
)

// OtherTypeError is for a payload of a type that is not a sorted set. It is
// the type's name: string, list, set, hash, stream or module.
type OtherTypeError string

func (e OtherTypeError) Error() string { return "rdb: the payload holds a " + string(e) }

// The versions of the format.
const (
	writtenVersion = 10 // that of Redis 7.0, the first with listpacks
	newestVersion  = 80 // that of Valkey 9, beyond all of Redis
)

// The types that are sorted sets.
const (
	typeText     = 3
	typeBinary   = 5
	typeZiplist  = 12
	typeListpack = 17
)

// otherTypes are the names of the other types, by number.
var otherTypes = map[byte]OtherTypeError{
	0: "string", 1: "list", 2: "set", 4: "hash", 6: "module", 7: "module", 9: "hash", 10: "list", 11: "set", 13: "hash", 14: "list",
	15: "stream", 16: "hash", 18: "list", 19: "stream", 20: "set", 21: "stream", 22: "hash", 23: "hash", 24: "hash", 25: "hash", 26: "stream",
}

const footerBytes = 2 + 8

// Append appends the payload of s, which is not empty, to dst.
func Append(dst []byte, s *zset.Set) []byte {
	start := len(dst)
	return appendFooter(AppendValue(dst, s), start)
}

// AppendValue appends the type and value of s, as they are in a payload.
func AppendValue(dst []byte, s *zset.Set) []byte {
	if s.Encoding() == zset.Listpack {
		return appendPackedSet(append(dst, typeListpack), s)
	}
	dst = append(dst, typeBinary)
	dst = appendLength(dst, uint64(s.Len()))
	// Servers write the highest first, so that they can add each at the front.
	for member, score := range s.Descend(s.ByRank(0, -1)) {
		dst = appendMember(dst, member, score)
	}
	return dst
}

// appendPackedSet appends the value of typeListpack.
func appendPackedSet(dst []byte, s *zset.Set) []byte {
	list := appendListpack(nil, s)
	return append(appendLength(dst, uint64(len(list))), list...)
}

// appendMember appends one of a value of typeBinary.
func appendMember(dst, member []byte, score float64) []byte {
	return binary.LittleEndian.AppendUint64(appendText(dst, member), math.Float64bits(score))
}

// Read makes a set of a payload. It is a listpack when t allows, whatever it
// was where the payload is from, else it is in m. The error is ErrFooter,
// ErrFormat, an OtherTypeError or, when m has no memory, zset.ErrFull; then
// there is no set.
func Read(payload []byte, m zset.Memory, t *zset.Tuning) (*zset.Set, error) {
	body, err := withoutFooter(payload)
	if err != nil {
		return nil, err
	}
	if len(body) == 0 {
		return nil, ErrFormat
	}
	if name, ok := otherTypes[body[0]]; ok {
		return nil, name
	}
	s := zset.NewIn(m, t)
	r := reader{b: body[1:]}
	if err := r.value(s, body[0]); err != nil || s.Len() == 0 || len(r.b) > 0 {
		s.Release()
		if errors.Is(err, zset.ErrFull) {
			return nil, err
		}
		return nil, ErrFormat
	}
	return s, nil
}

// value fills s with a sorted set of that type.
func (r *reader) value(s *zset.Set, kind byte) error {
	switch kind {
	case typeListpack, typeZiplist:
		list, err := r.text()
		if err != nil {
			return err
		}
		if kind == typeListpack {
			return readListpack(s, list)
		}
		return readZiplist(s, list)
	case typeBinary, typeText:
		n, err := r.count()
		if err != nil {
			return err
		}
		if kind == typeBinary {
			return r.members(s, n, (*reader).binaryScore)
		}
		return r.members(s, n, (*reader).textScore)
	}
	return ErrFormat
}

// members fills s with n members and their scores.
func (r *reader) members(s *zset.Set, n uint64, score func(*reader) (float64, error)) error {
	r.sets.Begin(s, int(min(n, math.MaxInt32)))
	var member []byte
	for ; n > 0; n-- {
		text, err := r.text()
		if err != nil {
			return err
		}
		member = append(member[:0], text...)
		value, err := score(r)
		if err != nil {
			return err
		}
		if err := r.sets.Add(member, value); err != nil {
			return refusal(err)
		}
	}
	return refusal(r.sets.End())
}

func (r *reader) binaryScore() (float64, error) {
	b, err := r.take(8)
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(binary.LittleEndian.Uint64(b)), nil
}

// textScore reads a score as text behind its length; three lengths stand for
// what has no digits.
func (r *reader) textScore() (float64, error) {
	const nan, positive, negative = 253, 254, 255
	n, err := r.byte()
	if err != nil {
		return 0, err
	}
	switch n {
	case nan:
		return 0, ErrFormat
	case positive:
		return math.Inf(1), nil
	case negative:
		return math.Inf(-1), nil
	}
	text, err := r.take(uint64(n))
	if err != nil {
		return 0, err
	}
	return resp.ParseScore(text)
}
