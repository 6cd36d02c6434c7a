#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# The Debian packages on a clean Debian 12: builds them, installs them with apt in a root of its own, runs version, doctor and bench
# there, types docs/tutorial.md as a user who has sudo, removes them, and looks for what is left. Then boots that root and runs the units:
# traffic, a killed PHY, removal. As root, with debootstrap and systemd-container; needs a network and 4 GB.
#   tests/check_packages.sh [FOLDER]     # for the root; kept and used again if it is named
set -euo pipefail
top=$(cd "$(dirname "$0")/.." && pwd)
. "$top/tests/clean_debian.sh"
needs debootstrap systemd-nspawn

root=${1:-$(mktemp -d /var/tmp/wimax-root.XXXX)}
if [ $# = 0 ]; then trap 'rm -rf --one-file-system "$root"' EXIT; fi
mkdir -p "$root"
nice "$top/wimax" package 2>/dev/null
make_debian "$root"
rm -f "$root"/var/tmp/*.deb
cp "$top"/build-package/*wimax_*.deb "$root/var/tmp"

# Every file, link and folder but those that programs make as they run
files() { (cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./run -o -path ./tmp -o -path ./var -o -path ./root -o -path ./home \) -prune -o -print | sort); }

# What the packages depend on is installed first, so that nothing but they makes the difference.
inside "$root" apt-get update -qq
inside "$root" apt-get purge -y -qq wimax gr-wimax >/dev/null 2>&1 || true  # of a run that failed
inside "$root" apt-get install -y -qq --no-install-recommends systemd man-db uhd-host sudo >/dev/null
needed=$(for package in "$root"/var/tmp/*.deb; do dpkg-deb -f "$package" Depends | tr ',' '\n'; done | sed 's/^ *//; s/ .*//' | sort -u | grep -vx gr-wimax)
# shellcheck disable=SC2086
inside "$root" apt-get install -y -qq --no-install-recommends $needed >/dev/null
inside "$root" bash -c 'id -u reader >/dev/null 2>&1 || useradd --create-home --shell /bin/bash reader'
echo 'reader ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/reader"
files >"$root/var/tmp/before"

echo "== installed"
inside "$root" bash -c 'apt-get install -y -qq --no-install-recommends /var/tmp/*.deb' | tail -3
files | comm -13 "$root/var/tmp/before" - | wc -l
inside "$root" wimax version
inside "$root" wimax doctor
inside "$root" man wimax-phyd | sed -n 1,4p
inside "$root" bash -c 'systemd-analyze verify /usr/lib/systemd/system/wimax-channeld.service /usr/lib/systemd/system/wimax-metrics.service /usr/lib/systemd/system/wimax-phyd@.service /usr/lib/systemd/system/wimax-macd@.service'
inside "$root" /usr/bin/python3 -c 'from gnuradio import wimax; print(wimax.__file__)'
# Every module of the package finds what it imports, but for what is recommended only.
inside "$root" env PYTHONPATH=/usr/share/wimax/python /usr/bin/python3 -B -c '
import importlib, pkgutil
missing = {}
for module in pkgutil.walk_packages(["/usr/share/wimax/python"]):
    try:
        module.name.endswith("__main__") or importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        missing[module.name] = error.name
print("modules that miss something:", missing)
assert set(missing.values()) <= {"dask", "distributed"}'
inside "$root" uhd_find_devices --args=type=vrf | grep -A4 "Device Address"
inside "$root" bash -c 'wimax bench --duration 1 && wimax up && sleep 4 && wimax status && wimax down'

echo "== the tutorial, by a user who has sudo"
rm -rf "$root/var/tmp/tutorial"
install -D -t "$root/var/tmp/tutorial/tests/stack" "$top/tests/stack/tutorial.py" "$top/tests/stack/test_stack_tutorial.py"
ln -s /usr/share/doc/wimax/docs "$root/var/tmp/tutorial/docs"
inside "$root" su --login reader --command 'cd /var/tmp/tutorial/tests/stack && WIMAX_TUTORIAL=installed python3 -B -m unittest -v test_stack_tutorial' 2>&1

echo "== removed"
inside "$root" bash -c 'wimax up && wimax down && apt-get purge -y -qq wimax gr-wimax && ! find /run -name "wimax*" -o -path "*/netns/*" | grep .' | tail -3
files >"$root/var/tmp/after"
remains=$(diff "$root/var/tmp/before" "$root/var/tmp/after") || true
[ -z "$remains" ] || { echo "left, or missing: $remains" >&2; exit 1; }
echo "nothing is left"

echo "== services"
cp "$top/tests/check_services.sh" "$root/var/tmp"
cat >"$root/etc/systemd/system/check.service" <<'E'
[Service]
ExecStart=/bin/bash -c '/var/tmp/check_services.sh >/var/tmp/services.log 2>&1; echo $? >/var/tmp/services.status; systemctl poweroff'
E
mkdir -p "$root/etc/systemd/system/multi-user.target.wants"
ln -sf ../check.service "$root/etc/systemd/system/multi-user.target.wants/check.service"
rm -f "$root/var/tmp/services.status" "$root/var/tmp/services.log"
timeout 120 bash -c '. "$0"; container "$1" --boot' "$top/tests/clean_debian.sh" "$root" >/dev/null 2>&1 || true
rm "$root/etc/systemd/system/multi-user.target.wants/check.service" "$root/etc/systemd/system/check.service"
cat "$root/var/tmp/services.log"
[ "$(cat "$root/var/tmp/services.status")" = 0 ] || { echo "the services failed" >&2; exit 1; }
