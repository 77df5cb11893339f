package rdb

import (
	"errors"

	"math"
	"strconv"

	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

// element is one entry of a ziplist or listpack: a string, or an integer.
type element struct {
	text  []byte
	value int64
	isInt bool
}

// appendTo appends the element as a string.
func (e *element) appendTo(dst []byte) []byte {
	if e.isInt {
		return strconv.AppendInt(dst, e.value, 10)
	}
	return append(dst, e.text...)
}

// score is the element as a score.
func (e *element) score() (float64, error) {
	if e.isInt {
		return float64(e.value), nil
	}
	return resp.ParseScore(e.text)
}

// readPairs fills s with the members and scores that next gives in turn. next
// reports false at the end.
func readPairs(s *zset.Set, next func() (element, bool, error)) error {
	var member []byte
	for {
		m, more, err := next()
		if err != nil || !more {
			return err
		}
		member = m.appendTo(member[:0])
		value, more, err := next()
		if err != nil {
			return err
		}
		if !more {
			return ErrFormat
		}
		score, err := value.score()
		if err != nil {
			return err
		}
		if err := add(s, member, score); err != nil {
			return err
		}
	}
}

// add puts in a member that must be new.
func add(s *zset.Set, member []byte, score float64) error {
	_, result, err := s.Add(member, score, zset.NX)
	if err == nil && result != zset.Added {
		return ErrFormat
	}
	return refusal(err)
}

// refusal is what to say of an error with which a set refused a member.
func refusal(err error) error {
	if err == nil || errors.Is(err, zset.ErrFull) {
		return err
	}
	return ErrFormat
}

// asInteger is a score as the integer that servers keep it as. -0 is not
// among them here, so that it keeps its sign.
func asInteger(score float64) (int64, bool) {
	const limit = 1 << 63
	if score != math.Trunc(score) || score < -limit || score >= limit || score == 0 && math.Signbit(score) {
		return 0, false
	}
	return int64(score), true
}
