//go:build linux

package main

import (
	"fmt"
	"time"

	"zset.dev/operator/hack/bench/report"
)

// What is measured of a cell.
const (
	throughput  = "throughput"
	median      = "p50"
	percentile  = "p99"
	permille    = "p99.9"
	clientShare = "client CPU"
	serverShare = "server CPU"
	serverTime  = "server CPU per request"

	perSecond = "1/s"
	micros    = "us"
	cores     = "cores"

	usedPer     = "used memory"
	residentPer = "resident memory"
	bytesUnit   = "B"
)

// key is that of a figure of a cell.
func (c cell) key(contender, what, unit string) report.Key {
	loop := fmt.Sprintf("pipeline %d", c.pipeline)
	if c.open {
		loop = fmt.Sprintf("%.0f/s", c.rate)
	}
	return report.Key{Contender: contender, Members: c.shape.members, MemberBytes: c.shape.memberBytes(), Unit: unit,
		Measure: fmt.Sprintf("%s, %s, %s, %s: %s", c.name, c.shape.name(), c.placement, loop, what)}
}

// values are those of a measured cell.
func (o *outcome) values(c cell, contender string) (values []report.Value) {
	put := func(what, unit string, v float64) {
		values = append(values, report.Value{Key: c.key(contender, what, unit), Value: v})
	}
	if !c.open {
		put(throughput, perSecond, float64(o.Commands)/o.Elapsed.Seconds())
		put(clientShare, cores, o.CPU.Seconds()/o.Elapsed.Seconds())
	}
	put(serverShare, cores, o.server.Seconds()/o.wall.Seconds())
	put(serverTime, micros, float64(o.server)/float64(time.Microsecond)/float64(o.Commands))
	for _, q := range []struct {
		what string
		of   float64
	}{{median, 0.5}, {percentile, 0.99}, {permille, 0.999}} {
		put(q.what, micros, float64(o.Latency.Quantile(q.of))/float64(time.Microsecond))
	}
	return values
}

// memoryKey is that of a figure of memory.
func memoryKey(s shape, contender, what string) report.Key {
	return report.Key{Contender: contender, Members: s.members, MemberBytes: s.memberBytes(), Measure: memoryRow + ", " + s.name() + ": " + what, Unit: bytesUnit}
}

// memoryValues are bytes per member beside its own, or per small key beside the key's and the members'.
func memoryValues(s shape, contender string, before, after held) []report.Value {
	things, own := s.members, s.memberBytes()
	if s.kind == small {
		things, own = s.sets, keyBytes+s.members*s.memberBytes()
	}
	per := func(before, after int) float64 { return float64(after-before)/float64(things) - float64(own) }
	return []report.Value{
		{Key: memoryKey(s, contender, usedPer), Value: per(before.used, after.used)},
		{Key: memoryKey(s, contender, residentPer), Value: per(before.resident, after.resident)},
	}
}
