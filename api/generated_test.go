package api

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What is generated is committed. This generates it anew into an empty folder and compares.
func TestGeneratedFilesAreFresh(t *testing.T) {
	root := t.TempDir()
	if out, err := exec.Command("bash", "generate.sh", root).CombinedOutput(); err != nil {
		t.Fatalf("generate.sh: %v\n%s", err, out)
	}
	for _, file := range []string{
		"api/v1alpha1/zz_generated.deepcopy.go",
		"config/crd/cache.zset.dev_zsetclusters.yaml",
		"config/rbac/role.yaml",
		"docs/api.md",
	} {
		want, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Errorf("not generated: %v", err)
			continue
		}
		got, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Error(err)
			continue
		}
		if diff := cmp.Diff(string(want), string(got)); diff != "" {
			t.Errorf("%s is stale: run `make generate`\n%s", file, diff)
		}
	}
}
