package telemetry

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestSteps(t *testing.T) {
	last := -1
	for i := range histogramSize - 1 {
		h := highest(i)
		if step(h) != i || step(h+1) != i+1 || int(h) <= last {
			t.Fatalf("step %d ends at %d, which is in %d, and %d follows in %d", i, h, step(h), h+1, step(h+1))
		}
		last = int(h)
	}
	if step(-1) != 0 || step(1<<62) != histogramSize-1 {
		t.Error("what is out of range is not counted at its ends")
	}
}

func TestHistogram(t *testing.T) {
	var h Histogram
	for i := range 1000 {
		h.Add(time.Duration(i+1)*time.Microsecond, 1)
	}
	for p, want := range map[float64]float64{0: 1, 50: 500, 99: 990, 99.9: 999, 100: 1000} {
		got := float64(h.Percentile(p)) / 1000
		if got < want || got > want*(1+1.0/16)+0.1 {
			t.Errorf("p%v is %v microseconds, want %v", p, got, want)
		}
	}
	want := []Bucket{{1, 1}, {2, 2}, {4, 4}, {8, 8}, {16, 16}, {33, 32}, {66, 65}, {132, 131}, {264, 262}, {528, 524}, {1056, 1000}}
	if diff := cmp.Diff(want, h.Buckets()); diff != "" {
		t.Error(diff)
	}
	if got := (&Histogram{}).Percentile(50); got != 0 {
		t.Errorf("of nothing, half took %v", got)
	}
}

func TestSlowLog(t *testing.T) {
	var l SlowLog
	for i := range 5 {
		l.Add(SlowCommand{Took: time.Duration(i)}, 3)
	}
	if got := l.Latest(2); len(got) != 2 || got[0].ID != 4 || got[1].ID != 3 || l.Len() != 3 || len(l.Latest(-1)) != 3 || len(l.Latest(9)) != 3 {
		t.Errorf("the latest of %d are %v", l.Len(), got)
	}
	l.Add(SlowCommand{}, 1)
	if got := l.Latest(-1); len(got) != 1 || got[0].ID != 5 {
		t.Errorf("a smaller limit leaves %v", got)
	}
}

func TestLatencies(t *testing.T) {
	var l Latencies
	at := time.Unix(1000, 0)
	for i := range latencySamples + 5 {
		l.Note("command", at.Add(time.Duration(i)*time.Second), 5*time.Millisecond)
	}
	l.Note("command", at.Add((latencySamples+4)*time.Second), 9*time.Millisecond) // the same second
	e := l.Event("command")
	if len(e.Samples) != latencySamples || e.Samples[0].At != 1005 || e.Samples[latencySamples-1].Millis != 9 || e.Max != 9 || e.Count != latencySamples+6 {
		t.Errorf("%d samples from %v, at most %d of %d", len(e.Samples), e.Samples[0], e.Max, e.Count)
	}
	if l.Reset("nosuch") != 0 || l.Reset("command", "command") != 1 || len(l.Events()) != 0 || len(l.Event("command").Samples) != 0 {
		t.Error("events are not forgotten by name")
	}
}
