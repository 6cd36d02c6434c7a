# SPDX-License-Identifier: GPL-3.0-or-later
"""Ethernet over TAP, end to end: ping and its ARP, and frames with a VLAN's tag in a flow of their own. The tags are written and read by
packet sockets, so that no VLAN interface of the kernel is needed."""
import json
import subprocess
import sys
import unittest

from support import StackCase, needs_root
from wimax_tools.bench.traffic import in_namespace

PROBES, TAGGED = 20, 25
VLAN, PRIORITY, ETHERTYPE = 7, 5, 0x88B5
SEND = f"""
import socket, sys
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
s.bind((sys.argv[1], 0))
tag = bytes([0x81, 0x00, {PRIORITY} << 5, {VLAN}, {ETHERTYPE} >> 8, {ETHERTYPE} & 255])
for number in range({TAGGED}):
    s.send(b"\\xff" * 6 + s.getsockname()[4] + tag + bytes([number]) * 400)
"""
RECEIVE = f"""
import json, socket, struct, sys
SOL_PACKET, PACKET_AUXDATA, ALL = 263, 8, 3  # sockets of one protocol get frames when the kernel has forgotten their tags
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ALL))
s.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
s.bind((sys.argv[1], ALL))
s.settimeout(20)
print("ready", flush=True)
found = []
while len(found) < {TAGGED}:
    frame, control, _, _ = s.recvmsg(2000, 100)
    for level, kind, data in control:
        if (level, kind) == (SOL_PACKET, PACKET_AUXDATA) and frame[12:14] == bytes([{ETHERTYPE} >> 8, {ETHERTYPE} & 255]):
            found.append([len(frame), frame[14], struct.unpack("=IIIHHHH", data[:20])[5]])
print(json.dumps(found))
"""


def flow(name, direction, cs, rules=()):
    return {"name": name, "direction": direction, "cs": cs, "rules": list(rules)}


@needs_root
class Ethernet(StackCase):
    def started(self):
        base = {"classifier_rules": [{"name": "seven", "priority": 3, "vlan_id": VLAN, "user_priority": f"{PRIORITY}-7"}],
                "service_flows": [flow("all-down", "downlink", "ethernet"), flow("all-up", "uplink", "ethernet"),
                                  flow("seven-down", "downlink", "vlan", ["seven"]), flow("seven-up", "uplink", "vlan", ["seven"])],
                "stations": [{"mac": "02:00:00:00:00:01", "name": "ss1", "flows": ["all-down", "all-up", "seven-down", "seven-up"]}]}
        stack = self.stack(macd_extra={"bs": {"bs": base, "tun": {"kind": "ethernet"}}, "ss1": {"tun": {"kind": "ethernet"}}})
        stack.start()
        stack.wait_for_entry()
        return stack

    def tagged(self, stack, source, sink):
        """(length, first octet, tag) of each frame that arrives."""
        python = ["ip", "netns", "exec", stack.netns(sink), sys.executable, "-c", RECEIVE, f"wimax-{sink}"]
        receiver = subprocess.Popen(python, stdout=subprocess.PIPE, text=True)
        self.addCleanup(receiver.stdout.close)
        self.addCleanup(receiver.kill)
        self.assertEqual(receiver.stdout.readline(), "ready\n")
        subprocess.run(in_namespace(stack.netns(source), sys.executable, "-c", SEND, f"wimax-{source}"), check=True)
        return json.loads(receiver.communicate(timeout=60)[0])

    def test_ping_and_tagged_frames_both_ways(self):
        stack = self.started()
        for namespace, address in ((stack.bs_netns, "10.16.0.2"), (stack.netns("ss1"), "10.16.0.1")):
            done = subprocess.run(in_namespace(namespace, "ping", "-c", PROBES, "-i", 0.05, "-s", 1400, "-W", 5, address),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertIn(f"{PROBES} packets transmitted, {PROBES} received", done.stdout)
        for source, sink in (("bs", "ss1"), ("ss1", "bs")):
            self.assertEqual(self.tagged(stack, source, sink), [[414, number, PRIORITY << 13 | VLAN] for number in range(TAGGED)], source)
        flows = {f["name"]: f["sdus"] for f in stack.answer("ss1.macd")["station"]["flows"]}
        self.assertEqual({flows["seven-down"], flows["seven-up"]}, {TAGGED}, flows)
        self.assertGreaterEqual(min(flows["all-down"], flows["all-up"]), 2 * PROBES)


if __name__ == "__main__":
    unittest.main()
