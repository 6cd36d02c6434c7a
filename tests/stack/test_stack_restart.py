# SPDX-License-Identifier: GPL-3.0-or-later
"""Any process killed with SIGKILL and started again: traffic flows again, nothing else restarts, time runs on."""
import time
import unittest

from measure import Iperf
from support import StackCase, needs_root

RETURN_S = 5.0  # simulated time from the start of the replacement to a ping that is answered


@needs_root
class Restart(StackCase):
    def test_each_process(self):
        stack = self.stack()
        stack.start()
        stack.wait_for_entry()
        for victim in ("ss1.macd", "ss1.phyd", "bs.macd", "bs.phyd", "channeld"):
            with self.subTest(victim=victim):
                others = {name: process.pid for name, process in stack.processes.items() if name != victim}
                stack.kill(victim)
                if victim == "channeld":
                    time.sleep(0.3)
                else:
                    before = stack.clock()
                    time.sleep(0.5)
                    self.assertGreater(stack.clock().simulated_s, before.simulated_s + 0.1, "simulated time stands still")
                self.assertFalse(self.pings(stack), "traffic without the killed process")
                stack.start_daemon(victim)
                took = self.wait_for_ping(stack, RETURN_S)
                self.assertLess(took, RETURN_S)
                stack.check_alive()
                self.assertEqual(others, {n: p.pid for n, p in stack.processes.items() if n != victim})
                source, sink, address = stack.route(0, "downlink")
                transfer = Iperf(source, sink, address, 5301, 1).result()
                self.assertIsNotNone(transfer, "iperf3 after the restart")
                self.assertGreater(transfer["ip_bps"], 1e5)


if __name__ == "__main__":
    unittest.main()
