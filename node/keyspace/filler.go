package keyspace

import "zset.dev/operator/zset"

// A Filler puts many keys in, as when a file is loaded. From one key to the
// next it keeps the partition held, for those that follow in the same one. It
// is used by one goroutine, which must call Pause before it waits for anything.
// What it does is not logged.
type Filler struct {
	Keyspace *Keyspace

	// Expected is about how many keys come in all, 0 if nobody says so. It is
	// believed the more, the more have come: a wrong one costs tables for a
	// million keys, and for sixteen times those that came.
	Expected int

	held Held
	came int
}

const (
	// expectFirst is how many keys are believed to come when none has, and
	// expectMore how many for each that has.
	expectFirst = 1 << 20
	expectMore  = 16
)

// Put makes key hold a set: the one in block, which has its bytes as Detach
// gives them, or else large, which is the keyspace's from now on. What the key
// held is gone. The entry is good until the next call. The error is ErrFull;
// then key holds what it held, and large is released.
func (f *Filler) Put(now int64, key, block []byte, large *zset.Set, expireAt int64) (*Entry, error) {
	h, at := &f.held, f.Keyspace.Place(key)
	if len(h.numbers) == 0 || h.numbers[0] != at.partition() {
		f.Pause()
		f.Keyspace.HoldOne(h, now, false, key, at)
		h.Mute = true
		f.prepare(h.partition(at))
	}
	h.Forget()
	h.now, h.left, h.key, h.at = now, false, key, at
	f.came++
	return h.put(key, block, large, expireAt)
}

// prepare makes the tables of a partition that has no keys for its share of
// those to come, if that is many.
func (f *Filler) prepare(p *partition) {
	const worthIt = 64
	share := min(f.Expected, expectFirst+expectMore*f.came) / partitionCount
	if p.count > 0 || share < worthIt {
		return
	}
	p.index.Free()
	p.index.Prepare(share)
	p.chargeTables()
}

// Pause lets go of what is held.
func (f *Filler) Pause() {
	if len(f.held.numbers) > 0 {
		f.held.Release()
	}
}
