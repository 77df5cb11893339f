package script

import (
	"encoding/binary"
	"math"

	lua "github.com/yuin/gopher-lua"
)

// maxPackNesting is how deep cmsgpack packs; what is deeper becomes nil.
const maxPackNesting = 16

// packFunctions is the library cmsgpack: MessagePack.
func (m *machine) packFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{
		"pack": func(l *lua.LState) int {
			if l.GetTop() == 0 {
				l.ArgError(0, "MessagePack pack needs input.")
			}
			p := packer{m: m, l: l}
			for i := 1; i <= l.GetTop(); i++ {
				p.value(l.Get(i), 0)
			}
			l.Push(lua.LString(p.buf))
			return 1
		},
		"unpack": func(l *lua.LState) int { return m.unpack(l, -1, 0, true) },
		"unpack_one": func(l *lua.LState) int {
			return m.unpack(l, 1, l.OptInt(2, 0), false)
		},
		"unpack_limit": func(l *lua.LState) int {
			return m.unpack(l, l.CheckInt(2), l.OptInt(3, 0), false)
		},
	}
}

// unpack pushes limit values, -1 all, from offset on; before them, unless all
// is asked for, the offset at which the next call goes on, -1 at the end.
func (m *machine) unpack(l *lua.LState, limit, offset int, all bool) int {
	text := l.CheckString(1)
	switch {
	case offset < 0 || limit < 0 && !all:
		l.RaiseError("Invalid request to unpack with offset of %d and limit of %d.", offset, limit)
	case offset > len(text):
		l.RaiseError("Start offset %d greater than input length %d.", offset, len(text))
	}
	m.guard.charge(l, 16*(len(text)-offset))
	u := unpacker{data: text[offset:], gap: func(t *lua.LTable, key lua.LValue) { m.chargeGap(l, t, key) }}
	var values []lua.LValue
	for u.data != "" && (all || len(values) < limit) {
		v, err := u.value(0)
		if err != "" {
			l.RaiseError("%s", err)
		}
		values = append(values, v)
	}
	n := len(values)
	if !all {
		next := -1
		if u.data != "" {
			next = len(text) - len(u.data)
		}
		l.Push(lua.LNumber(next))
		n++
	}
	for _, v := range values {
		l.Push(v)
	}
	return n
}

type packer struct {
	m   *machine
	l   *lua.LState
	buf []byte
}

func (p *packer) grow(n int) {
	if len(p.buf)+n > cap(p.buf) {
		p.m.guard.charge(p.l, 2*len(p.buf)+n)
	}
}

func (p *packer) value(v lua.LValue, depth int) {
	p.grow(16)
	switch v := v.(type) {
	case lua.LString:
		p.text(string(v))
	case lua.LNumber:
		p.number(float64(v))
	case lua.LBool:
		if v {
			p.buf = append(p.buf, 0xc3)
		} else {
			p.buf = append(p.buf, 0xc2)
		}
	case *lua.LTable:
		if depth == maxPackNesting {
			p.buf = append(p.buf, 0xc0)
			return
		}
		p.table(p.m.content(v), depth+1)
	default:
		p.buf = append(p.buf, 0xc0)
	}
}

// size writes a length: within the type byte up to fix, else after it.
func (p *packer) size(n, fix int, fixed, eight, sixteen, thirtyTwo byte) {
	switch {
	case n <= fix:
		p.buf = append(p.buf, fixed|byte(n))
	case n <= math.MaxUint8 && eight != 0:
		p.buf = append(p.buf, eight, byte(n))
	case n <= math.MaxUint16:
		p.buf = binary.BigEndian.AppendUint16(append(p.buf, sixteen), uint16(n))
	default:
		p.buf = binary.BigEndian.AppendUint32(append(p.buf, thirtyTwo), uint32(n))
	}
}

func (p *packer) text(s string) {
	p.grow(len(s) + 5)
	p.size(len(s), 31, 0xa0, 0xd9, 0xda, 0xdb)
	p.buf = append(p.buf, s...)
}

func (p *packer) number(f float64) {
	n := int64(f)
	if float64(n) != f || f >= 1<<63 {
		if float64(float32(f)) == f {
			p.buf = binary.BigEndian.AppendUint32(append(p.buf, 0xca), math.Float32bits(float32(f)))
		} else {
			p.buf = binary.BigEndian.AppendUint64(append(p.buf, 0xcb), math.Float64bits(f))
		}
		return
	}
	switch {
	case n >= 0 && n <= 127, n < 0 && n >= -32:
		p.buf = append(p.buf, byte(n))
	case n >= 0 && n <= math.MaxUint8:
		p.buf = append(p.buf, 0xcc, byte(n))
	case n >= 0 && n <= math.MaxUint16:
		p.buf = binary.BigEndian.AppendUint16(append(p.buf, 0xcd), uint16(n))
	case n >= 0 && n <= math.MaxUint32:
		p.buf = binary.BigEndian.AppendUint32(append(p.buf, 0xce), uint32(n))
	case n >= 0:
		p.buf = binary.BigEndian.AppendUint64(append(p.buf, 0xcf), uint64(n))
	case n >= math.MinInt8:
		p.buf = append(p.buf, 0xd0, byte(n))
	case n >= math.MinInt16:
		p.buf = binary.BigEndian.AppendUint16(append(p.buf, 0xd1), uint16(n))
	case n >= math.MinInt32:
		p.buf = binary.BigEndian.AppendUint32(append(p.buf, 0xd2), uint32(n))
	default:
		p.buf = binary.BigEndian.AppendUint64(append(p.buf, 0xd3), uint64(n))
	}
}

// table packs an array when the keys are 1 to the number of fields.
func (p *packer) table(t *lua.LTable, depth int) {
	fields, most, array := 0, 0, true
	each(t, func(k, _ lua.LValue) {
		fields++
		n, ok := k.(lua.LNumber)
		if !ok || n < 1 || n != lua.LNumber(int(n)) {
			array = false
			return
		}
		most = max(most, int(n))
	})
	if array && most == fields {
		p.size(fields, 15, 0x90, 0, 0xdc, 0xdd)
		for i := 1; i <= fields; i++ {
			p.value(t.RawGet(lua.LNumber(i)), depth)
		}
		return
	}
	p.size(fields, 15, 0x80, 0, 0xde, 0xdf)
	each(t, func(k, v lua.LValue) {
		p.value(k, depth)
		p.value(v, depth)
	})
}

const (
	errPackShort = "Missing bytes in input."
	errPackBad   = "Bad data format in input."
)

// maxUnpackNesting bounds our own recursion.
const maxUnpackNesting = 10000

// unpacker reads MessagePack from data, and takes off what it has read.
type unpacker struct {
	data string
	gap  func(t *lua.LTable, key lua.LValue) // called before key is set in t
}

func (u *unpacker) take(n int) (string, bool) {
	if n > len(u.data) {
		return "", false
	}
	taken := u.data[:n]
	u.data = u.data[n:]
	return taken, true
}

// number reads a big-endian integer of n bytes.
func (u *unpacker) number(n int) (v uint64, ok bool) {
	taken, ok := u.take(n)
	for i := range len(taken) {
		v = v<<8 | uint64(taken[i])
	}
	return v, ok
}

func (u *unpacker) value(depth int) (v lua.LValue, err string) {
	if depth > maxUnpackNesting {
		return nil, errPackBad
	}
	first, ok := u.take(1)
	if !ok {
		return nil, errPackShort
	}
	sized := func(bytes int, read func(n int) (lua.LValue, string)) (lua.LValue, string) {
		n, ok := u.number(bytes)
		if !ok {
			return nil, errPackShort
		}
		return read(int(n))
	}
	array := func(n int) (lua.LValue, string) { return u.array(n, depth) }
	dictionary := func(n int) (lua.LValue, string) { return u.dictionary(n, depth) }
	switch b := first[0]; {
	case b <= 0x7f:
		return lua.LNumber(b), ""
	case b >= 0xe0:
		return lua.LNumber(int8(b)), ""
	case b&0xf0 == 0x80:
		return dictionary(int(b & 0x0f))
	case b&0xf0 == 0x90:
		return array(int(b & 0x0f))
	case b&0xe0 == 0xa0:
		return u.text(int(b & 0x1f))
	case b == 0xc0:
		return lua.LNil, ""
	case b == 0xc2, b == 0xc3:
		return lua.LBool(b == 0xc3), ""
	case b == 0xc4, b == 0xd9:
		return sized(1, u.text)
	case b == 0xc5, b == 0xda:
		return sized(2, u.text)
	case b == 0xc6, b == 0xdb:
		return sized(4, u.text)
	case b == 0xdc:
		return sized(2, array)
	case b == 0xdd:
		return sized(4, array)
	case b == 0xde:
		return sized(2, dictionary)
	case b == 0xdf:
		return sized(4, dictionary)
	case b >= 0xca && b <= 0xd3:
		return u.numeric(b)
	}
	return nil, errPackBad
}

func (u *unpacker) numeric(kind byte) (lua.LValue, string) {
	size := map[byte]int{0xca: 4, 0xcb: 8, 0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8}[kind]
	n, ok := u.number(size)
	if !ok {
		return nil, errPackShort
	}
	switch kind {
	case 0xca:
		return lua.LNumber(math.Float32frombits(uint32(n))), ""
	case 0xcb:
		return lua.LNumber(math.Float64frombits(n)), ""
	case 0xd0, 0xd1, 0xd2, 0xd3:
		unused := 64 - 8*size
		return lua.LNumber(int64(n<<unused) >> unused), ""
	}
	return lua.LNumber(n), ""
}

func (u *unpacker) text(n int) (lua.LValue, string) {
	taken, ok := u.take(n)
	if !ok {
		return nil, errPackShort
	}
	return lua.LString(taken), ""
}

func (u *unpacker) array(n, depth int) (lua.LValue, string) {
	t := &lua.LTable{Metatable: lua.LNil}
	for i := range n {
		v, err := u.value(depth + 1)
		if err != "" {
			return nil, err
		}
		t.RawSetInt(i+1, v)
	}
	return t, ""
}

func (u *unpacker) dictionary(n, depth int) (lua.LValue, string) {
	t := &lua.LTable{Metatable: lua.LNil}
	for range n {
		k, err := u.value(depth + 1)
		if err != "" {
			return nil, err
		}
		v, err := u.value(depth + 1)
		if err != "" {
			return nil, err
		}
		if number, ok := k.(lua.LNumber); k == lua.LNil || ok && number != number {
			return nil, errPackBad
		}
		u.gap(t, k)
		t.RawSet(k, v)
	}
	return t, ""
}
