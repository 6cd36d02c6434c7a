# SPDX-License-Identifier: GPL-3.0-or-later
"""What is left of one transfer of the bench must not meet the next. iperf3's server takes the sender of the first datagram on
its port for its client: a datagram of the transfer before, from queues that an overload filled, and the real client waits
for ever."""
import unittest

import bench
import measure
from profiles import Profile
from slow_link import SlowLink
from stack import Clock, Delivered, Stack, StackError
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
        self.assertIn(result["packets"], range(42, 167))  # 1 Mbit/s of 1500 octets for a second: 83, if the host runs

    def test_iperf3_says_what_is_wrong(self):
        transfer = measure.Iperf(self.link.names[0], self.link.names[1], self.link.addresses[1], 5201, 1)
        transfer.server = transfer.client = measure._program(  # nobody listens
            measure.in_namespace(self.link.names[0], "iperf3", "-c", self.link.addresses[1], "-p", 5201, "-J"))
        self.assertIsNone(transfer.result())
        self.assertIn("client: unable to connect to server", transfer.fault)
        transfer = measure.Iperf("wmx-none", self.link.names[1], self.link.addresses[1], 5202, 1).start()
        self.assertIsNone(transfer.result())
        self.assertIn('client: Cannot open network namespace "wmx-none"', transfer.fault)


class Quiet(unittest.TestCase):
    """Stack.wait_until_quiet, by looks at a system: (simulated s, octets waiting down, up, octets delivered down, up)."""

    def stack(self, looks):
        stack = Stack(Profile.parse("5MHz-10ms"), stations=1, tun=False)
        self.addCleanup(stack.stop)
        self.looks, self.at = looks, 0
        stack.clock = lambda: Clock(self.looks[self.at][0], 0.0)
        stack.capacity_kbps = lambda: {"downlink": 8000.0, "uplink": 4000.0}
        stack.answer = lambda daemon: {"station": {"stations": [{"dl": {"backlog_bytes": self.looks[self.at][1]}}]}} \
            if daemon == "bs.macd" else {"station": {"ul": {"backlog_bytes": self.looks[self.at][2]}}}

        def delivered(direction):
            octets = self.looks[self.at][3 if direction == "downlink" else 4]
            if direction == "uplink":
                self.at += 1
            return [Delivered(octets, 0.0)]

        stack.delivered = delivered
        return stack

    def test_until_nothing_waits_and_nothing_arrives_for_ten_frames(self):
        for looks in ([(1.0, 9000, 0, 100, 0), (1.01, 0, 500, 8000, 0), (1.02, 0, 0, 8000, 600),  # 1500 octets in the air yet
                       (1.1, 0, 0, 8000, 2100), (1.19, 0, 0, 8000, 2100), (1.21, 0, 0, 8000, 2100)],
                      [(1.0, 0, 0, 8000, 2100), (1.09, 0, 0, 8000, 2100), (1.1, 1, 0, 8000, 2100), (1.19, 0, 0, 8000, 2100),
                       (1.21, 0, 0, 8000, 2100)]):
            self.stack(looks).wait_until_quiet()
            self.assertEqual(self.at, len(looks))

    def test_queues_that_never_empty_end_the_bench(self):
        looks = [(1.0, 500_000, 0, 0, 0), (1.0, 500_000, 0, 0, 0), (12.9, 500_000, 0, 0, 0), (13.1, 500_000, 7, 0, 0)]
        with self.assertRaisesRegex(StackError, "queues not quiet after 12.0 s of simulated time: 500007 octets wait"):
            self.stack(looks).wait_until_quiet()


if __name__ == "__main__":
    unittest.main()
