package node

import (
	"bytes"
	"math"

	"zset.dev/operator/node/resp"
)

// protocolError is a malformed request. The text is sent, and the connection
// closed, since there is no telling where the next command starts.
type protocolError string

func (e protocolError) Error() string { return "Protocol error: " + string(e) }

const (
	errMultibulkLength = protocolError("invalid multibulk length")
	errBulkLength      = protocolError("invalid bulk length")
	errUnauthCount     = protocolError("unauthenticated multibulk length")
	errUnauthLength    = protocolError("unauthenticated bulk length")
	errInlineTooBig    = protocolError("too big inline request")
	errCRLF            = protocolError("invalid CRLF in request")
	errQuotes          = protocolError("unbalanced quotes in request")
)

// Limits on what is sent before authentication, and on a line without end.
const (
	unauthArgs   = 10
	unauthBytes  = 16 << 10
	unauthReply  = 16 << 10 // bytes of replies that may wait for it
	inlineBytes  = 64 << 10
	headerDigits = 32 // a length's line is at most this long
)

// frameLimits is what a client may send at present.
type frameLimits struct {
	authenticated bool
	bulkBytes     int64 // proto-max-bulk-len
}

type frameKind uint8

const (
	frameArray  frameKind = iota // *n and n strings
	frameInline                  // a line of words
	frameEmpty                   // *0 and the like: nothing to do
)

// frame is how far a command that is still arriving has been looked at. Its
// lengths are read once each and checked before anything else sees the bytes,
// so it costs one visit to each header however the bytes are split, and none
// to the strings themselves.
type frame struct {
	kind  frameKind
	begun bool // the array's header was read
	left  int  // strings to come, after those before at
	at    int  // where, from the command's start, the next header starts (inline: what was searched)
	need  int  // bytes without which another look is useless
}

// scan looks at b, which begins with the command, and returns the command's
// size once all of it is there, else 0.
func (f *frame) scan(b []byte, limits frameLimits) (size int, err error) {
	if len(b) < f.need || len(b) == 0 {
		return 0, nil
	}
	if !f.begun {
		if b[0] != '*' {
			return f.scanInline(b)
		}
		n, width, err := f.header(b, errMultibulkLength)
		if width == 0 || err != nil {
			return 0, err
		}
		switch {
		case n > math.MaxInt32:
			return 0, errMultibulkLength
		case n > unauthArgs && !limits.authenticated:
			return 0, errUnauthCount
		case n <= 0:
			f.kind = frameEmpty
			return width, nil
		}
		f.begun, f.left, f.at = true, int(n), width
	}
	for f.left > 0 {
		if f.at >= len(b) {
			f.need = f.at + 1
			return 0, nil
		}
		if b[f.at] != '$' {
			return 0, protocolError("expected '$', got '" + string(b[f.at:f.at+1]) + "'")
		}
		n, width, err := f.header(b, errBulkLength)
		if width == 0 || err != nil {
			return 0, err
		}
		switch {
		case n > unauthBytes && !limits.authenticated:
			return 0, errUnauthLength
		case n < 0 || n > limits.bulkBytes:
			return 0, errBulkLength
		}
		f.at += width + int(n) + 2
		f.left--
	}
	f.need = f.at
	if len(b) < f.at {
		return 0, nil
	}
	return f.at, nil
}

// header reads the number in the line that starts at f.at, after its first
// byte. width is the line's with its end; 0 when that has not arrived.
func (f *frame) header(b []byte, malformed error) (n int64, width int, err error) {
	line := b[f.at+1:]
	end := bytes.IndexByte(line[:min(len(line), headerDigits)], '\r')
	if end < 0 {
		if len(line) >= headerDigits {
			return 0, 0, malformed
		}
		f.need = len(b) + 1
		return 0, 0, nil
	}
	if end+1 >= len(line) {
		f.need = len(b) + 1
		return 0, 0, nil
	}
	n, ok := resp.ParseInt(line[:end])
	if !ok || line[end+1] != '\n' {
		return 0, 0, malformed
	}
	return n, 1 + end + 2, nil
}

func (f *frame) scanInline(b []byte) (size int, err error) {
	f.kind = frameInline
	end := bytes.IndexByte(b[f.at:], '\n')
	if end >= 0 && f.at+end < inlineBytes {
		return f.at + end + 1, nil
	}
	if len(b) >= inlineBytes {
		return 0, errInlineTooBig
	}
	f.at, f.need = len(b), len(b)+1
	return 0, nil
}
