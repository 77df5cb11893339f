package rdb

import (
	"errors"
	"fmt"
	"io"
)

const (
	streamBytes = 64 << 10
	// stringBytes bounds one string of a file: what the ecosystem's servers allow by default, with room for what a
	// listpack adds to it.
	stringBytes = 1 << 30
)

// A stream is a source of what an io.Reader gives. Memory grows with what has arrived only, whatever lengths the
// file claims.
type stream struct {
	r       io.Reader
	buf     []byte // the last of it are the bytes that the reader has not taken
	sum     uint64 // of what was taken, up to where it was last counted
	counted int    // bytes of buf that sum and offset include
	offset  int64
}

func (s *stream) fill(r *reader, n uint64) error {
	if n > stringBytes {
		return fmt.Errorf("%w: a string of %d bytes", ErrFormat, n)
	}
	s.count(len(s.buf) - len(r.b))
	left := copy(s.buf, r.b)
	s.buf, s.counted = s.buf[:left], 0
	for uint64(len(s.buf)) < n {
		if len(s.buf) == cap(s.buf) {
			s.buf = append(make([]byte, 0, max(2*cap(s.buf), streamBytes)), s.buf...)
		}
		got, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+got]
		if err != nil && uint64(len(s.buf)) < n {
			r.b = s.buf
			if errors.Is(err, io.EOF) {
				return io.ErrUnexpectedEOF
			}
			return err
		}
	}
	r.b = s.buf
	return nil
}

// count adds the bytes of buf up to end to sum and offset.
func (s *stream) count(end int) {
	s.sum = updated(s.sum, s.buf[s.counted:end])
	s.offset += int64(end - s.counted)
	s.counted = end
}
