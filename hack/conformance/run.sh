#!/bin/bash
# run.sh: run the published Tcl suite of a real server against the node (see doc.go).
#
# usage: run.sh [options] [UNIT ...]      e.g. run.sh unit/expire; default: every file that concerns this server
#
#   --suite valkey|redis   whose suite (default valkey)
#   --update               look for a newer version of it first
#   --node FILE            test this binary of the node instead of building one
#   --peer                 test the real server of that name instead of the node: what it fails, the harness is to blame for
#   --find-stand-ins       write standins.txt anew, by the real server
#   --page                 write docs/conformance.md
#   --causes FILE          write the failures, grouped by cause, to FILE
#   -only REGEXP           only tests whose name matches
#   -v                     print every test, and what the suite prints
#   -run-listed            run the tests of the skip list too
#   -idle 30s, -limit 10m  a test without progress for so long has hung; time for one file
#
# Exit status: 0 nothing failed, 1 a test failed that no reason in skips.txt covers, 2 it could not run.
# Needs tclsh (Debian: tcl) and, for the first run, apt-get and dpkg-source.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../.."
suite=valkey fetch=() peer=false node= args=() units=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help) sed -n '2,/^# Needs/s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --suite) suite=$2; shift ;;
    --update) fetch=(--update) ;;
    --node) node=$(realpath "$2"); shift ;;
    --peer) peer=true args+=(-peer) ;;
    --causes) args+=(-causes "$2"); shift ;;
    --find-stand-ins) peer=true args+=(-peer -find-stand-ins hack/conformance/standins.txt) ;;
    --page) args+=(-page docs/conformance.md) ;;
    unit/* | integration/*) units+=("$1") ;;
    *) args+=("$1") ;;
  esac
  shift
done
command -v tclsh >/dev/null || { echo "run.sh: needs tclsh (Debian: apt-get install tcl)" >&2; exit 2; }
sources=$("$here/fetch.sh" "${fetch[@]}" "$suite") || exit 2
out=.run/conformance
mkdir -p $out
go build -o $out/ ./hack/conformance
peers=$("$here/../peers.sh") || exit 2
export PATH=$peers:$PATH # some tests use the command-line client
if $peer; then
  server=$peers/$suite-server
elif [ -n "$node" ]; then
  server=$node
else
  go build -o $out/ ./cmd/node
  server=$PWD/$out/node
fi
exec $out/conformance -suite "$sources" -server "$server" "${args[@]}" "${units[@]}"
