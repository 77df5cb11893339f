# shellcheck shell=bash
# shellcheck disable=SC2034  # the other files read these names
# base.sh: names, places and numbers of the cluster; messages; the lock; processes.
# Sourced by kube.sh before everything else in lib/.

kube_version=1.35.4
prefix=knode                       # node N is called knodeN, and so is its network namespace
switch=zkube-switch                # the network namespace that holds the bridge between nodes
host_link=zkube                    # the host's end of its cable into the switch
node_net=10.89.0 pod_net=10.244    # the host is .1, node N is .1N; pods of node N get 10.244.N.0/24
host_ip=$node_net.1
service_cidr=10.96.0.0/16 service_api=10.96.0.1 service_dns=10.96.0.10
max_nodes=9
nodes=${NODES:-3}
node_grace=${NODE_GRACE:-20s}      # silence after which a node counts as NotReady
evict_after=${EVICT_AFTER:-30}     # seconds pods stay bound to a node that is NotReady

# Built once for each version, per user; nothing in it runs by itself.
cache=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/kube
# The running cluster. One per machine, since addresses and names are the machine's: so not in
# any checkout, and every checkout sees the same one.
state=/var/lib/zset-operator/kube
pki=$state/pki log=$state/log pids=$state/pids images=$state/images kubeconfig=$state/admin.kubeconfig
lock=/run/zset-operator-kube.lock

# ---- messages, all to stderr: stdout belongs to what a verb is asked to print ----
started=${EPOCHREALTIME/[.,]/}
elapsed() { # elapsed [SINCE]: seconds with a tenth; SINCE as microseconds
  local us=$((${EPOCHREALTIME/[.,]/} - ${1:-$started}))
  printf '%d.%d' $((us / 1000000)) $((us / 100000 % 10))
}
say() { printf '[%6ss] %s\n' "$(elapsed)" "$*" >&2; }
die() { printf 'kube.sh: %s\n' "$*" >&2; exit 1; }
need_root() {
  [ "$(id -u)" = 0 ] || die "'$1' makes namespaces, links and mounts, and so needs root. Run: sudo -E env PATH=\"\$PATH\" $0 $1"
}

wait_for() { # wait_for SECONDS WHAT LOG CMD...: until the command succeeds; tells what it waits for
  local limit=$1 what=$2 file=$3 since=${EPOCHREALTIME/[.,]/} told=0 now
  shift 3
  until "$@" >/dev/null 2>&1; do
    now=$(((${EPOCHREALTIME/[.,]/} - since) / 1000000))
    if [ $now -ge "$limit" ]; then
      printf '%s\n' "--- end of $file" >&2
      tail -n 15 "$file" >&2 || true
      die "gave up after $limit s: $what. The log is above; 'kube.sh status' shows what runs, 'kube.sh down' starts afresh."
    fi
    if [ $now -ge $((told + 5)) ]; then told=$now; say "waiting: $what"; fi
    sleep .1
  done
}

# ---- one verb at a time may change the cluster --------------------------------------
take_lock() {
  local told=0
  while :; do
    exec 9>"$lock"
    while ! flock -n 9; do
      [ $told = 1 ] || say "another kube.sh is changing the cluster: waiting for it"
      told=1; sleep .2
    done
    # 'down' removes the file as its last act: a lock on a removed file is worth nothing
    [ /proc/self/fd/9 -ef "$lock" ] && return 0
  done
}

# ---- processes: each is recorded with its start time, so that a reused PID is never taken for ours ----
start_time() { # of a PID, in ticks since boot; fails for a zombie or nobody
  local stat
  { read -r stat <"/proc/$1/stat"; } 2>/dev/null || return 1
  stat=${stat##*) }                       # the command's name may hold anything
  case $stat in [ZX]*) return 1 ;; esac
  # shellcheck disable=SC2086
  set -- $stat
  echo "${20}"
}
record() { echo "$2 $(start_time "$2")" >"$pids/$1"; }
alive() { # alive NAME: prints the PID
  local pid began
  { read -r pid began <"$pids/$1"; } 2>/dev/null || return 1
  [ -n "$began" ] && [ "$(start_time "$pid")" = "$began" ] && echo "$pid"
}
daemon() { # daemon NAME CMD...: runs it in a session of its own, unless it runs
  local name=$1
  shift
  alive "$name" >/dev/null && return 0
  [ ! -e "$pids/$name" ] || say "$name had died: starting it again"
  [ "$(stat -c %s "$log/$name.log" 2>/dev/null || echo 0)" -lt 20000000 ] || mv "$log/$name.log" "$log/$name.log.old"
  setsid "$@" >>"$log/$name.log" 2>&1 </dev/null 9>&- &
  record "$name" $!
}
finish() { # finish NAME SIGNAL: ends a recorded process and waits until it is gone
  local pid i
  if pid=$(alive "$1"); then
    kill "-$2" "$pid" 2>/dev/null || true
    for ((i = 0; i < 600; i++)); do alive "$1" >/dev/null || break; sleep .05; done
    ! alive "$1" >/dev/null || kill -KILL "$pid" 2>/dev/null || true
  fi
  rm -f "$pids/$1"
}

kubectl() { command "$bin/kubectl" --kubeconfig="$kubeconfig" --cache-dir="$state/kubectl-cache" "$@"; }
