package command

// Execute runs the command in c.Args, of which there is at least one, and
// appends its reply to c.W. It moves c.At on to its end.
func (t *Table) Execute(c *Call) {
	c.now = c.At.UnixMilli()
	spec, refusal := t.resolve(c.Args)
	if spec != nil {
		c.Client.Ran(&spec.Name)
		refusal = c.refuse(spec)
	} else if c.needsAuth() {
		refusal = errNoAuth // a stranger learns nothing of what is known here
	}
	c.Env.Stats.CommandsProcessed.Add(1)
	if refusal != "" {
		c.W.Error(refusal)
		c.Env.Stats.Error([]byte(refusal))
		if spec != nil {
			c.Env.Stats.Command(spec.number).Rejected.Add(1)
		}
		c.At = c.Env.Now()
		return
	}

	c.spec = spec
	start := c.W.Len()
	if keys := spec.Keys.of(c.Args); keys != nil {
		reads := spec.Flags&ReadOnly != 0
		if reads {
			c.Env.Keyspace.HoldShared(&c.Held, c.now, keys...)
		} else {
			c.Env.Keyspace.Hold(&c.Held, c.now, keys...)
		}
		spec.Run(c)
		c.Held.Release()
		if reads {
			c.countLookups()
		}
	} else {
		spec.Run(c)
	}

	end := c.Env.Now()
	stat := c.Env.Stats.Command(spec.number)
	stat.Calls.Add(1)
	stat.Nanos.Add(int64(end.Sub(c.At)))
	c.At = end
	if reply := c.W.Bytes()[start:]; len(reply) > 0 && reply[0] == '-' {
		stat.Failed.Add(1)
		c.Env.Stats.Error(reply[1:])
	}
}

// refuse is why the command may not run; empty when it may.
func (c *Call) refuse(spec *Spec) string {
	if spec.Flags&NoAuth == 0 && c.needsAuth() {
		return errNoAuth
	}
	if !spec.accepts(len(c.Args)) || spec.Run == nil {
		return "ERR wrong number of arguments for '" + spec.Name + "' command"
	}
	if spec.Flags&DenyOOM != 0 {
		if limit := c.Env.Config.Values().MaxMemory.Bytes; limit > 0 && c.Env.UsedMemory() > limit {
			return errOOM
		}
	}
	return ""
}

// needsAuth reports whether the client still has to authenticate.
func (c *Call) needsAuth() bool {
	return !c.Client.Authenticated && c.Env.Config.Values().RequirePass != ""
}

func (c *Call) countLookups() {
	if c.Held.Hits > 0 {
		c.Env.Stats.Hits.Add(int64(c.Held.Hits))
	}
	if c.Held.Misses > 0 {
		c.Env.Stats.Misses.Add(int64(c.Held.Misses))
	}
}
