# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared by the tests of the whole stack."""
import os
import subprocess
import sys
import time
import unittest

from measure import in_namespace
from profiles import Profile
from stack import Stack

PATIENCE_S = 300  # of the wall clock: only a hang takes that long


def needs_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "TUN interfaces and network namespaces need root: sudo ./wimax test")(test)


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

    def wait_until(self, what, condition):
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), limit, what)
            time.sleep(0.05)

    def pings(self, stack, i=0):
        """One echo request through the air and back, within a second of wall time."""
        return subprocess.run(in_namespace(stack.bs_netns, "ping", "-c", 1, "-W", 1, stack.ss_address(i)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def wait_for_ping(self, stack, simulated_s, ready=lambda: True):
        """A new ping is answered within that much simulated time after ready(). How long processes take to start is the host's
        affair."""
        self.wait_until("not ready", lambda: stack.status("channeld") is not None and ready())
        begin = stack.clock().simulated_s
        while not self.pings(stack):
            self.assertLess(stack.clock().simulated_s - begin, simulated_s, "simulated time without an answered ping")
