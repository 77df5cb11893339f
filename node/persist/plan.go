package persist

import (
	"time"

	"zset.dev/operator/node/config"
)

// situation is what the decision to save or rewrite looks at.
type situation struct {
	values *config.Values
	now    time.Time

	changes  int64 // since the last save
	lastSave time.Time
	lastTry  time.Time // of a save
	saveOK   bool

	appending     bool
	size, base    int64
	rewriteTry    time.Time
	rewriteOK     bool
	saveWanted    bool // somebody asked for it
	rewriteWanted bool
}

// tryAgain is how long a save or rewrite that failed is not tried again by itself.
const tryAgain = 5 * time.Second

// next is what to do now by itself.
func (s *situation) next() (save, rewrite bool) {
	switch {
	case s.rewriteWanted:
		return false, true
	case s.saveWanted:
		return true, false
	}
	if s.saveOK || s.now.Sub(s.lastTry) >= tryAgain {
		for _, p := range s.values.Save {
			if s.changes >= p.Changes && s.now.Sub(s.lastSave) >= p.After {
				return true, false
			}
		}
	}
	if percent := int64(s.values.AutoRewritePercent); s.appending && percent > 0 && s.size >= s.values.AutoRewriteMinSize &&
		(s.rewriteOK || s.now.Sub(s.rewriteTry) >= tryAgain) {
		grown := s.size - s.base
		return false, grown > 0 && grown*100 >= percent*max(s.base, 1)
	}
	return false, false
}

// plan begins what is to be done by itself.
func (s *Store) plan() {
	v := s.o.Values()
	s.mu.Lock()
	st := &s.state
	now := situation{
		values: v, now: s.o.Now(), changes: s.o.Changes() - st.saved, lastSave: st.lastSave, lastTry: st.lastTry, saveOK: st.saveOK,
		appending: s.appender != nil && s.failure.Load() == nil, size: s.size.Load(), base: st.rewrittenSize, rewriteTry: st.rewriteTry, rewriteOK: st.rewriteOK,
		saveWanted: st.saveWanted, rewriteWanted: st.rewriteWanted,
	}
	busy := !st.saveBegan.IsZero() || !st.rewriteBegan.IsZero() || st.loading.Now
	s.mu.Unlock()
	if busy {
		return
	}
	switch save, rewrite := now.next(); {
	case save:
		s.SaveBehind(false, false) // an error is that it is under way already
	case rewrite:
		s.Rewrite(false) // likewise
	}
}
