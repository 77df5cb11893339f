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
	f, _, err := ParseScoreText(b, false)
	return f, err
}

// ParseScoreText is ParseScore. If it is asked to compare, it also reports
// whether b is exactly what AppendScore writes for the score. It knows that of
// numbers with a decimal point and up to 16 digits, most of those that clients
// send, in a few nanoseconds; of others it says that they are not.
func ParseScoreText(b []byte, compare bool) (f float64, exact bool, err error) {
	unsigned, negative := b, false
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		unsigned, negative = b[1:], b[0] == '-'
	}
	form, digits, places := classify(unsigned)
	switch form {
	case shortDecimal:
		f = quotient(digits, places)
		if compare && b[0] != '+' {
			exact = shortestText(unsigned, digits, places, f)
		}
		if negative {
			f = -f // keeps the sign of -0
		}
		return f, exact, nil
	case nonzeroDecimal, zeroDecimal:
		f, err = strconv.ParseFloat(string(b), 64)
		if err != nil || f == 0 && form == nonzeroDecimal {
			return 0, false, ErrNotFloat
		}
		return f, false, nil
	case infinite:
		if negative {
			return math.Inf(-1), false, nil
		}
		return math.Inf(1), false, nil
	}
	return 0, false, ErrNotFloat
}

// scoreForm is what the characters of a score amount to.
type scoreForm uint8

const (
	notNumber      scoreForm = iota
	shortDecimal             // without exponent, and with so few digits that they are an integer of 64 bits
	zeroDecimal              // no digit but 0 before the exponent
	nonzeroDecimal           // the rest
	infinite
)

// shortDigits is how many digits an integer of 64 bits can have, whatever they are.
const shortDigits = 19

// classify checks the syntax of a score without its sign. A shortDecimal is
// all, its digits as an integer, divided by ten to the power of places.
func classify(b []byte) (form scoreForm, all uint64, places int) {
	i, digits, nonzero := 0, 0, false
	for ; i < len(b) && isDigit(b[i]); i++ {
		digits++
		nonzero = nonzero || b[i] != '0'
		all = all*10 + uint64(b[i]-'0')
	}
	if i < len(b) && b[i] == '.' {
		from := i + 1
		for i++; i < len(b) && isDigit(b[i]); i++ {
			digits++
			nonzero = nonzero || b[i] != '0'
			all = all*10 + uint64(b[i]-'0')
		}
		places = i - from
	}
	if digits == 0 {
		if bytes.EqualFold(b, []byte("inf")) || bytes.EqualFold(b, []byte("infinity")) {
			return infinite, 0, 0
		}
		return notNumber, 0, 0
	}
	if i == len(b) && digits <= shortDigits {
		return shortDecimal, all, places
	}
	if i < len(b) && (b[i] == 'e' || b[i] == 'E') {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		if i == len(b) {
			return notNumber, 0, 0
		}
		for ; i < len(b) && isDigit(b[i]); i++ {
		}
	}
	switch {
	case i < len(b):
		return notNumber, 0, 0
	case nonzero:
		return nonzeroDecimal, 0, 0
	}
	return zeroDecimal, 0, 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
