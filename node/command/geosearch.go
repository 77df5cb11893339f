package command

const searchCost = "O(N + log M), N members in the cells around the shape and M in the set"

var geosearchSpecs = []Spec{
	{
		Name: "geosearch", Arity: -7, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "6.2.0", Complexity: searchCost,
		Summary: "Returns the members inside a circle, a box or a polygon.",
		Args:    append([]Arg{keyArg(), fromArg, byArg, orderArg, countAnyArg}, withArgs...),
		Run:     geosearch,
	},
	{
		Name: "geosearchstore", Arity: -8, Flags: Write | DenyOOM, Keys: oneKey("OW", "update").and(keyAt(2, "RO", "access")), Categories: Geo,
		Group: "geo", Since: "6.2.0", Complexity: searchCost,
		Summary: "Stores the members inside a circle, a box or a polygon in a key.",
		Differs: "A distance stored by STOREDIST may differ in its last bit.",
		Args: []Arg{
			destinationArg, {Name: "source", Type: "key", KeyPart: 1}, fromArg, byArg, orderArg, countAnyArg, token("STOREDIST", "storedist").optional(),
		},
		Run: geosearchstore,
	},
	{
		Name: "georadius", Arity: -6, Flags: Write | DenyOOM, Keys: radiusKeys(6), Categories: Geo,
		Group: "geo", Since: "3.2.0", Complexity: searchCost, Deprecated: "6.2.0", ReplacedBy: "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` argument",
		Summary: "Returns or stores the members inside a circle around a place.",
		Differs: "A distance stored by STOREDIST may differ in its last bit.",
		Args:    radiusArgs(true, arg("longitude", "double"), arg("latitude", "double")),
		Run:     func(c *Call) { georadius(c, true) },
	},
	{
		Name: "georadius_ro", Arity: -6, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "3.2.10", Complexity: searchCost, Deprecated: "6.2.0", ReplacedBy: "`GEOSEARCH` with the `BYRADIUS` argument",
		Summary: "Returns the members inside a circle around a place.",
		Args:    radiusArgs(false, arg("longitude", "double"), arg("latitude", "double")),
		Run:     func(c *Call) { georadius(c, false) },
	},
	{
		Name: "georadiusbymember", Arity: -5, Flags: Write | DenyOOM, Keys: radiusKeys(5), Categories: Geo,
		Group: "geo", Since: "3.2.0", Complexity: searchCost, Deprecated: "6.2.0", ReplacedBy: "`GEOSEARCH` and `GEOSEARCHSTORE` with the `BYRADIUS` and `FROMMEMBER` arguments",
		Summary: "Returns or stores the members inside a circle around a member.",
		Differs: "A distance stored by STOREDIST may differ in its last bit.",
		Args:    radiusArgs(true, arg("member", "string")),
		Run:     func(c *Call) { georadiusByMember(c, true) },
	},
	{
		Name: "georadiusbymember_ro", Arity: -5, Flags: ReadOnly, Keys: oneKey("RO", "access"), Categories: Geo,
		Group: "geo", Since: "3.2.10", Complexity: searchCost, Deprecated: "6.2.0", ReplacedBy: "`GEOSEARCH` with the `BYRADIUS` and `FROMMEMBER` arguments",
		Summary: "Returns the members inside a circle around a member.",
		Args:    radiusArgs(false, arg("member", "string")),
		Run:     func(c *Call) { georadiusByMember(c, false) },
	},
}

var (
	fromArg = oneOf("from",
		after("FROMMEMBER", "member", "string"), block("fromlonlat", arg("longitude", "double"), arg("latitude", "double")).after("FROMLONLAT")).optional()
	byArg = oneOf("by",
		block("circle", after("BYRADIUS", "radius", "double"), unitArg),
		block("box", after("BYBOX", "width", "double"), arg("height", "double"), unitArg),
		block("polygon", after("BYPOLYGON", "num-vertices", "integer"), block("vertices", arg("longitude", "double"), arg("latitude", "double")).many()).since("9.0.0"))
	orderArg    = oneOf("order", token("ASC", "asc"), token("DESC", "desc")).optional()
	countAnyArg = block("count-block", after("COUNT", "count", "integer"), token("ANY", "any").optional()).optional()
	withArgs    = []Arg{token("WITHCOORD", "withcoord").optional(), token("WITHDIST", "withdist").optional(), token("WITHHASH", "withhash").optional()}
)

// radiusKeys are those of the older commands, whose options begin at argument
// from.
func radiusKeys(from int) Keys {
	return oneKey("RO", "access").and(keyAfter("STORE", from, "OW", "update", "variable_flags")).and(keyAfter("STOREDIST", from, "OW", "update", "variable_flags"))
}

func radiusArgs(store bool, centre ...Arg) []Arg {
	args := append([]Arg{keyArg()}, centre...)
	args = append(args, arg("radius", "double"), unitArg)
	args = append(args, withArgs...)
	count := countAnyArg
	if centre[0].Type == "double" { // the others say so in their history only
		count = block("count-block", after("COUNT", "count", "integer"), token("ANY", "any").optional().since("6.2.0")).optional()
	}
	args = append(args, count, orderArg)
	if store {
		args = append(args, oneOf("store",
			Arg{Name: "storekey", Type: "key", Token: "STORE", KeyPart: 1, Shown: "key"}, Arg{Name: "storedistkey", Type: "key", Token: "STOREDIST", KeyPart: 2, Shown: "key"}).optional())
	}
	return args
}

func geosearch(c *Call) {
	s := geoSearch{free: true}
	s.run(c, c.findSet(), c.Args[2:])
}

func geosearchstore(c *Call) {
	s := geoSearch{free: true, store: c.Args[1]}
	s.run(c, c.setAt(2), c.Args[3:])
}

func georadius(c *Call, mayStore bool) {
	s := geoSearch{mayStore: mayStore, from: fromPlace, by: byCircle}
	set := c.findSet()
	var ok bool
	if s.centre, ok = c.place(c.Args[2], c.Args[3]); !ok {
		return
	}
	if s.readCircle(c, c.Args[4], c.Args[5]) {
		s.run(c, set, c.Args[6:])
	}
}

func georadiusByMember(c *Call, mayStore bool) {
	s := geoSearch{mayStore: mayStore, from: fromMember, by: byCircle}
	set := c.findSet()
	// Without a set only the options are read, since they say how to answer.
	if set == nil || s.readMember(c, set, c.Args[2]) && s.readCircle(c, c.Args[3], c.Args[4]) {
		s.run(c, set, c.Args[5:])
	}
}
