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


def needs_root(test):
    return unittest.skipUnless(os.geteuid() == 0, "TUN interfaces and network namespaces need root: sudo ./wimax test")(test)


class StackCase(unittest.TestCase):
    def stack(self, profile="5MHz-10ms", **options):
        stack = Stack(Profile.parse(profile), **options)

        def finish():
            failed = any(error for _, error in getattr(self._outcome, "errors", [])) or \
                not getattr(self._outcome, "success", True)
            if failed:
                stack.explain(sys.stderr)
            stack.stop()

        self.addCleanup(finish)
        return stack

    def pings(self, stack, i=0):
        """One echo request through the air and back, within a second of wall time."""
        return subprocess.run(in_namespace(stack.bs_netns, "ping", "-c", 1, "-W", 1, stack.ss_address(i)),
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode == 0

    def wait_for_ping(self, stack, simulated_s, wall_s=60):
        """Simulated seconds until a new ping is answered."""
        begin, wall = None, time.monotonic()
        while time.monotonic() - wall < wall_s:
            status = stack.status("channeld")
            if status and begin is None:
                begin = status["time_s"]
            if begin is not None and self.pings(stack):
                return stack.clock().simulated_s - begin
            if status and begin is not None and status["time_s"] - begin > simulated_s:
                break
            time.sleep(0.05)
        self.fail(f"no ping answered within {simulated_s} s of simulated time")
