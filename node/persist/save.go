package persist

import (
	"io"
	"math"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

const (
	// holdKeys and holdMembers are what is written down while a partition is held, of small sets and of a large one: tens
	// of microseconds' work.
	holdKeys    = 16
	holdMembers = 512

	// writeBytes is how much is gathered before it is written.
	writeBytes = 64 << 10
)

// A Saver writes all keys down while they go on changing. Each key is written as it is at one moment of its own, the sets
// of millions of members too. Who logs what changes from before Save on can bring what was saved up to date.
type Saver struct {
	Keyspace *keyspace.Keyspace
	Now      func() int64     // milliseconds since the epoch
	Aux      [][2]string      // names and values for the file's beginning
	Saved    func(keys int64) // progress, if not nil: called between holds with the number of keys so far

	Functions [][]byte // the code of libraries, which stand before the keys
	NoKeys    bool     // leave the keys out

	file *rdb.Encoder
	keys int64
	held keyspace.Held
}

// Save writes a file and returns how many keys it has. It holds one partition at a time, never while it writes. The error
// is the writer's.
func (s *Saver) Save(w io.Writer) (keys int64, err error) {
	s.keys = 0
	s.file = rdb.NewEncoder(w)
	s.file.Gather(math.MaxInt) // only drain writes: nothing is held then
	for _, aux := range s.Aux {
		s.file.Aux(aux[0], aux[1])
	}
	for _, code := range s.Functions {
		s.file.Function(code)
	}
	if s.NoKeys {
		return 0, s.file.Close()
	}
	if n := s.Keyspace.Len(); n > 0 {
		s.file.Database(0, n, s.Keyspace.Expiring())
	}
	var large [][]byte
	for cursor, done := uint64(0), false; !done; done = cursor == 0 {
		large = large[:0]
		cursor = s.Keyspace.Scan(nil, cursor, holdKeys, s.Now(), func(e *keyspace.Entry) {
			if e.Set().Encoding() == zset.Listpack {
				s.whole(e)
			} else {
				large = append(large, []byte(e.Key()))
			}
		})
		if err := s.drain(); err != nil {
			return s.keys, err
		}
		for _, key := range large {
			if err := s.large(key); err != nil {
				return s.keys, err
			}
		}
	}
	return s.keys, s.file.Close()
}

// whole writes a key at once.
func (s *Saver) whole(e *keyspace.Entry) {
	s.file.Key(e.Name(), metaOf(e), e.Set())
	s.keys++
}

func metaOf(e *keyspace.Entry) rdb.Meta {
	return rdb.Meta{ExpireAt: e.ExpireAt(), Idle: -1, Frequency: -1}
}

// large writes a key that held a large set when it was met, some members at a time.
func (s *Saver) large(key []byte) error {
	sn := s.begin(key)
	if sn == nil {
		return s.drain()
	}
	defer func() {
		s.Keyspace.Hold(&s.held, s.Now(), key)
		sn.Close()
		s.held.Release()
	}()
	for more := true; more; {
		s.Keyspace.HoldShared(&s.held, s.Now(), key)
		more = sn.Next(holdMembers, s.file.Member)
		s.held.Release()
		if err := s.drain(); err != nil {
			return err
		}
	}
	s.keys++
	return nil
}

// begin writes a large set's head and begins a snapshot of it. It is nil when there is nothing to go on with: the key is
// gone, or holds a small set now, which was written.
func (s *Saver) begin(key []byte) *zset.Snapshot {
	s.Keyspace.Hold(&s.held, s.Now(), key)
	defer s.held.Release()
	e := s.held.Peek(key)
	switch {
	case e == nil:
		return nil
	case e.Set().Encoding() == zset.Listpack:
		s.whole(e)
		return nil
	}
	sn := e.Set().Snapshot()
	s.file.Begin(key, metaOf(e), sn.Len())
	return sn
}

// drain writes what was gathered, if it is enough.
func (s *Saver) drain() error {
	if s.Saved != nil {
		s.Saved(s.keys)
	}
	if s.file.Gathered() >= writeBytes {
		s.file.Flush()
	}
	return s.file.Err()
}
