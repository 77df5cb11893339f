package resp

import "math"

// ParseInt reads a 64-bit integer in its one canonical decimal form: no sign
// but a leading '-', no leading zero, no space. "01", "+1" and "-0" are
// refused, as is anything out of range; ok is then false.
func ParseInt(b []byte) (n int64, ok bool) {
	if len(b) == 1 && b[0] == '0' {
		return 0, true
	}
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	const maxDigits = 19
	if len(b) == 0 || len(b) > maxDigits || b[0] == '0' {
		return 0, false
	}
	var u uint64 // 19 digits stay below 2^64
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		u = u*10 + uint64(c-'0')
	}
	switch {
	case u <= math.MaxInt64 && negative:
		return -int64(u), true
	case u <= math.MaxInt64:
		return int64(u), true
	case u == 1<<63 && negative:
		return math.MinInt64, true
	}
	return 0, false
}
