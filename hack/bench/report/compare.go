package report

import "strconv"

// Compare tabulates the figures of before that now differ from it by more than both scatter: their ranges do not
// meet. It does not say why; two quiet runs of one commit show what the machine alone does.
func Compare(before, now Figures) Table {
	t := Table{Title: "changes beyond the scatter", Heads: []string{"measure", "contender", "members", "before", "now", "change"}}
	for _, n := range now {
		b, ok := before.Find(n.Key)
		if !ok || b.Median == 0 || b.Min <= n.Max && n.Min <= b.Max {
			continue
		}
		change := strconv.FormatFloat(100*(n.Median/b.Median-1), 'f', 1, 64) + "%"
		t.Add(n.Measure+", "+n.Unit, n.Contender+" "+n.P, Count(n.Members), Spread(b.Summary), Spread(n.Summary), change)
	}
	return t
}
