package command

import (
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
)

// event is what happened to a key, by the names subscribers know.
type event struct {
	class config.KeyEvents
	name  string
}

// The events of commands. Those of keys that come, expire or are missed follow
// by themselves (keyObserver).
var (
	eventZAdd             = event{config.EventZSet, "zadd"}
	eventZIncr            = event{config.EventZSet, "zincr"}
	eventZRem             = event{config.EventZSet, "zrem"}
	eventZRemRangeByRank  = event{config.EventZSet, "zremrangebyrank"}
	eventZRemRangeByScore = event{config.EventZSet, "zremrangebyscore"}
	eventZRemRangeByLex   = event{config.EventZSet, "zremrangebylex"}
	eventZPopMin          = event{config.EventZSet, "zpopmin"}
	eventZPopMax          = event{config.EventZSet, "zpopmax"}

	eventDel        = event{config.EventGeneric, "del"}
	eventExpire     = event{config.EventGeneric, "expire"}
	eventPersist    = event{config.EventGeneric, "persist"}
	eventRenameFrom = event{config.EventGeneric, "rename_from"}
	eventRenameTo   = event{config.EventGeneric, "rename_to"}
	eventCopyTo     = event{config.EventGeneric, "copy_to"}
	eventRestore    = event{config.EventGeneric, "restore"}

	eventNew     = event{config.EventNew, "new"}
	eventExpired = event{config.EventExpired, "expired"}
	eventEvicted = event{config.EventEvicted, "evicted"}
	eventMiss    = event{config.EventMiss, "keymiss"}
)

// touched says that the command changed key. Every write calls it for every
// key it changed, while it holds it, once for each event and never for a call
// that changed nothing: transactions that watch the key fail, caches of it
// are invalidated, subscribers to the event are told. Costs next to nothing
// while nobody listens.
func (c *Call) touched(key []byte, e event) {
	if c.listening(e) {
		c.tell(string(key), e)
	}
}

// settle accounts for what was done to the set of e (keyspace.Held.Settle), and
// says that it was ev. A set left empty takes its key along, which is a second
// event.
func (c *Call) settle(e *keyspace.Entry, ev event) {
	if !c.listening(ev) && !c.listening(eventDel) {
		c.Held.Settle(e)
		return
	}
	key := e.Key()
	gone := c.Held.Settle(e)
	if c.listening(ev) {
		c.tell(key, ev)
	}
	if gone && c.listening(eventDel) {
		c.tell(key, eventDel)
	}
}

// remove removes the key of e, and says so.
func (c *Call) remove(e *keyspace.Entry) {
	if !c.listening(eventDel) {
		c.Held.Remove(e)
		return
	}
	key := e.Key()
	c.Held.Remove(e)
	c.tell(key, eventDel)
}

// drop removes key, if it is there, and says so.
func (c *Call) drop(key []byte) {
	if c.Held.Drop(key) {
		c.touched(key, eventDel)
	}
}

// listening reports whether anybody has to hear of an event.
func (c *Call) listening(e event) bool {
	return c.Env.Keyspace.Watched() > 0 || c.Env.Tracking.Active() || c.Env.publishes(e)
}

func (c *Call) tell(key string, e event) {
	c.Held.Touch([]byte(key))
	if c.Env.Tracking.Active() && (c.told == len(c.changed) || c.changed[len(c.changed)-1] != key) {
		c.changed = append(c.changed, key)
	}
	c.Env.publish(key, e)
}

// publishes reports whether anybody may be subscribed to an event.
func (env *Env) publishes(e event) bool {
	return env.Config.Values().NotifyKeyspaceEvents.Publishes(e.class) && !env.Hub.Idle()
}

// publish tells the subscribers of an event.
func (env *Env) publish(key string, e event) {
	if !env.publishes(e) {
		return
	}
	ways := env.Config.Values().NotifyKeyspaceEvents
	if ways&config.KeyspaceEvent != 0 {
		env.Hub.Publish([]byte("__keyspace@0__:"+key), []byte(e.name))
	}
	if ways&config.KeyeventEvent != 0 {
		env.Hub.Publish([]byte("__keyevent@0__:"+e.name), []byte(key))
	}
}

// keyObserver tells of what becomes of keys by itself.
type keyObserver struct{ env *Env }

// Created implements keyspace.Observer.
func (o keyObserver) Created(key []byte) {
	if o.env.publishes(eventNew) {
		o.env.publish(string(key), eventNew)
	}
}

// Expired implements keyspace.Observer.
func (o keyObserver) Expired(key []byte) { o.gone(key, eventExpired) }

// Evicted implements keyspace.Observer.
func (o keyObserver) Evicted(key []byte) { o.gone(key, eventEvicted) }

func (o keyObserver) gone(key []byte, e event) {
	if o.env.Tracking.Active() {
		o.env.Tracking.Invalidate(nil, string(key))
	}
	if o.env.publishes(e) {
		o.env.publish(string(key), e)
	}
}

// Missed implements keyspace.Observer.
func (o keyObserver) Missed(key []byte) {
	if o.env.publishes(eventMiss) {
		o.env.publish(string(key), eventMiss)
	}
}
