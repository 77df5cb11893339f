package persist

import (
	"bytes"
	"errors"
	"io"

	"zset.dev/operator/node/replog"
)

const (
	searchBytes = 4 << 20 // how far behind damage a whole command is searched for in each piece
	provenChain = 2       // whole commands in a row that no garbage is
)

// WholeBehind reports whether whole commands stand in the file behind the damage at that offset: then it is not the end of
// the file that a crash tore off, and cutting there would lose what was written after it. size is the file's.
func WholeBehind(file io.ReaderAt, damage, size int64) (bool, error) {
	piece := make([]byte, searchBytes)
	// The command that is damaged may have its first bytes intact.
	for at := damage + 1; at < size; {
		n, err := file.ReadAt(piece[:min(searchBytes, size-at)], at)
		if n == 0 && err != nil {
			return false, err
		}
		found := piece[:n]
		for from := 0; ; {
			i := bytes.Index(found[from:], []byte("\r\n*"))
			if i < 0 {
				break
			}
			from += i + 2
			whole, err := chain(file, at+int64(from), size)
			if whole || err != nil {
				return whole, err
			}
		}
		if int64(n) == size-at {
			return false, nil
		}
		at += int64(n) - 2 // what is searched for may lie across
	}
	return false, nil
}

// chain reports whether some whole commands begin at that offset.
func chain(file io.ReaderAt, offset, size int64) (bool, error) {
	c := replog.NewCommands(io.NewSectionReader(file, offset, size-offset), offset)
	for range provenChain {
		_, err := c.Next()
		var corrupt *replog.CorruptError
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, replog.ErrTorn), errors.As(err, &corrupt):
			return false, nil
		case err != nil:
			return false, err
		}
	}
	return true, nil
}
