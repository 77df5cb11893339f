# debian.sh: to be sourced. Packages of Debian's unstable distribution, unpacked into a folder on whatever Debian this is:
# no root, nothing installed, no service started.
#
#   fetch_debian FOLDER with-dependencies|alone PACKAGE...     their files are then in FOLDER/root
fetch_debian() {
  local folder=$1 how=$2 program deb
  shift 2
  for program in apt-get dpkg-deb; do
    command -v $program >/dev/null || { echo "needs $program; this is not a Debian" >&2; return 1; }
  done
  mkdir -p "$folder"/apt/{lists/partial,archives/partial,state} "$folder/root" || return 1
  echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian sid main" >"$folder/apt/sources.list"
  : >"$folder/apt/status" # as on a machine that has nothing yet: apt then fetches every dependency too
  local apt=(apt-get -qq -o Dir::Etc::sourcelist="$folder/apt/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State="$folder/apt/state"
    -o Dir::State::lists="$folder/apt/lists" -o Dir::State::status="$folder/apt/status" -o Dir::Cache="$folder/apt" -o Debug::NoLocking=1
    -o APT::Sandbox::User="$(id -un)" -o pkgCacheGen::Essential=none -o APT::Install-Recommends=false)
  "${apt[@]}" update >&2 || return 1
  if [ "$how" = alone ]; then
    (cd "$folder/apt/archives" && "${apt[@]}" download "$@" >&2) || return 1
  else
    "${apt[@]}" install -y --download-only "$@" >&2 || return 1
  fi
  for deb in "$folder"/apt/archives/*.deb; do dpkg-deb -x "$deb" "$folder/root" || return 1; done
  rm -rf "$folder/apt"
}
