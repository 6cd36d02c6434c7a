# SPDX-License-Identifier: GPL-3.0-or-later
"""IP over TUN through the whole stack: every rate, several stations, multipath, other profiles. Kernel traffic runs by the wall
clock, so nothing here offers more than a slow host would carry; rates and their loss are test_stack_determinism's."""
import re
import subprocess
import unittest

from wimax_tools.bench.traffic import in_namespace, ping
from support import StackCase, needs_root

TCP_SHARE = 0.7  # of the limit; measured 0.95 to 1.00 while compilers ran
FULL_SIZE = 1472  # octets of an echo request that make an IP packet of 1500


@needs_root
class Traffic(StackCase):
    def check_full_size(self, stack, lost_at_most):
        """Packets of 1500 octets there and back, a few at a time and as fast as they return."""
        said = subprocess.run(in_namespace(stack.bs_netns, "ping", "-A", "-l", 3, "-c", 300, "-W", 10, "-q", "-s", FULL_SIZE,
                                           "-M", "do", stack.ss_address(0)), stdout=subprocess.PIPE, text=True, check=False).stdout
        counts = re.search(r"(\d+) packets transmitted, (\d+) received", said)
        self.assertTrue(counts, said)
        self.assertGreaterEqual(int(counts[1]), 300)
        self.assertLessEqual(int(counts[1]) - int(counts[2]), lost_at_most, said)

    def check_tcp(self, stack):
        for port, direction in enumerate(("downlink", "uplink"), 5201):
            share = self.tcp_share(stack, direction, port)
            self.assertGreater(share, TCP_SHARE, direction)
            self.assertLess(share, 1.03, direction)

    def test_entry_small_and_large_packets_and_tcp(self):
        stack = self.stack()
        stack.start()
        stack.wait_for_entry()
        self.assertLess(stack.status("ss1.macd")["station"]["entry_time_s"], 2.0)
        result = ping(stack.bs_netns, stack.ss_address(0), 50, 0.01)
        self.assertEqual(result["lost"], 0)
        self.check_full_size(stack, 0)
        self.check_tcp(stack)

    def test_every_rate(self):
        for rate in range(6):
            with self.subTest(rate=rate):
                stack = self.stack(dl_rate=rate, ul_rate=rate, mode="free")
                stack.start()
                stack.wait_for_entry()
                result = ping(stack.bs_netns, stack.ss_address(0), 10, 0.01)
                self.assertEqual(result["lost"], 0)
                stack.stop()

    def test_multipath(self):
        for channel in ("sui1", "sui3"):
            with self.subTest(channel=channel):
                stack = self.stack(channel=channel, snr_db=25, dl_rate=3, ul_rate=3)
                stack.start()
                stack.wait_for_entry()
                self.check_full_size(stack, 3)
                stack.stop()

    def test_three_stations(self):
        stack = self.stack(stations=3)
        stack.start()
        stack.wait_for_entry()
        for i in range(3):
            self.wait_until(stack, f"station {i + 1} answers a ping", lambda i=i: self.pings(stack, i))

    def test_other_profiles(self):
        for name in ("3.5MHz-5ms", "7MHz-20ms", "10MHz-5ms"):
            with self.subTest(profile=name):
                stack = self.stack(profile=name)
                stack.start()
                stack.wait_for_entry()
                result = ping(stack.bs_netns, stack.ss_address(0), 10, stack.profile.frame_s)
                self.assertEqual(result["lost"], 0)
                stack.stop()


if __name__ == "__main__":
    unittest.main()
