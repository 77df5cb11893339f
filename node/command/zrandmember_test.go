package command

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// run executes a command given as words between spaces and returns the reply.
func run(table *Table, c *Call, command string) string {
	c.Args = nil
	for word := range strings.FieldsSeq(command) {
		c.Args = append(c.Args, []byte(word))
	}
	c.W.Reset(1 << 20)
	table.Execute(c)
	return string(c.W.Bytes())
}

func midday() time.Time { return time.UnixMilli(1_700_000_000_000) }

// chiSquare is how far counts are from all being equal, in standard deviations
// of the chi-square distribution, which is nearly normal for so many.
func chiSquare(counts []int) float64 {
	total := 0
	for _, n := range counts {
		total += n
	}
	want := float64(total) / float64(len(counts))
	sum := 0.0
	for _, n := range counts {
		sum += (float64(n) - want) * (float64(n) - want) / want
	}
	freedom := float64(len(counts) - 1)
	return (sum - freedom) / math.Sqrt(2*freedom)
}

// Each member is as likely as any other, one at a time, repeated or not, and
// in both encodings. The generator's seed is fixed, so the outcome is too.
func TestRandomMembersAreFair(t *testing.T) {
	const members, rounds = 100, 3000
	for _, entries := range []string{"128", "0"} {
		for _, count := range []int{0, 1, -10, 10, 70, 99} {
			table, c := testCall(t, midday, "--zset-max-listpack-entries", entries)
			c.Rng = rand.New(rand.NewPCG(7, 7))
			for i := range members {
				run(table, c, fmt.Sprintf("ZADD k %d m%d", i%7, i))
			}
			command := "ZRANDMEMBER k"
			if count != 0 {
				command += fmt.Sprint(" ", count)
			}
			counts := make([]int, members)
			for range rounds {
				seen := map[int]bool{}
				for line := range strings.SplitSeq(run(table, c, command), "\r\n") {
					var i int
					if _, err := fmt.Sscanf(line, "m%d", &i); err != nil {
						continue
					}
					if count > 0 && seen[i] {
						t.Fatalf("%s gives m%d twice", command, i)
					}
					seen[i] = true
					counts[i]++
				}
			}
			// Draws without repetition vary less than chance, never more.
			if off := chiSquare(counts); off > 4 {
				t.Errorf("%s, up to %s entries packed: %.1f deviations off: %v", command, entries, off, counts)
			}
		}
	}
}

func TestSelectRanks(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ n, k int }{{1, 0}, {1, 1}, {64, 64}, {65, 1}, {200, fewRanks}, {200, fewRanks + 1}, {200, 200}, {100_000, 1000}, {100_000, 99_999}} {
		s := selectRanks(rng, c.n, c.k)
		last, count := -1, 0
		s.each(func(rank int) bool {
			if rank <= last || rank >= c.n || !s.has(rank) {
				t.Fatalf("%d of %d: %d comes after %d", c.k, c.n, rank, last)
			}
			last = rank
			count++
			return true
		})
		if count != c.k {
			t.Errorf("%d of %d: there are %d", c.k, c.n, count)
		}
	}
}

// A huge negative count produces no more than the client may be sent, and
// without a limit is refused at once.
func TestHugeDrawsAreBounded(t *testing.T) {
	table, c := testCall(t, midday)
	run(table, c, "ZADD k 1 a 2 b 3 c")
	for _, command := range []string{"ZRANDMEMBER k -9223372036854775807", "ZRANDMEMBER k -4611686018427387903 WITHSCORES"} {
		c.OutputLimit = 1 << 20
		run(table, c, command)
		if n := c.W.Len(); n <= 1<<20 || n > 1<<20+100 {
			t.Errorf("%s: %d bytes", command, n)
		}
		c.OutputLimit = 0
		if reply := run(table, c, command); reply != "-ERR value is out of range\r\n" {
			t.Errorf("%s without a limit: %.60q", command, reply)
		}
	}
	if reply := run(table, c, "ZRANDMEMBER k -1000"); !strings.HasPrefix(reply, "*1000\r\n") {
		t.Errorf("a small one without a limit: %.60q", reply)
	}
}
