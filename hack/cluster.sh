#!/bin/bash
# cluster.sh: find the cluster to work on, booting one only when none is given, and print what a shell
# needs to use it. Progress goes to stderr.
#
#   env=$(hack/cluster.sh) && eval "$env"
#
# 1. KUBECONFIG is set: that cluster, and nothing is booted (but our own local one is healed).
# 2. This machine can run the local Kubernetes (hack/kube/kube.sh doctor): that one.
# 3. A Docker engine answers: a kind cluster (also when 2. turns out not to start).
#
# Prints: export KUBECONFIG, PATH (with a kubectl) and ZSET_CLUSTER, which is local, kind or user.
set -euo pipefail
hack=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
kube=$hack/kube/kube.sh
case ${1:-} in -h | --help) sed -n '2,12s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;; esac

with_kubectl() { # with_kubectl KIND: prints the exports; kubectl from PATH, or else the one of the local Kubernetes
  local bin=
  command -v kubectl >/dev/null || bin=$("$kube" kubectl-path)
  PATH=${bin:+$bin:}$PATH
  echo "export KUBECONFIG='$KUBECONFIG' PATH='$PATH' ZSET_CLUSTER=$1"
}
print_local() { "$kube" env; echo "export ZSET_CLUSTER=local"; }
docker_answers() { command -v docker >/dev/null && timeout 10 docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }
use_kind() { # use_kind REASON
  printf '%s\nDocker answers: using kind\n' "$1" >&2
  KUBECONFIG=$("$hack/kind.sh" up)
  with_kubectl kind
  echo "export ZSET_KIND=zset"
}

if [ -n "${KUBECONFIG:-}" ]; then
  if [ "$KUBECONFIG" = "$("$kube" kubeconfig-path)" ]; then
    "$kube" up
    print_local
    exit
  fi
  exports=$(with_kubectl user)
  eval "$exports"
  if ! answer=$(kubectl get --raw /version --request-timeout=15s 2>&1); then
    echo "cluster.sh: KUBECONFIG=$KUBECONFIG is set, but its cluster does not answer:" >&2
    tail -n 2 <<<"$answer" >&2
    echo "Mend or unset it; unset, a local Kubernetes is booted." >&2
    exit 1
  fi
  context=$(kubectl config current-context 2>/dev/null || true)
  echo "using the cluster of KUBECONFIG, context ${context:-(none)}" >&2
  echo "$exports"
  case $context in kind-*) ! docker_answers || echo "export ZSET_CLUSTER=kind ZSET_KIND=${context#kind-}" ;; esac
elif "$kube" env >/dev/null 2>&1; then
  "$kube" up
  print_local
elif report=$("$kube" doctor 2>&1); then
  if "$kube" up; then
    print_local
  elif docker_answers; then
    "$kube" down
    use_kind "the local Kubernetes did not start, see above"
  else
    exit 1
  fi
elif docker_answers; then
  use_kind "this machine cannot run the local Kubernetes: $(grep MISSING <<<"$report" | head -n 3)"
else
  echo "cluster.sh: no cluster. KUBECONFIG is not set, no Docker engine answers (for kind), and the local Kubernetes cannot run here:" >&2
  grep -A3 MISSING <<<"$report" >&2 || echo "$report" >&2
  exit 1
fi
