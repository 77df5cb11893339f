// Package e2e tests the product as its users meet it: a real Kubernetes with several nodes, the operator deployed from
// its manifests, ZSetClusters applied with kubectl, and RESP clients inside the cluster.
//
// The tests are built with the tag e2e and expect a cluster in KUBECONFIG on which the operator is deployed; `make e2e`
// sees to both. RESPCLI_IMAGE names the image of hack/respcli that client pods run. Each test works in a namespace of
// its own, removes it at the end, and prints what it measured in one table.
package e2e
