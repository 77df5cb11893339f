package geo

import "math"

// Polygon is the places inside a ring of at least three vertices, in the plane
// of longitude and latitude. Its last vertex is joined to the first. A ring
// that crosses itself leaves out what it goes round an even number of times.
type Polygon struct {
	vertices []Place
	middle   Place // see middleOf
}

// NewPolygon makes a polygon of at least three vertices, which it keeps.
func NewPolygon(vertices []Place) Polygon { return Polygon{vertices, middleOf(vertices)} }

// Contains implements Shape. It counts how many sides lie to the east of the
// place: an odd number, from the inside. See W. Randolph Franklin, "PNPOLY",
// https://wrfranklin.org/Research/Short_Notes/pnpoly.html.
func (v Polygon) Contains(p Place) (float64, bool) {
	inside := false
	a := v.vertices[len(v.vertices)-1]
	for _, b := range v.vertices {
		if (b.Lat > p.Lat) != (a.Lat > p.Lat) && p.Lon < float64((a.Lon-b.Lon)*(p.Lat-b.Lat)/(a.Lat-b.Lat))+b.Lon {
			inside = !inside
		}
		a = b
	}
	if !inside {
		return 0, false
	}
	return Distance(v.middle, p), true
}

func (v Polygon) bounds() (low, high Place) {
	low, high = v.vertices[0], v.vertices[0]
	for _, p := range v.vertices[1:] {
		low = Place{min(low.Lon, p.Lon), min(low.Lat, p.Lat)}
		high = Place{max(high.Lon, p.Lon), max(high.Lat, p.Lat)}
	}
	return low, high
}

func (v Polygon) Centre() Place { return v.middle }

// middleOf is the place, from which distances are told, below the mean of the
// vertices as points in space.
func middleOf(vertices []Place) Place {
	var x, y, z float64
	for _, p := range vertices {
		lon, lat := radians(p.Lon), radians(p.Lat)
		x += float64(cos(lat) * cos(lon))
		y += float64(cos(lat) * sin(lon))
		z += sin(lat)
	}
	return Place{degrees(atan2(y, x)), degrees(atan2(z, math.Sqrt(float64(x*x)+float64(y*y))))}
}

// reach is the way from the centre to the farthest corner of the bounds.
func (v Polygon) reach() float64 {
	low, high := v.bounds()
	far := 0.0
	for _, corner := range []Place{low, high, {low.Lon, high.Lat}, {high.Lon, low.Lat}} {
		far = max(far, Distance(v.middle, corner))
	}
	return far
}
