package command

import (
	"context"
	"time"

	"zset.dev/operator/node/following"
	"zset.dev/operator/node/lease"
)

// Shard is the node's part in its shard, as commands need it.
type Shard interface {
	// Words is what other nodes are told of this one: names and values.
	Words() []string
	// Promise is asked by a primary. It reports whether this node will not campaign for a while.
	Promise(ctx context.Context, holder lease.Identity, epoch int64) bool
	// HandOver begins a planned one, Abort ends it if that is still possible. Errors are in the words of FAILOVER.
	HandOver(following.Handover) error
	Abort() bool
	// Leave tells this primary that a replica is about to stop, by its run id. It returns once nobody waits for that.
	Leave(ctx context.Context, run string) error
	// News tells of an epoch, and that the record has changed.
	News(ctx context.Context, epoch int64)
}

// What the nodes of a shard say to each other.
var shardSpecs = []Spec{{
	Name: "shard", Arity: -2,
	Group: "server", Since: "1.0.0", Complexity: "O(1)",
	Summary: "A container for what nodes of a shard say to each other.",
	Differs: "Of this server alone.",
	Subs: []Spec{
		{
			Name: "shard|status", Arity: 2, Flags: Admin | NoScript | Loading | Stale | NoMulti,
			Group: "server", Since: "1.0.0", Complexity: "O(1)",
			Summary: "Returns which process this is, and how much of the shard's history it has.",
			Run: func(c *Call) {
				if s := c.shard(); s != nil {
					c.shardWords(s.Words()...)
				}
			},
		},
		{
			Name: "shard|promise", Arity: 4, Flags: Admin | NoScript | Loading | Stale | NoMulti,
			Group: "server", Since: "1.0.0", Complexity: "O(1)",
			Summary: "Asks this node not to try to become primary for a while.",
			Args:    []Arg{arg("holder", "string"), arg("epoch", "integer")},
			Run:     promise,
		},
		{
			Name: "shard|leave", Arity: 3, Flags: Admin | NoScript | Stale | NoMulti,
			Group: "server", Since: "1.0.0", Complexity: "O(1)",
			Summary: "Tells a primary that a replica is about to stop. Answers once no write waits for it.",
			Args:    []Arg{arg("run-id", "string")},
			Run: func(c *Call) {
				s := c.shard()
				if s == nil {
					return
				}
				ctx, cancel := context.WithTimeout(context.Background(), shardPatience)
				defer cancel()
				if err := s.Leave(ctx, string(c.Args[2])); err != nil {
					c.W.Error("ERR " + err.Error())
					return
				}
				c.ok()
			},
		},
		{
			Name: "shard|news", Arity: 3, Flags: Admin | NoScript | Loading | Stale | NoMulti,
			Group: "server", Since: "1.0.0", Complexity: "O(1)",
			Summary: "Tells that the shard has another primary, or none, and of its epoch.",
			Args:    []Arg{arg("epoch", "integer")},
			Run: func(c *Call) {
				s := c.shard()
				if s == nil {
					return
				}
				if epoch, ok := c.integer(2); ok {
					ctx, cancel := context.WithTimeout(context.Background(), shardPatience)
					defer cancel()
					s.News(ctx, epoch)
					c.ok()
				}
			},
		},
	},
}}

// shardPatience is how long a command waits for the election to take note of it.
const shardPatience = time.Second

const errNoShard = "ERR This node is by itself: it is none of a shard"

// shard is the node's part in its shard; if it has none that is answered.
func (c *Call) shard() Shard {
	if c.Env.Shard == nil {
		c.W.Error(errNoShard)
	}
	return c.Env.Shard
}

// promise answers whether that is promised, and who promises.
func promise(c *Call) {
	s := c.shard()
	if s == nil {
		return
	}
	holder, err := lease.ParseIdentity(string(c.Args[2]))
	if err != nil {
		c.W.Error("ERR " + err.Error())
		return
	}
	epoch, ok := c.integer(3)
	if !ok {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), shardPatience)
	defer cancel()
	answer := "refused"
	if s.Promise(ctx, holder, epoch) {
		answer = "promised"
	}
	c.shardWords(answer, s.Words()[1])
}

func (c *Call) shardWords(words ...string) {
	c.W.Array(len(words))
	for _, word := range words {
		c.W.BulkString(word)
	}
}
