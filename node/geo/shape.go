package geo

import "math"

// Shape is what a search looks into.
type Shape interface {
	// Contains reports whether a place is inside, and its distance in metres
	// from the shape's centre.
	Contains(Place) (distance float64, ok bool)

	// bounds is a box around the shape; reach is how far it goes from centre,
	// in metres.
	bounds() (low, high Place)
	reach() float64
	centre() Place
}

// Circle is all places up to Radius metres from Centre.
type Circle struct {
	Centre Place
	Radius float64
}

// Contains implements Shape.
func (c Circle) Contains(p Place) (float64, bool) {
	d := Distance(c.Centre, p)
	return d, !(d > c.Radius)
}

func (c Circle) bounds() (low, high Place) { return boundsAround(c.Centre, c.Radius, c.Radius) }
func (c Circle) reach() float64            { return c.Radius }
func (c Circle) centre() Place             { return c.Centre }

// Box is the places up to half its Width, in metres, to the east and west of
// Centre, measured along the place's own parallel, and up to half its Height to
// the north and south.
type Box struct {
	Centre        Place
	Width, Height float64
}

// Contains implements Shape.
func (b Box) Contains(p Place) (float64, bool) {
	if meridianDistance(p.Lat, b.Centre.Lat) > b.Height/2 || Distance(p, Place{b.Centre.Lon, p.Lat}) > b.Width/2 {
		return 0, false
	}
	return Distance(b.Centre, p), true
}

func (b Box) bounds() (low, high Place) { return boundsAround(b.Centre, b.Width/2, b.Height/2) }
func (b Box) reach() float64            { return math.Hypot(b.Width/2, b.Height/2) }
func (b Box) centre() Place             { return b.Centre }

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
