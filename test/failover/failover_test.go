//go:build integration && linux

package failover

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"zset.dev/operator/test/faults/recorder"
)

var only = flag.String("row", "", "part of the name of the faults to cause; the nodes' logs are shown then")

// A row is a fault, and how often it is caused.
type row struct {
	name  string
	times int
	most  time.Duration // that writes may not be acknowledged; what is usual is far less
	cause func(s *stage, primary *member) (mend func())
}

var rows = []row{
	{"primary killed (-9), restarted after a second", 5, 20 * time.Second, func(s *stage, p *member) func() {
		s.kill(p)
		return func() {
			s.rest(time.Second) // as long as a kubelet takes, about
			s.start(p)
		}
	}},
	{"primary stopped (SIGSTOP) past its deadline, continued once another one is primary", 1, 30 * time.Second, func(s *stage, p *member) func() {
		s.must(p.server.Signal(syscall.SIGSTOP))
		return func() {
			s.succeeded(p)
			s.must(p.server.Signal(syscall.SIGCONT))
		}
	}},
	{"primary told to stop (SIGTERM), restarted", 2, 10 * time.Second, func(s *stage, p *member) func() {
		s.must(p.server.Signal(syscall.SIGTERM))
		return func() {
			<-p.server.Ended()
			s.ended(p)
			s.start(p)
		}
	}},
	{"FAILOVER", 3, 10 * time.Second, func(s *stage, p *member) func() {
		s.must(p.server.Client().Do(s.ctx, "FAILOVER").Err())
		return func() {
			s.succeeded(p)
		}
	}},
	{"replica told to stop (SIGTERM), restarted", 2, 10 * time.Second, func(s *stage, p *member) func() {
		r := s.members[(slices.Index(s.members, p)+1)%3]
		s.must(r.server.Signal(syscall.SIGTERM))
		return func() {
			<-r.server.Ended()
			s.ended(r)
			s.start(r)
		}
	}},
	{"Lease deleted", 1, 30 * time.Second, func(s *stage, p *member) func() {
		s.must(s.admin.CoordinationV1().Leases(s.namespace).Delete(s.ctx, "board-s0", metav1.DeleteOptions{}))
		return func() {
			for { // until it is there again, which its holder finds out as it renews it
				if _, err := s.admin.CoordinationV1().Leases(s.namespace).Get(s.ctx, "board-s0", metav1.GetOptions{}); err == nil {
					return
				}
				if s.rest(10 * time.Millisecond); s.ctx.Err() != nil {
					s.Fatal("the Lease does not come again")
				}
			}
		}
	}},
	{"API server not reached for 15 s", 1, 10 * time.Second, func(s *stage, p *member) func() {
		s.api.Cut()
		return func() {
			s.rest(15 * time.Second)
			s.api.Heal()
		}
	}},
	{"API server not reached for 15 s, primary killed meanwhile", 1, 60 * time.Second, func(s *stage, p *member) func() {
		s.api.Cut()
		s.rest(5 * time.Second)
		s.kill(p)
		return func() {
			s.rest(10 * time.Second)
			s.api.Heal()
			s.start(p)
		}
	}},
}

// TestSynchronous causes each fault while writers write, with replies that wait for the replicas in sync: nothing that was acknowledged is
// lost.
func TestSynchronous(t *testing.T) { run(t, "sync", true, "--min-sync-replicas", "1") }

// TestAsynchronous does the same with replies that wait for nobody. What is lost is said; by a planned hand-over nothing is.
func TestAsynchronous(t *testing.T) { run(t, "async", false) }

func run(t *testing.T, namespace string, keeps bool, args ...string) {
	s := newStage(t, namespace, args...)
	table := []string{fmt.Sprintf("%-84s %12s %5s %7s %7s %s", namespace+"; no write acknowledged for ms", "acknowledged", "lost", "median", "max", "errors")}
	epoch := 0
	for i, r := range rows {
		if !strings.Contains(r.name, *only) {
			continue
		}
		if !keeps && !strings.Contains(r.name, "SIGTERM") && r.name != "FAILOVER" && i > 0 {
			continue
		}
		s.settled()
		client := recorder.Client("service:6379", s.dial)
		rec := recorder.Start(recorder.Options{
			Client: client, Seed: uint64(i + 1), Prefix: fmt.Sprint("row", i), Writers: 8, Rate: 2000, Timeout: 3 * time.Second,
		})
		var silences []time.Duration
		type span struct{ from, to time.Time }
		var spans []span
		for range r.times {
			p := s.settled()
			s.must(rec.Await(s.ctx, 200))
			from := time.Now()
			mend := r.cause(s, p)
			mend()
			s.settled()
			s.must(rec.Await(s.ctx, 200))
			spans = append(spans, span{from, time.Now()})
		}
		rec.Stop()
		for _, at := range spans {
			silences = append(silences, rec.Silences(at.from, at.to)[0])
		}
		slices.Sort(silences)
		p := s.settled()
		verdict, err := rec.Judge(s.ctx, p.server.Client())
		s.must(err)
		client.Close()
		longest := silences[len(silences)-1]
		table = append(table, fmt.Sprintf("%-84s %12d %5d %7d %7d %v %v", fmt.Sprint(r.times, " × ", r.name), verdict.Acknowledged, verdict.Lost,
			silences[len(silences)/2].Milliseconds(), longest.Milliseconds(), rec.Failed(), kinds(rec.Errors())))
		if *only != "" {
			for _, m := range s.members {
				t.Log(m.name, "\n", m.server.Log())
			}
		}
		planned := strings.Contains(r.name, "SIGTERM") || r.name == "FAILOVER"
		switch {
		case (keeps || planned) && !verdict.Faultless(), !verdict.Consistent():
			t.Errorf("%s: %v", r.name, verdict)
		case longest > r.most:
			t.Errorf("%s: no write was acknowledged for %v", r.name, longest)
		}
		var now int
		text, err := p.server.Info(s.ctx, "shard", "shard_epoch")
		s.must(err)
		fmt.Sscan(text, &now)
		if now < epoch {
			t.Errorf("%s: the epoch went back from %d to %d", r.name, epoch, now)
		}
		epoch = now
	}
	t.Log("\n" + strings.Join(table, "\n"))
}

// kinds are errors by their first word.
func kinds(errors map[string]int) map[string]int {
	all := map[string]int{}
	for text, n := range errors {
		word, _, _ := strings.Cut(text, " ")
		all[word] += n
	}
	return all
}
