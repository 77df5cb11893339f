#!/bin/bash
# node-init.sh: PID 1 of one node, in mount, uts, ipc, pid and cgroup namespaces of its own inside the
# node's network namespace. When it dies the kernel kills every process of the node: containerd,
# kubelet, kube-proxy and all pods, as a power cut would. Started by lib/node.sh, never by hand, with
# NODE_DIR NODE_NAME NODE_IP NODE_ZONE BIN IMAGES HIERARCHIES in its environment.
set -uo pipefail
export PATH=$BIN:$PATH

# --- this node's own view of the kernel -----------------------------------------
mount --make-rprivate /                         # nothing mounted here shows on the host
mount -t proc proc /proc                        # of this pid namespace
mount -t sysfs sysfs /sys                       # of this network namespace
if [ -z "$HIERARCHIES" ]; then                  # cgroup v2, written but not tried
  mount -t cgroup2 cgroup2 /sys/fs/cgroup
  until grep -qw memory /sys/fs/cgroup/cgroup.subtree_control; do sleep .05; done
else
  mount -t tmpfs -o mode=755 tmpfs /sys/fs/cgroup
  for h in $HIERARCHIES; do                     # each rooted at this node's group, by the cgroup namespace
    mkdir -p "/sys/fs/cgroup/$h"
    case $h in
      unified) mount -t cgroup2 cgroup2 /sys/fs/cgroup/unified ;;
      systemd) mount -t cgroup -o none,name=systemd cgroup /sys/fs/cgroup/systemd ;;
      *) mount -t cgroup -o "$h" cgroup "/sys/fs/cgroup/$h" ;;
    esac || echo "cannot mount the cgroup hierarchy $h"
    [ "${h/,/}" = "$h" ] || for c in ${h//,/ }; do ln -s "$h" "/sys/fs/cgroup/$c"; done
  done
fi

# --- its disk ---------------------------------------------------------------------
own() { mkdir -p "$NODE_DIR/$1" "$2" && mount --bind "$NODE_DIR/$1" "$2"; }
own run /run
own kubelet /var/lib/kubelet
own containerd /var/lib/containerd
own cni-state /var/lib/cni
own cni-conf /etc/cni/net.d
own log-pods /var/log/pods
own log-containers /var/log/containers
own pv /var/lib/pv
mkdir -p /run/lock /run/netns "$NODE_DIR/log"
[ ! -e /etc/machine-id ] || mount --bind "$NODE_DIR/machine-id" /etc/machine-id
mount --make-rshared /                          # kubelet wants mounts to propagate into containers
hostname "$NODE_NAME"

# --- its network ------------------------------------------------------------------
# Pods on one node reach each other through the bridge cni0; replies of a Service must pass the
# packet filter there too, or the addresses are not translated back.
sysctl -qw net.ipv4.ip_forward=1 net.bridge.bridge-nf-call-iptables=1

# --- its daemons, started again when they end --------------------------------------
keep() { # keep NAME CMD...
  local out=$NODE_DIR/log/$1.log
  shift
  while :; do
    "$@" >>"$out" 2>&1 </dev/null
    echo "=== ended with $?" >>"$out"
    sleep 1
  done
}
keep containerd containerd -c "$NODE_DIR/containerd.toml" &
for _ in $(seq 400); do [ ! -S /run/containerd/containerd.sock ] || break; sleep .05; done
for archive in "$IMAGES"/*.tar; do              # what the disk has already is not imported again
  read -r ref _ < <(ociimage ref "$archive")
  [ -n "$(ctr -n k8s.io images ls -q "name==$ref")" ] ||
    ctr -n k8s.io images import "$archive" >>"$NODE_DIR/log/import.log" 2>&1 || echo "cannot import $archive"
done
keep kubelet kubelet --config="$NODE_DIR/kubelet.yaml" --kubeconfig="$NODE_DIR/kubelet.kubeconfig" \
  --hostname-override="$NODE_NAME" --node-ip="$NODE_IP" --root-dir=/var/lib/kubelet \
  --node-labels="topology.kubernetes.io/zone=$NODE_ZONE" --v=1 &
keep kube-proxy kube-proxy --config="$NODE_DIR/kube-proxy.yaml" --hostname-override="$NODE_NAME" --v=1 &

# For ever: bash reaps what is re-parented to it.
trap 'exit 0' TERM
while :; do wait; sleep 1; done
