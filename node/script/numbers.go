package script

import (
	"math"
	"strconv"
)

// numberText is a number as Lua writes it, C's "%.14g".
func numberText(f float64) string { return general(f, 14) }

// general is C's "%.*g".
func general(f float64, precision int) string {
	if n := int64(f); float64(n) == f && n > -1e14 && n < 1e14 && precision >= 14 && !(n == 0 && math.Signbit(f)) {
		return strconv.FormatInt(n, 10)
	}
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case f != f && math.Signbit(f):
		return "-nan"
	case f != f:
		return "nan"
	}
	return strconv.FormatFloat(f, 'g', precision, 64)
}

// argumentText is a number as a command's argument: integers without a point,
// others so that they read back the same.
func argumentText(to []byte, f float64) []byte {
	if n := int64(f); float64(n) == f && n > math.MinInt64/2 && n < math.MaxInt64/2 {
		return strconv.AppendInt(to, n, 10)
	}
	return append(to, general(f, 17)...)
}
