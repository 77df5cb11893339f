// Package tools pins the programs that generate and check this repository, in a
// module of its own so that they weigh nothing on the operator's go.mod. Run
// them from the repository's root:
//
//	go tool -modfile=hack/tools/go.mod controller-gen ...
//	go tool -modfile=hack/tools/go.mod crd-ref-docs ...
//	go tool -modfile=hack/tools/go.mod staticcheck ./...
//
// Two programs are our own: ociimage packs static binaries into container images
// without a container engine, trimcrd keeps the CRD small.
package tools
