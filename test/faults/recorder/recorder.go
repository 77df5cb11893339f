package recorder

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// Options of a recorder. Client must be given, and must not retry by itself (Client makes one); what is 0 has a default.
type Options struct {
	Client       redis.UniversalClient
	Seed         uint64
	Prefix       string        // of its keys; "recorded"
	Writers      int           // 4
	Transactions int           // so many of the writers send each batch as MULTI/EXEC; 0
	Keys         int           // of each writer; 3
	Members      int           // that each writer writes in turn; 300
	Pipeline     int           // writes that are sent together, no more than Members; 1
	Rate         float64       // writes a second, of all writers together; 0 is as many as go
	Timeout      time.Duration // how long a reply may take before the write is in doubt; 10 s
	Retry        time.Duration // the pause after a write that failed; 10 ms
	Most         int           // writes of each writer, which then stops; 4 million
}

func (o Options) complete() Options {
	set := func(p *int, value int) {
		if *p == 0 {
			*p = value
		}
	}
	set(&o.Writers, 4)
	set(&o.Keys, 3)
	set(&o.Members, 300)
	set(&o.Pipeline, 1)
	set(&o.Most, 4_000_000)
	o.Pipeline = min(o.Pipeline, o.Members)
	if o.Prefix == "" {
		o.Prefix = "recorded"
	}
	if o.Timeout == 0 {
		o.Timeout = 10 * time.Second
	}
	if o.Retry == 0 {
		o.Retry = 10 * time.Millisecond
	}
	return o
}

// quiet keeps go-redis from printing what a writer counts anyway.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

// Quiet has go-redis print nothing, in all of the process: connections break by the hundred when servers are killed.
func Quiet() { redis.SetLogger(quiet{}) }

// Client is a client for a recorder: it sends each command once. dial may be nil.
func Client(addr string, dial func(ctx context.Context, network, addr string) (net.Conn, error)) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: addr, Dialer: dial, MaxRetries: -1, Protocol: 2, DisableIdentity: true,
		DialTimeout: 2 * time.Second, DialerRetries: 1, ReadTimeout: 30 * time.Second, WriteTimeout: 30 * time.Second, ContextTimeoutEnabled: true})
}

// Recorder writes and remembers. Its methods but Stop may be called from any goroutine.
type Recorder struct {
	options   Options
	cancel    context.CancelFunc
	writing   sync.WaitGroup
	histories []*history // each its writer's until Stop
	acked     atomic.Int64
	failed    atomic.Int64

	mu        sync.Mutex
	latencies []latency // guarded by mu, as are the following
	wrong     []string  // replies that were not what the command promises, the first few
	errors    map[string]int
}

// latency is that of a batch.
type latency struct {
	sent time.Time
	took time.Duration
}

// Start begins to write, until Stop.
func Start(o Options) *Recorder {
	o = o.complete()
	ctx, cancel := context.WithCancel(context.Background())
	r := &Recorder{options: o, cancel: cancel, errors: map[string]int{}}
	for i := range o.Writers {
		h := newHistory(o, i)
		r.histories = append(r.histories, h)
		r.writing.Go(func() { r.write(ctx, h) }) // until cancel
	}
	return r
}

// Stop waits for the replies that are still to come, no longer than the timeout, and ends writing. It may be called again.
func (r *Recorder) Stop() {
	r.cancel()
	r.writing.Wait()
}

// Acknowledged is how many writes were so far.
func (r *Recorder) Acknowledged() int64 { return r.acked.Load() }

// Failed is how many writes were refused or are in doubt.
func (r *Recorder) Failed() int64 { return r.failed.Load() }

// Await waits until so many more writes are acknowledged.
func (r *Recorder) Await(ctx context.Context, more int64) error {
	return r.until(ctx, r.acked.Load()+more, &r.acked)
}

// AwaitFailures waits until so many more writes have failed.
func (r *Recorder) AwaitFailures(ctx context.Context, more int64) error {
	return r.until(ctx, r.failed.Load()+more, &r.failed)
}

func (r *Recorder) until(ctx context.Context, goal int64, count *atomic.Int64) error {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for count.Load() < goal {
		select {
		case <-ctx.Done():
			return fmt.Errorf("%d of %d writes, %d acknowledged and %d failed in all; errors: %v", count.Load(), goal, r.acked.Load(), r.failed.Load(), r.Errors())
		case <-tick.C:
		}
	}
	return nil
}

// Errors are those that writes failed with, and how often.
func (r *Recorder) Errors() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	errs := make(map[string]int, len(r.errors))
	for text, n := range r.errors {
		errs[text] = n
	}
	return errs
}

// Latencies are those of the batches that were sent between two moments and answered, in ascending order.
func (r *Recorder) Latencies(from, to time.Time) []time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	var took []time.Duration
	for _, l := range r.latencies {
		if !l.sent.Before(from) && l.sent.Before(to) {
			took = append(took, l.took)
		}
	}
	slices.Sort(took)
	return took
}

// Quantile is that of ascending durations; 0 if there are none.
func Quantile(ascending []time.Duration, q float64) time.Duration {
	if len(ascending) == 0 {
		return 0
	}
	return ascending[min(len(ascending)-1, int(q*float64(len(ascending))))]
}

// write is a writer.
func (r *Recorder) write(ctx context.Context, h *history) {
	began, sent := time.Now(), 0
	rate := r.options.Rate / float64(r.options.Writers)
	for ctx.Err() == nil && len(h.outcomes)+h.batch <= r.options.Most {
		whole := r.send(h)
		sent += h.batch
		var wait time.Duration
		if !whole {
			wait = r.options.Retry
		} else if rate > 0 {
			wait = time.Until(began.Add(time.Duration(float64(sent) / rate * float64(time.Second))))
		}
		if wait > 0 {
			select {
			case <-ctx.Done():
			case <-time.After(wait):
			}
		}
	}
}

// send sends a batch and takes its replies. It reports whether all were acknowledged. It does not end with the writer's
// context: that would put writes in doubt for nothing.
func (r *Recorder) send(h *history) (whole bool) {
	ctx, cancel := context.WithTimeout(context.Background(), r.options.Timeout)
	defer cancel()
	type sending struct {
		n      int64
		result redis.Cmder
		expect float64 // of an increment
	}
	pipe := r.options.Client.Pipeline()
	if h.transaction {
		pipe = r.options.Client.TxPipeline()
	}
	batch := make([]sending, 0, h.batch)
	for range h.batch {
		n, m := h.next()
		s := sending{n: n}
		before, there := h.score(m, n)
		switch k := kindOf(h.seed, n); {
		case k == remove:
			s.result = pipe.ZRem(ctx, m.key, m.name)
		case k == increment && there:
			s.result, s.expect = pipe.ZIncrBy(ctx, m.key, float64(n)-before, m.name), float64(n)
		default:
			s.result = pipe.ZAdd(ctx, m.key, redis.Z{Score: float64(n), Member: m.name})
		}
		batch = append(batch, s)
	}
	began := time.Now()
	_, _ = pipe.Exec(ctx) // each result has its own error
	now := time.Now()
	whole = true
	for _, s := range batch {
		err := s.result.Err()
		o := outcomeOf(err, now)
		h.settle(s.n, o)
		if o.acknowledged() {
			r.acked.Add(1)
			if got, ok := s.result.(*redis.FloatCmd); ok && got.Val() != s.expect {
				r.tell(fmt.Sprintf("writer %d, write %d: ZINCRBY should have answered %v: %v", h.number, s.n, s.expect, got))
			}
			continue
		}
		whole = false
		r.failed.Add(1)
		r.count(err)
	}
	if whole {
		r.mu.Lock()
		r.latencies = append(r.latencies, latency{began, now.Sub(began)})
		r.mu.Unlock()
	}
	return whole
}

const mostTold = 20

func (r *Recorder) tell(wrong string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.wrong) < mostTold {
		r.wrong = append(r.wrong, wrong)
	}
}

func (r *Recorder) count(err error) {
	text := err.Error()
	if _, said := errors.AsType[redis.Error](err); !said { // it names ports, which differ each time
		if at := strings.LastIndex(text, ": "); at >= 0 {
			text = text[at+2:]
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.errors) < mostTold || r.errors[text] > 0 {
		r.errors[text]++
	}
}

// outcomeOf says what became of a write that was answered, or not, at that moment.
func outcomeOf(err error, at time.Time) outcome {
	if err == nil {
		return outcome(at.UnixNano())
	}
	if _, said := errors.AsType[redis.Error](err); said && err != redis.Nil {
		if text := err.Error(); strings.HasPrefix(text, "INDOUBT") || strings.HasPrefix(text, "UNKILLABLE") {
			return doubted
		}
		return refused
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return refused // it was not sent
	}
	return doubted
}

// Silences are the times between two acknowledgements, of whichever writers, that fall into a span and are longest, the longest
// first. Call it after Stop.
func (r *Recorder) Silences(from, to time.Time) []time.Duration {
	var at []int64
	for _, h := range r.histories {
		for _, o := range h.outcomes {
			if o.acknowledged() && !o.at().Before(from) && o.at().Before(to) {
				at = append(at, int64(o))
			}
		}
	}
	slices.Sort(at)
	var gaps []time.Duration
	last := from.UnixNano()
	for _, t := range append(at, to.UnixNano()) {
		gaps = append(gaps, time.Duration(t-last))
		last = t
	}
	slices.SortFunc(gaps, func(a, b time.Duration) int { return int(b - a) })
	return gaps
}
