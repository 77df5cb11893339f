package lease

import (
	"slices"
	"strings"
	"testing"
	"time"
)

var (
	a  = Identity{"a", "ua", "1"}
	b  = Identity{"b", "ub", "1"}
	c  = Identity{"c", "uc", "1"}
	a2 = Identity{"a", "ua", "2"} // a's pod, another process
)

const second = time.Second

// standby is a node that read a record at 0.
func standby(self Identity, t Timing, r Record) *Election {
	e := New(self, t, 0, 0)
	e.Observed(0, 0, r)
	return e
}

// heard is a peer that is there at that time.
func heard(at time.Duration, id Identity, epoch, offset int64) Peer {
	return Peer{ID: id, Heard: at, Position: Position{epoch, offset}, Whole: true}
}

// TestClaims is a line for each rule of who may claim a record that a node has read at 0, and when.
func TestClaims(t *testing.T) {
	held := Record{Version: "1", Epoch: 5, Holder: a, Electors: []Identity{a, b, c}}
	mine := Position{5, 100}
	unclean := DefaultTiming()
	unclean.Unclean = 60 * second
	running := map[string]Presence{"c": Running}
	gone := map[Identity]Fate{a: Gone, b: Gone, c: Gone}
	for _, tc := range []struct {
		name   string
		self   Identity
		record Record
		at     time.Duration
		facts  Facts
		timing *Timing
		claims bool
		waits  string // part of the reason
	}{
		{name: "nobody claims what is held", self: b, record: held, at: 5 * second, facts: Facts{Position: mine, Whole: true}, waits: "a holds the record"},
		{name: "an elector claims what did not change for the lease's duration", self: b, record: held, at: 6 * second, facts: Facts{Position: mine, Whole: true}, claims: true},
		{name: "what was given up is claimed at once", self: b, record: Record{Version: "1", Epoch: 5, Electors: []Identity{b, c}}, at: 0, facts: Facts{Position: mine, Whole: true}, claims: true},
		{name: "the heir claims at once", self: b, record: Record{Version: "1", Epoch: 5, Heir: "b", Electors: []Identity{b, c}}, at: 0, facts: Facts{Position: mine, Whole: true}, claims: true},
		{name: "the heir claims at once, also when who named it has marks of its own after that", self: b, record: Record{Version: "1", Epoch: 5, Heir: "b", Electors: []Identity{a, b, c}}, at: 0, facts: Facts{Position: mine, Whole: true, Peers: []Peer{{ID: a, Position: Position{Epoch: mine.Epoch, Offset: mine.Offset + 10}, Whole: true}}}, claims: true},
		{name: "but not without a whole copy", self: b, record: Record{Version: "1", Epoch: 5, Heir: "b", Electors: []Identity{b, c}}, at: 0, facts: Facts{Position: mine}, waits: "not whole"},
		{name: "others wait for the heir", self: c, record: Record{Version: "1", Epoch: 5, Heir: "b", Electors: []Identity{b, c}}, at: 5 * second, facts: Facts{Position: mine, Whole: true}, waits: "for b"},
		{name: "but not for ever", self: c, record: Record{Version: "1", Epoch: 5, Heir: "b", Electors: []Identity{b, c}}, at: 6 * second, facts: Facts{Position: mine, Whole: true}, claims: true},
		{name: "a holder whose process was replaced is not waited for", self: b, record: held, at: 0, facts: Facts{Position: mine, Whole: true, Fates: map[Identity]Fate{a: Replaced}}, claims: true},
		{name: "a holder whose pod is gone is: its process may run where nobody sees it", self: b, record: held, at: 5 * second, facts: Facts{Position: mine, Whole: true, Fates: map[Identity]Fate{a: Gone}}, waits: "a holds"},
		{name: "a copy that is being replaced does not claim", self: b, record: held, at: 60 * second, facts: Facts{Position: mine}, waits: "not whole"},
		{name: "who is about to end does not claim", self: b, record: held, at: 60 * second, facts: Facts{Position: mine, Whole: true, HandOver: &HandOver{Leaving: true}}, waits: "about to end"},
		{name: "the better elector goes first", self: b, record: held, at: 6 * second, facts: Facts{Position: mine, Whole: true, Peers: []Peer{heard(6*second, c, 5, 101)}}, waits: "better"},
		{name: "one of a later epoch is better", self: b, record: held, at: 6 * second, facts: Facts{Position: mine, Whole: true, Peers: []Peer{heard(6*second, c, 6, 1)}}, waits: "better"},
		{name: "of equals the first", self: c, record: held, at: 6 * second, facts: Facts{Position: mine, Whole: true, Peers: []Peer{heard(6*second, b, 5, 100)}}, waits: "better"},
		{name: "a better one that was not heard from of late is not waited for", self: b, record: held, at: 6 * second, facts: Facts{Position: mine, Whole: true, Peers: []Peer{heard(3*second, c, 5, 101)}}, claims: true},
		{name: "no elector does not claim while one may run", self: Identity{"d", "ud", "1"}, record: held, at: time.Hour, facts: Facts{Position: Position{9, 999}, Whole: true, Fates: map[Identity]Fate{a: Gone, b: Replaced}}, waits: "c is one that may still run"},
		{name: "an emptied process of an elector's pod is no elector", self: a2, record: held, at: time.Hour, facts: Facts{Whole: true, Fates: map[Identity]Fate{a: Replaced}}, waits: "no elector"},
		{name: "it claims when all electors ended, and every copy is known", self: a2, record: held, at: 6 * second, facts: Facts{Whole: true, Position: mine, Fates: gone, Pods: running, Peers: []Peer{heard(6*second, Identity{"c", "uc", "2"}, 5, 99)}}, claims: true},
		{name: "not before a better copy", self: a2, record: held, at: time.Hour, facts: Facts{Whole: true, Position: mine, Fates: gone, Pods: running, Peers: []Peer{heard(time.Hour, Identity{"c", "uc", "2"}, 5, 101)}}, waits: "c has a better copy"},
		{name: "not while a pod that runs does not answer", self: a2, record: held, at: time.Hour, facts: Facts{Whole: true, Position: mine, Fates: gone, Pods: running}, waits: "c may have a better copy, and does not answer"},
		{name: "not while an expected pod has had no time to start", self: a2, record: held, at: 7 * second, facts: Facts{Whole: true, Position: mine, Fates: gone, Pods: map[string]Presence{"c": Missing}}, waits: "has not started"},
		{name: "never without an elector by default", self: a2, record: held, at: 24 * time.Hour, facts: Facts{Whole: true, Position: mine, Fates: map[Identity]Fate{a: Replaced}}, waits: "no elector"},
		{name: "unclean: after so long without one", self: a2, record: held, at: 60 * second, timing: &unclean, facts: Facts{Whole: true, Position: mine}, claims: true},
		{name: "unclean: not before", self: a2, record: held, at: 59 * second, timing: &unclean, facts: Facts{Whole: true, Position: mine, Fates: map[Identity]Fate{a: Replaced}}, waits: "no elector"},
		{name: "unclean: not while an elector is heard", self: a2, record: held, at: 60 * second, timing: &unclean, facts: Facts{Whole: true, Position: mine, Peers: []Peer{heard(10*second, c, 5, 1)}}, waits: "no elector"},
		{name: "without a record a node waits for the holder that there may be", self: a, record: Record{}, at: 5 * second, facts: Facts{Whole: true, Pods: running}, waits: "no record"},
		{name: "also when it knows of an epoch", self: a, record: Record{}, at: 5 * second, facts: Facts{Position: mine, Whole: true}, waits: "no record"},
		{name: "or another has something", self: a, record: Record{}, at: 5 * second, facts: Facts{Whole: true, Pods: running, Peers: []Peer{heard(5*second, c, 5, 1)}}, waits: "no record"},
		{name: "and begins then", self: a, record: Record{}, at: 6 * second, facts: Facts{Whole: true}, claims: true},
		{name: "the first of a new shard begins at once, when all are there and none knows of a primary", self: a, record: Record{}, at: 0, facts: Facts{Whole: true, Pods: running, Peers: []Peer{heard(0, c, 0, 0)}}, claims: true},
		{name: "of empty ones the first", self: b, record: Record{}, at: time.Hour, facts: Facts{Whole: true, Pods: map[string]Presence{"a": Running}, Peers: []Peer{heard(time.Hour, a, 0, 0)}}, waits: "comes first"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			timing := DefaultTiming()
			if tc.timing != nil {
				timing = *tc.timing
			}
			e := standby(tc.self, timing, tc.record)
			e.Step(min(tc.at, 6*second), tc.facts) // that it might be claimed is noticed then
			e.writing = nil
			d := e.Step(tc.at, tc.facts)
			if (d.Write != nil) != tc.claims || !strings.Contains(d.Waits, tc.waits) {
				t.Fatalf("claims %v, waits %q", d.Write != nil, d.Waits)
			}
			if d.Write == nil {
				return
			}
			if w := d.Write; w.Holder != tc.self || w.Version != tc.record.Version || w.Epoch <= max(tc.record.Epoch, tc.facts.Position.Epoch) || !w.Lists(tc.self) {
				t.Fatalf("claims %+v", *w)
			}
		})
	}
}

// primary is a node that claimed at 0 and was given the record at once; others are electors that are there.
func primary(t *testing.T, timing Timing, others ...Identity) (*Election, Facts) {
	t.Helper()
	e := standby(a, timing, Record{Version: "1", Epoch: 5, Electors: union(others, []Identity{a})})
	f := Facts{Position: Position{5, 100}, Whole: true, Fates: map[Identity]Fate{}, Pods: map[string]Presence{}}
	for _, id := range others {
		f.Peers = append(f.Peers, heard(0, id, 5, 50))
	}
	d := e.Step(0, f)
	if d.Write == nil {
		t.Fatalf("does not claim: %s", d.Waits)
	}
	e.Wrote(0, "2")
	f.Close, f.InSync = others, others
	return e, f
}

func TestSupportersStayElectorsAndNothingIsAcknowledgedBeforeTheyFollow(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b, c)
	if got := e.Record().Electors; !slices.Equal(got, []Identity{a, b, c}) {
		t.Fatalf("electors %v", got)
	}
	f.Close, f.InSync = []Identity{b}, []Identity{b}
	d := e.Step(second, f)
	if e.Until() != never {
		t.Fatal("acknowledges while an elector does not follow")
	}
	if d.Write == nil || d.Write.Lists(c) || !d.Write.Lists(b) {
		t.Fatalf("does not take off who does not follow: %+v", d.Write)
	}
	e.Wrote(second, "3")
	e.Step(second, f)
	if got, want := e.Until(), second+DefaultTiming().Deadline; got != want {
		t.Fatalf("acknowledges until %v, not %v", got, want)
	}
}

func TestDeadlineCountsFromTheStartOfTheLastRenewalThatSucceeded(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b)
	e.Step(0, f)
	if d := e.Step(second, f); d.Write == nil {
		t.Fatal("does not renew after the retry period")
	}
	e.Wrote(1800*time.Millisecond, "3")
	e.Step(1800*time.Millisecond, f)
	if got := e.Until(); got != 5*second {
		t.Fatalf("until %v", got)
	}
	if d := e.Step(2800*time.Millisecond, f); d.Write == nil {
		t.Fatal("does not renew")
	}
	e.Lost(4800 * time.Millisecond)
	e.Step(4800*time.Millisecond, f)
	if got := e.Until(); got != 5*second {
		t.Fatalf("a renewal without an answer made it %v", got)
	}
}

func TestPromisesCarryThePrimaryOn(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b, c)
	if d := e.Step(time.Second*3/2, f); d.AskPromises {
		t.Fatal("asks for promises while the API answers")
	}
	if d := e.Step(1501*time.Millisecond, f); !d.AskPromises {
		t.Fatal("does not ask for promises")
	}
	f.Peers[0].Promised = 9 * second
	e.Step(3*second, f)
	if got := e.Until(); got != 4*second {
		t.Fatalf("one of two promised: until %v", got)
	}
	f.Peers[1].Promised = 8 * second
	e.Step(3*second, f)
	if got := e.Until(); got != 8*second {
		t.Fatalf("both promised: until %v", got)
	}
	f.Peers = f.Peers[:1]
	e.Step(3*second, f)
	if got := e.Until(); got != 4*second {
		t.Fatalf("an elector is away: until %v", got)
	}
}

func TestNobodyBesideTheHolder(t *testing.T) {
	e, f := primary(t, DefaultTiming())
	e.Step(0, f)
	if e.Until() != forever {
		t.Fatalf("until %v", e.Until())
	}
	timing := DefaultTiming()
	timing.Unclean = 60 * second
	e, f = primary(t, timing)
	e.Step(0, f)
	if got := e.Until(); got != 40*second {
		t.Fatalf("others claim after 60 s, and it acknowledges until %v", got)
	}
}

func TestPromise(t *testing.T) {
	held := Record{Version: "1", Epoch: 5, Holder: a, Electors: []Identity{a, b}}
	e := standby(b, DefaultTiming(), held)
	for _, tc := range []struct {
		name   string
		holder Identity
		epoch  int64
		want   bool
	}{
		{"the holder", a, 5, true}, {"somebody else", c, 5, false}, {"another process", a2, 5, false}, {"an old epoch", a, 4, false},
	} {
		if got := e.Promise(0, tc.holder, tc.epoch); got != tc.want {
			t.Errorf("%s: %v", tc.name, got)
		}
	}
	e.Promise(5*second, a, 5)
	f := Facts{Position: Position{5, 1}, Whole: true}
	if d := e.Step(7*second, f); d.Write != nil || !strings.Contains(d.Waits, "promised") {
		t.Fatalf("claims in spite of its promise: %q", d.Waits)
	}
	f.Fates = map[Identity]Fate{a: Replaced}
	if d := e.Step(7*second, f); d.Write == nil {
		t.Fatalf("keeps a promise to who has ended: %q", d.Waits)
	}
	if e.Promise(7*second, a, 5) {
		t.Fatal("promises while its claim is under way")
	}
	e.Lost(9 * second)
	if e.Promise(9*second, a, 5) {
		t.Fatal("promises while its claim may still be made")
	}
	e.Observed(9*second, 9*second, Record{Version: "2", Epoch: 5, Holder: a, Electors: []Identity{a, b}})
	if !e.Promise(9*second, a, 5) {
		t.Fatal("does not promise although its claim can no more be made")
	}
}

// A claim that is not answered is made again, not at once: an API server that is down fails each within a millisecond.
func TestAClaimIsRepeatedAtItsPace(t *testing.T) {
	e := New(b, DefaultTiming(), 0, 0)
	f := Facts{Position: Position{5, 1}, Whole: true, Fates: map[Identity]Fate{a: Gone}}
	e.Step(0, f)
	e.Observed(0, 0, Record{Version: "1", Epoch: 5, Holder: a, Electors: []Identity{a, b}})
	if d := e.Step(7*second, f); d.Write == nil {
		t.Fatalf("does not claim: %s", d.Waits)
	}
	e.Lost(7*second + time.Millisecond)
	if d := e.Step(7*second+time.Millisecond, f); d.Write != nil || d.Waits == "" {
		t.Fatal("claims again at once")
	}
	if d := e.Step(8*second, f); d.Write == nil {
		t.Fatalf("does not claim again: %s", d.Waits)
	}
}

func TestAnAnswerThatWasLostCountsEitherWay(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b)
	f.Close, f.InSync = nil, nil
	if d := e.Step(second, f); d.Write == nil || d.Write.Lists(b) {
		t.Fatal("does not take b off")
	}
	if got := e.MustConfirm(); !slices.Equal(got, []Identity{b}) {
		t.Fatalf("while b is being taken off: %v", got)
	}
	e.Lost(2 * second)
	if got := e.MustConfirm(); !slices.Equal(got, []Identity{b}) {
		t.Fatalf("while b is perhaps taken off: %v", got)
	}
	f.Close, f.InSync = []Identity{c}, []Identity{c}
	if d := e.Step(2*second, f); d.Write == nil || !d.Write.Lists(c) {
		t.Fatal("does not add c")
	}
	f.Close, f.InSync = nil, nil
	e.Step(2*second, f)
	if got := e.MustConfirm(); !slices.Equal(got, []Identity{b, c}) {
		t.Fatalf("while c is being added: %v", got)
	}
	e.Lost(3 * second)
	if got := e.MustConfirm(); !slices.Equal(got, []Identity{b, c}) {
		t.Fatalf("while c is perhaps added: %v", got)
	}
	e.Step(4*second, f)
	e.Refused(4 * second) // one of them was made
	if d := e.Step(4*second, f); !d.Read {
		t.Fatal("does not look which")
	}
	e.Observed(4*second, 4*second, Record{Version: "3", Epoch: e.Epoch(), Holder: a, Electors: []Identity{a}})
	if got := e.MustConfirm(); len(got) != 0 {
		t.Fatalf("after the truth was read: %v", got)
	}
}

func TestWhoIsAboutToBecomeAnElectorIsWaitedFor(t *testing.T) {
	e, f := primary(t, DefaultTiming())
	f.Close = []Identity{b} // follows, and does not have all yet
	d := e.Step(second, f)
	if d.Write == nil || d.Write.Lists(b) {
		t.Fatalf("made an elector what may lack acknowledged writes: %+v", d.Write)
	}
	if got := e.MustConfirm(); !slices.Equal(got, []Identity{b}) {
		t.Fatalf("not waited for: %v", got)
	}
}

func TestStaleReadsSayNothing(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b)
	e.Step(second, f)
	e.Wrote(1500*time.Millisecond, "3")
	e.Observed(1200*time.Millisecond, 1600*time.Millisecond, Record{Version: "1", Epoch: 5, Electors: []Identity{a, c}})
	if !e.Leads() || !slices.Equal(e.MustConfirm(), []Identity{b}) {
		t.Fatalf("leads %v, electors %v", e.Leads(), e.MustConfirm())
	}
}

func TestSomebodyElseHoldsTheRecord(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b)
	e.Step(second, f)
	e.Refused(second)
	e.Step(second, f)
	e.Observed(second, second, Record{Version: "9", Epoch: 7, Holder: b, Electors: []Identity{b}})
	if e.Leads() || e.Until() != never || e.Epoch() != 7 {
		t.Fatalf("leads %v until %v, epoch %d", e.Leads(), e.Until(), e.Epoch())
	}
}

func TestTheEpochNeverGoesBack(t *testing.T) {
	for _, tc := range []struct {
		name   string
		record Record
	}{
		{"deleted", Record{}},
		{"edited", Record{Version: "8", Epoch: 1, Holder: a, Electors: []Identity{a, b}}},
	} {
		e, f := primary(t, DefaultTiming(), b)
		e.Step(second, f)
		e.Refused(second)
		e.Step(second, f)
		e.Observed(second, second, tc.record)
		d := e.Step(2*second, f)
		if d.Write == nil || d.Write.Epoch != 6 || d.Write.Holder != a || d.Write.Version != tc.record.Version {
			t.Errorf("%s: %+v", tc.name, d.Write)
		}
	}
	e := standby(b, DefaultTiming(), Record{Version: "1", Epoch: 5, Holder: a, Electors: []Identity{a, b}})
	e.Observed(second, second, Record{})
	f := Facts{Position: Position{5, 1}, Whole: true}
	if d := e.Step(6*second, f); d.Write != nil {
		t.Fatal("does not let the holder write its deleted record again")
	}
	e.Heard(11)
	e.Step(7*second, f)
	e.Observed(7*second, 7*second, Record{})
	if d := e.Step(8*second, f); d.Write == nil || d.Write.Epoch != 12 {
		t.Fatalf("epoch of a claim of a deleted record: %+v", d.Write)
	}
}

func TestHandOver(t *testing.T) {
	e, f := primary(t, DefaultTiming(), b)
	e.Step(0, f)
	f.HandOver = &HandOver{Heir: "b", Leaving: true}
	d := e.Step(100*time.Millisecond, f)
	if e.Until() != never {
		t.Fatal("acknowledges while it gives the record up")
	}
	if d.Write == nil || d.Write.Holder != (Identity{}) || d.Write.Heir != "b" || d.Write.Lists(a) || !d.Write.Lists(b) {
		t.Fatalf("%+v", d.Write)
	}
	e.Lost(2 * second)
	f.HandOver = nil // the heir fails, say; but the record is perhaps given up already
	e.Step(2*second, f)
	if e.Until() != never {
		t.Fatal("acknowledges although the record is perhaps given up")
	}
	e.Wrote(2100*time.Millisecond, "7")
	e.Step(2100*time.Millisecond, f)
	if !e.Leads() || e.Until() == never {
		t.Fatal("does not go on")
	}
	f.HandOver = &HandOver{}
	e.Step(2200*time.Millisecond, f)
	e.Wrote(2300*time.Millisecond, "8")
	if e.Leads() {
		t.Fatal("leads although it gave the record up")
	}
}

func TestTimingIsChecked(t *testing.T) {
	for name, change := range map[string]func(*Timing){
		"retry":   func(t *Timing) { t.Retry = 0 },
		"renew":   func(t *Timing) { t.Deadline = second },
		"1.25":    func(t *Timing) { t.Duration = 4 * second },
		"strag":   func(t *Timing) { t.Straggler = -1 },
		"unclean": func(t *Timing) { t.Unclean = second },
	} {
		timing := DefaultTiming()
		change(&timing)
		if err := timing.Validate(); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := DefaultTiming().Validate(); err != nil {
		t.Error(err)
	}
}

func TestIdentity(t *testing.T) {
	for _, id := range []Identity{{}, a, a2} {
		if got, err := ParseIdentity(id.String()); err != nil || got != id {
			t.Errorf("%v: %v, %v", id, got, err)
		}
	}
	for _, bad := range []string{"a", "a/b", "a/b/c/d", "//", "a//c"} {
		if _, err := ParseIdentity(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
