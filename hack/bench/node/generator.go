//go:build linux

package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/node/load"
	"zset.dev/operator/hack/bench/node/server"
	"zset.dev/operator/hack/bench/report"
)

// The two loads that are compared.
const (
	ourLoad   = "this program"
	theirLoad = "valkey-benchmark"
)

const generatorMembers = 100_000

// generatorCommands are given to both: for this program as templates, for valkey-benchmark as its arguments, in which it writes 12
// digits over the same place.
var generatorCommands = []struct {
	name      string
	template  load.Template
	arguments []string
}{
	{"PING", load.Command(load.Text("PING")), []string{"PING"}},
	{"ZADD", load.Command(load.Text("ZADD"), load.Text("set"), load.Text("0.5"), load.Member("mxxxxxxx", 0)),
		[]string{"-r", strconv.Itoa(generatorMembers), "ZADD", "set", "0.5", "mxxxxxxx__rand_int__"}},
}

// generator drives Valkey with this program and with valkey-benchmark in turn, on the same cores.
func (b *bench) generator(ctx context.Context) error {
	i := slices.IndexFunc(b.programs, func(p server.Program) bool { return p.Name == "valkey" })
	if i < 0 {
		return nil
	}
	subjects, stop, err := b.start(ctx, b.programs[i:i+1])
	defer stop()
	if err != nil {
		return err
	}
	if err := b.place(ctx, oneCore, subjects); err != nil {
		return err
	}
	s := subjects[0]
	for member := range generatorMembers { // so that all ZADD of both find their member
		if err := s.bulk.Send(&generatorCommands[1].template, 0, member); err != nil {
			return err
		}
	}
	if _, err := s.bulk.Finish(); err != nil {
		return err
	}
	tool := filepath.Join(filepath.Dir(s.Path), "valkey-benchmark")
	return b.figures.Take(b.rounds, len(generatorCommands)*len(b.pipelines), b.commit, func(round, i int) ([]report.Value, error) {
		command, pipeline := generatorCommands[i/len(b.pipelines)], b.pipelines[i%len(b.pipelines)]
		b.progress.tell("%s beside valkey-benchmark, round %d", command.name, round+1)
		work := load.Work{Template: command.template, Random: s.random,
			Pick: func(r *load.Random) (set, member int) { return 0, r.Below(generatorMembers) }}
		ours, err := s.conns.Closed(ctx, work, pipeline, load.Limit{For: 2 * b.budget})
		if err != nil {
			return nil, err
		}
		rate := float64(ours.Commands) / ours.Elapsed.Seconds()
		theirs, err := benchmark(ctx, tool, s.Addr, b.clientCPU(), b.conns, pipeline, int(rate*3*b.budget.Seconds()), command.arguments)
		if err != nil {
			return nil, err
		}
		key := func(contender string) report.Key {
			return report.Key{Contender: contender, Measure: fmt.Sprintf("%s, %s, %s", generatorRow, command.name, pipelined(pipeline)), Unit: perSecond}
		}
		return []report.Value{{Key: key(ourLoad), Value: rate}, {Key: key(theirLoad), Value: theirs}}, nil
	})
}

// benchmark is the requests/s that valkey-benchmark tells.
func benchmark(ctx context.Context, tool, addr string, cpu, conns, pipeline, requests int, arguments []string) (float64, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return 0, err
	}
	// It begins with the CPUs of the thread that starts it, which is where this program's client runs.
	if err := measure.PinThread(cpu); err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	args := append([]string{"-h", host, "-p", port, "-c", strconv.Itoa(conns), "-P", strconv.Itoa(pipeline), "-n", strconv.Itoa(requests), "--csv"}, arguments...)
	out, err := exec.CommandContext(ctx, tool, args...).Output()
	if err != nil {
		return 0, fmt.Errorf("valkey-benchmark: %w", err)
	}
	records, err := csv.NewReader(strings.NewReader(string(out))).ReadAll()
	if err != nil || len(records) != 2 || len(records[1]) < 2 {
		return 0, fmt.Errorf("valkey-benchmark said %q, %v", out, err)
	}
	return strconv.ParseFloat(records[1][1], 64)
}

func generatorTable(figures report.Figures) report.Table {
	t := report.Table{
		Title: "the load generator, thousand requests/s",
		Note:  "Valkey on one core, driven from the other by this program and by valkey-benchmark, with the same connections, pipeline and command.",
		Heads: []string{"command", ourLoad, theirLoad, "ratio"},
	}
	for _, f := range figures {
		what, ok := strings.CutPrefix(f.Measure, generatorRow+", ")
		if !ok || f.Contender != ourLoad {
			continue
		}
		k := f.Key
		k.Contender = theirLoad
		theirs, _ := figures.Find(k)
		t.Add(what, report.Spread(scaled(f.Summary, 1e-3)), report.Spread(scaled(theirs.Summary, 1e-3)), report.Short(ratio(f.Summary, theirs.Summary)))
	}
	return t
}
