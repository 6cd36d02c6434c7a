# SPDX-License-Identifier: GPL-3.0-or-later
"""Any process killed with SIGKILL and started again: traffic flows again, nothing else restarts, time runs on."""
import itertools
import unittest

from support import StackCase, needs_root

TCP_SHARE = 0.7  # as in the test of traffic: everything is as it was
RETURN_S = 5.0  # simulated time from the return of the replacement to a ping that is answered


@needs_root
class Restart(StackCase):
    def returned(self, stack, daemon):
        """Whether it takes part again: the MAC in its PHY's time, the PHY in the channel's, the channel in everybody's."""
        if daemon.endswith("macd"):
            return stack.status(daemon)["phy_starts"] > 0
        radios = stack.status("channeld")["radios"]
        sites = stack.sites if daemon == "channeld" else stack.groups.get(daemon, [daemon.partition(".")[0]])
        return all(site in radios and radios[site]["streaming"] for site in sites)

    def test_each_process(self):
        stack = self.stack()
        stack.start()
        stack.wait_for_entry()
        ports = itertools.count(5301)  # a server that is late finds its own free
        for victim in ("ss1.macd", "ss1.phyd", "bs.macd", "bs.phyd", "channeld"):
            with self.subTest(victim=victim):
                others = {name: process.pid for name, process in stack.processes.items() if name != victim}
                stack.kill(victim)
                if victim != "channeld":
                    end = stack.clock().simulated_s + 0.3
                    self.wait_until(stack, "simulated time stands still", lambda e=end: stack.clock().simulated_s > e)
                self.assertFalse(self.pings(stack), "traffic without the killed process")
                stack.start_daemon(victim)
                self.wait_for_ping(stack, RETURN_S, lambda v=victim: self.returned(stack, v))
                stack.check_alive()
                self.assertEqual(others, {n: p.pid for n, p in stack.processes.items() if n != victim})
                self.assertGreater(self.tcp_share(stack, "downlink", next(ports)), TCP_SHARE, "after the restart")

    def test_a_process_of_several_stations(self):
        """Its stations return, the one in another process is not disturbed."""
        stack = self.stack(stations=3, shared=2)
        self.assertEqual(stack.groups, {"stations1": ["ss1", "ss3"], "stations2": ["ss2"]})
        stack.start()
        stack.wait_for_entry()
        for victim in ("stations1", "channeld", "bs.phyd"):
            with self.subTest(victim=victim):
                stack.kill(victim)
                if victim == "stations1":
                    end = stack.clock().simulated_s + 0.3
                    self.wait_until(stack, "simulated time stands still", lambda e=end: stack.clock().simulated_s > e)
                    self.assertTrue(self.pings(stack, 1), "the other process")
                self.assertFalse(self.pings(stack, 0), "traffic without the killed process")
                stack.start_daemon(victim)
                for i in (0, 2, 1):
                    self.wait_for_ping(stack, RETURN_S, lambda v=victim: self.returned(stack, v), i)
                stack.check_alive()


if __name__ == "__main__":
    unittest.main()
