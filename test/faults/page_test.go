//go:build linux && faults

package faults

import (
	"fmt"
	"time"

	"zset.dev/operator/test/faults/page"
	"zset.dev/operator/test/faults/recorder"
)

// found is what the tests have found, for docs/faults.md.
var found = page.Table{Heads: []string{"fault", "runs", "acknowledged", "lost", "of those in doubt there", "refused", "measured"}}

// add adds what came of a fault.
func add(fault string, runs int, v recorder.Verdict, measured string) {
	found.Add(fault, fmt.Sprint(runs), fmt.Sprint(v.Acknowledged), fmt.Sprint(v.Lost),
		fmt.Sprintf("%d of %d", v.DoubtedThere, v.Doubted), fmt.Sprint(v.Refused), measured)
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
