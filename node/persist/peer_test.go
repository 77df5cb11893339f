package persist

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/peertest"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/zset"
)

// What is saved here real servers load, to the last member; what they save is loaded here.
func TestFilesGoBothWays(t *testing.T) {
	for _, program := range []string{"redis-server", "valkey-server"} {
		t.Run(program, func(t *testing.T) {
			dir := t.TempDir()
			w := &writer{t: t, ks: keyspace.New()}
			rng := rand.New(rand.NewPCG(1, 2))
			for range 30_000 {
				w.some(rng)
			}
			// What is to expire has to be there still when the server loads it.
			for i := range 12 {
				w.expire(fmt.Sprintf("key:%d", i), int64(i%2)*4_000_000_000_000)
			}
			f, err := os.Create(filepath.Join(dir, "dump.rdb"))
			if err != nil {
				t.Fatal(err)
			}
			keys, err := (&Saver{Keyspace: w.ks, Now: at}).Save(f)
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			p := peertest.Start(t, program, dir)
			if got := p.Do("DBSIZE"); got != fmt.Sprintf(":%d", keys) {
				t.Errorf("DBSIZE is %s, %d keys were saved", got, keys)
			}
			compare := func(ks *keyspace.Keyspace) {
				ks.Each(nil, now, func(e *keyspace.Entry) {
					want := ""
					for member, score := range e.Set().All() {
						want += fmt.Sprintf(" %s %v", member, score)
					}
					if got := " " + p.Do("ZRANGE "+e.Key()+" 0 -1 WITHSCORES"); got != want {
						t.Errorf("%s\nthere %.200s\nhere  %.200s", e.Key(), got, want)
					}
					expiry := fmt.Sprintf(":%d", e.ExpireAt())
					if e.ExpireAt() == 0 {
						expiry = ":-1"
					}
					if got := p.Do("PEXPIRETIME " + e.Key()); got != expiry {
						t.Errorf("%s expires at %s there, at %s here", e.Key(), got, expiry)
					}
				})
			}
			compare(w.ks)
			p.Do("ZADD key:1 5.5 added")
			p.Do("SAVE")
			saved, err := os.Open(filepath.Join(dir, "dump.rdb"))
			if err != nil {
				t.Fatal(err)
			}
			defer saved.Close()
			l := &Loader{Keyspace: keyspace.New(), Now: at}
			if err := l.Load(rdb.NewDecoder(saved, func() *zset.Set { return zset.NewIn(l.Keyspace.Memory(), nil) })); err != nil {
				t.Fatal(err)
			}
			if l.Loaded != keys {
				t.Errorf("%d keys were loaded, of %d", l.Loaded, keys)
			}
			compare(l.Keyspace)
		})
	}
}
