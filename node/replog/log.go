package replog

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// chunkBytes is the unit in which memory is taken and forgotten.
const chunkBytes = 64 << 10

var (
	// ErrGone is for an offset that the log does not have: forgotten, or not written yet.
	ErrGone = errors.New("replog: the log does not go back to this offset")
	// ErrOverrun is for a reader that was too far behind.
	ErrOverrun = errors.New("replog: the reader was too slow, what it has not read is forgotten")
	// ErrClosed is for a reader that was closed.
	ErrClosed = errors.New("replog: the reader is closed")
)

// A Log is bytes with offsets, of which the last can be read.
type Log struct {
	mu      sync.Mutex
	keep    int64        // guarded by mu
	end     int64        // guarded by mu; the offset of the next byte
	chunks  []*chunk     // guarded by mu; the last is written to; there is always one
	readers []*Reader    // guarded by mu
	spare   *chunk       // guarded by mu; one that nobody reads, for reuse
	taken   atomic.Int64 // bytes of all chunks and the spare one; written while mu is held
}

// chunk is neighbouring bytes. Those written do not change.
type chunk struct {
	start   int64
	buf     []byte
	readers int // that read in it, or have been given bytes of it; guarded by the Log's mu
}

func (c *chunk) end() int64 { return c.start + int64(len(c.buf)) }

// New makes an empty log whose first byte will have the offset from, and that keeps so many bytes.
func New(from, keep int64) *Log {
	l := &Log{keep: keep, end: from}
	l.chunks = []*chunk{{start: from}}
	return l
}

// SetKeep changes how many bytes are kept.
func (l *Log) SetKeep(keep int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.keep = keep
	l.forget()
}

// Append adds the bytes of all parts, as one, and returns the offset behind them.
func (l *Log) Append(parts ...[]byte) (end int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	before := len(l.chunks)
	for _, p := range parts {
		l.write(p)
	}
	if len(l.chunks) != before {
		l.forget()
	}
	for _, r := range l.readers {
		if r.hungry {
			r.hungry = false
			r.notify()
		}
	}
	return l.end
}

func (l *Log) write(p []byte) {
	for len(p) > 0 {
		last := l.chunks[len(l.chunks)-1]
		if last.buf == nil {
			last.buf = make([]byte, 0, chunkBytes)
			l.taken.Add(chunkBytes)
		}
		n := min(cap(last.buf)-len(last.buf), len(p))
		last.buf = append(last.buf, p[:n]...)
		p = p[n:]
		l.end += int64(n)
		if len(last.buf) == cap(last.buf) {
			l.chunks = append(l.chunks, l.chunk())
		}
	}
}

// chunk is an empty one at the end.
func (l *Log) chunk() *chunk {
	c := l.spare
	if c == nil {
		return &chunk{start: l.end}
	}
	l.spare = nil
	c.start, c.buf = l.end, c.buf[:0]
	return c
}

// forget drops the chunks that nobody is entitled to read.
func (l *Log) forget() {
	oldest := l.end - l.keep
	for _, r := range l.readers {
		switch {
		case r.overrun:
		case l.end-r.offset > max(r.limit, l.keep):
			r.overrun = true
			r.notify()
		default:
			oldest = min(oldest, r.offset)
		}
	}
	n := 0
	for n < len(l.chunks)-1 && l.chunks[n].end() <= oldest {
		c := l.chunks[n]
		if c.readers == 0 {
			c, l.spare = l.spare, c
		}
		if c != nil {
			l.taken.Add(-int64(cap(c.buf)))
		}
		n++
	}
	l.chunks = slices.Delete(l.chunks, 0, n)
}

// Range is the offset of the first byte that can be read, and of the next that will be written.
func (l *Log) Range() (start, end int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.chunks[0].start, l.end
}

// Bytes is the memory that the log takes. It does not wait.
func (l *Log) Bytes() int64 { return l.taken.Load() }

// chunkAt is the one with the byte at that offset, or the last.
func (l *Log) chunkAt(offset int64) *chunk {
	i := int((offset - l.chunks[0].start) / chunkBytes)
	return l.chunks[min(i, len(l.chunks)-1)]
}
