# shellcheck shell=bash
# cgroup.sh: the control groups of a node, below our own, in either layout of the kernel.
#
# v1, also hybrid: every controller is a hierarchy; a node is a child of our own group in each.
# v2: one hierarchy. WRITTEN BUT NOT TRIED: the machine this was made on cannot be switched to it.
#     Everything special to v2 is in this file and marked "v2".
# In both, a cgroup namespace shows the node's own group as the root. The file NODE/cgroups lists
# the folders of a node.

cgroup_layout() {
  case $(stat -fc %T /sys/fs/cgroup 2>/dev/null) in
    tmpfs) echo v1 ;;
    cgroup2fs) echo v2 ;;
    *) echo none ;;
  esac
}

cgroup_hierarchies() { # v1: names of the folders that are mounted hierarchies, such as memory or cpu,cpuacct
  local d
  for d in /sys/fs/cgroup/*; do
    [ ! -L "$d" ] && mountpoint -q "$d" && basename "$d"
  done
  return 0
}

cgroup_own() { # v1: path of this process's group in a hierarchy
  awk -F: -v name="$1" '
    name == "unified" && $1 == "0" { print $3; exit }
    $2 == name || $2 == "name=" name { print $3; exit }' /proc/self/cgroup
}

cgroup_enter() { # cgroup_enter NODE FILE: this subshell moves into the node's groups and lists them
  local name dir
  if [ "$(cgroup_layout)" = v2 ]; then
    cgroup_v2_enter "$@"
    return
  fi
  for name in $(cgroup_hierarchies); do
    dir=/sys/fs/cgroup/$name$(cgroup_own "$name")
    dir=${dir%/}/$1
    mkdir -p "$dir"
    if [ -e "$dir/cpuset.cpus" ]; then       # empty at first, and a group without CPUs takes nobody
      cat "$dir/../cpuset.cpus" >"$dir/cpuset.cpus"
      cat "$dir/../cpuset.mems" >"$dir/cpuset.mems"
      echo 1 >"$dir/cgroup.clone_children"
    fi
    echo "$BASHPID" >"$dir/cgroup.procs"
    echo "$dir"
  done >"$2"
}

cgroup_pids() { # cgroup_pids FILE: every process of the node
  local dir
  while read -r dir; do
    [ ! -d "$dir" ] || find "$dir" -name cgroup.procs -exec cat {} + 2>/dev/null
  done <"$1" | sort -nu | grep -v '^0$' || true
}

cgroup_remove() { # cgroup_remove FILE: once the last process has gone, which takes a moment after a kill
  local dir left i
  [ -s "$1" ] || return 0
  for ((i = 0; i < 400; i++)); do
    left=
    while read -r dir; do
      [ -d "$dir" ] || continue
      find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [ ! -d "$dir" ] || left+=" $dir"
    done <"$1"
    [ -n "$left" ] || { rm -f "$1"; return 0; }
    sleep .05
  done
  say "left behind, not empty:$left"
  return 1
}

# ---- v2, written but not tried ----------------------------------------------------
# A group that holds processes cannot give controllers to its children, so the node's group holds
# none itself: its processes start in it, so that the cgroup namespace has its root there, and are
# moved to the leaf "init" from outside (the process that holds the namespaces is not visible inside).
cgroup_v2=/sys/fs/cgroup/zset-kube
cgroup_v2_check() { # prints what is missing
  local c
  for c in cpu cpuset memory pids; do
    grep -qw $c /sys/fs/cgroup/cgroup.controllers || echo "cgroup v2 controller $c is not available here"
  done
  [ -w /sys/fs/cgroup/cgroup.subtree_control ] || echo "/sys/fs/cgroup is read-only"
}
cgroup_v2_controllers() { # cgroup_v2_controllers DIR: hand all that DIR has to its children
  local c
  for c in $(cat "$1/cgroup.controllers"); do echo "+$c" >"$1/cgroup.subtree_control" 2>/dev/null || true; done
}
cgroup_v2_enter() {
  local dir=$cgroup_v2/$1
  mkdir -p "$dir/init"
  cgroup_v2_controllers /sys/fs/cgroup
  cgroup_v2_controllers $cgroup_v2
  echo "$BASHPID" >"$dir/cgroup.procs"
  echo "$dir" >"$2"
}
cgroup_settle() { # cgroup_settle FILE: called when the node's namespaces exist; node-init.sh waits for its effect
  local dir pid
  [ "$(cgroup_layout)" = v2 ] || return 0
  read -r dir <"$1"
  while read -r pid; do echo "$pid" >"$dir/init/cgroup.procs" 2>/dev/null || true; done <"$dir/cgroup.procs"
  cgroup_v2_controllers "$dir"
}
cgroup_v2_remove() { [ ! -d $cgroup_v2 ] || rmdir $cgroup_v2 2>/dev/null || true; }
