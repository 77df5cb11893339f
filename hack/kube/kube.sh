#!/bin/bash
# kube.sh: a real Kubernetes on this machine, from Go modules and Debian packages alone: no container
# engine, no registry, no download of binaries. README.md, beside this file, says how it is made and why.
#
# usage: kube.sh VERB
#
#   up                 boot control plane and nodes; builds what is missing, starts what died, heals what a
#                      test left cut off or stopped; does nothing when all is well
#   down               end it and remove everything it made on this machine (the built binaries stay cached)
#   status             what runs: processes, nodes, versions; fails when nothing does
#   env                print 'export KUBECONFIG=... PATH=...' for eval
#   doctor             check what this machine has and lacks; fails when 'up' cannot succeed
#   check              prove with a small workload that it behaves as a cluster should (a minute and a half)
#   load ARCHIVE...    import image archives into all nodes, and into those that start later
#
#   node start N       switch node N on (N is 1..9; a new number adds a node)
#   node kill N        power cut: every process of the node dies at once, the disk stays
#   node remove N      the same, and its disk and its Node object go too
#   node stop N        every process of the node stands still (SIGSTOP)
#   node continue N    and goes on
#   node cut N         pull the network cable: what runs in the node goes on
#   node join N        plug it in
#
#   build [NAME...]    build the binaries only: all of them, or these; needs no root
#   assets             build etcd, kube-apiserver and kubectl only, and print their folder (KUBEBUILDER_ASSETS)
#   kubectl-path       build kubectl only, and print its folder
#   kubeconfig-path    print where the kubeconfig of this cluster is, or will be
#
# environment: NODES=3        nodes that 'up' starts
#              NODE_GRACE=20s silence after which a node is NotReady, EVICT_AFTER=30 seconds until its pods are
#              evicted: both taken when the cluster boots
#              XDG_CACHE_HOME (default ~/.cache): the binaries are in zset-operator/kube below it
# state:       /var/lib/zset-operator/kube, one cluster per machine; logs in log/ and nodes/*/log/
# shellcheck source-path=SCRIPTDIR
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mods=$here/mods
# shellcheck source=lib/base.sh
. "$here/lib/base.sh"
# shellcheck source=lib/build.sh
. "$here/lib/build.sh"
# shellcheck source=lib/cgroup.sh
. "$here/lib/cgroup.sh"
# shellcheck source=lib/pki.sh
. "$here/lib/pki.sh"
# shellcheck source=lib/host.sh
. "$here/lib/host.sh"
# shellcheck source=lib/control_plane.sh
. "$here/lib/control_plane.sh"
# shellcheck source=lib/node.sh
. "$here/lib/node.sh"
# shellcheck source=lib/images.sh
. "$here/lib/images.sh"
# shellcheck source=lib/doctor.sh
. "$here/lib/doctor.sh"

usage() { sed -n '2,/^# shellcheck/{/^# shellcheck/d;s/^# \{0,1\}//p}' "$here/kube.sh"; }

exists() { [ -L "$state/build" ]; }
use_running_build() { # a cluster that exists keeps the binaries it was booted with
  exists || return 0
  local other
  other=$(readlink "$state/build")
  [ "$other" != "$build" ] || return 0
  [ -x "$other/bin/kubectl" ] || die "the running cluster's binaries ($other) are gone: 'kube.sh down', then 'up'"
  say "the running cluster was booted from another build: $(basename "$other"). 'down' and 'up' would replace it."
  build=$other bin=$other/bin
}
running_cluster() {
  [ ! -d "$state" ] || [ -x "$state" ] || need_root "$verb"   # only root may look inside
  exists || die "no cluster here: 'kube.sh up' boots one"
  use_running_build
}

up() {
  case $nodes in [1-9]) ;; *) die "NODES is 1 to $max_nodes, not '$nodes'" ;; esac
  need_root up
  if ! exists; then
    install_packages
    local report
    report=$(doctor) || { echo "$report" >&2; die "this machine cannot run it: see MISSING above"; }
  fi
  exists || build_all
  take_lock
  use_running_build
  mkdir -p "$pki" "$log" "$pids" "$images" "$state/nodes" "$state/etcd"
  chmod 700 "$state" "$pki"
  [ -e "$images/pause.tar" ] || cp "$build/pause.tar" "$images/pause.tar"
  ln -sfn "$build" "$state/build"
  local n want=()
  for n in $(known_nodes) $(seq "$nodes"); do [[ " ${want[*]} " == *" $n "* ]] || want+=("$n"); done
  if healthy "${want[@]}"; then say "the cluster is up: ${#want[@]} nodes Ready"; return; fi
  make_pki
  host_up
  say "starting ${#want[@]} nodes and the control plane"
  for n in "${want[@]}"; do node_heal "$n"; done     # they wait for the API server themselves
  start_control_plane
  say "the API server answers"
  start_addons
  for n in "${want[@]}"; do
    wait_for 90 "$prefix$n registers itself" "$state/nodes/$prefix$n/log/kubelet.log" kubectl get node "$prefix$n"
    kubectl patch node "$prefix$n" -p "{\"spec\":{\"podCIDR\":\"$pod_net.$n.0/24\",\"podCIDRs\":[\"$pod_net.$n.0/24\"]}}" >/dev/null 2>&1 || true
  done
  say "nodes are registered"
  wait_for 30 "default service account" "$log/kube-controller-manager.log" kubectl get serviceaccount default
  for n in "${want[@]}"; do wait_for 90 "$prefix$n is Ready" "$state/nodes/$prefix$n/log/kubelet.log" node_ready "$n"; done
  say "${#want[@]} nodes Ready. For this shell: eval \"\$($here/kube.sh env)\""
}
node_ready() { # node_ready N: by the API server's view, which may be 20 s old, and by asking the kubelet itself
  [ "$(kubectl get node "$prefix$1" -o jsonpath='{.status.conditions[?(@.type=="Ready")].status}')" = True ] &&
    [ "$(kubectl get --raw "/api/v1/nodes/$prefix$1/proxy/healthz" --request-timeout=2s)" = ok ]
}
healthy() { # healthy N...: every process of ours and every node
  local p n
  for p in "${control_plane[@]}"; do alive "$p" >/dev/null || return 1; done
  for n in "$@"; do [ "$(node_state "$n")" = on ] || return 1; done
  for n in "$@"; do node_ready "$n" 2>/dev/null || return 1; done
}

down() {
  local n
  need_root down
  [ -d "$state" ] || { say "no cluster here"; return; }
  take_lock
  for n in $(known_nodes); do finish "$prefix$n" KILL; done
  stop_control_plane
  for n in $(known_nodes); do node_wipe "$n"; done
  cgroup_v2_remove
  host_down
  rm -rf "$state"
  rmdir "$(dirname "$state")" 2>/dev/null || true
  say "everything is gone; the binaries stay in $build"
  rm -f "$lock"
}

status() {
  local p n pid
  exists || { echo "no cluster here: 'kube.sh up' boots one"; return 1; }
  use_running_build
  echo "Kubernetes $kube_version from $build"
  for p in "${control_plane[@]}"; do
    if pid=$(alive "$p"); then printf '  %-24s running, pid %s\n' "$p" "$pid"; else printf '  %-24s DEAD, see %s\n' "$p" "$log/$p.log"; fi
  done
  for n in $(known_nodes); do
    printf '  %-24s %s%s\n' "$prefix$n" "$(node_state "$n")" "$(node_ready "$n" 2>/dev/null && echo ', Ready' || echo ', not Ready')"
  done
  echo "KUBECONFIG=$kubeconfig, logs in $log and $state/nodes/*/log, $(du -sh "$state" 2>/dev/null | cut -f1) in all"
}

node() { # node VERB N
  case ${1:-} in start | kill | remove | stop | continue | cut | join) ;; *) die "node start|kill|remove|stop|continue|cut|join N" ;; esac
  need_root "node $1"
  running_cluster
  take_lock
  if [ "$1" = start ]; then node_number "${2:-}"; else node_known "${2:-}"; fi
  "node_$1" "$2"
  say "node $2: $1"
}

verb=${1:-}
[ $# = 0 ] || shift
case $verb in
  up | down | status | doctor) "$verb" ;;
  env)
    running_cluster
    echo "export KUBECONFIG=$kubeconfig PATH=$bin:\$PATH" ;;
  check) running_cluster; NODES=3 bin=$bin state=$state "$here/check.sh" ;;
  load) need_root load; running_cluster; take_lock; load_images "$@" ;;
  node) node "$@" ;;
  build) build_all "$@"; echo "$bin" ;;
  assets) build_all etcd kube-apiserver kubectl; echo "$bin" ;;
  kubeconfig-path) echo "$kubeconfig" ;;
  kubectl-path) build_all kubectl; echo "$bin" ;;
  -h | --help | help) usage ;;
  *) usage >&2; exit 2 ;;
esac
