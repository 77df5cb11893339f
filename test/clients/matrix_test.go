//go:build clients

package clients

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// features are the steps of a session, in the order of the table.
var features = []string{"connect", "commands", "pipeline", "transaction", "watch", "script", "blocking", "tracking", "pubsub", "scan"}

// matrix gathers what each client could do.
type matrix struct {
	mu      sync.Mutex // guards the rest
	clients []string   // in the order they came
	cells   map[string]string
	notes   []string
}

var table = &matrix{cells: map[string]string{}}

func (m *matrix) put(client, feature, cell, detail string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	known := false
	for _, c := range m.clients {
		known = known || c == client
	}
	if !known {
		m.clients = append(m.clients, client)
	}
	m.cells[client+"/"+feature] = cell
	if detail != "" {
		m.notes = append(m.notes, fmt.Sprintf("%s, %s: %s", client, feature, detail))
	}
}

// write prints the table to a file, or to the standard output when there is
// no name.
func (m *matrix) write(name string) error {
	if name == "" {
		m.print(os.Stdout)
		return nil
	}
	var text strings.Builder
	m.print(&text)
	return os.WriteFile(name, []byte(text.String()), 0o644)
}

func (m *matrix) print(w io.Writer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	fmt.Fprintf(w, "\n%-18s", "client")
	for _, f := range features {
		fmt.Fprintf(w, " %-11s", f)
	}
	fmt.Fprintln(w)
	for _, c := range m.clients {
		fmt.Fprintf(w, "%-18s", c)
		for _, f := range features {
			cell := m.cells[c+"/"+f]
			if cell == "" {
				cell = "-"
			}
			fmt.Fprintf(w, " %-11s", cell)
		}
		fmt.Fprintln(w)
	}
	for _, n := range m.notes {
		fmt.Fprintln(w, "  "+n)
	}
	fmt.Fprintln(w)
}

// lacking finds the command that the server says it does not have.
var lacking = regexp.MustCompile("unknown (?:command|subcommand) ['`]?([A-Za-z|]+)")

// cell is what the table shows for an error.
func cell(err error) string {
	if err == nil {
		return "ok"
	}
	if m := lacking.FindStringSubmatch(err.Error()); m != nil {
		return "no " + strings.ToLower(m[1])
	}
	return "FAILS"
}

// step runs one step of a client's session as a test of its own, and enters the
// result into the table.
func step(t *testing.T, client, feature string, do func() error) {
	t.Helper()
	t.Run(feature, func(t *testing.T) {
		err := do()
		detail := ""
		if err != nil {
			detail = err.Error()
			t.Error(err)
		}
		table.put(client, feature, cell(err), detail)
	})
}
