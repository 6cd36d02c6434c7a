#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# README's two commands on a bare Debian 12: a root of its own with debootstrap's minbase and nothing else, a clone of this repository
# there (what is committed, not what lies about), `./wimax bench --duration 2`, and if asked `./wimax test`. Nothing is kept.
#   tests/check_bare.sh [--test] [--root FOLDER] [-- OPTIONS OF ctest]
#     --test         ./wimax test as well (an hour and a half in all on two cores; without: 25 minutes)
#     --root FOLDER  for the root, kept and used again: what is installed and built there stays. Without: a new one in /var/tmp, removed at the end
#     -- OPTIONS     go to `./wimax test`, say -R stack_traffic
# Exit status: 0 all well, 1 a command failed, 2 it can't be tried here. As root, with debootstrap and systemd-container, a network, 8 GB.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/clean_debian.sh"

root='' test=''
while [ $# -gt 0 ]; do
  case $1 in
    --test) test=yes; shift ;;
    --root) root=${2:?--root FOLDER}; shift 2 ;;
    --) shift; break ;;
    -h|--help) sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "check_bare: unknown option '$1'; --help" >&2; exit 2 ;;
  esac
done
needs debootstrap systemd-nspawn git

if [ -z "$root" ]; then
  root=$(mktemp -d /var/tmp/wimax-bare.XXXX)
  trap 'rm -rf --one-file-system "$root"' EXIT
fi
mkdir -p "$root"

step() {  # NAME COMMAND...
  local begin=$SECONDS
  echo "== $1"
  inside "$root" --chdir=/root/wimax "${@:2}" || { echo "check_bare: $1 failed with exit status $? after $((SECONDS - begin)) s" >&2; exit 1; }
  echo "== $1: well, $((SECONDS - begin)) s"
}

make_debian "$root"
if [ -d "$root/root/wimax" ]; then
  git -c safe.directory='*' -C "$root/root/wimax" pull --quiet --ff-only "$top" HEAD
else
  git -c safe.directory='*' clone --quiet --no-hardlinks "$top" "$root/root/wimax"
fi
git -C "$root/root/wimax" log -1 --format='commit %h: %s'
step "./wimax bench --duration 2" ./wimax bench --duration 2
if [ "$test" ]; then step "./wimax test $*" ./wimax test "$@"; fi
