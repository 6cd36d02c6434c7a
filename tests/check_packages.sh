#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages on a clean Debian 12: builds them, installs them with apt in a root of its own, runs version, doctor and bench
# there, removes them, and looks for what is left. Then boots that root and runs the units: traffic, a killed PHY, removal.
# As root, with debootstrap and systemd-container; needs a network and 4 GB.
#   tests/check_packages.sh [FOLDER]     # for the root; kept and used again if it is named
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
root=${1:-$(mktemp -d /var/tmp/wimax-root.XXXX)}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
[ "$(id -u)" = 0 ] || { echo "check_packages: as root" >&2; exit 2; }

services() {
  echo "== services"
  cp "$top/tests/check_services.sh" "$root/var/tmp"
  cat >"$root/etc/systemd/system/check.service" <<'E'
[Service]
ExecStart=/bin/bash -c '/var/tmp/check_services.sh >/var/tmp/services.log 2>&1; echo $? >/var/tmp/services.status; systemctl poweroff'
E
  mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
  ln -sf ../check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
  rm -f "$root/var/tmp/services.status" "$root/var/tmp/services.log"
  timeout 120 systemd-nspawn --quiet --boot --directory="$root" --keep-unit --register=no --capability=all --bind=/dev/net/tun >/dev/null 2>&1 || true
  cat "$root/var/tmp/services.log"
  [ "$(cat "$root/var/tmp/services.status")" = 0 ] || { echo "the services failed" >&2; return 1; }
}

# Mounts are seen by nobody else, and are gone at the end.
if [ -z "${WIMAX_MOUNTS:-}" ]; then
  mkdir -p "$root"
  nice "$top/wimax" package 2>/dev/null
  [ -f "$root/etc/debian_version" ] || debootstrap --variant=minbase bookworm "$root" "$mirror" | tail -1
  status=0
  WIMAX_MOUNTS=own unshare -m "$0" "$root" && services || status=$?
  [ $# -gt 0 ] || rm -rf --one-file-system "$root"
  exit $status
fi

mount --rbind "$root" "$root"  # a mount point, or `ip netns` could not make its folder a shared mount
for folder in dev proc sys; do mount --rbind /$folder "$root/$folder"; done
mount -t tmpfs tmpfs "$root/run"
echo 'Dpkg::Use-Pty "0";' >"$root/etc/apt/apt.conf.d/90quiet"
cp /etc/resolv.conf "$root/etc/resolv.conf"
rm -f "$root"/var/tmp/*.deb
cp "$top"/build-package/*wimax_*.deb "$root/var/tmp"

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 "$@"; }
# Every file, link and folder but those that programs make as they run
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var -o -path ./root \) -prune -o -print | sort); }

# What the packages depend on is installed first, so that nothing but they makes the difference.
inside apt-get update -qq
inside apt-get purge -y -qq wimax gr-wimax >/dev/null 2>&1 || true  # of a run that failed
inside apt-get install -y -qq --no-install-recommends systemd man-db uhd-host >/dev/null
needed=$(for package in "$root"/var/tmp/*.deb; do dpkg-deb -f "$package" Depends | tr ',' '\n'; done | sed 's/^ *//; s/ .*//' | sort -u | grep -vx gr-wimax)
# shellcheck disable=SC2086
inside apt-get install -y -qq --no-install-recommends $needed >/dev/null
files >"$root/var/tmp/before"

echo "== installed"
inside bash -c 'apt-get install -y -qq --no-install-recommends /var/tmp/*.deb' | tail -3
files | comm -13 "$root/var/tmp/before" - | wc -l
inside wimax version
inside wimax doctor
inside man wimax-phyd | sed -n 1,4p
inside bash -c 'systemd-analyze verify /usr/lib/systemd/system/wimax-channeld.service /usr/lib/systemd/system/wimax-metrics.service /usr/lib/systemd/system/wimax-phyd@.service /usr/lib/systemd/system/wimax-macd@.service'
inside /usr/bin/python3 -c 'from gnuradio import wimax; print(wimax.__file__)'
# Every module of the package finds what it imports, but for what is recommended only.
inside env PYTHONPATH=/usr/share/wimax/python /usr/bin/python3 -B - <<'E'
import importlib, pkgutil
missing = {}
for module in pkgutil.walk_packages(["/usr/share/wimax/python"]):
    try:
        module.name.endswith("__main__") or importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing[module.name] = error.name
print("modules that miss something:", missing)
assert set(missing.values()) <= {"dask", "distributed"}
E
inside uhd_find_devices --args=type=vrf | grep -A4 "Device Address"
inside wimax bench --duration 1
inside wimax up
sleep 4
inside wimax status
inside wimax down

echo "== removed"
inside apt-get purge -y -qq wimax gr-wimax | tail -3
files >"$root/var/tmp/after"
remains=$(find "$root/run" -name 'wimax*' -o -path '*/netns/*'; diff "$root/var/tmp/before" "$root/var/tmp/after") || true
[ -z "$remains" ] || { echo "left, or missing: $remains" >&2; exit 1; }
echo "nothing is left"
