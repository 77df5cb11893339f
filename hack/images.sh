#!/bin/bash
# images.sh: the project's images as OCI archives, built without a container engine.
#
#   hack/images.sh [build]          build what changed into .run/images, note the names in .run/images.env
#   hack/images.sh load             bring them to the nodes of the cluster that hack/cluster.sh found
#   hack/images.sh push REGISTRY    upload them as REGISTRY/operator, /node and /respcli and note those names
#
# environment: VERSION                 what the binaries say they are (default: the commit's tag, or dev)
#              OPERATOR_IMAGE, NODE_IMAGE, RESPCLI_IMAGE
#                                      images of your own to use instead
#              REGISTRY                for 'load' on a cluster that is neither local nor kind: push there
#              GOARCH                  architecture of the nodes, when it is not this machine's
#
# A tag is "dev-" and 12 hex digits of the image's digest: a changed binary gets a new one, an unchanged
# binary keeps it. So the binaries hold nothing that changes with each commit.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
out=$root/.run/images
names=$root/.run/images.env
source_url=https://zset.dev/operator
images=(operator node respcli)                                   # zset.dev/NAME, from the package of the same place:
packages=([0]=./cmd/manager [1]=./cmd/node [2]=./hack/respcli)

usage() { sed -n '2,16s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }
die() { echo "images.sh: $*" >&2; exit 1; }
variable() { echo "${1^^}_IMAGE"; }                               # operator -> OPERATOR_IMAGE
given() { local v; v=$(variable "$1"); echo "${!v:-}"; }

oci() {
  CGO_ENABLED=0 GOARCH='' GOFLAGS=-buildvcs=false go build -C "$root/hack/tools" -trimpath -o "$root/.run/bin/ociimage" ./ociimage
  "$root/.run/bin/ociimage" "$@"
}

build() {
  local i name package binary archive ref version arch start=$SECONDS
  version=${VERSION:-$(git -C "$root" describe --tags --exact-match 2>/dev/null || echo dev)}
  arch=$(go env GOARCH)
  mkdir -p "$out" "$root/.run/bin/image"
  exec 9>"$root/.run/images.lock"   # two make targets at once would write the same files
  flock 9
  for i in "${!images[@]}"; do
    name=${images[i]} package=${packages[i]}
    if [ -n "$(given "$name")" ]; then
      echo "$(variable "$name")=$(given "$name")"
      printf '%-9s %s, as given\n' "$name" "$(given "$name")" >&2
      continue
    fi
    [ -d "$root/$package" ] || { echo "images.sh: $package is not there yet: no image zset.dev/$name" >&2; continue; }
    binary=$root/.run/bin/image/$(basename "$package")
    (cd "$root" && CGO_ENABLED=0 GOOS=linux GOFLAGS=-buildvcs=false \
      go build -trimpath -ldflags "-s -w -X main.version=$version" -o "$binary" "$package") || die "$package does not build"
    archive=$(oci build -name "zset.dev/$name" -o "$out" -arch "$arch" -title "$name" -version "$version" \
      -source "$source_url" -licenses Apache-2.0 "$binary")
    read -r ref _ < <(oci ref "$archive")
    echo "$(variable "$name")=$ref"
    printf '%-9s %s  %s compressed, binary %s\n' "$name" "$ref" "$(du -h --apparent-size "$archive" | cut -f1)" "$(du -h --apparent-size "$binary" | cut -f1)" >&2
    # the newest few builds stay, for going back and forth between branches
    # shellcheck disable=SC2012  # names of ours: no newlines
    ls -t "$out/$name"-dev-*.tar | tail -n +6 | xargs -r rm -f
  done >"$names.part"
  mv "$names.part" "$names"
  echo "images: $((SECONDS - start)) s, names in ${names#"$root"/}" >&2
}

archive_of() { # archive_of NAME: of the image the last build noted; nothing when the image is not ours
  local ref
  [ -z "$(given "$1")" ] || return 0
  ref=$(sed -n "s|^$(variable "$1")=zset\\.dev/$1:||p" "$names")
  [ -z "$ref" ] || [ ! -s "$out/$1-$ref.tar" ] || echo "$out/$1-$ref.tar"
}
archives() { local name; for name in "${images[@]}"; do archive_of "$name"; done; }
need_build() { [ -s "$names" ] || die "nothing is built yet: run hack/images.sh"; }

push() {
  local registry=${1%/} name archive to
  [ -n "$registry" ] || die "push where? For example: make images-push REGISTRY=registry.example/team"
  need_build
  for name in "${images[@]}"; do
    archive=$(archive_of "$name")
    if [ -z "$archive" ]; then grep "^$(variable "$name")=" "$names" || true; continue; fi
    to=$registry/$name:$(sed -n "s|^$(variable "$name")=.*:||p" "$names")
    echo "pushing $to" >&2
    oci push "$archive" "$to" >&2
    echo "$(variable "$name")=$to"
  done >"$names.part"
  mv "$names.part" "$names"
  echo "pushed; to use them from another checkout:" >&2
  sed 's/^/  export /' "$names" >&2
}

load() {
  local all
  need_build
  mapfile -t all < <(archives)
  [ ${#all[@]} -gt 0 ] || return 0
  case ${ZSET_CLUSTER:-} in
    local) "$root/hack/kube/kube.sh" load "${all[@]}" ;;
    kind) "$root/hack/kind.sh" load "${ZSET_KIND:?the name of the kind cluster}" "${all[@]}" ;;
    user)
      [ -n "${REGISTRY:-}" ] || die "a cluster of yours pulls its images from a registry. Set REGISTRY (a place you may push to and the cluster
may pull from), or OPERATOR_IMAGE, NODE_IMAGE and RESPCLI_IMAGE to images that are there already."
      push "$REGISTRY" ;;
    *) die "which cluster? First: env=\$(hack/cluster.sh) && eval \"\$env\"" ;;
  esac
}

cd "$root"
case ${1:-build} in
  build) build ;;
  load) load ;;
  push) push "${2:-}" ;;
  -h | --help) usage ;;
  *) usage >&2; exit 2 ;;
esac
