package keyspace

import (
	"slices"
	"time"
)

// extendPatience is how long Extend tries to get a partition that others use.
const extendPatience = 100 * time.Millisecond

// Partition is the number of the partition a key is in.
func Partition(key []byte) int { return Slot(key) / slotsInPartition }

// Covers reports whether the partitions of all keys are held.
func (h *Held) Covers(keys ...[]byte) bool {
	for _, key := range keys {
		if !h.holds(Partition(key)) {
			return false
		}
	}
	return true
}

// Extend holds the partitions of further keys, too, for writing like the
// others. One behind all that are held is waited for, as Hold would. Whoever
// waits for one before them could wait in a circle, so that is only tried, for
// a while; when it does not succeed Extend reports false, and what was got so
// far stays held.
func (h *Held) Extend(keys ...[]byte) bool {
	if h.shared {
		panic("keyspace: a hold for reading was extended")
	}
	for _, key := range keys {
		n := Partition(key)
		if h.holds(n) {
			continue
		}
		mu := &h.ks.partitions[n].mu
		if len(h.numbers) == 0 || n > slices.Max(h.numbers) {
			mu.Lock()
		} else {
			until := time.Now().Add(extendPatience)
			for !mu.TryLock() {
				if time.Now().After(until) {
					return false
				}
				time.Sleep(20 * time.Microsecond)
			}
		}
		h.numbers = append(slices.Clip(h.numbers), n)
		slices.Sort(h.numbers)
	}
	return true
}
