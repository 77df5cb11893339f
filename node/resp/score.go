package resp

import (
	"math"
	"strconv"
)

// maxScoreText is at least the length of the longest text AppendScore writes:
// 24 bytes, as -2.2250738585072014e-308 has.
const maxScoreText = 32

// AppendScore appends the text of a score to dst.
//
// Finite scores take one of four forms. Let the shortest digits that read
// back to the same double be d1…dn, so that the value is d1…dn × 10^k, and
// x = n + k - 1 its decimal exponent, that of the first digit.
//
//   - An integer of magnitude up to 2^62 has all its digits: 1e18 reads
//     1000000000000000000, 2^60 reads 1152921504606846976.
//   - Beyond that, k ≥ 0 and x < n + 7: the digits and k zeros.
//   - k < 0, and k > -7 or |x| < 4: a decimal point, as in 3.3 and 0.000001.
//   - Everything else has an exponent without leading zeros: 1e+19, 1e-7,
//     1.2345678e-10.
//
// The others are inf, -inf, 0, -0 and, for the sake of completeness, nan.
//
// The rule is that of Redis 8.0 and Valkey 9.1, in both of their encodings
// and protocols, found and checked by the sweep in score_peer_test.go. Two
// differences are on purpose. These servers choose the digits by an algorithm
// that misses the shortest or the closest for about two doubles in a
// thousand, where ours are the closest of the shortest; either text reads
// back to the same double. And their small sets lose the sign of -0.
func AppendScore(dst []byte, f float64) []byte {
	switch {
	case f != f:
		return append(dst, "nan"...)
	case math.IsInf(f, 1):
		return append(dst, "inf"...)
	case math.IsInf(f, -1):
		return append(dst, "-inf"...)
	case f == 0 && math.Signbit(f):
		return append(dst, "-0"...)
	}
	const allDigits = 1 << 62
	if -allDigits <= f && f <= allDigits && f == math.Trunc(f) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	if f < 0 {
		dst = append(dst, '-')
		f = -f
	}
	var space [24]byte
	digits, x := shortest(space[:0], f)
	return layOut(dst, digits, x)
}

// layOut appends a positive number of the given digits, of which the first
// has the decimal exponent x. See AppendScore for the rule.
func layOut(dst, digits []byte, x int) []byte {
	n := len(digits)
	k := x - (n - 1)
	switch {
	case k >= 0 && x < n+7:
		dst = append(dst, digits...)
		return appendZeros(dst, k)
	case k < 0 && (k > -7 || -4 < x && x < 4):
		if x < 0 {
			dst = append(dst, "0."...)
			dst = appendZeros(dst, -x-1)
			return append(dst, digits...)
		}
		dst = append(dst, digits[:x+1]...)
		dst = append(dst, '.')
		return append(dst, digits[x+1:]...)
	}
	dst = append(dst, digits[0])
	if n > 1 {
		dst = append(dst, '.')
		dst = append(dst, digits[1:]...)
	}
	if x < 0 {
		dst = append(dst, "e-"...)
		x = -x
	} else {
		dst = append(dst, "e+"...)
	}
	return strconv.AppendInt(dst, int64(x), 10)
}

// shortest appends to space the fewest digits that read back to f, a positive
// finite number, and returns them with the decimal exponent of the first.
func shortest(space []byte, f float64) (digits []byte, exponent int) {
	text := strconv.AppendFloat(space, f, 'e', -1, 64) // d.ddde±xx or de±xx
	e := len(text) - 1
	for text[e] != 'e' {
		e--
	}
	for _, c := range text[e+2:] {
		exponent = exponent*10 + int(c-'0')
	}
	if text[e+1] == '-' {
		exponent = -exponent
	}
	if e == 1 {
		return text[:1], exponent
	}
	text[1] = text[0]
	return text[1:e], exponent
}

func appendZeros(dst []byte, n int) []byte {
	for range n {
		dst = append(dst, '0')
	}
	return dst
}
