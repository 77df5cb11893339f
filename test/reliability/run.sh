#!/bin/bash
# run.sh: break things under a ZSetCluster on the local Kubernetes, and judge what became of what was acknowledged (see doc.go).
#
# usage: run.sh [--long] [GO-TEST-ARGUMENT ...]     e.g. run.sh -run 'TestProcessKilled/sync' -v
#
# --long does everything as often as the project promises, and writes docs/reliability.md.
# RELIABILITY_SEED repeats the random choices of an earlier run. The local Kubernetes is booted if it does not run, and stays.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
case ${1:-} in
  -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$here/run.sh"; exit 0 ;;
  --long)
    shift
    export RELIABILITY_LONG=1
    [ $# -gt 0 ] || export RELIABILITY_PAGE=$PWD/docs/reliability.md # a part of the tests would be a part of the table
    set -- -v "$@" ;;
esac
unset KUBECONFIG # it switches machines off: the local one it is, whatever else there may be
hack/kube/kube.sh up
env=$(hack/kube/kube.sh env) && eval "$env" && export ZSET_CLUSTER=local
hack/images.sh && hack/images.sh load && hack/deploy.sh
exec ${RELIABILITY_GOTEST:-go test} -tags reliability -count=1 -timeout 120m "$@" ./test/reliability
