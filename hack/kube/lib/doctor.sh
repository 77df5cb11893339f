# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# doctor.sh: what this machine has and lacks. Kernel features are tried, in namespaces that vanish with
# the trial, instead of read from a configuration: that also finds what a container forbids.

cni_folder() {
  local d
  for d in /usr/lib/cni /opt/cni/bin /usr/libexec/cni; do
    [ ! -x "$d/bridge" ] || { echo "$d"; return 0; }
  done
  return 1
}

missing_packages() { # Debian's names for the commands that are not there. By command, because another
  # vendor's package (Docker's containerd.io) may bring it and would be removed by Debian's.
  local pair command
  for pair in containerd:containerd ctr:containerd runc:runc nft:nftables iptables:iptables ip:iproute2 nsenter:util-linux \
    unshare:util-linux flock:util-linux openssl:openssl sysctl:procps pgrep:procps; do
    command=${pair%:*}
    command -v "$command" >/dev/null || echo "${pair#*:}"
  done | sort -u
  cni_folder >/dev/null || echo containernetworking-plugins
}

install_packages() {
  local missing
  missing=$(missing_packages | tr '\n' ' ')
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null || die "missing, and this is no Debian or Ubuntu, so install what provides it: $missing"
  say "installing Debian packages: $missing"
  mkdir -p "$cache"
  if ! { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing; } >"$cache/apt.log" 2>&1; then
    tail -n 10 "$cache/apt.log" >&2
    die "apt-get failed. Run it by hand: apt-get update && apt-get install --no-install-recommends $missing"
  fi
  say "installed"
}

checks_failed=0
check() { # check WHAT ADVICE CMD...: the command prints nothing and succeeds when all is well
  local what=$1 advice=$2 out
  shift 2
  if out=$("$@" 2>&1) && [ -z "$out" ]; then
    printf '  ok       %s\n' "$what"
  else
    checks_failed=$((checks_failed + 1))
    printf '  MISSING  %s: %s\n' "$what" "$advice"
    [ -z "$out" ] || sed -n '1,3s/^/             /p' <<<"$out"
  fi
}
quietly() { "$@" >/dev/null; }
note() { printf '  note     %s\n' "$*"; }

try_namespaces() { unshare --mount --uts --ipc --pid --cgroup --net --fork --kill-child true; }
try_overlay() {
  unshare --mount bash -c 'd=$(mktemp -d) && mount -t tmpfs tmpfs "$d" && mkdir "$d"/{lower,upper,work,all} &&
    mount -t overlay overlay -o "lowerdir=$d/lower,upperdir=$d/upper,workdir=$d/work" "$d/all"; rc=$?; umount -R "$d"; rmdir "$d"; exit $rc'
}
try_bridge() {
  unshare --net bash -c 'ip link add try0 type bridge && ip link add try1 type veth peer name try2 && ip link set try1 master try0'
}
try_nftables() {
  unshare --net nft -f - <<'N'
table ip t {
  map m { type ipv4_addr . inet_proto . inet_service : verdict; }
  chain one { meta l4proto tcp dnat to 10.0.0.1:80; }
  chain pre { type nat hook prerouting priority dstnat; numgen random mod 2 vmap { 0 : goto one, 1 : goto one }; }
  chain post { type nat hook postrouting priority srcnat; ct mark 1 masquerade fully-random; }
}
N
}
try_sysctls() {
  unshare --net bash -c 'sysctl -qw net.ipv4.ip_forward=1 && { [ -e /proc/sys/net/bridge/bridge-nf-call-iptables ] || modprobe br_netfilter; } &&
    sysctl -qw net.bridge.bridge-nf-call-iptables=1' && sysctl -qw "fs.inotify.max_user_instances=$(sysctl -n fs.inotify.max_user_instances)"
}
try_cgroups() {
  local c
  case $(cgroup_layout) in
    v1)
      for c in cpu cpuset memory pids; do
        [ -n "$(find /sys/fs/cgroup -maxdepth 1 -name "$c")" ] || echo "no cgroup v1 hierarchy for $c"
      done
      [ -n "$(cgroup_own systemd)" ] || echo "no cgroup hierarchy named systemd" ;;
    v2) cgroup_v2_check ;;
    *) echo "/sys/fs/cgroup holds no control groups" ;;
  esac
}
try_addresses() { # nobody else may use our networks
  ip -4 route show table all | grep -v " dev $host_link" | grep -E "^(local |broadcast )?(${node_net//./\\.}|${pod_net//./\\.}|10\\.96)\\." | grep -v "$host_ip" | sed 's/^/in use: /' || true
}
try_ports() { # of the control plane, unless it is ours that listens
  local port
  ! alive kube-apiserver >/dev/null || return 0
  for port in 2379 2380 8181 10249 10256 10257 10259; do
    # shellcheck disable=SC2016  # expanded by the inner shell
    ! bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$1"' _ $port 2>/dev/null || echo "127.0.0.1:$port is in use"
  done
}
try_space() {
  local at=$cache need=$1 free
  while [ ! -d "$at" ]; do at=$(dirname "$at"); done
  free=$(df -Pm "$at" | awk 'NR == 2 { print $4 }')
  [ "$free" -ge "$need" ] || echo "$at has $free MB free, $need MB are needed"
}
try_memory() {
  local free
  free=$(awk '/^MemAvailable/ { print int($2 / 1024) }' /proc/meminfo)
  [ "$free" -ge "$1" ] || echo "$free MB available, $1 MB are needed"
}

doctor() { # one line for each check; fails when 'up' cannot succeed here
  local missing
  echo "The local Kubernetes on this machine needs:"
  check "Linux" "use kind or another cluster and set KUBECONFIG" test "$(uname -s)" = Linux
  check "Go 1.26 or later" "https://go.dev/dl" need_go
  check "disk space" "free some, or set XDG_CACHE_HOME" try_space "$(if built; then echo 1000; else echo 12000; fi)"
  check "memory" "close something" try_memory "$(if built; then echo 1200; else echo 2500; fi)"
  missing=$(missing_packages | tr '\n' ' ')
  if [ -z "$missing" ]; then
    check "packages" "" true
  elif [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    note "packages: 'up' will install $missing"
  else
    check "packages" "apt-get install --no-install-recommends $missing" false
  fi
  check "root" "run as root: the nodes are namespaces, links and mounts" test "$(id -u)" = 0
  if [ "$(id -u)" = 0 ]; then
    check "control groups ($(cgroup_layout))" "see hack/kube/README.md; or use kind" try_cgroups
    check "namespaces: mount uts ipc pid cgroup net" "not allowed here, perhaps inside a container; use kind" try_namespaces
    check "overlay file system" "a kernel with overlayfs; not allowed in some containers" try_overlay
    if command -v ip >/dev/null; then
      check "bridge and veth links" "a kernel with bridge and veth" try_bridge
      check "free addresses $node_net.0/24 $pod_net.0.0/16 $service_cidr" "the machine uses them for something else" try_addresses
    fi
    ! command -v nft >/dev/null || check "nftables with NAT" "a kernel with nf_tables, nf_nat and conntrack" try_nftables
    check "writable sysctls: ip_forward, bridge-nf-call-iptables, inotify" "a kernel with br_netfilter; /proc/sys not read-only" try_sysctls
    check "free ports" "end what listens there" try_ports
    ! iptables -S INPUT 2>/dev/null | grep -q '^-P INPUT DROP' ||
      note "a firewall drops what comes in: allow the interface $host_link, or the nodes do not reach the API server (ufw allow in on $host_link)"
    [ "$(cgroup_layout)" != v2 ] || note "pure cgroup v2: this path is written but has never been tried; if 'up' fails, use kind (make run does so where Docker is)"
  fi
  if built; then note "binaries: $bin"; else note "binaries: not built yet, 'up' does it once (about 10 minutes on 2 cores)"; fi
  [ $checks_failed = 0 ] || { echo "$checks_failed missing"; return 1; }
  echo "all there"
}
