//go:build linux

package main

import (
	"fmt"
	"slices"
	"strings"

	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
)

// tables are those of all that was measured but the bars.
func tables(figures report.Figures) (tables []report.Table) {
	for _, place := range []placement{oneCore, bothCores} {
		for _, n := range pipelinesOf(figures) {
			tables = append(tables, speedTable(figures, loop{place, pipelined(n)}))
		}
	}
	tables = append(tables, coresTable(figures))
	for _, n := range pipelinesOf(figures) {
		l := pipelined(n)
		tables = append(tables, latencyTable(figures, "latency in the closed loop, "+l, func(other loop) bool { return other == loop{oneCore, l} }))
	}
	tables = append(tables, latencyTable(figures, "latency under a fixed load",
		func(l loop) bool { return l.placement == oneCore && strings.HasSuffix(l.sent, "/s") }), memoryTable(figures), generatorTable(figures))
	return slices.DeleteFunc(tables, func(t report.Table) bool { return len(t.Rows) == 0 })
}

// pipelinesOf are those that there are figures of, the longest first.
func pipelinesOf(figures report.Figures) (pipelines []int) {
	for _, f := range figures {
		var n int
		if _, l, _, ok := splitMeasure(f.Key); ok {
			if _, err := fmt.Sscanf(l.sent, "pipeline %d", &n); err == nil && !slices.Contains(pipelines, n) {
				pipelines = append(pipelines, n)
			}
		}
	}
	slices.Sort(pipelines)
	slices.Reverse(pipelines)
	return pipelines
}

func speedTable(figures report.Figures, l loop) report.Table {
	servers := serversOf(figures)
	t := report.Table{
		Title: fmt.Sprintf("thousand requests/s, %s, %s", l.placement, l.sent),
		Note: "Ratio: the node's median over the faster peer's; by CPU: requests for the same CPU time of the server, which other programs on the machine hardly " +
			"change. Cores: what client + server used, for the node and for that peer; where the client used all of its core and the server did not, the server could do more.",
		Heads: []string{"row", "members"},
	}
	t.Heads = append(append(t.Heads, servers...), "ratio", "bar", "met", "by CPU", "cores, node", "cores, peer")
	for _, r := range rowsOf(figures, func(other loop) bool { return other == l }) {
		cells := []string{r.operation, r.shape}
		for _, s := range servers {
			cells = append(cells, report.Spread(scaled(find(figures, s, r, l, throughput, perSecond), 1e-3)))
		}
		name, peer := fasterPeer(figures, r, l)
		by, b := ratio(find(figures, nodeName, r, l, throughput, perSecond), peer), barOf(l)
		text, limit, met := report.Missing, report.Short(b.bar), b.met(by)
		if by > 0 {
			text = report.Short(by)
		}
		byCPU := report.Missing
		if by := ratio(find(figures, name, r, l, serverTime, micros), find(figures, nodeName, r, l, serverTime, micros)); by > 0 {
			byCPU = report.Short(by)
		}
		if l.placement == bothCores {
			limit, met = report.Missing, report.Missing
		}
		t.Add(append(cells, text, limit, met, byCPU, usedCores(figures, nodeName, r, l), usedCores(figures, name, r, l))...)
	}
	return t
}

// usedCores is the CPU that client and server used.
func usedCores(figures report.Figures, server string, r row, l loop) string {
	client := find(figures, server, r, l, clientShare, cores)
	if client.Runs == 0 {
		return report.Missing
	}
	return report.Short(client.Median) + " + " + report.Short(find(figures, server, r, l, serverShare, cores).Median)
}

func coresTable(figures report.Figures) report.Table {
	t := report.Table{
		Title: "two cores over one",
		Note: "Requests/s with server and client sharing both cores over those with a core each. The client takes a part of both cores, which the server had one of to " +
			"itself before; with it left out the ratio says what two cores for the server alone would give, if they did as much as the rest of them did.",
		Heads: []string{"row", "members", "sent", "node", "client's cores", "with the client left out", "bar", "met", "faster peer"},
	}
	for _, n := range pipelinesOf(figures) {
		for _, r := range independent(figures) {
			raw, client, corrected := gain(figures, nodeName, r, pipelined(n))
			if raw == 0 {
				continue
			}
			peer, text := report.Missing, ""
			if name, _ := fasterPeer(figures, r, loop{oneCore, pipelined(n)}); name != "" {
				raw, _, _ := gain(figures, name, r, pipelined(n))
				peer = report.Short(raw)
			}
			limit, met := report.Missing, report.Missing
			if n > 1 {
				limit, met = report.Short(coresBar.bar), coresBar.met(corrected)
			}
			text = report.Short(corrected)
			t.Add(r.operation, r.shape, pipelined(n), report.Short(raw), report.Short(client), text, limit, met, peer)
		}
	}
	return t
}

func latencyTable(figures report.Figures, title string, in func(loop) bool) report.Table {
	servers := serversOf(figures)
	t := report.Table{
		Title: title + ", one core, µs: p50 / p99 / p99.9",
		Note:  "Medians over the rounds. In the closed loop a latency is that of a batch; under a fixed load it counts from when a command was due.",
		Heads: append([]string{"row", "members", "sent"}, servers...),
	}
	for _, r := range rowsOf(figures, in) {
		var l loop
		for _, f := range figures { // the rate differs between rows
			if other, ll, _, ok := splitMeasure(f.Key); ok && other == r && in(ll) {
				l = ll
			}
		}
		cells := []string{r.operation, r.shape, l.sent}
		for _, s := range servers {
			var parts []string
			for _, what := range []string{median, percentile, permille} {
				f := find(figures, s, r, l, what, micros)
				if f.Runs > 0 {
					parts = append(parts, report.Short(f.Median))
				}
			}
			cell := report.Missing
			if len(parts) > 0 {
				cell = strings.Join(parts, " / ")
			}
			cells = append(cells, cell)
		}
		t.Add(cells...)
	}
	return t
}

// memoryLine is a shape whose memory was measured.
type memoryLine struct {
	name           string
	members, bytes int
}

func (m memoryLine) small() bool { return strings.Contains(m.name, "sets of") }

func (m memoryLine) find(figures report.Figures, server, what string) measure.Summary {
	f, _ := figures.Find(report.Key{Contender: server, Members: m.members, MemberBytes: m.bytes,
		Measure: memoryRow + ", " + m.name + ": " + what, Unit: bytesUnit})
	return f.Summary
}

func (m memoryLine) smallerPeer(figures report.Figures, what string) (name string, least measure.Summary) {
	for _, p := range peerNames {
		if s := m.find(figures, p, what); s.Runs > 0 && (least.Runs == 0 || s.Median < least.Median) {
			name, least = p, s
		}
	}
	return name, least
}

func memoryRows(figures report.Figures) (lines []memoryLine) {
	for _, f := range figures {
		text, ok := strings.CutPrefix(f.Measure, memoryRow+", ")
		name, _, _ := strings.Cut(text, ": ")
		if m := (memoryLine{name, f.Members, f.MemberBytes}); ok && !slices.Contains(lines, m) {
			lines = append(lines, m)
		}
	}
	slices.SortFunc(lines, func(a, b memoryLine) int { return a.members - b.members })
	return lines
}

func memoryTable(figures report.Figures) report.Table {
	servers := serversOf(figures)
	t := report.Table{
		Title: "bytes of memory",
		Note: "Of one set, per member and beside its own 20 bytes; of small sets, per key and beside the key's 16 bytes and the members' own 13 each. " +
			"Scores are random doubles. Growth by the server's account, used_memory, and by the system's, after it has come to rest.",
		Heads: append(append([]string{"members", "growth of"}, servers...), "of the smaller peer"),
	}
	for _, m := range memoryRows(figures) {
		for _, what := range []string{usedPer, residentPer} {
			cells := []string{m.name, what}
			for _, s := range servers {
				cells = append(cells, report.Spread(m.find(figures, s, what)))
			}
			_, peer := m.smallerPeer(figures, what)
			text := report.Missing
			if by := ratio(m.find(figures, nodeName, what), peer); by > 0 {
				text = report.Short(by)
				if m.small() {
					text += ", bar " + report.Short(smallKeyBar.bar) + ": " + smallKeyBar.metAtMost(by)
				}
			}
			t.Add(append(cells, text)...)
		}
	}
	return t
}
