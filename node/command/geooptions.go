package command

import (
	"zset.dev/operator/node/geo"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// geoSearch is a search for members by their places. Its read methods answer
// the error themselves.
type geoSearch struct {
	free     bool // options say where to look; else the command has said so
	mayStore bool // options may name a key to store in

	from   fromKind
	centre geo.Place

	by                    shapeKind
	radius, width, height float64 // metres
	polygon               geo.Polygon
	unit                  float64 // metres, in which distances are told

	store         []byte // the key to store members in; nil is to answer them
	storeDistance bool   // as scores

	withDistance, withHash, withPlace bool

	sorted, descending bool
	count              int64 // 0 is all
	any                bool  // those found first will do
}

// fromKind is what the middle of a search is.
type fromKind uint8

const (
	fromNothing fromKind = iota
	fromMember
	fromPlace
)

// shapeKind is what a search looks into.
type shapeKind uint8

const (
	byNothing shapeKind = iota
	byCircle
	byBox
	byPolygon
)

// shape is what to look into, once all options are read.
func (s *geoSearch) shape() geo.Shape {
	switch s.by {
	case byCircle:
		return geo.Circle{Middle: s.centre, Radius: s.radius}
	case byBox:
		return geo.Box{Middle: s.centre, Width: s.width, Height: s.height}
	}
	return s.polygon
}

// readOptions reads what follows the key, or what the older commands say of
// the circle. set is the one to be searched, nil when the key is missing.
func (s *geoSearch) readOptions(c *Call, set *zset.Set, rest [][]byte) bool {
	for len(rest) > 0 {
		used := s.readReply(c, rest)
		if used == 0 && s.free {
			used = s.readWhere(c, set, rest)
		}
		switch {
		case used < 0:
			return false
		case used == 0:
			c.W.Error(errSyntax)
			return false
		}
		rest = rest[used:]
	}
	name := string(c.Args[0])
	switch {
	case s.store != nil && (s.withDistance || s.withHash || s.withPlace):
		if !s.free {
			name = "STORE option in GEORADIUS"
		} else {
			name = "GEOSEARCHSTORE"
		}
		c.W.Error("ERR " + name + " is not compatible with WITHDIST, WITHHASH and WITHCOORD options")
	case s.from == fromNothing && s.by != byPolygon:
		c.W.Error("ERR exactly one of FROMMEMBER or FROMLONLAT can be specified for " + name)
	case s.by == byNothing:
		c.W.Error("ERR exactly one of BYRADIUS, BYBOX and BYPOLYGON can be specified for " + name)
	case s.any && s.count == 0:
		c.W.Error("ERR the ANY argument requires COUNT argument")
	default:
		return true
	}
	return false
}

// readReply reads an option of what to do with the members found, at the front
// of words. It returns how many words it is; 0 when it is none, -1 when it
// answered an error.
func (s *geoSearch) readReply(c *Call, words [][]byte) (used int) {
	follow := len(words) - 1
	switch word := words[0]; {
	case is(word, "WITHDIST"):
		s.withDistance = true
	case is(word, "WITHHASH"):
		s.withHash = true
	case is(word, "WITHCOORD"):
		s.withPlace = true
	case is(word, "ANY"):
		s.any = true
	case is(word, "ASC"):
		s.sorted, s.descending = true, false
	case is(word, "DESC"):
		s.sorted, s.descending = true, true
	case is(word, "COUNT") && follow >= 1:
		n, ok := resp.ParseInt(words[1])
		switch {
		case !ok:
			c.W.Error(errNotInteger)
			return -1
		case n < 1:
			c.W.Error("ERR COUNT must be > 0")
			return -1
		}
		s.count = n
		return 2
	case is(word, "STORE") && s.mayStore && follow >= 1:
		s.store, s.storeDistance = words[1], false
		return 2
	case is(word, "STOREDIST") && s.mayStore && follow >= 1:
		s.store, s.storeDistance = words[1], true
		return 2
	case is(word, "STOREDIST") && s.free && s.store != nil:
		s.storeDistance = true
	default:
		return 0
	}
	return 1
}

// readWhere reads an option of where to look, likewise.
func (s *geoSearch) readWhere(c *Call, set *zset.Set, words [][]byte) (used int) {
	follow := len(words) - 1
	ok := true
	switch word := words[0]; {
	case is(word, "FROMMEMBER") && follow >= 1 && s.from != fromPlace && s.by != byPolygon:
		s.from, used = fromMember, 2
		ok = set == nil || s.readMember(c, set, words[1])
	case is(word, "FROMLONLAT") && follow >= 2 && s.from != fromMember && s.by != byPolygon:
		s.from, used = fromPlace, 3
		s.centre, ok = c.place(words[1], words[2])
	case is(word, "BYRADIUS") && follow >= 2 && (s.by == byNothing || s.by == byCircle):
		s.by, used = byCircle, 3
		ok = s.readCircle(c, words[1], words[2])
	case is(word, "BYBOX") && follow >= 3 && (s.by == byNothing || s.by == byBox):
		s.by, used = byBox, 4
		ok = s.readBox(c, words[1], words[2], words[3])
	case is(word, "BYPOLYGON") && follow >= 1 && (s.by == byNothing || s.by == byPolygon) && s.from == fromNothing:
		s.by = byPolygon
		used = s.readPolygon(c, words[1:]) + 1
		ok = used > 1
	}
	if !ok {
		return -1
	}
	return used
}

func (s *geoSearch) readMember(c *Call, set *zset.Set, member []byte) bool {
	score, ok := set.Score(member)
	if !ok {
		c.W.Error("ERR member " + string(member) + " does not exist")
		return false
	}
	s.centre = geo.At(score)
	return true
}

func (s *geoSearch) readCircle(c *Call, radius, unit []byte) bool {
	length, err := resp.ParseScore(radius)
	switch {
	case err != nil:
		c.W.Error("ERR need numeric radius")
		return false
	case length < 0:
		c.W.Error("ERR radius cannot be negative")
		return false
	}
	var ok bool
	s.unit, ok = c.unit(unit)
	s.radius = length * s.unit
	return ok
}

func (s *geoSearch) readBox(c *Call, width, height, unit []byte) bool {
	w, err := resp.ParseScore(width)
	if err != nil {
		c.W.Error("ERR need numeric width")
		return false
	}
	h, err := resp.ParseScore(height)
	if err != nil {
		c.W.Error("ERR need numeric height")
		return false
	}
	if w < 0 || h < 0 {
		c.W.Error("ERR height or width cannot be negative")
		return false
	}
	var ok bool
	s.unit, ok = c.unit(unit)
	s.width, s.height = w*s.unit, h*s.unit
	return ok
}

// readPolygon reads a count of vertices and the vertices at the front of words,
// and returns how many words they are; 0 when it answered an error.
func (s *geoSearch) readPolygon(c *Call, words [][]byte) (used int) {
	n, ok := resp.ParseInt(words[0])
	words = words[1:]
	switch {
	case !ok || n != int64(int32(n)):
		c.W.Error("ERR invalid number of vertices")
		return 0
	case n < 3 || n > int64(len(words)/2):
		c.W.Error("ERR GEOSEARCH BYPOLYGON must have at least 3 vertices")
		return 0
	}
	s.unit = 1
	vertices := make([]geo.Place, n)
	for i := range vertices {
		if vertices[i], ok = c.place(words[2*i], words[2*i+1]); !ok {
			return 0
		}
	}
	s.polygon = geo.NewPolygon(vertices)
	return 1 + 2*len(vertices)
}
