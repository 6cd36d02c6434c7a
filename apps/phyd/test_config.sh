#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_config.sh PHYD FILE: FILE is accepted, and differs from the reference only in the station's names. A folder in its
# place and invalid addresses are refused by name. A missing device is no fault, but reported.
set -euo pipefail
"$1" --config "$2" --dry-run >/dev/null
own='^role: |^  (device|endpoint|tx_enable|max_power_dbm): |^# Every key'
rest() { sed '/^  allowed_bands:/,/^  [^ #]*:\|^  # at the/{/^  # at the/!d}' | grep -vE "$own"; }
diff <("$1" --role bs --write-reference | rest) <(rest <"$2")
[[ $("$1" --config "$2" --dry-run) == *"transmitter: on, in 3400 .. 3600 MHz, up to 36 dBm"* ]]
"$1" --role bs --device type=vrf,name=bs --dry-run | grep -q "the virtual radio, which is not asked"
"$1" --role bs --device type=b200,serial=none --dry-run | grep -q "not found; 'uhd_find_devices' lists what is there"
refused() {
  local word=$1 words; shift
  words=$("$phyd" "$@" 2>&1) && return 1
  [ $? = 2 ] && [[ $words == *"$word"* ]]
}
phyd=$1
refused --config --config /
refused "sap.endpoint: " --role bs --sap nowhere
refused "control.endpoint: " --role bs --sap ipc://"$(mktemp -u)" --control ipc:///proc/none
