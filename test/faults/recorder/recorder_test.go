package recorder

import (
	"context"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	Quiet()
	m.Run()
}

// TestJudgeFindsWhatAServerDoesWrong has a server be wrong in one way, and looks what the judge makes of it.
func TestJudgeFindsWhatAServerDoesWrong(t *testing.T) {
	late := func(s *server, w *write) bool { return w.number > 1000 && w.number%37 == 0 }
	onlyLost := func(v Verdict) bool { return v.Lost > 0 && v.Consistent() }
	for _, c := range []struct {
		name  string
		wrong func(*server, *write)
		end   func(*server, []write)
		after func(*server, Contents) // changes what it holds at the end; it is given what it held halfway
		want  func(Verdict) bool
	}{
		{name: "nothing", want: func(v Verdict) bool { return v.Faultless() && v.Doubted == 0 && v.Refused == 0 }},
		{name: "acknowledges writes that it does not do", wrong: func(s *server, w *write) { w.skip = late(s, w) },
			want: func(v Verdict) bool { return v.Lost > 0 && v.Reordered > 0 }},
		{name: "loses its last writes", after: func(s *server, half Contents) { s.sets = half }, want: onlyLost},
		{name: "loses everything", after: func(s *server, _ Contents) { s.sets = Contents{} }, want: onlyLost},
		{name: "loses a key", after: func(s *server, _ Contents) { delete(s.sets, "recorded:1:0") },
			want: func(v Verdict) bool { return v.Lost > 0 && v.Reordered > 0 }},
		{name: "has a member nobody wrote", after: func(s *server, _ Contents) { s.sets["recorded:0:1"]["ghost"] = 1 },
			want: func(v Verdict) bool { return v.Phantoms == 1 && v.Lost == 0 }},
		{name: "has a score nobody sent", after: func(s *server, _ Contents) {
			for m := range s.sets["recorded:0:1"] {
				s.sets["recorded:0:1"][m] += 0.5
				return
			}
		}, want: func(v Verdict) bool { return v.Phantoms == 1 }},
		{name: "refuses what it does", wrong: func(s *server, w *write) {
			if late(s, w) && w.name == "ZADD" {
				w.answer = "-MISCONF no"
			}
		}, want: func(v Verdict) bool { return v.Refused > 0 && v.RefusedThere > 0 && v.Lost == 0 }},
		{name: "refuses, and does not", wrong: func(s *server, w *write) {
			if late(s, w) {
				w.answer, w.skip = "-MISCONF no", true
			}
		}, want: func(v Verdict) bool { return v.Refused > 0 && v.Faultless() }},
		{name: "says that a write is in doubt, and does it", wrong: func(s *server, w *write) {
			if late(s, w) {
				w.answer = "-INDOUBT perhaps"
			}
		}, want: func(v Verdict) bool { return v.Doubted > 0 && v.DoubtedThere > 0 && v.Faultless() }},
		{name: "hangs up before some writes", wrong: func(s *server, w *write) { w.hangUp = late(s, w) && !w.inTransaction; w.skip = w.hangUp },
			want: func(v Verdict) bool { return v.Doubted > 0 && v.Faultless() }},
		{name: "hangs up after some writes", wrong: func(s *server, w *write) { w.hangUp = late(s, w) },
			want: func(v Verdict) bool { return v.DoubtedThere > 0 && v.Faultless() }},
		{name: "does half a transaction", end: func(s *server, all []write) {
			if all[0].number > 1000 && all[0].number%5 == 0 {
				for i := range all {
					all[i].skip, all[i].hangUp = i > len(all)/2, i == len(all)-1
				}
			}
		}, want: func(v Verdict) bool { return v.Torn > 0 && v.Phantoms == 0 }},
		{name: "answers an increment wrongly", wrong: func(s *server, w *write) {
			if w.number == 1500 && w.name == "ZINCRBY" || w.number > 1500 && w.name == "ZINCRBY" && late(s, w) {
				w.answer = "17"
			}
		}, want: func(v Verdict) bool { return v.Wrong > 0 && v.Lost == 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := start(t)
			s.wrong, s.end = c.wrong, c.end
			client := Client(s.addr, nil)
			defer client.Close()
			r := Start(Options{Client: client, Seed: 1, Writers: 3, Transactions: 1, Members: 60, Pipeline: 8, Retry: time.Microsecond})
			defer r.Stop()
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			if err := r.Await(ctx, 2000); err != nil {
				t.Fatal(err)
			}
			s.mu.Lock()
			half := s.copied()
			s.mu.Unlock()
			if err := r.Await(ctx, 2000); err != nil {
				t.Fatal(err)
			}
			r.Stop()
			if c.after != nil {
				s.mu.Lock()
				c.after(s, half)
				s.mu.Unlock()
			}
			v, err := r.Judge(ctx, client)
			if err != nil {
				t.Fatal(err)
			}
			if !c.want(v) || v.Acknowledged != int(r.Acknowledged()) || v.Doubted+v.Refused != int(r.Failed()) {
				t.Errorf("%v\nacknowledged %d, failed %d: %v", v, r.Acknowledged(), r.Failed(), r.Errors())
			}
		})
	}
}

func TestWritesThatCouldNotBeSentAreRefused(t *testing.T) {
	client := Client("127.0.0.1:1", nil)
	defer client.Close()
	r := Start(Options{Client: client, Writers: 1, Retry: time.Microsecond})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.AwaitFailures(ctx, 10); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	if v := r.Weigh(Contents{}); v.Doubted != 0 || v.Refused < 10 || !v.Faultless() {
		t.Error(v)
	}
}

func TestLossIsDatedFromItsFirstWrite(t *testing.T) {
	s := start(t)
	client := Client(s.addr, nil)
	defer client.Close()
	r := Start(Options{Client: client, Writers: 1, Members: 4, Keys: 1, Most: 9})
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := r.until(ctx, 8, &r.acked); err != nil {
		t.Fatal(err)
	}
	r.Stop()
	first := r.histories[0].outcomes[1].at()
	if v := r.Weigh(Contents{}); v.LostSince(first.Add(time.Second)) != time.Second || v.Reordered != 0 {
		t.Errorf("lost since %v: %v", v.LostSince(first.Add(time.Second)), v)
	}
	took := r.Latencies(first.Add(-time.Hour), first.Add(time.Hour))
	if len(took) != 8 || Quantile(took, 0.5) <= 0 || Quantile(took, 1) != took[7] || Quantile(nil, 1) != 0 {
		t.Errorf("latencies: %v", took)
	}
}
