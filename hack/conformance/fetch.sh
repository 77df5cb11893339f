#!/bin/bash
# fetch.sh SUITE: print the folder with the sources of the newest SUITE (valkey or redis) that Debian publishes.
#
# They are fetched by apt from Debian's unstable distribution, verified and unpacked by its own tools, and kept in
# XDG_CACHE_HOME (default ~/.cache)/zset-operator/conformance, a folder per version; the next call takes the newest one
# there is. Nothing outside that folder is touched: the package lists too are private to it, so neither root nor a
# change of the system's sources is needed.
#
# usage: fetch.sh [--update] SUITE      --update looks for a newer version first
set -euo pipefail
update=false
[ "${1:-}" != --update ] || { update=true; shift; }
suite=${1:?usage: fetch.sh [--update] valkey|redis}
case $suite in valkey | redis) ;; *) echo "fetch.sh: no suite '$suite'; there are valkey and redis" >&2; exit 2 ;; esac
cache=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/conformance
mkdir -p "$cache"
newest() { find "$cache" -maxdepth 1 -type d -name "$suite-[0-9]*" 2>/dev/null | sort -V | tail -1; }

found=$(newest)
if [ -n "$found" ] && ! $update; then echo "$found"; exit 0; fi
for program in apt-get dpkg-source; do
  command -v $program >/dev/null || { echo "fetch.sh: needs $program (Debian: apt-get install dpkg-dev)" >&2; exit 1; }
done

work=$cache/apt
mkdir -p "$work"/{lists/partial,archives/partial,state,download}
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian sid main" >"$work/sources.list"
apt_private() {
  apt-get -qq -o Dir::Etc::sourcelist="$work/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$work/state" \
    -o Dir::State::lists="$work/lists" -o Dir::State::status=/dev/null -o Dir::Cache="$work" -o APT::Sandbox::User="$(id -un)" "$@"
}
echo "fetching the sources of $suite from Debian" >&2
apt_private update >&2
(cd "$work/download" && apt_private source --download-only "$suite" >&2)
dsc=$(find "$work/download" -name "${suite}_*.dsc" | sort -V | tail -1)
version=$(sed -n 's/^Version: *//p' "$dsc" | head -1)
version=${version#*:}
target=$cache/$suite-$version
if [ ! -d "$target" ]; then
  rm -rf "$work/unpacked"
  dpkg-source --no-check -x "$dsc" "$work/unpacked" >&2 # apt has checked the signature
  mv "$work/unpacked" "$target"
fi
rm -rf "$work"
echo "$target"
