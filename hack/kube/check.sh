#!/bin/bash
# check.sh: prove that the local cluster behaves as a real one in everything the product relies on.
# Called by 'kube.sh check', which sets bin and state. Needs three nodes and disturbs one of them. Each
# line says ok or FAIL and how long it took; the exit status is 1 when any failed.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${bin:?} ${state:?}"
export KUBECONFIG=$state/admin.kubeconfig PATH=$bin:$PATH
failures=0 start=$EPOCHREALTIME

seconds() { awk -v a="$1" -v b="$EPOCHREALTIME" 'BEGIN { printf "%.1f", b - a }'; }
expect() { # expect WHAT SECONDS PATTERN CMD...: within that time the command succeeds and prints the pattern
  local what=$1 limit=$2 pattern=$3 out='' since=$EPOCHREALTIME end=$((SECONDS + $2))
  shift 3
  while :; do
    if out=$("$@" 2>&1) && grep -qE -- "$pattern" <<<"$out"; then
      printf 'ok   %5s s  %s: %s\n' "$(seconds "$since")" "$what" "$(tail -n 1 <<<"$out" | cut -c1-90)"
      return 0
    fi
    [ $SECONDS -lt $end ] || break
    sleep .2
  done
  printf 'FAIL %5s s  %s, wanted /%s/ within %s s: %s\n' "$(seconds "$since")" "$what" "$pattern" "$limit" "$(tail -n 3 <<<"$out")"
  failures=$((failures + 1))
}
k() { kubectl -n kube-check "$@"; }
field() { k get "$1" -o jsonpath="{$2}"; }
probe() { k exec "probe-$1" -- /probe "${@:2}"; }         # probe ORDINAL VERB ARG
from_host() { "$bin/probe" get "http://$1/"; }
address_of() { field "pod/probe-$1" .status.podIP; }
answers() { from_host "$(address_of "$1"):8080"; }
unreachable() { if "$@"; then return 1; else echo unreachable; fi; }
ready() { field "pod/probe-$1" '.status.conditions[?(@.type=="Ready")].status'; }
node_ready() { kubectl get node "$1" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}'; }
pod_on() { k get pods -o jsonpath="{range .items[?(@.spec.nodeName==\"$1\")]}{.metadata.name}{\"\\n\"}{end}" | sed 's/probe-//' | head -n 1; }
starts() { probe "$1" cat /data/starts | wc -l; }
hosts_answering() { local tries=20; while [ $((tries--)) -gt 0 ]; do from_host "$1" | cut -d' ' -f1; done | sort -u | wc -l; }
cleanup() {
  local verb
  for verb in continue join; do "$here/kube.sh" node $verb 3 >/dev/null 2>&1 || true; done
  "$here/kube.sh" node start 3 >/dev/null 2>&1 || true
  kubectl delete namespace kube-check --ignore-not-found --wait=false >/dev/null 2>&1 || true
}
trap cleanup EXIT

kubectl delete namespace kube-check --ignore-not-found >/dev/null
archive=$("$bin/ociimage" build -name zset.dev/probe -tag check -title probe -licenses Apache-2.0 -o "$state" "$bin/probe")
"$here/kube.sh" load "$archive" 2>/dev/null
rm -f "$archive"

echo "pods, network and volumes"
expect "objects are applied" 10 probe kubectl apply --server-side -f "$here/check.yaml"
expect "three pods are Ready, with volumes" 60 '^3$' field statefulset/probe .status.readyReplicas
expect "one on each node" 1 '^3$' bash -c "kubectl -n kube-check get pods -o jsonpath='{.items[*].spec.nodeName}' | tr ' ' '\n' | sort -u | wc -l"
expect "a pod reaches another by its stable name, source address kept" 10 "^probe-1 seen from $(address_of 0):" probe 0 get http://probe-1.probe-pods:8080/
expect "the headless Service names all pods" 10 '10\.244.* 10\.244.* 10\.244' probe 0 lookup probe-pods.kube-check.svc.cluster.local
expect "the Service by its short name" 10 '^probe-' probe 0 get http://probe/
ip=$(field service/probe .spec.clusterIP)
expect "the Service from the host" 10 '^probe-' from_host "$ip"
expect "the Service spreads over all pods" 20 '^3$' hosts_answering "$ip"
expect "a volume is written by a non-root pod on a read-only root" 1 '^1$' starts 0
expect "logs" 5 'probe on probe-0' k logs probe-0
expect "metrics of pods" 60 'probe-2 ' k top pods
before=$(field pod/probe-1 .metadata.uid)
expect "a pod is deleted" 20 deleted k delete pod probe-1
expect "and comes back, Ready" 30 True ready 1
expect "as another pod" 1 changed bash -c "[ \"\$(kubectl -n kube-check get pod probe-1 -o jsonpath={.metadata.uid})\" != $before ] && echo changed"
expect "with its volume" 5 '^2$' starts 1

echo "a node that dies"
on3=$(pod_on knode3)
next=$(($(starts "$on3") + 1))
expect "power cut" 10 kill "$here/kube.sh" node kill 3
expect "the node is found NotReady" 40 'Unknown|False' node_ready knode3
expect "power on" 10 start "$here/kube.sh" node start 3
expect "the node is Ready" 30 True node_ready knode3
expect "its pod runs again with its volume" 60 "^$next\$" starts "$on3"

expect "at its new address" 30 "^probe-$on3 " answers "$on3"   # the status shows none, or the old one, for a moment
address=$(address_of "$on3") other=$(((on3 + 1) % 3))

echo "a node that stands still"
expect "stop" 10 stop "$here/kube.sh" node stop 3
expect "nothing in it answers" 20 unreachable unreachable from_host "$address:8080"
expect "continue" 10 continue "$here/kube.sh" node continue 3
expect "it answers again" 10 "^probe-$on3 " from_host "$address:8080"

echo "a node that is cut off"
expect "cut" 10 cut "$here/kube.sh" node cut 3
expect "other nodes do not reach it" 20 unreachable unreachable probe "$other" get "http://$address:8080/"
expect "what runs in it goes on" 5 "^probe-$on3 " ip netns exec knode3 "$bin/probe" get "http://$address:8080/"
expect "join" 10 join "$here/kube.sh" node join 3
expect "they reach it again" 20 "^probe-$on3 " probe "$other" get "http://$address:8080/"
expect "all nodes are Ready" 40 '^True True True$' kubectl get nodes -o jsonpath='{.items[*].status.conditions[?(@.type=="Ready")].status}'

if [ $failures -gt 0 ]; then echo "$failures FAILED after $(seconds "$start") s"; exit 1; fi
echo "all as it should be, $(seconds "$start") s"
