//go:build linux

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/node/server"
	"zset.dev/operator/hack/bench/report"
)

// bench is a run of the program.
type bench struct {
	settings
	programs []server.Program
	figures  *report.Figures
	commit   string
	progress progress
}

// subject is a server while a part is measured.
type subject struct {
	*server.Server
	bulk   *load.Bulk
	conns  *load.Conns
	random *load.Random
	turns  int // commands so far that take sets in turn
}

// measure goes through the plan.
func (b *bench) measure(ctx context.Context) error {
	parts, err := b.plan()
	if err != nil {
		return err
	}
	for _, p := range parts {
		for _, cells := range p.cells {
			b.progress.total += len(cells) * len(b.programs) * b.rounds
		}
	}
	for _, p := range parts {
		if err := b.part(ctx, p); err != nil {
			return fmt.Errorf("%s: %w", p.shape.name(), err)
		}
	}
	if b.has(generatorRow) {
		return b.generator(ctx)
	}
	return nil
}

// part starts the servers, fills them, measures, and stops them.
func (b *bench) part(ctx context.Context, p part) (err error) {
	subjects, stop, err := b.start(ctx, b.programs)
	defer stop()
	if err != nil {
		return err
	}
	if err := b.fill(ctx, p, subjects); err != nil {
		return err
	}
	for _, place := range b.placements {
		if len(p.cells[place]) == 0 {
			continue
		}
		if err := b.place(ctx, place, subjects); err != nil {
			return err
		}
		if err := b.rows(ctx, p.cells[place], subjects); err != nil {
			return err
		}
	}
	return nil
}

// start starts servers, each on the core that it has in most rows, and connects; stop ends what was started.
func (b *bench) start(ctx context.Context, programs []server.Program) (subjects []*subject, stop func(), err error) {
	stop = func() {
		for _, s := range subjects {
			if s.conns != nil {
				s.conns.Close()
			}
			if s.bulk != nil {
				s.bulk.Close()
			}
			s.Stop()
		}
	}
	for _, p := range programs {
		started, err := server.Start(ctx, p, b.serverCPU())
		if err != nil {
			return subjects, stop, err
		}
		s := &subject{Server: started, random: load.NewRandom(b.seed)}
		subjects = append(subjects, s)
		if s.bulk, err = load.DialBulk(s.Addr, b.seed); err != nil {
			return subjects, stop, err
		}
		if s.conns, err = load.Dial(s.Addr, b.conns); err != nil {
			return subjects, stop, err
		}
	}
	return subjects, stop, nil
}

func (b *bench) clientCPU() int { return b.cpus[0] }
func (b *bench) serverCPU() int { return b.cpus[1] }

// place keeps servers and client where they are to be.
func (b *bench) place(ctx context.Context, place placement, subjects []*subject) error {
	ours, theirs := b.cpus, b.cpus
	if place == oneCore {
		ours, theirs = b.cpus[:1], b.cpus[1:2]
	}
	if err := measure.PinProcess(os.Getpid(), ours...); err != nil {
		return err
	}
	for _, s := range subjects {
		if err := s.Pin(theirs...); err != nil {
			return err
		}
	}
	for _, s := range subjects {
		if !s.Node {
			continue
		}
		// Go looks once a second, while there is work, how many CPUs it may use.
		b.progress.tell("%s: letting %s see its CPUs", place, s.Name)
		if err := b.turn(subjects, s); err != nil {
			return err
		}
		ping := load.Work{Template: load.Command(load.Text("PING")), Pick: func(*load.Random) (int, int) { return 0, 0 }, Random: s.random}
		if _, err := s.conns.Closed(ctx, ping, 1, load.Limit{For: 1500 * time.Millisecond}); err != nil {
			return b.explain(s, err)
		}
	}
	return nil
}

// turn lets one server run and no other.
func (b *bench) turn(subjects []*subject, one *subject) error {
	var all []*server.Server
	for _, s := range subjects {
		all = append(all, s.Server)
	}
	return server.Turn(all, one.Server)
}

// explain adds to an error which server it is of, and why that is gone if it is.
func (b *bench) explain(s *subject, err error) error {
	return errors.Join(fmt.Errorf("%s: %w", s.Name, err), s.Ended())
}

// rows measures cells, all servers in turn, and then again for each round.
func (b *bench) rows(ctx context.Context, cells []cell, subjects []*subject) error {
	return b.figures.Take(b.rounds, len(cells)*len(subjects), b.commit, func(round, i int) ([]report.Value, error) {
		c, s := cells[i/len(subjects)], subjects[i%len(subjects)]
		b.progress.done++
		b.progress.tell("%s, %s, round %d: %s, pipeline %d, %s", c.shape.name(), c.placement, round+1, c.name, c.pipeline, s.Name)
		if err := b.turn(subjects, s); err != nil {
			return nil, err
		}
		values, err := b.cell(ctx, c, s)
		if err != nil {
			return nil, b.explain(s, fmt.Errorf("%s, pipeline %d: %w", c.name, c.pipeline, err))
		}
		return values, nil
	})
}

// cell measures one row on one server once.
func (b *bench) cell(ctx context.Context, c cell, s *subject) ([]report.Value, error) {
	if !c.open { // it comes after the closed loops of the same row
		if _, err := b.stint(ctx, c, s, b.warmup); err != nil {
			return nil, err
		}
	}
	var sum outcome
	runtime.GC() // now, and not while it is measured
	for left := b.budget; left > b.budget/50; {
		o, err := b.stint(ctx, c, s, left)
		if err != nil {
			return nil, err
		}
		if o.Elapsed <= 0 {
			return nil, errors.New("a stint was too short to measure")
		}
		sum.add(&o)
		left -= o.Elapsed
		if c.stint(c.shape) == 0 {
			break
		}
	}
	return sum.values(c, s.Name), nil
}

// outcome is what a stint gave, or several.
type outcome struct {
	load.Result
	server time.Duration // the server's CPU time
	wall   time.Duration // in which it was used
}

func (o *outcome) add(p *outcome) {
	o.Commands += p.Commands
	o.Elapsed += p.Elapsed
	o.CPU += p.CPU
	o.Latency.Merge(&p.Latency)
	o.server += p.server
	o.wall += p.wall
}

// stint lets the client work for a time, or until sets would be of another size.
func (b *bench) stint(ctx context.Context, c cell, s *subject, budget time.Duration) (o outcome, err error) {
	work := load.Work{Template: c.command(c.shape), Random: s.random}
	limit := load.Limit{For: budget}
	from := s.turns
	if c.turn == newMember {
		next := from
		work.Pick = func(*load.Random) (set, member int) {
			set, member = c.shape.number(next)
			next++
			return set, member
		}
	} else {
		work.Pick = func(r *load.Random) (set, member int) { return r.Below(c.shape.sets), r.Below(c.shape.members) }
	}
	if most := c.stint(c.shape); most > 0 {
		limit.Commands = min(most, max(b.expected(c, budget), 20*b.conns*c.pipeline))
	}
	if c.before != nil {
		if err := c.before(c.shape, s.bulk, from, from+limit.Commands); err != nil {
			return o, fmt.Errorf("before it: %w", err)
		}
	}
	began := time.Now()
	cpu, err := s.CPUTime()
	if err != nil {
		return o, err
	}
	if c.open {
		o.Result, err = s.conns.Open(ctx, work, c.rate, limit)
	} else {
		o.Result, err = s.conns.Closed(ctx, work, c.pipeline, limit)
	}
	if err != nil {
		return o, err
	}
	o.wall = time.Since(began)
	if o.server, err = s.CPUTime(); err != nil {
		return o, err
	}
	o.server -= cpu
	if c.check != nil {
		if err := c.check(c.shape, o.Commands, o.Tally); err != nil {
			return o, err
		}
	}
	if c.turn == newMember {
		s.turns += o.Commands
	}
	if c.before != nil { // what was put in for commands that were not sent is taken out by these
		if err := repeat(c.shape, s.bulk, work.Template, s.turns, from+limit.Commands); err != nil {
			return o, fmt.Errorf("after it: %w", err)
		}
		s.turns = from + limit.Commands
	}
	if c.after != nil {
		if err := c.after(c.shape, s.bulk, from, s.turns); err != nil {
			return o, fmt.Errorf("after it: %w", err)
		}
	}
	return o, nil
}

// expected is a quarter of what the fastest server could do in a time; a slow one is measured in one stint.
func (b *bench) expected(c cell, budget time.Duration) int {
	rate := 150e3
	switch {
	case c.open:
		return int(c.rate*budget.Seconds()) + 1
	case c.pipeline > 1:
		rate = 1200e3
	}
	return int(rate*budget.Seconds()) / 4
}
