package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"slices"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

func main() {
	measure.Child(serve)
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "engine:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	s, err := parse(args, os.Stderr)
	if err != nil {
		return err
	}
	var figures report.Figures
	if s.keep || s.resume || s.report {
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
	if !s.report {
		fmt.Fprintln(os.Stderr, "On", machine)
		began := time.Now()
		if err := s.measure(&figures); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "measured in %v\n", time.Since(began).Round(time.Second))
	}
	if err := s.publish(figures, machine); err != nil {
		return err
	}
	if changes := report.Compare(before, figures); s.against != "" {
		fmt.Println(changes.Text())
	}
	return nil
}

// measure goes through the plan and puts what comes of it into figures.
func (s *settings) measure(figures *report.Figures) error {
	rounds, err := s.plan()
	if err != nil {
		return err
	}
	commit := report.Commit()
	for i, r := range rounds {
		began := time.Now()
		if s.resume {
			r.requests = slices.DeleteFunc(r.requests, func(q request) bool { return q.measured(*figures, commit) })
		}
		err := figures.Take(r.runs(), len(r.requests), commit, func(run, i int) ([]report.Value, error) {
			q := r.requests[i]
			if run >= q.Runs {
				return nil, nil
			}
			q.Seed = s.seed + uint64(run)
			result, err := measure.Ask[[]value](q)
			var values []report.Value
			for _, v := range result {
				values = append(values, report.Value{Key: keyOf(q.Form, v.Members, q.MemberBytes, v.Measure, v.Unit), Value: v.Value})
			}
			return values, err
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "[%d/%d] %s: up to %d runs of %d in %v\n", i+1, len(rounds), r.title, r.runs(), len(r.requests),
			time.Since(began).Round(100*time.Millisecond))
		if s.out != "" { // what is measured so far is not lost with what follows
			if err := figures.WriteCSV(s.csv()); err != nil {
				return err
			}
		}
	}
	return nil
}

// measured says whether a request's figures are there as of this commit.
func (q request) measured(figures report.Figures, commit string) bool {
	what, unit := held(bytesHeld, q.Order), "B"
	switch {
	case q.Kind == collectorCost:
		what, unit = gcShareUsed, "%"
	case q.Kind == operationTimes && len(q.Operations) > 0:
		what, unit = q.Operations[0], "ns"
	case q.Kind == operationTimes:
		what, unit = score, "ns"
	}
	f, ok := figures.Find(keyOf(q.Form, q.Members, q.MemberBytes, what, unit))
	return ok && f.Commit == commit && f.Runs >= q.Runs
}

func keyOf(f contender.Form, members, memberBytes int, what, unit string) report.Key {
	k := report.Key{Contender: f.Name, Members: members, MemberBytes: memberBytes, Measure: what, Unit: unit}
	if f.P != 0 {
		k.P = contender.PText(f.P)
	}
	return k
}
