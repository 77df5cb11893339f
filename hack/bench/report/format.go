package report

import (
	"fmt"
	"math"
	"strconv"

	"zset.dev/operator/hack/bench/measure"
)

// Missing stands where there is no figure.
const Missing = "–"

// Short gives a value about three digits.
func Short(v float64) string {
	switch a := math.Abs(v); {
	case a >= 100 || a == 0:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 1, 64)
	default:
		return strconv.FormatFloat(v, 'f', 2, 64)
	}
}

// Spread is "median (min–max)".
func Spread(s measure.Summary) string {
	if s.Runs == 0 {
		return Missing
	}
	if s.Runs == 1 {
		return Short(s.Median)
	}
	return fmt.Sprintf("%s (%s–%s)", Short(s.Median), Short(s.Min), Short(s.Max))
}

// Count is a number of members as people say it: 100, 1k, 10M.
func Count(n int) string {
	switch {
	case n >= 1_000_000 && n%100_000 == 0:
		return strconv.FormatFloat(float64(n)/1e6, 'g', -1, 64) + "M"
	case n >= 1000 && n%100 == 0:
		return strconv.FormatFloat(float64(n)/1e3, 'g', -1, 64) + "k"
	}
	return strconv.Itoa(n)
}
