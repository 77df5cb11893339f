#!/bin/bash
# run.sh: let real clients have a session with the node, and print a table of client by feature (see doc.go).
#
# usage: run.sh [--peer] [TEST]     TEST: only this client, e.g. TestGoRedis; --peer: against Valkey instead of the node
#        run.sh --env               get what the clients need, and print the environment to run the tests in
#
# Exit status 0 when every client that is there can do everything. Node.js comes from apt-get when it is missing and this is
# root, its clients from npm, redis-py and the command-line programs from Debian; what the machine cannot have is skipped, and named.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
peer=false only_env=false
case ${1:-} in
  -h | --help) sed -n '2,/^# root/s/^# \{0,1\}//p' "$0"; exit 0 ;;
  --peer) peer=true; shift ;;
  --env) only_env=true; shift ;;
esac
work=$PWD/.run/clients
mkdir -p "$work"
# shellcheck source=hack/debian.sh
. hack/debian.sh
lacks() { echo "run.sh: $*" >&2; }

if programs=$(hack/peers.sh); then export PATH=$programs:$PATH; else lacks "no redis-cli, redis-benchmark, valkey-cli, valkey-benchmark: they come from Debian, and could not be had"; fi
if ! command -v npm >/dev/null && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
  echo "installing Node.js" >&2
  { apt-get -qq update && apt-get -qq install -y --no-install-recommends nodejs npm; } >"$work/apt.log" 2>&1 || lacks "apt-get could not install nodejs and npm: $work/apt.log"
fi
if command -v npm >/dev/null; then
  cp "$here"/node/* "$work/"
  if (cd "$work" && npm ci --silent --no-audit --no-fund --ignore-scripts --prefer-offline) >"$work/npm.log" 2>&1; then
    export ZSET_NODE_DIR=$work
  else
    lacks "no node-redis, no ioredis: npm could not install them: $work/npm.log"
  fi
else
  lacks "no node-redis, no ioredis: there is no npm"
fi

python=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/redis-py
if ! command -v python3 >/dev/null; then
  lacks "no redis-py: there is no python3"
elif [ -d "$python/root/usr/lib/python3/dist-packages/redis" ] || { rm -rf "$python"; fetch_debian "$python" alone python3-redis; }; then
  export ZSET_PYTHON_DIR=$python/root/usr/lib/python3/dist-packages
else
  lacks "no redis-py: it comes from Debian, and could not be had"
fi

if $peer; then
  export ZSET_SERVER='valkey-server --appendonly no'
else
  go build -o "$work/node" ./cmd/node
  export ZSET_SERVER="$work/node --http-port 0"
fi
export ZSET_CLIENTS_TABLE=$work/table.txt
if $only_env; then
  printf 'export %s=%q\n' PATH "$PATH" ZSET_SERVER "$ZSET_SERVER" ZSET_NODE_DIR "${ZSET_NODE_DIR:-}" ZSET_PYTHON_DIR "${ZSET_PYTHON_DIR:-}" ZSET_CLIENTS_TABLE "$ZSET_CLIENTS_TABLE"
  exit 0
fi
status=0
go test -tags clients -count=1 -timeout 5m ${1:+-run "^$1\$"} ./test/clients/ || status=$?
cat "$ZSET_CLIENTS_TABLE"
exit $status
