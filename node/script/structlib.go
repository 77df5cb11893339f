package script

import (
	"encoding/binary"
	"math"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

// structFunctions is the library struct: values to and from bytes, by a
// format such as ">I4s".
func (m *machine) structFunctions() map[string]lua.LGFunction {
	return map[string]lua.LGFunction{"pack": m.structPack, "unpack": m.structUnpack, "size": structSize}
}

// maxIntegerSize is the widest integer a format may ask for.
const maxIntegerSize = 32

// layout walks a format. Errors are raised in l.
type layout struct {
	l      *lua.LState
	format string
	little bool
	align  int
}

func newLayout(l *lua.LState) *layout {
	return &layout{l: l, format: l.CheckString(1), little: true, align: 1}
}

// number is a count behind an option, or otherwise.
func (f *layout) number(otherwise int) int {
	if f.format == "" || f.format[0] < '0' || f.format[0] > '9' {
		return otherwise
	}
	n := 0
	for f.format != "" && '0' <= f.format[0] && f.format[0] <= '9' {
		if n > (math.MaxInt32-9)/10 {
			f.l.RaiseError("integral size overflow")
		}
		n = 10*n + int(f.format[0]-'0')
		f.format = f.format[1:]
	}
	return n
}

// next is the next option that stands for bytes: its letter, their number and
// how many bytes align it at offset. There is none when option is 0.
func (f *layout) next(offset int) (option byte, size, padding int) {
	for f.format != "" {
		option, f.format = f.format[0], f.format[1:]
		switch option {
		case 'b', 'B':
			size = 1
		case 'h', 'H':
			size = 2
		case 'l', 'L', 'T':
			size = 8
		case 'f':
			size = 4
		case 'd':
			size = 8
		case 'x':
			return option, 1, 0
		case 'c':
			return option, f.number(1), 0
		case 's':
			return option, 0, 0
		case 'i', 'I':
			if size = f.number(4); size > maxIntegerSize {
				f.l.RaiseError("integral size %d is larger than limit of %d", size, maxIntegerSize)
			}
		case ' ':
			continue
		case '<':
			f.little = true
			continue
		case '>':
			f.little = false
			continue
		case '!':
			if f.align = f.number(8); f.align == 0 || f.align&(f.align-1) != 0 {
				f.l.RaiseError("alignment is not a power of 2")
			}
			continue
		default:
			f.l.ArgError(1, "invalid format option '"+string(rune(option))+"'")
		}
		if to := min(size, f.align); to > 1 && to&(to-1) == 0 {
			padding = (to - offset&(to-1)) & (to - 1)
		}
		return option, size, padding
	}
	return 0, 0, 0
}

func (m *machine) structPack(l *lua.LState) int {
	f, made, argument := newLayout(l), []byte(nil), 1
	for {
		option, size, padding := f.next(len(made))
		if option == 0 {
			break
		}
		for range padding {
			made = append(made, 0)
		}
		if option == 'x' {
			made = append(made, 0)
			continue
		}
		argument++
		switch option {
		case 's', 'c':
			text := l.CheckString(argument)
			if size == 0 {
				size = len(text)
			}
			if len(text) < size {
				l.ArgError(argument, "string too short")
			}
			m.guard.charge(l, len(made)+size)
			made = append(made, text[:size]...)
			if option == 's' {
				made = append(made, 0)
			}
		case 'f':
			made = f.append(made, uint64(math.Float32bits(float32(l.CheckNumber(argument)))), 4)
		case 'd':
			made = f.append(made, math.Float64bits(float64(l.CheckNumber(argument))), 8)
		default:
			n := float64(l.CheckNumber(argument))
			bits := uint64(int64(n))
			if n >= 1<<63 {
				bits = uint64(n)
			}
			made = f.append(made, bits, size)
		}
	}
	l.Push(lua.LString(made))
	return 1
}

// append writes an integer of size bytes.
func (f *layout) append(to []byte, bits uint64, size int) []byte {
	if f.little {
		for range size {
			to = append(to, byte(bits))
			bits >>= 8
		}
		return to
	}
	for i := size - 1; i >= 0; i-- {
		if i >= 8 {
			to = append(to, 0)
		} else {
			to = append(to, byte(bits>>(8*i)))
		}
	}
	return to
}

func (m *machine) structUnpack(l *lua.LState) int {
	f, data := newLayout(l), l.CheckString(2)
	at := l.OptInt(3, 1) - 1
	if at < 0 {
		l.ArgError(3, "offset must be 1 or greater")
	}
	var values []lua.LValue
	for {
		option, size, padding := f.next(at)
		if option == 0 {
			break
		}
		at += padding
		if at > len(data) || size > len(data)-at {
			l.ArgError(2, "data string too short")
		}
		switch option {
		case 'x':
		case 'c':
			if size == 0 {
				if len(values) == 0 {
					l.RaiseError("format 'c0' needs a previous size")
				}
				n, ok := values[len(values)-1].(lua.LNumber)
				if !ok || n < 0 {
					l.RaiseError("format 'c0' needs a previous size")
				}
				values = values[:len(values)-1]
				if float64(n) > float64(len(data)-at) {
					l.ArgError(2, "data string too short")
				}
				size = int(n)
			}
			values = append(values, lua.LString(data[at:at+size]))
		case 's':
			text, _, found := strings.Cut(data[at:], "\x00")
			if !found {
				l.RaiseError("unfinished string in data")
			}
			size = len(text) + 1
			values = append(values, lua.LString(text))
		case 'f':
			values = append(values, lua.LNumber(math.Float32frombits(uint32(f.integer(data[at:at+size])))))
		case 'd':
			values = append(values, lua.LNumber(math.Float64frombits(f.integer(data[at:at+size]))))
		default:
			bits := f.integer(data[at : at+size])
			if strings.IndexByte("bhli", option) < 0 {
				values = append(values, lua.LNumber(bits))
				break
			}
			if unused := 64 - 8*size; unused > 0 && unused < 64 {
				bits = uint64(int64(bits<<unused) >> unused)
			}
			values = append(values, lua.LNumber(int64(bits)))
		}
		at += size
	}
	for _, v := range values {
		l.Push(v)
	}
	l.Push(lua.LNumber(at + 1))
	return len(values) + 1
}

// integer reads the low 8 bytes of an integer.
func (f *layout) integer(data string) uint64 {
	var low [8]byte
	for i := range min(len(data), 8) {
		if f.little {
			low[i] = data[i]
		} else {
			low[i] = data[len(data)-1-i]
		}
	}
	return binary.LittleEndian.Uint64(low[:])
}

func structSize(l *lua.LState) int {
	f, at := newLayout(l), 0
	for {
		option, size, padding := f.next(at)
		if option == 0 {
			break
		}
		if option == 's' {
			l.ArgError(1, "variable-size format in strings")
		}
		if option == 'c' && size == 0 {
			l.ArgError(1, "variable-length format in strings")
		}
		at += padding + size
	}
	l.Push(lua.LNumber(at))
	return 1
}
