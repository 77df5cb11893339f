package insync

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"zset.dev/operator/node/gate"
	"zset.dev/operator/node/replog"
)

const (
	lookEvery   = 100 * time.Millisecond
	writeWithin = 2 * time.Second        // the keeper's time
	keeperRest  = 500 * time.Millisecond // after it failed
	excludeLook = 10 * time.Millisecond
)

// Options are what a Watch is made of. All must be given, but for what says otherwise.
type Options struct {
	Gate          *gate.Gate
	Confirmations *replog.Confirmations
	Keeper        Keeper
	Log           *slog.Logger
	Rule          func() Rule
	Primary       func() bool
	End           func() int64 // of the log
	Ask           func()       // lets replicas confirm soon; it may be called often, and may wait

	// Eligible reports whether a replica of that name may be on the list at all; nil when each may.
	Eligible func(name string) bool
}

// Watch keeps the list of a running node. It may be used from any goroutine; whoever holds keys of the keyspace must not
// call it.
type Watch struct {
	options Options
	writes  sync.WaitGroup // goroutines that ask the keeper; Run waits

	mu    sync.Mutex
	list  List     // guarded by mu
	reign int      // of the list; answers to an earlier one's are for nobody; guarded by mu
	shown []string // what was logged last; guarded by mu
	ended bool     // guarded by mu
}

// NewWatch makes a watch, which Run runs.
func NewWatch(o Options) *Watch { return &Watch{options: o} }

// Run looks again and again, until stop is closed.
func (w *Watch) Run(stop <-chan struct{}) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			w.mu.Lock()
			w.ended = true
			w.mu.Unlock()
			w.writes.Wait()
			return
		case <-tick.C:
			w.Look()
		}
	}
}

// Look does what is due now, for instance since a directive has changed.
func (w *Watch) Look() {
	w.mu.Lock()
	behind := w.look()
	w.mu.Unlock()
	if behind {
		w.options.Ask()
	}
}

// Exclude takes a replica off the list, and returns once the keeper has it off; else an error when ctx ends. Whoever may be on it has all
// that was acknowledged, so this is for one that gives up what it has. It can come again like any other.
func (w *Watch) Exclude(ctx context.Context, name string) error {
	tick := time.NewTicker(excludeLook)
	defer tick.Stop()
	for {
		w.mu.Lock()
		w.list.Exclude(time.Now(), name)
		w.look()
		listed := w.list.May(name)
		w.mu.Unlock()
		if !listed {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Reset forgets the list, since the node's role changes. Nothing that waits is acknowledged any more.
func (w *Watch) Reset() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.list = List{}
	w.reign++
	var plan Plan
	w.list.complete(&plan, w.options.Rule())
	plan.Interrupt = true
	w.carryOut(plan)
}

// look reports whether somebody who is waited for has not confirmed everything; mu is held.
func (w *Watch) look() (behind bool) {
	if !w.options.Primary() {
		return false
	}
	for again := true; again; {
		// The end first: what is confirmed is compared with it.
		end := w.options.End()
		var replicas []Replica
		behind = false
		for _, r := range w.options.Confirmations.Replicas() {
			if w.options.Eligible != nil && !w.options.Eligible(r.Name) {
				continue
			}
			replicas = append(replicas, Replica{Name: r.Name, Offset: r.Offset, Here: !r.Gone})
			behind = behind || r.Name != "" && !r.Gone && r.Offset < end
		}
		rule := w.options.Rule()
		plan := w.list.Step(time.Now(), rule, end, replicas)
		known := w.list.Known()
		// Without writes that wait replicas confirm seldom, which is often enough for those that are on the list.
		behind = behind && (rule.Least > 0 || slices.ContainsFunc(replicas, func(r Replica) bool {
			return r.Here && r.Name != "" && !slices.Contains(known, r.Name)
		}))
		w.carryOut(plan)
		again = plan.Again
	}
	return behind
}

// carryOut does what was decided; mu is held.
func (w *Watch) carryOut(plan Plan) {
	w.options.Gate.Synchronize(w.options.Rule().Least > 0, plan.Wait, plan.Refusal, plan.Interrupt)
	if known := w.list.Known(); !slices.Equal(known, w.shown) {
		level, what := slog.LevelInfo, "a replica is in sync"
		if len(known) < len(w.shown) {
			level, what = slog.LevelWarn, "a replica is not in sync any longer: it did not confirm within sync-replica-timeout, or this node's role has changed"
		}
		w.shown = known
		w.options.Log.Log(context.Background(), level, what, "replicas", known)
	}
	if plan.Write && !w.ended {
		reign := w.reign
		w.writes.Go(func() { w.write(reign, plan.List) })
	}
}

// write asks the keeper.
func (w *Watch) write(reign int, names []string) {
	limit, cancel := context.WithTimeout(context.Background(), writeWithin)
	defer cancel()
	err := w.options.Keeper.Write(limit, names)
	if err != nil {
		w.options.Log.Warn("cannot write down which replicas are in sync", "replicas", names, "error", err)
	}
	if w.answer(reign, err) {
		w.Look()
	}
}

// answer takes the keeper's, and reports whether to look again at once.
func (w *Watch) answer(reign int, err error) (again bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if reign != w.reign {
		return false
	}
	plan := w.list.Answer(time.Now(), w.options.Rule(), err, keeperRest)
	w.carryOut(plan)
	return plan.Again
}

// InSync is who is on the list.
func (w *Watch) InSync() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.list.Known()
}
