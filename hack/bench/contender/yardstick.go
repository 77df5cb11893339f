package contender

import "zset.dev/operator/hack/bench/yardstick"

type plain struct{ *yardstick.List }

func newYardstick(o yardstick.Options) func(float64, uint64) Set {
	return func(p float64, seed uint64) Set {
		o.P = p
		return plain{yardstick.New(o, seed)}
	}
}

func (y plain) Add(member []byte, score float64)    { y.List.Add(member, score) }
func (y plain) Increment(member []byte, by float64) { y.List.Increment(member, by) }
func (y plain) Remove(member []byte)                { y.List.Remove(member) }

func (y plain) Rank(member []byte) int {
	rank, _ := y.List.Rank(member)
	return rank
}

func (y plain) SumRanks(start, count int) (n int, total float64) {
	for member, score := range y.FromRank(start) {
		total += sum(float64(len(member)), score)
		if n++; n == count {
			break
		}
	}
	return n, total
}

func (y plain) SumScores(from float64, count int) (n int, total float64) {
	for member, score := range y.FromScore(from) {
		total += sum(float64(len(member)), score)
		if n++; n == count {
			break
		}
	}
	return n, total
}

func (y plain) Visit(from float64, count int, each func(member []byte, score float64)) {
	for member, score := range y.FromScore(from) {
		if count--; count < 0 {
			return
		}
		each(member, score)
	}
}

func (y plain) PopMin() (score float64, length int) {
	for member, s := range y.FromRank(0) {
		score, length = s, len(member)
		break
	}
	y.RemoveRanks(0, 1)
	return score, length
}
