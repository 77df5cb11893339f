package pubsub

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/glob"
	"zset.dev/operator/node/resp"
)

// Kind is a kind of subscription.
type Kind uint8

// The kinds.
const (
	Channel Kind = iota
	Pattern
	Shard
	kinds
)

// Hub is the subscriptions. It may be used from any goroutine, also one that
// holds partitions of the keyspace.
type Hub struct {
	mu   sync.Mutex
	by   [kinds]map[string]subscribers    // by channel or pattern; guarded by mu
	of   map[*client.Client]*[kinds]names // by client; guarded by mu
	size [kinds]atomic.Int64              // of by
}

type (
	subscribers map[*client.Client]bool
	names       map[string]bool
)

// nameBytes is what a subscription takes beside its name, about.
const nameBytes = 128

// NewHub makes a hub without subscriptions.
func NewHub() *Hub {
	h := &Hub{of: map[*client.Client]*[kinds]names{}}
	for k := range h.by {
		h.by[k] = map[string]subscribers{}
	}
	return h
}

// count is where a client keeps its number of subscriptions of each kind.
func count(c *client.Client, k Kind) *atomic.Int64 {
	switch k {
	case Pattern:
		return &c.Patterns
	case Shard:
		return &c.ShardChannels
	}
	return &c.Channels
}

// Subscribe adds a subscription, if c does not have it.
func (h *Hub) Subscribe(c *client.Client, k Kind, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by[k][name][c] {
		return
	}
	if h.by[k][name] == nil {
		h.by[k][name] = subscribers{}
		h.size[k].Add(1)
	}
	h.by[k][name][c] = true
	if h.of[c] == nil {
		h.of[c] = &[kinds]names{{}, {}, {}}
	}
	h.of[c][k][name] = true
	count(c, k).Add(1)
	c.Kept.Add(int64(len(name)) + nameBytes)
}

// Unsubscribe takes a subscription away, if c has it.
func (h *Hub) Unsubscribe(c *client.Client, k Kind, name string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.by[k][name][c] {
		return
	}
	delete(h.of[c][k], name)
	h.forget(c, k, name)
}

// forget takes c off the list of name; mu is held.
func (h *Hub) forget(c *client.Client, k Kind, name string) {
	delete(h.by[k][name], c)
	if len(h.by[k][name]) == 0 {
		delete(h.by[k], name)
		h.size[k].Add(-1)
	}
	count(c, k).Add(-1)
	c.Kept.Add(-int64(len(name)) - nameBytes)
}

// Of is what a client is subscribed to, by kind.
func (h *Hub) Of(c *client.Client) (all [kinds][]string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if of := h.of[c]; of != nil {
		for k := range of {
			all[k] = slices.Sorted(maps.Keys(of[k]))
		}
	}
	return all
}

// Leave takes all subscriptions of a kind away, and returns them
// in the order of their names.
func (h *Hub) Leave(c *client.Client, k Kind) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.of[c] == nil {
		return nil
	}
	all := slices.Sorted(maps.Keys(h.of[c][k]))
	h.of[c][k] = names{}
	for _, name := range all {
		h.forget(c, k, name)
	}
	return all
}

// End takes every subscription of c away.
func (h *Hub) End(c *client.Client) {
	for k := range kinds {
		h.Leave(c, k)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.of, c)
}

// Idle reports whether nobody is subscribed to channels or patterns.
func (h *Hub) Idle() bool { return h.size[Channel].Load()+h.size[Pattern].Load() == 0 }

// Len is the number of different channels or patterns.
func (h *Hub) Len(k Kind) int { return int(h.size[k].Load()) }

// Publish delivers message to the subscribers of channel and of the patterns
// that match it. It reports how many messages that made.
func (h *Hub) Publish(channel, message []byte) (delivered int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if to := h.by[Channel][string(channel)]; len(to) > 0 {
		delivered += deliver(to, func(w *resp.Writer) {
			w.Push(3)
			w.BulkString("message")
			w.Bulk(channel)
			w.Bulk(message)
		})
	}
	for pattern, to := range h.by[Pattern] {
		if !glob.Match([]byte(pattern), channel) {
			continue
		}
		delivered += deliver(to, func(w *resp.Writer) {
			w.Push(4)
			w.BulkString("pmessage")
			w.BulkString(pattern)
			w.Bulk(channel)
			w.Bulk(message)
		})
	}
	return delivered
}

// PublishShard delivers message to the subscribers of a shard channel, and
// reports how many they are.
func (h *Hub) PublishShard(channel, message []byte) (delivered int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return deliver(h.by[Shard][string(channel)], func(w *resp.Writer) {
		w.Push(3)
		w.BulkString("smessage")
		w.Bulk(channel)
		w.Bulk(message)
	})
}

// deliver pushes what write writes to each client, in its protocol.
func deliver(to subscribers, write func(*resp.Writer)) int {
	var encoded [4][]byte // by protocol
	for c := range to {
		proto := c.Proto()
		if encoded[proto] == nil {
			var w resp.Writer
			w.SetProto(proto)
			write(&w)
			encoded[proto] = w.Bytes()
		}
		c.Push(encoded[proto])
	}
	return len(to)
}

// Names is the channels or patterns of a kind that match a pattern; all when
// it is nil.
func (h *Hub) Names(k Kind, pattern []byte) []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	var found []string
	for name := range h.by[k] {
		if pattern == nil || glob.Match(pattern, []byte(name)) {
			found = append(found, name)
		}
	}
	return found
}

// Subscribers is how many are subscribed to a channel or pattern.
func (h *Hub) Subscribers(k Kind, name []byte) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.by[k][string(name)])
}

// Clients is how many clients are subscribed to anything.
func (h *Hub) Clients() (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for c := range h.of {
		if c.Subscriptions() > 0 {
			n++
		}
	}
	return n
}
