package resp

import "math"

// shortestText reports whether text, without a sign, is exactly what AppendScore writes for f, which is n / 10^places, rounded, n being
// the digits of text. It may say that it is not when it is: of integers and of more than 16 digits.
//
// Numbers of up to 15 digits are each another double, so of those that read as the same double there is one at most, and it is the
// shortest. Of 16 digits there can be several; then the text must be the nearest, and its neighbour that ends in 0, which is
// shorter, must be another double. All others of up to 15 digits are so far away that they are other doubles.
func shortestText(text []byte, n uint64, places int, f float64) bool {
	if places == 0 || n >= 1e16 || !laidOut(text, n, places) {
		return false
	}
	if n < 1e15 {
		return true
	}
	switch n % 10 {
	case 1:
		if quotient(n-1, places) == f {
			return false
		}
	case 9:
		if quotient(n+1, places) == f {
			return false
		}
	}
	// The distance between both, in units of the last digit. All steps are exact, but for the sum of small numbers.
	power := float64(powersOfTen[places])
	product := f * power
	rest := math.FMA(f, power, -product)
	whole := int64(product)
	return math.Abs(float64(whole-int64(n))+(product-float64(whole))+rest) < 0.499
}

// laidOut reports whether a number of the digits n with a point, without exponent and sign, stands as layOut would have it.
func laidOut(text []byte, n uint64, places int) bool {
	before := len(text) - places - len(".")
	switch {
	case n%10 == 0 || before == 0:
		return false // digits that say nothing, or none
	case text[0] == '0':
		return before == 1 && (places < 7 || string(text[2:5]) != "000")
	}
	return places < 7 || before <= 4
}
