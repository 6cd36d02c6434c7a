# SPDX-License-Identifier: GPL-3.0-or-later
import json
import unittest

from wimax_tools import control
from wimax_tools.control import Failed, Refused
from wimax_tools.stations import command

MAC = "02:00:00:00:00:01"


class Daemon:
    """Control socket of a base station."""

    def __init__(self, error=None):
        self.error, self.requests = error, []

    def __call__(self, request):
        self.requests.append(request)
        if self.error:
            return {"error": [self.error]}
        return {"ok": True, "stations": [{"mac": MAC, "basic_cid": 5, "state": "operational",
                                           "rssi_dbm": -59.959293365478516, "cinr_db": 42.2974739074707}],
                "reload": {"done": 1, "unchanged": ["bs.t7_ms"]}}


def run(daemon, *arguments):
    return command.run(command.parser().parse_args(arguments), daemon)


class Stations(unittest.TestCase):
    def test_list(self):
        lines = run(Daemon(), "list").splitlines()
        self.assertEqual(lines[0].split()[:3], ["mac", "name", "basic_cid"])
        self.assertEqual(lines[1].split()[:3], [MAC, "-", "5"])
        self.assertEqual(lines[1].split()[-2:], ["-59.96", "42.3"])
        self.assertEqual(json.loads(run(Daemon(), "--json", "list"))[0]["rssi_dbm"], -59.959293365478516)

    def test_large_figures_have_no_exponent(self):
        self.assertEqual(control.columns([{"a": 123456.7, "b": -9999.4, "c": 0.00001234}], ("a", "b", "c")).splitlines()[1].split(),
                         ["123457", "-9999", "1.234e-05"])

    def test_each_verb_is_its_key(self):
        for verb in ("deregister", "reset", "silence", "suspend", "resume"):
            daemon = Daemon()
            self.assertEqual(run(daemon, verb, MAC), f"{MAC}: {verb} requested")
            self.assertEqual(daemon.requests, [{"set": {f"stations.{verb}": {"mac": MAC}}}])

    def test_rates(self):
        daemon = Daemon()
        self.assertEqual(run(daemon, "rates", MAC, "--dl", "4", "--ul-lowest", "0"), f"{MAC}: rates changed")
        self.assertEqual(daemon.requests, [{"set": {"stations.rates": {"mac": MAC, "dl_rate_id": 4, "ul_lowest_rate_id": 0}}}])

    def test_reload_prints_keys_that_need_a_restart(self):
        daemon = Daemon()
        self.assertEqual(run(daemon, "reload"), "configuration read again\nbs.t7_ms: changes only with a restart")
        self.assertEqual(daemon.requests, [{"set": {"reload": True}}, {"get": "reload"}])

    def test_what_is_wrong_and_what_is_not_now(self):
        with self.assertRaises(Refused):
            run(Daemon("mac: value x"), "reset", "x")
        with self.assertRaises(Failed):
            run(Daemon("possible later: no such station is registered"), "reset", MAC)
