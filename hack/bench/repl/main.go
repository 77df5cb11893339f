//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/test/faults"
	"zset.dev/operator/test/faults/recorder"
)

func main() {
	runtime.LockOSThread() // the client is this thread
	// Replicas that only read are goroutines beside it, on the same CPU. Were it one P, it would be given to them some milliseconds late.
	runtime.GOMAXPROCS(4)
	recorder.Quiet()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "repl:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	s, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	var figures report.Figures
	if s.report || s.keep {
		if figures, err = report.ReadCSV(s.csv()); err != nil {
			return err
		}
	}
	machine := report.Machine()
	if s.report {
		return s.publish(figures, machine, nil)
	}
	fmt.Fprintln(os.Stderr, "On", machine)
	b := bench{settings: s, figures: &figures, commit: report.Commit(), began: time.Now()}
	if b.cpus, err = measure.CPUs(); err != nil {
		return err
	}
	if b.folder, err = os.MkdirTemp(s.dir, "bench-repl-*"); err != nil {
		return err
	}
	defer os.RemoveAll(b.folder)
	versions, err := b.find(ctx)
	if err != nil {
		return err
	}
	for _, part := range parts {
		if !s.has(part.name) {
			continue
		}
		for _, p := range b.programs {
			if err := part.measure(&b, ctx, p); err != nil {
				err = fmt.Errorf("%s, %s: %w", part.name, p.Name, err)
				if ctx.Err() != nil || !s.goOn {
					return err
				}
				fmt.Fprintln(os.Stderr, "LEFT OUT:", err) // the others are worth having
			}
		}
	}
	b.tell("measured")
	return s.publish(figures, machine, versions)
}

// bench is a run of the program.
type bench struct {
	settings
	programs []faults.Program
	figures  *report.Figures
	commit   string
	folder   string // where servers keep their files
	cpus     []int
	began    time.Time
	starts   int
}

// parts are measured in this order.
var parts = []struct {
	name    string
	measure func(*bench, context.Context, faults.Program) error
}{
	{"throughput", (*bench).throughput},
	{"sync", (*bench).fullSyncs},
	{"restart", (*bench).restarts},
	{"promotion", (*bench).promotions},
}

// tell says on standard error what is under way.
func (b *bench) tell(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "[%v] %s\n", time.Since(b.began).Round(time.Second), fmt.Sprintf(format, args...))
}

// start starts a server in a folder of its own and waits until it answers.
func (b *bench) start(ctx context.Context, p faults.Program, args ...string) (*faults.Server, error) {
	b.starts++
	dir := filepath.Join(b.folder, fmt.Sprint(b.starts))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	s, err := faults.Start(p, faults.Config{Dir: dir, Args: args})
	if err != nil {
		return nil, err
	}
	return s, ready(ctx, s)
}

// ready waits until a server has its data, a long while: it may have much.
func ready(ctx context.Context, s *faults.Server) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	return s.Ready(ctx)
}

// drop ends a server and removes its files.
func drop(s *faults.Server) {
	if s != nil {
		s.Kill()
		_ = os.RemoveAll(s.Dir) // the folder above it goes in the end
	}
}

// take puts what some rounds gave into the figures.
func (b *bench) take(rounds int, ask func(round int) ([]report.Value, error)) error {
	return b.figures.Take(rounds, 1, b.commit, func(round, _ int) ([]report.Value, error) { return ask(round) })
}
