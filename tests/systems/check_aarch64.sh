#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# 64-bit ARM without such a machine: cross-builds PHY core, channel models, MAC, MAC daemon and simulator, then runs their unit tests under
# qemu-user. debootstrap fetches the libraries of the host's Debian release for arm64. Two tests took 18 and 30 times as long as on the host.
#   tests/systems/check_aarch64.sh [--root FOLDER] [--jobs N] [-- OPTIONS OF CTEST]
#     --root FOLDER  keeps libraries and build there and uses them again. Without it: in /var/tmp, removed at the end
#     --jobs N       compilers and tests at a time; default: processors
# Exit status: 0 all passed, 1 a test failed, 2 wrong options, or a program is missing. As root, on Debian 12 or 13, with a network and
# 2 GB on the disk.
set -euo pipefail
top=$(cd "$(dirname "$0")/../.." && pwd)
folder='' jobs=$(nproc)
while [ $# -gt 0 ]; do
  case $1 in
    --root) folder=${2:?--root FOLDER}; shift 2 ;;
    --jobs) jobs=${2:?--jobs N}; shift 2 ;;
    --) shift; break ;;
    -h|--help) sed -n '3,/^set/{/^set/!s/^# \{0,1\}//p}' "$0"; exit ;;
    *) echo "check_aarch64: unknown option '$1'; --help" >&2; exit 2 ;;
  esac
done
[ "$(id -u)" = 0 ] || { echo "check_aarch64: as root" >&2; exit 2; }
for program in debootstrap aarch64-linux-gnu-g++ qemu-aarch64-static cmake ninja pkg-config protoc; do
  command -v "$program" >/dev/null || { echo "check_aarch64: no $program; type: sudo apt-get install debootstrap crossbuild-essential-arm64" \
    "qemu-user-static cmake ninja-build pkg-config protobuf-compiler" >&2; exit 2; }
done
release=$(. /etc/os-release; echo "${VERSION_CODENAME:-}")
case $release in bookworm|trixie) ;; *) echo "check_aarch64: Debian 12 or 13 is needed: compiler and libraries must fit each other" >&2; exit 2 ;; esac

if [ -z "$folder" ]; then
  folder=$(mktemp -d /var/tmp/wimax-aarch64.XXXX)
  trap 'rm -rf --one-file-system "$folder"' EXIT
fi
sysroot=$folder/$release build=$folder/build
mkdir -p "$folder"

# The libraries of these components, by the table of packages: without GNU Radio, radios and FPGA.
libraries() {
  # shellcheck disable=SC2034  # read by setup.sh
  local build=$build
  . "$top/cmake/setup.sh"
  packages_of build | grep -E '^(lib(boost-filesystem|fftw3|volk|sndfile|spdlog|fmt|zmq|protobuf|deflate|ssl|yaml|cli11|expected)|cppzmq|nlohmann)'
  echo libc6-dev libgtest-dev libgmock-dev
}

# debootstrap's first stage downloads all and unpacks the smallest system; the second would run arm64 programs. dpkg-deb unpacks the rest.
if [ ! -e "$sysroot/complete" ]; then
  rm -rf --one-file-system "$sysroot"
  echo "== libraries of Debian $release for arm64"
  debootstrap --foreign --arch=arm64 --variant=minbase --include="$(libraries | xargs | tr ' ' ,)" \
    "$release" "$sysroot" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" >"$folder/debootstrap.log" 2>&1 || { tail -5 "$folder/debootstrap.log" >&2; exit 1; }
  for package in "$sysroot"/var/cache/apt/archives/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
  rm "$sysroot"/var/cache/apt/archives/*.deb
  touch "$sysroot/complete"
fi

echo "== build"
cmake -S "$top" -B "$build" -G Ninja --toolchain "$top/cmake/aarch64-linux-gnu.cmake" -D WIMAX_SYSROOT="$sysroot" -D WIMAX_TEST_TIMEOUT_S=1800 \
  -D WIMAX_COMPONENTS="gr-wimax/lib/phy;apps/common;apps/sap;apps/channel;apps/recording;apps/mac;apps/policy;apps/macd;apps/tools/cli;apps/sim" \
  >"$folder/configure.log" 2>&1 || { cat "$folder/configure.log" >&2; exit 1; }
ninja -C "$build" -j "$jobs" --quiet

echo "== tests under $(qemu-aarch64-static --version | head -1)"
# test_sim_command is a Python program that starts wimax-sim: it needs a kernel that runs arm64 programs directly.
begin=$SECONDS status=0
ctest --test-dir "$build" -j "$jobs" --output-on-failure --no-tests=error -LE 'stack|fuzz' -E '^test_sim_command$' "$@" || status=1
git -c safe.directory='*' -C "$top" log -1 --format='commit %h, %cd' --date=short
echo "aarch64, Debian $release: exit status $status, tests took $((SECONDS - begin)) s"
exit $status
