# shellcheck shell=bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Part of the launcher of a source tree: packages of this system, by the table cmake/packages.txt.

table=$top/cmake/packages.txt
headers_folder=$build/packages

# Groups of the words of `./wimax setup`. "bench" is what ./wimax bench and ./wimax up install.
bench_groups=(run build headers)
tools_groups=("${bench_groups[@]}" tools)
build_groups=("${tools_groups[@]}" module all plots)
test_groups=("${build_groups[@]}" radio grc campaign package fpga count reference test)
groups_of() {
  case $1 in
    run) echo run plots radio campaign ;;
    build) echo "${build_groups[@]}" ;;
    test|all) echo "${test_groups[@]}" ;;
    fpga) echo "${bench_groups[@]}" fpga ;;
    bench) echo "${bench_groups[@]}" ;;
    grc) echo "${build_groups[@]}" grc ;;
    package) echo "${build_groups[@]}" package ;;
    *) return 1 ;;
  esac
}

# Sets `column` (0: a system that the table does not have), `system`, `system_name`, `manager` and `tried`.
find_system() {
  [ -z "${system:-}" ] || return 0
  local os words i wanted
  # The file is shell text by its definition.
  # shellcheck disable=SC1090
  mapfile -t os < <(. "${WIMAX_OS_RELEASE:-/etc/os-release}" 2>/dev/null
    printf '%s\n' "${ID:-unknown}-${VERSION_ID:-}" "${ID:-unknown}" "${UBUNTU_CODENAME:-${DEBIAN_CODENAME:-${VERSION_CODENAME:-}}}" "${PRETTY_NAME:-an unknown system}")
  system_name=${os[3]:-an unknown system} column=0 manager='' tried=no
  while read -ra words; do
    for ((i = 1; i < ${#words[@]}; i++)); do
      case ${words[0]} in
        system) for wanted in "${os[@]:0:2}"; do [ "${words[i]}" != "$wanted" ] || column=$i; done ;;
        codename) [ "$column" != 0 ] || [ "${words[i]}" = - ] || [ "${words[i]}" != "${os[2]:-}" ] || column=$i ;;
        manager) [ "$i" != "$column" ] || manager=${words[i]} ;;
        tried) [ "$i" != "$column" ] || tried=${words[i]} ;;
      esac
    done
  done <"$table"
  system=${os[0]}
}

# packages_of GROUP... - names in this system, one per line
packages_of() {
  find_system
  local words name group
  while read -ra words; do
    for group; do
      [ "${words[0]:-}" = "$group" ] || continue
      name=${words[column]}
      [ "$name" != = ] || name=${words[1]}
      [ "$name" = - ] || printf '%s\n' "$name"
    done
  done <"$table"
}

# missing_packages GROUP... - of a system with apt. Those of group headers are there, too, when they are unpacked.
missing_packages() {
  local p group names installed
  for group; do
    mapfile -t names < <(packages_of "$group")
    [ ${#names[@]} -gt 0 ] || continue
    installed=$'\n'$(dpkg-query -W -f='${db:Status-Status} ${Package}\n' "${names[@]}" 2>/dev/null)$'\n' || true
    for p in "${names[@]}"; do
      if [[ $installed == *$'\n'"installed $p"$'\n'* ]]; then continue; fi
      if [ "$group" = headers ] && [ -e "$headers_folder/$p" ]; then continue; fi
      printf '%s\n' "$p"
    done
  done
}

# What CMake looks for: a person installs these where this script cannot.
needed_libraries='
  to build     GCC 12 or later, CMake 3.22 or later, Ninja, pkg-config, protoc
  libraries    GNU Radio 3.10, UHD 4, VOLK, FFTW 3 (fftw3f), liquid-dsp, GMP, Boost, spdlog, fmt, ZeroMQ (libzmq, cppzmq), Protobuf,
               libdeflate, OpenSSL 3, yaml-cpp, CLI11, nlohmann_json, tl-expected, libsndfile
  Python       pybind11, for the modules wimax and gnuradio.wimax
  tests        GoogleTest (GTest); Verilator, Icarus Verilog and Yosys for the FPGA cores
  Python 3.11  numpy, pyzmq, PyYAML, dpkt, prometheus_client, tornado, ruamel.yaml, cryptography, supervisor; matplotlib, scipy, jinja2
  programs     iperf3, tcpdump, ip (iproute2), ping, ps (procps)'
container_lines='
  podman build -t wimax -f cmake/Containerfile .
  podman run --rm --cap-add NET_ADMIN,NET_RAW,SYS_ADMIN --device /dev/net/tun wimax bench --duration 2'

# Why setup installs nothing on this system, and what a person can type.
explain_by_hand() {
  local names
  if [ "$tried" = old ]; then
    say "setup: '$system_name' is not supported: its Python, compiler or libraries are too old. Run a Debian container:$container_lines"
    return
  fi
  case $manager in
    '') say "setup: '$system_name' is not in the table of systems (cmake/packages.txt)" ;;
    apt) say "setup: dpkg-query and apt-get were not found" ;;
    *) say "setup: the package names of '$system_name' have not been tried yet. They may be:"
      mapfile -t names < <(packages_of "$@" | sort -u)
      case $manager in
        dnf) say "  sudo dnf install ${names[*]}" ;;
        pacman) say "  sudo pacman -S --needed ${names[*]}" ;;
      esac ;;
  esac
  say "Install these by hand, then type: ./wimax build$needed_libraries"
  say "Or run a Debian container:$container_lines"
}

has_apt() { find_system; [ "$manager" = apt ] && [ "$tried" != old ] && command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; }
may_install() { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; }

# needs REASON GROUP... - installs what is missing. Where setup knows nothing, CMake decides whether the libraries are there.
needs() {
  local reason=$1 group missing headers=() others=(); shift
  if ! has_apt; then
    command -v cmake >/dev/null && command -v ninja >/dev/null && return 0
    explain_by_hand "$@"
    exit 1
  fi
  mapfile -t missing < <(missing_packages "$@")
  [ ${#missing[@]} -gt 0 ] || return 0
  if [[ " $* " == *" headers "* && " $* " != *" module "* ]]; then
    mapfile -t headers < <(missing_packages headers)
    for group; do [ "$group" = headers ] || others+=("$group"); done
    mapfile -t missing < <(missing_packages "${others[@]}")
  fi
  [[ " ${missing[*]} " != *" gnuradio "* ]] || mapfile -t -O ${#missing[@]} missing < <(missing_packages terminal)
  install_packages "$reason"
}

# wants REASON GROUP... - as needs, where something can be installed. Programs in Python report what they lack.
wants() { if has_apt && may_install; then needs "$@"; fi; }

megabytes() { printf '%d' $((($1 + 500000) / 1000000)); }

# Prints the groups' size and reason, then one line of progress. Of apt's output only what explains a failure is shown.
install_packages() {
  local root=() log uris octets=0 count=0 word disk='' begin=$SECONDS
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || die "setup needs root: run as root, or install sudo. Missing: ${missing[*]}${headers[*]:+ ${headers[*]}}"
    root=(sudo)
  fi
  [ "$tried" = yes ] || say "setup: the package names of $system_name have not been tried yet"
  log=$(mktemp "${TMPDIR:-/tmp}/wimax-setup.XXXXXX")
  say "setup: reading the lists of packages"
  "${root[@]}" env LC_ALL=C apt-get update -q >"$log" 2>&1 || apt_failed "$log"
  uris=$(LC_ALL=C; export LC_ALL
    apt-get install --print-uris -y -q --no-install-recommends "${missing[@]}" 2>&1 &&
      { [ ${#headers[@]} = 0 ] || apt-get download --print-uris "${headers[@]}" 2>&1; }) || { printf '%s\n' "$uris" >"$log"; apt_failed "$log"; }
  while read -r word _ size _; do
    [[ $word == "'"* ]] && octets=$((octets + size)) count=$((count + 1))
  done <<<"$uris"
  if [[ $uris =~ "After this operation, "([0-9.,]+\ [kMG]?B) ]]; then disk=", ${BASH_REMATCH[1]} on disk"; fi
  say "setup: $count packages for $1: $(megabytes "$octets") MB to download$disk"
  if [ ${#missing[@]} -gt 0 ]; then
    # sudo closes other descriptors than the first three: apt reports its progress on standard output.
    # shellcheck disable=SC2016
    "${root[@]}" env DEBIAN_FRONTEND=noninteractive LC_ALL=C sh -c 'exec apt-get "$@" 3>&1 >&2' apt-get install -y -q --no-install-recommends \
      -o DPkg::Lock::Timeout=120 -o APT::Status-Fd=3 "${missing[@]}" 2>"$log" </dev/null | show_progress || apt_failed "$log"
  fi
  [ ${#headers[@]} = 0 ] || unpack_headers "${headers[@]}" >"$log" 2>&1 || apt_failed "$log"
  rm -f "$log"
  say "setup: done in $((SECONDS - begin)) s"
}

# Reads apt's status lines "pmstatus:PACKAGE:PERCENT:TEXT" (PACKAGE may be NAME:ARCHITECTURE) and "dlstatus:NUMBER:PERCENT:TEXT".
# Prints a line that is overwritten on a terminal; elsewhere a line for each quarter.
show_progress() {
  local line doing name percent quarter last=''
  while read -r line; do
    [[ $line =~ ^(dl|pm)status:([^ ]*):([0-9]+)(\.[0-9]+)?: ]] || continue
    doing=installing name=${BASH_REMATCH[2]%%:*} percent=${BASH_REMATCH[3]}
    if [ "${BASH_REMATCH[1]}" = dl ]; then doing=downloading name=''; fi
    if [ -t 2 ]; then
      printf '\r\033[Ksetup: %s %3d %% %s' "$doing" "$percent" "$name" >&2
    else
      quarter=$doing$((percent / 25))
      [ "$quarter" = "$last" ] || say "setup: $doing $percent %"
      last=$quarter
    fi
  done
  [ ! -t 2 ] || printf '\r\033[K' >&2
}

apt_failed() {
  say "setup: apt failed:"
  grep -E '^(E|W|Err|dpkg):?' "$1" >&2 || cat "$1" >&2
  die "the whole output of apt is in $1"
}

# unpack_headers PACKAGE... - into the build folder
unpack_headers() {
  mkdir -p "$headers_folder/.deb"
  local p
  for p; do
    (cd "$headers_folder/.deb" && apt-get download "$p") && dpkg-deb -x "$headers_folder/.deb/$p"_*.deb "$headers_folder" && touch "$headers_folder/$p" || return 1
  done
  rm -rf "$headers_folder/.deb"
}

# CMake's options to find GNU Radio where its headers are unpacked. The folder then needs the names of the libraries, too.
unpacked_options() {
  local config libraries file
  for config in "$headers_folder"/usr/lib/*/cmake/gnuradio; do
    [ -d "$config" ] || return 0
    libraries=${config%/cmake/gnuradio}
    if [ -d "/${config#"$headers_folder/"}" ] && [ "$(cached Gnuradio_DIR)" != "$config" ]; then return 0; fi
    for file in "/${libraries#"$headers_folder/"}"/libgnuradio-*.so.*; do
      [ ! -e "$file" ] || ln -sfn "$(readlink -f "$file")" "$libraries/${file##*/}"
    done
    printf -- '-DGnuradio_DIR=%s\n' "$config"
  done
}

# ./wimax setup [GROUP...]
setup() {
  local word words=() groups=()
  for word in "${@:-build}"; do
    groups_of "$word" >/dev/null || refuse "setup: '$word' is not a group; allowed: run, build, test, fpga, all (also bench, grc, package)"
    read -ra words < <(groups_of "$word")
    groups+=("${words[@]}")
  done
  has_apt || { explain_by_hand "${groups[@]}"; exit 1; }
  mapfile -t words < <(missing_packages "${groups[@]}")
  if [ ${#words[@]} = 0 ]; then
    mapfile -t words < <(packages_of "${groups[@]}" | sort -u)
    say "setup: all ${#words[@]} packages of '${*:-build}' are there"
  else
    needs "./wimax setup ${*:-build}" "${groups[@]}"
  fi
}
