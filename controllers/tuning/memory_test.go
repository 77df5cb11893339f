package tuning

import (
	"fmt"
	"strings"
	"testing"

	"zset.dev/operator/api/v1alpha1"
)

// What data may take, for a limit; want is in bytes when it has no unit.
func TestMemory(t *testing.T) {
	const files = true
	for _, test := range []struct {
		limit, maxMemory string
		files            bool
		want             int64 // 0: refused
		refusal          string
	}{
		{"", "", false, 0, ""},
		{"", "2Gi", false, 2048 * mi, ""},
		{"", "75%", false, 0, "needs resources.limits.memory"},

		// 512Mi: 64 for the log, 32 for clients, 32 for sets that move, 51.2 for the process.
		{"512Mi", "", false, 512*mi - 128*mi - 512*mi/10, ""},
		{"512Mi", "", files, 512*mi - 128*mi - 512*mi/10, ""},
		{"512Mi", "75%", false, 512*mi - 128*mi - 512*mi/10, ""},
		{"512Mi", "50%", false, 256 * mi, ""},
		{"512Mi", "332Mi", false, 332 * mi, ""},
		{"512Mi", "333Mi", false, 0, "engine.maxMemory of 333Mi does not fit into resources.limits.memory of 512Mi: a node needs 179Mi beside its data"},
		{"512Mi", "512Mi", false, 0, "Lower engine.maxMemory to 332Mi or less, or raise the limit"},
		// Files: the disk may be 64 MiB behind, also on a small node.
		{"256Mi", "128Mi", false, 128 * mi, ""},
		{"256Mi", "128Mi", files, 0, "64Mi for what replicas or the disk are behind"},
		// Large nodes: the log and the clients' share stop growing, so the default is what it says.
		{"4Gi", "", files, 3072 * mi, ""},
		{"64Gi", "", files, 48 << 30, ""},
		{"64Gi", "90%", false, 64<<30 - 64<<30/10 - 544*mi, ""},
		// Limits beyond any machine do not overflow.
		{"7E", "50%", false, 3500000000000000000, ""},

		{"64Mi", "", false, 64*mi - 56*mi - 64*mi/10, ""},
		{"63Mi", "", false, 0, "resources.limits.memory of 63Mi leaves no room for data"},
		{"64Mi", "", files, 0, "resources.limits.memory of 64Mi leaves no room for data"},
		{"199", "99%", false, 0, "leaves no room for data"},
		{"1Gi", "101%", false, 0, `from "1%" to "100%"`},
		{"1Gi", "0%", false, 0, `from "1%" to "100%"`},
		{"1Gi", "much", false, 0, "an amount such as"},
		{"1Gi", "-1Gi", false, 0, "an amount such as"},
	} {
		t.Run(fmt.Sprintf("%s of %s, files %v", test.maxMemory, test.limit, test.files), func(t *testing.T) {
			spec := defaulted(func(*v1alpha1.ZSetClusterSpec) {})
			spec.Engine.MaxMemory = test.maxMemory
			if test.limit != "" {
				limitMemory(spec, test.limit)
			}
			if test.files {
				withStorage(nil)(spec)
			}
			got, err := MemoryOf(spec)
			if test.refusal != "" {
				if err == nil || !strings.Contains(err.Error(), test.refusal) {
					t.Fatalf("%+v, error %v does not say %q", got, err, test.refusal)
				}
				return
			}
			if err != nil || got.Data != test.want {
				t.Fatalf("%d bytes (%v), want %d", got.Data, err, test.want)
			}
			if limit := spec.Resources.Limits.Memory().Value(); limit > 0 && got.Data+got.Bytes() > limit {
				t.Errorf("%+v does not fit into %d", got, limit)
			}
		})
	}
}
