package persist

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"
)

const (
	// farBehind is how many bytes of the log may wait for the disk before writers wait, too.
	farBehind = 64 << 20
	// patience is how long a write waits for a disk that is far behind.
	patience = 5 * time.Second
)

// failed notes that the disk does not keep what is written.
func (s *Store) failed(err error) {
	if s.failure.Swap(&err) == nil {
		s.o.Log.Error("cannot write to the append-only file; writes are refused until that works again", "error", err)
	}
	s.look()
	if s.o.Doubt != nil {
		s.o.Doubt()
	}
}

// wrote notes that it does again.
func (s *Store) wrote() {
	if s.failure.Load() == nil || s.failure.Swap(nil) == nil {
		return
	}
	s.o.Log.Info("writing to the append-only file works again")
	s.look()
}

// Err is why the disk does not keep what is written; nil when it does.
func (s *Store) Err() error {
	if err := s.failure.Load(); err != nil {
		return *err
	}
	return nil
}

// look says whether writes may have to be refused.
func (s *Store) look() {
	if s.o.Troubled != nil {
		s.o.Troubled(s.failure.Load() != nil || s.slow.Load() || s.saveRefuses())
	}
}

// saveRefuses reports whether writes are refused since a save failed.
func (s *Store) saveRefuses() bool {
	v := s.o.Values()
	s.mu.Lock()
	defer s.mu.Unlock()
	return !s.state.saveOK && v.StopWritesOnSaveError && len(v.Save) > 0
}

// Refusal is the error that a write gets now; empty when it may be. With wait it waits for a disk that is far behind, and the caller
// holds nothing; else that is no reason.
func (s *Store) Refusal(wait bool) string {
	if wait && s.slow.Load() && s.failure.Load() == nil {
		s.await()
	}
	switch err := s.Err(); {
	case err != nil:
		return "MISCONF Errors writing to the AOF file: " + reason(err)
	case wait && s.slow.Load():
		return "MISCONF Errors writing to the AOF file: the disk is too slow"
	case s.saveRefuses():
		return "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may modify the " +
			"data set are disabled, because this instance is configured to report errors during writes if RDB snapshotting fails " +
			"(stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error."
	}
	return ""
}

// reason is the text of an error as servers give it: that of the system's, when there is one.
func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		text := number.Error()
		return string(text[0]-'a'+'A') + text[1:]
	}
	var path *fs.PathError
	if errors.As(err, &path) && !errors.Is(err, os.ErrClosed) {
		return path.Err.Error()
	}
	return err.Error()
}

// await waits for the disk to come nearer.
func (s *Store) await() {
	limit := time.NewTimer(patience)
	defer limit.Stop()
	ticker := time.NewTicker(lookEvery / 10)
	defer ticker.Stop()
	for s.slow.Load() && s.failure.Load() == nil {
		s.watch()
		select {
		case <-limit.C:
			return
		case <-ticker.C:
		}
	}
}

// watch looks how far the disk is behind.
func (s *Store) watch() {
	s.mu.Lock()
	a := s.appender
	s.mu.Unlock()
	behind := int64(0)
	if a != nil {
		_, end := a.log.Range()
		behind = end - a.written.Load()
	}
	limit := int64(farBehind)
	if s.slow.Load() {
		limit /= 2 // so that writers do not begin and stop with every byte
	}
	if slow := behind > limit; s.slow.Swap(slow) != slow {
		if slow {
			s.o.Log.Warn("the disk is slower than writes come; they wait for it", "bytes_behind", behind)
		}
		s.look()
	}
}
