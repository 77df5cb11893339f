package command

import "zset.dev/operator/node/pubsub"

var pubsubSpecs = []Spec{
	subscribeSpec("subscribe", pubsub.Channel, "2.0.0", "channel", "Listens for messages of channels."),
	subscribeSpec("psubscribe", pubsub.Pattern, "2.0.0", "pattern", "Listens for messages of channels that match patterns."),
	subscribeSpec("ssubscribe", pubsub.Shard, "7.0.0", "shardchannel", "Listens for messages of shard channels."),
	unsubscribeSpec("unsubscribe", pubsub.Channel, "2.0.0", "channel", "Stops listening for messages of channels, of all when none is given."),
	unsubscribeSpec("punsubscribe", pubsub.Pattern, "2.0.0", "pattern", "Stops listening for messages of channels that match patterns, of all when none is given."),
	unsubscribeSpec("sunsubscribe", pubsub.Shard, "7.0.0", "shardchannel", "Stops listening for messages of shard channels, of all when none is given."),
	{
		Name: "publish", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Channels: keyAt(1, ""),
		Group: "pubsub", Since: "2.0.0", Complexity: "O(N + M), N subscribers of the channel and M patterns of all clients",
		Summary: "Sends a message to a channel.",
		Args:    []Arg{arg("channel", "string"), arg("message", "string")},
		Run: func(c *Call) {
			c.W.Int(int64(c.Env.Hub.Publish(c.Args[1], c.Args[2])))
			c.propagate(c.Args...)
		},
	},
	{
		Name: "spublish", Arity: 3, Flags: PubSub | Loading | Stale | Fast | MayReplicate, Routes: keyAt(1, "not_key"), Channels: keyAt(1, ""),
		Group: "pubsub", Since: "7.0.0", Complexity: "O(N), N subscribers of the channel",
		Summary: "Sends a message to a shard channel.",
		Args:    []Arg{arg("shardchannel", "string"), arg("message", "string")},
		Run: func(c *Call) {
			c.W.Int(int64(c.Env.Hub.PublishShard(c.Args[1], c.Args[2])))
			c.propagate(c.Args...)
		},
	},
	{
		Name: "pubsub", Arity: -2,
		Group: "pubsub", Since: "2.8.0", Complexity: "Depends on the subcommand",
		Summary: "A container for commands about subscriptions.",
		Subs: []Spec{
			channelsSpec("pubsub|channels", pubsub.Channel, "2.8.0", "Returns the channels that have subscribers."),
			numSubSpec("pubsub|numsub", pubsub.Channel, "2.8.0", "channel", "Returns how many subscribers channels have."),
			{
				Name: "pubsub|numpat", Arity: 2, Flags: PubSub | Loading | Stale,
				Group: "pubsub", Since: "2.8.0", Complexity: "O(1)",
				Summary: "Returns how many different patterns have subscribers.",
				Run:     func(c *Call) { c.W.Int(int64(c.Env.Hub.Len(pubsub.Pattern))) },
			},
			channelsSpec("pubsub|shardchannels", pubsub.Shard, "7.0.0", "Returns the shard channels that have subscribers."),
			numSubSpec("pubsub|shardnumsub", pubsub.Shard, "7.0.0", "shardchannel", "Returns how many subscribers shard channels have."),
			helpSpec("pubsub", "pubsub", "6.2.0", Loading|Stale, 0,
				"CHANNELS [<pattern>]", "    The channels that have subscribers.",
				"NUMPAT", "    The number of different patterns that have subscribers.",
				"NUMSUB [<channel> ...]", "    The number of subscribers of each channel, those of patterns not counted.",
				"SHARDCHANNELS [<pattern>]", "    The shard channels that have subscribers.",
				"SHARDNUMSUB [<shardchannel> ...]", "    The number of subscribers of each shard channel."),
		},
	},
}

// routes is which words of a command choose a slot: those of shard channels.
func routes(kind pubsub.Kind) Keys {
	if kind == pubsub.Shard {
		return allKeys("not_key")
	}
	return nil
}

// wordType is the type of the words, as COMMAND DOCS has it.
func wordType(kind pubsub.Kind) string {
	if kind == pubsub.Pattern {
		return "pattern"
	}
	return "string"
}

func subscribeSpec(name string, kind pubsub.Kind, since, word, summary string) Spec {
	return Spec{
		Name: name, Arity: -2, Flags: PubSub | whileWaiting, WhileSubscribed: true, Routes: routes(kind),
		Channels: allKeys(""), ChannelPatterns: kind == pubsub.Pattern,
		Group: "pubsub", Since: since, Complexity: "O(N), N channels",
		Summary: summary,
		Args:    []Arg{arg(word, wordType(kind)).many()},
		Run:     func(c *Call) { subscribe(c, kind) },
	}
}

func unsubscribeSpec(name string, kind pubsub.Kind, since, word, summary string) Spec {
	return Spec{
		Name: name, Arity: -1, Flags: PubSub | whileWaiting, WhileSubscribed: true, Routes: routes(kind),
		Group: "pubsub", Since: since, Complexity: "O(N), N channels",
		Summary: summary,
		Args:    []Arg{arg(word, wordType(kind)).optional().many()},
		Run:     func(c *Call) { unsubscribe(c, kind) },
	}
}

func channelsSpec(name string, kind pubsub.Kind, since, summary string) Spec {
	return Spec{
		Name: name, Arity: -2, Flags: PubSub | Loading | Stale,
		Group: "pubsub", Since: since, Complexity: "O(N), N channels",
		Summary: summary,
		Args:    []Arg{arg("pattern", "pattern").optional()},
		Run: func(c *Call) {
			if len(c.Args) > 3 {
				c.W.Error("ERR unknown subcommand or wrong number of arguments for '" + clip(c.Args[1], 128) + "'. Try PUBSUB HELP.")
				return
			}
			var pattern []byte
			if len(c.Args) == 3 {
				pattern = c.Args[2]
			}
			c.replyNames(c.Env.Hub.Names(kind, pattern))
		},
	}
}

func numSubSpec(name string, kind pubsub.Kind, since, word, summary string) Spec {
	return Spec{
		Name: name, Arity: -2, Flags: PubSub | Loading | Stale,
		Group: "pubsub", Since: since, Complexity: "O(N), N channels",
		Summary: summary,
		Args:    []Arg{arg(word, "string").optional().many()},
		Run: func(c *Call) {
			c.W.Array(2 * (len(c.Args) - 2))
			for _, channel := range c.Args[2:] {
				c.W.Bulk(channel)
				c.W.Int(int64(c.Env.Hub.Subscribers(kind, channel)))
			}
		},
	}
}

// subscribed is the number of subscriptions that replies about one kind count:
// shard channels by themselves, channels and patterns together.
func (c *Call) subscribed(kind pubsub.Kind) int64 {
	if kind == pubsub.Shard {
		return c.Client.ShardChannels.Load()
	}
	return c.Client.Channels.Load() + c.Client.Patterns.Load()
}

func subscribe(c *Call, kind pubsub.Kind) {
	c.replies.loud = true
	for _, name := range c.Args[1:] {
		c.Env.Hub.Subscribe(c.Client, kind, string(name))
		c.confirm(kind, name)
	}
}

// confirm answers for one channel. Its form is a message's, since in RESP3 it
// may come at any time.
func (c *Call) confirm(kind pubsub.Kind, name []byte) {
	c.W.Push(3)
	c.W.BulkString(c.spec.Name)
	if name == nil {
		c.W.Null()
	} else {
		c.W.Bulk(name)
	}
	c.W.Int(c.subscribed(kind))
}

func unsubscribe(c *Call, kind pubsub.Kind) {
	c.replies.loud = true
	if len(c.Args) > 1 {
		for _, name := range c.Args[1:] {
			c.Env.Hub.Unsubscribe(c.Client, kind, string(name))
			c.confirm(kind, name)
		}
		return
	}
	names := c.Env.Hub.Leave(c.Client, kind)
	if len(names) == 0 {
		c.confirm(kind, nil)
		return
	}
	// The count goes down by one with each.
	left := c.subscribed(kind) + int64(len(names))
	for _, name := range names {
		left--
		c.W.Push(3)
		c.W.BulkString(c.spec.Name)
		c.W.BulkString(name)
		c.W.Int(left)
	}
}
