package command

import (
	"bytes"
	"cmp"
	"slices"

	"zset.dev/operator/node/geo"
	"zset.dev/operator/zset"
)

// found is a member that a search has found. Its name is the set's own and
// good until the set changes.
type found struct {
	member   []byte
	score    float64
	distance float64 // in the search's unit
}

// run reads the options, searches, and answers or stores what it found.
func (s *geoSearch) run(c *Call, set *zset.Set, options [][]byte) {
	if !s.readOptions(c, set, options) {
		return
	}
	var all []found
	if set != nil {
		all = s.find(set)
	}
	if s.store != nil {
		s.keep(c, all)
		return
	}
	s.reply(c, all)
}

// find is the members inside, in the order and number asked for.
func (s *geoSearch) find(set *zset.Set) []found {
	// The nearest are meant when a count is given and no order.
	if s.count > 0 && !s.sorted && !s.any {
		s.sorted, s.descending = true, false
	}
	all := s.inside(set)
	if s.sorted {
		slices.SortStableFunc(all, func(a, b found) int {
			if s.descending {
				a, b = b, a
			}
			return cmp.Compare(a.distance, b.distance)
		})
	}
	if s.count > 0 && int64(len(all)) > s.count {
		all = all[:s.count]
	}
	return all
}

// inside is the members inside, as they are found; with ANY no more than the
// count.
func (s *geoSearch) inside(set *zset.Set) (all []found) {
	shape := s.shape()
	for _, run := range geo.Runs(shape) {
		for member, score := range set.Ascend(set.ByScore(zset.ScoreRange{Min: run.From, Max: run.To, MaxExclusive: true})) {
			if s.any && int64(len(all)) >= s.count {
				return all
			}
			if distance, ok := shape.Contains(geo.At(score)); ok {
				all = append(all, found{member, score, distance / s.unit})
			}
		}
	}
	return all
}

func (s *geoSearch) reply(c *Call, all []found) {
	parts := 1
	for _, with := range []bool{s.withDistance, s.withHash, s.withPlace} {
		if with {
			parts++
		}
	}
	c.W.Array(len(all))
	for i := range all {
		if parts > 1 {
			c.W.Array(parts)
		}
		c.W.Bulk(all[i].member)
		if s.withDistance {
			c.replyDistance(all[i].distance)
		}
		if s.withHash {
			c.W.Int(int64(all[i].score))
		}
		if s.withPlace {
			c.replyPlace(geo.At(all[i].score))
		}
		if c.full() {
			return
		}
	}
}

// keep stores the members, with their scores or their distances.
func (s *geoSearch) keep(c *Call, all []found) {
	if s.storeDistance {
		centre := s.shape().Centre()
		for i := range all {
			all[i].score = geo.StoredDistance(centre, geo.At(all[i].score)) / s.unit
		}
	}
	slices.SortFunc(all, func(a, b found) int {
		return cmp.Or(cmp.Compare(a.score, b.score), bytes.Compare(a.member, b.member))
	})
	c.store(s.store, len(all), func(yield func([]byte, float64) bool) {
		for i := range all {
			if !yield(all[i].member, all[i].score) {
				return
			}
		}
	})
}
