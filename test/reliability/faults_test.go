//go:build linux && reliability

package reliability

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const (
	leaseDuration = 6 * time.Second // the default
	always        = -1              // any number of errors
)

func TestProcessKilled(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(20) {
			l.fault(30*time.Second, func() func() { l.c.signal(l.c.primary(), syscall.SIGKILL); return nil })
		}
		l.judge("process of the primary killed (-9)", limits{median: 3 * time.Second, errors: always})
	})
}

func TestPlanned(t *testing.T) {
	for _, row := range []struct {
		what  string
		cause func(c *cluster) (undo func())
	}{
		{"pod of the primary deleted", func(c *cluster) func() {
			if err := kube.Delete(c.t.Context(), c.pod(c.primary())); err != nil {
				c.t.Fatal(err)
			}
			return nil
		}},
		{"pod of the primary evicted", func(c *cluster) func() {
			pod := c.pod(c.primary())
			eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}}
			if err := kube.SubResource("eviction").Create(c.t.Context(), pod, eviction); err != nil {
				c.t.Fatal(err)
			}
			return nil
		}},
		{"node of the primary drained", func(c *cluster) func() {
			node := c.pod(c.primary()).Spec.NodeName
			kubectl(c.t, "", "drain", node, "--pod-selector=cache.zset.dev/cluster="+name, "--ignore-daemonsets", "--delete-emptydir-data", "--timeout=120s")
			return func() { kubectl(c.t, "", "uncordon", node) }
		}},
	} {
		t.Run(row.what, func(t *testing.T) {
			each(t, func(t *testing.T, m mode) {
				l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
				for range times(5) {
					l.fault(30*time.Second, func() func() { return row.cause(l.c) })
				}
				l.judge(row.what, limits{most: time.Second})
			})
		})
	}
}

func TestMachineDead(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(3) {
			l.fault(time.Minute, func() func() {
				node := l.c.pod(l.c.primary()).Spec.NodeName
				machine(t, "kill", node)
				return func() { machine(t, "start", node) }
			})
		}
		l.judge("machine of the primary dead", limits{most: leaseDuration + 3*time.Second, errors: always})
	})
}

func TestStopped(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(3) {
			l.fault(time.Minute, func() func() {
				was := l.c.primary()
				pid := l.c.signal(was, syscall.SIGSTOP)
				t.Cleanup(func() { syscall.Kill(pid, syscall.SIGCONT) })
				l.c.rest(30 * time.Second)
				if l.c.primary() == was {
					t.Errorf("%s holds the record after it was stopped for 30 s", was)
				}
				if err := syscall.Kill(pid, syscall.SIGCONT); err != nil {
					t.Error(err)
				}
				return nil
			})
		}
		l.judge("primary stopped for 30 s, then continued", limits{most: leaseDuration + 3*time.Second, errors: always})
	})
}

func TestCutOff(t *testing.T) {
	for _, row := range []struct {
		what     string
		api, all bool
		must     limits
		moves    bool // another becomes primary
	}{
		{"primary cut off from the API server and its replicas", true, true, limits{most: leaseDuration + 3*time.Second, errors: always}, true},
		{"primary cut off from the API server", true, false, limits{most: time.Second}, false},
		{"primary cut off from its replicas", false, true, limits{most: 7 * time.Second, errors: always}, false},
	} {
		t.Run(row.what, func(t *testing.T) {
			each(t, func(t *testing.T, m mode) {
				l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
				for range times(2) {
					from := time.Now()
					was := l.c.primary()
					var addresses []string
					if row.api {
						addresses = append(addresses, apiAddresses...)
					}
					if row.all {
						addresses = append(addresses, l.c.others(was)...)
					}
					join := l.c.cut(was, addresses...)
					l.c.rest(20 * time.Second)
					if now := l.c.primary(); (now != was) != row.moves {
						t.Errorf("%s was primary before it was cut off, %s is after 20 s", was, now)
					}
					if m.sync > 0 && row.all && !row.api {
						// Nobody is left who could confirm: writes are refused, in time.
						ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
						if err := l.recorder.AwaitFailures(ctx, 1); err != nil {
							t.Errorf("writes are not refused without replicas: %v", err)
						}
						cancel()
					} else {
						l.written(10 * time.Second)
					}
					join()
					l.c.healthy(2 * time.Minute)
					l.written(30 * time.Second)
					l.spans = append(l.spans, span{from, time.Now()})
				}
				must, notes := row.must, []string(nil)
				if m.sync > 0 && row.all && !row.api {
					must.most, notes = 0, []string{"writes are refused while it is cut off for 20 s, as no replica can confirm"}
				}
				l.judge(row.what, must, notes...)
			})
		})
	}
}

func TestAPIServerStopped(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		was := l.c.primary()
		l.fault(time.Minute, func() func() {
			l.c.apiServer(true)
			l.c.rest(60 * time.Second)
			l.c.apiServer(false)
			return nil
		})
		if now := l.c.primary(); now != was {
			t.Errorf("%s was primary, %s is after the API server was away", was, now)
		}
		l.judge("API server down for 60 s", limits{most: time.Second})
	})
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		pid := l.c.process(l.c.primary())
		l.fault(2*time.Minute, func() func() {
			l.c.apiServer(true)
			l.c.rest(5 * time.Second)
			syscall.Kill(pid, syscall.SIGKILL)
			l.c.rest(55 * time.Second)
			l.c.apiServer(false)
			return nil
		})
		l.judge("API server down for 60 s, primary killed meanwhile", limits{most: 75 * time.Second, errors: always}, "nobody may take over before it is back")
	})
}

// The operator is not needed for any of it.
func TestWithoutOperator(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		c := newCluster(t, 3, m.spec(2, ""))
		operator(t, 0)
		t.Cleanup(func() { operator(t, 2) })
		l := startLoad(c, m)
		for range times(5) {
			l.fault(30*time.Second, func() func() { l.c.signal(l.c.primary(), syscall.SIGKILL); return nil })
		}
		l.fault(30*time.Second, func() func() {
			if err := kube.Delete(t.Context(), c.pod(c.primary())); err != nil {
				t.Fatal(err)
			}
			return nil
		})
		l.judge("operator scaled to 0: process killed, pod deleted", limits{median: 3 * time.Second, errors: always})
	})
}

func TestRecordByHand(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		epoch := int32(0)
		later := func(what string) {
			_, _, now, err := l.c.record(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if now < epoch {
				t.Errorf("%s: the epoch went from %d back to %d", what, epoch, now)
			}
			epoch = now
		}
		later("at first")
		get := func() *coordinationv1.Lease {
			var r coordinationv1.Lease
			if err := kube.Get(t.Context(), l.c.key(lease), &r); err != nil {
				t.Fatal(err)
			}
			return &r
		}
		edit := func(how func(r *coordinationv1.Lease)) {
			l.fault(30*time.Second, func() func() {
				r := get()
				before := r.DeepCopy()
				how(r)
				if err := kube.Patch(t.Context(), r, client.MergeFrom(before)); err != nil {
					t.Error(err)
				}
				l.c.rest(3 * time.Second)
				return nil
			})
		}
		for range times(3) {
			l.fault(30*time.Second, func() func() {
				if err := kube.Delete(t.Context(), get()); err != nil {
					t.Error(err)
				}
				l.c.rest(3 * time.Second)
				return nil
			})
			later("deleted")
			edit(func(r *coordinationv1.Lease) { r.Spec.LeaseTransitions = ptr.To(int32(0)) })
			later("set back")
			edit(func(r *coordinationv1.Lease) { r.Spec.HolderIdentity = ptr.To("somebody/else/entirely") })
			later("given away")
		}
		l.judge("Lease deleted, set back, given away by hand", limits{most: leaseDuration + 3*time.Second, errors: always})
	})
}

func TestRightsRevoked(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		c := newCluster(t, 3, m.spec(2, ""))
		operator(t, 0) // which would give them back at once
		t.Cleanup(func() { operator(t, 2) })
		l := startLoad(c, m)
		l.fault(30*time.Second, func() func() {
			if err := kube.DeleteAllOf(t.Context(), &rbacv1.RoleBinding{}, client.InNamespace(c.ns)); err != nil {
				t.Fatal(err)
			}
			l.c.rest(20 * time.Second)
			l.written(5 * time.Second) // by the electors' promises
			operator(t, 2)
			return nil
		})
		l.judge("RBAC of the nodes revoked for 20 s", limits{most: time.Second})
	})
}

func TestAllKilled(t *testing.T) {
	for _, row := range []struct{ what, more string }{
		{"all pods killed at once, with volumes", ", storage: {size: 64Mi}, durability: {minSyncReplicas: %d, persistence: {fsync: Always}}"},
		{"all pods killed at once, without volumes", ""},
	} {
		t.Run(row.what, func(t *testing.T) {
			each(t, func(t *testing.T, m mode) {
				spec := m.spec(2, "")
				if row.more != "" {
					spec = fmt.Sprintf("{replicas: 2, resources: {requests: {cpu: 50m, memory: 128Mi}, limits: {memory: 256Mi}}"+row.more+"}", m.sync)
				}
				l := startLoad(newCluster(t, 3, spec), m)
				l.fault(2*time.Minute, func() func() {
					pods, err := l.c.pods(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for pod := range pods {
						l.c.signal(pod, syscall.SIGKILL)
					}
					for _, pod := range pods {
						if err := kube.Delete(t.Context(), pod, client.GracePeriodSeconds(0)); err != nil {
							t.Error(err)
						}
					}
					return nil
				})
				notes := []string{"the best copy serves"}
				if row.more == "" {
					notes = []string{"nothing is left to serve: it starts empty"}
				}
				l.judge(row.what, limits{most: 90 * time.Second, errors: always, lossy: row.more == ""}, notes...)
			})
		})
	}
}

func TestTwoFaults(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(2) {
			l.fault(2*time.Minute, func() func() {
				l.c.roll()
				l.c.rest(2 * time.Second)
				node := l.c.pod(l.c.primary()).Spec.NodeName
				machine(t, "kill", node)
				return func() { machine(t, "start", node) }
			})
		}
		l.judge("machine dead during a rolling update", limits{errors: always})
	})
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(5) {
			l.fault(time.Minute, func() func() {
				replica := l.c.replica()
				l.c.signal(replica, syscall.SIGKILL) // it comes back empty and gets all data
				l.c.rest(1500 * time.Millisecond)
				l.c.signal(l.c.primary(), syscall.SIGKILL)
				return nil
			})
		}
		l.judge("replica killed, and the primary while that gets all data", limits{errors: always})
	})
}

// roll changes the pods' template.
func (c *cluster) roll() {
	c.t.Helper()
	kubectl(c.t, "", "-n", c.ns, "patch", "zsetcluster", name, "--type=merge", "-p",
		fmt.Sprintf(`{"spec":{"podTemplate":{"metadata":{"annotations":{"rolled":"%d"}}}}}`, time.Now().UnixNano()))
}

func TestRollingUpdate(t *testing.T) {
	for _, row := range []struct {
		what string
		roll func(c *cluster)
	}{
		{"rolling update: pod template", (*cluster).roll},
		{"rolling update: resources", func(c *cluster) {
			kubectl(c.t, "", "-n", c.ns, "patch", "zsetcluster", name, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"resources":{"requests":{"cpu":"%dm"}}}}`, 51+time.Now().Second()))
		}},
		{"rolling update: timings of the election", func(c *cluster) {
			kubectl(c.t, "", "-n", c.ns, "patch", "zsetcluster", name, "--type=merge", "-p", fmt.Sprintf(`{"spec":{"failover":{"leaseDurationSeconds":%d}}}`, 7+time.Now().Second()%2))
		}},
	} {
		t.Run(row.what, func(t *testing.T) {
			each(t, func(t *testing.T, m mode) {
				l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
				for range times(2) {
					l.fault(30*time.Second, func() func() {
						row.roll(l.c)
						l.c.rest(2 * time.Second)
						return nil
					})
				}
				l.judge(row.what, limits{most: time.Second})
			})
		})
	}
}

func TestOperatorKilledInARollout(t *testing.T) {
	each(t, func(t *testing.T, m mode) {
		l := startLoad(newCluster(t, 3, m.spec(2, "")), m)
		for range times(2) {
			l.fault(30*time.Second, func() func() {
				l.c.roll()
				l.c.rest(2 * time.Second)
				if err := kube.DeleteAllOf(t.Context(), &corev1.Pod{}, client.InNamespace("zset-system"), client.GracePeriodSeconds(0)); err != nil {
					t.Error(err)
				}
				return nil
			})
		}
		l.judge("both replicas of the operator killed in a rollout", limits{most: time.Second})
	})
}
