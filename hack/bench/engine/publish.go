package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/report"
)

func (s *settings) csv() string { return filepath.Join(s.out, "engine.csv") }

// publish prints the tables, and writes all reports if there is a folder for them.
func (s *settings) publish(figures report.Figures, machine string) error {
	tables := tables(figures)
	seeds, err := report.ReadCSV(filepath.Join(s.out, "seeds.csv"))
	if err != nil {
		return err
	}
	bars := barTable(figures, seeds)
	for _, t := range append(tables, bars) {
		fmt.Println(t.Text())
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
	readme := filepath.Join(s.out, "README.md")
	var body strings.Builder
	fmt.Fprintf(&body, "Measured on %s; commit %s. Figures are median (min–max) of %d runs in processes of their own, "+
		"or of fewer where it says ×1 or ×3: sets of other contenders that take long to make, and bytes, which hardly vary.\n\n",
		machine, strings.Join(figures.Commits(), ", "), mostRuns(figures))
	for _, t := range tables {
		body.WriteString(t.Markdown() + "\n")
	}
	for _, section := range []struct{ name, body string }{
		{"bars", bars.Markdown()}, {"plots", images}, {"engine", body.String()},
	} {
		if err := report.ReplaceSection(readme, section.name, section.body); err != nil {
			return err
		}
	}
	return nil
}

// axes are the values that there are figures of.
type axes struct {
	rows  []report.Key // contender and P only
	sizes []int
}

// axesOf finds for which contenders and sizes something was measured, in the order of tables.
func axesOf(figures report.Figures, memberBytes int, what string) axes {
	rows, sizes := map[report.Key]bool{}, map[int]bool{}
	for _, f := range figures {
		if f.Measure == what && f.MemberBytes == memberBytes {
			rows[report.Key{Contender: f.Contender, P: f.P}] = true
			sizes[f.Members] = true
		}
	}
	return axes{slices.SortedFunc(maps.Keys(rows), compareRows), slices.Sorted(maps.Keys(sizes))}
}

var pOrder = []string{"", "0.25", "1/e", "0.5"}

func compareRows(a, b report.Key) int {
	names := contender.Names()
	if d := slices.Index(names, a.Contender) - slices.Index(names, b.Contender); d != 0 {
		return d
	}
	if d := slices.Index(pOrder, a.P) - slices.Index(pOrder, b.P); d != 0 {
		return d
	}
	return strings.Compare(a.P, b.P)
}

// rowName is how tables call a contender.
func rowName(k report.Key) string { return strings.TrimSpace(k.Contender + " " + k.P) }

// find gives the figure of a row at a size.
func find(figures report.Figures, row report.Key, members, memberBytes int, what, unit string) report.Figure {
	row.Members, row.MemberBytes, row.Measure, row.Unit = members, memberBytes, what, unit
	f, _ := figures.Find(row)
	return f
}

// memberSizes are those that there are figures of.
func memberSizes(figures report.Figures) []int {
	sizes := map[int]bool{}
	for _, f := range figures {
		sizes[f.MemberBytes] = true
	}
	return slices.Sorted(maps.Keys(sizes))
}

// tables are those of all that was measured but the bars.
func tables(figures report.Figures) (tables []report.Table) {
	most := mostRuns(figures)
	add := func(what, unit, title, note string) {
		for _, bytes := range memberSizes(figures) {
			a := axesOf(figures, bytes, what)
			if len(a.rows) == 0 {
				continue
			}
			t := report.Table{Title: fmt.Sprintf("%s, members of %d bytes", title, bytes), Note: note, Heads: []string{"members in a set"}}
			for _, size := range a.sizes {
				t.Heads = append(t.Heads, report.Count(size))
			}
			for _, row := range a.rows {
				cells := []string{rowName(row)}
				for _, size := range a.sizes {
					cells = append(cells, spread(find(figures, row, size, bytes, what, unit), most))
				}
				t.Add(cells...)
			}
			tables = append(tables, t)
		}
	}
	for _, o := range operations {
		add(o.name, "ns", "ns per operation: "+o.name, upperFirst(o.about)+".")
	}
	for _, o := range orders {
		add(held(growth, o), "ns", "ns per member: growing a set from nothing, scores "+string(o), "")
	}
	for _, o := range orders {
		add(held(bytesHeld, o), "B", "bytes per member beside its own, scores "+string(o),
			"As the sets of this project account for them; for the others the growth of the Go heap in use after a collection.")
	}
	add(held(bytesResident, orders[0]), "B", "bytes per member beside its own by the growth of the process, scores "+string(orders[0]),
		"A cross-check of the figures above.")
	if t := collectorTable(figures, most); len(t.Rows) > 0 {
		tables = append(tables, t)
	}
	return tables
}

// mostRuns is how often most was measured.
func mostRuns(figures report.Figures) (most int) {
	for _, f := range figures {
		most = max(most, f.Runs)
	}
	return most
}

// spread is a figure that says of how many runs it is, if that is fewer than most.
func spread(f report.Figure, most int) string {
	text := report.Spread(f.Summary)
	if f.Runs == 0 || f.Runs == most {
		return text
	}
	return fmt.Sprintf("%s ×%d", text, f.Runs)
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// collectorTable has a row for each contender and size.
func collectorTable(figures report.Figures, most int) report.Table {
	t := report.Table{
		Title: "garbage collector, under a steady load of writes",
		Note: "The share of the CPU that the process used and of all it could have used, and the longest stop of the world; " +
			"each write also makes 256 bytes of garbage, as a server's command does. " +
			"The slowest insert, in CPU time, is that of growing the set beforehand.",
		Heads: []string{"contender", "members", "% of used CPU", "% of all CPU", "longest pause, ms", "collections", "writes/s", "slowest insert, ms"},
	}
	for _, bytes := range memberSizes(figures) {
		a := axesOf(figures, bytes, gcShareUsed)
		for _, size := range a.sizes {
			for _, row := range a.rows {
				cells := []string{rowName(row), report.Count(size)}
				for _, m := range []struct{ what, unit string }{{gcShareUsed, "%"}, {gcShareAll, "%"}, {gcPause, "ms"},
					{gcCycles, "cycles"}, {writeRate, "1/s"}, {slowestInsert, "ms"}} {
					cells = append(cells, spread(find(figures, row, size, bytes, m.what, m.unit), most))
				}
				t.Add(cells...)
			}
		}
	}
	return t
}
