package geo

// Run is a run of scores: from From up to but not including To.
type Run struct{ From, To float64 }

// Runs are the runs of scores in which all places of a shape are, at most
// nine: the cell of the shape's centre and those around it, as small as will
// cover the shape, without those that it does not touch. Their order is that
// in which servers search, and answer when they are not asked to sort.
func Runs(s Shape) []Run {
	low, high := s.bounds()
	n := stepsFor(s.reach(), s.Centre().Lat)
	middle := cellAt(s.Centre(), n)
	// Where the globe curves away, the cells around may fall short of the box.
	if n > 1 && short(middle, low, high) {
		n--
		middle = cellAt(s.Centre(), n)
	}
	from, to := middle.area()
	var runs []Run
	last := cell{steps: -1}
	for _, d := range around {
		// With one halving the cells around are those of the other side.
		if n >= 2 && (d.north < 0 && from.Lat < low.Lat || d.north > 0 && to.Lat > high.Lat ||
			d.east < 0 && from.Lon < low.Lon || d.east > 0 && to.Lon > high.Lon) {
			continue
		}
		c := middle.beside(d.east, d.north)
		if c == last {
			continue // the globe is so few cells that it comes round
		}
		last = c
		shift := 2 * (steps - n)
		runs = append(runs, Run{float64(c.bits << shift), float64((c.bits + 1) << shift)})
	}
	return runs
}

// around is the cell itself and its neighbours.
var around = [...]struct{ east, north int }{
	{0, 0}, {0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1},
}

// short reports whether a cell and those around it do not cover a box.
func short(c cell, low, high Place) bool {
	_, north := c.beside(0, 1).area()
	south, _ := c.beside(0, -1).area()
	_, east := c.beside(1, 0).area()
	west, _ := c.beside(-1, 0).area()
	return north.Lat < high.Lat || south.Lat > low.Lat || east.Lon < high.Lon || west.Lon > low.Lon
}

// stepsFor is how often to halve so that a cell, and those around it, cover so
// many metres around a place on this latitude.
func stepsFor(metres, lat float64) int {
	const halfRound = 20037726.37 // half of the equator, by Web Mercator
	if metres == 0 {
		return steps
	}
	n := 1
	for metres < halfRound {
		metres *= 2
		n++
	}
	n -= 2 // the range is inside in most cases
	// Cells become narrow towards the poles.
	if lat > 66 || lat < -66 {
		n--
		if lat > 80 || lat < -80 {
			n--
		}
	}
	return min(max(n, 1), steps)
}
