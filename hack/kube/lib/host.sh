# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# host.sh: what the host itself gets, and how each of it is taken back.
#
#     host                         netns zkube-switch            netns knodeN
#     zkube 10.89.0.1 ──────────── uplink ┐
#     route 10.244.N.0/24          br0 ───┼── nodeN ──────────── eth0 10.89.0.1N
#       via 10.89.0.1N                    └── ...                cni0 10.244.N.1, one veth per pod
#
# The bridge has a namespace of its own so that the host's firewall and its bridge settings neither
# see the traffic between nodes nor need a change.

# kubelet and kube-proxy write some of these; 128 inotify instances are too few for several kubelets
host_sysctls=(fs.inotify.max_user_instances fs.inotify.max_user_watches vm.overcommit_memory vm.panic_on_oom
  kernel.panic kernel.panic_on_oops kernel.keys.root_maxkeys kernel.keys.root_maxbytes
  net.ipv4.conf.all.route_localnet net.netfilter.nf_conntrack_max)
host_folders=(/var/lib/kubelet /var/lib/containerd /var/lib/cni /var/lib/pv /etc/cni /etc/cni/net.d
  /var/log/pods /var/log/containers /run/netns /opt/containerd /opt/containerd/bin /opt/containerd/lib)
host_modules=(overlay br_netfilter nf_tables veth bridge nf_conntrack)

host_up() {
  local name folder
  # notes of how it was, taken once
  if [ ! -s "$state/sysctl.before" ]; then
    for name in "${host_sysctls[@]}"; do sysctl -e "$name" 2>/dev/null || true; done >"$state/sysctl.part"
    mv "$state/sysctl.part" "$state/sysctl.before"
  fi
  if [ ! -e "$state/folders.before" ]; then # a node's own folders are mounted over these, in its mount namespace
    for folder in "${host_folders[@]}"; do [ ! -d "$folder" ] || echo "$folder"; done >"$state/folders.before"
    ! mountpoint -q /run/netns || echo /run/netns.mount >>"$state/folders.before"
  fi
  sysctl -qw fs.inotify.max_user_instances=8192 fs.inotify.max_user_watches=524288
  for name in "${host_modules[@]}"; do
    [ -d "/sys/module/$name" ] || modprobe -q "$name" 2>/dev/null || true   # built in, or the checks of 'doctor' failed
  done

  [ -e "/run/netns/$switch" ] || ip netns add $switch
  if ! ip -n $switch link show br0 >/dev/null 2>&1; then
    ip -n $switch link set lo up
    ip -n $switch link add br0 type bridge
    ip -n $switch link set br0 up
  fi
  if ! ip link show $host_link >/dev/null 2>&1; then
    ip link add $host_link type veth peer name uplink netns $switch
    ip addr add $host_ip/24 dev $host_link
    ip link set $host_link up
    ip -n $switch link set uplink master br0 up
  fi
  # What is for a pod of a node that is switched off, or for a Service that is gone, finds nobody here; without these it would leave by
  # the machine's own default route.
  ip route replace "$pod_net.0.0/16" dev $host_link
  ip route replace "$service_cidr" dev $host_link
  # frames that cross this bridge are no business of packet filters
  ip netns exec $switch sysctl -qw net.bridge.bridge-nf-call-iptables=0 2>/dev/null || true
}

host_down() {
  local name value folder i
  nft delete table ip kube-proxy 2>/dev/null || true      # of the host's kube-proxy
  nft delete table ip6 kube-proxy 2>/dev/null || true
  ip link del $host_link 2>/dev/null || true              # its routes go with it
  ip netns del $switch 2>/dev/null || true
  if [ -e "$state/folders.before" ]; then
    if ! grep -qx /run/netns.mount "$state/folders.before" && mountpoint -q /run/netns && [ -z "$(ls -A /run/netns)" ]; then
      umount /run/netns
    fi
    for ((i = ${#host_folders[@]} - 1; i >= 0; i--)); do
      folder=${host_folders[i]}
      grep -qx "$folder" "$state/folders.before" || rmdir "$folder" 2>/dev/null || true
    done
  fi
  if [ -s "$state/sysctl.before" ]; then
    while IFS=' =' read -r name value; do
      [ "$(sysctl -n "$name" 2>/dev/null)" = "$value" ] || sysctl -qw "$name=$value" 2>/dev/null || true
    done <"$state/sysctl.before"
  fi
}
