package controllers

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// A cluster's life, one reconcile after the other, and the events of each.
func TestHistory(t *testing.T) {
	serving := func(change func(*facts)) *facts {
		f := planned(onePod(func(*shard, *pod) {}))
		change(f)
		return f
	}
	quiet := func(*facts) {}
	var old v1alpha1.ZSetClusterStatus
	for _, step := range []struct {
		name  string
		facts *facts
		want  []string
	}{
		{"objects made", &facts{applied: applied{created: []string{"Service board", "StatefulSet board-s0"}}, shards: []shard{{name: "board-s0", settling: true}}},
			[]string{"Normal Created: created Service board, StatefulSet board-s0"}},
		{"pod starts", planned(onePod(func(_ *shard, p *pod) { p.ready = false; silent(p) })), nil},
		{"serving", serving(quiet), []string{"Normal Ready: every shard has a primary that serves"}},
		{"still serving", serving(quiet), nil},
		{"tuned", serving(func(f *facts) {
			f.applied.updated = []string{"ConfigMap board-config"}
			f.done = outcome{configured: "board-s0-0", set: tuning.List{{Name: "maxmemory", Value: "0"}}}
		}), []string{"Normal Updated: updated ConfigMap board-config", "Normal ConfigApplied: the node in pod board-s0-0 confirmed maxmemory 0"}},
		{"pod outdated", serving(func(f *facts) { f.done.replaced = "board-s0-0" }),
			[]string{"Normal PodOutdated: deleted pod board-s0-0: it is of an earlier template and is made anew"}},
		{"pod away", planned([]shard{{name: "board-s0"}}), []string{"Warning NotReady: shard board-s0 has no pod"}},
		{"pod stuck", planned(onePod(func(_ *shard, p *pod) { p.ready, p.stuck = false, "no image"; silent(p) })), []string{"Warning PodStuck: no image"}},
		{"still stuck", planned(onePod(func(_ *shard, p *pod) { p.ready, p.stuck = false, "no image"; silent(p) })), nil},
		{"blocked instead", &facts{problem: &problem{reasonNameTaken, "rename it"}, shards: []shard{{name: "board-s0"}}}, []string{"Warning NameTaken: rename it"}},
		{"back", serving(quiet), []string{"Normal Ready: every shard has a primary that serves", "Normal Recovered: nothing is wrong"}},
	} {
		t.Run(step.name, func(t *testing.T) {
			status := newStatus(old, 1, step.facts, testNow)
			var got []string
			for _, e := range history(old, status, step.facts) {
				got = append(got, e.kind+" "+e.reason+": "+e.note)
			}
			if diff := cmp.Diff(step.want, got); diff != "" {
				t.Error(diff)
			}
			old = status
		})
	}
}
