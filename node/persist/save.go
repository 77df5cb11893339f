package persist

import (
	"io"
	"math"
	"strconv"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
)

const (
	// holdKeys and holdMembers are what is written down while a partition is held, of small sets and of a large one: tens
	// of microseconds' work.
	holdKeys    = 16
	holdMembers = 512

	// writeBytes is how much is gathered before it is written.
	writeBytes = 32 << 10

	// workFor is how long a save works before it rests, and restMost how long at most: it may have waited, not worked.
	workFor  = 100 * time.Microsecond
	restMost = 2 * time.Millisecond
)

// A Saver writes all keys down while they go on changing. Each key is written as it is at one moment of its own, the sets
// of millions of members too. What is logged from Begun on, done again to what was saved, brings it up to date.
type Saver struct {
	Keyspace *keyspace.Keyspace
	Now      func() int64     // milliseconds since the epoch
	Aux      [][2]string      // names and values for the file's beginning
	Begun    func()           // called, if not nil, before anything is written, while nothing changes: to note where the log is, and in Aux
	Saved    func(keys int64) // progress, if not nil: called between holds with the number of keys so far

	Functions func() [][]byte // the code of libraries, if not nil: called behind Begun, likewise while nothing changes
	NoKeys    bool            // leave the keys out

	// Busy counts what others do meanwhile, say commands. While that grows, Save rests as long as it works, so that they
	// find a processor. nil lets it work all the time.
	Busy func() int64

	file *rdb.Encoder
	keys int64

	began time.Time // working, since it last rested
	seen  int64     // what Busy said then
}

// Origin is what Aux begins with: who made the file, servers of which version understand it, and when.
func (s *Saver) Origin(version string, now time.Time) [][2]string {
	return [][2]string{
		{"redis-ver", version}, {"redis-bits", strconv.Itoa(strconv.IntSize)}, {"ctime", strconv.FormatInt(now.Unix(), 10)},
		{"used-mem", strconv.FormatInt(s.Keyspace.Used(), 10)}, {"repl-stream-db", "0"},
	}
}

// Save writes a file and returns how many keys it has. It holds one partition at a time, never while it writes. The error
// is the writer's, or keyspace.ErrMoved.
func (s *Saver) Save(w io.Writer) (keys int64, err error) {
	s.keys, s.began = 0, time.Now()
	s.file = rdb.NewEncoder(w)
	s.file.Gather(math.MaxInt) // only drain writes: nothing is held then
	var libraries [][]byte
	walk := s.Keyspace.Walk(func() {
		if s.Begun != nil {
			s.Begun()
		}
		if s.Functions != nil {
			libraries = s.Functions()
		}
	})
	defer walk.End()
	for _, aux := range s.Aux {
		s.file.Aux(aux[0], aux[1])
	}
	for _, code := range libraries {
		s.file.Function(code)
	}
	if s.NoKeys {
		return 0, s.file.Close()
	}
	if n := s.Keyspace.Len(); n > 0 {
		s.file.Database(0, n, s.Keyspace.Expiring())
	}
	for more := true; more; {
		if more, err = walk.Next(s.Now(), holdKeys, s.whole); err != nil {
			return s.keys, err
		}
		if err := s.drain(); err != nil {
			return s.keys, err
		}
		for l := walk.Large(s.Now()); l != nil; l = walk.Large(s.Now()) {
			if err := s.large(l); err != nil {
				return s.keys, err
			}
		}
	}
	return s.keys, s.file.Close()
}

// whole writes a key at once.
func (s *Saver) whole(e *keyspace.Entry) {
	s.file.Key(e.Name(), metaOf(e.ExpireAt()), e.Set())
	s.keys++
}

func metaOf(expireAt int64) rdb.Meta { return rdb.Meta{ExpireAt: expireAt, Idle: -1, Frequency: -1} }

// large writes a large set, some members at a time.
func (s *Saver) large(l *keyspace.Large) error {
	defer l.Close()
	s.file.Begin(l.Name, metaOf(l.ExpireAt), l.Len())
	for more := true; more; {
		more = l.Next(holdMembers, s.file.Member)
		if err := s.drain(); err != nil {
			return err
		}
	}
	s.keys++
	return nil
}

// drain writes what was gathered, if it is enough.
func (s *Saver) drain() error {
	if s.Saved != nil {
		s.Saved(s.keys)
	}
	if s.file.Gathered() >= writeBytes {
		s.file.Flush()
	}
	s.rest()
	return s.file.Err()
}

// rest lets others have the processor.
func (s *Saver) rest() {
	if s.Busy == nil {
		return
	}
	worked := time.Since(s.began)
	if worked < workFor {
		return
	}
	if n := s.Busy(); n != s.seen {
		s.seen = n
		time.Sleep(min(worked, restMost))
	}
	s.began = time.Now()
}
