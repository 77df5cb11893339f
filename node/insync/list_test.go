package insync

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

var errKeeper = errors.New("the keeper did not answer")

// A step of a history. What a line of it says is done first, then the list is looked at.
type step struct {
	at   time.Duration
	end  int64
	seen string // replicas as name:offset, with a ! behind for one that is away
	keep string // the keeper's answer before: "", ok or lost
	want string // waited for / certain on the list / w for a write, i for an interruption, r for a refusal
}

func (s step) replicas(t *testing.T) (all []Replica) {
	for word := range strings.FieldsSeq(s.seen) {
		word, away := strings.CutSuffix(word, "!")
		var r Replica
		r.Name, _, _ = strings.Cut(word, ":")
		if _, err := fmt.Sscanf(word[len(r.Name)+1:], "%d", &r.Offset); err != nil {
			t.Fatal(err)
		}
		r.Here = !away
		all = append(all, r)
	}
	return all
}

func show(l *List, p Plan) string {
	does := ""
	for _, d := range []struct {
		is     bool
		letter string
	}{{p.Write, "w"}, {p.Interrupt, "i"}, {p.Refusal != "", "r"}} {
		if d.is {
			does += d.letter
		}
	}
	return strings.Join(p.Wait, " ") + " / " + strings.Join(l.Known(), " ") + " / " + does
}

func TestHistories(t *testing.T) {
	const ms, sec = time.Millisecond, time.Second
	for _, h := range []struct {
		name  string
		rule  Rule
		steps []step
	}{
		{"nobody comes", Rule{1, 5 * sec}, []step{
			{0, 1, "", "", " /  / wr"},
			{0, 1, "", "ok", " /  / r"},
		}},
		{"one comes, is waited for, has all, is written down", Rule{1, 5 * sec}, []step{
			{0, 1, "", "", " /  / wr"},
			{0, 100, "a:50", "ok", " /  / r"},
			{10 * ms, 120, "a:100", "", "a /  / r"},
			{20 * ms, 130, "a:120", "", "a /  / r"},  // must have the 130 that may have been acknowledged before it was waited for
			{30 * ms, 140, "a:130", "", "a /  / wr"}, // and the list with it is under way
			{40 * ms, 150, "a:140", "ok", "a / a / "},
		}},
		{"one without a name is never on it", Rule{1, 5 * sec}, []step{
			{0, 1, ":1", "", " /  / wr"},
			{10 * ms, 1, ":1", "ok", " /  / r"},
			{20 * ms, 1, ":1", "", " /  / r"},
		}},
		{"one that stalls is waited for until it is off", Rule{1, 5 * sec}, inSync("a", []step{
			{sec, 1000, "a:100", "", "a / a / "}, // the end it had to reach is 100
			{2 * sec, 1000, "a:100", "", "a / a / "},
			{6 * sec, 1000, "a:100", "", "a / a / "},
			{7 * sec, 1000, "a:100", "", "a /  / wr"},
			{8 * sec, 1000, "a:100", "ok", " /  / r"},
		})},
		{"one that is gone likewise", Rule{1, 5 * sec}, inSync("a", []step{
			{sec, 100, "a:100!", "", "a / a / "},
			{4 * sec, 100, "a:100!", "", "a / a / "},
			{7 * sec, 100, "a:100!", "", "a /  / wr"},
			{8 * sec, 100, "", "ok", " /  / r"},
		})},
		{"one that comes back in time stays", Rule{1, 5 * sec}, inSync("a", []step{
			{sec, 200, "a:100!", "", "a / a / "},
			{4 * sec, 200, "a:100", "", "a / a / "},
			{6 * sec, 300, "a:200", "", "a / a / "},
			{9 * sec, 300, "a:300", "", "a / a / "},
		})},
		{"an answer that is lost: on neither list for certain, waited for all the same", Rule{1, 5 * sec}, inSync("a", []step{
			{7 * sec, 100, "a:50!", "", "a /  / wr"},
			{8 * sec, 100, "a:50!", "lost", "a /  / wr"},
			{9 * sec, 100, "a:50!", "lost", "a /  / wr"},
			{13 * sec, 100, "a:50!", "lost", "a /  / wir"}, // it may be long, and nobody has to wait for it
			{14 * sec, 100, "a:50!", "ok", " /  / r"},
		})},
		{"no waiting: the list is kept, and nobody waited for", Rule{0, 5 * sec}, []step{
			{0, 100, "a:100", "", " /  / w"},
			{10 * ms, 100, "a:100", "ok", " /  / w"},
			{20 * ms, 100, "a:100", "ok", " / a / "},
			{7 * sec, 200, "a:100!", "", " /  / w"},
			{8 * sec, 200, "", "ok", " /  / "},
		}},
	} {
		t.Run(h.name, func(t *testing.T) {
			var l List
			began := time.Unix(0, 0)
			for i, s := range h.steps {
				interrupted := false
				switch s.keep {
				case "ok":
					interrupted = l.Answer(began.Add(s.at), h.rule, nil, 0).Interrupt
				case "lost":
					l.Answer(began.Add(s.at), h.rule, errKeeper, 0)
				}
				p := l.Step(began.Add(s.at), h.rule, s.end, s.replicas(t))
				if got := show(&l, p); got != s.want {
					t.Errorf("step %d, %+v: got %q", i, s, got)
				}
				off := s.keep == "ok" && i > 0 && strings.Contains(h.steps[i-1].want, "w") && h.steps[i-1].want[0] != ' ' && s.want[0] == ' '
				if interrupted != (off && h.rule.Least > 0) {
					t.Errorf("step %d: interrupted %v", i, interrupted)
				}
			}
		})
	}
}

// inSync is a history that begins with one replica on the list, at the log's end 100.
func inSync(name string, then []step) []step {
	const ms = time.Millisecond
	at := name + ":100"
	return append([]step{
		{0, 100, at, "", name + " /  / wr"},
		{10 * ms, 100, at, "ok", name + " /  / wr"},
		{20 * ms, 100, at, "ok", name + " / " + name + " / "},
	}, then...)
}

// A primary, replicas that come, go, stall and go on, and a keeper that is slow, fails and lies about it: at every moment everybody
// who may be on the keeper's list has everything that was acknowledged, and that is on so many replicas.
func TestNothingAcknowledgedIsMissing(t *testing.T) {
	for range 300 {
		simulate(t, rand.Uint64())
	}
}

func simulate(t *testing.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	rule := Rule{Least: 1 + rng.IntN(2), Timeout: time.Second}
	names := []string{"a", "b", "c"}
	offsets, here := map[string]int64{}, map[string]bool{}
	var l List
	var kept, under []string // the keeper's list, and what it was asked to write
	var waits []string
	var writing, refused = false, true
	var end, acknowledged int64 = 1, 1
	written := int64(0) // the end of what was executed and is to be acknowledged in this term
	acks, off := 0, 0
	now := time.Unix(0, 0)
	do := func(p Plan) {
		if p.Interrupt {
			written = 0
		}
		waits, refused = p.Wait, p.Refusal != ""
		if p.Write {
			under, writing = p.List, true
		}
	}
	for i := range 2000 {
		now = now.Add(time.Duration(rng.IntN(100)) * time.Millisecond)
		for _, name := range names {
			switch rng.IntN(30) {
			case 0:
				here[name] = !here[name]
			case 1:
				here[name] = true
			}
			if here[name] && rng.IntN(3) > 0 && !(i/200%2 == 1 && name == names[seed%3]) {
				offsets[name] += rng.Int64N(end - offsets[name] + 1)
				if rng.IntN(2) == 0 {
					offsets[name] = end
				}
			}
		}
		if !refused {
			end += rng.Int64N(5)
			written = end
		}
		if writing && rng.IntN(3) == 0 {
			writing = false
			var err error
			switch rng.IntN(4) {
			case 0: // not written
				err = errKeeper
			case 1: // written, though it does not look so
				kept, err = under, errKeeper
			default:
				kept = under
			}
			if err == nil && len(under) < len(kept) {
				off++
			}
			do(l.Answer(now, rule, err, 200*time.Millisecond))
		} else if writing && rng.IntN(5) == 0 {
			kept = under // written, and the answer is on its way
		}
		var seen []Replica
		for _, name := range names {
			if here[name] || slices.Contains(waits, name) {
				seen = append(seen, Replica{name, offsets[name], here[name]})
			}
		}
		do(l.Step(now, rule, end, seen))

		// What all who are waited for have is acknowledged.
		least := int64(1 << 62)
		for _, name := range waits {
			least = min(least, offsets[name])
		}
		if reach := min(least, written); reach > acknowledged {
			acknowledged = reach
			acks++
			n := 0
			for _, offset := range offsets {
				if offset >= acknowledged {
					n++
				}
			}
			if n < rule.Least {
				t.Fatalf("seed %d, step %d: %d was acknowledged with %d of %d", seed, i, acknowledged, n, rule.Least)
			}
		}
		for _, name := range kept {
			if offsets[name] < acknowledged {
				t.Fatalf("seed %d, step %d: %s may become primary with %d, %d was acknowledged", seed, i, name, offsets[name], acknowledged)
			}
		}
	}
	if acks < 10 {
		t.Errorf("seed %d: %d acknowledgements", seed, acks)
	}
}

// A replica that is about to give up what it has is off once the keeper has it off, and waited for until then.
func TestExclude(t *testing.T) {
	const ms = time.Millisecond
	var l List
	rule, now, here := Rule{1, 5 * time.Second}, time.Unix(0, 0), true
	look := func(want string) {
		t.Helper()
		now = now.Add(ms)
		if got := show(&l, l.Step(now, rule, 100, []Replica{{"a", 100, here}, {"b", 100, true}})); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	look("a b /  / wr")
	l.Answer(now, rule, nil, 0)
	look("a b /  / wr")
	l.Answer(now, rule, nil, 0)
	look("a b / a b / ")
	l.Exclude(now, "nobody")
	l.Exclude(now, "a")
	look("a b / b / w")
	if !l.May("a") || !l.May("b") || l.May("nobody") {
		t.Error("it is called off before it is")
	}
	l.Answer(now, rule, errKeeper, 0)
	l.Exclude(now, "a") // whoever waits asks again
	look("a b / b / w")
	if !l.May("a") {
		t.Error("an answer that was lost is taken for one")
	}
	l.Answer(now, rule, nil, 0)
	if l.May("a") || !l.May("b") {
		t.Error("it is not off")
	}
	look("b / b / ") // though it is here
	here = false
	look("b / b / ")
	here = true
	look("a b / b / ") // and comes again
	look("a b / b / w")
}
