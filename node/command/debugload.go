package command

import (
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
)

// debugReload saves all keys and loads them again: NOSAVE loads the file that is there, NOFLUSH leaves what there is, which is an
// error when the file has a library of it, unless MERGE allows that.
func debugReload(c *Call, args [][]byte) {
	save, flush, merge := true, true, false
	for _, a := range args {
		switch {
		case is(a, "NOSAVE"):
			save = false
		case is(a, "NOFLUSH"):
			flush = false
		case is(a, "MERGE"):
			merge = true
		default:
			c.W.Error("ERR DEBUG RELOAD only supports the MERGE, NOFLUSH and NOSAVE options.")
			return
		}
	}
	c.reload("Error trying to load the RDB dump, check server logs.", persist.Dump, reloading{flush, flush || merge}, func() error {
		if !save {
			return nil
		}
		return c.Env.Persistence.SaveNow()
	})
}

// debugLoadAppended loads what is in the append-only files.
func debugLoadAppended(c *Call, _ [][]byte) {
	c.reload("Error trying to load the AOF files, check server logs.", persist.Appended, reloading{true, true}, c.Env.Persistence.Flush)
}

// reloading is how to load: in the place of what there is, and whether libraries may replace others.
type reloading struct{ flush, replace bool }

// reload puts what files have in the place of all keys, after prepare. Meanwhile all others are told that data are loaded. Nothing of
// it is logged: the data are to be the same.
func (c *Call) reload(failure string, from persist.Source, how reloading, prepare func() error) {
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
		if how.flush {
			env.Keyspace.HoldAll(&h, c.now)
			h.Mute = true
			h.Clear(false)
			h.Release()
			c.libraries().Flush()
		}
		a := NewApplier(env, client.New(0, "", "", env.Now(), client.Unwired{}))
		a.SkipOther = env.Config.Values().SkipOtherTypes
		_, err = env.Persistence.Load(from, a, func(code []byte) error { return env.addLibrary(code, how.replace) }, nil)
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
