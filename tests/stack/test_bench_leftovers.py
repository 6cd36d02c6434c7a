# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left of one transfer of the bench must not meet the next. iperf3's server takes the sender of the first datagram on
its port for its client: a datagram of the transfer before, from queues that an overload filled, and the real client waits
for ever."""
import time
import unittest

from wimax_tools.bench import run as bench
from wimax_tools.bench import traffic
from slow_link import SlowLink
from wimax_tools.bench.stack import Clock, Delivered
from support import needs_root

UDP_BPS, QUEUE_OCTETS = 2e6, 400_000  # 1.6 s when it is full


class OneLink:
    """A stack whose air is a slow link, and whose queues the bench does not wait for."""

    def __init__(self, link):
        self.link, self.simulated_s = link, 0.0

    def route(self, i, direction):
        return *self.link.names, self.link.addresses[1]

    def clock(self):
        self.simulated_s += 1
        return Clock(self.simulated_s, self.simulated_s)

    def recent_factor(self):
        return 1.0

    def pass_time(self, seconds):
        time.sleep(seconds)

    def delivered(self, direction):
        return [Delivered(0, self.clock().simulated_s)]

    def wait_until_quiet(self):
        """Here it never is."""


@needs_root
class Leftovers(unittest.TestCase):
    def setUp(self):
        self.link = SlowLink(UDP_BPS, QUEUE_OCTETS)
        self.addCleanup(self.link.stop)
        self.link.start()

    def test_datagrams_of_the_transfer_before_harm_nobody(self):
        measured = bench.Bench(bench.parse(["--duration", "1"]), OneLink(self.link))
        measured.transfer([None], "uplink", "UDP at three times the limit", [3 * UDP_BPS])
        result, = measured.transfer([None], "uplink", "UDP at half of it", [UDP_BPS / 2])
        self.assertEqual(result["lost"], 0)
        self.assertIn(result["packets"], range(84, 334))  # 1 Mbit/s of 1500 octets for two seconds: 167, if the host runs

    def test_iperf3_says_what_is_wrong(self):
        transfer = traffic.Iperf(self.link.names[0], self.link.names[1], self.link.addresses[1], 5201, 1)
        transfer.server = transfer.client = traffic._program(  # no server listens
            traffic.in_namespace(self.link.names[0], "iperf3", "-c", self.link.addresses[1], "-p", 5201, "-J"))
        self.assertIsNone(transfer.result())
        self.assertIn("client: unable to connect to server", transfer.fault)
        transfer = traffic.Iperf("wmx-none", self.link.names[1], self.link.addresses[1], 5202, 1).start()
        self.assertIsNone(transfer.result())
        self.assertIn('client: Cannot open network namespace "wmx-none"', transfer.fault)


if __name__ == "__main__":
    unittest.main()
