package report

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"

	"zset.dev/operator/hack/bench/measure"
)

// Key says what a figure is of.
type Key struct {
	Contender   string
	P           string // as users write it; empty for contenders without
	Members     int    // of a set
	MemberBytes int
	Measure     string // operation or other thing measured
	Unit        string
}

// Figure is what several runs gave.
type Figure struct {
	Key
	measure.Summary
	Commit string // of the checkout that was measured
}

// Figures are kept in the order in which they came.
type Figures []Figure

// Find gives the figure of a key.
func (fs Figures) Find(k Key) (Figure, bool) {
	i := slices.IndexFunc(fs, func(f Figure) bool { return f.Key == k })
	if i < 0 {
		return Figure{}, false
	}
	return fs[i], true
}

// Put adds a figure in place of one with the same key.
func (fs *Figures) Put(f Figure) {
	if i := slices.IndexFunc(*fs, func(g Figure) bool { return g.Key == f.Key }); i >= 0 {
		(*fs)[i] = f
		return
	}
	*fs = append(*fs, f)
}

// Commits are those that the figures are of, in order of appearance.
func (fs Figures) Commits() (commits []string) {
	for _, f := range fs {
		if !slices.Contains(commits, f.Commit) {
			commits = append(commits, f.Commit)
		}
	}
	return commits
}

var csvHeader = []string{"contender", "p", "members", "member_bytes", "measure", "unit", "median", "min", "max", "runs", "commit"}

// WriteCSV writes all figures to a file.
func (fs Figures) WriteCSV(path string) error {
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	w := csv.NewWriter(file)
	rows := [][]string{csvHeader}
	for _, f := range fs {
		rows = append(rows, []string{f.Contender, f.P, strconv.Itoa(f.Members), strconv.Itoa(f.MemberBytes), f.Measure, f.Unit,
			number(f.Median), number(f.Min), number(f.Max), strconv.Itoa(f.Runs), f.Commit})
	}
	return errors.Join(w.WriteAll(rows), file.Close())
}

// number gives a value to six digits, more than any figure is good for.
func number(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// ReadCSV reads what WriteCSV wrote; no figures if there is no such file.
func ReadCSV(path string) (Figures, error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return nil, fmt.Errorf("reading figures: %w", err)
	}
	if len(rows) == 0 || !slices.Equal(rows[0], csvHeader) {
		return nil, fmt.Errorf("%s: not a file of figures, or one of another version", path)
	}
	var figures Figures
	for i, row := range rows[1:] {
		f, err := parse(row)
		if err != nil {
			return nil, fmt.Errorf("%s: figure %d: %w", path, i+1, err)
		}
		figures = append(figures, f)
	}
	return figures, nil
}

func parse(row []string) (f Figure, err error) {
	integer := func(text string) int {
		v, e := strconv.Atoi(text)
		err = errors.Join(err, e)
		return v
	}
	float := func(text string) float64 {
		v, e := strconv.ParseFloat(text, 64)
		err = errors.Join(err, e)
		return v
	}
	return Figure{
		Key:     Key{row[0], row[1], integer(row[2]), integer(row[3]), row[4], row[5]},
		Summary: measure.Summary{Median: float(row[6]), Min: float(row[7]), Max: float(row[8]), Runs: integer(row[9])},
		Commit:  row[10],
	}, err
}
