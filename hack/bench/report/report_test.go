package report

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zset.dev/operator/hack/bench/measure"
)

func TestFiguresSurviveCSV(t *testing.T) {
	var want Figures
	want.Put(Figure{Key{"zset", "1/e", 1000, 13, "insert", "ns"}, measure.Summary{Median: 701.5, Min: 690, Max: 720, Runs: 5}, "abc"})
	want.Put(Figure{Key{"tidwall-btree", "", 1000, 13, "insert", "ns"}, measure.Summary{Median: 900, Min: 900, Max: 900, Runs: 1}, "abc"})
	want.Put(Figure{Key{"zset", "1/e", 1000, 13, "insert", "ns"}, measure.Summary{Median: 650, Min: 640, Max: 660, Runs: 5}, "def"})
	path := filepath.Join(t.TempDir(), "figures.csv")
	if err := want.WriteCSV(path); err != nil {
		t.Fatal(err)
	}
	got, err := ReadCSV(path)
	if err != nil || !slices.Equal(got, want) || len(got) != 2 {
		t.Errorf("read %+v, %v; want %+v", got, err, want)
	}
	if none, err := ReadCSV(path + ".not"); none != nil || err != nil {
		t.Errorf("reading no file gave %v, %v", none, err)
	}
	if err := os.WriteFile(path, []byte("a,b\n1,2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadCSV(path); err == nil {
		t.Error("a file of something else was read")
	}
}

func TestReplaceSection(t *testing.T) {
	const text = "head\n<!-- begin a -->\nold\n<!-- end a -->\ntail\n"
	got, err := replaceSection(text, "a", "new\n")
	if want := "head\n<!-- begin a -->\n\nnew\n\n<!-- end a -->\ntail\n"; got != want || err != nil {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, bad := range []string{"", "<!-- begin a -->", "<!-- end a --><!-- begin a -->"} {
		if _, err := replaceSection(bad, "a", ""); err == nil {
			t.Errorf("%q has the section", bad)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Title: "T", Note: "N.", Heads: []string{"a", "bb"}, Rows: [][]string{{"long", "–"}, {"x", "1.5"}}}
	if got, want := table.Text(), "T\n  a      bb\n  long    –\n  x     1.5\n"; got != want {
		t.Errorf("text:\n%s\nwant:\n%s", got, want)
	}
	want := "### T\n\nN.\n\n| a    |  bb |\n| ---- | --: |\n| long |   – |\n| x    | 1.5 |\n"
	if got := table.Markdown(); got != want {
		t.Errorf("markdown:\n%s\nwant:\n%s", got, want)
	}
}

func TestFormats(t *testing.T) {
	for n, want := range map[int]string{100: "100", 1000: "1k", 201: "201", 1500: "1.5k", 100_000: "100k", 10_000_000: "10M", 2_500_000: "2.5M"} {
		if got := Count(n); got != want {
			t.Errorf("Count(%d) = %q, want %q", n, got, want)
		}
	}
	for v, want := range map[float64]string{0.123: "0.12", 7.891: "7.89", 45.67: "45.7", 1234.4: "1234", 0: "0"} {
		if got := Short(v); got != want {
			t.Errorf("Short(%v) = %q, want %q", v, got, want)
		}
	}
}

func TestPlotIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "p.svg")
	p := Plot{Title: "A plot", X: "members", Y: "ns", LogX: true, LogY: true, Series: []Series{{Name: "a series", Points: []Point{
		{100, measure.Summary{Median: 50, Min: 40, Max: 60, Runs: 3}}, {1000, measure.Summary{Median: 500, Min: 400, Max: 600, Runs: 3}}}}}}
	if err := p.Save(path); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(b), "<svg") {
		t.Errorf("not an SVG file: %v", err)
	}
}

func TestCompareShowsWhatDoesNotMeet(t *testing.T) {
	figure := func(name string, low, high float64) Figure {
		return Figure{Key{name, "", 100, 13, "insert", "ns"}, measure.Summarize([]float64{low, high}), "abc"}
	}
	before := Figures{figure("faster", 100, 110), figure("same", 100, 110), figure("gone", 1, 2)}
	now := Figures{figure("faster", 50, 55), figure("same", 109, 120), figure("new", 1, 2)}
	table := Compare(before, now)
	if len(table.Rows) != 1 || table.Rows[0][1] != "faster " || table.Rows[0][5] != "-50.0%" {
		t.Errorf("got %v", table.Rows)
	}
}
