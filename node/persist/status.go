package persist

import (
	"time"
)

// status is what a store knows of its own doing.
type status struct {
	cancel func(error) // ends the save or rewrite under way; nil when there is none

	saveBegan  time.Time // zero when none is under way
	saveKeys   int64     // written so far
	saveTotal  int64
	lastSave   time.Time
	lastTry    time.Time
	saveTook   time.Duration // of the last one; negative when there was none
	saveOK     bool
	saves      int64
	saved      int64 // changes there had been when the last save began
	saveWanted bool  // once the rewrite is done

	rewriteBegan  time.Time // zero when none is under way
	rewriteTook   time.Duration
	rewriteOK     bool
	rewrites      int64
	rewriteWanted bool // once the save is done
	rewriteTry    time.Time
	rewrittenSize int64 // bytes of the files after the last one

	loading Loading
}

// Loading is how far loading is, or came.
type Loading struct {
	Now         bool
	Began       time.Time
	Took        time.Duration
	Total, Done int64 // bytes
	Keys        int64 // loaded
	Expired     int64 // left out since their time had come
	Skipped     int64 // left out since they cannot be held
	Commands    int64 // done again
	CutBytes    int64 // cut off at the end
}

// Left is about how long loading still takes; 0 when nobody knows.
func (l *Loading) Left(now time.Time) time.Duration {
	if !l.Now || l.Done == 0 || l.Total <= l.Done {
		return 0
	}
	return time.Duration(float64(now.Sub(l.Began)) * float64(l.Total-l.Done) / float64(l.Done))
}

// Status is one reading of what a Store does, for INFO.
type Status struct {
	Loading Loading

	Changes   int64 // since the last save
	Saving    bool
	SaveFor   time.Duration // of the one under way
	SaveKeys  int64
	SaveTotal int64
	LastSave  time.Time
	SaveTook  time.Duration // of the last one; negative when there was none
	SaveOK    bool
	Saves     int64

	Appending     bool
	Rewriting     bool
	RewriteWanted bool
	RewriteFor    time.Duration
	RewriteTook   time.Duration // of the last one; negative when there was none
	RewriteOK     bool
	Rewrites      int64
	WriteOK       bool
	Size          int64 // bytes of the append-only files
	BaseSize      int64 // what they were after the last rewrite
	Behind        int64 // bytes of the log that are not written
}

// Status is what the store does now.
func (s *Store) Status() Status {
	now := s.o.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	st := &s.state
	since := func(began time.Time) time.Duration {
		if began.IsZero() {
			return -1
		}
		return now.Sub(began)
	}
	out := Status{
		Loading: st.loading,
		Changes: max(0, s.o.Changes()-st.saved), Saving: !st.saveBegan.IsZero(), SaveFor: since(st.saveBegan),
		SaveKeys: st.saveKeys, SaveTotal: st.saveTotal, LastSave: st.lastSave, SaveTook: st.saveTook, SaveOK: st.saveOK, Saves: st.saves,
		Appending: s.appender != nil, Rewriting: !st.rewriteBegan.IsZero(), RewriteWanted: st.rewriteWanted, RewriteFor: since(st.rewriteBegan),
		RewriteTook: st.rewriteTook, RewriteOK: st.rewriteOK, Rewrites: st.rewrites,
		WriteOK: s.failure.Load() == nil, Size: s.size.Load(), BaseSize: st.rewrittenSize,
	}
	if a := s.appender; a != nil {
		_, end := a.log.Range()
		out.Behind = end - a.written.Load()
	}
	return out
}

// LastSave is when dump.rdb was last saved; when the store was made, before that.
func (s *Store) LastSave() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state.lastSave
}
