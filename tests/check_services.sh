#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Run by check_packages.sh in a root that has booted: the units of the packages in /var/tmp, from installation to removal.
set -euo pipefail
export PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive

units=(wimax-channeld wimax-metrics wimax-phyd@bs wimax-phyd@ss wimax-macd@bs wimax-macd@ss)
run=/run/wimax-units
wrong() { echo "WRONG: $*"; journalctl --no-pager -q -u 'wimax-*' | tail -30; exit 1; }

running() { for unit in "${units[@]}"; do systemctl is-active --quiet "$unit" || wrong "$unit does not run"; done; }

# Each program has the user of the units, and the capabilities that it needs: CAP_NET_ADMIN (bit 12) and CAP_SYS_ADMIN (bit 21) for the MAC.
rights() {
  local unit status wanted uid
  uid=$(id -u wimax)
  for unit in "${units[@]}"; do
    status=/proc/$(systemctl show -P MainPID "$unit")/status
    case $unit in *macd@*) wanted=0000000000201000 ;; *) wanted=0000000000000000 ;; esac
    grep -Eq "^Uid:(\s$uid){4}$" "$status" || wrong "$unit: $(grep Uid "$status"), user wimax is $uid"
    for kind in Inh Prm Eff Bnd Amb; do grep -Eq "^Cap$kind:\s$wanted$" "$status" || wrong "$unit: $(grep "Cap$kind" "$status"), expected $wanted"; done
    grep -Eq '^NoNewPrivs:\s1$' "$status" || wrong "$unit may get new privileges"
  done
  echo "user wimax; capabilities: those of interfaces and namespaces for the MAC, none for the others"
}

# without CAPABILITY - a MAC that lacks it does not start, and reports what it lacks
without() {
  local kept=CAP_NET_ADMIN said
  if [ "$1" = CAP_NET_ADMIN ]; then kept=CAP_SYS_ADMIN; fi
  said=$(timeout 20 systemd-run --quiet --wait --pipe -p User=wimax -p CapabilityBoundingSet=$kept -p AmbientCapabilities=$kept -p Environment=WIMAX_RUN=$run \
    /usr/bin/wimax-macd --config /etc/wimax/bs.macd.yml --set tun.netns=wimax-try --set tun.name=try0 --set 'sap.endpoint=ipc://{run}/try.sap' --set 'control.endpoint=ipc://{run}/try.ctl' 2>&1) && wrong "the MAC starts without $1"
  ip netns delete wimax-try 2>/dev/null || true
  grep -q "Missing right" <<<"$said" || wrong "without $1: $said"
  echo "without $1 the MAC does not start"
}

# owned PATH USER:MODE
owned() { [ "$(stat -c %U:%a "$1")" = "$2" ] || wrong "$1: $(stat -c %U:%a "$1"), expected $2"; }

# Folders belong to the user of the units. Programs and tools refuse those of other users, in both directions.
folders() {
  owned $run wimax:755
  owned /var/lib/wimax wimax:750
  owned /run/netns root:1775
  owned $run/bs.macd.ctl.lock wimax:600
  runuser -u wimax -- wimax stations list | grep -q operational || wrong "the user of the units sees no station"
  if said=$(WIMAX_RUN=$run wimax stations list 2>&1); then wrong "root uses sockets of user wimax"; fi
  grep -q "belongs to user" <<<"$said" || wrong "root: $said"
  install -d -m 755 -o reader /run/readers
  if said=$(runuser -u wimax -- env WIMAX_RUN=/run/readers wimax-channeld --config /etc/wimax/channeld.yml 2>&1); then wrong "a folder of another user is used"; fi
  grep -q "belongs to user" <<<"$said" || wrong "folder of another user: $said"
  rm -r /run/readers
  echo "folders of the units belong to user wimax; folders of others are refused"
}

# Privacy with keys in /etc/wimax: a private key that belongs to root is refused, one of user wimax is used.
privacy() {
  local keys=/etc/wimax/keys station=/etc/wimax/keys/stations/02-00-00-00-00-01
  (cd /etc/wimax && wimax keys ca && wimax keys station 02:00:00:00:00:01) >/dev/null
  chmod go+rX -R $keys
  chmod 600 $station.key $keys/ca.key
  cp -a /etc/wimax/bs.macd.yml /etc/wimax/ss.macd.yml /root
  sed -i "s|^role: bs|&\nprivacy: {policy: required, authorities: $keys/ca.pem, revoked: $keys/revoked.pem}|" /etc/wimax/bs.macd.yml
  sed -i "s|^role: ss|&\nprivacy: {policy: required, authorities: $keys/ca.pem, certificate: $station.pem, private_key: $station.key}|" /etc/wimax/ss.macd.yml
  systemctl restart wimax-macd@bs wimax-macd@ss
  sleep 1
  if systemctl is-active --quiet wimax-macd@ss; then wrong "the private key of root is used"; fi
  journalctl -q -u wimax-macd@ss | grep -q "$station.key" || wrong "the private key of root is not reported"
  chown wimax $station.key
  systemctl restart wimax-macd@ss
  running
  answers "privacy, key of user wimax"
  runuser -u wimax -- wimax ctl ss get status.station.privacy | grep -q aes || wrong "no privacy: $(runuser -u wimax -- wimax ctl ss get status.station.privacy)"
  mv /root/bs.macd.yml /root/ss.macd.yml /etc/wimax
  rm -r $keys
  systemctl restart wimax-macd@bs wimax-macd@ss
  answers "without privacy"
}

# The same packages with a higher version, installed over those that run: changed files stay, units restart, stations enter again.
upgrade() {
  local deb before
  before=$(systemctl show -P MainPID wimax-macd@bs)
  echo '# changed by the operator' >>/etc/wimax/bs.macd.yml
  mkdir /root/next
  for deb in /var/tmp/*.deb; do
    dpkg-deb -R "$deb" /root/next/files
    sed -i -E 's/^Version: .*/&.1/; s/(\(= [^)]*)\)/\1.1)/' /root/next/files/DEBIAN/control
    dpkg-deb -b /root/next/files "/root/next/$(basename "$deb")" >/dev/null
    rm -r /root/next/files
  done
  apt-get install -y -qq --no-install-recommends /root/next/*.deb >/dev/null
  rm -r /root/next
  grep -q '^# changed by the operator' /etc/wimax/bs.macd.yml || wrong "the upgrade replaced a changed file"
  dpkg-query -W -f '${Version}\n' wimax | grep -q '\.1$' || wrong "not upgraded: $(dpkg-query -W wimax)"
  running
  [ "$(systemctl show -P MainPID wimax-macd@bs)" != "$before" ] || wrong "the upgrade did not restart the units"
  answers "upgraded"
  wimax doctor | grep -A1 FAULT || true
  runuser -u wimax -- wimax stations list | grep -q operational || wrong "no station after the upgrade"
}

answers() {  # until a ping does, for 30 s at most: stations enter the network first
  for _ in $(seq 30); do
    if ip netns exec wimax-bs ping -q -c 1 -W 1 10.1.0.2 >/dev/null 2>&1; then echo "$1: the station answers"; return; fi
  done
  echo "$1: no answer"
  journalctl --no-pager -u 'wimax-*' | tail -40
  exit 1
}

# udev gives every user access to this device. In the container no program does.
mknod -m 666 /dev/tun c 10 200
mount --bind /dev/tun /dev/net/tun

apt-get install -y -qq --no-install-recommends /var/tmp/*.deb >/dev/null
systemctl enable --quiet --now wimax-channeld wimax-metrics wimax-macd@bs wimax-macd@ss
sleep 1
running
answers "started"
rights
folders
without CAP_NET_ADMIN
without CAP_SYS_ADMIN
/usr/bin/python3 -c 'import urllib.request; print(urllib.request.urlopen("http://127.0.0.1:9816/metrics").read().decode())' | grep -c '^wimax_up.* 1' | grep -x 5

systemctl kill -s KILL wimax-phyd@ss
sleep 4
running
answers "PHY killed, started again by systemd"

systemctl reload wimax-macd@bs
sleep 1
running
journalctl -q -u wimax-macd@bs | grep -o "configuration read again"

privacy
upgrade

apt-get purge -y -qq wimax gr-wimax libgnuradio-wimax >/dev/null
if pgrep wimax- || ip netns list | grep . || find /etc/systemd/system /run /var/lib -name '*wimax*' -not -path '/var/lib/dpkg/*' | grep . || getent passwd wimax; then
  wrong "left behind"
fi
owned /run/netns root:755
echo "removed: no program, namespace, unit, folder or user is left"
