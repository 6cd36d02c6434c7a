# SPDX-License-Identifier: GPL-3.0-or-later
"""Policies of users in the daemons, over TUN and the virtual radio: the shipped examples next to the built-in ones, and a scheduler that hangs."""
import os
import unittest
from pathlib import Path

from support import COUNTED, StackCase, needs_root
from wimax_tools.bench.traffic import Iperf

EXAMPLES = Path(os.environ["WIMAX_SOURCE_DIR"], "apps/policy/examples")
EXAMPLE = EXAMPLES / "proportional_fair.py"
SNR_DB, RATES = 15, (3, 4)  # rates that receivers can use there
PIECES, PIECE = 3, COUNTED  # octets
EQUAL = 0.03        # of the goodput
OVERLOAD = 1.5      # of the capacity that is offered
HANGING = """
import threading
class Hangs:
    def __init__(self, cell):
        self.calls = 0
    def schedule(self, frame):
        self.calls += 1
        if self.calls > 100:
            threading.Event().wait()
        return [min(station.owed_units, frame.units / len(frame.stations)) for station in frame.stations]
"""


PACKETS = """
class HeadDrop:
    def __init__(self, cell):
        assert cell.role == "queue_management"
    def manage(self, frame):
        return [{"drop_head": 1, "codel": False} if queue.head_age_s > 0.2 else None for queue in frame.queues]
class First:
    def __init__(self, cell):
        assert cell.role == "classifier"
    def classify(self, packet):
        return 0
"""


def with_schedulers(value):
    return {"bs": {"bs": {"dl_scheduler": value, "ul_scheduler": value}}}


@needs_root
class Policies(StackCase):
    def goodput_bps(self, stack, direction, port):
        """What the sink's MAC delivers over simulated time, of more UDP than the link carries: the best of several pieces, because iperf3 offers by
        wall clock and pauses when the host stalls."""
        def delivered():
            return stack.delivered(direction)[0]

        source, sink, address = stack.route(0, direction)
        before = delivered().octets
        transfer = Iperf(source, sink, address, port, 300, udp_bps=OVERLOAD * 1e3 * stack.capacity_kbps()[direction]).start()
        self.addCleanup(transfer.stop)
        marks = []
        for octets in range(COUNTED // 2, COUNTED // 2 + (PIECES + 1) * PIECE, PIECE):  # the queue fills before the first of them
            self.wait_until(stack, f"{direction}: {octets} octets of UDP", lambda n=octets: delivered().octets - before >= n)
            marks.append(delivered())
        transfer.stop()
        return max(8 * (after.octets - before.octets) / (after.simulated_s - before.simulated_s) for before, after in zip(marks, marks[1:]))

    def measured(self, schedulers):
        """Goodput of both directions, and the status of the base station."""
        stack = self.stack(macd_extra=with_schedulers(schedulers))
        stack.start()
        stack.wait_for_entry()
        goodput = [self.goodput_bps(stack, direction, port) for port, direction in enumerate(("downlink", "uplink"), 5201)]
        status = stack.status("bs.macd")["station"]
        lates = [stack.status(f"{site}.macd")["station"]["late"] for site in stack.sites]
        stack.stop()
        self.assertEqual(lates, [0] * len(lates))
        return goodput, status

    def test_the_example_carries_as_much_as_the_built_in_one(self):
        builtin, _ = self.measured("proportional_fair")
        example, status = self.measured({"python": f"{EXAMPLE}:ProportionalFair"})
        print("goodput in kb/s:", [round(bps / 1e3) for bps in builtin], [round(bps / 1e3) for bps in example])
        for own, other in zip(example, builtin):
            self.assertGreater(own, (1 - EQUAL) * other)
        for key in ("dl_scheduler", "ul_scheduler"):
            policy = status["policies"][key]
            print(key, policy)
            self.assertGreater(policy["calls"], 0)
            self.assertEqual([policy[kind] for kind in ("late", "failed", "nonsense", "busy", "replaced")], [0, 0, 0, 0, False])

    def test_a_scheduler_that_hangs_stops_no_frame(self):
        stack = self.stack()
        rules = Path(stack.folder, "hanging.py")
        rules.write_text(HANGING, encoding="utf-8")
        stack.extra["bs.macd"] = with_schedulers({"python": f"{rules}:Hangs"})["bs"]
        stack.start()
        stack.wait_for_entry()
        source, sink, address = stack.route(0, "downlink")
        transfer = Iperf(source, sink, address, 5201, 300, udp_bps=1e6).start()  # frames without downlink data call no scheduler
        self.addCleanup(transfer.stop)
        self.wait_until(stack, "the schedulers are replaced", lambda: self.replaced(stack))
        transfer.stop()
        self.wait_for_ping(stack, 5)
        for policy in stack.status("bs.macd")["station"]["policies"].values():
            self.assertEqual((policy["late"], policy["failed"], policy["nonsense"]), (1, 0, 0))
            self.assertEqual(policy["busy"], 100)

    def test_admission_and_link_adaptation(self):
        rates = {"adaptation": {"policy": {"python": f"{EXAMPLES}/threshold_rates.py:ThresholdRates"}}}
        stack = self.stack(snr_db=SNR_DB, dl_auto=True, ul_auto=True,
                           macd_extra={"bs": {"bs": {**rates, "admission": {"python": f"{EXAMPLES}/admission_limits.py:AdmissionLimits"}}}, "ss1": {"ss": rates}})
        stack.start()
        stack.wait_for_entry()
        self.wait_for_ping(stack, 20)

        def settled():
            base = stack.status("bs.macd")["station"]
            return all(base["stations"][0][key] in RATES for key in ("dl_rate_id", "ul_rate_id"))

        self.wait_until(stack, f"rates {RATES} at {SNR_DB} dB", settled)
        base, station = (stack.status(f"{site}.macd")["station"]["policies"] for site in ("bs", "ss1"))
        for policy in (base["admission"], base["link_adaptation"], station["link_adaptation"]):
            print(policy)
            self.assertGreater(policy["calls"], 0)
            self.assertEqual([policy[kind] for kind in ("late", "failed", "nonsense", "busy", "replaced")], [0, 0, 0, 0, False])

    def test_queue_management_and_classifier_at_both_ends(self):
        stack = self.stack()
        rules = Path(stack.folder, "packets.py")
        rules.write_text(PACKETS, encoding="utf-8")
        keys = {"queue_management": {"python": f"{rules}:HeadDrop"}, "classifier": {"python": f"{rules}:First"}}
        for site, end in (("bs", "bs"), ("ss1", "ss")):
            stack.extra[f"{site}.macd"] = {end: keys}
        stack.start()
        stack.wait_for_entry()
        self.wait_for_ping(stack, 5)
        for site in ("bs", "ss1"):
            policies = stack.status(f"{site}.macd")["station"]["policies"]
            print(site, policies)
            for policy in (policies["queue_management"], policies["classifier"]):
                self.assertGreater(policy["calls"], 0)
                self.assertEqual([policy[kind] for kind in ("late", "failed", "nonsense", "busy", "replaced")], [0, 0, 0, 0, False])

    @staticmethod
    def replaced(stack):
        station = (stack.status("bs.macd") or {}).get("station", {})
        return all(policy["replaced"] for policy in station["policies"].values()) if "policies" in station else False


if __name__ == "__main__":
    unittest.main()
