package replication

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/replog"
)

const (
	// fullSyncsAtOnce is how many followers get all data at once. Others wait: each costs time of the processors, and each makes
	// the log hold what changes meanwhile.
	fullSyncsAtOnce = 2

	// unlistWithin is how long it may take to get a replica off the list of those in sync. Then the replica has to come again.
	unlistWithin = 5 * time.Second

	// stillHere is how often a follower that waits is told that it is not forgotten.
	stillHere = time.Second

	// progressEvery is how often it is logged how far the data got.
	progressEvery = 10 * time.Second
)

// full sends all data, and returns what reads the log from there on:
//
//	+FULLRESYNC <history> <offset of the last byte that the file includes>
//	$EOF:<mark> <file> <mark>     or, for one that must know the length before, $<length> <file>
//
// The file is no picture of one moment: each key is as it was at some moment after the offset. What changed since then is
// in the log behind it, and does no harm when it is done again.
func (f *Follower) full(out *output) (reader *replog.Reader, err error) {
	s := f.state
	if err := f.unlist(); err != nil {
		return nil, err
	}
	done, err := s.turn(f, out)
	if err != nil {
		return nil, err
	}
	s.Frozen(func() { reader, err = f.sendAll(out) })
	done()
	if err == nil && f.Marked && !f.RDBOnly {
		err = f.confirms()
	}
	if err != nil && reader != nil {
		reader.Close()
	}
	return reader, err
}

// unlist makes sure that nobody takes the follower for one that has what it had: what it gets replaces that, and until it is there the
// follower has nothing. Another connection of the same process is of the time before.
func (f *Follower) unlist() error {
	s := f.state
	if f.RunID == "" || f.RDBOnly {
		return nil
	}
	for _, other := range s.followers.list() {
		if other != f && other.RunID == f.RunID {
			other.Drop("the replica came again, for all data")
			if c := other.confirmed.Load(); c != nil {
				c.Leave()
			}
		}
	}
	limit, cancel := context.WithTimeout(f.ctx, unlistWithin)
	defer cancel()
	if err := s.options.Unlist(limit, f.RunID); err != nil {
		return fmt.Errorf("it may be on the list of those in sync, and can get all data only once it is off: %w", err)
	}
	return nil
}

// sendAll sends the answer and the file.
func (f *Follower) sendAll(out *output) (reader *replog.Reader, err error) {
	s := f.state
	began := time.Now()
	var history string
	save := f.saver(began)
	save.Begun = func() { // nothing changes now
		p := s.now.Load()
		reader, history = p.log.Tail(s.options.Settings().Behind.hard()), p.history.ID
	}
	answer := &preceded{w: out, before: func() error {
		at := reader.Offset()
		f.goOn(reader, at)
		f.Heard()
		f.stage.Store(int32(Sending))
		s.options.Stats.FullSyncs.Add(1)
		s.options.Log.Info("sending all data to a replica", "replica", f.Addr, "offset", at-1, "keys", s.options.Keyspace.Len())
		if f.Old {
			return nil
		}
		_, err := fmt.Fprintf(out, "+FULLRESYNC %s %d\r\n", history, at-1)
		return err
	}}
	if f.Marked {
		err = f.sendMarked(answer, save)
	} else {
		err = f.sendMeasured(out, answer, save)
	}
	if err == nil {
		s.options.Log.Info("sent all data to a replica", "replica", f.Addr, "keys", f.keys.Load(), "bytes", f.bytes.Load(), "seconds", time.Since(began).Seconds())
	}
	return reader, err
}

// preceded lets something be written before all else.
type preceded struct {
	w      io.Writer
	before func() error // nil once it was called
}

func (p *preceded) Write(b []byte) (int, error) {
	if before := p.before; before != nil {
		p.before = nil
		if err := before(); err != nil {
			return 0, err
		}
	}
	return p.w.Write(b)
}

// turn waits until not too many others get all data.
func (s *State) turn(f *Follower, out *output) (done func(), err error) {
	tick := time.NewTicker(stillHere)
	defer tick.Stop()
	for {
		select {
		case s.turns <- struct{}{}:
			return func() { <-s.turns }, nil
		case <-f.ctx.Done():
			return nil, f.ctx.Err()
		case <-tick.C:
			if _, err := out.Write([]byte("\n")); err != nil {
				return nil, err
			}
		}
	}
}

// saver is what writes all data that the follower wants.
func (f *Follower) saver(began time.Time) *persist.Saver {
	s := f.state
	save := &persist.Saver{
		Keyspace: s.options.Keyspace, Now: func() int64 { return s.options.Now().UnixMilli() }, NoKeys: f.NoKeys, Busy: s.options.Stats.CommandsProcessed.Load,
	}
	save.Aux = append(save.Origin(s.options.Version, s.options.Now()), [2]string{"aof-base", "0"})
	if !f.NoFunctions {
		save.Functions = s.options.Functions
	}
	told := began
	save.Saved = func(keys int64) {
		f.keys.Store(keys)
		if now := time.Now(); now.Sub(told) >= progressEvery {
			told = now
			s.options.Log.Info("still sending all data to a replica", "replica", f.Addr, "keys", keys, "of", s.options.Keyspace.Len(), "bytes", f.bytes.Load())
		}
	}
	return save
}

// sendMarked sends a file as it is written.
func (f *Follower) sendMarked(answer *preceded, save *persist.Saver) error {
	mark := NewID()
	before := answer.before
	answer.before = func() error {
		if err := before(); err != nil {
			return err
		}
		_, err := fmt.Fprintf(answer.w, "$EOF:%s\r\n", mark)
		return err
	}
	keys, err := save.Save(answer)
	if err != nil {
		return err
	}
	f.keys.Store(keys)
	_, err = io.WriteString(answer, mark)
	return err
}

// sendMeasured writes a file to the disk, and sends it once its length is known.
func (f *Follower) sendMeasured(out *output, answer *preceded, save *persist.Saver) error {
	file, err := os.CreateTemp(f.state.options.Settings().Dir, "replica-*.rdb")
	if err != nil {
		return fmt.Errorf("it cannot take a file of unknown length, and none can be written: %w", err)
	}
	defer file.Close()
	os.Remove(file.Name()) // it is gone when it is closed, whatever happens
	saved, told := save.Saved, time.Now()
	answer.w = file
	var telling error
	save.Saved = func(keys int64) {
		saved(keys)
		if answer.before == nil && telling == nil && time.Since(told) >= stillHere {
			told = time.Now()
			_, telling = out.Write([]byte("\n"))
		}
	}
	keys, err := save.Save(&checked{answer, &telling})
	if err != nil {
		return fmt.Errorf("a file for it cannot be written: %w", err)
	}
	f.keys.Store(keys)
	size, err := file.Seek(0, io.SeekCurrent)
	if err != nil {
		return err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(out, "$%d\r\n", size); err != nil {
		return err
	}
	_, err = io.CopyBuffer(struct{ io.Writer }{out}, struct{ io.Reader }{file}, make([]byte, outputBytes))
	return err
}

// checked writes unless something else has failed.
type checked struct {
	w      io.Writer
	failed *error
}

func (c *checked) Write(b []byte) (int, error) {
	if *c.failed != nil {
		return 0, *c.failed
	}
	return c.w.Write(b)
}

// confirms waits until the follower says that it has loaded the file. Real servers find a file's mark only where what they have read ends, so
// nothing may come behind it before.
func (f *Follower) confirms() error {
	select {
	case <-f.first:
		return nil
	case <-f.ctx.Done():
		return f.ctx.Err()
	}
}
