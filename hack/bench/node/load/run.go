//go:build linux

package load

import (
	"context"
	"fmt"
	"time"

	"zset.dev/operator/hack/bench/measure"
)

// Work is a stream of commands.
type Work struct {
	Template Template
	Pick     func(r *Random) (set, member int) // what the next command is about
	Random   *Random
}

// Limit ends a run: after a time, and before if so many commands were sent.
type Limit struct {
	For      time.Duration
	Commands int // 0: any number
}

// Result is what a run gave.
type Result struct {
	Commands int           // sent and answered
	Elapsed  time.Duration // from the first request to the last reply: the server had work all the while
	Latency  Histogram     // of batches, each as often as it has commands
	CPU      time.Duration // of the calling thread in Elapsed
	Tally    Tally
	began    time.Time
	threadAt time.Duration
}

func (r *Result) begin() { r.began, r.threadAt = time.Now(), measure.ThreadTime() }

func (r *Result) end() {
	r.Elapsed, r.CPU = time.Since(r.began), measure.ThreadTime()-r.threadAt
}

// Closed keeps each connection busy: it sends a batch of pipeline commands, waits for all replies, and sends the next.
// The goroutine should be locked to its thread.
func (c *Conns) Closed(ctx context.Context, w Work, pipeline int, limit Limit) (Result, error) {
	var r Result
	for i := range c.conns {
		c.conns[i].out, c.conns[i].awaited = w.Template.repeat(pipeline), 0
		c.conns[i].replies = replies{}
	}
	busy, sending := 0, true
	size := len(w.Template.text)
	send := func(conn *conn, now time.Duration) error {
		for i := range pipeline {
			set, member := w.Pick(w.Random)
			w.Template.fill(conn.out[i*size:(i+1)*size], set, member, w.Random)
		}
		conn.sent, conn.awaited = now, pipeline
		busy++
		r.Commands += pipeline
		return conn.write(conn.out)
	}
	full := func() bool { return limit.Commands > 0 && r.Commands+pipeline > limit.Commands }
	r.begin()
	for i := range c.conns {
		if full() {
			break
		}
		if err := send(&c.conns[i], time.Since(r.began)); err != nil {
			return r, err
		}
	}
	silent := time.Duration(0)
	for busy > 0 {
		const turn = 100 * time.Millisecond
		events, err := c.wait(turn)
		if err != nil {
			return r, err
		}
		if silent += turn; len(events) > 0 {
			silent = 0
		} else if silent > patience {
			return r, fmt.Errorf("the server has been silent for %v", patience)
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for i := range events {
			conn := &c.conns[events[i].Fd]
			complete, err := conn.read()
			if err != nil {
				return r, err
			}
			if conn.awaited -= complete; conn.awaited < 0 {
				return r, fmt.Errorf("more replies than requests")
			}
			if conn.awaited > 0 || complete == 0 {
				continue
			}
			busy--
			now := time.Since(r.began)
			r.Latency.add(now-conn.sent, pipeline)
			if sending = sending && now < limit.For && !full(); sending {
				if err := send(conn, now); err != nil {
					return r, err
				}
			}
		}
	}
	r.end()
	c.tally(&r)
	return r, nil
}

func (c *Conns) tally(r *Result) {
	for i := range c.conns {
		r.Tally.Add(c.conns[i].replies.Tally)
	}
}

// Open sends commands one at a time at a rate, over the connections in turn, for a time, whether or not the server has
// answered those before, and waits for all replies. Latencies count from when a command was due. It never sleeps, so that it
// is not late itself.
func (c *Conns) Open(ctx context.Context, w Work, rate float64, limit Limit) (Result, error) {
	var r Result
	request := w.Template.repeat(1)
	for i := range c.conns {
		c.conns[i].due, c.conns[i].replies = c.conns[i].due[:0], replies{}
	}
	total := int(rate * limit.For.Seconds())
	if limit.Commands > 0 {
		total = min(total, limit.Commands)
	}
	gap := float64(time.Second) / rate
	answered := 0
	r.begin()
	last := time.Duration(0)
	for answered < total {
		now := time.Since(r.began)
		for range len(c.conns) {
			due := time.Duration(float64(r.Commands) * gap)
			if r.Commands == total || due > now {
				break
			}
			conn := &c.conns[r.Commands%len(c.conns)]
			set, member := w.Pick(w.Random)
			w.Template.fill(request, set, member, w.Random)
			conn.due = append(conn.due, due)
			r.Commands++
			if err := conn.write(request); err != nil {
				return r, err
			}
		}
		events, err := c.wait(0)
		if err != nil {
			return r, err
		}
		if err := ctx.Err(); err != nil {
			return r, err
		}
		for i := range events {
			conn := &c.conns[events[i].Fd]
			complete, err := conn.read()
			if err != nil {
				return r, err
			}
			if complete > len(conn.due) {
				return r, fmt.Errorf("more replies than requests")
			}
			now := time.Since(r.began)
			last = now
			for _, due := range conn.due[:complete] {
				r.Latency.add(now-due, 1)
			}
			conn.due = conn.due[:copy(conn.due, conn.due[complete:])]
			answered += complete
		}
		if now-last > patience {
			return r, fmt.Errorf("the server has been silent for %v", patience)
		}
	}
	r.end()
	c.tally(&r)
	return r, nil
}
