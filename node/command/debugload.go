package command

import (
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
)

// debugReload saves all keys and loads them again.
func debugReload(c *Call, args [][]byte) {
	save := len(args) == 0
	if !save && !is(args[0], "NOSAVE") {
		c.W.Error(errSyntax)
		return
	}
	c.reload("Error trying to load the RDB dump, check server logs.", persist.Dump, func() error {
		if !save {
			return nil
		}
		return c.Env.Persistence.SaveNow()
	})
}

// debugLoadAppended loads what is in the append-only files.
func debugLoadAppended(c *Call, _ [][]byte) {
	c.reload("Error trying to load the AOF files, check server logs.", persist.Appended, c.Env.Persistence.Flush)
}

// reload puts what files have in the place of all keys, after prepare. Meanwhile all others are told that data are loaded. Nothing of
// it is logged: the data are to be the same.
func (c *Call) reload(failure string, from persist.Source, prepare func() error) {
	if c.Nested {
		c.W.Error("ERR DEBUG loads nothing in a transaction or script")
		return
	}
	env := c.Env
	c.Held.Release() // DEBUG holds everything, and who saves or loads has to
	defer func() { env.Keyspace.HoldAll(&c.Held, c.now) }()
	env.Restrain(WhileLoading, true)
	defer env.Restrain(WhileLoading, false)
	var h keyspace.Held
	env.Keyspace.HoldAll(&h, c.now) // after that nobody is in the midst of anything
	h.Release()
	err := prepare()
	if err == nil {
		env.Keyspace.HoldAll(&h, c.now)
		h.Mute = true
		h.Clear(false)
		h.Release()
		a := NewApplier(env, client.New(0, "", "", env.Now(), client.Unwired{}))
		a.SkipOther = env.Config.Values().SkipOtherTypes
		_, err = env.Persistence.Load(from, a, env.LoadLibrary, nil)
	}
	if err != nil {
		if env.Log != nil {
			env.Log.Error("DEBUG could not load", "error", err)
		}
		c.W.Error("ERR " + failure)
		return
	}
	c.ok()
}
