package persist

import (
	"bytes"
	"io"
	"testing"
	"time"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

// BenchmarkSaveSmall saves many small sets, once per iteration.
func BenchmarkSaveSmall(b *testing.B) {
	file := smallKeys()
	ks := keyspace.New()
	l := &Loader{Keyspace: ks, Now: at}
	if err := l.Load(rdb.NewDecoder(bytes.NewReader(file), func() *zset.Set { return zset.NewIn(ks.Memory(), nil) })); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(file)))
	var cpu time.Duration
	for b.Loop() {
		before := processorTime()
		if _, err := (&Saver{Keyspace: ks, Now: at}).Save(io.Discard); err != nil {
			b.Fatal(err)
		}
		cpu += processorTime() - before
	}
	b.ReportMetric(cpu.Seconds()/float64(b.N), "cpu-s/op")
}
