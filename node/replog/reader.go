package replog

import (
	"context"
	"runtime"
	"slices"
)

// A Reader reads a log from an offset on. One goroutine uses it.
type Reader struct {
	log    *Log
	limit  int64
	wake   chan struct{} // holds a token once there is news
	closed bool

	// Guarded by the log's mu.
	offset  int64  // of the next byte to be given out
	pinned  *chunk // of which bytes were given out
	overrun bool
	hungry  bool // it has read everything, and is to be notified of more
}

// Read makes a reader that begins at that offset. It may be so many bytes behind the end before it is overrun, if that
// is more than the log keeps anyway. It must be closed.
func (l *Log) Read(offset, limit int64) (*Reader, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if offset < l.chunks[0].start || offset > l.end {
		return nil, ErrGone
	}
	r := &Reader{log: l, limit: limit, offset: offset, hungry: true, wake: make(chan struct{}, 1)}
	l.readers = append(l.readers, r)
	return r, nil
}

// Tail makes a reader that begins at the log's end, as Read does.
func (l *Log) Tail(limit int64) *Reader {
	l.mu.Lock()
	defer l.mu.Unlock()
	r := &Reader{log: l, limit: limit, offset: l.end, hungry: true, wake: make(chan struct{}, 1)}
	l.readers = append(l.readers, r)
	return r
}

// SetLimit changes how far the reader may be behind. Any goroutine may call it.
func (r *Reader) SetLimit(limit int64) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	r.limit = limit
}

// Behind is how many bytes there are that were not given out yet, and whether the reader is too far behind to get them. Any goroutine
// may call it.
func (r *Reader) Behind() (bytes int64, overrun bool) {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.log.end - r.offset, r.overrun
}

// Next is some more of the log, valid until the next call. It waits for it until ctx ends, and then returns why.
func (r *Reader) Next(ctx context.Context) ([]byte, error) {
	for {
		b, err := r.take()
		if b != nil || err != nil {
			return b, err
		}
		select {
		case <-r.wake:
			// Whoever can run now may be about to append, too. To be given all of it at once saves more than it delays: a system call
			// for each piece, and a confirmation.
			runtime.Gosched()
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Some is Next without the waiting: nothing when there is nothing new.
func (r *Reader) Some() ([]byte, error) { return r.take() }

// News has something to receive once there may be something new, for who waits for other things, too. Whoever receives it
// reads with Some until there is nothing.
func (r *Reader) News() <-chan struct{} { return r.wake }

// take is what there is to read.
func (r *Reader) take() ([]byte, error) {
	if r.closed {
		return nil, ErrClosed
	}
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	r.unpin()
	if r.overrun {
		return nil, ErrOverrun
	}
	if r.offset == l.end {
		r.hungry = true
		return nil, nil
	}
	c := l.chunkAt(r.offset)
	c.readers++
	r.pinned = c
	b := c.buf[r.offset-c.start:]
	r.offset = c.end()
	return b[:len(b):len(b)], nil
}

func (r *Reader) unpin() {
	if r.pinned != nil {
		r.pinned.readers--
		r.pinned = nil
	}
}

// Offset is that of the byte behind all that was given out.
func (r *Reader) Offset() int64 {
	r.log.mu.Lock()
	defer r.log.mu.Unlock()
	return r.offset
}

// Close ends reading.
func (r *Reader) Close() {
	if r.closed {
		return
	}
	r.closed = true
	l := r.log
	l.mu.Lock()
	defer l.mu.Unlock()
	r.unpin()
	i := slices.Index(l.readers, r)
	l.readers = slices.Delete(l.readers, i, i+1)
	l.forget()
}

// notify wakes the reader, or lets it not fall asleep.
func (r *Reader) notify() {
	select {
	case r.wake <- struct{}{}:
	default:
	}
}
