#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The launcher on bare systems: for each release a separate root folder with debootstrap's smallest set of packages, a clone of what is
# committed here, and one command in it. Prints time, downloads and disk space as a row of a table. Keeps nothing.
#   tests/systems/check_systems.sh [--release 12|13]... [--setup GROUP | --bench | --test] [--root FOLDER] [-- OPTIONS OF THE COMMAND]
#     --release N    Debian 12 or 13; without it both
#     --setup GROUP  ./wimax setup GROUP only: a minute (bench is what ./wimax bench installs)
#     --bench        ./wimax bench --duration 2, twice: the second one shows the time of a start (default; six minutes on two cores)
#     --test         ./wimax test (45 minutes)
#     --root FOLDER  keeps FOLDER/debian-N and uses it again: what is installed and built there stays. Without it: in /var/tmp, removed at the end
# Exit status: 0 all passed, 1 a command failed, 2 wrong options, or a program is missing. As root, with debootstrap, systemd-container
# and git, a network, and 8 GB on the disk.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
. "$top/tests/clean_debian.sh"

releases=() folder='' what=bench group=''
while [ $# -gt 0 ]; do
  case $1 in
    --release) case ${2:-} in 12|13) releases+=("$2") ;; *) echo "check_systems: --release: allowed 12, 13" >&2; exit 2 ;; esac; shift 2 ;;
    --setup) what=setup group=${2:?--setup GROUP}; shift 2 ;;
    --bench|--test) what=${1#--}; shift ;;
    --root) folder=${2:?--root FOLDER}; shift 2 ;;
    --) shift; break ;;
    -h|--help) sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "check_systems: unknown option '$1'; --help" >&2; exit 2 ;;
  esac
done
[ ${#releases[@]} -gt 0 ] || releases=(12 13)
needs debootstrap systemd-nspawn git

if [ -z "$folder" ]; then
  folder=$(mktemp -d /var/tmp/wimax-systems.XXXX)
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
chmod 755 "$folder"
rows=() failed=''
commit=$(git -c safe.directory='*' -C "$top" log -1 --format='commit %h, %cd' --date=short)

disk_mb() { du -smx "$1" | cut -f1; }

# step RELEASE COMMAND... - in the root of the release. apt keeps what it downloads there, which gives the size.
step() {
  local release=$1 root=$folder/debian-$1 begin=$SECONDS archives before how=passed; shift
  archives=$root/var/cache/apt/archives
  rm -f "$archives"/*.deb
  before=$(disk_mb "$root")
  echo "== Debian $release: $*"
  inside "$root" --chdir=/root/wimax "$@" || { how="failed with exit status $?"; failed=yes; }
  rows+=("$(printf '| Debian %s | `%s` | %s | %d s | %d MB | %d MB |' "$release" "$*" "$how" $((SECONDS - begin)) \
    "$(find "$archives" -name '*.deb' -printf '%s\n' | awk '{s += $1} END {print s / 1e6}' | cut -d. -f1)" $(($(disk_mb "$root") - before)))")
  [ "$how" = passed ]
}

for release in "${releases[@]}"; do
  root=$folder/debian-$release
  mkdir -p "$root"
  make_debian "$root" "$(codename "$release")"
  echo 'Binary::apt::APT::Keep-Downloaded-Packages "true"; APT::Keep-Downloaded-Packages "true";' >"$root/etc/apt/apt.conf.d/91keep"
  bring_source "$top" "$root"
  case $what in
    setup) step "$release" ./wimax setup "$group" "$@" ;;
    bench) step "$release" ./wimax bench --duration 2 "$@" && step "$release" ./wimax bench --duration 2 "$@" ;;
    test) step "$release" ./wimax test "$@" ;;
  esac || true
done

echo "$commit"
printf '%s\n' '| system | command | result | time | downloads | disk |' '|---|---|---|---|---|---|' "${rows[@]}"
[ ! "$failed" ]
