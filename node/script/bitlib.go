package script

import (
	"fmt"
	"math"
	"math/bits"

	lua "github.com/yuin/gopher-lua"
)

// word is argument i modulo 2^32, rounded to the nearest integer.
func word(l *lua.LState, i int) uint32 {
	f := float64(l.CheckNumber(i))
	// Adding 2^52 + 2^51 leaves the integer in the low bits; halves go to even.
	return uint32(math.Float64bits(f + 6755399441055744))
}

func pushWord(l *lua.LState, w uint32) int {
	l.Push(lua.LNumber(int32(w)))
	return 1
}

func fold(op func(a, b uint32) uint32) lua.LGFunction {
	return func(l *lua.LState) int {
		acc := word(l, 1)
		for i := 2; i <= l.GetTop(); i++ {
			acc = op(acc, word(l, i))
		}
		return pushWord(l, acc)
	}
}

func shift(op func(w uint32, by uint) uint32) lua.LGFunction {
	return func(l *lua.LState) int { return pushWord(l, op(word(l, 1), uint(word(l, 2)&31))) }
}

// bitFunctions is the library bit, on 32-bit integers.
var bitFunctions = map[string]lua.LGFunction{
	"tobit":   func(l *lua.LState) int { return pushWord(l, word(l, 1)) },
	"bnot":    func(l *lua.LState) int { return pushWord(l, ^word(l, 1)) },
	"bswap":   func(l *lua.LState) int { return pushWord(l, bits.ReverseBytes32(word(l, 1))) },
	"band":    fold(func(a, b uint32) uint32 { return a & b }),
	"bor":     fold(func(a, b uint32) uint32 { return a | b }),
	"bxor":    fold(func(a, b uint32) uint32 { return a ^ b }),
	"lshift":  shift(func(w uint32, by uint) uint32 { return w << by }),
	"rshift":  shift(func(w uint32, by uint) uint32 { return w >> by }),
	"arshift": shift(func(w uint32, by uint) uint32 { return uint32(int32(w) >> by) }),
	"rol":     shift(func(w uint32, by uint) uint32 { return bits.RotateLeft32(w, int(by)) }),
	"ror":     shift(func(w uint32, by uint) uint32 { return bits.RotateLeft32(w, -int(by)) }),
	"tohex": func(l *lua.LState) int {
		w, digits := word(l, 1), 8
		if l.GetTop() >= 2 {
			digits = int(int32(word(l, 2)))
		}
		form := "%08x"
		if digits < 0 {
			digits, form = -digits, "%08X"
		}
		text := fmt.Sprintf(form, w)
		l.Push(lua.LString(text[8-min(max(digits, 0), 8):]))
		return 1
	},
}
