#!/bin/bash
# run.sh: let real clients have a session with the node, and print a table of client by feature (see doc.go).
#
# usage: run.sh [--peer] [TEST]     TEST: only this client, e.g. TestGoRedis; --peer: against Valkey instead of the node
#
# Exit status 0 when every client can do everything. Needs node and npm for two of the clients and apt-get for four;
# those the machine cannot have are skipped, and the table says so.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
peer=false
case ${1:-} in
  -h | --help) sed -n '2,/^# those/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --peer) peer=true; shift ;;
esac
work=$PWD/.run/clients
mkdir -p "$work"
if programs=$(hack/conformance/peers.sh); then export PATH=$programs:$PATH; fi
if command -v npm >/dev/null; then
  cp "$here"/node/* "$work/"
  (cd "$work" && npm ci --silent --no-audit --no-fund --ignore-scripts --prefer-offline) || echo "run.sh: npm could not install the clients" >&2
  export ZSET_NODE_DIR=$work
fi

if $peer; then
  export ZSET_SERVER='valkey-server --appendonly no'
else
  go build -o "$work/node" ./cmd/node
  export ZSET_SERVER="$work/node --http-port 0"
fi
go test -tags clients -count=1 -timeout 5m ${1:+-run "^$1\$"} ./test/clients/
