//go:build linux

package load

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Bursts is Open for a server that needs the CPU which Open takes: commands are due together, in bursts that are so far apart,
// and between them it sleeps. Rates are commands a second. It goes on until ctx ends, or for the limit's time. Each latency goes to
// the histogram that at gives for the moment when the command was due, none to nil.
func (c *Conns) Bursts(ctx context.Context, w Work, rate float64, apart time.Duration, limit Limit, at func(time.Time) *Histogram) (Result, error) {
	var r Result
	size := len(w.Template.text)
	batch := w.Template.repeat(max(1, int(rate*apart.Seconds())/len(c.conns)+1))
	for i := range c.conns {
		c.conns[i].due, c.conns[i].replies = c.conns[i].due[:0], replies{}
	}
	answered, heard := 0, time.Duration(0)
	r.begin()
	for n := 0; ; {
		now := time.Since(r.began)
		over := now >= limit.For || ctx.Err() != nil
		if over && answered == r.Commands {
			break
		}
		if now-heard > patience {
			return r, fmt.Errorf("the server has been silent for %v", patience)
		}
		due := time.Duration(n) * apart
		if !over && now >= due {
			n++
			if answered == r.Commands {
				heard = now // nothing was asked
			}
			burst := int(rate*due.Seconds()+rate*apart.Seconds()) - r.Commands
			for i := range c.conns {
				part := (burst - i + len(c.conns) - 1) / len(c.conns)
				if part <= 0 {
					break
				}
				conn := &c.conns[(n+i)%len(c.conns)]
				for j := range part {
					set, member := w.Pick(w.Random)
					w.Template.fill(batch[j*size:(j+1)*size], set, member, w.Random)
					conn.due = append(conn.due, due)
				}
				r.Commands += part
				if err := conn.write(batch[:part*size]); err != nil {
					return r, err
				}
			}
			continue
		}
		if err := c.rest(max(0, due-now)); err != nil {
			return r, err
		}
		events, err := c.wait(0)
		if err != nil {
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
			heard = now
			for _, due := range conn.due[:complete] {
				r.Latency.add(now-due, 1)
				if h := at(r.began.Add(due)); h != nil {
					h.add(now-due, 1)
				}
			}
			conn.due = conn.due[:copy(conn.due, conn.due[complete:])]
			answered += complete
		}
	}
	r.end()
	c.tally(&r)
	return r, nil
}

// rest sleeps until replies come, no longer than a time, which is often less than the millisecond that wait counts in.
func (c *Conns) rest(most time.Duration) error {
	t := unix.NsecToTimespec(int64(min(most, 100*time.Millisecond)))
	_, err := unix.Ppoll([]unix.PollFd{{Fd: int32(c.poll), Events: unix.POLLIN}}, &t, nil)
	if err == unix.EINTR {
		return nil
	}
	return err
}
