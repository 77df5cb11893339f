package command

import "cmp"

func commandDocs(c *Call) {
	var specs []*Spec
	if len(c.Args) == 2 {
		for i := range c.Env.Table.specs {
			specs = append(specs, &c.Env.Table.specs[i])
		}
	}
	for _, name := range c.Args[2:] {
		if s := c.Env.Table.lookupFull(string(name)); s != nil {
			specs = append(specs, s)
		}
	}
	c.W.Map(len(specs))
	for _, s := range specs {
		c.W.BulkString(s.Name)
		c.replyDocs(s)
	}
}

func (c *Call) replyDocs(s *Spec) {
	w := c.W
	fields := 4
	for _, there := range []bool{s.Deprecated != "", s.Deprecated != "", s.ReplacedBy != "", len(s.Args) > 0, len(s.Subs) > 0} {
		if there {
			fields++
		}
	}
	w.Map(fields)
	text := func(name, value string) {
		w.BulkString(name)
		w.BulkString(value)
	}
	text("summary", s.Summary)
	text("since", s.Since)
	text("group", s.Group)
	text("complexity", s.Complexity)
	if s.Deprecated != "" {
		w.BulkString("doc_flags")
		w.Set(1)
		w.Simple("deprecated")
		text("deprecated_since", s.Deprecated)
	}
	if s.ReplacedBy != "" {
		text("replaced_by", s.ReplacedBy)
	}
	if len(s.Args) > 0 {
		w.BulkString("arguments")
		c.replyArgs(s.Args)
	}
	if len(s.Subs) > 0 {
		w.BulkString("subcommands")
		w.Map(len(s.Subs))
		for i := range s.Subs {
			w.BulkString(s.Subs[i].Name)
			c.replyDocs(&s.Subs[i])
		}
	}
}

func (c *Call) replyArgs(args []Arg) {
	w := c.W
	w.Array(len(args))
	for _, a := range args {
		key, nested := a.Type == "key", len(a.Args) > 0
		var flags []string
		for _, f := range []struct {
			is   bool
			name string
		}{{a.Optional, "optional"}, {a.Many, "multiple"}, {a.ManyTokens, "multiple_token"}} {
			if f.is {
				flags = append(flags, f.name)
			}
		}
		fields := 2
		for _, there := range []bool{!nested, key, a.Token != "", a.Since != "", a.Deprecated != "", len(flags) > 0, nested} {
			if there {
				fields++
			}
		}
		w.Map(fields)
		text := func(name, value string) {
			w.BulkString(name)
			w.BulkString(value)
		}
		text("name", a.Name)
		text("type", a.Type)
		if !nested {
			text("display_text", cmp.Or(a.Shown, a.Name))
		}
		if key {
			w.BulkString("key_spec_index")
			w.Int(int64(a.KeyPart))
		}
		if a.Token != "" {
			text("token", a.Token)
		}
		if a.Since != "" {
			text("since", a.Since)
		}
		if a.Deprecated != "" {
			text("deprecated_since", a.Deprecated)
		}
		if len(flags) > 0 {
			w.BulkString("flags")
			w.Set(len(flags))
			for _, f := range flags {
				w.Simple(f)
			}
		}
		if nested {
			w.BulkString("arguments")
			c.replyArgs(a.Args)
		}
	}
}
