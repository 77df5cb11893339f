package command

import (
	"bytes"
	"math"
	"strconv"

	"zset.dev/operator/node/geo"
)

var geoposSpecs = []Spec{
	{
		Name: "geopos", Arity: -2, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "3.2.0", Complexity: "O(1) for each member asked for",
		Summary: "Returns the places of members.",
		Args:    []Arg{keyArg(), arg("member", "string").optional().many()},
		Run: func(c *Call) {
			c.eachPlace(c.W.NullArray, c.replyPlace)
		},
	},
	{
		Name: "geohash", Arity: -2, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "3.2.0", Complexity: "O(1) for each member asked for",
		Summary: "Returns the places of members as geohash strings.",
		Args:    []Arg{keyArg(), arg("member", "string").optional().many()},
		Run: func(c *Call) {
			c.eachPlace(c.W.Null, func(p geo.Place) { c.W.BulkString(geo.Hash(p)) })
		},
	},
	{
		Name: "geodist", Arity: -4, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "3.2.0", Complexity: "O(1)",
		Summary: "Returns the distance between two members.",
		Args:    []Arg{keyArg(), arg("member1", "string"), arg("member2", "string"), unitArg.optional()},
		Run:     geodist,
	},
}

var unitArg = oneOf("unit", token("M", "m"), token("KM", "km"), token("FT", "ft"), token("MI", "mi"))

// eachPlace answers, for each member named, its place, or that there is none.
func (c *Call) eachPlace(missing func(), found func(geo.Place)) {
	set := c.findSet()
	c.W.Array(len(c.Args) - 2)
	for _, member := range c.Args[2:] {
		if set != nil {
			if score, ok := set.Score(member); ok {
				found(geo.At(score))
				continue
			}
		}
		missing()
	}
}

func (c *Call) replyPlace(p geo.Place) {
	c.W.Array(2)
	var text [40]byte
	c.W.Decimal(appendCoordinate(text[:0], p.Lon))
	c.W.Decimal(appendCoordinate(text[:0], p.Lat))
}

// appendCoordinate writes degrees with up to 17 decimals, as all servers did
// up to Valkey 9 and Redis 7. (Redis 8 writes the shortest text.)
func appendCoordinate(dst []byte, degrees float64) []byte {
	dst = strconv.AppendFloat(dst, degrees, 'f', 17, 64)
	return bytes.TrimSuffix(bytes.TrimRight(dst, "0"), []byte("."))
}

// unit reads a unit of length as metres; it answers the error itself.
func (c *Call) unit(name []byte) (metres float64, ok bool) {
	switch {
	case is(name, "M"):
		return 1, true
	case is(name, "KM"):
		return 1000, true
	case is(name, "FT"):
		return 0.3048, true
	case is(name, "MI"):
		return 1609.34, true
	}
	c.W.Error("ERR unsupported unit provided. please use M, KM, FT, MI")
	return 0, false
}

func geodist(c *Call) {
	unit := 1.0
	switch {
	case len(c.Args) > 5:
		c.W.Error(errSyntax)
		return
	case len(c.Args) == 5:
		var ok bool
		if unit, ok = c.unit(c.Args[4]); !ok {
			return
		}
	}
	if set := c.findSet(); set != nil {
		a, okA := set.Score(c.Args[2])
		b, okB := set.Score(c.Args[3])
		if okA && okB {
			c.replyDistance(geo.Distance(geo.At(a), geo.At(b)) / unit)
			return
		}
	}
	c.W.Null()
}

// replyDistance answers a distance with four decimals, a string in RESP3 too.
func (c *Call) replyDistance(d float64) {
	const decimals = 4
	var text [40]byte
	c.W.Bulk(strconv.AppendFloat(text[:0], math.Round(d*1e4)/1e4, 'f', decimals, 64))
}
