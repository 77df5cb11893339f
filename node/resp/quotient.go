package resp

import (
	"math"
	"math/bits"
)

// powersOfTen are those that 64 bits hold.
var powersOfTen = func() (powers [shortDigits + 1]uint64) {
	powers[0] = 1
	for i := 1; i < len(powers); i++ {
		powers[i] = powers[i-1] * 10
	}
	return powers
}()

// quotient is the double nearest to n / 10^places, places being at most
// shortDigits; of two that are as near, the one whose last bit is 0.
//
// Both are shifted up to 64 bits, and divided as integers to 64 bits of the
// quotient. 53 of them are the double's; the other 11, and whether there is a
// remainder, say which way to round. The result is never so large or small that
// it is not a normal double.
func quotient(n uint64, places int) float64 {
	const rest, half = 11, 1 << (11 - 1)
	if n < 1<<53 && places == 0 || n == 0 {
		return float64(n)
	}
	d := powersOfTen[places]
	up, down := bits.LeadingZeros64(n), bits.LeadingZeros64(d)
	n, d = n<<up, d<<down
	high, low, exponent := n, uint64(0), down-up-64
	if n >= d {
		high, low, exponent = n>>1, n<<63, exponent+1
	}
	q, remainder := bits.Div64(high, low, d)
	mantissa, left := q>>rest, q&(1<<rest-1)
	if left > half || left == half && (remainder != 0 || mantissa&1 == 1) {
		mantissa++
	}
	const bias, mantissaBits = 1023, 52
	return float64(mantissa) * math.Float64frombits(uint64(exponent+rest+bias)<<mantissaBits)
}
