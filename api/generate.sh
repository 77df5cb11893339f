#!/usr/bin/env bash
# Generates what follows from the API's types and the operator's RBAC markers: deepcopy functions, CRD, ClusterRole and
# docs/api.md. Usage: api/generate.sh [ROOT]: writes below ROOT, by default the repository itself. The test beside this
# script generates into a temporary folder and compares.
set -euo pipefail
cd "$(dirname "$0")/.."
root=${1:-.}
mkdir -p "$root/api/v1alpha1" "$root/config/crd" "$root/config/rbac" "$root/docs"

tool() { go tool -modfile=hack/tools/go.mod "$@"; }

tool controller-gen object paths=./api/... output:object:dir="$root/api/v1alpha1"
tool controller-gen crd paths=./api/... output:crd:dir="$root/config/crd"
crd=$(cd "$root/config/crd" && pwd)/cache.zset.dev_zsetclusters.yaml
go -C hack/tools run ./trimcrd "$crd" spec.podTemplate.spec
tool controller-gen rbac:roleName=zset-operator paths=./controllers/... output:rbac:dir="$root/config/rbac"
tool crd-ref-docs --source-path=./api --config=api/docs.yaml --renderer=markdown --max-depth=20 \
  --output-path="$root/docs/api.md" >/dev/null
