#!/bin/bash
# peers.sh: print a folder with the newest Redis and Valkey programs that Debian publishes, to compare the node with:
# valkey-server, valkey-cli, valkey-benchmark, redis-server, redis-cli, redis-benchmark, and the checkers of files.
#
# They come, with every library they use, from Debian's unstable distribution, and run on whatever Debian this is: each
# program is started through the loader it came with. Needs no root, installs nothing, starts no service. Kept in
# XDG_CACHE_HOME (default ~/.cache)/zset-operator/peers; --update fetches them again.
set -euo pipefail
cache=${XDG_CACHE_HOME:-$HOME/.cache}/zset-operator/peers
bin=$cache/bin
if [ -x "$bin/valkey-check-aof" ] && [ "${1:-}" != --update ]; then echo "$bin"; exit 0; fi
if ! [ -x "$cache/root/usr/bin/valkey-server" ] || [ "${1:-}" = --update ]; then
  rm -rf "$cache"
  mkdir -p "$bin"
  # shellcheck source=hack/debian.sh
  . "$(dirname "$0")/debian.sh"
  echo "fetching Redis and Valkey from Debian" >&2
  fetch_debian "$cache" with-dependencies valkey-server valkey-tools redis-server redis-tools
fi
loader=$(find "$cache/root/usr" -name 'ld-linux*.so.*' | head -1)
libraries=$(find "$cache"/root/usr/lib/*-linux-gnu* -maxdepth 1 -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
for program in valkey-server valkey-cli valkey-benchmark redis-server redis-cli redis-benchmark \
  valkey-check-rdb valkey-check-aof redis-check-rdb redis-check-aof; do
  real=$(readlink -f "$cache/root/usr/bin/$program") # redis-server is a link to another program of its package
  [ "$bin/$program" -nt "$real" ] && continue
  printf '#!/bin/sh\nexec "%s" --library-path "%s" --argv0 %s "%s" "$@"\n' "$loader" "$libraries" $program "$real" >"$bin/$program"
  chmod +x "$bin/$program"
done
"$bin/valkey-server" --version >&2
"$bin/redis-server" --version >&2
echo "$bin"
