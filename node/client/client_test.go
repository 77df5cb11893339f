package client

import (
	"strings"
	"testing"
	"time"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func newClient(r *Registry) *Client {
	return New(r.NextID(), "10.0.0.1:5", "10.0.0.2:6379", noon, Unwired{})
}

func TestLine(t *testing.T) {
	c := newClient(NewRegistry())
	name := "client|list"
	c.Ran(&name)
	c.Commands.Add(1)
	c.SetProto(3)
	c.NoTouch.Store(true)
	c.SetNames(func(n *Names) { *n = Names{"me", "lib", "1.0"} })
	c.QueryCap.Store(4096)
	c.QueryUsed.Store(96)
	c.Touch(noon.Add(60 * time.Second).UnixMilli())
	const want = "id=1 addr=10.0.0.1:5 laddr=10.0.0.2:6379 fd=-1 name=me age=90 idle=30 flags=T capa= db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0" +
		" qbuf=96 qbuf-free=4000 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=4096 events=r cmd=client|list user=default redir=-1 resp=3" +
		" lib-name=lib lib-ver=1.0 tot-net-in=0 tot-net-out=0 tot-cmds=1"
	if got := c.Line(noon.Add(90 * time.Second)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	c.Reset(true)
	if line := c.Line(noon); !strings.Contains(line, " name= ") || !strings.Contains(line, " flags=N ") || !strings.Contains(line, " resp=2 ") {
		t.Errorf("after a reset: %s", line)
	}
}

// What of a reply exceeds the buffer that a real server has for it is in omem.
func TestLineOfALargeReply(t *testing.T) {
	c := newClient(NewRegistry())
	for used, want := range map[int64]string{
		100:    " obl=100 oll=0 omem=0 ",
		16384:  " obl=16384 oll=0 omem=0 ",
		200000: " obl=16384 oll=1 omem=183616 ",
	} {
		c.ReplyUsed.Store(used)
		if line := c.Line(noon); !strings.Contains(line, want) {
			t.Errorf("with %d bytes: %s, want %s", used, line, want)
		}
	}
}

func TestRegistry(t *testing.T) {
	r := NewRegistry()
	first, second, third := newClient(r), newClient(r), newClient(r)
	if !r.Add(second, 2) || !r.Add(first, 2) || r.Add(third, 2) {
		t.Error("the limit of 2 was not kept")
	}
	if all := r.All(); len(all) != 2 || all[0] != first || all[1] != second {
		t.Errorf("lists %v", all)
	}
	r.Remove(first)
	if !r.Add(third, 2) || r.Len() != 2 {
		t.Error("a place that became free cannot be taken")
	}
}

func TestValidName(t *testing.T) {
	for name, want := range map[string]bool{"": true, "a-b:1": true, "a b": false, "a\nb": false, "é": false, "~": true, "\x7f": false} {
		if got := ValidName([]byte(name)); got != want {
			t.Errorf("ValidName(%q) = %v", name, got)
		}
	}
}
