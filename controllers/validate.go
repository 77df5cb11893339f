package controllers

import (
	"fmt"

	"zset.dev/operator/api/v1alpha1"
	"zset.dev/operator/controllers/tuning"
)

// validate returns the tuning a spec asks for, or why this version cannot honour the spec. The API server has refused
// such specs already, unless they were stored under the CRD of another version: then nothing is done rather than
// something else.
func validate(spec *v1alpha1.ZSetClusterSpec) (tuning.List, *problem) {
	unsupported := func(format string, args ...any) (tuning.List, *problem) {
		return nil, &problem{reasonUnsupported, fmt.Sprintf(format, args...) +
			". Change the spec, or run the version of the operator it was written for."}
	}
	if spec.Mode != v1alpha1.Replicated || spec.Shards != 1 || spec.Replicas == nil || *spec.Replicas < 0 || *spec.Replicas > 9 {
		return unsupported("this version serves mode Replicated with one shard and 0 to 9 replicas")
	}
	want, err := tuning.FromSpec(spec)
	if err != nil {
		return unsupported("%v", err)
	}
	return want, nil
}
