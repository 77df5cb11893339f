#!/bin/bash
# peers.sh: print a folder with the newest Redis and Valkey programs that Debian publishes, to compare the node with:
# valkey-server, valkey-cli, valkey-benchmark, redis-server, redis-cli, redis-benchmark.
#
# They come, with every library they use, from Debian's unstable distribution, and run on whatever Debian this is: each
# program is started through the loader it came with. Needs no root, installs nothing, starts no service. Kept in
# XDG_CACHE_HOME (default ~/.cache)/zset-operator/peers; --update fetches them again.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/peers
bin=$cache/bin
if [ -x "$bin/valkey-server" ] && [ "${1:-}" != --update ]; then echo "$bin"; exit 0; fi
for program in apt-get dpkg-deb; do
  command -v $program >/dev/null || { echo "peers.sh: needs $program; this is not a Debian" >&2; exit 1; }
done
rm -rf "$cache"
mkdir -p "$cache"/apt/{lists/partial,archives/partial,state} "$cache/root" "$bin"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keyring] http://deb.debian.org/debian sid main" >"$cache/apt/sources.list"
: >"$cache/apt/status" # as on a machine that has nothing yet: apt then fetches every library too
apt_private() {
  apt-get -qq -o Dir::Etc::sourcelist="$cache/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$cache/apt/state" \
    -o Dir::State::lists="$cache/apt/lists" -o Dir::State::status="$cache/apt/status" -o Dir::Cache="$cache/apt" -o Debug::NoLocking=1 \
    -o APT::Sandbox::User="$(id -un)" -o pkgCacheGen::Essential=none -o APT::Install-Recommends=false "$@"
}
echo "fetching Redis and Valkey from Debian" >&2
apt_private update >&2
apt_private install -y --download-only valkey-server valkey-tools redis-server redis-tools >&2
for deb in "$cache"/apt/archives/*.deb; do dpkg-deb -x "$deb" "$cache/root"; done
rm -rf "$cache/apt"
loader=$(find "$cache/root/usr" -name 'ld-linux*.so.*' | head -1)
libraries=$(find "$cache"/root/usr/lib/*-linux-gnu* -maxdepth 1 -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
for program in valkey-server valkey-cli valkey-benchmark redis-server redis-cli redis-benchmark; do
  real=$(readlink -f "$cache/root/usr/bin/$program") # redis-server is a link to another program of its package
  printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 %s "%s" "$@"\n' "$loader" "$libraries" $program "$real" >"$bin/$program"
  chmod +x "$bin/$program"
done
"$bin/valkey-server" --version >&2
"$bin/redis-server" --version >&2
echo "$bin"
