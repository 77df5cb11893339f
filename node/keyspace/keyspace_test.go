package keyspace

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"testing"

	"zset.dev/operator/zset"
	"zset.dev/operator/zset/slab"
)

const noon = int64(1_000_000)

// put adds key with one member, for tests that need keys only.
func put(ks *Keyspace, key string, expireAt int64) {
	var h Held
	ks.Hold(&h, noon, []byte(key))
	defer h.Release()
	e := h.Find([]byte(key))
	if e == nil {
		e = create(&h, []byte(key))
	}
	e.Write(nil).Add([]byte("member"), 1, 0)
	h.Settle(e)
	h.SetExpiry(e, expireAt)
}

func remove(ks *Keyspace, key string) bool {
	var h Held
	ks.Hold(&h, noon, []byte(key))
	defer h.Release()
	e := h.Find([]byte(key))
	if e != nil {
		h.Remove(e)
	}
	return e != nil
}

func has(ks *Keyspace, key string, now int64) bool {
	var h Held
	ks.HoldShared(&h, now, []byte(key))
	defer h.Release()
	return h.Find([]byte(key)) != nil
}

// create is Create where there is memory.
func create(h *Held, key []byte) *Entry {
	e, err := h.Create(key, 0)
	if err != nil {
		panic(err)
	}
	return e
}

// checkSums computes from the records what the keyspace keeps as sums, and
// checks what refers to what.
func checkSums(t *testing.T, ks *Keyspace) {
	t.Helper()
	var used, inSlabs, tables int64
	keys, expiring := 0, 0
	for i := range ks.partitions {
		p := &ks.partitions[i]
		inPartition, due, large := 0, 0, 0
		tables += p.table
		var slots [slotsInPartition]int32
		bytes := int64(p.index.Bytes()) + 4*int64(cap(p.due)) + largeBytes*int64(cap(p.large))
		if n, err := p.index.Check(p); err != nil || n != p.count {
			t.Errorf("partition %d: the index has %d keys, counted are %d: %v", i, n, p.count, err)
		}
		inSlabs += int64(p.index.Held())
		for ref := range p.index.All {
			l := p.locate(slab.Ref(ref))
			key := l.rec.key()
			f := l.rec.fields()
			slot := Slot(key)
			inPartition++
			slots[slot%slotsInPartition]++
			bytes += int64(len(l.rec))
			inSlabs += int64(len(l.rec))
			if slot/slotsInPartition != i {
				t.Errorf("key %q is in partition %d, belongs to %d", key, i, slot/slotsInPartition)
			}
			if l.rec.has(expires) {
				due++
				if p.due[l.rec.place()] != l.ref {
					t.Errorf("key %q is not where it says among those that expire", key)
				}
			}
			if l.rec.has(isLarge) {
				large++
				s := p.large[f.number]
				bytes += int64(s.set.MemoryUsage())
				if s.ref != l.ref || s.bytes != int64(s.set.MemoryUsage()) {
					t.Errorf("key %q has not the large set it says, or other than %d bytes", key, s.bytes)
				}
			} else if zset.PackedLen(l.rec.block()) == 0 {
				t.Errorf("key %q has no member", key)
			}
		}
		for j := range p.due {
			if j > 0 && p.dueAt((j-1)/dueBranches) > p.dueAt(j) {
				t.Errorf("partition %d: of those that expire, number %d does so before its parent", i, j)
			}
		}
		if inPartition != p.count || slots != p.slots || due != len(p.due) || large != len(p.large) || bytes != p.bytes {
			t.Errorf("partition %d counts %d keys, %d expiring, %d large, %d bytes; has %d, %d, %d, %d", i,
				p.count, len(p.due), len(p.large), p.bytes, inPartition, due, large, bytes)
		}
		keys += inPartition
		expiring += due
		used += bytes
	}
	if int64(keys) != ks.keys.Load() || int64(expiring) != ks.expiring.Load() || used != ks.bytes.Load() {
		t.Errorf("keeps %d keys, %d expiring, %d bytes; has %d, %d, %d", ks.keys.Load(), ks.expiring.Load(), ks.bytes.Load(), keys, expiring, used)
	}
	if tables != ks.Tables() {
		t.Errorf("tables take %d bytes, the sum is %d", tables, ks.Tables())
	}
	if inUse, _ := ks.OffHeap(); inUse < inSlabs {
		t.Errorf("%d bytes outside the Go heap, records and tables take %d", inUse, inSlabs)
	}
}

// checkEmpty checks that nothing is left, anywhere.
func checkEmpty(t *testing.T, ks *Keyspace) {
	t.Helper()
	checkSums(t, ks)
	if inUse, _ := ks.OffHeap(); ks.Used() != 0 || ks.Len() != 0 || ks.Expiring() != 0 || inUse != 0 {
		t.Errorf("left %d bytes, %d outside the Go heap, %d keys, %d expiring", ks.Used(), inUse, ks.Len(), ks.Expiring())
	}
}

func TestSlot(t *testing.T) {
	// Of the cluster specification, and live servers' CLUSTER KEYSLOT.
	for key, want := range map[string]int{
		"":                     0,
		"123456789":            0x31c3,
		"0123456789abcdefXYZ":  slotBitByBit("0123456789abcdefXYZ"),
		"foo":                  12182,
		"bar":                  5061,
		"{foo}bar":             12182,
		"x{foo}bar{bar}":       12182,
		"{}foo":                9500,
		"foo{}{bar}":           8363,
		"{user1000}.following": 3443,
		"user1000":             3443,
	} {
		if got := Slot([]byte(key)); got != want {
			t.Errorf("Slot(%q) = %d, want %d", key, got, want)
		}
	}
	if got, want := Slot([]byte("foo{{bar}}zap")), Slot([]byte("{bar")); got != want {
		t.Errorf("the tag of foo{{bar}}zap hashes to %d, want that of {bar, %d", got, want)
	}
}

// slotBitByBit is a slot by the definition of the checksum.
func slotBitByBit(key string) int {
	crc := 0
	for _, c := range []byte(key) {
		crc ^= int(c) << 8
		for range 8 {
			crc <<= 1
			if crc&0x10000 != 0 {
				crc ^= 0x11021
			}
		}
	}
	return crc % Slots
}

func TestSumsFollowRandomChanges(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	ks := New()
	for step := range 20000 {
		// Half of the keys share one slot, so that its table grows and shrinks.
		key := strconv.Itoa(rng.IntN(400))
		if rng.IntN(2) == 0 {
			key = "{tag}" + key
		}
		var h Held
		now := noon + int64(step)
		ks.Hold(&h, now, []byte(key))
		e := h.Find([]byte(key))
		switch op := rng.IntN(10); {
		case e == nil && op < 7:
			e = create(&h, []byte(key))
			fallthrough
		case e != nil && op < 4:
			set := e.Write(nil)
			for range rng.IntN(3) {
				set.Add([]byte(strconv.Itoa(rng.IntN(300))), rng.Float64(), 0)
			}
			h.Settle(e)
		case e != nil && op < 6:
			h.SetExpiry(e, now+int64(rng.IntN(500)))
		case e != nil && op < 7:
			h.SetExpiry(e, 0)
		case e != nil:
			h.Remove(e)
		}
		h.Release()
		if step%1000 == 0 {
			ks.ExpireDue(now, 10)
			checkSums(t, ks)
		}
	}
	if ks.Len() == 0 {
		t.Fatal("nothing was left to clear")
	}
	if want := ks.Len(); clearAll(ks) != want {
		t.Errorf("Clear did not remove %d keys", want)
	}
	checkEmpty(t, ks)
}

func TestUsedReturnsToZero(t *testing.T) {
	ks := New()
	for i := range 5000 {
		put(ks, fmt.Sprintf("{tag}%d", i), 0)
		put(ks, strconv.Itoa(i), noon+1)
	}
	checkSums(t, ks)
	for i := range 5000 {
		remove(ks, fmt.Sprintf("{tag}%d", i))
		remove(ks, strconv.Itoa(i))
	}
	checkEmpty(t, ks)
}

func TestMemoryUsageIsPartOfUsed(t *testing.T) {
	ks := New()
	put(ks, "key", 0)
	var h Held
	ks.HoldShared(&h, noon, []byte("key"))
	defer h.Release()
	if got, want := h.Find([]byte("key")).MemoryUsage(), ks.Used()-ks.Tables(); got != want || got <= 0 {
		t.Errorf("MemoryUsage = %d, want %d", got, want)
	}
}

func TestSettleRemovesAnEmptySet(t *testing.T) {
	ks := New()
	var h Held
	ks.Hold(&h, noon, []byte("key"))
	defer h.Release()
	e := create(&h, []byte("key"))
	if !h.Settle(e) || h.Find([]byte("key")) != nil {
		t.Error("a key with an empty set stayed")
	}
}

func TestExpiredKeysAreNotSeen(t *testing.T) {
	ks := New()
	put(ks, "soon", noon+10)
	put(ks, "later", noon+20)
	for _, c := range []struct {
		now         int64
		soon, later bool
	}{{noon + 9, true, true}, {noon + 10, false, true}, {noon + 20, false, false}} {
		if got := has(ks, "soon", c.now); got != c.soon {
			t.Errorf("at %d soon is there: %v", c.now, got)
		}
		if got := has(ks, "later", c.now); got != c.later {
			t.Errorf("at %d later is there: %v", c.now, got)
		}
		var seen []string
		ks.Each(nil, c.now, func(e *Entry) { seen = append(seen, e.Key()) })
		if slices.Contains(seen, "soon") != c.soon || slices.Contains(seen, "later") != c.later {
			t.Errorf("at %d a scan sees %v", c.now, seen)
		}
	}
	if ks.Len() != 0 || ks.Expired() != 2 {
		t.Errorf("what was met while its time had come was not removed: %d left, %d counted", ks.Len(), ks.Expired())
	}
}

// Whoever meets a key whose time has come removes it: a writer at once, a
// reader when it is done, a scan at its end; but not while expiry is suspended.
func TestWhoeverMeetsAnExpiredKeyRemovesIt(t *testing.T) {
	key := []byte("due")
	for _, c := range []struct {
		name string
		meet func(ks *Keyspace)
	}{
		{"a writer", func(ks *Keyspace) {
			var h Held
			ks.Hold(&h, noon, key)
			h.Find(key)
			h.Release()
		}},
		{"a reader", func(ks *Keyspace) {
			var h Held
			ks.HoldShared(&h, noon, key, []byte("other"))
			h.Find(key)
			h.Peek(key)
			h.Release()
		}},
		{"a scan", func(ks *Keyspace) { ks.Scan(nil, 0, 10, noon, func(*Entry) {}) }},
		{"a scan while all is held", func(ks *Keyspace) {
			var h Held
			ks.HoldAll(&h, noon)
			ks.Scan(&h, 0, 10, noon, func(*Entry) {})
			h.Release()
		}},
	} {
		for _, suspended := range []bool{false, true} {
			ks := New()
			put(ks, "due", noon)
			put(ks, "later", noon+1)
			ks.SuspendExpiry(Paused, suspended)
			c.meet(ks)
			left, expired := 1, int64(1)
			if suspended {
				left, expired = 2, 0
			}
			if ks.Len() != left || ks.Expired() != expired {
				t.Errorf("%s, suspended %v: %d keys left, %d counted as expired; want %d, %d", c.name, suspended, ks.Len(), ks.Expired(), left, expired)
			}
			checkSums(t, ks)
		}
	}
}

func TestExpireDueIsBoundedAndStarvesNone(t *testing.T) {
	ks := New()
	const keys = 1000
	for i := range keys {
		put(ks, strconv.Itoa(i), noon+int64(i%7))
		put(ks, "kept"+strconv.Itoa(i), noon+1000)
	}
	rounds := 0
	for {
		removed, more := ks.ExpireDue(noon+10, 30)
		if removed > 30 {
			t.Fatalf("removed %d, allowed 30", removed)
		}
		rounds++
		if !more {
			break
		}
		if rounds > keys {
			t.Fatal("never done")
		}
	}
	if ks.Len() != keys || ks.Expired() != keys {
		t.Errorf("left %d keys, expired %d; want %d each", ks.Len(), ks.Expired(), keys)
	}
	checkSums(t, ks)
}

// Each key that is there from the first call to the last must be given once,
// whatever comes and goes meanwhile.
func TestScanGivesWhatIsPresentThroughout(t *testing.T) {
	for _, tag := range []string{"", "{tag}"} {
		seed := rand.Uint64()
		t.Logf("tag %q, seed %d", tag, seed)
		rng := rand.New(rand.NewPCG(seed, 0))
		for _, c := range []struct{ others, growth int }{{0, 40}, {20000, -90}, {500, 0}} {
			ks := New()
			const fixed = 300
			for i := range fixed {
				put(ks, fmt.Sprintf("%sfixed%d", tag, i), 0)
			}
			for i := range c.others {
				put(ks, fmt.Sprintf("%sother%d", tag, i), 0)
			}
			seen := map[string]int{}
			next, others := c.others, 0
			for cursor, calls := uint64(0), 0; ; calls++ {
				cursor = ks.Scan(nil, cursor, 1+rng.IntN(10), noon, func(e *Entry) { seen[e.Key()]++ })
				if cursor == 0 {
					break
				}
				if cursor>>63 != 0 {
					t.Fatalf("cursor %d does not fit a signed number", cursor)
				}
				if calls > 1_000_000 {
					t.Fatal("the scan does not end")
				}
				for range c.growth {
					put(ks, fmt.Sprintf("%sother%d", tag, next), 0)
					next++
				}
				for range -c.growth {
					remove(ks, fmt.Sprintf("%sother%d", tag, others))
					others++
				}
				if c.growth > 0 && next > 30000 {
					c.growth = 0 // else a scan with a tag would never reach the end
				}
			}
			for i := range fixed {
				if n := seen[fmt.Sprintf("%sfixed%d", tag, i)]; n != 1 {
					t.Fatalf("growth %d: key %d was given %d times", c.growth, i, n)
				}
			}
		}
	}
}

func TestScanTakesAnyCursor(t *testing.T) {
	ks := New()
	for i := range 100 {
		put(ks, strconv.Itoa(i), 0)
	}
	for _, cursor := range []uint64{1, 1 << 31, 1 << 40, 1<<43 - 1, 1<<62 - 1, 1 << 62, 1<<64 - 1} {
		for range 200 {
			if cursor = ks.Scan(nil, cursor, 1, noon, func(*Entry) {}); cursor == 0 {
				break
			}
		}
		if cursor != 0 {
			t.Errorf("a scan from a made-up cursor is at %d after 200 calls", cursor)
		}
	}
}

func TestRandomFindsEveryKey(t *testing.T) {
	ks := New()
	rng := rand.New(rand.NewPCG(1, 2))
	if _, ok := ks.Random(nil, noon, rng); ok {
		t.Error("found a key in an empty keyspace")
	}
	for i := range 20 {
		put(ks, strconv.Itoa(i), 0)
		put(ks, "due"+strconv.Itoa(i), noon)
	}
	seen := map[string]int{}
	for range 4000 {
		key, ok := ks.Random(nil, noon, rng)
		if !ok {
			t.Fatal("found none")
		}
		seen[key]++
	}
	if len(seen) != 20 {
		t.Errorf("saw %d different keys, want the 20 that are not due: %v", len(seen), seen)
	}
	for i := range 20 {
		remove(ks, strconv.Itoa(i))
	}
	if key, ok := ks.Random(nil, noon, rng); ok {
		t.Errorf("found %q among keys that are all due", key)
	}
}

// Commands over many keys in any order must neither deadlock nor lose counts.
func TestHoldManyPartitions(t *testing.T) {
	ks := New()
	const workers, rounds = 8, 300
	keys := make([][]byte, 40)
	for i := range keys {
		keys[i] = []byte(strconv.Itoa(i * 7))
	}
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			rng := rand.New(rand.NewPCG(uint64(w), 0))
			var h Held
			for range rounds {
				mine := [][]byte{keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))], keys[rng.IntN(len(keys))]}
				ks.Hold(&h, noon, mine...)
				for _, key := range mine {
					e := h.Find(key)
					if e == nil {
						e = create(&h, key)
					}
					e.Write(nil).Add([]byte("sum"), 1, zset.Incr)
					h.Settle(e)
				}
				h.Release()
				ks.Scan(nil, 0, 10, noon, func(*Entry) {})
			}
		})
	}
	wg.Wait()
	sum := 0.0
	ks.Each(nil, noon, func(e *Entry) {
		score, _ := e.Set().Score([]byte("sum"))
		sum += score
	})
	if sum != workers*rounds*3 {
		t.Errorf("the sum is %v, want %v", sum, workers*rounds*3)
	}
	checkSums(t, ks)
}

func TestUsingAKeyThatIsNotHeldPanics(t *testing.T) {
	for name, use := range map[string]func(h *Held){
		"another partition": func(h *Held) { h.Find([]byte("foo")) },
		"a change while reading": func(h *Held) {
			h.Release()
			h.ks.HoldShared(h, noon, []byte("bar"))
			h.Create([]byte("bar"), 0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			var h Held
			New().Hold(&h, noon, []byte("bar"))
			use(&h)
		})
	}
}

func clearAll(ks *Keyspace) int {
	var h Held
	ks.HoldAll(&h, 0)
	defer h.Release()
	return h.Clear(false)
}

// Who does again what another node did sees keys by that one's clock: they are there until it says otherwise.
func TestTimelessHold(t *testing.T) {
	ks := New()
	ks.SuspendExpiry(Following, true)
	ks.SuspendExpiry(Paused, true)
	ks.SuspendExpiry(Paused, false) // which is no end to the other reason
	h := Held{Timeless: true}
	ks.Hold(&h, 1000, []byte("key"))
	e, err := h.Create([]byte("key"), 0)
	if err != nil {
		t.Fatal(err)
	}
	e.Set().Add([]byte("a"), 1, 0)
	h.Settle(e)
	if err := h.SetExpiry(e, 500); err != nil {
		t.Fatal(err)
	}
	h.Release()
	for _, timeless := range []bool{false, true} {
		r := Held{Timeless: timeless}
		ks.Hold(&r, 1000, []byte("key"))
		if found := r.Has([]byte("key")); found != timeless {
			t.Errorf("timeless %v: found %v", timeless, found)
		}
		r.Release()
	}
	if removed, _ := ks.ExpireDue(1000, 10); removed != 0 {
		t.Error("a key expired while another node is followed")
	}
	ks.SuspendExpiry(Following, false)
	if removed, _ := ks.ExpireDue(1000, 10); removed != 1 {
		t.Error("a key did not expire once no other node was followed")
	}
}
