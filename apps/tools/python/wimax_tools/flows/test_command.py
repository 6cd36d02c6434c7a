# SPDX-License-Identifier: GPL-3.0-or-later
import json
import unittest

from wimax_tools.control import Failed, Refused
from wimax_tools.flows import command


class Daemon:
    """Control socket of a station that takes a while to do as it is told."""

    def __init__(self, code=0, polls=2, error=None):
        self.code, self.polls, self.error = code, polls, error
        self.requests, self.id = [], None

    def __call__(self, request):
        self.requests.append(request)
        if "set" in request:
            (value,) = request["set"].values()
            self.id = value["id"]
            return {"error": [self.error]} if self.error else {"ok": True}
        self.polls -= 1
        results = [{"id": 1, "done": True, "ok": True, "sfid": 99, "text": "done", "code": 0}]
        if self.id is not None:
            done = self.polls <= 0
            results.append({"id": self.id, "done": done, "ok": done and self.code == 0, "sfid": 3,
                            "text": "not allowed" if self.code else "done", "code": self.code})
        return {"flows": {"flows": [{"station": "02:00:00:00:00:01", "sfid": 3, "state": "active"}],
                          "multicast": [{"members": 3, "listeners": 2, "sfid": 0, "cid": 641, "sdus": 7}],
                          "results": results}}


def run(daemon, *arguments):
    return command.run(command.parser().parse_args(arguments), daemon)


class Flows(unittest.TestCase):
    def test_list(self):
        lines = run(Daemon(), "list").splitlines()
        self.assertEqual(lines[0].split()[:3], ["station", "sfid", "cid"])
        self.assertEqual(lines[1].split()[:3], ["02:00:00:00:00:01", "3", "-"])
        self.assertEqual(lines[2].split()[:5], ["2", "of", "3", "-", "641"])
        self.assertEqual(json.loads(run(Daemon(), "--json", "list"))["flows"][0]["sfid"], 3)

    def test_add_waits_for_its_own_result(self):
        daemon = Daemon(polls=3)
        said = run(daemon, "add", "--station", "02:00:00:00:00:01", "direction=uplink", "max_sustained_rate_bps=64000",
                   'classifiers=[{"protocols": [17]}]')
        self.assertEqual(said, "flow 3: done")
        self.assertEqual(len(daemon.requests), 4)
        self.assertEqual(daemon.requests[0], {"set": {"flows.add": {
            "id": daemon.id, "station": "02:00:00:00:00:01", "direction": "uplink", "max_sustained_rate_bps": 64000,
            "classifiers": [{"protocols": [17]}]}}})

    def test_change_and_delete_name_the_flow(self):
        daemon = Daemon()
        run(daemon, "change", "3", "state=admitted")
        self.assertEqual(daemon.requests[0], {"set": {"flows.change": {"id": daemon.id, "sfid": 3, "state": "admitted"}}})
        daemon = Daemon()
        self.assertEqual(json.loads(run(daemon, "--json", "delete", "3"))["ok"], True)
        self.assertEqual(daemon.requests[0], {"set": {"flows.delete": {"id": daemon.id, "sfid": 3}}})

    def test_what_goes_wrong(self):
        with self.assertRaisesRegex(Failed, r"flow 3: not allowed \(code 4\)"):
            run(Daemon(code=4), "delete", "3")
        with self.assertRaisesRegex(Refused, "state"):
            run(Daemon(error="flows.change.state: value idle"), "change", "3", "state=idle")
        with self.assertRaisesRegex(Failed, "no answer"):
            run(lambda request: None, "list")
        daemon = Daemon(polls=1000)
        run_once = command.request_of(command.parser().parse_args(["delete", "3"]), 7)
        daemon(run_once)
        with self.assertRaisesRegex(Failed, "no result"):
            command.result_of(daemon, 7, pause=lambda seconds: None, tries=5)
        self.assertEqual(len(daemon.requests), 6)
        with self.assertRaises(SystemExit):
            command.parser().parse_args(["change", "3", "rate"])


if __name__ == "__main__":
    unittest.main()
