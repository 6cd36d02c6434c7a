# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes of the page: to the program first, then to the file."""
import tempfile
import unittest
from pathlib import Path

from wimax_tools.control import Failed, Refused
from wimax_tools.watch import changes
from wimax_tools.watch.changes import Changes

MAC = "02:00:00:00:00:01"
FILE = f"""# who is served
bs:
  service_flows:
    - {{name: up, direction: uplink, max_sustained_rate_bps: 1000}}  # shared
  stations:
    - mac: "{MAC}"
      flows: [up]
"""


class Program:
    """Says of every request what it is told to say; of a flow what became of it."""

    def __init__(self, errors=()):
        self.errors, self.requests, self.results = list(errors), [], []

    def __call__(self, name, request):
        if "get" in request:
            flow = {"sfid": 5, "name": "up", "station": MAC}
            return {"flows": {"flows": [flow], "results": self.results}, "reload": {"unchanged": ["bs.cp"]}}
        self.requests.append((name, request["set"]))
        if self.errors:
            return {"error": self.errors}
        value = next(iter(request["set"].values()))
        if isinstance(value, dict):
            self.results.append({"id": value.get("id"), "done": True, "ok": True, "sfid": 5, "text": "done", "code": 0})
        return {"ok": True}


class ChangesOfAFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "bs.yml"
        self.file.write_text(FILE, encoding="utf-8")

    def make(self, key, value, program=None, write=True):
        return Changes(program or Program(), self.file).make("bs.macd", key, value, write)

    def text(self):
        return self.file.read_text(encoding="utf-8")

    def test_a_flow_changes_and_comments_stay(self):
        self.assertEqual(self.make("flows.change", {"sfid": 5, "max_sustained_rate_bps": 2000}), ["flow 5: done", f"written to {self.file}"])
        self.assertEqual(self.text(), FILE.replace("1000", "2000"))

    def test_the_marks_of_a_whole_file_stay(self):
        for before in ("", "# who is served\n", "# two\n\n# lines\n"):
            self.file.write_text(f"{before}---\n{FILE}...\n", encoding="utf-8")
            self.make("flows.change", {"sfid": 5, "max_sustained_rate_bps": 2000})
            self.assertEqual(self.text(), f"{before}---\n{FILE.replace('1000', '2000')}...\n")

    def test_a_flow_is_added_and_deleted(self):
        self.make("flows.add", {"station": MAC, "name": "down", "direction": "downlink", "state": "active"})
        self.assertIn("    - name: down\n      direction: downlink\n", self.text())
        self.assertIn("flows: [up, down]\n", self.text())
        self.make("flows.delete", {"sfid": 5})
        self.assertIn("flows: [down]\n", self.text())

    def test_what_has_no_place_in_the_file_is_said(self):
        self.assertEqual(self.make("flows.add", {"station": MAC, "direction": "downlink"})[1],
                         f"not written to {self.file}: a flow without a name has no place there")
        self.assertEqual(self.make("flows.add", {"station": MAC, "name": "up"})[1], f"not written to {self.file}: it has a service flow up already")
        self.assertEqual(self.text(), FILE)

    def test_unasked_nothing_is_written_and_the_answer_says_so(self):
        done = self.make("flows.change", {"sfid": 5, "max_sustained_rate_bps": 2000}, write=False)
        self.assertEqual(done[1], f"not written to {self.file}: a restart or a reload takes it back")
        self.assertEqual(self.text(), FILE)

    def test_what_the_program_refuses_is_not_written(self):
        words = ["flows.change.max_sustained_rate_bps: value -1: allowed 0..1e9"]
        with self.assertRaisesRegex(Refused, words[0]):
            self.make("flows.change", {"sfid": 5, "max_sustained_rate_bps": -1}, Program(words))
        self.assertEqual(self.text(), FILE)

    def test_places_in_the_file(self):
        """Every kind of change, in the file's own terms, and why some have no place there."""
        def flows(*names):
            return {"service_flows": [{"name": name, "rate": 1} for name in names], "stations": [{"mac": "02:00:00:00:00:0A", "flows": list(names)}]}
        other = {"mac": "02:00:00:00:00:0b"}
        none, up = "it has no service flow x", {"name": "up"}
        for key, value, was, fault, base in (
                ("log", {}, {}, "log is nothing that a file has", {}),
                ("profile", {"a": 2}, {}, None, {"profile": {"a": 2}}),
                ("flows.change", {"rate": 2}, {}, "a flow without a name has no place there", {}),
                ("flows.change", {"rate": 2, "name": "x"}, {}, none, {}), ("flows.delete", {}, {"name": "x"}, none, {}),
                ("flows.change", {"rate": 2, "sfid": 1, "id": 2, "station": "x", "state": "active", "classifiers": []}, up, None,
                 {"service_flows": [{"name": "up", "rate": 2}]}),
                ("flows.add", {"name": "new", "station": "02:00:00:00:00:0a", "rate": 3, "state": "x"}, {}, None,
                 {"service_flows": [{"name": "up", "rate": 1}, {"name": "new", "rate": 3}], "stations": [{"mac": "02:00:00:00:00:0A", "flows": ["up", "new"]}]}),
                ("flows.add", {"name": "new", "station": other["mac"]}, {}, None,
                 {"service_flows": [{"name": "up", "rate": 1}, {"name": "new"}], "stations": [*flows("up")["stations"], {**other, "flows": ["new"]}]}),
                ("flows.delete", {}, {**up, "station": other["mac"]}, "no station there has the service flow up", {}),
                ("flows.delete", {}, {**up, "station": "02:00:00:00:00:0A"}, None, {"stations": [{"mac": "02:00:00:00:00:0A", "flows": []}]})):
            document = {"bs": flows("up")}
            self.assertEqual(changes.into_file(document, key, value, was), fault, key)
            self.assertEqual(document["bs"], {**flows("up"), **base}, key)
        empty = {}
        self.assertIsNone(changes.into_file(empty, "flows.add", {"name": "a", "station": "b"}, {}))
        self.assertEqual(empty, {"bs": {"service_flows": [{"name": "a"}], "stations": [{"mac": "b", "flows": ["a"]}]}})

    def test_a_file_keeps_its_rights(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "bs.macd.yml")
            path.write_text("old", encoding="utf-8")
            for mode in (0o600, 0o640):
                path.chmod(mode)
                changes.write_whole(path, "new")
                self.assertEqual((path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777), ("new", mode))

    def test_what_is_no_change(self):
        for program, key in ((1, "profile"), ("bs.macd", None)):
            with self.assertRaisesRegex(Refused, "a change has program, key and value"):
                Changes(Program()).make(program, key, {})
        with self.assertRaisesRegex(Refused, "no file to show"):
            Changes(Program()).text()
        self.assertEqual((Changes(Program()).file, Changes(Program(), "x").file), (None, "x"))
        with self.assertRaisesRegex(Failed, "taken, though it is no flow"):
            self.make("flows.add", 5)
        self.assertEqual(self.make("log.mac", "debug", write=False), ["log.mac: done", "holds while the program runs"])
        self.assertEqual(Changes(Program()).make("bs.macd", "profile", {"a": 1}), ["profile: done", "not written to a file: a restart or a reload takes it back"])

        class Failing(Program):
            def __call__(self, name, request):
                reply = super().__call__(name, request)
                for result in self.results:
                    result.update(ok=False, text="no room", code=4)
                return reply
        with self.assertRaisesRegex(Failed, r"flow 5: no room \(code 4\)"):
            self.make("flows.delete", {"sfid": 5}, Failing())
        self.assertEqual(self.text(), FILE)

    def test_without_a_file_nothing_changes_that_shall_be_written(self):
        program = Program()
        with self.assertRaisesRegex(Refused, "no file to write to: begin with --file CONFIG; nothing is changed"):
            Changes(program).make("bs.macd", "profile", {"request_backoff_end": 8}, write=True)
        self.assertEqual(program.requests, [])

    def test_a_whole_file_that_is_refused_is_as_it_was(self):
        refused = Changes(Program(["bs.yml:3: bs.cp: value 7: allowed 1/4, 1/8"]), self.file)
        with self.assertRaisesRegex(Refused, "bs.cp"):
            refused.replace("bs.macd", "bs: {cp: 7}\n")
        self.assertEqual(self.text(), FILE)
        self.assertEqual(Changes(Program(), self.file).replace("bs.macd", "bs: {}\n"),
                         [f"{self.file} written and read again", "bs.cp changes with a restart only"])
        self.assertEqual(self.text(), "bs: {}\n")


if __name__ == "__main__":
    unittest.main()
