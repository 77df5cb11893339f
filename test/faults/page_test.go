//go:build linux && faults

package faults

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"zset.dev/operator/test/faults/recorder"
)

// page is what the tests have found, for docs/faults.md.
var page results

type results struct {
	mu   sync.Mutex
	rows [][]string // guarded by mu
}

var heads = []string{"fault", "runs", "acknowledged", "lost", "of those in doubt there", "refused", "measured"}

// add adds what came of a fault.
func (p *results) add(fault string, runs int, v recorder.Verdict, measured string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rows = append(p.rows, []string{fault, fmt.Sprint(runs), fmt.Sprint(v.Acknowledged), fmt.Sprint(v.Lost),
		fmt.Sprintf("%d of %d", v.DoubtedThere, v.Doubted), fmt.Sprint(v.Refused), measured})
}

func (p *results) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rows) == 0 {
		return ""
	}
	all := append([][]string{heads}, p.rows...)
	widths := make([]int, len(heads))
	for _, row := range all {
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
	line(heads, " ")
	line(make([]string, len(heads)), "-")
	for _, row := range p.rows {
		line(row, " ")
	}
	return b.String()
}

// write puts the table between the page's markers.
func (p *results) write(path string) error {
	const begin, end = "<!-- begin faults -->", "<!-- end faults -->"
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(old), begin)
	_, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		return fmt.Errorf("%s: no markers %q and %q", path, begin, end)
	}
	return os.WriteFile(path, []byte(fmt.Sprintf("%s%s\n\n%s, FAULTS_SEED=%d; %s.\n\n%s\n%s%s", before, begin, commit(), seed, machine(), p.text(), end, after)), 0o644)
}

// commit is that of the checkout.
func commit() string {
	out, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	if err != nil {
		return "Commit unknown"
	}
	return "Commit " + strings.TrimSpace(string(out))
}

// machine is the system that the faults were caused on.
func machine() string {
	out, err := exec.Command("uname", "-sr").Output()
	if err != nil {
		return "kernel unknown"
	}
	return strings.TrimSpace(string(out))
}

// ms is a duration in milliseconds.
func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }

// mib is a number of bytes in MiB.
func mib(n int64) string { return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20)) }

// plural is a number of things.
func plural(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
