package persist

import (
	"fmt"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

const (
	batchKeys  = 256      // keys that are handed over at once
	batchBytes = 64 << 10 // of their names
	batchCount = 4        // batches there are
)

// inserter puts keys into a keyspace, in a goroutine of its own, which end waits for.
//
//	reader ──► full ──► goroutine
//	   ▲                   │ batches, with the sets that were emptied, for use again
//	   └────── free ◄──────┘
type inserter struct {
	loader *Loader
	batch  *batch // that is being filled
	full   chan *batch
	free   chan *batch
	failed chan struct{} // closed once err is set
	err    error         // why nothing is put in any more
	done   chan struct{}
	held   keyspace.Held // of the goroutine
}

// batch is some keys.
type batch struct {
	records []rdb.Record // without names
	ends    []int        // of the names
	names   []byte
	sets    []*zset.Set // empty ones
}

// spare takes an empty set out; nil when there is none.
func (b *batch) spare() *zset.Set {
	n := len(b.sets)
	if n == 0 {
		return nil
	}
	s := b.sets[n-1]
	b.sets = b.sets[:n-1]
	return s
}

func startInserter(l *Loader) *inserter {
	in := &inserter{
		loader: l, batch: &batch{}, full: make(chan *batch, batchCount), free: make(chan *batch, batchCount),
		failed: make(chan struct{}), done: make(chan struct{}),
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
	b.names = append(b.names, rec.Name...)
	b.ends = append(b.ends, len(b.names))
	b.records = append(b.records, *rec)
	if len(b.records) < batchKeys && len(b.names) < batchBytes && rec.Set.Encoding() == zset.Listpack {
		return nil
	}
	return in.hand()
}

// hand hands the batch over, and takes another.
func (in *inserter) hand() error {
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
		from := 0
		for i := range b.records {
			rec := &b.records[i]
			if in.err == nil {
				if err := in.put(b.names[from:b.ends[i]], rec); err != nil {
					in.err = err
					close(in.failed)
				}
			} else {
				rec.Set.Release()
			}
			b.sets = append(b.sets, rec.Set)
			from = b.ends[i]
		}
		b.records, b.ends, b.names = b.records[:0], b.ends[:0], b.names[:0]
		in.free <- b
	}
}

// release gives back the sets of a batch.
func (b *batch) release() {
	for _, rec := range b.records {
		rec.Set.Release()
	}
}

// put puts a key in, and empties its set.
func (in *inserter) put(name []byte, rec *rdb.Record) error {
	l, now := in.loader, in.loader.Now()
	h := &in.held
	l.Keyspace.Hold(h, now, name)
	defer h.Release()
	h.Mute = true // the file is where the log begins
	e, err := h.Put(name, rec.Set, rec.Meta.ExpireAt)
	if err != nil {
		return fmt.Errorf("persist: key %q: %w", name, err)
	}
	switch {
	case rec.Meta.Frequency >= 0:
		e.SetFrequency(now, uint8(rec.Meta.Frequency))
	case rec.Meta.Idle >= 0:
		e.SetIdle(now, rec.Meta.Idle)
	}
	l.Loaded++
	return nil
}
