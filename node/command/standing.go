package command

import (
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/replication"
)

const (
	errReadOnly   = "READONLY You can't write against a read only replica."
	errMasterDown = "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'."
	errDisplaced  = "UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)"
)

// replica reports whether the node is a replica at present.
func (env *Env) replica() bool {
	return env.Replication != nil && env.Replication.Role() == replication.Replica
}

// readOnly reports whether clients may not write, since the node is a replica.
func (env *Env) readOnly() bool { return env.replica() && env.Config.Values().Following.ReadOnly }

// stale reports whether reads are refused, since the link to the primary is
// down.
func (env *Env) stale() bool {
	return env.replica() && env.Following != nil && !env.Config.Values().Following.ServeStale && !env.Following.Up()
}

// refuseAsReplica is why a replica does not run a command; empty when it does,
// or the node is none.
func (c *Call) refuseAsReplica(spec *Spec) string {
	env := c.Env
	switch v := &env.Config.Values().Following; {
	case !env.replica():
	case v.ReadOnly && c.anyFlag(spec, Write):
		return errReadOnly
	case env.Following == nil:
	case c.lacks(spec, Stale) && env.stale():
		return errMasterDown
	case c.lacks(spec, Loading) && env.Following.Incomplete():
		return errLoading
	}
	return ""
}

// lacks reports whether a command, or one of those that EXEC would run, does not
// have a flag.
func (c *Call) lacks(spec *Spec, flag Flags) bool {
	return spec.Flags&flag == 0 || c.queuesAnyWithout(spec, flag)
}

// stopped is asked by a command that writes once it holds what it will change:
// what let it begin may be over. Since the node becomes a replica, or stops
// writes, before it waits for all partitions, no write is overlooked. When it
// reports true the command has let go, and is answered or put off.
func (c *Call) stopped(spec *Spec) bool {
	switch {
	case c.Held.Timeless || !c.Env.Pause.on.Load() && !c.Env.replica():
		return false
	case c.heldBack():
		return true
	case c.Env.readOnly():
		c.Held.Release()
		c.reject(spec, errReadOnly)
		return true
	}
	return false
}

// heldBack is the part of stopped that is about a pause of writes.
func (c *Call) heldBack() bool {
	if c.Held.Timeless || !c.Env.Pause.on.Load() {
		return false
	}
	until, holds := c.Env.Pause.Holds(time.Now(), true)
	if holds {
		c.Held.Release()
		c.postpone(until)
	}
	return holds
}

// unblockedText is what a client is told whose wait was ended.
func (c *Call) unblockedText() string {
	if !c.Client.Is(client.Displaced) {
		return errUnblocked
	}
	c.Client.CloseAfterReply = true
	return errDisplaced
}

// ForceUnblock ends what clients wait for when the node becomes a replica: what
// they wait for are writes, or their confirmation.
func (env *Env) ForceUnblock() {
	env.Clients.Each(func(cl *client.Client) {
		if cl.Is(client.Blocked) {
			cl.Enter(client.Displaced)
			cl.Unblock(true)
		}
	})
}
