# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the tests of the whole stack."""
import os
import subprocess
import sys
import time
import unittest

from wimax_tools.bench.traffic import Iperf, in_namespace
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Stack

STILL_S = 30        # of the wall clock without simulated time passing; includes the start of processes
WAIT_S = 10.0       # of simulated time that anything may take
COUNTED = 1_000_000  # octets over which a rate is taken


def needs_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "TUN interfaces and network namespaces need root: sudo ./wimax test")(test)


class Patience:
    """How long a test waits: so much simulated time, however slow the host is, and less if none passes at all."""

    def __init__(self, simulated_time, limit_s=WAIT_S):
        """`simulated_time`: seconds, or None while the channel does not answer."""
        self._simulated_time, self._limit_s = simulated_time, limit_s
        self._begin = self._last = None
        self._moved = time.monotonic()

    def spent(self):
        """Why there is none left; empty while there is."""
        now, wall = self._simulated_time(), time.monotonic()
        if now is not None and now != self._last:
            if self._last is None or now < self._last:  # it begins, or the channel restarted
                self._begin = now
            self._last, self._moved = now, wall
        if self._last is not None and self._last - self._begin > self._limit_s:
            return f"{self._limit_s:g} s of simulated time have passed"
        return f"no simulated time passed for {STILL_S} s" if wall - self._moved > STILL_S else ""


class StackCase(unittest.TestCase):
    def stack(self, profile="5MHz-10ms", **options):
        stack = Stack(Profile.parse(profile), **options)

        def finish():
            result = self._outcome.result
            if any(self in (test, getattr(test, "test_case", None)) for test, _ in result.errors + result.failures):
                stack.explain(sys.stderr)
            stack.stop()

        self.addCleanup(finish)
        return stack

    def wait_until(self, stack, what, condition, simulated_s=WAIT_S):
        patience = Patience(lambda: (stack.status("channeld", 1000) or {}).get("time_s"), simulated_s)
        while not condition():
            spent = patience.spent()
            self.assertFalse(spent, f"{what}: {spent}")
            time.sleep(0.05)

    def wait_on_host(self, what, condition):
        """For what happens in wall time: in mode free, simulated time runs ahead of it."""
        until = time.monotonic() + STILL_S
        while not condition():
            self.assertLess(time.monotonic(), until, what)
            time.sleep(0.05)

    def pings(self, stack, i=0):
        """One echo request through the air and back, within a second of wall time."""
        return subprocess.run(in_namespace(stack.bs_netns, "ping", "-c", 1, "-W", 1, stack.ss_address(i)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def wait_for_ping(self, stack, simulated_s, ready=lambda: True, i=0):
        """A new ping is answered within that much simulated time after ready(). How long processes take to start is the host's
        affair."""
        self.wait_until(stack, "not ready", lambda: stack.status("channeld") is not None and ready())
        begin = stack.clock().simulated_s
        while not self.pings(stack, i):
            self.assertLess(stack.clock().simulated_s - begin, simulated_s, "simulated time without an answered ping")

    def tcp_share(self, stack, direction, port, to=None):
        """Of the frame layout's limit: the rate of one TCP connection, by what the sink's MAC delivered over simulated time from
        when it ran. `to`: another address of the sink."""
        def delivered():
            return stack.delivered(direction)[0]

        source, sink, address = stack.route(0, direction)
        before = delivered().octets
        transfer = Iperf(source, sink, to or address, port, 300).start()
        self.addCleanup(transfer.stop)
        marks = []
        for octets in (COUNTED // 4, COUNTED // 4 + COUNTED):  # the first of them while TCP finds out how fast it may be
            self.wait_until(stack, f"{direction}: {octets} octets of TCP", lambda n=octets: delivered().octets - before >= n)
            marks.append(delivered())
        transfer.stop()
        bps = 8 * (marks[1].octets - marks[0].octets) / (marks[1].simulated_s - marks[0].simulated_s)
        return bps / 1e3 / stack.capacity_kbps()[direction]
