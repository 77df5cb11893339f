package persist

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
)

const now = int64(1_700_000_000_000)

func at() int64 { return now }

// content is what keys hold, in text.
func content(ks *keyspace.Keyspace) map[string]string {
	all := map[string]string{}
	ks.Each(nil, now, func(e *keyspace.Entry) {
		var text strings.Builder
		fmt.Fprint(&text, e.ExpireAt())
		for member, score := range e.Set().All() {
			fmt.Fprintf(&text, " %s=%v", member, score)
		}
		all[e.Key()] = text.String()
	})
	return all
}

// writer does to a keyspace what commands do, and writes the effects down.
type writer struct {
	t       *testing.T
	ks      *keyspace.Keyspace
	log     *replog.Log
	effects replog.Effects
	key     []byte
}

func (w *writer) Put(member []byte, score float64) { w.effects.Put(w.key, member, score) }
func (w *writer) Take(member []byte)               { w.effects.Take(w.key, member) }

// on lets do change the key's set, and settles.
func (w *writer) on(key string, do func(*keyspace.Held, *keyspace.Entry)) {
	w.key = []byte(key)
	var h keyspace.Held
	w.ks.Hold(&h, now, w.key)
	defer h.Release()
	defer w.end()
	e := h.Peek(w.key)
	if e == nil {
		var err error
		if e, err = h.Create(w.key, 0); err != nil {
			w.t.Fatal(err)
		}
	}
	do(&h, e)
}

func (w *writer) end() {
	if w.log != nil && !w.effects.Empty() {
		before, commands, after := w.effects.Appended()
		w.log.Append(before, commands, after)
	}
	w.effects.Reset(1 << 20)
}

// change changes the key's set by do. A set without members goes.
func (w *writer) change(key string, do func(*zset.Set)) {
	w.on(key, func(h *keyspace.Held, e *keyspace.Entry) {
		s := e.Write(nil)
		s.Observe(w)
		do(s)
		s.Observe(nil)
		if h.Settle(e) {
			w.effects.Drop(w.key)
		}
	})
}

func (w *writer) drop(key string) {
	w.on(key, func(h *keyspace.Held, e *keyspace.Entry) { h.Remove(e); w.effects.Drop(w.key) })
}

func (w *writer) expire(key string, at int64) {
	w.on(key, func(h *keyspace.Held, e *keyspace.Entry) {
		if e.Set().Len() == 0 {
			h.Remove(e)
			return
		}
		h.SetExpiry(e, at)
		w.effects.Expire(w.key, at)
	})
}

// some is a random change, of a keyspace with a few keys of which the first are large.
func (w *writer) some(rng *rand.Rand) {
	key := fmt.Sprintf("key:%d", rng.IntN(12))
	size := 30
	if key <= "key:3" {
		size = 3000
	}
	member := fmt.Appendf(nil, "member:%d", rng.IntN(size))
	switch rng.IntN(40) {
	default:
		w.change(key, func(s *zset.Set) { s.Add(member, float64(rng.IntN(500)), 0) })
	case 0, 1, 2, 3, 4, 5, 6:
		w.change(key, func(s *zset.Set) { s.Remove(member) })
	case 7, 8:
		w.change(key, func(s *zset.Set) { s.Add(member, 1, zset.Incr) })
	case 9:
		w.change(key, func(s *zset.Set) { s.RemoveRange(s.ByRank(-5, -1)) })
	case 10:
		w.expire(key, now+1+rng.Int64N(1000))
	case 11:
		w.expire(key, 0)
	case 12:
		if rng.IntN(20) == 0 {
			w.drop(key)
		}
	}
}

func load(t *testing.T, ks *keyspace.Keyspace, file []byte) *Loader {
	t.Helper()
	l := &Loader{Keyspace: ks, Now: at}
	d := rdb.NewDecoder(bytes.NewReader(file), func() *zset.Set { return zset.NewIn(ks.Memory(), nil) })
	if err := l.Load(d); err != nil {
		t.Fatal(err)
	}
	return l
}

// run does the commands of a log.
func run(t *testing.T, w *writer, log []byte) {
	t.Helper()
	c := replog.NewCommands(bytes.NewReader(log), 0)
	for {
		args, err := c.Next()
		if err != nil {
			if int(c.Whole()) != len(log) {
				t.Fatal(err)
			}
			return
		}
		key := ""
		if len(args) > 1 {
			key = string(args[1])
		}
		var number int64
		switch verb := string(args[0]); verb {
		case "MULTI", "EXEC":
		case "ZADD":
			w.change(key, func(s *zset.Set) {
				for i := 2; i < len(args); i += 2 {
					var score float64
					fmt.Sscan(string(args[i]), &score)
					s.Add(args[i+1], score, 0)
				}
			})
		case "ZREM":
			w.change(key, func(s *zset.Set) {
				for _, m := range args[2:] {
					s.Remove(m)
				}
			})
		case "DEL":
			w.drop(key)
		case "PEXPIREAT":
			fmt.Sscan(string(args[2]), &number)
			w.expire(key, number)
		case "PERSIST":
			w.expire(key, 0)
		default:
			t.Fatalf("the log has %s", verb)
		}
	}
}

// A file that is saved while everything goes on changing, and what was logged since, are together what there is in the
// end, whenever the log is cut off behind the save.
func TestSaveWhileKeysChange(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for round := range 5 {
		ks := keyspace.New()
		w := &writer{t: t, ks: ks}
		rng := rand.New(rand.NewPCG(seed, uint64(round)))
		for range 20_000 {
			w.some(rng)
		}
		log := replog.New(0, 1<<30)
		var wg sync.WaitGroup
		stop := make(chan struct{})
		began := make(chan struct{}, 4)
		for i := range 2 {
			wg.Go(func() {
				w, rng := &writer{t: t, ks: ks, log: log}, rand.New(rand.NewPCG(seed, uint64(100*round+i)))
				for n := 0; ; n++ {
					if n == 100 {
						began <- struct{}{}
					}
					select {
					case <-stop:
						return
					default:
						w.some(rng)
					}
				}
			})
		}
		<-began
		<-began
		var file bytes.Buffer
		_, from := log.Range()
		saver := &Saver{Keyspace: ks, Now: at, Aux: [][2]string{{"redis-ver", "8.0.0"}}}
		keys, err := saver.Save(&file)
		if err != nil {
			t.Fatal(err)
		}
		close(stop)
		wg.Wait()
		loaded := keyspace.New()
		if l := load(t, loaded, file.Bytes()); l.Loaded != keys || keys == 0 {
			t.Errorf("%d keys were saved, %d loaded", keys, l.Loaded)
		}
		var since []byte
		r, err := log.Read(from, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, end := log.Range(); r.Offset() < end; {
			b, err := r.Next(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			since = append(since, b...)
		}
		r.Close()
		run(t, &writer{t: t, ks: loaded}, since)
		if got, want := content(loaded), content(ks); !maps.Equal(got, want) {
			for _, key := range slices.Sorted(maps.Keys(want)) {
				if got[key] != want[key] {
					t.Errorf("round %d: %s\nis   %.300s\nwant %.300s", round, key, got[key], want[key])
				}
			}
			t.Fatalf("%d keys, want %d", len(got), len(want))
		}
	}
}

func TestLoadRefusesOrSkipsOthers(t *testing.T) {
	var file bytes.Buffer
	e := rdb.NewEncoder(&file)
	meta := rdb.Meta{Idle: -1, Frequency: -1}
	key := func(name string, meta rdb.Meta) {
		e.Begin([]byte(name), meta, 1)
		e.Member([]byte("m"), 1)
	}
	key("board", meta)
	key("late", rdb.Meta{ExpireAt: now, Idle: -1, Frequency: -1})
	key("later", rdb.Meta{ExpireAt: now + 1, Idle: -1, Frequency: -1})
	e.Database(3, 1, 0)
	key("elsewhere", meta)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	decoder := func() *rdb.Decoder {
		return rdb.NewDecoder(bytes.NewReader(file.Bytes()), func() *zset.Set { return zset.New(nil) })
	}
	l := &Loader{Keyspace: keyspace.New(), Now: at}
	var other *OtherKeyError
	if err := l.Load(decoder()); !errors.As(err, &other) || !strings.Contains(err.Error(), `key "elsewhere" is in database 3`) {
		t.Error(err)
	}
	l = &Loader{Keyspace: keyspace.New(), Now: at, SkipOther: true}
	if err := l.Load(decoder()); err != nil || l.Loaded != 2 || l.Expired != 1 || l.Skipped != 1 {
		t.Errorf("%+v, %v", l, err)
	}
	want := map[string]string{"board": "0 m=1", "later": fmt.Sprint(now+1, " m=1")}
	if got := content(l.Keyspace); !maps.Equal(got, want) {
		t.Errorf("it holds %v", got)
	}
	text := &OtherKeyError{"k", "string", 0}
	if got := text.Error(); got != `persist: key "k" holds a string, and this server holds sorted sets only` {
		t.Error(got)
	}
}

func TestLoadWithoutMemory(t *testing.T) {
	source := &writer{t: t, ks: keyspace.New()}
	source.change("large", func(s *zset.Set) {
		for i := range 100_000 {
			s.Add(fmt.Appendf(nil, "member:%d", i), float64(i), 0)
		}
	})
	var file bytes.Buffer
	if _, err := (&Saver{Keyspace: source.ks, Now: at}).Save(&file); err != nil {
		t.Fatal(err)
	}
	l := &Loader{Keyspace: keyspace.NewLimited(1 << 20), Now: at}
	d := rdb.NewDecoder(&file, func() *zset.Set { return zset.NewIn(l.Keyspace.Memory(), nil) })
	if err := l.Load(d); err == nil || !strings.Contains(err.Error(), `key "large"`) {
		t.Errorf("it loads with %v", err)
	}
}

// A writer that fails ends the save, and the snapshot of the set that it was at.
func TestSaveKeepsTheError(t *testing.T) {
	w := &writer{t: t, ks: keyspace.New()}
	w.change("large", func(s *zset.Set) {
		for i := range 30_000 {
			s.Add(fmt.Appendf(nil, "member:%d", i), float64(i), 0)
		}
	})
	full := errors.New("no space left")
	if _, err := (&Saver{Keyspace: w.ks, Now: at}).Save(&failing{after: 3, err: full}); !errors.Is(err, full) {
		t.Error(err)
	}
	w.drop("large")
	if n, _ := w.ks.OffHeap(); n != w.ks.Tables() {
		t.Errorf("%d bytes are left", n)
	}
}

type failing struct {
	after int
	err   error
}

func (f *failing) Write(b []byte) (int, error) {
	if f.after--; f.after < 0 {
		return 0, f.err
	}
	return len(b), nil
}
