package report

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Table is a title, a line of column heads and rows as long as that. The first column is aligned left, the
// others right.
type Table struct {
	Title string
	Note  string // a sentence or more below the title; may be empty
	Heads []string
	Rows  [][]string
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

func (t *Table) widths() []int {
	widths := make([]int, len(t.Heads))
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func pad(cell string, width int, left bool) string {
	space := strings.Repeat(" ", width-utf8.RuneCountInString(cell))
	if left {
		return cell + space
	}
	return space + cell
}

// Text is the table for a terminal.
func (t *Table) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", t.Title)
	widths := t.widths()
	for _, row := range append([][]string{t.Heads}, t.Rows...) {
		for i, cell := range row {
			b.WriteString("  " + pad(cell, widths[i], i == 0))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// Markdown is the table for a document, its title a heading of the third level.
func (t *Table) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s\n\n", t.Title)
	if t.Note != "" {
		fmt.Fprintf(&b, "%s\n\n", t.Note)
	}
	widths := t.widths()
	line := func(row []string) {
		for i, cell := range row {
			b.WriteString("| " + pad(cell, widths[i], i == 0) + " ")
		}
		b.WriteString("|\n")
	}
	line(t.Heads)
	for i, width := range widths {
		dashes := strings.Repeat("-", width)
		if i > 0 && width > 1 {
			dashes = dashes[1:] + ":"
		}
		b.WriteString("| " + dashes + " ")
	}
	b.WriteString("|\n")
	for _, row := range t.Rows {
		line(row)
	}
	return b.String()
}
