package tuning

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNodeConf(t *testing.T) {
	got := NodeConf(List{{SkipListP, "1/e"}, {MaxMemory, "0"}})
	want := `# Written by the operator from the ZSetCluster; changes made here by hand are undone.
port 6379
bind 0.0.0.0 -::
protected-mode no
dir /data
http-port 9379
shutdown-timeout 20
zset-skiplist-p 1/e
maxmemory 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
