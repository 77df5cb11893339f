//go:build linux

package main

import (
	"fmt"
	"path/filepath"
	"strings"

	"zset.dev/operator/hack/bench/report"
)

// publish prints the tables, and writes the report if there is a folder for it.
func (s *settings) publish(figures report.Figures, machine string, versions []string) error {
	tables, bars := tables(figures), barTable(figures)
	for _, t := range append(tables, bars) {
		fmt.Println(t.Text())
	}
	if s.out == "" {
		return nil
	}
	if err := figures.WriteCSV(s.csv()); err != nil {
		return err
	}
	var body strings.Builder
	for _, t := range tables {
		body.WriteString(t.Markdown() + "\n")
	}
	head := fmt.Sprintf("Measured on %s; commit %s. Figures are median (min–max) of the rounds.\n\n", machine, strings.Join(figures.Commits(), ", "))
	sections := []struct{ name, body string }{{"bars", head + bars.Markdown()}, {"tables", body.String()}}
	if len(versions) > 0 { // else the peers are those of before
		sections = append(sections, struct{ name, body string }{"peers", "The peers: " + strings.Join(versions, " and ") + "."})
	}
	for _, section := range sections {
		if err := report.ReplaceSection(filepath.Join(s.out, "repl.md"), section.name, section.body); err != nil {
			return err
		}
	}
	return nil
}
