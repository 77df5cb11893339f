package persist

import (
	"errors"
	"math"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
)

const (
	// gatherMost is how much of the log is written at once.
	gatherMost = 1 << 20
	// gatherFor is how long the appender lets changes come together, unless a client waits for the disk. What a client was told
	// within that time only a power cut or a killed process can take back.
	gatherFor = 2 * time.Millisecond
	// lookEvery is how often it looks whether something changed that nobody tells it of.
	lookEvery = 100 * time.Millisecond
	syncEvery = time.Second
	// givenUp is how many bytes of the log are kept for a disk that fails. Clients' writes are refused long before; what a primary sends
	// is not.
	givenUp = 4 * farBehind
	// retryEvery is how long it waits after the disk failed.
	retryEvery = time.Second
)

// Policy is when what was appended is on disk.
type Policy int

// The policies, as appendfsync names them.
const (
	EverySecond Policy = iota
	Always
	Never
)

// appender writes the log to a file. One goroutine has it, but for requests.
type appender struct {
	store  *Store
	folder *Folder
	fileState

	log     *replog.Log
	reader  *replog.Reader
	buf     []byte    // of the log
	out     int       // bytes of buf that are written
	from    int64     // offset of the first byte that is not written
	counts  bool      // what the file has counts: the manifest has it, with a base
	lastFor time.Time // of the last fsync

	written atomic.Int64 // from, for others
	counted atomic.Bool  // counts, for others

	requests chan request
	stopping chan struct{} // closed for it to end
	done     chan struct{} // closed once it has
}

// fileState is the file that an appender writes to.
type fileState struct {
	file   File
	handle Handle
	good   int64          // bytes that are whole
	synced int64          // bytes that are on disk
	noted  replog.History // what it says of the history
}

// A request is what the goroutine is asked to do in its place between two writes.
type request struct {
	do    func(*appender) error
	reply chan error
}

// errBroken is for a file of which nobody knows what is on disk.
var errBroken = errors.New("persist: the file cannot be trusted after a failed fsync")

// newAppender makes one that writes from the end of the log on, behind what the file has.
func newAppender(s *Store, folder *Folder, log *replog.Log, file File, h Handle) (*appender, error) {
	size, err := h.Size()
	if err != nil {
		return nil, err
	}
	a := &appender{
		store: s, folder: folder, fileState: fileState{file: file, handle: h, good: size, synced: size}, log: log,
		reader: log.Tail(math.MaxInt64), requests: make(chan request), stopping: make(chan struct{}), done: make(chan struct{}),
	}
	a.from = a.reader.Offset()
	a.written.Store(a.from)
	return a, nil
}

// note writes down where the file is in the log.
func (a *appender) note() error {
	stream := a.store.o.Stream
	at := stream.EpochAt(a.from)
	h, log := stream.Named()
	if log != a.log { // which is to be read no more; what it was may have been mixed up with what it is
		h, at = a.noted, 0
	}
	place := Place{History: h, Offset: a.from, Epoch: stream.LogEpoch(), At: at}
	if err := a.put([]byte(place.annotation())); err != nil {
		return err
	}
	a.noted = h
	return nil
}

// put writes bytes to the file, all or none.
func (a *appender) put(b []byte) error {
	began := time.Now()
	n, err := a.handle.Write(b)
	a.store.took("aof-write", began)
	if err == nil {
		a.good += int64(n)
		a.store.grew(int64(n))
		return nil
	}
	if n > 0 {
		if cut := a.handle.Truncate(a.good); cut != nil {
			return errors.Join(err, errBroken)
		}
	}
	return err
}

// run writes until it is stopped, and then what is left.
func (a *appender) run() {
	defer close(a.done)
	defer a.close()
	timer := time.NewTimer(lookEvery)
	defer timer.Stop()
	for {
		a.gather()
		if err := a.renamed(); a.waiting() > 0 || err != nil {
			if !a.write() {
				return
			}
			continue
		}
		if _, log := a.store.o.Stream.Named(); log != a.log {
			a.last()
			a.store.begin("the data is that of another log")
			return
		}
		timer.Reset(a.pause())
		select {
		case <-a.reader.News():
			if a.store.policy() != Always && !a.rest(gatherFor) {
				a.last()
				return
			}
		case r := <-a.requests:
			r.reply <- r.do(a)
		case <-timer.C:
			if a.due() && !a.write() {
				return
			}
		case <-a.stopping:
			a.last()
			return
		}
	}
}

// renamed notes that the history goes on under another name, when nothing else is to be written that would.
func (a *appender) renamed() error {
	if h, log := a.store.o.Stream.Named(); a.waiting() == 0 && log == a.log && h.ID != a.noted.ID {
		return a.note()
	}
	return nil
}

// pause is how long it may wait for news.
func (a *appender) pause() time.Duration {
	if a.synced < a.good && a.store.policy() == EverySecond {
		return max(time.Millisecond, min(lookEvery, syncEvery-time.Since(a.lastFor)))
	}
	return lookEvery
}

// rest waits, unless it is to end.
func (a *appender) rest(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			return true
		case r := <-a.requests:
			r.reply <- r.do(a)
		case <-a.stopping:
			return false
		}
	}
}

// last writes what is left before the end, and does not try twice.
func (a *appender) last() {
	if err := a.catchUp(); err != nil {
		a.store.failed(err)
	}
}

// catchUp has all of the log up to some moment since it was called on disk.
func (a *appender) catchUp() error {
	for drained := false; !drained; {
		drained = a.gather()
		if err := a.renamed(); err != nil {
			return err
		}
		if err := a.flush(math.MaxInt64); err != nil {
			return err
		}
	}
	return a.sync()
}

// waiting is how many bytes of the buffer are not written.
func (a *appender) waiting() int { return len(a.buf) - a.out }

// gather takes what there is of the log, up to a bound, and reports whether that is all.
func (a *appender) gather() (drained bool) {
	for len(a.buf) < gatherMost {
		b, err := a.reader.Some()
		if err != nil || len(b) == 0 {
			return true // a reader without a limit is never overrun
		}
		a.buf = append(a.buf, b...)
	}
	return false
}

// write writes what was gathered, as often as it takes. It reports whether the appender goes on.
func (a *appender) write() bool {
	for {
		err := a.renamed()
		if err == nil {
			err = a.flush(math.MaxInt64)
		}
		if err == nil && a.due() {
			err = a.sync()
		}
		switch {
		case err == nil:
			a.store.wrote()
			return true
		case errors.Is(err, errBroken):
			a.store.failed(err)
			a.store.begin("the append-only file cannot be trusted any more")
			return false
		}
		a.store.failed(err)
		if _, end := a.log.Range(); end-a.from > givenUp {
			a.store.begin("more was logged than can be kept in memory until the disk works again")
			return false
		}
		if !a.rest(retryEvery) {
			return false
		}
	}
}

// flush writes the buffer up to that offset of the log, and where another history begins says so.
func (a *appender) flush(to int64) error {
	for a.waiting() > 0 && a.from < to {
		some := a.buf[a.out:]
		some = some[:min(int64(len(some)), to-a.from)]
		if h, log := a.store.o.Stream.Named(); h.ID != a.noted.ID && log == a.log {
			before := h.Until - a.from
			if before <= 0 || a.noted.ID == "" {
				if err := a.note(); err != nil {
					return err
				}
			} else if before < int64(len(some)) {
				some = some[:before]
			}
		}
		if err := a.put(some); err != nil {
			return err
		}
		a.out += len(some)
		a.from += int64(len(some))
		a.written.Store(a.from)
	}
	if a.waiting() == 0 {
		a.buf, a.out = a.buf[:0], 0
		if cap(a.buf) > 2*gatherMost {
			a.buf = nil
		}
	}
	return nil
}

// due reports whether what was written has to go to the disk by now.
func (a *appender) due() bool {
	if a.synced == a.good || a.store.spared() {
		return false
	}
	switch a.store.policy() {
	case Always:
		return true
	case EverySecond:
		return time.Since(a.lastFor) >= syncEvery
	}
	return false
}

// sync has the file on disk. After an error it is not trusted: what the system keeps of it may be gone and yet be called written.
func (a *appender) sync() error {
	a.lastFor = time.Now()
	if a.synced < a.good {
		err := a.handle.Sync()
		a.store.took("aof-fsync-always", a.lastFor)
		if err != nil {
			return errors.Join(err, errBroken)
		}
		a.synced = a.good
	}
	if a.counts {
		a.store.kept(a.from)
	}
	return nil
}

func (a *appender) close() {
	a.reader.Close()
	a.handle.Close()
}

// ask has the goroutine do something between two writes.
func (a *appender) ask(do func(*appender) error) error {
	r := request{do, make(chan error, 1)}
	select {
	case a.requests <- r:
		return <-r.reply
	case <-a.done:
		return errStopped
	}
}

// cut lets the appender go on in another file, which counts from then on behind this one, once this one has all of the log up
// to an offset and is on disk. It says when it writes nothing more before it knows the offset, and gives up if at is closed.
func (a *appender) cut(waits chan<- struct{}, at <-chan int64) error {
	if err := a.catchUp(); err != nil {
		return err
	}
	file, h, err := a.folder.next()
	if err != nil {
		return err
	}
	close(waits)
	to, ok := <-at
	if !ok {
		err = errStopped
	}
	for err == nil && a.reader.Offset() < to {
		a.gather()
		err = a.flush(to)
	}
	if err == nil {
		err = a.flush(to)
	}
	if err == nil {
		err = a.sync()
	}
	old := a.fileState
	if err == nil {
		a.fileState = fileState{file: file, handle: h}
		if err = a.note(); err == nil {
			if err = a.sync(); err == nil {
				err = a.folder.chain(file)
			}
		}
	}
	if err != nil {
		h.Close()
		a.store.o.Disk.Remove(a.folder.at(file.Name))
		a.fileState = old
		return err
	}
	old.handle.Close()
	return nil
}
