# shellcheck shell=bash
# shellcheck disable=SC2154  # names of base.sh
# images.sh: image archives into the nodes. The archives are kept in the state folder too, for nodes
# that start later; of each repository the newest few, or every build of a long day would stay.

images_kept=6

load_images() { # load_images ARCHIVE...
  local archive ref digest n told
  for archive in "$@"; do
    [ -s "$archive" ] || die "no such image archive: $archive"
    read -r ref digest < <("$bin/ociimage" ref "$archive") || die "not an archive of ours: $archive"
    keep_archive "$archive" "$ref"
    told=
    for n in $(known_nodes); do
      [ "$(node_state "$n")" = on ] || { say "node $n does not run: it gets $ref when it starts"; continue; }
      ! has_image "$n" "$ref" "$digest" || continue
      import_image "$n" "$archive" &
      told+=" $n"
    done
    wait
    for n in $told; do has_image "$n" "$ref" "$digest" || die "node $n did not take $ref; see $log/import.log"; done
    if [ -n "$told" ]; then say "loaded $ref into nodes$told"; else say "$ref is in every running node already"; fi
  done
  drop_old_images
}
node_ctr() { # node_ctr N ARG...
  local n=$1
  shift
  ctr --address "$state/nodes/$prefix$n/run/containerd/containerd.sock" -n k8s.io "$@"
}
has_image() { node_ctr "$1" images ls "name==$2" 2>/dev/null | grep -qF -- "$3"; }
import_image() { node_ctr "$1" images import "$2" >>"$log/import.log" 2>&1; }

archive_name() { local flat=${1//\//_}; echo "${flat/:/@}.tar"; }   # of a reference, without slashes
keep_archive() { # keep_archive ARCHIVE REF
  local to
  to=$images/$(archive_name "$2")
  mkdir -p "$images"
  cmp -s "$1" "$to" || { cp "$1" "$to.part" && mv "$to.part" "$to"; }
  touch "$to"
}
drop_old_images() { # archives beyond the newest few of each repository, and their images where no container needs them
  local repository old ref n
  for repository in $(find "$images" -name '*@*.tar' -printf '%f\n' | sed 's/@.*//' | sort -u); do
    # shellcheck disable=SC2012  # names of ours: no newlines
    for old in $(ls -t "$images/$repository@"*.tar | tail -n +$((images_kept + 1))); do
      read -r ref _ < <("$bin/ociimage" ref "$old") || ref=
      for n in $(known_nodes); do
        [ -n "$ref" ] && [ "$(node_state "$n")" = on ] || continue
        node_ctr "$n" containers ls | grep -qF -- " $ref " || node_ctr "$n" images rm "$ref" >/dev/null 2>&1 || true
      done
      rm -f "$old"
    done
  done
}
