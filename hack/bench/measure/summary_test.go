package measure

import "testing"

func TestSummarize(t *testing.T) {
	for _, c := range []struct {
		values []float64
		want   Summary
	}{
		{[]float64{3}, Summary{3, 3, 3, 1}},
		{[]float64{9, 1}, Summary{5, 1, 9, 2}},
		{[]float64{5, 1, 4, 2, 30}, Summary{4, 1, 30, 5}},
	} {
		if got := Summarize(c.values); got != c.want {
			t.Errorf("Summarize(%v) = %+v, want %+v", c.values, got, c.want)
		}
	}
}
