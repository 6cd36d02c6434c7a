# SPDX-License-Identifier: GPL-3.0-or-later
"""How long the tests of the whole stack wait, and the rate that they measure: on a stack and clocks that stand still or run."""
import types
import unittest
from unittest import mock

import support
from wimax_tools.bench.stack import Delivered


class Clocks(support.StackCase):
    """Looks at the channel: simulated seconds, None: no answer. A second of the wall clock passes at each."""

    def setUp(self):
        self.wall_s = 0.0
        self.patch(mock.patch.object(support, "time", types.SimpleNamespace(sleep=self.sleep, monotonic=lambda: self.wall_s)))

    def patch(self, patcher):
        self.addCleanup(patcher.stop)
        return patcher.start()

    def sleep(self, _):
        self.wall_s += 1.0

    def fake(self, looks, **more):
        looks = iter(looks)
        return types.SimpleNamespace(status=lambda daemon, timeout_ms=0: {"time_s": t} if (t := next(looks)) is not None else None,
                                     **more)

    def waits(self, looks, condition=lambda: False, **options):
        """Wall seconds until it gives up, and why."""
        begin = self.wall_s
        with self.assertRaises(AssertionError) as caught:
            self.wait_until(self.fake(looks), "pigs fly", condition, **options)
        return self.wall_s - begin, str(caught.exception).rpartition(" : ")[2]


class Waiting(Clocks):
    def test_until_it_is_so(self):
        left = [1, 2, 3]
        self.wait_until(self.fake([5.0] * 9), "empty", lambda: not left or left.pop() and False)
        self.assertEqual(self.wall_s, 3.0)

    def test_simulated_time_is_the_limit(self):
        """However little passes in a second of the wall clock."""
        self.assertEqual(self.waits([100 + 0.0625 * i for i in range(999)]), (161.0, "pigs fly: 10 s of simulated time have passed"))
        self.assertEqual(self.waits([100 + i for i in range(999)], simulated_s=3.0),
                         (4.0, "pigs fly: 3 s of simulated time have passed"))

    def test_time_that_stands_still_is_no_reason_to_wait(self):
        still = "pigs fly: no simulated time passed for 30 s"
        self.assertEqual(self.waits([None] * 99), (31.0, still))
        self.assertEqual(self.waits([None] * 20 + [7.0] * 99), (51.0, still))
        self.assertEqual(self.waits([None] * 20 + [7.0, 7.5] + [None] * 99), (52.0, still))

    def test_a_channel_that_began_anew_is_not_held_to_the_old_time(self):
        self.assertEqual(self.waits([50.0, 58.0, None, 0.5, 5.0, 10.0, 10.6]), (6.0, "pigs fly: 10 s of simulated time have passed"))


class Ping(Clocks):
    def test_within_simulated_time_after_it_is_ready(self):
        ready = [False, False, True]
        times = iter([3.0, 4.9, 5.1])
        stack = self.fake([1.0] * 9, clock=lambda: types.SimpleNamespace(simulated_s=next(times)))
        with mock.patch.object(self, "pings", lambda *_: False), self.assertRaisesRegex(AssertionError, "without an answered ping"):
            self.wait_for_ping(stack, 2.0, lambda: ready.pop(0))
        self.assertEqual((ready, list(times)), ([], []))
        stack.clock = lambda: types.SimpleNamespace(simulated_s=1.0)
        answers = [False, True]
        with mock.patch.object(self, "pings", lambda *_: answers.pop(0)):
            self.wait_for_ping(stack, 2.0)


class OnePing(support.StackCase):
    def test_answered_is_answered(self):
        stack = types.SimpleNamespace(bs_netns="net-bs", ss_address=lambda i: f"10.16.0.{2 + i}")
        for code, answered in ((0, True), (1, False)):
            with mock.patch.object(support.subprocess, "run", return_value=types.SimpleNamespace(returncode=code)) as asked:
                self.assertEqual(self.pings(stack, 2), answered)
            self.assertEqual(asked.call_args[0][0], "ip netns exec net-bs ping -c 1 -W 1 10.16.0.4".split())


class Share(Clocks):
    def share(self, octets_a_second):
        """Of 4000 kb/s, that a sink reports to which so many octets come in each second but the first three."""
        stack = self.fake([1.0 + 0.5 * i for i in range(999)], route=lambda i, direction: ("a", "b", "10.16.0.2"),
                          capacity_kbps=lambda: {"downlink": 4000.0, "uplink": 1.0})
        stack.delivered = lambda direction: [Delivered(5000 + int(octets_a_second * max(0, self.wall_s - 3)), 2 * self.wall_s)]
        transfer = mock.Mock()
        transfer.start.return_value = transfer
        with mock.patch.object(support, "Iperf", mock.Mock(return_value=transfer)) as started:
            share = self.tcp_share(stack, "downlink", 5207)
        started.assert_called_once_with("a", "b", "10.16.0.2", 5207, 300)
        transfer.stop.assert_called()
        return share

    def test_in_simulated_time_and_without_the_beginning(self):
        self.assertAlmostEqual(self.share(1_000_000), 1.0)
        self.assertAlmostEqual(self.share(250_000), 0.25)

    def test_a_sink_that_gets_nothing(self):
        with self.assertRaisesRegex(AssertionError, "downlink: 250000 octets of TCP: 10 s of simulated time have passed"):
            self.share(0)


if __name__ == "__main__":
    unittest.main()
