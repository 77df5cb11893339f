package command

import (
	"math"
	"strconv"

	"zset.dev/operator/node/geo"
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

var geoaddSpecs = []Spec{{
	Name: "geoadd", Arity: -5, Flags: Write | DenyOOM, Keys: oneKey("RW", "update"), Categories: Geo,
	Group: "geo", Since: "3.2.0", Complexity: "O(log N) for each member, N members in the set",
	Summary: "Adds members with their places to a sorted set, or moves them. Creates the key if it is missing.",
	Args: []Arg{
		keyArg(), oneOf("condition", token("NX", "nx"), token("XX", "xx")).optional().since("6.2.0"), token("CH", "change").optional().since("6.2.0"),
		block("data", arg("longitude", "double"), arg("latitude", "double"), arg("member", "string")).many(),
	},
	Run: geoadd,
}}

func geoadd(c *Call) {
	var flags zset.AddFlags
	changed := false
	words := c.Args[2:]
options:
	for ; len(words) > 0; words = words[1:] {
		switch a := words[0]; {
		case is(a, "NX"):
			flags |= zset.NX
		case is(a, "XX"):
			flags |= zset.XX
		case is(a, "CH"):
			changed = true
		default:
			break options
		}
	}
	if len(words) == 0 || len(words)%3 != 0 || flags == zset.NX|zset.XX {
		c.W.Error(errSyntax)
		return
	}
	scores := c.scores[:0]
	for i := 0; i < len(words); i += 3 {
		place, ok := c.place(words[i], words[i+1])
		if !ok {
			return
		}
		scores = append(scores, place.Score())
	}
	c.keepScores(scores)
	c.addMembers(flags, changed, scores, words, 0)
}

// place reads a longitude and a latitude; it answers the error itself.
func (c *Call) place(lon, lat []byte) (p geo.Place, ok bool) {
	var err error
	if p.Lon, err = resp.ParseScore(lon); err == nil {
		p.Lat, err = resp.ParseScore(lat)
	}
	switch {
	case err != nil:
		c.W.Error(err.Error())
	case !p.Valid():
		c.W.Error("ERR invalid longitude,latitude pair " + sixDecimals(p.Lon) + "," + sixDecimals(p.Lat))
	default:
		return p, true
	}
	return p, false
}

// sixDecimals is f as C's printf has it by default.
func sixDecimals(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	}
	return strconv.FormatFloat(f, 'f', 6, 64)
}
