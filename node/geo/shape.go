package geo

import "math"

// Shape is what a search looks into.
type Shape interface {
	// Contains reports whether a place is inside, and its distance in metres
	// from the shape's centre.
	Contains(Place) (distance float64, ok bool)

	// Centre is the place from which distances are told.
	Centre() Place

	// bounds is a box around the shape; reach is how far it goes from centre,
	// in metres.
	bounds() (low, high Place)
	reach() float64
}

// Circle is all places up to Radius metres from Middle.
type Circle struct {
	Middle Place
	Radius float64
}

// Contains implements Shape.
func (c Circle) Contains(p Place) (float64, bool) {
	d := Distance(c.Middle, p)
	return d, !(d > c.Radius)
}

func (c Circle) bounds() (low, high Place) { return boundsAround(c.Middle, c.Radius, c.Radius) }
func (c Circle) reach() float64            { return c.Radius }
func (c Circle) Centre() Place             { return c.Middle }

// Box is the places up to half its Width, in metres, to the east and west of
// Middle, measured along the place's own parallel, and up to half its Height to
// the north and south.
type Box struct {
	Middle        Place
	Width, Height float64
}

// Contains implements Shape.
func (b Box) Contains(p Place) (float64, bool) {
	if meridianDistance(p.Lat, b.Middle.Lat) > b.Height/2 || Distance(p, Place{b.Middle.Lon, p.Lat}) > b.Width/2 {
		return 0, false
	}
	return Distance(b.Middle, p), true
}

func (b Box) bounds() (low, high Place) { return boundsAround(b.Middle, b.Width/2, b.Height/2) }
func (b Box) reach() float64            { return math.Hypot(b.Width/2, b.Height/2) }
func (b Box) Centre() Place             { return b.Middle }

// boundsAround is the box whose sides are so many metres from its middle. Its
// width in degrees is taken where parallels are shorter: at the side that is
// nearer to a pole.
func boundsAround(p Place, width, height float64) (low, high Place) {
	lat := degrees(height / earthRadius)
	side := p.Lat + lat
	if p.Lat < 0 {
		side = p.Lat - lat
	}
	lon := degrees(width / earthRadius / math.Cos(radians(side)))
	return Place{p.Lon - lon, p.Lat - lat}, Place{p.Lon + lon, p.Lat + lat}
}
