package node

import "github.com/tidwall/redcon"

// Sizes of a query buffer, in bytes.
const (
	readStart = 4 << 10  // a new connection's
	readMost  = 64 << 10 // that of one whose reads fill it; more only for a larger command
)

// query is a connection's query buffer: the bytes received and not yet
// executed, cut into commands. Its goroutine owns it.
type query struct {
	buf        []byte
	start, end int   // buf[start:end] waits
	frame      frame // what is known of the command at start
	filled     bool  // the last read left no room
	args       [][]byte

	// Commands cut ahead, those before taken already handed out. They hold
	// while limits do, and the bytes stay where they are.
	ahead  [cutAhead][][]byte // the words of each
	ends   [cutAhead]int      // where it ends in buf
	cuts   int
	taken  int
	limits frameLimits
}

const (
	// argsKept is how many words of a command the buffer of words keeps room for.
	argsKept = 1024
	// cutAhead is how many commands are cut at once.
	cutAhead = 16
)

// look cuts as many whole commands as have arrived, up to cutAhead, unless the
// last such are not all taken, and reports whether it did.
func (q *query) look(limits frameLimits) (anew bool) {
	if q.taken < q.cuts && q.limits == limits {
		return false
	}
	q.forget()
	if cap(q.args) > argsKept {
		q.args = nil
	}
	if q.frame != (frame{}) || !limits.authenticated {
		return true
	}
	q.limits = limits
	words, at := q.args[:0], q.start
	for q.cuts < cutAhead {
		from := len(words)
		more, size := whole(q.buf[at:q.end], words, limits.bulkBytes)
		if size == 0 {
			break
		}
		words = more
		at += size
		// If words has grown meanwhile, those cut before stay in what it was.
		q.ahead[q.cuts], q.ends[q.cuts] = words[from:len(words):len(words)], at
		q.cuts++
	}
	q.args = words
	return true
}

// forget lets commands that were cut ahead be cut again. It keeps nothing of
// them, as their words may be in a large buffer that is about to go.
func (q *query) forget() {
	clear(q.ahead[:q.cuts])
	q.cuts, q.taken = 0, 0
}

// next cuts the next command off. It returns no words when what waits is not a
// whole command yet, and empty ones for an empty command, which has no reply.
// The words are valid until next or space is called. A protocol error ends the
// connection.
func (q *query) next(limits frameLimits) (args [][]byte, err error) {
	q.look(limits)
	if q.taken < q.cuts {
		args, q.start = q.ahead[q.taken], q.ends[q.taken]
		q.taken++
		return args, nil
	}
	waiting := q.buf[q.start:q.end]
	size, err := q.frame.scan(waiting, limits)
	if err != nil || size == 0 {
		return nil, err
	}
	kind := q.frame.kind
	q.frame = frame{}
	q.start += size
	switch kind {
	case frameEmpty:
		return [][]byte{}, nil
	case frameInline:
		q.args, err = splitInline(waiting[:size], q.args[:0])
		if q.args == nil {
			q.args = [][]byte{}
		}
		return q.args, err
	}
	// It came in pieces. Now that the frame is whole and its lengths are sound
	// redcon only slices it; what is left to find wrong is that no line ends after a string.
	_, q.args, _, _, err = redcon.ReadNextCommand(waiting[:size], q.args)
	if err != nil {
		return nil, errCRLF
	}
	return q.args, nil
}

// waiting is the number of bytes received and not yet executed.
func (q *query) waiting() int { return q.end - q.start }

// space is where to read to; it is never empty. The buffer grows only when what
// has really arrived fills half of it or nearly, whatever length a command announces.
func (q *query) space() []byte {
	q.forget()
	waiting := q.waiting()
	if waiting == 0 {
		q.start, q.end = 0, 0
		if len(q.buf) > readMost {
			q.buf, q.args = nil, nil
		}
	}
	size := max(len(q.buf), readStart)
	if q.filled && size < readMost {
		size = min(2*size, readMost)
	}
	if need := max(q.frame.need, waiting+1); need > size && waiting >= size/2 {
		// A long argument gets what it needs, many short ones twice as much.
		if need >= size+size/8 && need <= 2*size+size/2 {
			size = need
		} else {
			size *= 2
		}
	}
	switch {
	case size > len(q.buf):
		grown := make([]byte, size)
		q.end = copy(grown, q.buf[q.start:q.end])
		q.buf, q.start = grown, 0
	case q.start > 0 && (q.end == len(q.buf) || q.start+q.frame.need > len(q.buf)):
		q.end = copy(q.buf, q.buf[q.start:q.end])
		q.start = 0
	}
	return q.buf[q.end:]
}

// received says that n bytes were read into space.
func (q *query) received(n int) {
	q.end += n
	q.filled = q.end == len(q.buf)
}
