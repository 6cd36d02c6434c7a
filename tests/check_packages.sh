#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages on clean systems. For each release: builds what is committed here in a separate root folder by ./wimax package, and
# installs the packages with apt in another one. There it runs version, doctor and bench, and types docs/tutorial.md as a user who has sudo.
# It removes the packages and looks for remains. Then it boots that root and runs the units: traffic, a killed PHY, removal.
#   tests/check_packages.sh [--release 12|13]... [--root FOLDER] [--packages FOLDER]
#     --release N        Debian 12 or 13; without it both
#     --root FOLDER      keeps FOLDER/build-N and FOLDER/clean-N and uses them again. Without it: in /var/tmp, removed at the end
#     --packages FOLDER  checks the packages in FOLDER/debian-N; builds them there if there are none
# WIMAX_CCACHE names a folder for ccache that builds share; without it nothing is cached.
# Exit status: 0 all passed, 1 a check failed, 2 wrong options, or a program is missing. As root, with debootstrap, systemd-container, git
# and binutils; needs a network, and 6 GB for each release. Takes 2 to 3 minutes for each, and the build of the packages.
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/clean_debian.sh"

releases=() folder='' packages=''
while [ $# -gt 0 ]; do
  case $1 in
    --release) codename "${2:-}" >/dev/null || { echo "check_packages: --release: allowed 12, 13" >&2; exit 2; }; releases+=("$2"); shift 2 ;;
    --root) folder=${2:?--root FOLDER}; shift 2 ;;
    --packages) packages=${2:?--packages FOLDER}; shift 2 ;;
    -h|--help) sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "check_packages: unknown option '$1'; --help" >&2; exit 2 ;;
  esac
done
[ ${#releases[@]} -gt 0 ] || releases=(12 13)
needs debootstrap systemd-nspawn git readelf
if [ -z "$folder" ]; then
  folder=$(mktemp -d /var/tmp/wimax-packages.XXXX)
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi
mkdir -p "$folder"
chmod 755 "$folder"

fail() { echo "check_packages: $*" >&2; exit 1; }

# build_packages RELEASE ROOT INTO - ./wimax package on a separate system
build_packages() {
  local ccache=() begin=$SECONDS
  make_debian "$2" "$(codename "$1")"
  bring_source "$top" "$2"
  rm -f "$2"/root/wimax/build-package/*.*deb
  if [ "${WIMAX_CCACHE:-}" ]; then
    inside "$2" bash -c 'command -v ccache >/dev/null || { apt-get update -qq && apt-get install -y -qq --no-install-recommends ccache >/dev/null; }'
    ccache=(--bind="$WIMAX_CCACHE:/var/cache/ccache" --setenv=CCACHE_DIR=/var/cache/ccache --setenv=CMAKE_CXX_COMPILER_LAUNCHER=ccache
      --setenv="CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime")
  fi
  inside "$2" "${ccache[@]}" --chdir=/root/wimax ./wimax package >"$folder/build-$1.log" 2>&1 || { tail -40 "$folder/build-$1.log" >&2; fail "the build failed"; }
  rm -rf "$3"
  mkdir -p "$3"
  cp "$2"/root/wimax/build-package/*.*deb "$3"
  echo "== Debian $1: packages built in $((SECONDS - begin)) s"
  ls -s --block-size=kB "$3"
}

# check_symbols FOLDER - programs and libraries of the packages have no debug symbols; the packages of symbols have a file for each one
check_symbols() {
  local package file id unpacked wrong='' count=0
  unpacked=$(mktemp -d /var/tmp/wimax-symbols.XXXX)
  for package in "$1"/*.*deb; do dpkg-deb -x "$package" "$unpacked/$(dpkg-deb -f "$package" Package)"; done
  while read -r file; do
    readelf -hW "$file" >/dev/null 2>&1 || continue
    count=$((count + 1))
    id=$(readelf -nW "$file" | sed -n 's/.*Build ID: //p')
    if readelf -SW "$file" | grep -q '\.debug_' || ! compgen -G "$unpacked/*-dbgsym/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug" >/dev/null; then
      wrong+=" ${file#"$unpacked/"}"
    fi
  done < <(find "$unpacked" -path '*-dbgsym' -prune -o -type f \( -perm -1 -o -name '*.so*' \) -print)
  rm -rf "$unpacked"
  if [ "$wrong" ] || [ "$count" -le 10 ]; then fail "symbols are not split off $count programs and libraries:$wrong"; fi
  echo "symbols of $count programs and libraries are in packages of their own"
}

# files ROOT - every file, link and folder except those that programs and the first boot make as they run
files() {
  (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var -o -path ./root -o -path ./home -o -path ./etc/.updated \) -prune -o -print
    find ./var/lib ./var/log -name '*wimax*' -not -path './var/lib/dpkg/*' -not -path './var/lib/apt/*'
    cut -d: -f1 etc/passwd | sed 's/^/user /'
    cut -d: -f1 etc/group | sed 's/^/group /') | sort
}

# prepare_clean ROOT - installs what the packages depend on and recommend, so that only the packages themselves make the difference
prepare_clean() {
  local root=$1 needed
  inside "$root" apt-get update -qq
  inside "$root" apt-get purge -y -qq wimax gr-wimax libgnuradio-wimax >/dev/null 2>&1 || true  # of a run that failed
  rm -rf "$root/var/log/wimax"
  inside "$root" apt-get install -y -qq --no-install-recommends systemd man-db sudo >/dev/null
  needed=$(for package in "$root"/var/tmp/*.deb; do dpkg-deb -f "$package" Depends Recommends | sed 's/^[A-Z][a-z]*://' | tr ',' '\n'; done |
    sed 's/^ *//; s/ .*//' | sort -u | grep -vx 'gr-wimax\|libgnuradio-wimax')
  # shellcheck disable=SC2086
  inside "$root" apt-get install -y -qq --no-install-recommends $needed >/dev/null
  inside "$root" bash -c 'id -u reader >/dev/null 2>&1 || useradd --create-home --shell /bin/bash reader'
  echo 'reader ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/reader"
  files "$root" >"$root/var/tmp/before"
}

check_installed() {
  local root=$1
  inside "$root" bash -c 'apt-get install -y -qq --no-install-recommends /var/tmp/*.deb' | tail -3
  files "$root" | comm -13 "$root/var/tmp/before" - | wc -l
  # The shell of the root expands these.
  # shellcheck disable=SC2016
  inside "$root" dpkg-query -W -f='${Package} ${Installed-Size} kB installed\n' libgnuradio-wimax wimax gr-wimax
  inside "$root" wimax version
  inside "$root" wimax doctor
  inside "$root" man wimax-phyd | sed -n 1,4p
  inside "$root" bash -c 'systemd-analyze verify /usr/lib/systemd/system/wimax-*.service'
  inside "$root" /usr/bin/python3 -c 'from gnuradio import wimax; print(wimax.__file__)'
  # Every module of the package finds what it imports.
  inside "$root" env PYTHONPATH=/usr/share/wimax/python /usr/bin/python3 -B -c '
import importlib, pkgutil
missing = {}
for module in pkgutil.walk_packages(["/usr/share/wimax/python"]):
    try:
        module.name.endswith("__main__") or importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing[module.name] = error.name
assert not missing, missing'
  inside "$root" uhd_find_devices --args=type=vrf | grep -A4 "Device Address"
  inside "$root" bash -c 'wimax bench --duration 1 && wimax up && sleep 4 && wimax status && wimax down'
}

# The blocks of the tutorial, typed by a user who has sudo
check_tutorial() {
  local work=$1/var/tmp/tutorial
  rm -rf "$work"
  install -D -t "$work/tests/stack" "$top/tests/stack/tutorial.py" "$top/tests/stack/test_stack_tutorial.py"
  ln -s /usr/share/doc/wimax/docs "$work/docs"
  inside "$1" su --login reader --command 'cd /var/tmp/tutorial/tests/stack && WIMAX_TUTORIAL=installed python3 -B -m unittest -v test_stack_tutorial' 2>&1
}

check_removed() {
  local root=$1 remains
  inside "$root" bash -c 'wimax up && wimax down && apt-get purge -y -qq wimax gr-wimax libgnuradio-wimax && ! find /run -name "wimax*" -o -path "*/netns/*" | grep .' | tail -3
  files "$root" >"$root/var/tmp/after"
  remains=$(diff "$root/var/tmp/before" "$root/var/tmp/after") || true
  [ -z "$remains" ] || fail "left, or missing: $remains"
  echo "nothing is left"
}

# Boots the root, which installs the packages, runs check_services.sh and powers off
check_services() {
  local root=$1 unit=etc/systemd/system/check.service wanted=etc/systemd/system/multi-user.target.wants/check.service
  cp "$top/tests/check_services.sh" "$root/var/tmp"
  cat >"$root/$unit" <<'U'
[Service]
ExecStart=/bin/bash -c '/var/tmp/check_services.sh >/var/tmp/services.log 2>&1; echo $? >/var/tmp/services.status; systemctl poweroff'
U
  mkdir -p "$root/${wanted%/*}"
  ln -sf ../check.service "$root/$wanted"
  rm -f "$root/var/tmp/services.status" "$root/var/tmp/services.log"
  # shellcheck disable=SC2016
  timeout 240 bash -c '. "$0"; container "$1" --boot' "$top/tests/clean_debian.sh" "$root" >"$root/var/tmp/boot.log" 2>&1 || true
  rm "$root/$wanted" "$root/$unit"
  cat "$root/var/tmp/services.log" || fail "the root did not boot: $(tail -5 "$root/var/tmp/boot.log")"
  [ "$(cat "$root/var/tmp/services.status")" = 0 ] || fail "the services failed"
  files "$root" >"$root/var/tmp/after"
  diff "$root/var/tmp/before" "$root/var/tmp/after" >&2 || fail "the units left something"
}

# step TEXT COMMAND...
step() {
  local begin=$SECONDS text=$1; shift
  echo "== $text"
  "$@"
  echo "== $text: passed in $((SECONDS - begin)) s"
}

check_release() {
  local release=$1 debs=${packages:-$folder/packages}/debian-$1 root=$folder/clean-$1
  echo "=== Debian $release"
  mkdir -p "$folder/build-$release" "$root"
  compgen -G "$debs/*.deb" >/dev/null || build_packages "$release" "$folder/build-$release" "$debs"
  check_symbols "$debs"
  make_debian "$root" "$(codename "$release")"
  rm -f "$root"/var/tmp/*.deb
  cp "$debs"/*.deb "$root/var/tmp"
  step "what the packages depend on" prepare_clean "$root"
  step "installed" check_installed "$root"
  step "the tutorial, by a user who has sudo" check_tutorial "$root"
  step "removed" check_removed "$root"
  step "services" check_services "$root"
  echo "=== Debian $release passed"
}

[ "$packages" ] || rm -rf "$folder/packages"  # of an earlier run
for release in "${releases[@]}"; do check_release "$release"; done
