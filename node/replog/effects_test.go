package replog

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// appended is the commands of effects.
func appended(t *testing.T, e *Effects) []string {
	t.Helper()
	before, all, after := e.Appended()
	got, whole, err := read(bytes.NewReader(slices.Concat(before, all, after)))
	if int(whole) != len(before)+len(all)+len(after) {
		t.Fatalf("of %q only %d bytes are commands: %v", all, whole, err)
	}
	return got
}

func TestEffects(t *testing.T) {
	k, l := []byte("k"), []byte("l")
	var e Effects
	for _, c := range []struct {
		name string
		do   func()
		want string
	}{
		{"nothing", func() {}, ""},
		{"one score", func() { e.Put(k, []byte("a"), 1.5) }, "ZADD k 1.5 a"},
		{"scores", func() { e.Put(k, []byte("a"), math.Inf(-1)); e.Put(k, []byte("b"), 1e300) }, "ZADD k -inf a 1e+300 b"},
		{"of two keys", func() { e.Put(k, []byte("a"), 1); e.Put(l, []byte("b"), 2) }, "MULTI|ZADD k 1 a|ZADD l 2 b|EXEC"},
		{"as given", func() {
			e.Given([]byte("0.1234567890123456"), 0.1234567890123456)
			e.Put(k, []byte("a"), 0.1234567890123456)
		}, "ZADD k 0.1234567890123456 a"},
		{"given and raised", func() { e.Given([]byte("0.5"), 0.5); e.Put(k, []byte("a"), 2.5) }, "ZADD k 2.5 a"},
		{"nine words and ten", func() {
			for i := range 3 {
				e.Put(k, []byte("a"), float64(i))
			}
			for range 8 {
				e.Take(l, []byte("a"))
			}
			e.Take(k, []byte("a"))
		}, "MULTI|ZADD k 0 a 1 a 2 a|ZREM l a a a a a a a a|ZREM k a|EXEC"},
		{"and then the key", func() { e.Put(l, []byte("a"), 1); e.Put(k, []byte("a"), 1); e.Drop(k) }, "MULTI|ZADD l 1 a|DEL k|EXEC"},
		{"gone", func() { e.Take(k, []byte("a")); e.Take(k, []byte("b")) }, "ZREM k a b"},
		{"moved", func() { e.Take(k, []byte("a")); e.Put(l, []byte("a"), 3) }, "MULTI|ZREM k a|ZADD l 3 a|EXEC"},
		{"in order", func() { e.Put(k, []byte("a"), 1); e.Take(k, []byte("a")); e.Put(k, []byte("a"), 2) }, "MULTI|ZADD k 1 a|ZREM k a|ZADD k 2 a|EXEC"},
		{"whole keys", func() {
			e.Drop(k)
			e.Store(l, []byte("payload"), 0)
			e.Expire(l, 1700000000000)
			e.Expire(l, 0)
			e.Clear()
		},
			"MULTI|DEL k|RESTORE l 0 payload REPLACE ABSTTL|PEXPIREAT l 1700000000000|PERSIST l|FLUSHALL ASYNC|EXEC"},
		{"until a time", func() { e.Store(k, []byte("payload"), 1700000000000) }, "RESTORE k 1700000000000 payload REPLACE ABSTTL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e.Reset(1 << 20)
			c.do()
			if got := strings.Join(appended(t, &e), "|"); got != c.want {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
			if e.Empty() != (c.want == "") {
				t.Errorf("Empty is %v", e.Empty())
			}
		})
	}
}

func TestEffectsAreBounded(t *testing.T) {
	var e Effects
	for i := range 5000 {
		e.Put([]byte("k"), fmt.Appendf(nil, "m%d", i), 1)
	}
	members := 0
	for _, command := range appended(t, &e) {
		words := strings.Fields(command)
		if len(words) > mostArgs+1 {
			t.Errorf("a command of %d words", len(words))
		}
		if words[0] == "ZADD" {
			members += len(words)/2 - 1
		}
	}
	if members != 5000 {
		t.Errorf("%d members", members)
	}
	e.Reset(1000)
	if n := cap(e.buf); n > 1000 {
		t.Errorf("keeps %d bytes", n)
	}
}

func TestEffectsMakeNoGarbage(t *testing.T) {
	var e Effects
	k, m := []byte("board"), []byte("player:00001")
	if n := testing.AllocsPerRun(1000, func() {
		e.Reset(1 << 20)
		e.Put(k, m, 1234.5)
		e.Take(k, m)
		e.Appended()
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func BenchmarkEffect(b *testing.B) {
	var e Effects
	k, m, text := []byte("board"), []byte("player:00001"), []byte("1234.5")
	for b.Loop() {
		e.Reset(1 << 20)
		e.Given(text, 1234.5)
		e.Put(k, m, 1234.5)
		e.Appended()
	}
}
