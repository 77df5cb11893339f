package command

import (
	"zset.dev/operator/node/resp"
	"zset.dev/operator/zset"
)

const (
	errScoreBound = "ERR min or max is not a float"
	errLexBound   = "ERR min or max not valid string range item"
)

// scoreRange reads "min" and "max" as ZCOUNT takes them: a score, with "(" in
// front when it is itself outside.
func scoreRange(low, high []byte) (r zset.ScoreRange, ok bool) {
	var okMin, okMax bool
	r.Min, r.MinExclusive, okMin = scoreBound(low)
	r.Max, r.MaxExclusive, okMax = scoreBound(high)
	return r, okMin && okMax
}

func scoreBound(b []byte) (score float64, exclusive, ok bool) {
	if len(b) > 0 && b[0] == '(' {
		b, exclusive = b[1:], true
	}
	score, err := resp.ParseScore(b)
	return score, exclusive, err == nil
}

// lexRange reads "min" and "max" as ZLEXCOUNT takes them: "-", "+", or a
// string after "[" or "(".
func lexRange(low, high []byte) (r zset.LexRange, ok bool) {
	var okMin, okMax bool
	r.Min, okMin = lexBound(low)
	r.Max, okMax = lexBound(high)
	return r, okMin && okMax
}

func lexBound(b []byte) (bound zset.LexBound, ok bool) {
	if len(b) == 0 {
		return bound, false
	}
	switch {
	case b[0] == '-' && len(b) == 1:
		return zset.LexBound{Infinite: -1}, true
	case b[0] == '+' && len(b) == 1:
		return zset.LexBound{Infinite: +1}, true
	case b[0] == '[':
		return zset.LexBound{Value: b[1:]}, true
	case b[0] == '(':
		return zset.LexBound{Value: b[1:], Exclusive: true}, true
	}
	return bound, false
}
