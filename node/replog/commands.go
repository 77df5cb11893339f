package replog

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
)

const (
	maxArgs    = 1 << 20
	maxArg     = 1 << 30
	headerSize = 32 // bytes of a length's line
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
	r      *bufio.Reader
	offset int64 // of the next byte
	whole  int64 // offset behind the last whole command
	args   [][]byte
	bytes  []byte // of args
}

// NewCommands reads from r, whose first byte has that offset.
func NewCommands(r io.Reader, offset int64) *Commands {
	return &Commands{r: bufio.NewReaderSize(r, 256<<10), offset: offset, whole: offset}
}

// Whole is the offset behind the last command that Next returned.
func (c *Commands) Whole() int64 { return c.whole }

// Next is the next command, valid until the one after it. At the log's end the error is io.EOF, ErrTorn within
// a command; it is a *CorruptError for what is no command, or the reader's.
func (c *Commands) Next() ([][]byte, error) {
	for {
		start := c.offset
		line, err := c.line()
		if err != nil {
			if err == io.EOF && c.offset > start {
				return nil, ErrTorn
			}
			return nil, err
		}
		if len(line) > 0 && line[0] == '#' {
			c.whole = c.offset
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
		c.whole = c.offset
		return c.args, nil
	}
}

// strings reads n strings into args.
func (c *Commands) strings(n int) error {
	c.args, c.bytes = c.args[:0], c.bytes[:0]
	ends := make([]int, 0, min(n, 16))
	for range n {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, ok := header(line, '$')
		if !ok || size < 0 || size > maxArg {
			return &CorruptError{c.whole, "not the length of a string"}
		}
		if err := c.read(size); err != nil {
			return err
		}
		ends = append(ends, len(c.bytes))
		var end [2]byte
		got, err := io.ReadFull(c.r, end[:])
		c.offset += int64(got)
		if err != nil {
			return ended(err)
		}
		if end != [2]byte{'\r', '\n'} {
			return &CorruptError{c.whole, "a string longer than it says"}
		}
	}
	from := 0
	for _, to := range ends {
		c.args = append(c.args, c.bytes[from:to:to])
		from = to
	}
	return nil
}

// read appends so many bytes to c.bytes, which grows only with what is there.
func (c *Commands) read(size int) error {
	const step = 64 << 10
	for size > 0 {
		some := min(size, step)
		at := len(c.bytes)
		c.bytes = append(c.bytes, make([]byte, some)...)
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

// line reads a line, without its end.
func (c *Commands) line() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	c.offset += int64(len(line))
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
