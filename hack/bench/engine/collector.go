package main

import (
	"runtime"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/workload"
)

// load is what a set is put under to see what the garbage collector costs.
type load struct {
	Writes  int // a second
	Garbage int // bytes that are allocated and dropped with each, as a server's command leaves
	For     time.Duration
}

//lint:ignore U1000 what is put here is made for the collector to find
var garbage []byte

// measureCollector grows a set, noting its slowest insert, and then writes to it at a steady rate.
func measureCollector(r request) ([]value, error) {
	set := r.Form.New(r.Seed)
	slowest := grow(set, r)
	runtime.GC()

	before, began := measure.ReadCollector(), time.Now()
	done := write(set, r)
	took := time.Since(began)
	after := measure.ReadCollector()
	if after.Since(before).Cycles == 0 {
		runtime.GC()
		after = measure.ReadCollector()
	}
	cost := after.Since(before)
	set.Release()
	return []value{
		{r.Members, slowestInsert, "ms", slowest.Seconds() * 1e3},
		{r.Members, gcShareUsed, "%", 100 * cost.ShareOfUsed},
		{r.Members, gcShareAll, "%", 100 * cost.ShareOfAll},
		{r.Members, gcPause, "ms", cost.LongestPause.Seconds() * 1e3},
		{r.Members, gcCycles, "cycles", float64(cost.Cycles)},
		{r.Members, writeRate, "1/s", float64(done) / took.Seconds()},
	}, nil
}

// grow fills a set and gives the CPU time of the slowest insert.
func grow(set contender.Set, r request) (slowest time.Duration) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	random, members := workload.Random(r.Seed), workload.NewMembers(r.MemberBytes)
	var member []byte
	for i := range r.Members {
		member = members.Append(member[:0], i)
		score := random.Float64()
		began := measure.ThreadTime()
		set.Add(member, score)
		slowest = max(slowest, measure.ThreadTime()-began)
	}
	return slowest
}

// write does the load on a set, evenly in steps of a millisecond: eight in ten writes move a member, one adds a new
// one and one takes the oldest of these away. It gives the number of writes.
func write(set contender.Set, r request) (done int) {
	random, members := workload.Random(r.Seed+1), workload.NewMembers(r.MemberBytes)
	fresh, oldest := r.Members, r.Members
	var member []byte
	began := time.Now()
	for {
		elapsed := time.Since(began)
		if elapsed >= r.Load.For {
			return done
		}
		due := int(elapsed.Seconds() * float64(r.Load.Writes))
		// A pause is caught up with, but not for longer than it lasted.
		for ; done < due && time.Since(began) < r.Load.For; done++ {
			garbage = make([]byte, r.Load.Garbage)
			switch what := done % 10; {
			case what == 0:
				set.Add(members.Append(member[:0], fresh), random.Float64())
				fresh++
			case what == 1 && oldest < fresh:
				set.Remove(members.Append(member[:0], oldest))
				oldest++
			default:
				set.Add(members.Append(member[:0], random.IntN(r.Members)), random.Float64())
			}
		}
		time.Sleep(time.Millisecond)
	}
}
