//go:build linux

package main

import (
	"flag"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are what the user asked for.
type settings struct {
	short      bool
	rows       []string
	sizes      []string
	rounds     int
	servers    []string
	placements []placement
	pipelines  []int
	budget     time.Duration
	warmup     time.Duration
	conns      int
	seed       uint64
	cpus       []int // of the client and of the server when each has one
	node       string
	out        string
	keep       bool
	report     bool
	against    string
}

// placement is what the server and the client may use.
type placement string

const (
	oneCore   placement = "one core"   // the server one and the client another
	bothCores placement = "both cores" // both of them the same two
)

// Rows that are not operations.
const (
	memoryRow    = "memory"
	generatorRow = "generator" // the load generator beside valkey-benchmark
)

const (
	smallSize = "small"
	nodeName  = "node"
)

var peerNames = []string{"valkey", "redis"}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	allRows := append(operationNames(), memoryRow, generatorRow)
	f := flag.NewFlagSet("node", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.Usage = func() {
		fmt.Fprint(stderr, usage)
		f.PrintDefaults()
		fmt.Fprintln(stderr, "\nRows:")
		for _, o := range operations {
			fmt.Fprintf(stderr, "  %-22s %s\n", o.name, o.about)
		}
		fmt.Fprintf(stderr, "  %-22s bytes per member of the sizes of one set, and per small key\n", memoryRow)
		fmt.Fprintf(stderr, "  %-22s this program's load beside valkey-benchmark's, on Valkey\n", generatorRow)
	}
	f.BoolVar(&s.short, "short", false, "a small scale: sets of 100 and 100k, one round, a minute and a half; tables only")
	rows := f.String("rows", strings.Join(allRows, ","), "what to measure")
	sizes := f.String("sizes", "", "members of a set for the rows that have them all, and small for 1M sets of 5 (default small,100,1M,10M)")
	f.IntVar(&s.rounds, "rounds", 0, "rounds of each (default 5; short: 1)")
	servers := f.String("servers", "node,valkey,redis", "which; NAME=FILE is another build of the node")
	placements := f.String("cores", "one,both", "one: the server on one and the client on another; both: all may use two")
	pipelines := f.String("pipelines", "16,1", "commands that a connection sends at a time")
	f.DurationVar(&s.budget, "time", 0, "for how long each is measured in a round (default 200ms; short: 60ms)")
	f.IntVar(&s.conns, "conns", 50, "connections")
	f.Uint64Var(&s.seed, "seed", 1, "of scores and choices")
	f.StringVar(&s.node, "node", "", "the node's program (default: built from this checkout)")
	f.StringVar(&s.out, "out", "", "folder with node.md to write tables, CSV and plots to (default: only standard output)")
	f.BoolVar(&s.keep, "append", false, "keep the figures in -out that are not measured again")
	f.BoolVar(&s.report, "report", false, "measure nothing, write the reports from the figures in -out")
	f.StringVar(&s.against, "against", "", "a node.csv of another day: show what has changed since")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	s.complete()
	if *sizes != "" {
		s.sizes = split(*sizes)
	}
	s.rows, s.servers = split(*rows), split(*servers)
	for _, row := range s.rows {
		if !slices.Contains(allRows, row) {
			return s, fmt.Errorf("no row %q; there are: %s", row, strings.Join(allRows, ", "))
		}
	}
	for _, name := range s.servers {
		if name != nodeName && !slices.Contains(peerNames, name) && !strings.Contains(name, "=") {
			return s, fmt.Errorf("no server %q; there are node, valkey, redis, and NAME=FILE", name)
		}
	}
	for _, word := range split(*placements) {
		p, ok := map[string]placement{"one": oneCore, "both": bothCores}[word]
		if !ok {
			return s, fmt.Errorf("cores are one or both, not %q", word)
		}
		s.placements = append(s.placements, p)
	}
	for _, word := range split(*pipelines) {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > 1000 {
			return s, fmt.Errorf("a pipeline is 1 to 1000 commands, not %q", word)
		}
		s.pipelines = append(s.pipelines, n)
	}
	for _, size := range s.sizes {
		if _, err := s.shapeOf(size); err != nil {
			return s, err
		}
	}
	if s.conns < 1 || s.conns > 1000 || s.budget <= 0 || s.rounds < 1 {
		return s, fmt.Errorf("-conns is 1 to 1000, -time and -rounds are more than nothing")
	}
	if (s.report || s.keep) && s.out == "" {
		return s, fmt.Errorf("-report and -append need -out")
	}
	if s.short && s.out != "" {
		return s, fmt.Errorf("figures of the short form are not for keeping: -short and -out exclude each other")
	}
	return s, nil
}

const usage = `Measures the node beside the newest Redis and Valkey: requests/s and latencies of each row over sizes of sets, and memory.

  go run ./node -out ../../docs/bench                            everything, a quarter of an hour
  go run ./node -short                                           at a small scale, little more than a minute
  go run ./node -rows zadd-new,zrank -sizes 1M -rounds 1         two rows
  go run ./node -rows ping -servers node,old=/tmp/node,valkey    beside another build of the node
  go run ./node -append -rows zpopmin -out ../../docs/bench      one row anew, the others from node.csv

The ratio of a row is the node's requests/s over the faster peer's; "by CPU" is that of requests for the same CPU time of the
server, the one to look at while other programs are using the CPUs.

Options:
`

// complete fills in what the form says and the user has not.
func (s *settings) complete() {
	rounds, budget := 5, 200*time.Millisecond
	s.sizes, s.warmup = []string{smallSize, "100", "1M", "10M"}, 30*time.Millisecond
	if s.short {
		s.sizes, s.warmup = []string{smallSize, "100", "100k"}, 10*time.Millisecond
		rounds, budget = 1, 60*time.Millisecond
	}
	if s.rounds == 0 {
		s.rounds = rounds
	}
	if s.budget == 0 {
		s.budget = budget
	}
}

func split(text string) (words []string) {
	for word := range strings.SplitSeq(text, ",") {
		words = append(words, strings.TrimSpace(word))
	}
	return words
}

// shapeOf reads a size: small, 100, 1k, 10M.
func (s *settings) shapeOf(size string) (shape, error) {
	if size == smallSize {
		return shape{small, smallMembers, s.scaled(1_000_000)}, nil
	}
	digits, unit := strings.TrimSuffix(size, "k"), 1000
	if digits == size {
		digits, unit = strings.TrimSuffix(size, "M"), 1_000_000
	}
	if digits == size {
		unit = 1
	}
	n, err := strconv.Atoi(digits)
	if err != nil || n < 1 || n > 100_000_000/unit || n*unit < 20 || n*unit > 2*perCommand && n*unit%perCommand != 0 {
		return shape{}, fmt.Errorf("a size is small, or 20 to 100M members and above 200 a multiple of 100, not %q", size)
	}
	sh := sized(n * unit)
	if sh.kind == several {
		sh.sets = max(1, s.scaled(sh.sets))
	}
	return sh, nil
}

// scaled is a number of sets, smaller for the short form.
func (s *settings) scaled(sets int) int {
	if s.short {
		return sets / 10
	}
	return sets
}

// has says whether a row is to be measured.
func (s *settings) has(row string) bool { return slices.Contains(s.rows, row) }

// A cell is one row of one table: what is measured for each server.
type cell struct {
	operation
	shape     shape
	placement placement
	pipeline  int
	open      bool // loop, at a fixed rate; else closed
}

// A part is what is measured with the same data in the servers.
type part struct {
	shape  shape
	cells  map[placement][]cell
	memory bool
}

// plan says what is to be measured, in order.
func (s *settings) plan() (parts []part, err error) {
	shapes := []shape{{kind: nothing, sets: 1}}
	for _, size := range s.sizes {
		sh, err := s.shapeOf(size)
		if err != nil {
			return nil, err
		}
		shapes = append(shapes, sh)
	}
	shapes = append(shapes, shape{purged, purgedMembers, s.scaled(500_000)}, shape{pairs, unionMembers, 100})
	for _, sh := range shapes {
		p := part{shape: sh, cells: map[placement][]cell{}, memory: s.has(memoryRow) && (sh.kind == small || sh.kind == single)}
		some := p.memory
		for _, place := range s.placements {
			for _, o := range operations {
				if !s.has(o.name) || !o.on(sh) {
					continue
				}
				some = true
				for _, n := range s.pipelines {
					p.cells[place] = append(p.cells[place], cell{o, sh, place, n, false})
				}
				if place == oneCore {
					p.cells[place] = append(p.cells[place], cell{o, sh, place, 1, true})
				}
			}
		}
		if some {
			parts = append(parts, p)
		}
	}
	return parts, nil
}
