# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates that follow the CINR, through both PHYs and the virtual radio: 35 to 5 to 35 dB at 30 dB/s while packets go both ways."""
import unittest

from support import StackCase
from wimax_tools.bench.studies.own import with_arq

HIGH_DB, LOW_DB, SLOPE_DB_PER_S = 35, 5, 30
BEGIN_S, LENGTH_S, DOWN_AT_S, LOW_S = 3.0, 10.0, 5.0, 1.0  # of the packets; the ramp in the middle of them
PERIOD_S, SIZE_BYTES = 0.01, 540                           # half of what BPSK carries
LOST_SHARE = 0.01


def cinr_db(second):
    """At a second of simulated time."""
    since = second - DOWN_AT_S
    slope_s = (HIGH_DB - LOW_DB) / SLOPE_DB_PER_S
    if since < slope_s + LOW_S:
        return max(LOW_DB, HIGH_DB - SLOPE_DB_PER_S * max(0.0, since))
    return min(HIGH_DB, LOW_DB + SLOPE_DB_PER_S * (since - slope_s - LOW_S))


class Adaptation(StackCase):
    def rates(self, stack):
        station = stack.status("bs.macd")["station"]["stations"][0]
        return station["dl_rate_id"], station["ul_rate_id"]

    def test_a_ramp_is_followed(self):
        for source, made, lost in self.ramp({}):
            self.assertLess(lost, LOST_SHARE * made, source)

    def test_with_arq_a_ramp_loses_nothing(self):
        for source, _, lost in self.ramp(with_arq(None)):
            self.assertEqual(lost, 0, source)

    def ramp(self, extra):
        """Of each source how many packets it sent, and how many did not arrive."""
        count = int(LENGTH_S / PERIOD_S)

        def stream(source, destination):
            return [{"source": source, "destination": destination, "start_s": BEGIN_S, "period_s": PERIOD_S, "count": count,
                     "size_bytes": SIZE_BYTES}]

        stack = self.stack(tun=False, snr_db=HIGH_DB, dl_auto=True, ul_auto=True,
                           channel_extra={"time": {"hold": True}}, macd_extra=extra,  # entry begins at zero
                           traffic={"bs": stream("10.16.0.1", "10.16.0.2"), "ss1": stream("10.16.0.2", "10.16.0.1")})
        stack.start()
        self.wait_until(stack, "no channel", lambda: stack.status("channeld") is not None)
        lowest = (6, 6)

        def over():
            nonlocal lowest
            now = stack.status("channeld")["time_s"]
            if now > DOWN_AT_S - 1:
                for link in ("bs->ss1", "ss1->bs"):
                    self.assertNotIn("error", stack.ask("channeld", {"set": {"link": link, "snr_db": cinr_db(now)}}))
                lowest = tuple(map(min, lowest, self.rates(stack)))
            return now > BEGIN_S + LENGTH_S + 0.5

        self.wait_until(stack, "packets do not begin", lambda: stack.status("channeld")["time_s"] > BEGIN_S - 0.5)
        while not over():  # as fine as the channel answers
            stack.check_alive()
        self.assertEqual(lowest, (0, 0))
        self.assertEqual(self.rates(stack), (6, 6))
        results = []
        for source, sink in (("bs", "ss1"), ("ss1", "bs")):
            made = stack.status(f"{source}.macd")["traffic"]["made"]
            received = stack.status(f"{sink}.macd")["traffic"]["received"]
            print(f"{source} to {sink}: {made - received} of {made} lost")
            self.assertEqual(made, count)
            results.append((source, made, made - received))
        self.assertEqual(stack.status("ss1.macd")["station"]["restarts"], 1)  # that at its start
        return results


if __name__ == "__main__":
    unittest.main()
