package resp

import (
	"errors"
	"math"
	"strconv"
)

// maxScoreText is enough for any text AppendScore writes.
const maxScoreText = 40

// ErrNotFloat is what ParseScore answers; its text is the reply's.
var ErrNotFloat = errors.New("ERR value is not a valid float")

// AppendScore appends the decimal text of a score to dst.
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
	const plain = 1 << 62
	if f >= -plain && f <= plain && f == math.Trunc(f) {
		return strconv.AppendInt(dst, int64(f), 10)
	}
	var text [32]byte
	return append(dst, strconv.AppendFloat(text[:0], f, 'g', -1, 64)...)
}

// ParseScore reads a score.
func ParseScore(b []byte) (float64, error) {
	f, err := strconv.ParseFloat(string(b), 64)
	if err != nil || f != f {
		return 0, ErrNotFloat
	}
	return f, nil
}
