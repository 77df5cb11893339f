package persist

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"time"

	"zset.dev/operator/node/replog"
)

// Save writes dump.rdb, and returns once it is there. While the append-only files are rewritten it waits for that.
func (s *Store) Save() error {
	s.mu.Lock()
	saves := !s.state.saveBegan.IsZero()
	s.mu.Unlock()
	if saves {
		return errSaving
	}
	return s.SaveNow()
}

// SaveNow is Save, after what is under way has come to its end.
func (s *Store) SaveNow() error {
	s.saving.Lock()
	defer s.saving.Unlock()
	return s.save()
}

// BusyError is for what cannot be done since something else is under way, in the words of real servers.
type BusyError string

func (e BusyError) Error() string { return string(e) }

const (
	errSaving    = BusyError("Background save already in progress")
	errIdle      = BusyError("Background save is currently not in progress or scheduled")
	errRewriting = BusyError("Background append only file rewriting already in progress")
	errOther     = BusyError("Another child process is active (AOF?): can't BGSAVE right now. Use BGSAVE SCHEDULE in order to schedule a BGSAVE " +
		"whenever possible.")
)

// SaveBehind has dump.rdb written in the background. While the append-only files are rewritten it is an error, unless it may be done
// later. With wait it is done a moment later in any case.
func (s *Store) SaveBehind(mayWait, wait bool) (later bool, err error) {
	if wait || !s.saving.TryLock() {
		s.mu.Lock()
		defer s.mu.Unlock()
		switch {
		case !s.state.saveBegan.IsZero():
			return false, errSaving
		case !mayWait && !wait:
			return false, errOther
		}
		s.state.saveWanted = true
		return true, nil
	}
	return false, s.behind(&s.state.saveBegan, func() { s.save() })
}

// behind does something in the background, and notes when that began in what s.mu guards. s.saving is held, and let go once it is done.
func (s *Store) behind(began *time.Time, do func()) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.saving.Unlock()
		return errStopped
	}
	*began = s.o.Now()
	s.works.Go(func() {
		defer s.saving.Unlock()
		do()
	})
	return nil
}

// CancelSave ends the save under way, or takes back one that waits. The text says which.
func (s *Store) CancelSave() (text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case !s.state.saveBegan.IsZero() && s.state.cancel != nil:
		s.state.cancel(errCancel)
		return "Background saving cancelled", nil
	case s.state.saveWanted:
		s.state.saveWanted = false
		return "Scheduled background saving cancelled", nil
	}
	return "", errIdle
}

// save writes dump.rdb. s.saving is held.
func (s *Store) save() error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	began, changes := s.o.Now(), s.o.Changes()
	s.mu.Lock()
	s.state.saveBegan, s.state.cancel, s.state.saveWanted, s.state.lastTry = began, cancel, false, began
	s.state.saveKeys, s.state.saveTotal = 0, int64(s.o.Keyspace.Len())
	s.mu.Unlock()
	name := s.path(s.o.Values().DBFilename)
	err := s.dump(ctx, name)
	s.mu.Lock()
	s.state.saveBegan, s.state.cancel = time.Time{}, nil
	switch {
	case err == nil:
		s.state.lastSave, s.state.saveTook, s.state.saveOK, s.state.saved = s.o.Now(), s.o.Now().Sub(began), true, changes
		s.state.saves++
	case !errors.Is(err, errCancel):
		s.state.saveOK = false
	}
	s.mu.Unlock()
	if err != nil {
		s.o.Log.Error("saving failed", "file", name, "error", err)
	} else {
		s.o.Log.Info("saved", "file", name, "keys", s.o.Keyspace.Len(), "took", s.o.Now().Sub(began).Round(time.Millisecond))
	}
	s.look()
	return err
}

// dumpTemp is between the name of the file and a number while it is written.
const dumpTemp = ".temp-"

// clean removes what saves left behind that had no end.
func (s *Store) clean() {
	v := s.o.Values()
	entries, _ := s.o.Disk.List(v.Dir) // what cannot be seen is in nobody's way
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), v.DBFilename+dumpTemp) {
			s.o.Disk.Remove(s.path(e.Name()))
		}
	}
}

// dump writes the file: all keys, and behind them what changed while they were written, as commands. Real servers read the keys and
// leave the rest: what a transaction did to several keys meanwhile they may see half of.
func (s *Store) dump(ctx context.Context, name string) error {
	temp := fmt.Sprintf("%s%s%d", name, dumpTemp, os.Getpid())
	h, err := s.o.Disk.Open(temp, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return err
	}
	err = s.dumpTo(ctx, h, temp+".log")
	return settle(s.o.Disk, h, err, temp, name)
}

func (s *Store) dumpTo(ctx context.Context, h Handle, spoolName string) error {
	defer s.o.Stream.Borrow()()
	return s.frozen(func() error { return s.dumpFrozen(ctx, h, spoolName) })
}

// errPart is for data that is not what a file would say of it. What is on disk is better.
var errPart = errors.New("persist: the node has a part of its primary's data only, of which nothing is kept")

// frozen writes a file of all keys, unless they are not all.
func (s *Store) frozen(write func() error) (err error) {
	s.o.Stream.Frozen(func() {
		if err = errPart; s.o.Stream.Whole() {
			err = write()
		}
	})
	return err
}

func (s *Store) dumpFrozen(ctx context.Context, h Handle, spoolName string) error {
	meanwhile := spool{disk: s.o.Disk, name: spoolName, limit: -1}
	done, stop := make(chan error, 1), make(chan int64, 1)
	var from Place
	var log *replog.Log
	err := s.write(ctx, h, func(at Place, now *replog.Log) {
		from, log = at, now
		meanwhile.reader = log.Tail(math.MaxInt64)
		go func() { done <- meanwhile.run(stop) }() // ends when it is told where, which is below
	}, nil, func(keys int64) {
		s.mu.Lock()
		s.state.saveKeys = keys
		s.mu.Unlock()
	})
	if log == nil {
		return err // it did not begin
	}
	_, end := log.Range()
	stop <- end
	err = errors.Join(err, <-done)
	meanwhile.reader.Close()
	defer meanwhile.remove()
	if err != nil || meanwhile.bytes == 0 {
		return err
	}
	if _, err := io.WriteString(h, from.annotation()); err != nil {
		return err
	}
	return meanwhile.copy(h)
}

// spool keeps what is logged in a file, up to an offset that is known later.
type spool struct {
	disk   Disk
	name   string
	reader *replog.Reader
	file   Handle
	bytes  int64
	limit  int64 // where it ends; -1 while nobody knows
	start  int64
}

func (p *spool) run(stop <-chan int64) error {
	p.start = p.reader.Offset()
	var failure error
	for p.limit < 0 || p.reader.Offset() < p.limit {
		b, err := p.reader.Some()
		if err != nil {
			return err
		}
		if len(b) == 0 {
			select {
			case p.limit = <-stop:
			case <-p.reader.News():
			}
			continue
		}
		if failure == nil {
			failure = p.put(b)
		}
	}
	if p.limit >= 0 {
		p.bytes = min(p.bytes, p.limit-p.start)
	}
	return failure
}

func (p *spool) put(b []byte) (err error) {
	if p.file == nil {
		if p.file, err = p.disk.Open(p.name, os.O_CREATE|os.O_TRUNC|os.O_RDWR); err != nil {
			return err
		}
	}
	n, err := p.file.Write(b)
	p.bytes += int64(n)
	return err
}

// copy appends what was kept to a file.
func (p *spool) copy(to io.Writer) error {
	_, err := io.Copy(to, io.NewSectionReader(p.file, 0, p.bytes))
	return err
}

func (p *spool) remove() {
	if p.file != nil {
		p.file.Close()
		p.disk.Remove(p.name)
	}
}
