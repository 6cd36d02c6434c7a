# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by systems/check_systems.sh and check_packages.sh: a separate Debian in a folder, and commands inside.
# As root, with debootstrap and systemd-container.

# codename RELEASE - of Debian 12 or 13, as debootstrap and the mirrors name it
codename() { case $1 in 12) echo bookworm ;; 13) echo trixie ;; *) return 1 ;; esac; }

# make_debian ROOT [RELEASE] - Debian 12 or the release of that name: debootstrap's minbase, unless it is there, and what Debian's installer adds to it: resolver and the name localhost.
# $DEBIAN_MIRROR names another mirror.
make_debian() {
  [ -f "$1/etc/debian_version" ] || debootstrap --variant=minbase "${2:-bookworm}" "$1" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}" | tail -1
  chmod 755 "$1"  # mktemp leaves it to root alone
  echo 'Dpkg::Use-Pty "0";' >"$1/etc/apt/apt.conf.d/90quiet"
  cp /etc/resolv.conf "$1/etc/resolv.conf"
  # The host's certificates: behind a proxy pip needs them (inside).
  [ ! -e /etc/ssl/certs/ca-certificates.crt ] || install -D -m 644 /etc/ssl/certs/ca-certificates.crt "$1/etc/ssl/host-certificates.crt"
  printf '127.0.0.1 localhost\n::1 localhost\n' >"$1/etc/hosts"
}

# container ROOT [options of systemd-nspawn] [COMMAND...] - with its own processes, all of which end with the command; network, TUN
# and rights are the host's, its environment is not. systemd-nspawn leaves an empty folder where /run is on a disk, and reports it.
container() {
  local root=$1 name status=0; shift
  name=$(basename "$root")
  if mountpoint -q "$root/proc"; then  # systemd-nspawn would leave it, with the processes of the host
    echo "${0##*/}: $root/proc is a mount point; type: sudo umount $root/proc" >&2
    return 2
  fi
  SYSTEMD_NSPAWN_TMPFS_TMP=0 SYSTEMD_NSPAWN_API_VFS_WRITABLE=network systemd-nspawn --quiet --directory="$root" --machine="$name" --keep-unit --register=no \
    --capability=all --bind=/dev/net/tun --resolv-conf=off --timezone=off --link-journal=no "$@" \
    2> >(grep --line-buffered -v "^Attempted to remove disk file system under" >&2) || status=$?
  rmdir "/run/systemd/nspawn/propagate/$name" 2>/dev/null || true
  return $status
}

# bring_source TREE ROOT - what is committed in TREE, as /root/wimax in the root; only differences if it is there. Other users can enter it: a
# test of the whole stack runs programs as two users.
bring_source() {
  chmod o+x "$2/root"
  if [ -d "$2/root/wimax" ]; then
    git -c safe.directory='*' -C "$2/root/wimax" fetch --quiet "$1" HEAD
    git -c safe.directory='*' -C "$2/root/wimax" reset --quiet --hard FETCH_HEAD
  else
    git -c safe.directory='*' clone --quiet --no-hardlinks "$1" "$2/root/wimax"
  fi
}

# inside ROOT COMMAND... - its output and exit status are the command's.
inside() {
  local certificates=()
  [ ! -e "$1/etc/ssl/host-certificates.crt" ] || certificates=(--setenv=PIP_CERT=/etc/ssl/host-certificates.crt)
  container "$1" --as-pid2 --pipe --setenv=DEBIAN_FRONTEND=noninteractive --setenv=LC_ALL=C.UTF-8 \
    "${certificates[@]}" "${@:2}" </dev/null
}

# needs PROGRAM... - or the line to type
needs() {
  local program
  [ "$(id -u)" = 0 ] || { echo "${0##*/}: as root" >&2; exit 2; }
  for program; do
    command -v "$program" >/dev/null || { echo "${0##*/}: no $program; type: sudo apt-get install debootstrap systemd-container git binutils" >&2; exit 2; }
  done
}
