package controllers

import (
	"fmt"
	"maps"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"zset.dev/operator/controllers/noderesp"
	"zset.dev/operator/controllers/tuning"
)

var (
	testNow  = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	testWant = tuning.List{{Name: "zset-skiplist-p", Value: "1/e"}, {Name: "maxmemory", Value: "0"}}
	testHave = map[string]string{"zset-skiplist-p": "1/e", "maxmemory": "0"}
)

// process is the identity of the process in the i-th pod.
func process(i int) identity {
	return identity{fmt.Sprintf("board-s0-%d", i), types.UID(fmt.Sprintf("uid-%d", i)), "run"}
}

// shardOf is a shard of n pods of which the first is primary and all is well, but for what change does to it.
func shardOf(n int, change func(s *shard)) []shard {
	s := shard{name: "board-s0", size: n, kept: n, reported: 7, lease: record{exists: true, epoch: 7, holder: process(0)}}
	for i := range n {
		id := process(i)
		s.lease.electors = append(s.lease.electors, id)
		p := pod{name: id.pod, ordinal: i, uid: id.uid, address: "10.0.0.1:6379", ready: true, answered: true, config: maps.Clone(testHave),
			machine: fmt.Sprintf("machine-%d", i),
			said: noderesp.Shard{Name: "board-s0", Identity: id.String(), Role: roleReplica, Epoch: 7, Holder: process(0).String(),
				InSync: true, PositionEpoch: 7, Offset: 5000, Handover: noderesp.HandoverNone}}
		if i == 0 {
			p.said.Role = rolePrimary
		}
		s.pods = append(s.pods, p)
	}
	change(&s)
	return []shard{s}
}

func well(*shard) {}

// onePod is a shard of one pod, whose node belongs to no shard, that serves as wanted, but for what change does to it.
func onePod(change func(*shard, *pod)) []shard {
	s := shard{name: "board-s0", size: 1, kept: 1, pods: []pod{{
		name: "board-s0-0", uid: "1", address: "10.0.0.1:6379", ready: true, answered: true, config: maps.Clone(testHave),
	}}}
	change(&s, &s.pods[0])
	return []shard{s}
}

func differs(p *pod) { p.config["zset-skiplist-p"] = "0.25" }

func silent(p *pod) {
	p.answered, p.config, p.said, p.silence = false, nil, noderesp.Shard{}, "connection refused"
}

// outdate makes pods ones of an earlier template.
func (s *shard) outdate(pods ...int) {
	for _, i := range pods {
		s.pods[i].outdated = true
	}
}

// starts makes pods ones that are just on their way up.
func (s *shard) starts(pods ...int) {
	for _, i := range pods {
		silent(&s.pods[i])
		s.pods[i].ready, s.pods[i].address = false, ""
	}
}

// fails makes pods ones that will not come up.
func (s *shard) fails(pods ...int) {
	s.starts(pods...)
	for _, i := range pods {
		s.pods[i].stuck, s.pods[i].dead = "no image.", true
	}
}

// lags takes a replica out of sync, while it runs.
func (s *shard) lags(i int) {
	s.pods[i].said.InSync, s.pods[i].ready = false, false
	s.lease.electors = append(s.lease.electors[:i:i], s.lease.electors[i+1:]...)
}

// headless takes the primary's process away; those that were in sync may claim, and have not yet.
func (s *shard) headless() { s.starts(0) }

// leads makes another pod the primary, in the next epoch.
func (s *shard) leads(i int) {
	s.lease.holder = process(i)
	s.lease.epoch++
	for j := range s.pods {
		said := &s.pods[j].said
		said.Holder, said.Epoch, said.PositionEpoch = process(i).String(), s.lease.epoch, s.lease.epoch
		said.Role = roleReplica
		if i == j {
			said.Role = rolePrimary
		}
	}
}

// planned are the facts of a reconcile that looked at shards and planned, and did nothing yet.
func planned(shards []shard) *facts {
	f := &facts{endpoint: "board:6379", want: testWant, shards: shards}
	f.step = plan(f.shards, f.want, testNow)
	return f
}
