package geo

// Place is a point on the globe, in degrees: longitude east, latitude north.
type Place struct{ Lon, Lat float64 }

// The places that can be a score.
const (
	MaxLon = 180.0
	MaxLat = 85.05112878 // atan(sinh(π)), where Web Mercator's square ends
)

// Valid reports whether the place can be a score. NaN cannot.
func (p Place) Valid() bool {
	return -MaxLon <= p.Lon && p.Lon <= MaxLon && -MaxLat <= p.Lat && p.Lat <= MaxLat
}

// steps is how often each coordinate of a score is halved.
const steps = 26

// Score is the place as a score; it must be valid.
func (p Place) Score() float64 { return float64(cellAt(p, steps).bits) }

// At is the place that a score stands for: the middle of its cell, which is
// at most 60 cm across. Any score is taken, since members of any sorted set may
// be asked for; one that is none of Place.Score gives some valid place.
func At(score float64) Place { return cell{scoreBits(score), steps}.middle() }

// scoreBits is a score as a whole number of 64 bits, spelt out where Go leaves
// the conversion to the machine: what servers on x86-64 come to.
func scoreBits(score float64) uint64 {
	switch {
	case score >= 1<<64:
		return 0
	case score >= 0:
		return uint64(score)
	case score > -(1 << 63):
		return uint64(int64(score))
	}
	return 1 << 63
}

// cell is a part of the globe: steps halvings in each direction, whose results
// are the 2·steps low bits.
type cell struct {
	bits  uint64
	steps int
}

// fraction is where x is between -limit and limit, times 2^steps.
func fraction(x, limit float64, steps int) uint32 {
	return uint32((x + limit) / (2 * limit) * float64(uint64(1)<<steps)) // one too many at the limit itself
}

// cellAt is the cell in which a place is.
func cellAt(p Place, steps int) cell {
	return cell{interleave(fraction(p.Lat, MaxLat, steps), fraction(p.Lon, MaxLon, steps)), steps}
}

// area is the cell's borders.
func (c cell) area() (low, high Place) {
	lat, lon := split(c.bits)
	scale := float64(uint64(1) << c.steps)
	// The conversion keeps the product from being fused with the sum.
	border := func(n, limit float64) float64 { return -limit + float64(n/scale*(2*limit)) }
	low = Place{border(float64(lon), MaxLon), border(float64(lat), MaxLat)}
	high = Place{border(float64(lon)+1, MaxLon), border(float64(lat)+1, MaxLat)}
	return low, high
}

func (c cell) middle() Place {
	low, high := c.area()
	clamp := func(x, limit float64) float64 { return min(max(x, -limit), limit) }
	return Place{clamp((low.Lon+high.Lon)/2, MaxLon), clamp((low.Lat+high.Lat)/2, MaxLat)}
}

// beside is the cell so many cells to the east and to the north. It goes round
// the globe at every border.
func (c cell) beside(east, north int) cell {
	lat, lon := split(c.bits)
	mask := uint32(1)<<c.steps - 1
	if east != 0 {
		lon = (lon + uint32(east)) & mask
	}
	if north != 0 {
		lat = (lat + uint32(north)) & mask
	}
	return cell{interleave(lat, lon), c.steps}
}

// interleave puts the bits of even at even places and those of odd between.
// See "Interleave bits by Binary Magic Numbers" in Sean Eron Anderson's "Bit
// Twiddling Hacks", https://graphics.stanford.edu/~seander/bithacks.html.
func interleave(even, odd uint32) uint64 { return spread(even) | spread(odd)<<1 }

func split(bits uint64) (even, odd uint32) { return gather(bits), gather(bits >> 1) }

// magic are the masks of each round, and its shift.
var magic = [...]struct {
	mask  uint64
	shift int
}{
	{0x5555555555555555, 1}, {0x3333333333333333, 2}, {0x0f0f0f0f0f0f0f0f, 4}, {0x00ff00ff00ff00ff, 8}, {0x0000ffff0000ffff, 16},
}

func spread(n uint32) uint64 {
	x := uint64(n)
	for i := len(magic) - 1; i >= 0; i-- {
		x = (x | x<<magic[i].shift) & magic[i].mask
	}
	return x
}

func gather(x uint64) uint32 {
	x &= magic[0].mask
	for i, m := range magic {
		next := uint64(0x00000000ffffffff)
		if i+1 < len(magic) {
			next = magic[i+1].mask
		}
		x = (x | x>>m.shift) & next
	}
	return uint32(x)
}
