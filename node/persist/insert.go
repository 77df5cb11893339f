package persist

import (
	"fmt"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

const (
	batchKeys  = 256      // keys that are handed over at once
	batchBytes = 64 << 10 // of their names and small sets
	mostKept   = 1 << 20  // memory for these that is kept
	batchCount = 4        // batches there are
)

// inserter puts keys into a keyspace, in a goroutine of its own, which end waits for.
//
//	reader ──► full ──► goroutine
//	   ▲                   │ batches
//	   └────── free ◄──────┘
type inserter struct {
	loader *Loader
	batch  *batch // that is being filled
	full   chan *batch
	free   chan *batch
	failed chan struct{} // closed once err is set
	err    error         // why nothing is put in any more
	done   chan struct{}
	total  int             // how many keys the file says it has, as far as it was read
	filler keyspace.Filler // of the goroutine
}

// batch is some keys.
type batch struct {
	keys  []item
	bytes []byte // their names, each with its set behind it if that is small
	total int    // how many keys the file says it has
}

// item is a key of a batch.
type item struct {
	name, end int       // where in bytes the name ends, and the set
	large     *zset.Set // if it is large
	meta      rdb.Meta
}

func startInserter(l *Loader) *inserter {
	in := &inserter{
		loader: l, batch: &batch{}, full: make(chan *batch, batchCount), free: make(chan *batch, batchCount),
		failed: make(chan struct{}), done: make(chan struct{}), filler: keyspace.Filler{Keyspace: l.Keyspace},
	}
	for range batchCount - 1 {
		in.free <- &batch{}
	}
	go in.run()
	return in
}

// add hands a key on. The error is why one before it could not be put in.
func (in *inserter) add(rec *rdb.Record) error {
	b := in.batch
	b.bytes = append(b.bytes, rec.Name...)
	name := len(b.bytes)
	b.bytes = append(b.bytes, rec.Packed...)
	b.keys = append(b.keys, item{name, len(b.bytes), rec.Set, rec.Meta})
	if len(b.keys) < batchKeys && len(b.bytes) < batchBytes && rec.Set == nil {
		return nil
	}
	return in.hand()
}

// hand hands the batch over, and takes another.
func (in *inserter) hand() error {
	in.batch.total = in.total
	in.full <- in.batch // there is room: there are no more batches than that
	in.batch = <-in.free
	select {
	case <-in.failed:
		return in.err
	default:
		return nil
	}
}

// end waits until everything is put in, or, when it is not wanted, given back. It returns why something could not be put in.
func (in *inserter) end(wanted bool) error {
	if wanted {
		in.hand()
	} else {
		in.batch.release()
	}
	close(in.full)
	<-in.done
	return in.err
}

func (in *inserter) run() {
	defer close(in.done)
	for b := range in.full {
		in.filler.Expected = b.total
		now, from := in.loader.Now(), 0
		for i := range b.keys {
			k := &b.keys[i]
			if in.err == nil {
				if err := in.put(now, b.bytes[from:k.name], b.bytes[k.name:k.end], k); err != nil {
					in.err = err
					close(in.failed)
				}
			} else if k.large != nil {
				k.large.Release()
			}
			from = k.end
		}
		in.filler.Pause()
		clear(b.keys) // large sets are not kept alive
		b.keys, b.bytes = b.keys[:0], b.bytes[:0]
		if cap(b.bytes) > mostKept {
			b.bytes = nil
		}
		in.free <- b
	}
}

// release gives back the large sets of a batch.
func (b *batch) release() {
	for i := range b.keys {
		if large := b.keys[i].large; large != nil {
			large.Release()
		}
	}
}

// put puts a key in.
func (in *inserter) put(now int64, name, block []byte, k *item) error {
	e, err := in.filler.Put(now, name, block, k.large, k.meta.ExpireAt)
	if err != nil {
		return fmt.Errorf("persist: key %q: %w", name, err)
	}
	switch {
	case k.meta.Frequency >= 0:
		e.SetFrequency(now, uint8(k.meta.Frequency))
	case k.meta.Idle >= 0:
		e.SetIdle(now, k.meta.Idle)
	}
	in.loader.Loaded++
	return nil
}
