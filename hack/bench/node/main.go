//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

func main() {
	runtime.LockOSThread() // the client is this thread, and the servers end with it
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "node:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	s, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	var figures report.Figures
	if s.keep || s.report {
		if figures, err = report.ReadCSV(s.csv()); err != nil {
			return err
		}
	}
	var before report.Figures // read now, as it may be the file that is about to be written
	if s.against != "" {
		if before, err = report.ReadCSV(s.against); err != nil {
			return err
		}
		if len(before) == 0 {
			return fmt.Errorf("%s: there are no figures to compare with", s.against)
		}
	}
	machine := report.Machine()
	var versions []string
	if !s.report {
		fmt.Fprintln(os.Stderr, "On", machine)
		if s.cpus, err = measure.CPUs(); err != nil {
			return err
		}
		if len(s.cpus) < 2 {
			return errors.New("needs two CPUs")
		}
		s.cpus = s.cpus[:2]
		folder, err := os.MkdirTemp("", "bench-node-*")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		began := time.Now()
		b := bench{settings: s, figures: &figures, commit: report.Commit()}
		if b.programs, versions, err = s.programs(ctx, folder); err != nil {
			return err
		}
		if err := b.measure(ctx); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "measured in %v\n", time.Since(began).Round(time.Second))
	}
	if err := s.publish(figures, machine, versions); err != nil {
		return err
	}
	if changes := report.Compare(before, figures); s.against != "" {
		fmt.Println(changes.Text())
	}
	return nil
}
