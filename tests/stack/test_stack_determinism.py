# SPDX-License-Identifier: GPL-3.0-or-later
"""Lock-step: the same seed and the same scripted traffic give the same received samples, however slow a process is."""
import tempfile
import unittest

from support import StackCase
from wimax_tools.bench import captures

COMPARED_S = 4.0  # simulated time whose samples are compared: entry (about 1.3 s) and data both ways


def stream(source, destination, period_s=0.004, count=400, size_bytes=700):
    return [{"start_s": 1.5, "period_s": period_s, "count": count, "size_bytes": size_bytes, "source": source,
             "destination": destination}]


def both_ways(**options):
    return {"bs": stream("10.16.0.1", "10.16.0.2", **options), "ss1": stream("10.16.0.2", "10.16.0.1", **options)}


class Determinism(StackCase):
    def time_of(self, stack):
        stack.check_alive()
        return (stack.status("channeld") or {"time_s": 0})["time_s"]

    def run_once(self, traffic=None, **options):
        radio = dict(channel="sui2", snr_db=25, dl_rate=3, ul_rate=3) if traffic is None else {}
        stack = self.stack(mode="free", tun=False, traffic=traffic or both_ways(), **radio,
                           channel_extra={"hash_s": COMPARED_S, "time": {"hold": True}}, **options)
        stack.start()
        self.wait_until(stack, "simulated time did not reach the end", lambda: self.time_of(stack) > COMPARED_S)
        channel = stack.status("channeld")
        received = {site: stack.status(f"{site}.macd")["traffic"]["received"] for site in ("bs", "ss1")}
        counters = stack.counters()
        stack.stop()
        self.omitted = {name: radio["omitted_rx_chunks"] / radio["chunks"] for name, radio in channel["radios"].items()}
        return {name: radio["hash"] for name, radio in channel["radios"].items()}, received, counters

    def test_two_runs_and_a_slow_station(self):
        first, received, counters = self.run_once()
        self.assertGreater(min(received.values()), 50, "scripted traffic did not flow")
        self.assertEqual(counters["late"], 0)
        again, _, _ = self.run_once()
        self.assertEqual(first, again, "two equal runs")
        slow, _, counters = self.run_once(macd_extra={"ss1": {"sap": {"answer_delay_ms": 4}}})
        self.assertEqual(first, slow, "subscriber station slowed down")
        self.assertEqual(counters["late"], 0)
        other, _, _ = self.run_once(seed=2)
        self.assertNotEqual(first, other, "another seed gives other noise")

    def test_stations_that_share_a_process(self):
        """Two stations in one thread send what two stations with processes of their own do, although chunks between the bursts and
        the next frame are zeros for them. The hash is of the samples that the channel would give, and the base station's is of what it gets."""
        both = {**both_ways(), "bs": stream("10.16.0.1", "10.16.0.2") + stream("10.16.0.1", "10.16.0.3"), "ss2": stream("10.16.0.3", "10.16.0.1")}
        separate, received, _ = self.run_once(both, stations=2)
        self.assertGreater(min(received.values()), 50, "scripted traffic did not flow")
        self.assertEqual(set(self.omitted.values()), {0})
        shared, _, counters = self.run_once(both, stations=2, shared=1)
        self.assertEqual(separate, shared)
        self.assertEqual(counters["late"], 0)
        self.assertEqual(self.omitted["bs"], 0)
        for site in ("ss1", "ss2"):
            self.assertGreater(self.omitted[site], 0.3, site)

    def test_no_loss_at_95_percent_of_the_limit(self):
        """64-QAM 3/4 both ways at 30 dB; limits of 8010 and 8125 kb/s, offers of 7600 in sample time. Captures of both ends, which hold
        up nothing, have each of the packets."""
        with tempfile.TemporaryDirectory(prefix="wimax-captures-") as folder:
            _, received, _ = self.run_once(both_ways(period_s=1500 * 8 / 7.6e6, count=1400, size_bytes=1500), pcap=folder)
            self.assertEqual(received, {"bs": 1400, "ss1": 1400})
            heard = captures.check(folder, 1)
            self.assertGreater(min(heard["downlink"]["sent"], *heard["downlink"]["heard"]), 1400)
            self.assertGreater(min(heard["uplink"].values()), 1400)

    def test_no_loss_at_95_percent_in_short_frames(self):
        """Frames of 2.5 ms at 2.5 MHz; limits of 2320 and 2596 kb/s."""
        traffic = {"bs": stream("10.16.0.1", "10.16.0.2", period_s=1500 * 8 / 2.2e6, count=350, size_bytes=1500),
                   "ss1": stream("10.16.0.2", "10.16.0.1", period_s=1500 * 8 / 2.46e6, count=350, size_bytes=1500)}
        _, received, _ = self.run_once(traffic, profile="2.5MHz-2.5ms")
        self.assertEqual(received, {"bs": 350, "ss1": 350})


if __name__ == "__main__":
    unittest.main()
