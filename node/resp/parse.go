package resp

import (
	"bytes"
	"errors"
	"math"
	"strconv"
)

// ErrNotFloat is what ParseScore answers; its text is the reply's.
var ErrNotFloat = errors.New("ERR value is not a valid float")

// ParseScore reads a score: an optional sign and either digits with an
// optional decimal point and exponent, or inf or infinity in any case.
// Leading zeros, a leading '+' and a point without digits on one side are
// fine. Anything else is ErrNotFloat: spaces, hexadecimal, digits set off by
// '_', nan, what is too large for a double, and what is not zero but too
// small for one.
//
// A double between two representable values is rounded to the nearest.
func ParseScore(b []byte) (float64, error) {
	unsigned, negative := b, false
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		unsigned, negative = b[1:], b[0] == '-'
	}
	switch form, small := classify(unsigned); form {
	case smallInteger:
		if negative {
			return -float64(small), nil // keeps the sign of -0
		}
		return float64(small), nil
	case nonzeroDecimal, zeroDecimal:
		f, err := strconv.ParseFloat(string(b), 64)
		if err != nil || f == 0 && form == nonzeroDecimal {
			return 0, ErrNotFloat
		}
		return f, nil
	case infinite:
		if negative {
			return math.Inf(-1), nil
		}
		return math.Inf(1), nil
	}
	return 0, ErrNotFloat
}

// scoreForm is what the characters of a score amount to.
type scoreForm uint8

const (
	notNumber      scoreForm = iota
	smallInteger             // digits only, few enough to be exact in a double
	zeroDecimal              // no digit but 0 before the exponent
	nonzeroDecimal           // the rest
	infinite
)

// classify checks the syntax of a score without its sign. small is the value
// of a smallInteger.
func classify(b []byte) (form scoreForm, small uint64) {
	const exactDigits = 15 // 10^15 < 2^53
	i, digits, nonzero := 0, 0, false
	for ; i < len(b) && isDigit(b[i]); i++ {
		digits++
		nonzero = nonzero || b[i] != '0'
		small = small*10 + uint64(b[i]-'0')
	}
	if i == len(b) && 0 < digits && digits <= exactDigits {
		return smallInteger, small
	}
	if i < len(b) && b[i] == '.' {
		for i++; i < len(b) && isDigit(b[i]); i++ {
			digits++
			nonzero = nonzero || b[i] != '0'
		}
	}
	if digits == 0 {
		if bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity")) {
			return infinite, 0
		}
		return notNumber, 0
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i == len(b) {
			return notNumber, 0
		}
		for ; i < len(b) && isDigit(b[i]); i++ {
		}
	}
	switch {
	case i < len(b):
		return notNumber, 0
	case nonzero:
		return nonzeroDecimal, 0
	}
	return zeroDecimal, 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
