package geo

import "testing"

func BenchmarkDistance(b *testing.B) {
	from, to := Place{13.36, 38.11}, Place{15.08, 37.5}
	for _, c := range []struct {
		name string
		of   func(a, b Place) float64
	}{{"quick", Distance}, {"stored", StoredDistance}} {
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.of(from, to)
			}
		})
	}
}
