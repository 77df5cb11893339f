#!/bin/bash
# test.sh: run test stages one after another and close with one summary.
#
#   hack/test.sh [STAGE ...]      default: all of them, in this order
#
#   lint         gofmt, go vet (Linux and macOS), staticcheck, shell syntax
#   unit         every package's tests; generated files are fresh
#   race         the same under the race detector; the engine again with its invariants checked after each write
#   fuzz         each fuzz target for FUZZTIME (default 10s), after its corpus
#   controllers  the operator, the Leases of shards, and a shard's failover, against a real kube-apiserver and etcd
#   clients      real clients' sessions with a node: go-redis, rueidis, node-redis, ioredis, redis-py, redis-cli, redis-benchmark and Valkey's
#   faults       kills, full and failing disks, power cuts, bad links and slow replicas under load, a few of each: what was acknowledged is there
#   bench        the benchmarks of engine, node and replication at a small scale: they run, and print their tables
#   e2e          the whole product on a real Kubernetes: KUBECONFIG's, or the local one
#   reliability  some of the faults of docs/reliability.md, on the local Kubernetes: processes and pods of primaries killed, a rolling update, under load
#
# All stages run even when one fails; the exit status is 1 when any did. Logs: .run/test/STAGE.log
set -uo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
log=$root/.run/test
mkdir -p "$log"
all=(lint unit race fuzz controllers clients faults bench e2e reliability)
case ${1:-} in -h | --help) sed -n '2,17s/^# \{0,1\}//p' "$0"; exit 0 ;; esac
stages=("$@"); [ $# -gt 0 ] || stages=("${all[@]}")

tool() { go tool -modfile="$root/hack/tools/go.mod" "$@"; }
gotest() { # gotest STAGE ARG...: go test, results also as JSON for the count
  local stage=$1; shift
  tool gotestsum --format pkgname --hide-summary=skipped --jsonfile "$log/$stage.$((++part)).json" -- "$@"
}

lint() {
  local bad rc=0
  bad=$(git ls-files -co --exclude-standard '*.go' | xargs gofmt -l); [ -z "$bad" ] || { echo "gofmt would change:"; echo "$bad"; rc=1; }
  for tags in "" integration e2e clients faults reliability invariants; do go vet -tags "$tags" ./... || rc=1; done
  GOOS=darwin go vet ./zset/... ./node/... ./cmd/node || rc=1
  tool staticcheck -tags integration,e2e,clients,faults,reliability ./... || rc=1
  go -C hack/bench vet ./... || rc=1
  for f in $(git ls-files -co --exclude-standard '*.sh') .ci/run; do bash -n "$f" || rc=1; done
  return $rc
}
unit() {
  PEERS=$(hack/peers.sh) || echo "without real servers to compare with: tests that need them are skipped"
  export PEERS
  gotest unit ./... && (cd hack/bench && gotest unit ./...)
}
race() { gotest race -race ./... && gotest race -tags invariants ./zset/...; }
# only_the_clock FILE: whether a fuzz run failed of nothing but its time being over. Go takes its own deadline for a finding when it
# reads it a moment before the workers' context does (internal/fuzz, CoordinateFuzzing's stop); a real finding names the input it wrote.
only_the_clock() {
  grep -q '"Output":"    context deadline exceeded' "$1" || return 1
  ! grep -qE 'Failing input written|panic:|--- FAIL.*/|hung or terminated' "$1" || return 1
  echo "the time was over and nothing was found: passed"
  sed -i 's/"Action":"fail"/"Action":"pass"/' "$1"
}
fuzz() {
  local package target rc=0
  while read -r package target; do
    echo "fuzzing $package $target for ${FUZZTIME:=10s}"
    gotest fuzz -run='^$' -fuzz="^$target\$" -fuzztime="$FUZZTIME" -fuzzminimizetime=1s "$package" || only_the_clock "$log/fuzz.$part.json" || rc=1
  done < <(go test -list '^Fuzz' ./... | awk '/^Fuzz/ {targets[++n] = $1} /^ok/ {for (i = 1; i <= n; i++) print $2, targets[i]; n = 0}')
  return $rc
}
controllers() {
  local assets
  assets=$(hack/kube/kube.sh assets) || return 1
  KUBEBUILDER_ASSETS=$assets gotest controllers -tags integration -timeout 10m ./controllers/... ./node/lease/kubernetes/ ./test/failover/
}
clients() {
  local env
  env=$(test/clients/run.sh --env) && eval "$env" || return 1
  gotest clients -tags clients -count=1 -timeout 5m ./test/clients/
  local rc=$?
  cat "$ZSET_CLIENTS_TABLE"
  return $rc
}
faults() {
  local tool="go tool -modfile=$root/hack/tools/go.mod gotestsum"
  FAULTS_TABLE=$log/faults.txt FAULTS_GOTEST="$tool --format pkgname --hide-summary=skipped --jsonfile $log/faults.1.json --" test/faults/run.sh
  local rc=$?
  cat "$log/faults.txt"
  return $rc
}
bench() { # on a machine with other work the figures say little; that the programs run and leave nothing behind does
  make --no-print-directory bench-node SHORT=1 && make --no-print-directory bench-repl SHORT=1 && go -C hack/bench run ./engine -short -runs 1 -budget 1ms -gc-time 500ms
}
e2e() {
  local env
  env=$(hack/cluster.sh) && eval "$env" && hack/images.sh && hack/images.sh load && hack/deploy.sh || return 1
  set -a
  # shellcheck source=/dev/null
  . "$root/.run/images.env"
  set +a
  export E2E_MEASURED=$log/e2e-measured.txt
  gotest e2e -tags e2e -count=1 -timeout 30m ${E2E_ARGS:-} ./test/e2e/...
  local rc=$?
  cat "$E2E_MEASURED"
  return $rc
}

reliability() { # a few rows of the table; without the local Kubernetes there is no machine to switch off
  if ! hack/kube/kube.sh doctor >/dev/null 2>&1; then echo "this machine cannot run the local Kubernetes: skipped"; return 0; fi
  RELIABILITY_TABLE=$log/reliability.txt RELIABILITY_GOTEST="go tool -modfile=$root/hack/tools/go.mod gotestsum --format pkgname --hide-summary=skipped --jsonfile $log/reliability.1.json --" \
    test/reliability/run.sh -run 'TestProcessKilled/sync|TestPlanned/pod_of_the_primary_deleted/async|TestRollingUpdate/rolling_update:_pod_template/sync'
  local rc=$?
  cat "$log/reliability.txt"
  return $rc
}

count() { cat "$log/$1".*.json 2>/dev/null | grep -c "\"Action\":\"$2\".*\"Test\":"; }
results=() passed=0 failed=0 status=0
for stage in "${stages[@]}"; do
  case " ${all[*]} " in *" $stage "*) ;; *) echo "test.sh: no stage '$stage'; there are: ${all[*]}" >&2; exit 2 ;; esac
  echo "=== $stage"
  rm -f "$log/$stage".*.json; part=0 began=$SECONDS
  if "$stage" 2>&1 | tee "$log/$stage.log"; then result=ok; else result=FAILED status=1; fi
  p=$(count "$stage" pass) f=$(count "$stage" fail)
  [ "$result" = ok ] || [ "$f" -gt 0 ] || f=1
  [ "$result" = FAILED ] || [ "$p" -gt 0 ] || p=1
  passed=$((passed + p)) failed=$((failed + f))
  results+=("$(printf '%-12s %-7s %6d passed %4d failed %5d s' "$stage" "$result" "$p" "$f" $((SECONDS - began)))")
done
echo
echo "Summary"
printf '  %s\n' "${results[@]}"
[ $status = 0 ] || echo "  the logs are in .run/test/"
echo "$passed passed, $failed failed"
exit $status
