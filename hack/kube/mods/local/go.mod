module zset.dev/operator/hack/kube/local

go 1.26
