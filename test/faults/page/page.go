// Package page writes the table of what was measured into a page of docs, between two markers.
package page

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"unicode/utf8"
)

// Table is rows of cells below heads. Its methods may be called from any goroutine.
type Table struct {
	Heads []string

	mu   sync.Mutex
	rows [][]string // guarded by mu
}

// Add adds a row.
func (t *Table) Add(cells ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.rows = append(t.rows, cells)
}

// String is the table in Markdown; empty without rows.
func (t *Table) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.rows) == 0 {
		return ""
	}
	widths := make([]int, len(t.Heads))
	for _, row := range append([][]string{t.Heads}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	line := func(row []string, fill string) {
		for i, cell := range row {
			b.WriteString("| " + cell + strings.Repeat(fill, widths[i]-utf8.RuneCountInString(cell)) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Heads, " ")
	line(make([]string, len(t.Heads)), "-")
	for _, row := range t.rows {
		line(row, " ")
	}
	return b.String()
}

// Write puts the table, and what is said before it, between the page's markers <!-- begin NAME --> and <!-- end NAME -->.
func (t *Table) Write(path, name, said string) error {
	begin, end := "<!-- begin "+name+" -->", "<!-- end "+name+" -->"
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		return fmt.Errorf("%s: no markers %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(fmt.Sprintf("%s%s\n\n%s\n\n%s\n%s%s", before, begin, said, t, end, after)), 0o644)
}

// Commit is that of the checkout.
func Commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "Commit unknown"
	}
	return "Commit " + strings.TrimSpace(string(out))
}

// Machine is the system that the tests ran on.
func Machine() string {
	out, err := exec.Command("uname", "-sr").Output()
	if err != nil {
		return "kernel unknown"
	}
	return strings.TrimSpace(string(out))
}
