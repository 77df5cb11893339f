package replica

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"zset.dev/operator/node/replog"
)

// lineBytes bounds a line of the primary's.
const lineBytes = 4 << 10

// An answer to PSYNC.
type answer struct {
	full   bool
	id     string // of the history from now on
	offset int64  // of the last byte that the file includes
}

// handshake introduces this replica and asks for the log.
func (l *Link) handshake(from Position) (answer, error) {
	if err := l.expect("PONG", "PING"); err != nil && !strings.HasPrefix(err.Error(), "NOAUTH") {
		return answer{}, err
	}
	if l.options.Password != "" {
		if err := l.expect("OK", Auth(l.options.User, l.options.Password)...); err != nil {
			return answer{}, err
		}
	}
	if l.options.Port != 0 {
		if err := l.expect("OK", "REPLCONF", "listening-port", strconv.Itoa(l.options.Port)); err != nil {
			return answer{}, err
		}
	}
	if l.options.Host != "" {
		if err := l.expect("OK", "REPLCONF", "ip-address", l.options.Host); err != nil {
			return answer{}, err
		}
	}
	if err := l.expect("OK", "REPLCONF", "capa", "eof", "capa", "psync2"); err != nil {
		return answer{}, err
	}
	if err := l.ask(); err != nil {
		return answer{}, err
	}
	id, offset := "?", int64(-1)
	if from.ID != "" {
		id, offset = from.ID, from.Offset
	}
	words := []string{"PSYNC", id, strconv.FormatInt(offset, 10)}
	if l.options.Failover {
		words = append(words, "FAILOVER")
	}
	if err := l.write(replog.Command(words...)); err != nil {
		return answer{}, err
	}
	line, err := l.reply()
	if err != nil {
		if l.options.Failover {
			err = fmt.Errorf("%w: %w", ErrFailover, err)
		}
		return answer{}, err
	}
	return parseAnswer(line, from.ID)
}

// Auth is the command by which a node authenticates to another, as the default user if none is named.
func Auth(user, password string) []string {
	if user == "" {
		return []string{"AUTH", password}
	}
	return []string{"AUTH", user, password}
}

// ask asks what only some primaries know to answer.
func (l *Link) ask() error {
	if len(l.options.Ask) == 0 {
		return l.sink.Met("")
	}
	if err := l.write(replog.Command(append([]string{"REPLCONF"}, l.options.Ask...)...)); err != nil {
		return err
	}
	line, err := l.line()
	if err != nil {
		return err
	}
	return l.sink.Met(strings.TrimPrefix(line, "+")) // an error reply is no answer that anybody understands
}

// parseAnswer reads the answer to PSYNC by one that has the history id.
func parseAnswer(line, id string) (answer, error) {
	words := strings.Fields(line)
	switch {
	case len(words) == 3 && words[0] == "FULLRESYNC":
		offset, err := strconv.ParseInt(words[2], 10, 64)
		if err == nil && offset >= 0 {
			return answer{full: true, id: words[1], offset: offset}, nil
		}
	case len(words) == 1 && words[0] == "CONTINUE" && id != "":
		return answer{id: id}, nil
	case len(words) == 2 && words[0] == "CONTINUE" && id != "":
		return answer{id: words[1]}, nil
	}
	return answer{}, fmt.Errorf("PSYNC was answered %q", line)
}

// expect sends a command that is to be answered by a status.
func (l *Link) expect(status string, words ...string) error {
	if err := l.write(replog.Command(words...)); err != nil {
		return err
	}
	line, err := l.reply()
	if err != nil {
		return err
	}
	if line != status {
		return fmt.Errorf("%s was answered %q", words[0], line)
	}
	return nil
}

// reply reads a status; an error reply is an error with its text.
func (l *Link) reply() (string, error) {
	line, err := l.line()
	if err != nil {
		return "", err
	}
	switch line[0] {
	case '+':
		return line[1:], nil
	case '-':
		return "", errors.New(line[1:])
	}
	return "", fmt.Errorf("the primary answered %q", line)
}

// line reads a line that is not empty: empty ones only say that the primary is there.
func (l *Link) line() (string, error) {
	var line []byte
	for {
		var b [1]byte
		if _, err := io.ReadFull(l.in, b[:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = errClosed
			}
			return "", err
		}
		switch {
		case b[0] != '\n':
			if line = append(line, b[0]); len(line) > lineBytes {
				return "", errors.New("the primary sent a line without an end")
			}
		case len(bytes.TrimRight(line, "\r")) > 0:
			return string(bytes.TrimRight(line, "\r")), nil
		default:
			line = line[:0]
		}
	}
}

// is reports whether a word is that name, in any case.
func is(word []byte, name string) bool { return strings.EqualFold(string(word), name) }
