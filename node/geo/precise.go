package geo

import "math"

// StoredDistance is Distance to the last bit: what becomes a score must be the
// same on every node and on other servers. It takes some ten times as long.
//
// The servers' C library rounds sine, cosine and arcsine correctly in all but
// very few cases; Go's own are off by a bit in more. So they are computed here
// to twice the precision and rounded.
func StoredDistance(a, b Place) float64 {
	v := sin((radians(b.Lon) - radians(a.Lon)) / 2)
	if v == 0 {
		return meridianDistance(a.Lat, b.Lat)
	}
	u := sin((radians(b.Lat) - radians(a.Lat)) / 2)
	h := float64(u*u) + float64(cos(radians(a.Lat))*cos(radians(b.Lat))*v*v)
	return 2 * earthRadius * asin(math.Sqrt(h))
}

// pair is an unevaluated sum of two doubles, the second at most half a unit in
// the last place of the first: some 32 decimal digits. The operations are
// those of T. J. Dekker, "A floating-point technique for extending the
// available precision", Numerische Mathematik 18 (1971), with fused multiply-add.
type pair struct{ high, low float64 }

// sum is a + b, exactly.
func sum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

func (x pair) plus(y pair) pair {
	s := sum(x.high, y.high)
	return sum(s.high, s.low+(x.low+y.low))
}

func (x pair) times(y pair) pair {
	p := x.high * y.high
	rest := math.FMA(x.high, y.high, -p)
	return sum(p, rest+(float64(x.high*y.low)+float64(x.low*y.high)))
}

func (x pair) over(n float64) pair {
	q := x.high / n
	rest := math.FMA(-q, n, x.high) + x.low
	return sum(q, rest/n)
}

// series adds up term, term·-x²/(k(k+1)), … with k going on by two: sine from
// term x and k 2, cosine from term 1 and k 1. x is a few at most.
func series(term pair, x, k float64) pair {
	const enough = 1e-34
	square := pair{x, 0}.times(pair{-x, 0})
	total := term
	for ; math.Abs(term.high) > enough; k += 2 {
		term = term.times(square).over(k * (k + 1))
		total = total.plus(term)
	}
	return total
}

func sin(x float64) float64 { return series(pair{x, 0}, x, 2).high }
func cos(x float64) float64 { return series(pair{1, 0}, x, 1).high }

// asin improves on Go's by one step of Newton's method.
func asin(x float64) float64 {
	y := math.Asin(x)
	slope := math.Cos(y)
	if !(slope > 1e-6) {
		return y // at the pole, where there is nothing to gain
	}
	wrong := series(pair{y, 0}, y, 2).plus(pair{-x, 0})
	return sum(y, -(wrong.high+wrong.low)/slope).high
}

// atan2 improves on Go's by one step of Newton's method: at angle a the point
// (x, y) is y·cos a - x·sin a to the side.
func atan2(y, x float64) float64 {
	a := math.Atan2(y, x)
	r := math.Hypot(x, y)
	if r == 0 {
		return a
	}
	aside := series(pair{1, 0}, a, 1).times(pair{y, 0}).plus(series(pair{a, 0}, a, 2).times(pair{-x, 0}))
	return sum(a, (aside.high+aside.low)/r).high
}
