package command

import (
	"strings"
	"time"

	"zset.dev/operator/node/acl"
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/pubsub"
)

// Where a command is refused, as ACL LOG says it.
const (
	atTopLevel    = "toplevel"
	inTransaction = "multi"
	inScript      = "lua"
)

// refusedAccess is why a user may not run a command; the zero value is no
// reason.
type refusedAccess struct {
	acl.Denial
	user   string
	spec   *Spec
	object string // the key, channel or database; else the command
}

// permit decides whether a user may run a command, by its description: the
// command itself, its keys by what is done with them, its channels, and the
// database. It is the only place that does.
func permit(user *acl.User, spec *Spec, args [][]byte) refusedAccess {
	if user.Unlimited() {
		return refusedAccess{}
	}
	var keys [4]acl.Key
	r := acl.Request{Command: spec.number, Always: spec.Flags&NoAuth != 0, Keys: spec.Keys.access(keys[:0], args)}
	if len(args) > 1 && !strings.Contains(spec.Name, "|") {
		r.FirstArg = args[1]
	}
	if spec.Channels != nil {
		r.Channels, r.Patterns = spec.Channels.of(args), spec.ChannelPatterns
	}
	var databases [1]acl.Database
	switch {
	case spec.Name == "select" && len(args) == 2 && string(args[1]) == "0":
		databases[0].Arg = 1
		r.Databases = databases[:]
	case spec.Keys != nil || spec.Categories&Keyspace != 0 || spec.Flags&(Write|ReadOnly) != 0:
		r.Databases = databases[:]
	}
	d := user.Check(&r)
	if d.Reason == acl.Allowed {
		return refusedAccess{}
	}
	refused := refusedAccess{Denial: d, user: user.Name(), spec: spec, object: spec.Name}
	switch d.Reason {
	case acl.DeniedKey:
		refused.object = string(r.Keys[d.Index].Name)
	case acl.DeniedChannel:
		refused.object = string(r.Channels[d.Index])
	case acl.DeniedDatabase:
		if at := r.Databases[d.Index].Arg; at > 0 {
			refused.object = string(args[at])
		}
	}
	return refused
}

// text is what is said of the refusal: in full, or to a client that must not
// learn which keys there are.
func (r *refusedAccess) text(full bool) string {
	object, of := " a key", "key"
	switch r.Reason {
	case acl.DeniedCommand:
		return "User " + r.user + " has no permissions to run the '" + r.spec.Name + "' command"
	case acl.DeniedChannel:
		object, of = " a channel", "channel"
	case acl.DeniedDatabase:
		if full {
			return "User " + r.user + " has no permissions to access database " + r.object
		}
		return "No permissions to access database"
	}
	if full {
		return "User " + r.user + " has no permissions to access the '" + r.object + "' " + of
	}
	return "No permissions to access" + object
}

// inExec is what is said of a command that was queued when it was still
// allowed.
func (r *refusedAccess) inExec() string {
	why := "no permission"
	switch r.Reason {
	case acl.DeniedCommand:
		why = "no permission to execute the command or subcommand"
	case acl.DeniedKey:
		why = "no permission to touch the specified keys"
	case acl.DeniedChannel:
		why = "no permission to access one of the channels used as arguments"
	}
	return "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. " +
		"This command is no longer allowed for the following reason: " + why
}

// access appends the keys among args to those given, each with what is done
// with it.
func (k Keys) access(to []acl.Key, args [][]byte) []acl.Key {
	k.each(args, func(p *KeyPart, key []byte) { to = append(to, acl.Key{Name: key, Needs: p.needs()}) })
	return to
}

// needs is the access that the keys of the part ask for: none when the command
// only looks whether they are there.
func (p *KeyPart) needs() (needs acl.Access) {
	for _, use := range p.Use {
		switch use {
		case "access":
			needs |= acl.Read
		case "update", "insert", "delete":
			needs |= acl.Write
		}
	}
	return needs
}

// limited reports whether there is anything the client may not do.
func (c *Call) limited() bool { return !c.user().Unlimited() }

// user is who the client is, at present.
func (c *Call) user() *acl.User { return c.Env.userOf(c.Client) }

func (env *Env) userOf(cl *client.Client) *acl.User {
	if a := cl.Account(); a != nil {
		return a.User()
	}
	return env.Accounts.Default().User()
}

// permitted is permit for this client. What is refused is counted, and noted
// in ACL LOG. context is where the command stands.
func (c *Call) permitted(spec *Spec, args [][]byte, context string) refusedAccess {
	user := c.user()
	if user.Unlimited() {
		return refusedAccess{}
	}
	refused := permit(user, spec, args)
	if refused.Reason != acl.Allowed {
		c.noteRefusal(refused.Reason, context, refused.user, refused.object)
	}
	return refused
}

// noteRefusal counts what was refused and puts it on record.
func (c *Call) noteRefusal(reason acl.Reason, context, user, object string) {
	stats := c.Env.Stats
	switch reason {
	case acl.DeniedCommand:
		stats.CommandsDenied.Add(1)
	case acl.DeniedKey:
		stats.KeysDenied.Add(1)
	case acl.DeniedChannel:
		stats.ChannelsDenied.Add(1)
	case acl.DeniedDatabase:
		stats.DatabasesDenied.Add(1)
	case acl.DeniedAuth:
		stats.AuthFailures.Add(1)
	}
	now := time.Now()
	c.Env.Denials.Add(acl.Entry{
		Reason: reason, Context: context, User: user, Object: object, Client: c.Client.Line(now),
	}, now, c.Env.Config.Values().ACLLogMaxLen)
}

// closeWhere closes the clients for which is holds, this one after its reply.
// Nobody sees them any more when it returns.
func (c *Call) closeWhere(is func(*client.Client) bool) {
	for _, cl := range c.Env.Clients.All() {
		switch {
		case !is(cl):
		case cl == c.Client:
			c.Client.CloseAfterReply = true
		default:
			cl.Close()
			c.Env.Clients.Remove(cl)
		}
	}
}

// closeGone closes the clients of accounts that were deleted.
func (c *Call) closeGone(deleted []*acl.Account) {
	if len(deleted) == 0 {
		return
	}
	gone := map[*acl.Account]bool{}
	for _, a := range deleted {
		gone[a] = true
	}
	c.closeWhere(func(cl *client.Client) bool { return gone[cl.Account()] })
}

// closeDeaf closes the clients with a subscription that their user may not
// have any more.
func (c *Call) closeDeaf() {
	if c.Env.Hub.Idle() && c.Env.Hub.Len(pubsub.Shard) == 0 {
		return
	}
	c.closeWhere(func(cl *client.Client) bool {
		user := c.Env.userOf(cl)
		if user.Unlimited() || cl.Subscriptions() == 0 {
			return false
		}
		for kind, names := range c.Env.Hub.Of(cl) {
			for _, name := range names {
				if !user.MayHear([]byte(name), pubsub.Kind(kind) == pubsub.Pattern) {
					return true
				}
			}
		}
		return false
	})
}
