package pubsub

import (
	"slices"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

func newClient(id uint64, proto int) *client.Client {
	c := client.New(id, "", "", time.Unix(0, 0), client.Unwired{})
	c.SetProto(proto)
	return c
}

// pushed takes what waits for a client.
func pushed(c *client.Client) string {
	var all strings.Builder
	c.TakePushed(1<<20, func(m []byte) { all.Write(m) })
	return all.String()
}

func TestHub(t *testing.T) {
	h := NewHub()
	a, b := newClient(1, 2), newClient(2, 3)
	h.Subscribe(a, Channel, "news")
	h.Subscribe(a, Channel, "news")
	h.Subscribe(b, Channel, "news")
	h.Subscribe(b, Pattern, "n?ws")
	h.Subscribe(b, Shard, "news")
	if n := h.Publish([]byte("news"), []byte("hi")); n != 3 {
		t.Errorf("delivered %d", n)
	}
	if got := pushed(a); got != "*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n" {
		t.Errorf("in RESP2: %q", got)
	}
	if got := pushed(b); got != ">3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n>4\r\n$8\r\npmessage\r\n$4\r\nn?ws\r\n$4\r\nnews\r\n$2\r\nhi\r\n" {
		t.Errorf("in RESP3: %q", got)
	}
	if n := h.PublishShard([]byte("news"), []byte("hi")); n != 1 || pushed(b) != ">3\r\n$8\r\nsmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n" || pushed(a) != "" {
		t.Errorf("a shard channel's message reached %d", n)
	}
	if a.Subscriptions() != 1 || b.Subscriptions() != 3 || h.Len(Channel) != 1 || h.Len(Pattern) != 1 || h.Clients() != 2 || h.Subscribers(Channel, []byte("news")) != 2 {
		t.Error("the counts are wrong")
	}
	h.Subscribe(a, Channel, "b")
	h.Subscribe(a, Channel, "a")
	if got := h.Leave(a, Channel); !slices.Equal(got, []string{"a", "b", "news"}) {
		t.Errorf("left %q", got)
	}
	h.Unsubscribe(b, Channel, "nope")
	h.Unsubscribe(b, Pattern, "n?ws")
	if n := h.Publish([]byte("news"), []byte("hi")); n != 1 {
		t.Errorf("delivered %d", n)
	}
	h.End(a)
	h.End(b)
	if !h.Idle() || h.Len(Shard) != 0 || h.Clients() != 0 || a.Kept.Load() != 0 || b.Kept.Load() != 0 || len(h.of) != 0 {
		t.Errorf("something is left: %+v", h)
	}
}
