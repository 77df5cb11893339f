package tuning

import (
	"strconv"

	"k8s.io/utils/ptr"

	"zset.dev/operator/api/v1alpha1"
)

// AppendOnly tells whether nodes keep their data in append-only files: by default those that have a volume do.
func AppendOnly(spec *v1alpha1.ZSetClusterSpec) bool {
	if p := spec.Durability.Persistence; p != nil && p.Mode != "" {
		return p.Mode == v1alpha1.PersistenceAppendOnly
	}
	return spec.Storage != nil
}

// fsyncs are the values of appendfsync.
var fsyncs = map[v1alpha1.FsyncPolicy]string{
	v1alpha1.FsyncAlways:      "always",
	v1alpha1.FsyncEverySecond: "everysec",
	v1alpha1.FsyncNever:       "no",
}

// durability are the directives that say what an acknowledged write survives.
func durability(spec *v1alpha1.ZSetClusterSpec) List {
	appendOnly, fsync := "no", fsyncs[v1alpha1.FsyncEverySecond]
	if AppendOnly(spec) {
		appendOnly = "yes"
	}
	if p := spec.Durability.Persistence; p != nil && p.Fsync != "" {
		fsync = fsyncs[p.Fsync]
	}
	return List{
		{MinSyncReplicas, strconv.Itoa(int(spec.Durability.MinSyncReplicas))},
		{AppendOnlyFiles, appendOnly},
		{AppendFsync, fsync},
		{ShardSize, strconv.Itoa(int(1 + ptr.Deref(spec.Replicas, 1)))},
	}
}
