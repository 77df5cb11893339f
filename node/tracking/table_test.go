package tracking

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/client"
)

// world is a table with some clients.
type world struct {
	*Table
	registry *client.Registry
	limit    int
}

func newWorld() *world {
	w := &world{registry: client.NewRegistry()}
	w.Table = New(w.registry, func() int { return w.limit })
	return w
}

func (w *world) client(proto int) *client.Client {
	c := client.New(w.registry.NextID(), "", "", time.Unix(0, 0), client.Unwired{})
	c.SetProto(proto)
	w.registry.Add(c, 100)
	return c
}

// told is the keys a client was told of, * for all, since the last call.
func told(c *client.Client) string {
	var all []string
	c.TakePushed(1<<20, func(m []byte) {
		lines := strings.Split(string(m), "\r\n")
		lines = lines[3:] // header, "invalidate"
		if lines[0] == "_" {
			all = append(all, "*")
			return
		}
		for i := 2; i < len(lines); i += 2 {
			all = append(all, lines[i])
		}
		all = append(all, ";")
	})
	return strings.Join(all, " ")
}

func TestTold(t *testing.T) {
	w := newWorld()
	reader, other, off := w.client(3), w.client(3), w.client(3)
	w.On(reader, Options{NoLoop: true})
	w.On(other, Options{})
	w.On(off, Options{})
	for _, c := range []*client.Client{reader, other, off} {
		w.Remember(c, []byte("a"))
		w.Remember(c, []byte("b"))
	}
	w.Off(off)
	w.On(off, Options{}) // what was read before does not count any more
	w.Invalidate(reader, "a", "c")
	if got := told(reader); got != "" {
		t.Errorf("the writer was told of %q", got)
	}
	if got := told(other); got != "a ;" {
		t.Errorf("the reader was told of %q", got)
	}
	w.Invalidate(nil, "a", "b")
	if got := told(reader) + "|" + told(other) + "|" + told(off); got != "b ;|b ;|" {
		t.Errorf("told of %q", got)
	}
	if n := w.Counts(); n != (Counts{Clients: 3}) || w.Bytes() != 0 {
		t.Errorf("left %+v, %d bytes", n, w.Bytes())
	}
	w.Remember(reader, []byte("x"))
	w.Flush()
	if got := told(reader) + "|" + told(other) + "|" + told(off); got != "*|*|*" || w.Counts().Keys != 0 || w.Bytes() != 0 {
		t.Errorf("after a flush: %q", got)
	}
}

func TestBroadcast(t *testing.T) {
	w := newWorld()
	c, all := w.client(3), w.client(3)
	w.On(c, Options{Broadcast: true, Prefixes: []string{"a", "b"}})
	w.On(all, Options{Broadcast: true})
	w.Invalidate(nil, "b1", "a1", "c", "a1")
	if got := told(c) + "|" + told(all); got != "a1 b1 ;|a1 b1 c ;" {
		t.Errorf("told of %q", got)
	}
	w.On(c, Options{Broadcast: true, Prefixes: []string{"c"}, NoLoop: true})
	if o, _ := w.Options(c); fmt.Sprint(o.Prefixes) != "[a b c]" || !o.NoLoop {
		t.Errorf("tracks %+v", o)
	}
	w.Invalidate(c, "c")
	if got := told(c); got != "" {
		t.Errorf("the writer was told of %q", got)
	}
	w.Off(c)
	w.Off(c)
	w.Off(all)
	if n := w.Counts(); n != (Counts{}) || w.Active() || c.Kept.Load() != 0 || c.Is(client.Tracking|client.TrackingBroadcast) {
		t.Errorf("left %+v", n)
	}
}

// A key that is dropped is a key that changed.
func TestBounded(t *testing.T) {
	w := newWorld()
	w.limit = 3
	c := w.client(3)
	w.On(c, Options{})
	gone := 0
	for i := range 10 {
		w.Remember(c, []byte(fmt.Sprint(i)))
		gone += strings.Count(told(c), ";")
	}
	if n := w.Counts(); n.Keys != 3 || n.Items != 3 || gone != 7 {
		t.Errorf("kept %+v, told of %d", n, gone)
	}
	w.limit = 1
	w.Shrink()
	if n := w.Counts(); n.Keys != 1 || strings.Count(told(c), ";") != 2 {
		t.Errorf("kept %+v", n)
	}
}

// RESP2 hears through another connection, and only if that is subscribed.
func TestRedirect(t *testing.T) {
	w := newWorld()
	c, to := w.client(2), w.client(2)
	w.On(c, Options{Redirect: to.ID})
	w.Remember(c, []byte("k"))
	w.Invalidate(nil, "k")
	if c.HasPushed() || to.HasPushed() {
		t.Error("somebody was told who cannot hear")
	}
	to.Channels.Add(1)
	w.Remember(c, []byte("k"))
	w.Invalidate(nil, "k")
	var got string
	to.TakePushed(1<<20, func(m []byte) { got += string(m) })
	if got != "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n*1\r\n$1\r\nk\r\n" {
		t.Errorf("told %q", got)
	}
	w.registry.Remove(to)
	c.SetProto(3)
	w.Remember(c, []byte("k"))
	w.Invalidate(nil, "k")
	got = ""
	c.TakePushed(1<<20, func(m []byte) { got += string(m) })
	if got != fmt.Sprintf(">2\r\n$21\r\ntracking-redir-broken\r\n:%d\r\n", to.ID) || !c.Is(client.TrackingBroken) {
		t.Errorf("told %q", got)
	}
}
