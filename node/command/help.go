package command

import "strings"

// helpSpec is the HELP subcommand of a container: lines in pairs, the form of
// a subcommand and what it does.
func helpSpec(container, group, since string, flags Flags, categories Category, lines ...string) Spec {
	text := append([]string{strings.ToUpper(container) + " <subcommand> [<arg> [value] [opt] ...]. Subcommands are:"}, lines...)
	text = append(text, "HELP", "    Print this help.")
	return Spec{
		Name: container + "|help", Arity: 2, Flags: flags, Categories: categories,
		Group: group, Since: since, Complexity: "O(1)",
		Summary: "Returns text about the subcommands.",
		Run: func(c *Call) {
			c.W.Array(len(text))
			for _, line := range text {
				c.W.Simple(line)
			}
		},
	}
}
