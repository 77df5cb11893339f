//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"zset.dev/operator/hack/bench/report"
)

func (s *settings) csv() string { return filepath.Join(s.out, "node.csv") }

// publish prints the tables, and writes all reports if there is a folder for them.
func (s *settings) publish(figures report.Figures, machine string, programs []string) error {
	tables := tables(figures)
	bars, missed := barTable(figures), shortTable(figures)
	for _, t := range append(tables, missed, bars) {
		fmt.Println(t.Text())
	}
	if text := disturbance(figures); text != "" {
		fmt.Println(strings.TrimSpace(strings.ReplaceAll(text, "**", "")))
	}
	if s.out == "" {
		return nil
	}
	if err := figures.WriteCSV(s.csv()); err != nil {
		return err
	}
	images, err := savePlots(figures, s.out)
	if err != nil {
		return err
	}
	var body strings.Builder
	for _, t := range tables {
		body.WriteString(t.Markdown() + "\n")
	}
	head := fmt.Sprintf("Measured on %s; commit %s. Figures are median (min–max) of the rounds.%s\n\n",
		machine, strings.Join(figures.Commits(), ", "), disturbance(figures))
	page := filepath.Join(s.out, "node.md")
	sections := []struct{ name, body string }{{"bars", head + bars.Markdown() + "\n" + missed.Markdown()}, {"plots", images}, {"tables", body.String()}}
	if len(programs) > 0 { // else the peers are those of before
		sections = append(sections, struct{ name, body string }{"peers", "The peers: " + strings.Join(programs, " and ") + "."})
	}
	for _, section := range sections {
		if err := report.ReplaceSection(page, section.name, section.body); err != nil {
			return err
		}
	}
	return nil
}

// disturbance says in how many rows, of each server with a core of its own, something else must have taken CPU time: neither
// the client nor the server had most of its core. Where that is seldom it says nothing.
func disturbance(figures report.Figures) string {
	const most, seldom = 0.8, 0.02
	all, disturbed := 0, 0
	for _, f := range figures {
		r, l, what, ok := splitMeasure(f.Key)
		if !ok || l.placement != oneCore || what != clientShare {
			continue
		}
		all++
		if f.Median < most && find(figures, f.Contender, r, l, serverShare, cores).Median < most {
			disturbed++
		}
	}
	if float64(disturbed) <= seldom*float64(all) {
		return ""
	}
	return fmt.Sprintf(" **Other programs took CPU time in %d of %d rows:** neither the client nor the server had most of its core.", disturbed, all)
}

// savePlots draws the figures into a folder and gives the Markdown that shows the plots.
func savePlots(figures report.Figures, folder string) (markdown string, err error) {
	var b strings.Builder
	servers := serversOf(figures)
	for _, o := range operations {
		p := report.Plot{Title: o.about + ": one core each", X: "members in a set (5: a million sets)", Y: "thousand requests/s", LogX: true}
		for _, n := range pipelinesOf(figures) {
			l := loop{oneCore, pipelined(n)}
			for group, server := range servers {
				series := report.Series{Name: fmt.Sprintf("%s, %s", server, l.sent), Group: group}
				for _, r := range rowsOf(figures, func(other loop) bool { return other == l }) {
					if f := find(figures, server, r, l, throughput, perSecond); r.operation == o.name && f.Runs > 0 {
						series.Points = append(series.Points, report.Point{X: float64(r.members), Summary: scaled(f, 1e-3)})
					}
				}
				if len(series.Points) > 1 {
					p.Series = append(p.Series, series)
				}
			}
		}
		if len(p.Series) == 0 {
			continue
		}
		file := "node-" + o.name + ".svg"
		fmt.Fprintf(&b, "![%s](%s)\n\n", p.Title, file)
		if err := p.Save(filepath.Join(folder, file)); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
