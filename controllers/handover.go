package controllers

import (
	"fmt"
	"maps"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

const (
	// handoverTimeout is how long a primary may hold writes back for its successor to have everything. One that is in sync
	// needs milliseconds.
	handoverTimeout = 3 * time.Second
	// handoverSlack is how long after that an answer may take to show.
	handoverSlack = 5 * time.Second
	// handoverTakeUp is how long a node may take until it says that it hands over.
	handoverTakeUp = time.Second

	leastRest = 10 * time.Second // between a hand-over that failed and the next
	mostRest  = 5 * time.Minute
)

// attempt is a hand-over the operator asked for, and what became of it. Zero: none that matters any more.
type attempt struct {
	from, to string
	why      string // it was asked for: for people
	epoch    int64  // in which it was
	began    time.Time

	failed  int       // how many in a row did, this one included
	trouble string    // why this one did; empty while it is under way
	until   time.Time // before then there is no other
}

// underWay tells whether nothing has come of it yet.
func (a attempt) underWay() bool { return a.to != "" && a.trouble == "" }

// rests tells whether it failed so recently that another would only be more of the same.
func (a attempt) rests(now time.Time) bool { return a.trouble != "" && now.Before(a.until) }

// verdict is what a look found to have become of a hand-over.
type verdict struct {
	begun, done, failed bool
	attempt             attempt
	took                time.Duration // of one that is done
}

// fail returns the attempt as one that failed.
func (a attempt) fail(trouble string, now time.Time) attempt {
	a.failed++
	a.trouble = trouble
	a.until = now.Add(min(leastRest<<min(a.failed-1, 10), mostRest))
	return a
}

// judge says what has become of a hand-over: pure, from what was just observed. The attempt it returns is what to keep of it.
func (a attempt) judge(s *shard, now time.Time) (attempt, verdict) {
	if a.to == "" {
		return a, verdict{}
	}
	if a.trouble != "" {
		if s.lease.epoch > a.epoch { // somebody took over since, for whatever reason: what failed says nothing any more
			return attempt{}, verdict{}
		}
		return a, verdict{}
	}
	failed := func(trouble string) (attempt, verdict) {
		b := a.fail(trouble, now)
		return b, verdict{failed: true, attempt: b}
	}
	switch after := now.Sub(a.began); {
	case s.lease.epoch > a.epoch && s.lease.holder.pod == a.to:
		return attempt{}, verdict{done: true, attempt: a, took: after}
	case s.lease.epoch > a.epoch && s.lease.holder.pod == a.from: // it was given up for, and came back
		return failed("the successor did not take over, and " + a.from + " is primary again")
	case s.lease.epoch > a.epoch:
		a.trouble = s.lease.holder.pod + " took over instead"
		return attempt{}, verdict{failed: true, attempt: a}
	case after >= handoverTimeout+handoverSlack:
		return failed("nothing came of it in time")
	case after < handoverTakeUp:
		return a, verdict{}
	}
	for i := range s.pods {
		if p := &s.pods[i]; p.name == a.from && s.serves(p) && !p.handsOver() {
			return failed("the primary gave it up and goes on: see the log of pod " + a.from)
		}
	}
	return a, verdict{}
}

// note is what a person should know of a hand-over that failed.
func (a attempt) note() string {
	return fmt.Sprintf("handing over from %s to %s (%s) failed: %s", a.from, a.to, a.why, a.trouble)
}

// shardKey is a shard of a cluster.
type shardKey struct {
	cluster types.NamespacedName
	shard   string
}

// handovers remembers attempts from one look to the next. Only the reconcile of a cluster touches those of its shards; an
// operator that starts anew has none, and at most tries once more than it would have.
type handovers struct {
	mu       sync.Mutex
	attempts map[shardKey]attempt // guarded by mu
}

func (h *handovers) get(key shardKey) attempt {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.attempts[key]
}

// put keeps an attempt; a zero one is forgotten.
func (h *handovers) put(key shardKey, a attempt) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if a == (attempt{}) {
		delete(h.attempts, key)
		return
	}
	if h.attempts == nil {
		h.attempts = map[shardKey]attempt{}
	}
	h.attempts[key] = a
}

// forget drops what is known of a cluster that is no more.
func (h *handovers) forget(cluster types.NamespacedName) {
	h.mu.Lock()
	defer h.mu.Unlock()
	maps.DeleteFunc(h.attempts, func(key shardKey, _ attempt) bool { return key.cluster == cluster })
}
