#!/bin/bash
# run.sh: cause faults to the node under load and see what it did with what it had acknowledged (see doc.go).
#
# usage: run.sh [--long] [--system node|valkey|redis] [GO-TEST-ARGUMENT ...]     e.g. run.sh -run Kill -v
#
# --long does everything as often as the project promises, and writes docs/faults.md when all tests have run and passed.
# FAULTS_SEED repeats the random choices of an earlier run, FAULTS_PROGRAM is a program instead of the one built from this checkout.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
long=false system=node
while :; do
  case ${1:-} in
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$here/run.sh"; exit 0 ;;
    --long) long=true; shift ;;
    --system) system=$2; shift 2 ;;
    *) break ;;
  esac
done
export FAULTS_SYSTEM=$system
mkdir -p .run/faults
case $system in
  node)
    if [ -z "${FAULTS_PROGRAM:-}" ]; then
      CGO_ENABLED=0 go build -trimpath -o .run/faults/node ./cmd/node
      export FAULTS_PROGRAM=$PWD/.run/faults/node
    fi
    ;;
  *) FAULTS_PROGRAM=$(hack/peers.sh)/$system-server; export FAULTS_PROGRAM ;;
esac
if $long; then
  export FAULTS_LONG=1
  [ $# -gt 0 ] || [ $system != node ] || export FAULTS_PAGE=$PWD/docs/faults.md # a part of the tests would be a part of the table
  set -- -v "$@"
fi
exec ${FAULTS_GOTEST:-go test} -tags faults -count=1 -timeout 60m "$@" ./test/faults
