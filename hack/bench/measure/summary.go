package measure

import "slices"

// Summary is what several runs gave.
type Summary struct {
	Median, Min, Max float64
	Runs             int
}

// Summarize gives the summary of one or more values.
func Summarize(values []float64) Summary {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	return Summary{Median: (sorted[(n-1)/2] + sorted[n/2]) / 2, Min: sorted[0], Max: sorted[n-1], Runs: n}
}
