package kubernetes

import "testing"

func TestOwner(t *testing.T) {
	refs, labels, err := owner("cache.zset.dev/v1alpha1/ZSetCluster/board/uid-1")
	if err != nil || len(refs) != 1 || labels["app.kubernetes.io/instance"] != "board" {
		t.Fatalf("%+v, %v, %v", refs, labels, err)
	}
	if r := refs[0]; r.APIVersion != "cache.zset.dev/v1alpha1" || r.Kind != "ZSetCluster" || r.Name != "board" || r.UID != "uid-1" {
		t.Errorf("%+v", r)
	}
	if refs, _, err := owner("v1/ConfigMap/x/u"); err != nil || refs[0].APIVersion != "v1" {
		t.Errorf("of the first group: %+v, %v", refs, err)
	}
	if refs, _, err := owner(""); err != nil || refs != nil {
		t.Errorf("none: %+v, %v", refs, err)
	}
	for _, wrong := range []string{"v1/ConfigMap/x", "a/b/c/d/e/f", "v1/ConfigMap//u", "v1/ConfigMap/x/"} {
		if refs, _, err := owner(wrong); err == nil {
			t.Errorf("%q is read as %+v", wrong, refs)
		}
	}
}
