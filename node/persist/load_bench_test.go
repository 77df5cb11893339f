package persist

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

// smallKeys is a file of a million keys of five members of 13 bytes with random scores, as a Saver writes it.
var smallKeys = sync.OnceValue(func() []byte {
	const keys, members = 1_000_000, 5
	ks := keyspace.New()
	rng := rand.New(rand.NewPCG(1, 2))
	var h keyspace.Held
	for i := range keys {
		key := fmt.Appendf(nil, "key:%010d", i)
		set := zset.NewIn(ks.Memory(), nil)
		for m := range members {
			set.Add(fmt.Appendf(nil, "member:%06d", m*1000+i%1000), rng.Float64(), 0)
		}
		ks.Hold(&h, now, key)
		if _, err := h.Put(key, set, 0); err != nil {
			panic(err)
		}
		h.Release()
	}
	var file bytes.Buffer
	if _, err := (&Saver{Keyspace: ks, Now: at}).Save(&file); err != nil {
		panic(err)
	}
	return file.Bytes()
})

// BenchmarkLoadSmall loads a file of many small sets, once per iteration.
func BenchmarkLoadSmall(b *testing.B) {
	file := smallKeys()
	b.SetBytes(int64(len(file)))
	var cpu time.Duration
	for b.Loop() {
		b.StopTimer()
		ks := keyspace.New()
		b.StartTimer()
		before := processorTime()
		l := &Loader{Keyspace: ks, Now: at}
		if err := l.Load(rdb.NewDecoder(bytes.NewReader(file), func() *zset.Set { return zset.NewIn(ks.Memory(), nil) })); err != nil {
			b.Fatal(err)
		}
		cpu += processorTime() - before
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}

// processorTime is what this process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
