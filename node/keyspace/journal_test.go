package keyspace

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"zset.dev/operator/node/replog"
)

// loggedSince is the commands in a log from an offset on, in text.
func loggedSince(t *testing.T, log *replog.Log, offset int64) string {
	t.Helper()
	_, end := log.Range()
	var all []byte
	r, err := log.Read(offset, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for r.Offset() < end {
		b, err := r.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, b...)
	}
	var lines []string
	commands := replog.NewCommands(bytes.NewReader(all), offset)
	for {
		args, err := commands.Next()
		if err == io.EOF {
			return strings.Join(lines, "|")
		}
		if err != nil {
			t.Fatal(err)
		}
		if string(args[0]) == "RESTORE" {
			args[3] = []byte("…")
		}
		lines = append(lines, string(bytes.Join(args, []byte(" "))))
	}
}

func TestJournal(t *testing.T) {
	ks := New()
	log := replog.New(1, 1<<20)
	ks.Journal(log)
	var h Held
	step := func(name, want string, do func()) {
		t.Run(name, func(t *testing.T) {
			_, from := log.Range()
			ks.Hold(&h, 1000, []byte("k"), []byte("l"))
			do()
			h.Release()
			if got := loggedSince(t, log, from); got != want {
				t.Errorf("got %s\nwant %s", got, want)
			}
			_, end := log.Range()
			if logged := h.Logged(); end > from && logged != end || end == from && logged != 0 {
				t.Errorf("Logged is %d, the log is at %d and was at %d", logged, end, from)
			}
		})
	}
	k, l := []byte("k"), []byte("l")
	add := func(key []byte, members ...string) {
		e := h.Find(key)
		if e == nil {
			e, _ = h.Create(key, 0)
		}
		for i, m := range members {
			e.Write(nil).Add([]byte(m), float64(i), 0)
		}
		h.Settle(e)
	}
	take := func(key []byte, members ...string) {
		e := h.Find(key)
		for _, m := range members {
			e.Write(nil).Remove([]byte(m))
		}
		h.Settle(e)
	}
	step("nothing", "", func() {})
	step("a key that stays empty", "", func() { e, _ := h.Create(k, 0); h.Settle(e) })
	step("members", "ZADD k 0 a 1 b 2 c", func() { add(k, "a", "b", "c") })
	step("the same again", "", func() { add(k, "a", "b", "c") })
	step("expiry", "PEXPIREAT k 2000", func() { h.SetExpiry(h.Find(k), 2000) })
	step("the same expiry", "", func() { h.SetExpiry(h.Find(k), 2000) })
	step("a member less", "ZREM k a", func() { take(k, "a") })
	step("more after that have the expiry again", "MULTI|ZADD k 0 x|PEXPIREAT k 2000|ZADD k 1 y|EXEC", func() { add(k, "x", "y") })
	step("more", "ZADD k 2 z", func() { add(k, "x", "y", "z") })
	step("renamed", "MULTI|DEL k|RESTORE l 2000 … REPLACE ABSTTL|EXEC", func() { h.Rename(h.Find(k), l) })
	step("no expiry", "PERSIST l", func() { h.SetExpiry(h.Find(l), 0) })
	step("of two keys", "MULTI|ZADD k 0 a|ZREM l x|EXEC", func() { add(k, "a"); take(l, "x") })
	step("left empty", "DEL k", func() { take(k, "a") })
	step("mute", "", func() { h.Mute = true; add(k, "a"); h.Drop(l) })
	step("dropped", "DEL k", func() { h.Drop(k) })
	step("dropped again", "", func() { h.Drop(k) })
	step("grown large and shrunk", "DEL k", func() {
		h.Mute = true
		for i := range 1000 {
			add(k, fmt.Sprint(i))
		}
		h.Mute = false
		take(k, "0")
		e := h.Find(k)
		e.Write(nil).RemoveRange(e.Set().ByRank(0, -1))
		h.Settle(e)
	})
}
