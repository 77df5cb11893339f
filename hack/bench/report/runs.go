package report

import "zset.dev/operator/hack/bench/measure"

// Value is what one run gave.
type Value struct {
	Key
	Value float64
}

// Take asks for each of a number of requests in turn, and again for each run, and puts what came of them into the
// figures.
func (fs *Figures) Take(runs, requests int, commit string, ask func(run, request int) ([]Value, error)) error {
	values := map[Key][]float64{}
	var order []Key
	for run := range runs {
		for request := range requests {
			result, err := ask(run, request)
			if err != nil {
				return err
			}
			for _, v := range result {
				if values[v.Key] == nil {
					order = append(order, v.Key)
				}
				values[v.Key] = append(values[v.Key], v.Value)
			}
		}
	}
	for _, k := range order {
		fs.Put(Figure{Key: k, Summary: measure.Summarize(values[k]), Commit: commit})
	}
	return nil
}
