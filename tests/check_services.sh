#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run by check_packages.sh in a root that has booted: the units of the packages in /var/tmp, from installation to removal.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive

running() { for unit in wimax-channeld wimax-metrics wimax-phyd@bs wimax-phyd@ss wimax-macd@bs wimax-macd@ss; do systemctl is-active --quiet $unit; done; }

answers() {  # until a ping does, for 30 s at most: stations enter the network first
  for _ in $(seq 30); do
    if ip netns exec wimax-bs ping -q -c 1 -W 1 10.1.0.2 >/dev/null; then echo "$1: the station answers"; return; fi
  done
  echo "$1: no answer"
  journalctl --no-pager -u 'wimax-*' | tail -40
  exit 1
}

apt-get install -y -qq --no-install-recommends /var/tmp/*.deb >/dev/null
systemctl enable --quiet --now wimax-channeld wimax-metrics wimax-macd@bs wimax-macd@ss
sleep 1
running
answers "started"
ls /run/wimax
/usr/bin/python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9816/metrics").read().decode())' | grep -c '^wimax_up.* 1' | grep -x 5

systemctl kill -s KILL wimax-phyd@ss
sleep 4
running
answers "PHY killed, started again by systemd"

systemctl reload wimax-macd@bs
sleep 1
running
journalctl -q -u wimax-macd@bs | grep -o "configuration read again"

apt-get purge -y -qq wimax gr-wimax >/dev/null
if pgrep wimax- || ip netns list | grep . || ls /etc/systemd/system/multi-user.target.wants | grep wimax; then echo "left behind"; exit 1; fi
echo "removed: no program, namespace or unit is left"
