# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# build.sh: binaries and the sandbox image, from Go modules alone, into the user's cache.
#
# mods/recipe lists them, the go.mod and go.sum files in mods/ pin every module. The folder is
# named for the version and a hash of all of that, so a fresh clone finds what another has built,
# and a changed pin builds anew (what it left as it was is linked, not built).

build_key() { # build_key PATH...: 12 hex digits of names and contents
  (cd "$mods" && find "$@" -type f | LC_ALL=C sort | xargs sha256sum | sha256sum | cut -c1-12)
}
build=$cache/$kube_version-$(build_key . ../../tools/ociimage)
bin=$build/bin
pause_image=zset.dev/pause:1

recipe() { # recipe [NAME...]: lines "NAME MODULE PACKAGE SECONDS" of these, or of all
  local line name
  while read -r line; do
    name=${line%% *}
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    echo "$line"
  done < <(grep -Ev '^(#|$)' "$mods/recipe")
}
built() { # built [NAME...]
  local name
  while read -r name _; do [ -x "$bin/$name" ] || return 1; done < <(recipe "$@")
  [ $# -gt 0 ] || [ -s "$build/pause.tar" ]
}

build_all() { # build_all [NAME...]: these, or everything; idempotent, resumes after an interruption
  local todo=() name module package seconds total=0 k=0 since
  mkdir -p "$bin" "$build/keys"
  touch "$build/used"
  built "$@" && return 0
  need_go
  exec 8>"$cache/build.lock"
  flock -n 8 || { say "another build is running: waiting for it"; flock 8; }
  while read -r name module package seconds; do
    [ -x "$bin/$name" ] || reuse "$name" "$module" "$package" || { todo+=("$name $module $package $seconds"); total=$((total + seconds)); }
  done < <(recipe "$@")
  if [ ${#todo[@]} -gt 0 ]; then
    say "building Kubernetes $kube_version: ${#todo[@]} binaries into $bin"
    say "about $total s on 2 cores when nothing is cached, a minute when Go's caches hold it; log: $build/build.log"
    for line in "${todo[@]}"; do
      read -r name module package seconds <<<"$line"
      k=$((k + 1)) since=${EPOCHREALTIME/[.,]/}
      build_one "$name" "$module" "$package" "$seconds" "$k of ${#todo[@]}"
      say "built $name ($k of ${#todo[@]}) in $(elapsed "$since") s"
    done
  fi
  if [ $# = 0 ] && [ ! -s "$build/pause.tar" ]; then
    local made
    made=$("$bin/ociimage" build -name "${pause_image%:*}" -tag "${pause_image#*:}" -title pause -licenses Apache-2.0 -o "$build" "$bin/pause")
    mv "$made" "$build/pause.tar"
  fi
  exec 8>&-
  prune_builds
}

build_one() { # build_one NAME MODULE PACKAGE SECONDS PLACE
  local name=$1 module=$2 package=$3 ldflags="-s -w" pid told=0 since=$EPOCHSECONDS
  # Unstamped, the binaries call themselves v0.0.0 and refuse each other's version.
  [ "$module" != kubernetes ] || ldflags+=" -X k8s.io/component-base/version.gitVersion=v$kube_version -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=${kube_version:2:2}"
  echo "=== $name" >>"$build/build.log"
  CGO_ENABLED=0 GOWORK=off GOFLAGS=-buildvcs=false GOOS='' GOARCH='' \
    go build -C "$mods/$module" -trimpath -ldflags "$ldflags" -o "$bin/.$name.part" "$package" >>"$build/build.log" 2>&1 8>&- 9>&- &
  pid=$!
  # shellcheck disable=SC2064  # the PID of now: a background child ignores the terminal's interrupt
  trap "kill $pid 2>/dev/null || true" EXIT
  while kill -0 $pid 2>/dev/null; do
    sleep .2
    if [ $((EPOCHSECONDS - since)) -ge $((told + 15)) ]; then
      told=$((EPOCHSECONDS - since))
      say "building $name ($5), $told s so far, $4 s is usual"
    fi
  done
  if ! wait $pid; then
    tail -n 20 "$build/build.log" >&2
    die "building $name failed; the log is $build/build.log. When the network was the cause, call again: what is built stays."
  fi
  trap - EXIT
  recipe_key "$name" "$module" "$package" >"$build/keys/$name"
  mv "$bin/.$name.part" "$bin/$name"   # so that a half-written binary never has the name
}
recipe_key() { # recipe_key NAME MODULE PACKAGE: what the binary depends on: the pins, and the source where it is ours
  local from=("$2/go.mod" "$2/go.sum")
  [ -f "$mods/$2/go.sum" ] || from=("$2/go.mod")
  case $3 in .*) from+=("$2/$3") ;; esac
  echo "$kube_version $2 $3 $(build_key "${from[@]}")"
}
reuse() { # reuse NAME MODULE PACKAGE: link it from another build with the same recipe
  local key other
  key=$(recipe_key "$@")
  for other in "$cache"/*/keys/"$1"; do
    if [ "$(cat "$other" 2>/dev/null)" = "$key" ] && ln "${other%/keys/*}/bin/$1" "$bin/$1" 2>/dev/null; then
      cp "$other" "$build/keys/$1"
      return 0
    fi
  done
  return 1
}
need_go() {
  command -v go >/dev/null || die "Go is missing: install Go 1.26 or later (https://go.dev/dl) and put it on the PATH"
  local have minor
  have=$(GOTOOLCHAIN=local go env GOVERSION) minor=${have#go1.} minor=${minor%%[!0-9]*}
  [ "${minor:-0}" -ge 26 ] || [ "$(go env GOTOOLCHAIN)" != local ] || die "Go 1.26 or later is needed, this is $have"
}
prune_builds() { # builds that nothing has used for two weeks, except the one that runs
  local old running
  running=$(readlink "$state/build" 2>/dev/null || true)
  for old in "$cache"/*/used; do
    old=${old%/used}
    if [ "$old" = "$build" ] || [ "$old" = "$running" ] || [ -z "$(find "$old/used" -mtime +14)" ]; then continue; fi
    say "removing a build unused for two weeks: $old"
    rm -rf "$old"
  done
}
