//go:build linux

package load

import (
	"bytes"
	"errors"
	"fmt"
)

// Tally is what was seen of replies.
type Tally struct {
	Sum   int // of the integers that are replies of their own
	Nulls int // of replies that are null, and of arrays without elements
}

// Add adds another's.
func (t *Tally) Add(u Tally) { t.Sum, t.Nulls = t.Sum+u.Sum, t.Nulls+u.Nulls }

// replies counts the replies of the second version of the protocol in a stream.
type replies struct {
	Tally
	open int // elements that are still to come of the reply under way
}

// ErrReply is wrapped by what a server answered as an error.
var ErrReply = errors.New("the server answers")

// count goes through b and says how many replies end in it and how much of it was used: the rest is the beginning of
// an element and is to be given again with what follows.
func (r *replies) count(b []byte) (used, complete int, err error) {
	for used < len(b) {
		rest := b[used:]
		n, i, negative := 0, 1, false
		if i < len(rest) && rest[i] == '-' {
			negative = true
			i++
		}
		for i < len(rest) && rest[i] >= '0' && rest[i] <= '9' {
			n = 10*n + int(rest[i]-'0')
			i++
		}
		switch rest[0] {
		case ':', '$', '*':
			if i+2 > len(rest) {
				return used, complete, nil
			}
			if rest[i] != '\r' {
				return used, complete, fmt.Errorf("not a reply: %.40q", rest)
			}
			i += 2
		case '+', '-':
			end := bytes.IndexByte(rest, '\n')
			if end < 0 {
				return used, complete, nil
			}
			if rest[0] == '-' {
				return used, complete, fmt.Errorf("%w %q", ErrReply, rest[:end-1])
			}
			i = end + 1
		default:
			return used, complete, fmt.Errorf("not a reply: %.40q", rest)
		}
		top := r.open == 0
		if top {
			r.open = 1
		}
		switch rest[0] {
		case ':':
			if negative {
				n = -n
			}
			if top {
				r.Sum += n
			}
		case '$':
			if negative {
				r.Nulls++
			} else if i += n + 2; i > len(rest) {
				if top {
					r.open = 0 // as it was
				}
				return used, complete, nil
			}
		case '*':
			if negative || n == 0 {
				r.Nulls++
			} else {
				r.open += n
			}
		}
		used += i
		if r.open--; r.open == 0 {
			complete++
		}
	}
	return used, complete, nil
}
