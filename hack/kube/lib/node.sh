# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# node.sh: a node is a network namespace knodeN (its cable ends in the switch) and the namespaces of
# node-init.sh, its PID 1. Its disk is the folder nodes/knodeN; switched off, only that remains.

node_number() { # node_number N: fails with a clear message unless 1..9
  case ${1:-} in [1-9]) ;; *) die "a node's number is 1 to $max_nodes, not '${1:-}'" ;; esac
}
node_known() { node_number "${1:-}"; [ -d "$state/nodes/$prefix$1" ] || die "there is no node $1; 'kube.sh node start $1' makes it"; }
known_nodes() { # numbers of all nodes that have a disk
  local d
  for d in "$state/nodes/$prefix"[1-9]; do [ ! -d "$d" ] || echo "${d##*"$prefix"}"; done
}
node_state() { # node_state N: off, cut, stopped or on
  local pid
  pid=$(alive "$prefix$1") || { echo off; return; }
  if ip -n $switch -o link show "node$1" 2>/dev/null | grep -q 'state DOWN\|NO-CARRIER'; then echo cut; return; fi
  case $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status") in T) echo stopped ;; *) echo on ;; esac
}

node_start() { # node_start N: power on
  local n=$1 name=$prefix$1 address=$node_net.$((10 + $1)) dir=$state/nodes/$prefix$1 layout hierarchies='' pid
  ! alive "$name" >/dev/null || return 0
  node_wipe "$n"                                  # of an unclean end
  mkdir -p "$dir" "$images"
  rm -rf "$dir/run"                               # a reboot empties /run
  node_certificate "$n"
  client_config "$dir/kubelet.kubeconfig" "$name"
  node_config "$n" "$dir"
  node_network "$n"
  install -m 755 "$here/node-init.sh" "$state/node-init.sh.part"   # a checkout may change or go while the node runs
  mv "$state/node-init.sh.part" "$state/node-init.sh"
  layout=$(cgroup_layout)
  [ "$layout" != v1 ] || hierarchies=$(cgroup_hierarchies | tr '\n' ' ')
  (
    cgroup_enter "$name" "$dir/cgroups"
    exec env NODE_DIR="$dir" NODE_NAME="$name" NODE_IP="$address" NODE_ZONE="zone$n" BIN="$bin" IMAGES="$images" HIERARCHIES="$hierarchies" \
      setsid nsenter --net="/run/netns/$name" unshare --mount --uts --ipc --pid --cgroup --fork --kill-child \
      "$state/node-init.sh" >>"$log/$name.log" 2>&1 </dev/null
  ) 9>&- &
  pid=$!
  record "$name" $pid
  if [ "$layout" = v2 ]; then
    wait_for 5 "namespaces of $name" "$log/$name.log" pgrep -P $pid
    cgroup_settle "$dir/cgroups"
  fi
}

node_network() { # node_network N: cable into the switch, routes to the pods of the other nodes
  local n=$1 name=$prefix$1 address=$node_net.$((10 + $1)) m
  ip netns add "$name"
  ip -n $switch link add "node$n" type veth peer name eth0 netns "$name"
  ip -n $switch link set "node$n" master br0 up
  ip -n "$name" link set lo up
  ip -n "$name" addr add "$address/24" dev eth0
  ip -n "$name" link set eth0 up
  ip -n "$name" route add default via $host_ip    # kube-proxy and CNI expect one; the host does not forward
  for ((m = 1; m <= max_nodes; m++)); do
    [ $m = "$n" ] || ip -n "$name" route add "$pod_net.$m.0/24" via "$node_net.$((10 + m))"
  done
  ip route replace "$pod_net.$n.0/24" via "$address" dev $host_link
}

node_config() { # node_config N DIR
  local n=$1 dir=$2 cni
  cni=$(cni_folder)
  printf '%032x\n' "$((n + 1000000))" >"$dir/machine-id"
  mkdir -p "$dir/cni-conf"
  # ipMasq stays off: pods must see each other's real addresses across nodes
  cat >"$dir/cni-conf/10-bridge.conflist" <<Y
{"cniVersion": "1.0.0", "name": "kube", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false, "hairpinMode": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": "$pod_net.$n.0/24"}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
Y
  # restrict_oom_score_adj: without CAP_SYS_RESOURCE, as in some virtual machines and containers, runc
  # cannot lower a score, and every sandbox would fail with "can't get final child's PID from pipe: EOF"
  cat >"$dir/containerd.toml" <<Y
version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
oom_score = 0
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs",
  "io.containerd.snapshotter.v1.devmapper", "io.containerd.internal.v1.opt", "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
[grpc]
  address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "$pause_image"
  disable_apparmor = true
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "$cni"
    conf_dir = "/etc/cni/net.d"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
    default_runtime_name = "runc"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
      runtime_type = "io.containerd.runc.v2"
      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
        SystemdCgroup = false
Y
  cat >"$dir/kubelet.yaml" <<Y
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false              # refused by default since 1.35
cgroupDriver: cgroupfs           # there is no systemd in a node
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $pki/ca.crt}}
authorization: {mode: Webhook}
address: $node_net.$((10 + n))
tlsCertFile: $pki/$prefix$n.crt
tlsPrivateKeyFile: $pki/$prefix$n.key
clusterDomain: cluster.local
clusterDNS: [$service_dns]
resolvConf: ""                   # nothing of the machine's resolver in pods
failSwapOn: false
imageGCHighThresholdPercent: 100 # never remove an image: there is no registry to pull it from
imageGCLowThresholdPercent: 99
evictionHard: {memory.available: 100Mi, nodefs.available: 0%, nodefs.inodesFree: 0%, imagefs.available: 0%}
maxPods: 110
nodeStatusUpdateFrequency: 4s
serializeImagePulls: false
volumePluginDir: /var/lib/kubelet/plugins-flex
readOnlyPort: 0
Y
  proxy_config "$dir/kube-proxy.yaml"
}

node_kill() { # node_kill N: power cut; what the disk holds stays
  finish "$prefix$1" KILL                         # unshare; --kill-child takes PID 1 along, and that all others
  node_wipe "$1"
}
node_wipe() { # node_wipe N: groups and network of a node that does not run
  cgroup_remove "$state/nodes/$prefix$1/cgroups" || true
  ip netns del "$prefix$1" 2>/dev/null || true
  ip -n $switch link del "node$1" 2>/dev/null || true
  ip route del "$pod_net.$1.0/24" dev $host_link 2>/dev/null || true
}

node_remove() { # node_remove N
  node_kill "$1"
  kubectl delete node "$prefix$1" --ignore-not-found >/dev/null
  rm -rf "${state:?}/nodes/$prefix$1"
}
node_stop() { # node_stop N: every process stands still, as in a virtual machine that is paused
  local file=$state/nodes/$prefix$1/cgroups pid moving i
  alive "$prefix$1" >/dev/null || die "node $1 is off"
  for ((i = 0; i < 100; i++)); do                 # until a whole pass finds nobody moving: they fork meanwhile
    moving=
    for pid in $(cgroup_pids "$file"); do
      case $(sed -n 's/^State:\t\(.\).*/\1/p' "/proc/$pid/status" 2>/dev/null) in
        T | Z | X | '') ;;
        *) moving=1; kill -STOP "$pid" 2>/dev/null || true ;;
      esac
    done
    [ -n "$moving" ] || return 0
    sleep .02
  done
  die "some processes of node $1 do not stop"
}
node_continue() { # node_continue N
  local pid
  alive "$prefix$1" >/dev/null || die "node $1 is off"
  for pid in $(cgroup_pids "$state/nodes/$prefix$1/cgroups"); do kill -CONT "$pid" 2>/dev/null || true; done
}
node_cut() { # node_cut N: pull the cable; processes and traffic within the node go on
  alive "$prefix$1" >/dev/null || die "node $1 is off"
  ip -n $switch link set "node$1" down
}
node_join() { # node_join N: plug it in
  alive "$prefix$1" >/dev/null || die "node $1 is off"
  ip -n $switch link set "node$1" up
}
node_heal() { # node_heal N: whatever a test left it in, it runs and is connected
  case $(node_state "$1") in
    off) [ ! -e "$pids/$prefix$1" ] || say "$prefix$1 was off: starting it"; node_start "$1" ;;
    cut) say "$prefix$1 was cut off: joining it"; node_join "$1"; node_continue "$1" ;;
    stopped) say "$prefix$1 was stopped: it continues"; node_continue "$1" ;;
  esac
}
