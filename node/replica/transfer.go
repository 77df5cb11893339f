package replica

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zset.dev/operator/node/rdb"
)

// markBytes is the length of the mark that ends a file whose length was not known.
const markBytes = 40

// transfer hands the file that comes to the sink. Before it stands its length, or a mark that comes again behind it:
//
//	$12345\r\n  or  $EOF:<40 bytes>\r\n
func (l *Link) transfer(at Position) error {
	line, err := l.line()
	if err != nil {
		return err
	}
	if line[0] == '-' {
		return errors.New(line[1:])
	}
	mark, marked := strings.CutPrefix(line, "$EOF:")
	if marked && len(mark) != markBytes {
		return fmt.Errorf("the file was announced as %q", line)
	}
	var r io.Reader = l.in
	var rest *io.LimitedReader
	if !marked {
		size, err := strconv.ParseInt(strings.TrimPrefix(line, "$"), 10, 64)
		if err != nil || size < 0 || line[0] != '$' {
			return fmt.Errorf("the file was announced as %q", line)
		}
		l.size.Store(size)
		rest = &io.LimitedReader{R: l.in, N: size}
		r = rest
	}
	file := rdb.NewDecoder(r, l.options.NewSet)
	if err := l.sink.Full(at, file); err != nil {
		return err
	}
	if !marked {
		if left := rest.N + int64(len(file.Rest())); left != 0 {
			return fmt.Errorf("the file ended %d bytes before the length it was announced with", left)
		}
		return nil
	}
	l.in.back = append([]byte(nil), file.Rest()...)
	got := make([]byte, markBytes)
	if _, err := io.ReadFull(l.in, got); err != nil {
		return err
	}
	if string(got) != mark {
		return errors.New("the file did not end with its mark")
	}
	return nil
}
