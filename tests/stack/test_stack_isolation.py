# SPDX-License-Identifier: GPL-3.0-or-later
"""Six of eight stations get far more than the downlink carries: the two others must not notice. Packets go through the kernel,
and are due by simulated time."""
import subprocess
import sys
import time

LOADED, IDLE = 6, 2
PACKET_OCTETS, PACKETS_PER_S = 500, 1200  # of each loaded station
AT_ONCE = 400   # packets a look at the clock; beyond, the load is late rather than the interface's queue full
PINGS = 60      # to each idle station
SHARE = 0.9     # of a sixth of the limit; 0.96 is usual


def _load_main(endpoint, *addresses):
    """Until killed: UDP packets to the addresses in turn."""
    import socket

    import zmq

    from wimax_tools.bench.stack import ask

    context, sock = zmq.Context(), socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    payload = bytes(PACKET_OCTETS - 28)
    last, owed, turn = None, 0.0, 0
    while True:
        now = ask(context, endpoint, {"get": "status"}, 10_000)["status"]["time_s"]
        owed = min(AT_ONCE, owed + (now - (now if last is None else last)) * PACKETS_PER_S * len(addresses))
        last = now
        for _ in range(int(owed)):
            sock.sendto(payload, (addresses[turn % len(addresses)], 5001))
            turn += 1
        owed -= int(owed)
        time.sleep(0.001)


if __name__ == "__main__" and sys.argv[1:2] == ["load"]:
    _load_main(*sys.argv[2:])

import unittest  # noqa: E402

from wimax_tools.bench.traffic import in_namespace, ping  # noqa: E402
from support import StackCase, needs_root  # noqa: E402


@needs_root
class Isolation(StackCase):
    def test_overloaded_stations_cost_the_idle_ones_no_ping(self):
        stack = self.stack(stations=LOADED + IDLE, mode="free")
        stack.start()
        stack.wait_for_entry()
        loaded = [stack.ss_address(i) for i in range(LOADED)]
        load = subprocess.Popen(in_namespace(stack.bs_netns, sys.executable, __file__, "load", stack.control("channeld"), *loaded))
        self.addCleanup(load.wait)
        self.addCleanup(load.kill)

        def downlink():
            stations = stack.answer("bs.macd")["station"]["stations"]
            return {s["mac"]: s["dl"] for s in stations}

        macs = [stack.mac_address(i) for i in range(LOADED + IDLE)]
        self.wait_until(stack, "no overload", lambda: all(downlink()[mac]["dropped"] > 0 for mac in macs[:LOADED]))
        dropped, delivered = downlink(), stack.delivered("downlink")
        gap_s = stack.profile.frame_s / stack.recent_factor()
        for i in range(LOADED, LOADED + IDLE):
            self.assertEqual(ping(stack.bs_netns, stack.ss_address(i), PINGS, gap_s)["lost"], 0, f"of station {i + 1}")
        self.assertIsNone(load.poll(), "the load has ended")
        share_kbps = stack.capacity_kbps()["downlink"] * (LOADED + IDLE) / LOADED
        for mac, before, after in zip(macs[:LOADED], delivered, stack.delivered("downlink")):
            time_s, octets = after.simulated_s - before.simulated_s, after.octets - before.octets
            lost = PACKET_OCTETS * (downlink()[mac]["dropped"] - dropped[mac]["dropped"])
            self.assertGreater(8e-3 * (octets + lost) / time_s, 2 * share_kbps, f"offered to {mac}")
            self.assertGreater(8e-3 * octets / time_s, SHARE * share_kbps, f"delivered to {mac}")
        for mac in macs[LOADED:]:
            self.assertEqual(downlink()[mac]["dropped"], 0, f"of {mac}")


if __name__ == "__main__":
    unittest.main()
