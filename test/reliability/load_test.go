//go:build linux && reliability

package reliability

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

// mode is whether writes wait for replicas.
type mode struct {
	name string
	sync int
}

var modes = []mode{{"async", 0}, {"sync", 1}}

// load is the clients of a cluster, and what was caused to it.
type load struct {
	c        *cluster
	mode     mode
	recorder *recorder.Recorder
	patient  *patient
	spans    []span // one for each fault
}

// span is the time from a fault to when all is well again.
type span struct{ from, to time.Time }

// writesPerSecond is the recorders' load: enough that a gap of some milliseconds shows, little enough for one machine of everything.
const writesPerSecond = 800

// startLoad starts the clients and waits until they write.
func startLoad(c *cluster, m mode) *load {
	c.t.Helper()
	address := c.address(name)
	l := &load{c: c, mode: m, patient: startPatient(address), recorder: recorder.Start(recorder.Options{
		Client: recorder.Client(address, nil), Seed: seed, Writers: 8, Rate: writesPerSecond, Timeout: 2 * time.Second, // then it connects again
	})}
	c.t.Cleanup(func() { l.recorder.Stop(); l.patient.stop() })
	l.written(60 * time.Second)
	return l
}

// written waits until clients' writes are acknowledged again.
func (l *load) written(within time.Duration) {
	l.c.t.Helper()
	ctx, cancel := context.WithTimeout(l.c.t.Context(), within)
	defer cancel()
	if err := l.recorder.Await(ctx, writesPerSecond/4); err != nil {
		l.c.t.Fatalf("writes are not taken again within %v: %v", within, err)
	}
}

// fault causes one, waits until writes are taken, has it undone, and waits until all is well.
func (l *load) fault(within time.Duration, cause func() (undo func())) {
	l.c.t.Helper()
	from := time.Now()
	undo := cause()
	l.written(within)
	if undo != nil {
		undo()
	}
	l.c.healthy(3 * time.Minute)
	l.written(30 * time.Second)
	l.spans = append(l.spans, span{from, time.Now()})
}

// limits are what must hold of a row.
type limits struct {
	median, most time.Duration // of the time without an acknowledged write, 0 is any
	errors       int           // of clients that try twice; -1 is any
	lossy        bool          // also in synchronous mode something may be lost, which the notes explain
}

// judge ends the load, judges what is left, and adds the row.
func (l *load) judge(what string, must limits, notes ...string) {
	t := l.c.t
	t.Helper()
	if !long { // on a machine with other work times say little, and they are printed; what is lost always counts
		must.median, must.most, must.errors = 0, 0, -1
	}
	l.recorder.Stop()
	l.patient.stop()
	client := recorder.Client(l.c.address(name), nil)
	defer client.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	v, err := l.recorder.Judge(ctx, client)
	if err != nil {
		t.Fatal(err)
	}
	var gaps []time.Duration
	for _, s := range l.spans {
		gaps = append(gaps, l.recorder.Silences(s.from, s.to)[0])
	}
	slices.Sort(gaps)
	median, most := gaps[len(gaps)/2], gaps[len(gaps)-1]
	failed := l.patient.failed.Load()
	if v.Wrong > 0 && l.mode.sync == 0 {
		notes = append(notes, "increments showed that some were lost before they were written again")
		v.Wrong = 0
	}
	if v.DoubtedThere > 0 || v.Doubted > 0 {
		notes = append(notes, fmt.Sprintf("%d in doubt", v.Doubted))
	}
	ms := func(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }
	found.Add(what, l.mode.name, strconv.Itoa(len(l.spans)), strconv.Itoa(v.Acknowledged), strconv.Itoa(v.Lost), ms(median), ms(most),
		strconv.FormatInt(failed, 10), strings.Join(notes, "; "))
	t.Logf("%s, %s: %v; without a write for %v (median), %v (max); errors: patient %d (%s), recorder %v", what, l.mode.name, v, median, most, failed,
		l.patient.said(), l.recorder.Errors())
	if l.mode.sync > 0 && !must.lossy && !v.Faultless() {
		t.Errorf("%s: %v", what, v)
	}
	if v.Phantoms+v.RefusedThere+v.Torn+v.Wrong > 0 {
		t.Errorf("%s: %v", what, v)
	}
	if must.median > 0 && median > must.median {
		t.Errorf("%s: no write for %v (median), at most %v is allowed", what, median, must.median)
	}
	if must.most > 0 && most > must.most {
		t.Errorf("%s: no write for %v, at most %v is allowed", what, most, must.most)
	}
	if must.errors >= 0 && failed > int64(must.errors) {
		t.Errorf("%s: %d errors of clients that try twice (%s), at most %d are allowed", what, failed, l.patient.said(), must.errors)
	}
	if l.mode.sync > 0 && l.patient.backwards.Load() > 0 && !must.lossy {
		t.Errorf("%s: %d scores went back", what, l.patient.backwards.Load())
	}
}

// each runs a row once in each mode.
func each(t *testing.T, row func(t *testing.T, m mode)) {
	for _, m := range modes {
		t.Run(m.name, func(t *testing.T) { row(t, m) })
	}
}

// spec is that of a cluster of so many replicas in a mode, with more fields.
func (m mode) spec(replicas int, more string) string {
	return fmt.Sprintf("{replicas: %d, durability: {minSyncReplicas: %d}, resources: {requests: {cpu: 50m, memory: 128Mi}, limits: {memory: 256Mi}}%s}", replicas, m.sync, more)
}

// times is how often something is done: in the long form as often as promised.
func times(promised int) int {
	if long {
		return promised
	}
	return min(promised, 2)
}
