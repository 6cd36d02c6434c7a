# SPDX-License-Identifier: GPL-3.0-or-later
"""IP multicast over TUN, end to end: three stations at different rates have joined a group by the kernel's sockets, and share a
service flow; what the base station's side sends to the group is on the air once."""
import json
import subprocess
import sys
import unittest

from support import StackCase, needs_root
from wimax_tools.bench.traffic import in_namespace

GROUP, OTHER_GROUP, PORT, PACKETS, OCTETS = "239.16.1.1", "239.16.1.2", 5240, 100, 900
RATES = (6, 3, 1)
SEND = f"""
import socket, struct, sys, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, struct.pack("=4s4si", bytes(4), bytes(4), socket.if_nametoindex(sys.argv[1])))
for number in range({PACKETS}):
    s.sendto(number.to_bytes(4, "big") * ({OCTETS} // 4), ("{GROUP}", {PORT}))
    s.sendto(bytes(100), ("{OTHER_GROUP}", {PORT}))
    time.sleep(0.03)  # a seventh of what QPSK 1/2 carries in real time: the machine may be slower
"""
RECEIVE = f"""
import json, socket, struct, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("{GROUP}", {PORT}))
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP,
             struct.pack("=4s4si", socket.inet_aton("{GROUP}"), bytes(4), socket.if_nametoindex(sys.argv[1])))
s.settimeout(20)
print("ready", flush=True)
found = []
while len(found) < {PACKETS}:
    packet = s.recv(2000)
    found.append([int.from_bytes(packet[:4], "big"), len(packet)])
s.settimeout(0.5)
try:
    found.append(len(s.recv(2000)))  # a copy too many
except TimeoutError:
    pass
print(json.dumps(found))
"""


@needs_root
class Multicast(StackCase):
    def started(self):
        flows = [{"name": "down", "direction": "downlink"}, {"name": "up", "direction": "uplink"},
                 {"name": "news", "direction": "downlink", "multicast": True, "rules": ["group"]}]
        base = {"classifier_rules": [{"name": "group", "destination": [f"{GROUP}/32"]}], "service_flows": flows,
                "stations": [{"mac": f"02:00:00:00:00:{i + 1:02x}", "name": f"ss{i + 1}", "ip_addresses": [f"10.16.0.{i + 2}/32"],
                              "dl_rate_id": rate, "flows": ["down", "up", "news"]} for i, rate in enumerate(RATES)]}
        stack = self.stack(stations=len(RATES), macd_extra={"bs": {"bs": base}})
        stack.start()
        stack.wait_for_entry()
        return stack

    def connection(self, stack):
        (connection,) = stack.answer("bs.macd")["station"]["multicast"]
        return connection

    def test_a_group_gets_each_packet_once(self):
        stack = self.started()
        self.wait_until(stack, "members", lambda: self.connection(stack)["listeners"] == len(RATES))
        self.assertEqual(self.connection(stack)["dl_rate_id"], min(RATES))
        receivers = []
        for site in stack.sites[1:]:
            receiver = subprocess.Popen(in_namespace(stack.netns(site), sys.executable, "-c", RECEIVE, f"wimax-{site}"),
                                        stdout=subprocess.PIPE, text=True)
            self.addCleanup(receiver.stdout.close)
            self.addCleanup(receiver.kill)
            self.assertEqual(receiver.stdout.readline(), "ready\n")
            receivers.append(receiver)
        before = self.connection(stack)
        subprocess.run(in_namespace(stack.bs_netns, sys.executable, "-c", SEND, "wimax-bs"), check=True)
        for receiver in receivers:
            self.assertEqual(json.loads(receiver.communicate(timeout=60)[0]), [[number, OCTETS] for number in range(PACKETS)])
        after = self.connection(stack)
        self.assertEqual(after["sdus"] - before["sdus"], PACKETS)
        self.assertEqual(after["bytes"] - before["bytes"], PACKETS * (OCTETS + 28))
        self.assertEqual(after["dropped"] + after["dropped_unheard"], 0)
        # A copy at QPSK 1/2, with a PDU's header and CRC and what fragments add.
        self.assertLess(after["symbols"] - before["symbols"], 1.05 * PACKETS * (OCTETS + 28 + 10) / 24)


if __name__ == "__main__":
    unittest.main()
