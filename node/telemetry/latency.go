package telemetry

import (
	"slices"
	"strings"
	"sync"
	"time"
)

// Percentile is a share of the calls, and how it is written.
type Percentile struct {
	Value float64 // 0 to 100
	Text  string
}

// latencySamples is how many samples of an event are kept, one a second at
// most.
const latencySamples = 160

// Sample is the worst an event took within one second.
type Sample struct {
	At     int64 // Unix seconds
	Millis int64
}

// Event is what is known of one kind of delay.
type Event struct {
	Name            string
	Samples         []Sample // oldest first
	Max, Sum, Count int64    // Max and Sum in milliseconds, since the last reset
}

// Latencies are the delays of the server, by event. They may be used from any
// goroutine. The names of events are few and fixed.
type Latencies struct {
	mu     sync.Mutex
	events map[string]*Event // guarded by mu
}

// Note records that an event took a time, which is above what is watched for.
func (l *Latencies) Note(event string, now time.Time, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.events == nil {
		l.events = map[string]*Event{}
	}
	e := l.events[event]
	if e == nil {
		e = &Event{Name: event}
		l.events[event] = e
	}
	millis, at := took.Milliseconds(), now.Unix()
	e.Max = max(e.Max, millis)
	e.Sum += millis
	e.Count++
	if n := len(e.Samples); n > 0 && e.Samples[n-1].At == at {
		e.Samples[n-1].Millis = max(e.Samples[n-1].Millis, millis)
		return
	}
	if len(e.Samples) == latencySamples {
		e.Samples = slices.Delete(e.Samples, 0, 1)
	}
	e.Samples = append(e.Samples, Sample{at, millis})
}

// Event is a copy of what is known of one; without samples when there is none.
func (l *Latencies) Event(name string) Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e := l.events[name]; e != nil {
		return e.clone()
	}
	return Event{Name: name}
}

func (e *Event) clone() Event {
	c := *e
	c.Samples = slices.Clone(e.Samples)
	return c
}

// Events are all, by name.
func (l *Latencies) Events() []Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Event
	for _, e := range l.events {
		all = append(all, e.clone())
	}
	slices.SortFunc(all, func(a, b Event) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// Reset forgets the events of these names, or all when none is named, and
// reports how many there were.
func (l *Latencies) Reset(names ...string) (forgotten int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(names) == 0 {
		forgotten = len(l.events)
		clear(l.events)
	}
	for _, name := range names {
		if l.events[name] != nil {
			delete(l.events, name)
			forgotten++
		}
	}
	return forgotten
}
