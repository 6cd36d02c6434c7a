# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator does while stations are served: configuration read again after SIGHUP, commands, flows."""
import contextlib
import io
import signal
import subprocess
import unittest

import yaml

from support import StackCase, needs_root
from wimax_tools.bench.traffic import in_namespace
from wimax_tools.control import Refused
from wimax_tools.flows import command as flows
from wimax_tools.stations import command as stations
from wimax_tools.watch.changes import Changes

PROBES = 100
RATE_BPS, LATER_RATE_BPS = 2_000_000, 1_000_000
RESTRICTION_S = 3  # of simulated time until a command works at the station
REENTRY_S = 5


def said(main, *arguments):
    """Exit status and standard output of a command."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        return main(list(arguments)), out.getvalue()


@needs_root
class Operator(StackCase):
    def started(self):
        base = {"service_flows": [{"name": "down", "direction": "downlink", "max_sustained_rate_bps": RATE_BPS},
                                  {"name": "up", "direction": "uplink"}],
                "stations": [{"mac": "02:00:00:00:00:01", "name": "ss1", "ip_addresses": ["10.16.0.2/32"], "flows": ["down", "up"]}]}
        stack = self.stack(macd_extra={"bs": {"bs": base}})
        stack.start()
        stack.wait_for_entry()
        return stack

    def hang_up(self, stack, edit):
        """Changes the base station's file and tells it."""
        file = stack.folder / "bs.macd.yml"
        config = yaml.safe_load(file.read_text(encoding="utf-8"))
        edit(config["bs"])
        file.write_text(yaml.safe_dump(config), encoding="utf-8")
        stack.processes["bs.macd"].send_signal(signal.SIGHUP)

    def logged(self, stack, words):
        self.wait_until(stack, words, lambda: words in (stack.folder / "bs.macd.log").read_text(errors="replace"))

    def rate_bps(self, stack):
        """Of the downlink flow at the station."""
        return next(f["max_sustained_rate_bps"] for f in stack.answer("ss1.macd")["station"]["flows"] if f["name"] == "down")

    def test_what_is_read_again_changes_and_loses_nothing(self):
        stack = self.started()
        self.assertEqual(self.rate_bps(stack), RATE_BPS)
        ping = subprocess.Popen(in_namespace(stack.bs_netns, "ping", "-c", PROBES, "-i", 0.02, "-W", 5, stack.ss_address(0)),
                                stdout=subprocess.PIPE, text=True)
        self.addCleanup(ping.stdout.close)
        self.hang_up(stack, lambda bs: bs["service_flows"][0].update(max_sustained_rate_bps=LATER_RATE_BPS))
        self.wait_until(stack, "the new rate", lambda: self.rate_bps(stack) == LATER_RATE_BPS)
        self.logged(stack, "configuration read again")
        self.hang_up(stack, lambda bs: bs.update(max_stations=0, t7_ms=-1))
        for key in ("bs.max_stations", "bs.t7_ms"):
            self.logged(stack, f"{key}: value")
        self.assertIn(f"{PROBES} packets transmitted, {PROBES} received", ping.communicate()[0])
        self.assertEqual(self.rate_bps(stack), LATER_RATE_BPS)

    def test_a_cut_file_changes_nothing(self):
        """Cut at each tenth, at each line, and what the live page puts: refused each time; the station is served as before."""
        stack = self.started()
        file = stack.folder / "bs.macd.yml"
        whole = file.read_bytes()
        lines = whole.splitlines(keepends=True)
        cuts = [whole[:len(whole) * tenth // 10] for tenth in range(10)] + [b"".join(lines[:n]) for n in range(len(lines))]
        cuts += [b"# gone\n", b"role: bs\n", whole.partition(b"  stations:")[0].removeprefix(b"---\n")]
        for cut in cuts:
            file.write_bytes(cut)
            self.assertIn("error", stack.ask("bs.macd", {"set": {"reload": True}}), cut)
        file.write_bytes(whole)
        page = Changes(stack.ask, file)
        for text in ("", "\n", "role: bs\n"):
            with self.assertRaises(Refused):
                page.replace("bs.macd", text)
            self.assertEqual(file.read_bytes(), whole)
        status = stack.answer("bs.macd")["station"]
        self.assertEqual([(s["name"], len(s["flows"])) for s in status["stations"]], [("ss1", 2)])
        self.assertTrue(self.pings(stack))
        self.assertNotIn("error", stack.ask("bs.macd", {"set": {"reload": True}}))

    def test_commands_reach_the_station(self):
        stack = self.started()
        control = ("--control", stack.control("bs.macd"))
        mac = stack.mac_address(0)
        self.assertEqual(said(stations.main, *control, "suspend", mac)[0], 0)
        self.wait_until(stack, "suspended", lambda: not self.pings(stack), RESTRICTION_S)
        self.assertEqual(said(stations.main, *control, "resume", mac)[0], 0)
        self.wait_for_ping(stack, RESTRICTION_S)
        restarts = stack.answer("ss1.macd")["station"]["restarts"]
        self.assertEqual(said(stations.main, *control, "reset", mac)[0], 0)
        self.wait_until(stack, "entered anew", lambda: stack.answer("ss1.macd")["station"]["restarts"] == restarts + 1, REENTRY_S)
        self.wait_for_ping(stack, REENTRY_S)
        self.assertEqual(said(stations.main, *control, "reset", "02:00:00:00:00:77")[0], 1)

    def test_flows_come_and_go(self):
        stack = self.started()
        control = ("--control", stack.control("bs.macd"))
        status, text = said(flows.main, *control, "add", "--station", stack.mac_address(0), "direction=uplink", "name=call", "scheduling=ugs",
                            "max_sustained_rate_bps=96000", 'classifiers=[{"priority": 9, "protocols": [17]}]')
        self.assertEqual(status, 0, text)
        sfid = text.split()[1].rstrip(":")
        self.assertIn("call", said(flows.main, *control, "list")[1])
        self.assertEqual(said(flows.main, *control, "change", sfid, "max_sustained_rate_bps=64000")[0], 0)
        self.assertEqual(said(flows.main, *control, "delete", sfid)[0], 0)
        self.assertNotIn("call", said(flows.main, *control, "list")[1])
        self.assertEqual(said(flows.main, *control, "delete", sfid)[0], 1)


if __name__ == "__main__":
    unittest.main()
