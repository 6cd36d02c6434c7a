#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# test_config.sh PHYD FILE: FILE is accepted, and differs from the reference in the station's own names only.
set -euo pipefail
"$1" --config "$2" --dry-run >/dev/null
own='^(role|sap|control): |^  device: |^# Every key'
diff <("$1" --role bs --write-reference | grep -vE "$own") <(grep -vE "$own" "$2")
