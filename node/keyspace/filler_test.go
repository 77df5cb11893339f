package keyspace

import (
	"fmt"
	"math"
	"testing"

	"zset.dev/operator/zset"
)

// packedSet is a small set as Detach gives it.
func packedSet(members ...string) []byte {
	s := zset.New(nil)
	for i, member := range members {
		s.Add([]byte(member), float64(i), 0)
	}
	block, _ := s.Detach()
	return block
}

// Whatever number of keys is said to come, those that come are there, others find their partitions free at each pause, and the
// tables are made for no more than was believed.
func TestFiller(t *testing.T) {
	for _, expected := range []int{0, 1, 20_000, math.MaxInt} {
		t.Run(fmt.Sprint(expected), func(t *testing.T) {
			const keys = 20_000
			ks := New()
			f := Filler{Keyspace: ks, Expected: expected}
			for i := range keys {
				key := fmt.Appendf(nil, "key:%d", i)
				if _, err := f.Put(1, key, packedSet("a", "b"), nil, int64(i%2)*1000); err != nil {
					t.Fatal(err)
				}
			}
			large := zset.NewIn(ks.Memory(), nil)
			for i := range 1000 {
				large.Add(fmt.Appendf(nil, "m%d", i), float64(i), 0)
			}
			_, list := large.Detach()
			e, err := f.Put(1, []byte("key:7"), nil, list, 0) // again
			if err != nil || e.Set().Len() != 1000 {
				t.Fatal(err)
			}
			f.Pause()
			f.Pause() // holds nothing
			if ks.Len() != keys || ks.Expiring() != keys/2-1 {
				t.Errorf("%d keys, %d expire", ks.Len(), ks.Expiring())
			}
			var h Held
			for i := range keys {
				key := fmt.Appendf(nil, "key:%d", i)
				ks.Hold(&h, 1, key)
				want := 2
				if i == 7 {
					want = 1000
				}
				if e := h.Find(key); e == nil || e.Set().Len() != want {
					t.Fatalf("%s is not what was put", key)
				}
				h.Release()
			}
			if most := int64(8 * (expectFirst + 2*expectMore*keys)); ks.Tables() > most {
				t.Errorf("the tables take %d bytes", ks.Tables())
			}
			ks.HoldAll(&h, 1)
			for i := range keys {
				h.Drop(fmt.Appendf(nil, "key:%d", i))
				h.Forget()
			}
			h.Release()
			if ks.Len() != 0 || ks.Tables() > 1<<20 {
				t.Errorf("%d keys and %d bytes of tables are left", ks.Len(), ks.Tables())
			}
		})
	}
}
