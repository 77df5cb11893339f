#!/bin/bash
# kind.sh: the substitute where hack/kube cannot run and a Docker engine is there: a kind cluster with
# three workers. Written for that case and not tried on a machine of that kind.
#
#   hack/kind.sh up                    create it unless it exists; prints the path of its kubeconfig
#   hack/kind.sh load NAME ARCHIVE...  load image archives into the kind cluster NAME
#   hack/kind.sh down                  delete it
set -euo pipefail
name=zset
version=v0.33.0
config=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/kind.kubeconfig

kind() { # from PATH, or built by Go
  if command -v kind >/dev/null; then command kind "$@"; else go run "sigs.k8s.io/kind@$version" "$@"; fi
}
case ${1:-} in
  up)
    mkdir -p "$(dirname "$config")"
    if kind get clusters 2>/dev/null | grep -qx $name; then
      kind export kubeconfig --name $name --kubeconfig "$config" >&2
    else
      kind create cluster --name $name --kubeconfig "$config" --wait 180s --config - >&2 <<'Y'
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
nodes: [{role: control-plane}, {role: worker}, {role: worker}, {role: worker}]
Y
    fi
    echo "$config" ;;
  load)
    cluster=$2
    shift 2
    for archive in "$@"; do kind load image-archive --name "$cluster" "$archive" >&2; done ;;
  down)
    kind delete cluster --name $name --kubeconfig "$config" >&2
    rm -f "$config" ;;
  *) sed -n '2,7s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 2 ;;
esac
