package geo

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

func random(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

func randomPlace(rng *rand.Rand) Place {
	return Place{(2*rng.Float64() - 1) * MaxLon, (2*rng.Float64() - 1) * MaxLat}
}

func TestInterleave(t *testing.T) {
	if got := interleave(0b0011, 0b0101); got != 0b00100111 {
		t.Errorf("got %b", got)
	}
	rng := random(t)
	for range 10_000 {
		a, b := rng.Uint32(), rng.Uint32()
		if even, odd := split(interleave(a, b)); even != a || odd != b {
			t.Fatalf("%x and %x come back as %x and %x", a, b, even, odd)
		}
	}
}

// As Redis 8.0 and Valkey 9.1 have them.
func TestKnownPlaces(t *testing.T) {
	palermo, catania := Place{13.361389, 38.115556}, Place{15.087269, 37.502669}
	if a, b := palermo.Score(), catania.Score(); a != 3479099956230698 || b != 3479447370796909 {
		t.Errorf("scores %v, %v", a, b)
	}
	a, b := At(palermo.Score()), At(catania.Score())
	if got := Hash(a) + " " + Hash(b); got != "sqc8b49rny0 sqdtr74hyu0" {
		t.Errorf("hashes %s", got)
	}
	if got := Distance(a, b); math.Abs(got-166274.1516) > 0.0001 {
		t.Errorf("distance %v", got)
	}
	if got := StoredDistance(Place{15, 37}, a) / 1000; got != 190.44242984775784 {
		t.Errorf("stored distance %v", got)
	}
}

// A place comes back from its score less than 60 cm from where it was.
func TestScoreAndBack(t *testing.T) {
	rng := random(t)
	for range 10_000 {
		p := randomPlace(rng)
		if d := Distance(p, At(p.Score())); d > 0.6 {
			t.Fatalf("%v comes back %v m away", p, d)
		}
		if s := p.Score(); s != math.Trunc(s) || s >= 1<<52 {
			t.Fatalf("%v has score %v", p, s)
		}
	}
}

func TestValid(t *testing.T) {
	for p, want := range map[Place]bool{
		{0, 0}: true, {180, MaxLat}: true, {-180, -MaxLat}: true, {180.0001, 0}: false, {0, 85.05112879}: false, {0, -86}: false,
		{math.Inf(1), 0}: false, {0, math.NaN()}: false, {math.NaN(), 0}: false,
	} {
		if p.Valid() != want {
			t.Errorf("%v: %v", p, !want)
		}
	}
}

// Any score is some place.
func TestAtAnyScore(t *testing.T) {
	rng := random(t)
	scores := []float64{math.Inf(1), math.Inf(-1), -1, 0.5, 1e300, -1e300, 1 << 63, -1 << 63, 1 << 64, 1<<52 - 1, 1 << 52}
	for range 10_000 {
		scores = append(scores, math.Float64frombits(rng.Uint64()))
	}
	for _, s := range scores {
		if p := At(s); s == s && !p.Valid() {
			t.Errorf("score %v is %v", s, p)
		}
	}
}

// What is inside a shape is in one of its runs, and in one only.
func TestRunsCoverShapes(t *testing.T) {
	rng := random(t)
	for range 3000 {
		// Up to 2000 km, and not where a box of degrees would reach the poles
		// or across the date line: servers do not search there either.
		centre := Place{(2*rng.Float64() - 1) * 120, (2*rng.Float64() - 1) * 60}
		size := math.Exp(rng.Float64() * math.Log(2e6))
		aspect := 0.1 + rng.Float64()
		shapes := []Shape{Circle{centre, size}, Box{centre, size, size * aspect}}
		d := degrees(size / earthRadius)
		corner := func(lon, lat float64) Place {
			return Place{centre.Lon + lon*d*rng.Float64(), min(max(centre.Lat+lat*d*rng.Float64(), -MaxLat), MaxLat)}
		}
		shapes = append(shapes, NewPolygon([]Place{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}))
		for _, s := range shapes {
			runs := Runs(s)
			if len(runs) > 9 {
				t.Fatalf("%+v has %d runs", s, len(runs))
			}
			for range 50 {
				p := Place{centre.Lon + (2*rng.Float64()-1)*2*d, centre.Lat + (2*rng.Float64()-1)*d}
				if !p.Valid() {
					continue
				}
				score := p.Score()
				if _, inside := s.Contains(At(score)); !inside {
					continue
				}
				in := 0
				for _, r := range runs {
					if r.From <= score && score < r.To {
						in++
					}
				}
				if in != 1 {
					t.Fatalf("%+v contains %v, which is in %d of its runs", s, p, in)
				}
			}
		}
	}
}

func TestPolygon(t *testing.T) {
	// A square with a bite taken out of its top.
	v := NewPolygon([]Place{{0, 0}, {10, 0}, {10, 10}, {5, 4}, {0, 10}})
	for p, want := range map[Place]bool{{5, 2}: true, {1, 8}: true, {9, 8}: true, {5, 6}: false, {-1, 5}: false, {11, 5}: false, {5, -1}: false, {5, 11}: false} {
		if _, got := v.Contains(p); got != want {
			t.Errorf("%v: %v", p, got)
		}
	}
}

// The sine of x to 60 digits and more, by its series.
func bigSin(x float64) *big.Float {
	const precision = 300
	value := new(big.Float).SetPrec(precision).SetFloat64(x)
	square := new(big.Float).SetPrec(precision).Mul(value, value)
	square.Neg(square)
	total, term := new(big.Float).SetPrec(precision).Set(value), new(big.Float).SetPrec(precision).Set(value)
	for k := int64(2); k < 120; k += 2 {
		term.Mul(term, square)
		term.Quo(term, new(big.Float).SetPrec(precision).SetInt64(k*(k+1)))
		total.Add(total, term)
	}
	return total
}

func TestPreciseFunctions(t *testing.T) {
	rng := random(t)
	const quarter = math.Pi / 2
	for range 2000 {
		x := (2*rng.Float64() - 1) * 2 * quarter * math.Pow(10, -float64(rng.IntN(6)))
		if want, _ := bigSin(x).Float64(); sin(x) != want {
			t.Fatalf("sin %v = %v, want %v", x, sin(x), want)
		}
		// cos x = 1 - 2 sin² (x/2)
		half := bigSin(x / 2)
		half.Mul(half, half)
		half.Mul(half, big.NewFloat(-2))
		if want, _ := half.Add(half, big.NewFloat(1)).Float64(); cos(x) != want {
			t.Fatalf("cos %v = %v, want %v", x, cos(x), want)
		}
		// No neighbour of the arcsine is nearer to the truth.
		y := rng.Float64() * 0.999
		got := asin(y)
		off := func(arc float64) *big.Float {
			d := new(big.Float).Sub(bigSin(arc), new(big.Float).SetFloat64(y))
			return d.Abs(d)
		}
		if at := off(got); at.Cmp(off(math.Nextafter(got, -1))) > 0 || at.Cmp(off(math.Nextafter(got, 2))) > 0 {
			t.Fatalf("asin %v = %v, a neighbour is nearer", y, got)
		}
	}
}
