package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

// settings are what the user asked for.
type settings struct {
	long   bool
	names  []string
	runs   int
	random uint64
	cpu    int
	addr   string
	peer   string
	out    string
	keep   bool
	resume bool
	report bool
}

func main() {
	measure.Child(serve)
	if err := run(os.Args[1:]); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "seeds:", err)
		os.Exit(1)
	}
}

func serve(r request) ([]value, error) {
	s, ok := named(r.Seed)
	if !ok {
		return nil, fmt.Errorf("there is no proposal %q", r.Seed)
	}
	if r.Addr == "" { // a server's clients are to run freely
		if err := measure.Pin(r.CPU); err != nil {
			return nil, fmt.Errorf("keeping to CPU %d: %w", r.CPU, err)
		}
	}
	return s.serve(r)
}

func named(name string) (seed, bool) {
	i := slices.IndexFunc(seeds, func(s seed) bool { return s.name == name })
	if i < 0 {
		return seed{}, false
	}
	return seeds[i], true
}

func parse(args []string) (settings, error) {
	var s settings
	var all []string
	for _, seed := range seeds {
		all = append(all, seed.name)
	}
	f := flag.NewFlagSet("seeds", flag.ContinueOnError)
	short := f.Bool("short", false, "a small scale, three runs (the default)")
	f.BoolVar(&s.long, "long", false, "the authors' scale where it can be had, five runs")
	names := f.String("seed", strings.Join(all, ","), "which proposals")
	f.IntVar(&s.runs, "runs", 0, "runs of each (default 3; long: 5)")
	f.Uint64Var(&s.random, "random", 1, "seed of the first run's random choices; each run has the next one")
	f.IntVar(&s.cpu, "cpu", -1, "CPU to measure on (default: the last)")
	f.StringVar(&s.addr, "addr", "", "HOST:PORT of an empty node of this project, for embedded (default: one is built and started)")
	f.StringVar(&s.peer, "peer", "", "HOST:PORT of another, empty server, for embedded (default: a Valkey is fetched and started)")
	f.StringVar(&s.out, "out", "", "folder with README.md to write tables, CSV and plots to (default: only standard output)")
	f.BoolVar(&s.keep, "append", false, "keep the figures in -out that are not measured again")
	f.BoolVar(&s.resume, "resume", false, "go on with an interrupted measurement into -out: measure what it lacks of this commit")
	f.BoolVar(&s.report, "report", false, "measure nothing, write the reports from the figures in -out")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	s.names = strings.Split(*names, ",")
	for _, name := range s.names {
		if !slices.Contains(all, name) {
			return s, fmt.Errorf("there is no proposal %q; there are: %s", name, strings.Join(all, ", "))
		}
	}
	switch {
	case f.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	case *short && s.long:
		return s, fmt.Errorf("-short and -long exclude each other")
	case (s.report || s.resume) && s.out == "":
		return s, fmt.Errorf("-report and -resume need -out")
	}
	if s.runs <= 0 {
		s.runs = 3
		if s.long {
			s.runs = 5
		}
	}
	return s, nil
}

func run(args []string) error {
	s, err := parse(args)
	if err != nil {
		return err
	}
	var figures report.Figures
	if s.keep || s.resume || s.report {
		if figures, err = report.ReadCSV(s.csv()); err != nil {
			return err
		}
	}
	if !s.report {
		if err := s.measure(&figures); err != nil {
			return err
		}
	}
	for _, seed := range seeds {
		for _, t := range seed.tables(figures) {
			fmt.Println(seed.name + ": " + t.Text())
		}
	}
	if s.out == "" {
		return nil
	}
	if err := figures.WriteCSV(s.csv()); err != nil {
		return err
	}
	if p := growthPlot(figures); len(p.Series) > 0 {
		if err := p.Save(filepath.Join(s.out, growthPlotFile)); err != nil {
			return err
		}
	}
	return report.ReplaceSection(filepath.Join(s.out, "README.md"), "seeds", section(figures))
}

func (s settings) csv() string { return filepath.Join(s.out, "seeds.csv") }

const growthPlotFile = "seeds-p.svg"

// measure runs the proposals one after the other, the requests of each in turn.
func (s settings) measure(figures *report.Figures) error {
	commit := report.Commit()
	for _, name := range s.names {
		seed, _ := named(name)
		if s.resume && measured(*figures, name, commit) {
			continue
		}
		if err := s.measureOne(seed, figures, commit); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if s.out != "" { // what is measured so far is not lost with what follows
			if err := figures.WriteCSV(s.csv()); err != nil {
				return err
			}
		}
	}
	return nil
}

// measured says whether there are figures of a proposal, which come all at once, as of this commit.
func measured(figures report.Figures, name, commit string) bool {
	return slices.ContainsFunc(figures, func(f report.Figure) bool {
		return f.Commit == commit && strings.HasPrefix(f.Measure, name+": ")
	})
}

func (s settings) measureOne(seed seed, figures *report.Figures, commit string) (err error) {
	name := seed.name
	if name == embedded.name {
		var own servers
		defer func() { err = errors.Join(err, own.stop()) }()
		if err := own.start(&s.addr, &s.peer); err != nil {
			return err
		}
	}
	requests := seed.requests(s)
	began := time.Now()
	err = figures.Take(s.runs, len(requests), commit, func(run, i int) (values []report.Value, err error) {
		r := requests[i]
		if r.Runs != 0 && run >= r.Runs {
			return nil, nil
		}
		r.Seed, r.Random, r.CPU, r.Budget = name, s.random+uint64(run), s.cpu, 100*time.Millisecond
		result, err := measure.Ask[[]value](r)
		for _, v := range result {
			values = append(values, report.Value{Key: r.key(v), Value: v.Value})
		}
		return values, err
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: up to %d runs of %d in %v\n", name, s.runs, len(requests), time.Since(began).Round(100*time.Millisecond))
	return nil
}

// section is what README.md says of the proposals.
func section(figures report.Figures) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Measured on %s; commit %s. Median (min–max) of several runs in processes of their own, in turn; "+
		"a single figure is of one run.\n\n", report.Machine(), strings.Join(figures.Commits(), ", "))
	for i, s := range seeds {
		fmt.Fprintf(&b, "### %d. %s\n\nThe authors: %s\n\nHere (`-seed %s`): %s\n\n", i+1, s.title, s.authors, s.name, s.ours)
		tables := s.tables(figures)
		if len(tables) == 0 {
			b.WriteString("Not measured yet.\n\n")
		}
		for _, t := range tables {
			b.WriteString("#" + t.Markdown() + "\n") // a level below the proposal
		}
		if s.name == growth.name && len(tables) > 0 {
			fmt.Fprintf(&b, "![%s](%s)\n\n", growthPlot(figures).Title, growthPlotFile)
		}
	}
	return b.String()
}
