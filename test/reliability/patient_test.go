//go:build linux && reliability

package reliability

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/rueidis"
)

// patient is a client that tries what failed a second time. Its writer raises the score of its members, one by one; its readers, of the
// primary and of a replica, look that none goes back where that may not be.
type patient struct {
	cancel  context.CancelFunc
	running sync.WaitGroup

	writes, reads atomic.Int64
	failed        atomic.Int64 // twice
	backwards     atomic.Int64 // a score at the primary that was greater before

	mu     sync.Mutex
	errors map[string]int // guarded by mu
}

const patientKey, patientMembers = "patient", 20

// startPatient starts one. async says that a score may go back at the primary, when that changes.
func startPatient(primary string) *patient {
	ctx, cancel := context.WithCancel(context.Background())
	p := &patient{cancel: cancel, errors: map[string]int{}}
	p.running.Go(func() { p.write(ctx, primary) })
	p.running.Go(func() { p.read(ctx, primary) })
	return p
}

func (p *patient) stop() {
	p.cancel()
	p.running.Wait()
}

// client makes a client, which does not retry by itself; nil when ctx has ended before there is a connection.
func (p *patient) client(ctx context.Context, address string) rueidis.Client {
	for ctx.Err() == nil {
		c, err := rueidis.NewClient(rueidis.ClientOption{InitAddress: []string{address}, DisableRetry: true, DisableCache: true,
			ConnWriteTimeout: 2 * time.Second, ForceSingleClient: true, PipelineMultiplex: -1})
		if err == nil {
			return c
		}
		p.count("connecting: " + err.Error())
		rest(ctx, 100*time.Millisecond)
	}
	return nil
}

func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

func (p *patient) count(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.errors[text]++
}

// twice does something, and again if it failed.
func (p *patient) twice(ctx context.Context, do func(ctx context.Context) error) (ok bool) {
	var err error
	for range 2 {
		limit, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		err = do(limit)
		cancel()
		if err == nil {
			return true
		}
	}
	if ctx.Err() == nil {
		p.failed.Add(1)
		p.count(err.Error())
	}
	return false
}

func (p *patient) write(ctx context.Context, address string) {
	c := p.client(ctx, address)
	if c == nil {
		return
	}
	defer c.Close()
	for n := int64(1); ctx.Err() == nil; n++ {
		member := fmt.Sprintf("m%d", n%patientMembers)
		if p.twice(ctx, func(ctx context.Context) error {
			return c.Do(ctx, c.B().Zadd().Key(patientKey).ScoreMember().ScoreMember(float64(n), member).Build()).Error()
		}) {
			p.writes.Add(1)
		}
		rest(ctx, 5*time.Millisecond)
	}
}

func (p *patient) read(ctx context.Context, address string) {
	c := p.client(ctx, address)
	if c == nil {
		return
	}
	defer c.Close()
	seen := map[string]float64{}
	for ctx.Err() == nil {
		var scores []rueidis.ZScore
		if p.twice(ctx, func(ctx context.Context) (err error) {
			scores, err = c.Do(ctx, c.B().Zrange().Key(patientKey).Min("0").Max("-1").Withscores().Build()).AsZScores()
			return err
		}) {
			p.reads.Add(1)
		}
		for _, z := range scores {
			if z.Score < seen[z.Member] {
				p.backwards.Add(1)
			}
			seen[z.Member] = z.Score
		}
		rest(ctx, 10*time.Millisecond)
	}
}

// said is the errors that were counted.
func (p *patient) said() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := ""
	for e, n := range p.errors {
		text += strconv.Itoa(n) + "× " + e + "; "
	}
	return text
}
