package client

// Class is by which limits a client's output is judged.
type Class uint8

// The classes. A client that only looks on with MONITOR is Normal, as in real
// servers.
const (
	Normal  Class = iota
	PubSub        // has a subscription
	Replica       // follows this node
	Primary       // is followed by this node
)

// Class is the client's at present.
func (c *Client) Class() Class {
	switch {
	case c.Is(Leading):
		return Primary
	case c.Is(Following):
		return Replica
	case c.Subscriptions() > 0:
		return PubSub
	}
	return Normal
}

// Subscriptions is the number of channels, patterns and shard channels.
func (c *Client) Subscriptions() int {
	return int(c.Channels.Load() + c.Patterns.Load() + c.ShardChannels.Load())
}
