package geo

import "math"

// earthRadius in metres is the one all servers with geospatial commands use.
const earthRadius = 6372797.560856

func radians(degrees float64) float64 { return degrees * (math.Pi / 180) }
func degrees(radians float64) float64 { return radians / (math.Pi / 180) }

// Distance is the metres between two places along the surface.
func Distance(a, b Place) float64 {
	v := math.Sin((radians(b.Lon) - radians(a.Lon)) / 2)
	if v == 0 {
		return meridianDistance(a.Lat, b.Lat)
	}
	u := math.Sin((radians(b.Lat) - radians(a.Lat)) / 2)
	// The conversions keep products from being fused with the sum.
	h := float64(u*u) + float64(math.Cos(radians(a.Lat))*math.Cos(radians(b.Lat))*v*v)
	return 2 * earthRadius * math.Asin(math.Sqrt(h))
}

// meridianDistance is the metres between two latitudes.
func meridianDistance(a, b float64) float64 {
	return earthRadius * math.Abs(radians(b)-radians(a))
}
