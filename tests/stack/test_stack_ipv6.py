# SPDX-License-Identifier: GPL-3.0-or-later
"""IPv6 over TUN, end to end: flows of the IPv6 convergence sublayer beside those of IPv4."""
import subprocess
import unittest

from support import StackCase, needs_root
from wimax_tools.bench.traffic import in_namespace

TCP_SHARE = 0.7  # of the limit, as for IPv4
PROBES = 20


def flow(name, direction, cs):
    return {"name": name, "direction": direction, "cs": cs}


@needs_root
class Ipv6(StackCase):
    def started(self):
        base = {"service_flows": [flow("v4-down", "downlink", "ipv4"), flow("v4-up", "uplink", "ipv4"),
                                  flow("v6-down", "downlink", "ipv6"), flow("v6-up", "uplink", "ipv6")],
                "stations": [{"mac": "02:00:00:00:00:01", "name": "ss1", "ip_addresses": ["10.16.0.2/32", "fd16::2/128"],
                              "flows": ["v4-down", "v4-up", "v6-down", "v6-up"]}]}
        stack = self.stack(macd_extra={"bs": {"bs": base, "tun": {"ipv6_address": "fd16::1/64"}},
                                       "ss1": {"tun": {"ipv6_address": "fd16::2/64"}}})
        stack.start()
        stack.wait_for_entry()
        return stack

    def test_ping_and_tcp_both_ways(self):
        stack = self.started()
        for namespace, address in ((stack.bs_netns, "fd16::2"), (stack.netns("ss1"), "fd16::1"), (stack.bs_netns, "10.16.0.2")):
            done = subprocess.run(in_namespace(namespace, "ping", "-c", PROBES, "-i", 0.05, "-s", 1400, "-W", 5, address),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertIn(f"{PROBES} packets transmitted, {PROBES} received", done.stdout)
        for direction, address, port in (("downlink", "fd16::2", 5231), ("uplink", "fd16::1", 5232)):
            self.assertGreater(self.tcp_share(stack, direction, port, address), TCP_SHARE, direction)
        for site in stack.sites:
            self.assertEqual(stack.answer(f"{site}.macd")["tun"]["not_ipv4"], 0)


if __name__ == "__main__":
    unittest.main()
