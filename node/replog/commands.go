package replog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
)

const (
	maxArgs    = 1 << 20
	maxArg     = 1 << 30
	headerSize = 32 // bytes of a length's line
	keptBytes  = 1 << 20
)

// ErrTorn is for a command that has a beginning and no end.
var ErrTorn = errors.New("replog: the log ends within a command")

// A CorruptError is for bytes that are no command.
type CorruptError struct {
	Offset int64 // of the command's first byte
	Reason string
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("replog: no command at byte %d: %s", e.Offset, e.Reason)
}

// Commands reads the commands of a log, each an array of strings in the clients' protocol: from a file or from a primary.
// Between them there may be lines that begin with #, which are skipped.
type Commands struct {
	// Comment is told of each line that begins with #, without its end, if not nil. The line is valid during the call.
	Comment func(line []byte)

	r      *bufio.Reader
	offset int64 // of the next byte
	whole  int64 // offset behind the last whole command
	args   [][]byte
	ends   []int  // of args in bytes
	bytes  []byte // of a command that did not arrive in one piece
	raw    []byte // of the last command

	ahead bool // args and raw are those of the command that Next is to return
}

// NewCommands reads from r, whose first byte has that offset.
func NewCommands(r io.Reader, offset int64) *Commands {
	return &Commands{r: bufio.NewReaderSize(r, 256<<10), offset: offset, whole: offset}
}

// Whole is the offset behind the last command that Next returned.
func (c *Commands) Whole() int64 { return c.whole }

// Raw is the bytes of the last command that Next returned, as they stand in the log and as long as what it returned is valid.
func (c *Commands) Raw() []byte { return c.raw }

// More reports whether the next command is there already, so that Next will read nothing. What Next returned last is not valid
// any more.
func (c *Commands) More() bool {
	c.ahead = c.ahead || c.inPlace()
	return c.ahead
}

// Next is the next command, valid until the one after it. At the log's end the error is io.EOF, ErrTorn within
// a command; it is a *CorruptError for what is no command, or the reader's.
func (c *Commands) Next() ([][]byte, error) {
	for {
		if c.More() {
			c.ahead = false
			c.offset += int64(len(c.raw))
			c.whole = c.offset
			return c.args, nil
		}
		start := c.offset
		if c.bytes = c.bytes[:0]; cap(c.bytes) > keptBytes {
			c.bytes = nil
		}
		line, err := c.line()
		if err != nil {
			if err == io.EOF && c.offset > start {
				return nil, ErrTorn
			}
			return nil, err
		}
		if len(line) > 0 && line[0] == '#' {
			c.whole = c.offset
			if c.Comment != nil {
				c.Comment(line)
			}
			continue
		}
		n, ok := header(line, '*')
		if !ok || n < 1 || n > maxArgs {
			return nil, &CorruptError{c.whole, "not the number of strings"}
		}
		if err := c.strings(n); err != nil {
			if err == io.EOF {
				err = ErrTorn
			}
			return nil, err
		}
		c.whole, c.raw = c.offset, c.bytes
		return c.args, nil
	}
}

// inPlace takes the next command apart where it was read to, if it is there as a whole and not unusual; almost every one is.
func (c *Commands) inPlace() bool {
	b, _ := c.r.Peek(c.r.Buffered())
	if len(b) == 0 || b[0] != '*' {
		return false
	}
	n, at := lengthIn(b, 1)
	if n == 0 || n > maxArgs {
		return false
	}
	args := c.args[:0]
	for range n {
		if at == 0 || at >= len(b) || b[at] != '$' {
			return false
		}
		size, from := lengthIn(b, at+1)
		to := from + size
		if from == 0 || to+2 > len(b) || b[to] != '\r' || b[to+1] != '\n' {
			return false
		}
		args = append(args, b[from:to:to])
		at = to + 2
	}
	c.args, c.raw = args, b[:at:at]
	c.r.Discard(at) // the bytes stay where they are until more is read
	return true
}

// lengthIn reads the number at b[at:], of a few digits, and its line's end. next is behind that, or 0 when it is anything else.
func lengthIn(b []byte, at int) (n, next int) {
	const digits = 8
	start := at
	for ; at < len(b) && b[at]-'0' <= 9; at++ {
		n = n*10 + int(b[at]-'0')
	}
	if width := at - start; width == 0 || width > digits || at+1 >= len(b) || b[at] != '\r' || b[at+1] != '\n' {
		return 0, 0
	}
	return n, at + 2
}

// strings reads n strings into args.
func (c *Commands) strings(n int) error {
	c.args, c.ends = c.args[:0], c.ends[:0]
	for range n {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, ok := header(line, '$')
		if !ok || size < 0 || size > maxArg {
			return &CorruptError{c.whole, "not the length of a string"}
		}
		c.ends = append(c.ends, len(c.bytes), len(c.bytes)+size)
		if err := c.read(size); err != nil {
			return err
		}
		var end [2]byte
		got, err := io.ReadFull(c.r, end[:])
		c.offset += int64(got)
		c.bytes = append(c.bytes, end[:got]...)
		if err != nil {
			return ended(err)
		}
		if end != [2]byte{'\r', '\n'} {
			return &CorruptError{c.whole, "a string longer than it says"}
		}
	}
	for i := 0; i < len(c.ends); i += 2 {
		c.args = append(c.args, c.bytes[c.ends[i]:c.ends[i+1]:c.ends[i+1]])
	}
	return nil
}

// read appends so many bytes to c.bytes, which grows only with what is there.
func (c *Commands) read(size int) error {
	const step = 64 << 10
	for size > 0 {
		some := min(size, step)
		at := len(c.bytes)
		c.bytes = slices.Grow(c.bytes, some)[:at+some]
		got, err := io.ReadFull(c.r, c.bytes[at:])
		c.offset += int64(got)
		if err != nil {
			return ended(err)
		}
		size -= some
	}
	return nil
}

// ended is io.EOF for an end in the midst of something.
func ended(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return io.EOF
	}
	return err
}

// line reads a line, without its end, which goes to c.bytes, too.
func (c *Commands) line() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	c.offset += int64(len(line))
	c.bytes = append(c.bytes, line...)
	if err != nil {
		if errors.Is(err, bufio.ErrBufferFull) {
			return nil, &CorruptError{c.whole, "a line without an end"}
		}
		return nil, err
	}
	line = line[:len(line)-1]
	if n := len(line); n > 0 && line[n-1] == '\r' {
		return line[:n-1], nil
	}
	if len(line) > 0 && line[0] == '#' {
		return line, nil
	}
	return nil, &CorruptError{c.whole, "a line with the wrong end"}
}

// header is the number in a line that begins with mark.
func header(line []byte, mark byte) (int, bool) {
	if len(line) < 2 || len(line) > headerSize || line[0] != mark || line[1] == '+' {
		return 0, false
	}
	n, err := strconv.Atoi(string(line[1:]))
	return n, err == nil
}
