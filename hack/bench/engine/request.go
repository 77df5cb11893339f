package main

import (
	"fmt"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/workload"
)

// request is what a child process is to measure.
type request struct {
	Kind        requestKind
	Form        contender.Form
	Members     int // of a set
	MemberBytes int
	Order       workload.Order // of the scores that sets are built with
	Runs        int            // how often it is measured
	Seed        uint64
	CPU         int           // to measure on; negative: the last there is
	Budget      time.Duration // for each operation
	Operations  []string      // empty: all
	Load        load          // for collectorCost
}

type requestKind string

const (
	operationTimes requestKind = "operations" // and bytes per member
	memoryOnly     requestKind = "memory"
	collectorCost  requestKind = "collector"
)

// value is one figure of one run.
type value struct {
	Members int // of the set that it is of
	Measure string
	Unit    string
	Value   float64
}

// What is measured beside the operations. Bytes are per member and beside the member's own.
const (
	bytesHeld     = "bytes"          // as the set accounts for them, or else by the growth of the heap
	bytesResident = "bytes resident" // by the growth of the process
	gcShareUsed   = "gc share of used cpu"
	gcShareAll    = "gc share of all cpu"
	gcPause       = "gc longest pause"
	gcCycles      = "gc cycles"
	writeRate     = "writes"
	slowestInsert = "slowest insert while growing"
)

// held is the measure of memory for an order.
func held(what string, o workload.Order) string { return what + ", " + string(o) }

func serve(r request) ([]value, error) {
	switch r.Kind {
	case operationTimes, memoryOnly:
		if err := measure.Pin(r.CPU); err != nil {
			return nil, fmt.Errorf("keeping to CPU %d: %w", r.CPU, err)
		}
		return measureSets(r)
	case collectorCost:
		return measureCollector(r)
	}
	return nil, fmt.Errorf("unknown kind of request %q", r.Kind)
}
