package persist

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replog"
	"zset.dev/operator/zset"
)

// Replay does again what a log says was done (command.Applier).
type Replay interface {
	Apply(args [][]byte) error
	Restart(database bool)
	Whole() bool // no transaction is open
	Begin()
	Report()
	LeftOut() int64 // commands
}

// Source is which files the data was loaded from.
type Source int

// The sources.
const (
	Nothing  Source = iota
	Appended        // the append-only files
	OldFile         // an append-only file of the time before there were several
	Dump            // dump.rdb
)

// Recovered is what loading led to.
type Recovered struct {
	From  Source
	Place Place // in the log; its Offset is 0 when the files do not say
}

// Find says what is to be loaded at the start: with appendonly the append-only files, an old one, or, when neither is
// there, dump.rdb, so that whoever turns appendonly on in the configuration alone does not begin with nothing.
func (s *Store) Find() (Source, error) {
	v := s.o.Values()
	folder, err := OpenFolder(s.o.Disk, s.path(v.AppendDirname), v.AppendFilename)
	if err != nil && v.AppendOnly {
		return Nothing, err
	}
	there := func(name string) bool {
		f, err := s.o.Disk.Open(s.path(name), os.O_RDONLY)
		if err != nil {
			return false
		}
		size, err := f.Size()
		f.Close()
		return err == nil && size > 0
	}
	switch {
	case v.AppendOnly && !folder.Empty():
		return Appended, nil
	case v.AppendOnly && there(v.AppendFilename):
		return OldFile, nil
	case there(v.DBFilename):
		if err == nil && !v.AppendOnly && !folder.Empty() {
			s.o.Log.Warn("appendonly is off: the append-only files that are there are not loaded", "folder", folder.path)
		}
		return Dump, nil
	}
	return Nothing, nil
}

// Load loads what Find found into the keyspace, which nobody else uses meanwhile. replay does the commands of files. It ends early
// once stop is closed.
func (s *Store) Load(from Source, replay Replay, function func(code []byte) error, stop <-chan struct{}) (Recovered, error) {
	v := s.o.Values()
	l := &recovery{store: s, replay: replay, stop: stop}
	l.loader = Loader{
		Keyspace: s.o.Keyspace, Now: func() int64 { return s.o.Now().UnixMilli() }, SkipOther: v.SkipOtherTypes, KeepExpired: true,
		Function: function, Aux: func(name, value []byte) { l.place.readAux(string(name), string(value)) },
	}
	files, err := s.sources(from)
	if err != nil {
		return Recovered{}, err
	}
	s.beginLoading(files)
	done := make(chan struct{})
	ended := make(chan struct{})
	go func() { defer close(ended); l.progress(done) }()
	for i, name := range files {
		if err = l.file(name, i == len(files)-1); err != nil {
			err = fmt.Errorf("cannot load %s: %w", name, err)
			break
		}
	}
	close(done)
	<-ended
	s.endLoading(l)
	if err != nil {
		return Recovered{}, err
	}
	return Recovered{From: from, Place: l.place}, nil
}

// sources are the paths of the files to load, in order.
func (s *Store) sources(from Source) (files []string, err error) {
	v := s.o.Values()
	switch from {
	case OldFile:
		return []string{s.path(v.AppendFilename)}, nil
	case Dump:
		return []string{s.path(v.DBFilename)}, nil
	case Appended:
		folder, err := OpenFolder(s.o.Disk, s.path(v.AppendDirname), v.AppendFilename)
		if err != nil {
			return nil, err
		}
		for _, name := range folder.Files() {
			files = append(files, folder.at(name))
		}
	}
	return files, nil
}

// recovery is the loading of files under way. One goroutine has it, but for what is atomic.
type recovery struct {
	store  *Store
	loader Loader
	replay Replay
	stop   <-chan struct{}
	place  Place

	commands atomic.Int64
	read     atomic.Int64 // bytes
	cut      int64
}

// file loads one file: keys, commands, or keys with commands behind them.
func (l *recovery) file(path string, last bool) error {
	f, err := l.store.o.Disk.Open(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w; the manifest says that it is needed: put it back, or, to begin with what the others have, take its line out of the manifest", err)
	}
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return err
	}
	counted := &counter{r: f, bytes: &l.read, stop: l.stop}
	in := bufio.NewReaderSize(counted, 1<<20)
	begins, _ := in.Peek(6)
	if len(begins) < 5 || string(begins[:5]) != "REDIS" && string(begins) != "VALKEY" {
		return l.log(path, f, in, 0, size, last)
	}
	d := rdb.NewDecoder(in, func() *zset.Set { return zset.NewIn(l.store.o.Keyspace.Memory(), l.store.o.Values().Tuning) })
	if err := l.loader.Load(d); err != nil {
		return err
	}
	if d.Offset() == size {
		return nil
	}
	return l.log(path, f, io.MultiReader(bytes.NewReader(d.Rest()), in), d.Offset(), size, last)
}

// log does the commands of a file from an offset on.
func (l *recovery) log(path string, f Handle, in io.Reader, from, size int64, last bool) error {
	c := replog.NewCommands(in, from)
	good, goodPlace := from, l.place
	whole := int64(0) // commands since the last place where a cut is possible
	c.Comment = func(line []byte) {
		if p, ok := parseAnnotation(string(line)); ok {
			l.place = p
		}
	}
	l.replay.Restart(true)
	l.replay.Begin()
	defer l.replay.Report()
	const clockEvery = 1 << 12
	for n := 0; ; n++ {
		args, err := c.Next()
		if err == io.EOF && l.replay.Whole() {
			return nil
		}
		if err != nil {
			l.replay.Restart(false)
			l.place = goodPlace
			return l.damaged(damage{path: path, size: size, good: good, at: c.Whole(), commands: whole, last: last, err: err}, f)
		}
		if l.place.Offset > 0 {
			l.place.Offset += int64(len(c.Raw()))
			if epoch, ok := l.store.o.Stream.EpochIn(args); ok {
				l.place.At, l.place.Epoch = epoch, max(l.place.Epoch, epoch)
			}
		}
		if err := l.replay.Apply(args); err != nil {
			return fmt.Errorf("the command before byte %d: %w", c.Whole(), err)
		}
		whole++
		if l.replay.Whole() {
			good, goodPlace, whole = c.Whole(), l.place, 0
		}
		if n%clockEvery == clockEvery-1 {
			l.commands.Add(clockEvery)
			l.replay.Report()
			l.replay.Begin()
		}
	}
}

// damage is a file that has no whole command at some byte.
type damage struct {
	path     string
	size     int64
	good     int64 // up to where there are whole commands and transactions
	at       int64 // where it is
	commands int64 // whole ones between: of a transaction without its end
	last     bool  // of the files
	err      error // io.EOF for a transaction without its end
}

// damaged cuts the file off where it is good, or refuses it.
func (l *recovery) damaged(d damage, f Handle) error {
	cut, err := l.mayCut(d, f)
	if err != nil {
		return err
	}
	if !cut.allowed {
		return errors.New(cut.refusal(d))
	}
	kept, err := l.store.cutOff(d.path, d.good)
	if err != nil {
		return fmt.Errorf("cannot cut the damaged end off: %w", err)
	}
	l.cut += d.size - d.good
	l.store.o.Log.Warn("cut off the end of the append-only file, which a crash left there", "file", d.path, "bytes", d.size-d.good,
		"whole_commands", d.commands, "from", d.good, "why", cut.why, "kept_in", kept)
	return nil
}

// verdict is what becomes of a damaged file.
type verdict struct {
	allowed bool
	why     string // what is wrong with it
	todo    string // when it is refused, what can be done
}

func (v *verdict) refusal(d damage) string {
	return fmt.Sprintf("at byte %d of %d, %s: %s", d.at, d.size, v.why, v.todo)
}

// mayCut looks at what is behind the damage, and decides.
func (l *recovery) mayCut(d damage, f Handle) (verdict, error) {
	var corrupt *replog.CorruptError
	torn := errors.Is(d.err, io.EOF)
	if errors.Is(d.err, replog.ErrTorn) {
		var first [1]byte
		if _, err := f.ReadAt(first[:], d.at); err != nil {
			return verdict{}, err
		}
		torn = first[0] == '*' || first[0] == '#'
	}
	if !torn && !errors.Is(d.err, replog.ErrTorn) && !errors.As(d.err, &corrupt) {
		return verdict{}, d.err
	}
	behind, zeros := false, false
	if !errors.Is(d.err, io.EOF) {
		var err error
		if behind, err = WholeBehind(f, d.at, d.size); err != nil {
			return verdict{}, err
		}
		if zeros, err = endsInZeros(f, d.at, d.size); err != nil {
			return verdict{}, err
		}
	}
	v := l.store.o.Values()
	return decide(d, torn || zeros, behind, v.LoadTruncated, v.LoadCorruptTail), nil
}

// decide says whether the end of a file may be cut off: torn is what a crash leaves, behind says that whole commands follow.
func decide(d damage, torn, behind, mayBeTorn bool, corruptTail int64) verdict {
	const (
		repair = "check it with redis-check-aof or valkey-check-aof on a copy of the folder"
		tail   = "or set aof-load-corrupt-tail-max-size to at least the bytes from there to the end to have them cut off"
	)
	out := verdict{why: "there is no command"}
	switch {
	case behind:
		out.why = "there is no command, but others follow, which cutting it off would lose"
	case errors.Is(d.err, io.EOF):
		out.why = "a transaction has no end"
	case torn:
		out.why = "a command has no end"
	}
	switch {
	case !d.last:
		out.todo = "this is not the last of the files, so no crash did that; " + repair + ", or bring back the files from a copy"
	case torn && !behind && mayBeTorn, corruptTail > 0 && d.size-d.good <= corruptTail:
		out.allowed = true
	case torn && !behind:
		out.todo = repair + ", or set aof-load-truncated to yes to have the end cut off"
	default:
		out.todo = repair + ", " + tail
	}
	return out
}

// endsInZeros reports whether a file has from an offset on the beginning of a command, or nothing, and then zeros up to its end, as
// after a power cut.
func endsInZeros(f io.ReaderAt, from, size int64) (bool, error) {
	const most = 64 << 10
	piece := make([]byte, most)
	for end := size; end > from; {
		b := piece[:min(most, end-from)]
		if _, err := f.ReadAt(b, end-int64(len(b))); err != nil {
			return false, err
		}
		left := len(bytes.TrimRight(b, "\x00"))
		end -= int64(len(b) - left)
		if left == 0 {
			continue
		}
		if end == size {
			return false, nil
		}
		_, err := replog.NewCommands(io.NewSectionReader(f, from, end-from), from).Next()
		return errors.Is(err, replog.ErrTorn), nil
	}
	return true, nil
}

// cutOff ends a file at that size. What is cut off is kept in a file beside, whose name it returns.
func (s *Store) cutOff(path string, size int64) (kept string, err error) {
	f, err := s.o.Disk.Open(path, os.O_RDWR)
	if err != nil {
		return "", err
	}
	defer f.Close()
	all, err := f.Size()
	if err != nil {
		return "", err
	}
	kept = fmt.Sprintf("%s.cut-%s", path, s.o.Now().UTC().Format("20060102T150405"))
	beside, err := s.o.Disk.Open(kept, os.O_CREATE|os.O_TRUNC|os.O_WRONLY)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(beside, io.NewSectionReader(f, size, all-size))
	if err == nil {
		err = beside.Sync()
	}
	if err = errors.Join(err, beside.Close()); err != nil {
		return "", err
	}
	if err := f.Truncate(size); err != nil {
		return "", err
	}
	return kept, errors.Join(f.Sync(), s.o.Disk.SyncFolder(filepath.Dir(path)))
}

// counter counts what is read.
type counter struct {
	r     io.Reader
	bytes *atomic.Int64
	stop  <-chan struct{}
}

func (c *counter) Read(b []byte) (int, error) {
	select {
	case <-c.stop:
		return 0, errStopped
	default:
	}
	n, err := c.r.Read(b)
	c.bytes.Add(int64(n))
	return n, err
}

func (s *Store) beginLoading(files []string) {
	total := int64(0)
	for _, name := range files {
		if f, err := s.o.Disk.Open(name, os.O_RDONLY); err == nil {
			size, _ := f.Size()
			total += size
			f.Close()
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.loading = Loading{Now: true, Began: s.o.Now(), Total: total}
}

// note takes a reading of how far loading is.
func (l *recovery) note() Loading {
	s := l.store
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.loading.Done, s.state.loading.Commands = l.read.Load(), l.commands.Load()
	s.state.loading.Keys = int64(s.o.Keyspace.Len())
	return s.state.loading
}

// progress logs how far loading is, each second until done.
func (l *recovery) progress(done <-chan struct{}) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for n := 1; ; n++ {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		at := l.note()
		if n%int(time.Second/lookEvery) == 0 {
			l.store.o.Log.Info("loading", "bytes", at.Done, "of", at.Total, "keys", at.Keys, "left", at.Left(l.store.o.Now()).Round(time.Second))
		}
	}
}

func (s *Store) endLoading(l *recovery) {
	l.note()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.saved = s.o.Changes() // what was done again is no change
	st := &s.state.loading
	st.Now, st.Took = false, s.o.Now().Sub(st.Began)
	st.Expired, st.Skipped, st.CutBytes = l.loader.Expired, l.loader.Skipped+l.replay.LeftOut(), l.cut
	if st.Skipped > 0 {
		s.o.Log.Warn("left out what is not a sorted set in database 0; it is lost once the files are written anew", "keys", l.loader.Skipped,
			"commands", l.replay.LeftOut())
	}
}
