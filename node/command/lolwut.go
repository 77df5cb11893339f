package command

import "strings"

var lolwutSpecs = []Spec{{
	Name: "lolwut", Arity: -1, Flags: ReadOnly | Fast,
	Group: "server", Since: "5.0.0", Complexity: "O(1)",
	Summary: "Draws a skip list as the next sorted set might have it, and returns the server's version.",
	Differs: "Draws something else.",
	Args:    []Arg{after("VERSION", "version", "integer").optional()},
	Run:     lolwut,
}}

// lolwut draws the towers of a skip list with the P in force. There is one
// drawing, whatever the arguments ask for.
func lolwut(c *Call) {
	if len(c.Args) > 2 && is(c.Args[1], "VERSION") {
		if _, ok := c.integer(2); !ok {
			return
		}
	}
	const members, levels = 24, 6
	o := c.Env.Tuning().Options()
	var heights [members]int
	for i := range heights {
		heights[i] = 1
		for heights[i] < min(levels, o.MaxLevel) && c.Rng.Float64() < o.P {
			heights[i]++
		}
	}
	var text strings.Builder
	for level := levels; level > 0; level-- {
		text.WriteString("o")
		for _, height := range heights {
			if height >= level {
				text.WriteString("->o")
			} else {
				text.WriteString("---")
			}
		}
		text.WriteString("->\n")
	}
	text.WriteString("\n" + decimal(members) + " members of a skip list, P = " + c.Env.Config.Values().SkipListP.Text + ". zset node ver. " + c.Env.Facts().Version + "\n")
	c.W.Verbatim("txt", text.String())
}
