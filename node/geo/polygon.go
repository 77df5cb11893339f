package geo

// Polygon is the places inside a ring of at least three vertices, in the plane
// of longitude and latitude. Its last vertex is joined to the first. A ring
// that crosses itself leaves out what it goes round an even number of times.
type Polygon []Place

// Contains implements Shape. It counts how many sides lie to the east of the
// place: an odd number, from the inside. See W. Randolph Franklin, "PNPOLY",
// https://wrfranklin.org/Research/Short_Notes/pnpoly.html.
func (v Polygon) Contains(p Place) (float64, bool) {
	inside := false
	a := v[len(v)-1]
	for _, b := range v {
		if (b.Lat > p.Lat) != (a.Lat > p.Lat) && p.Lon < float64((a.Lon-b.Lon)*(p.Lat-b.Lat)/(a.Lat-b.Lat))+b.Lon {
			inside = !inside
		}
		a = b
	}
	if !inside {
		return 0, false
	}
	return Distance(v.centre(), p), true
}

func (v Polygon) bounds() (low, high Place) {
	low, high = v[0], v[0]
	for _, p := range v[1:] {
		low = Place{min(low.Lon, p.Lon), min(low.Lat, p.Lat)}
		high = Place{max(high.Lon, p.Lon), max(high.Lat, p.Lat)}
	}
	return low, high
}

// centre is the mean of the vertices, from which distances are told.
func (v Polygon) centre() Place {
	var sum Place
	for _, p := range v {
		sum.Lon += p.Lon
		sum.Lat += p.Lat
	}
	return Place{sum.Lon / float64(len(v)), sum.Lat / float64(len(v))}
}

// reach is the way from centre to the farthest vertex.
func (v Polygon) reach() float64 {
	far := 0.0
	for _, p := range v {
		far = max(far, Distance(v.centre(), p))
	}
	return far
}
