package command

import "slices"

func commandGetKeys(c *Call) {
	args := c.Args[2:]
	if s := c.asked(args); s != nil {
		c.replyKeys(s.Keys.of(args))
	}
}

func commandGetKeysAndFlags(c *Call) {
	args := c.Args[2:]
	s := c.asked(args)
	if s == nil {
		return
	}
	c.W.Array(len(s.Keys.of(args)))
	s.Keys.each(args, func(p *KeyPart, key []byte) {
		c.W.Array(2)
		c.W.Bulk(key)
		c.replyUse(p.Access, slices.DeleteFunc(slices.Clone(p.Use), func(use string) bool { return use == "variable_flags" }))
	})
}

// asked is the command whose keys are asked for by args, nil when they are no
// call of a command with keys: then it has answered the error.
func (c *Call) asked(args [][]byte) *Spec {
	s, refusal := c.Env.Table.resolve(args)
	switch {
	case refusal != "":
		c.W.Error("ERR Invalid command specified")
	case len(s.Keys) == 0:
		c.W.Error("ERR The command has no key arguments")
	case !s.accepts(len(args)):
		c.W.Error("ERR Invalid number of arguments specified for command")
	case !s.Keys.countable(args) && s.Flags&NoMandatoryKeys == 0:
		c.W.Error("ERR Invalid arguments specified for command")
	default:
		return s
	}
	return nil
}

func (c *Call) replyKeys(keys [][]byte) {
	c.W.Array(len(keys))
	for _, key := range keys {
		c.W.Bulk(key)
	}
}

// replyUse answers what a command does to keys.
func (c *Call) replyUse(access string, uses []string) {
	c.W.Set(1 + len(uses))
	c.W.Simple(access)
	for _, use := range uses {
		c.W.Simple(use)
	}
}
