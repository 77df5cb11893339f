//go:build linux

package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"zset.dev/operator/test/faults"
)

// settings are what the user asked for.
type settings struct {
	short, report, keep, goOn bool
	parts, servers            []string
	out, dir, node            string
	seed                      uint64
	rounds                    int           // of what takes long
	quick                     int           // rounds of what does not
	calm                      time.Duration // for how long latencies are taken before a sync
	budget                    time.Duration // of a round of throughput
	promoted                  int           // runs
	rate                      float64       // writes a second during a sync
	shapes                    []shape
}

const nodeName = "node"

var peerNames = []string{"valkey", "redis"}

// parse reads the command line.
func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	f := flag.NewFlagSet("repl", flag.ContinueOnError)
	f.SetOutput(stderr)
	f.BoolVar(&s.short, "short", false, "a small scale, one round, a minute; tables only")
	which := f.String("parts", strings.Join(names, ","), "what to measure")
	servers := f.String("servers", "node,valkey,redis", "which")
	f.Uint64Var(&s.seed, "seed", 1, "of scores, choices and the moments of kills")
	f.Float64Var(&s.rate, "rate", 50_000, "writes a second during a full sync")
	f.IntVar(&s.promoted, "promotions", 0, "runs of each mode (default 20; short: 2)")
	scale := f.Float64("scale", 1, "of the number of members and keys, for a long form that takes less")
	f.StringVar(&s.node, "node", "", "the node's program (default: built from this checkout)")
	f.StringVar(&s.dir, "dir", "", "where the servers' files go, some gigabytes for a while (default: the system's folder for such)")
	f.StringVar(&s.out, "out", "", "folder with repl.md to write tables and CSV to (default: only standard output)")
	f.BoolVar(&s.keep, "append", false, "keep the figures in -out that are not measured again")
	f.BoolVar(&s.report, "report", false, "measure nothing, write the report from the figures in -out")
	f.BoolVar(&s.goOn, "go-on", true, "leave out what fails, and go on with the rest")
	if err := f.Parse(args); err != nil {
		return s, err
	}
	if f.NArg() > 0 {
		return s, fmt.Errorf("unexpected argument %q", f.Arg(0))
	}
	s.parts, s.servers = strings.Split(*which, ","), strings.Split(*servers, ",")
	for _, p := range s.parts {
		if !slices.Contains(names, p) {
			return s, fmt.Errorf("no part %q; there are: %s", p, strings.Join(names, ", "))
		}
	}
	for _, name := range s.servers {
		if name != nodeName && !slices.Contains(peerNames, name) {
			return s, fmt.Errorf("no server %q; there are node, valkey, redis", name)
		}
	}
	if (s.report || s.keep) && s.out == "" {
		return s, fmt.Errorf("-report and -append need -out")
	}
	if s.short && s.out != "" {
		return s, fmt.Errorf("figures of the short form are not for keeping: -short and -out exclude each other")
	}
	s.rounds, s.quick, s.calm, s.budget = 3, 3, 2*time.Second, time.Second
	s.shapes = []shape{{sets: 1, members: 10_000_000}, {sets: 1_000_000, members: smallMembers}}
	promoted := 20
	if s.short {
		s.rounds, s.quick, s.calm, s.budget = 1, 1, 300*time.Millisecond, 300*time.Millisecond
		s.shapes = []shape{{sets: 1, members: 200_000}, {sets: 30_000, members: smallMembers}}
		promoted = 2
	}
	if *scale <= 0 || *scale > 10 || *scale != 1 && s.out != "" {
		return s, fmt.Errorf("-scale is up to 10, and figures of another than 1 are not for keeping")
	}
	s.shapes[0].members = max(1000, int(float64(s.shapes[0].members)**scale)/1000*1000)
	s.shapes[1].sets = max(1, int(float64(s.shapes[1].sets)**scale))
	if s.promoted == 0 {
		s.promoted = promoted
	}
	return s, nil
}

func (s *settings) has(part string) bool { return slices.Contains(s.parts, part) }
func (s *settings) csv() string          { return filepath.Join(s.out, "repl.csv") }

// find builds the node and gets the peers; versions are those of the peers.
func (b *bench) find(ctx context.Context) (versions []string, err error) {
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "zset.dev/operator")
	if err != nil {
		return nil, err
	}
	peers := ""
	for _, name := range b.servers {
		if name == nodeName {
			path := b.node
			if path == "" {
				b.tell("building the node")
				path = filepath.Join(b.folder, "node")
				if _, err := output(ctx, root, "go", "build", "-trimpath", "-o", path, "./cmd/node"); err != nil {
					return nil, err
				}
			}
			b.programs = append(b.programs, faults.Program{Name: name, Path: path})
			continue
		}
		if peers == "" {
			if peers, err = output(ctx, root, "hack/peers.sh"); err != nil && b.short {
				b.tell("without peers, which this machine cannot get: %v", err)
				return versions, nil
			} else if err != nil {
				return nil, err
			}
		}
		p := faults.Program{Name: name, Path: filepath.Join(peers, name+"-server")}
		said, err := output(ctx, "", p.Path, "--version")
		if err != nil {
			return nil, err
		}
		b.programs = append(b.programs, p)
		versions = append(versions, strings.ToUpper(name[:1])+name[1:]+" "+regexp.MustCompile(`v=(\S+)`).FindStringSubmatch(said + " v=?")[1])
	}
	return versions, nil
}

// output is what a command prints, without the last newline.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
