# Every target with a line of help is public; the scripts in hack/ do the work and have --help or a header of their own.
SHELL := /bin/bash
.DEFAULT_GOAL := help
TOOL := go tool -modfile=hack/tools/go.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
# The cluster that targets work on: KUBECONFIG's if it is set, else the local one, booted when needed.
CLUSTER := env=$$(hack/cluster.sh) && eval "$$env"

##@ Run
.PHONY: run up down status deploy undeploy
run: ## Boot a Kubernetes if none is given, deploy, apply the sample, play a leaderboard session
	@$(CLUSTER) && hack/images.sh && hack/images.sh load && hack/deploy.sh && hack/demo.sh
up: ## Boot the local Kubernetes: control plane and three nodes (built on the first call)
	@hack/kube/kube.sh up
down: ## Remove the local Kubernetes (or the kind cluster) and everything it made
	@hack/kube/kube.sh down
	@[ ! -e "$${XDG_CACHE_HOME:-$$HOME/.cache}/zset-operator/kind.kubeconfig" ] || hack/kind.sh down
status: ## Show what of the local Kubernetes runs
	@hack/kube/kube.sh status
deploy: ## Install CRD and operator into the cluster, with this checkout's images
	@$(CLUSTER) && hack/images.sh && hack/images.sh load && hack/deploy.sh
undeploy: ## Remove operator, CRD and so every ZSetCluster from the cluster
	@$(CLUSTER) && hack/deploy.sh down

##@ Test
.PHONY: test test-unit test-race test-fuzz test-controllers e2e e2e-faults conformance test-clients test-faults lint doctor kube-check
test: ## Everything: lint, unit, race, fuzz, controllers, real clients, small benchmarks, end to end; closes with one summary
	@hack/test.sh
test-unit: ## Unit tests of all packages, for daily work (within a minute when warm)
	@hack/test.sh unit
test-race: ## Unit tests under the race detector, the engine with its invariants checked
	@hack/test.sh race
test-fuzz: ## Each fuzz target for FUZZTIME (default 10s)
	@hack/test.sh fuzz
test-controllers: ## The operator against a real kube-apiserver and etcd
	@hack/test.sh controllers
e2e: ## The whole product on a real Kubernetes: KUBECONFIG's, or the local one
	@hack/test.sh e2e
e2e-faults: ## Break machines, pods, networks, the API server and the operator under load on the local Kubernetes, and judge what is kept (LONG=1: as often as promised, writes docs/reliability.md)
	@test/reliability/run.sh $(if $(LONG),--long)
conformance: ## A real server's own Tcl suite against the node; writes docs/conformance.md
	@hack/conformance/run.sh --page
test-clients: ## Real clients (Go, Node.js, Python, command line) against the node
	@test/clients/run.sh
test-faults: ## Kill, fill disks, cut links and power under load, and judge what was kept (some minutes; LONG=1: as often as promised, writes docs/faults.md)
	@test/faults/run.sh $(if $(LONG),--long)
lint: ## gofmt, go vet, staticcheck
	@hack/test.sh lint
doctor: ## Check what this machine has and lacks for the local Kubernetes
	@hack/kube/kube.sh doctor

kube-check: up ## Prove that the local Kubernetes behaves as a real one, node failures included
	@hack/kube/kube.sh check

##@ Build
.PHONY: build generate fmt images images-push bench-engine bench-node bench-repl clean
build: ## Build the operator and the node into bin/
	CGO_ENABLED=0 go build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ ./cmd/manager ./cmd/node
generate: ## Regenerate deepcopy, CRD, RBAC, docs/api.md, docs/commands.md and docs/configuration.md
	go generate ./...
fmt: ## Format the Go code
	gofmt -w $$(git ls-files '*.go')
images: ## Build the images as OCI archives, without Docker
	@hack/images.sh
images-push: ## Push the images to REGISTRY, e.g. make images-push REGISTRY=registry.example/team
	@hack/images.sh && hack/images.sh push $(REGISTRY)
bench-engine: ## Benchmark the engine beside its peers; writes docs/bench (40 minutes alone on the machine; RESUME=1 goes on; SHORT=1 prints only, 3 minutes)
ifdef SHORT
	go -C hack/bench run ./seeds -short
	go -C hack/bench run ./engine -short
else
	go -C hack/bench run ./seeds -long -out ../../docs/bench $(if $(RESUME),-resume)
	go -C hack/bench run ./engine -long -out ../../docs/bench $(if $(RESUME),-resume)
endif
bench-node: ## Benchmark the node beside the newest Redis and Valkey; writes docs/bench/node.md (a quarter of an hour alone on the machine; SHORT=1 prints only)
ifdef SHORT
	go -C hack/bench run ./node -short
else
	go -C hack/bench run ./node -out ../../docs/bench
endif
bench-repl: ## Benchmark replication and persistence beside Redis and Valkey; writes docs/bench/repl.md (a quarter of an hour alone on the machine; SHORT=1 prints only)
ifdef SHORT
	go -C hack/bench run ./repl -short
else
	go -C hack/bench run ./repl -out ../../docs/bench
endif
clean: ## Remove what was built in this checkout (the local Kubernetes' binaries stay in the cache)
	rm -rf bin .run

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)
