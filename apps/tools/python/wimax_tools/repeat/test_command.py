# SPDX-License-Identifier: GPL-3.0-or-later
"""Results that are repeated, and hostile files. wimax-sim is run where it is built."""
import contextlib
import copy
import io
import json
import lzma
import os
from pathlib import Path
import subprocess
import tempfile
import unittest
from unittest import mock

from wimax_tools.campaign import tasks
from wimax_tools.control import Failed, Refused
from wimax_tools.repeat import command
from wimax_tools.repeat.commands import COMMANDS, repeat_words, rule
from wimax_tools.repeat.compare import Comparison, EXACT, IGNORED, Tolerance, figures
from wimax_tools.repeat.recorded_run import read_result, recorded_run

MADE = {"program": "wimax-sim", "version": "0.1.0", "commit": "abc1234", "command": "wimax-sim --scenario a.yml --seconds 1 --json r.json", "machine": "host, cpu, 2 cores",
        "date": "2026-01-01T00:00:00Z", "seed": 7, "configuration": {"a.yml": "stations: 1\n"}}
SIM = tasks.program("wimax-sim")
BENCH = {**MADE, "program": "wimax bench", "command": "./wimax bench --snr-db 20 --out here", "configuration": {}}


def changed(**more):
    return {"figure": 1, "provenance": {**copy.deepcopy(MADE), **more}}


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name).resolve() / "base"
        self.scratch = self.base.parent / "scratch"
        self.base.mkdir()
        self.scratch.mkdir()

    def words(self, **more):
        return repeat_words(recorded_run(changed(**more), COMMANDS), self.base, self.scratch)

    def file(self, text, name="r.json"):
        path = self.base / name
        path.write_text(text, encoding="utf-8")
        return str(path)


class Reading(Folder):
    def test_not_readable(self):
        for text, words in (("", "not readable as JSON"), ("[1]", "a JSON object"), ('{"a": NaN}', "not a number"), ('{"a": 1e999}', "not a number"), ("[" * 100000, "not readable"),
                            ('{"a": ' + "9" * 5000 + "}", "not readable|no provenance"), ('{"a": 1', "not readable"), ("\x00", "not readable")):
            with self.subTest(text[:20]), self.assertRaisesRegex(Refused, words):
                recorded_run(read_result(self.file(text)), COMMANDS)
        (self.base / "octets.json").write_bytes(b"\xff\xfe")
        for name, words in (("octets.json", "not readable"), ("none.json", "no regular file"), (".", "no regular file")):
            with self.assertRaisesRegex(Refused, words):
                read_result(self.base / name)
        with self.assertRaisesRegex(Refused, "no regular file"):
            read_result("/dev/zero")
        with mock.patch("wimax_tools.repeat.recorded_run.MOST_BYTES", 10), self.assertRaisesRegex(Refused, "more than"):
            read_result(self.file('{"abcdefghijk": 1}'))

    def test_compressed(self):
        path = self.base / "r.json.xz"
        path.write_bytes(lzma.compress(json.dumps(changed()).encode()))
        self.assertEqual(read_result(path), changed())
        path.write_bytes(b"\xff\xff not compressed")
        with self.assertRaisesRegex(Refused, "not readable"):
            read_result(path)
        with mock.patch("wimax_tools.repeat.recorded_run.MOST_BYTES", 1000), self.assertRaisesRegex(Refused, "more than"):
            path.write_bytes(lzma.compress(b" " * 100000))
            read_result(path)

    def test_provenance_of_wrong_types(self):
        for result in ({}, {"provenance": None}, {"provenance": [MADE]}, {"provenance": "wimax-sim"}):
            with self.assertRaisesRegex(Refused, "no provenance"):
                recorded_run(result, COMMANDS)
        for key, values in (("program", (None, 1, ["wimax-sim"], {}, "rm", "wimax-macd", "wimax", "../wimax-sim", "wimax up")), ("command", (None, 1, ["wimax-sim"], {"a": 1}, "x" * 70000, "wimax-sim '\ud800'")),
                            ("seed", (None, -1, 1.5, True, "7", 1 << 64, 10 ** 400)), ("version", (None, 1, [])), ("commit", (None, 5)), ("machine", (None, {}))):
            for value in values:
                with self.subTest(key, value=value), self.assertRaisesRegex(Refused, f"provenance.{key}: value .*allowed: "):
                    recorded_run(changed(**{key: value}), COMMANDS)
        for value in (None, [], "x", {"a": 1}, {"a": None}, {str(i): "" for i in range(17)}, {"a": "x" * (1 << 21)}, {"a": "\ud800"}):
            with self.assertRaisesRegex(Refused, "provenance.configuration: "):
                recorded_run(changed(configuration=value), COMMANDS)

    def test_an_error_is_one_short_printable_line(self):
        with self.assertRaises(Refused) as caught:
            recorded_run(changed(program="\x1b[2J\n" * 1000), COMMANDS)
        self.assertLess(len(str(caught.exception)), 400)
        self.assertNotRegex(str(caught.exception), "[\x1b\n]")

    def test_characters_of_a_shell(self):
        for typed in ("wimax-sim; rm -rf x", "wimax-sim --seed $(id)", "wimax-sim `id`", "wimax-sim | tee x", "wimax-sim > x", "wimax-sim && id", "wimax-sim & id", "wimax-sim\nid", "wimax-sim $HOME",
                      "wimax-sim *", "wimax-sim ~/x", "wimax-sim \"a\"", "wimax-sim 'a", "wimax-sim \\x", "wimax-sim  a", " wimax-sim", "wimax-sim\0", "wimax-sim 'a\0'", "wimax-sim '\x1b[2J'", "", "#"):
            with self.subTest(typed), self.assertRaisesRegex(Refused, "provenance.command: value .*unquoted characters of a shell"):
                recorded_run(changed(command=typed), COMMANDS)

    def test_another_program_than_it_names(self):
        for typed in ("rm -rf x", "/bin/sh -c id", "./wimax bench", "wimax-link --rate 1", "sudo wimax-sim", "wimax-sim2"):
            with self.subTest(typed), self.assertRaisesRegex(Refused, "a command that begins with wimax-sim"):
                recorded_run(changed(command=typed), COMMANDS)

    def test_quoted_words_stay_whole(self):
        self.assertEqual(recorded_run(changed(command="wimax-sim --set 'traffic[0].kind=tcp' 'it'\\''s; $(id)'"), COMMANDS).words, ["--set", "traffic[0].kind=tcp", "it's; $(id)"])
        self.assertEqual(recorded_run(changed(program="wimax bench", command="./wimax bench --out 'a'\"'\"'b'"), COMMANDS).words, ["--out", "a'b"])


class Words(Folder):
    def test_the_simulator(self):
        words = self.words()
        self.assertEqual(words[0], SIM)
        self.assertEqual(words[1], "--scenario")
        self.assertEqual(Path(words[2]).read_text(encoding="utf-8"), "stations: 1\n")
        self.assertEqual(Path(words[2]).parent, self.scratch)
        self.assertEqual(words[3:], ["--seconds", "1", "--seed", "7", "--json", str(self.scratch / "again.json"), "--csv", "", "--pcap", "", "--plot", "", "--archive", ""])

    def test_outputs_are_never_those_of_the_file(self):
        for option in ("json", "csv", "pcap", "plot", "archive"):
            for typed in (f"--{option} /etc/x", f"--{option}=/etc/x", f"--{option} ../x"):
                words = self.words(command=f"wimax-sim --seconds 1 {typed} --stations 2")
                self.assertEqual((words[1:5], [word for word in words if word.endswith("x")]), (["--seconds", "1", "--stations", "2"], []), typed)
        words = repeat_words(recorded_run({"provenance": {**BENCH, "command": "./wimax bench --arch=/etc/x --pc /etc/x --keep_logs /etc/x --js /etc/x --out /etc/x --both-ways"}}, COMMANDS), self.base, self.scratch)
        self.assertEqual(words[1:], ["-B", "-P", "-m", "wimax_tools.bench", "--both-ways", "--seed", "7", "--json", str(self.scratch / "again.json"), "--out", str(self.scratch / "out")])

    def test_seed_of_the_result(self):
        words = self.words(command="wimax-sim --seed 1")
        self.assertEqual([words[i + 1] for i, word in enumerate(words) if word == "--seed"], ["7"])

    def test_files_below_the_folder_only(self):
        (self.base.parent / "secret").write_text("", encoding="utf-8")
        (self.base / "link").symlink_to("../secret")
        for typed in ("--scenario /etc/passwd", "/etc/passwd", "--scenario=/etc/passwd", "../secret", "deep/../../secret", "link", "--set privacy.keys=/root", "--set=privacy.keys=/root", "a,/etc/passwd"):
            with self.subTest(typed), self.assertRaisesRegex(Refused, "is not below"):
                self.words(command=f"wimax-sim {typed}")
        self.words(command=f"wimax-sim {self.base}/inside.yml --cp 1/8 --privacy.keys keys/here")

    def test_names_in_the_configuration_lead_nowhere(self):
        for name in ("/etc/a.yml", "../../a.yml", "a\nb", "x" * 5000, "", "..", "a/"):
            words = self.words(command="wimax-sim a.yml", configuration={name: "stations: 1\n", "a.yml": ""})
            self.assertEqual({path.parent for path in self.scratch.rglob("*")}, {self.scratch})
            self.assertTrue(words[1].startswith(str(self.scratch)))

    def test_names_in_a_word_are_replaced_once(self):
        words = self.words(command="wimax-sim --set a=r.yml,my-r.yml,r.yml", configuration={"r.yml": ""})
        place = str(next(self.scratch.rglob("*r.yml")))
        self.assertEqual(words[words.index("--set") + 1], f"a={place},my-r.yml,{place}")

    def test_options_that_cannot_be_repeated(self):
        for program, typed, words in (("wimax bench", "./wimax bench --lates 5", "--lates are not repeated: late frames"), ("wimax bench", "./wimax bench --mat", "--matrix"),
                                      ("wimax endurance", "./wimax endurance --live", "--live"), ("wimax-iq", "wimax-iq generate a.json --out /etc/x", "wimax-iq decode"),
                                      ("wimax-sim", "wimax-sim -- x", "-- is not allowed")):
            with self.subTest(typed), self.assertRaisesRegex(Refused, words):
                self.words(program=program, command=typed)

    def test_annotations_of_a_recording_are_written_elsewhere(self):
        for suffix in ("sigmf-meta", "sigmf-data"):
            self.file(suffix, f"a.{suffix}")
        for suffix in ("sigmf-meta", "sigmf-data"):
            words = self.words(program="wimax-iq", command=f"wimax-iq decode --in a.{suffix} --spec s.json")
            place = Path(words[words.index("--in") + 1])
            self.assertEqual((place.parent, place.read_text(encoding="utf-8")), (self.scratch, suffix))
            self.assertFalse((self.scratch / "recording.sigmf-meta").is_symlink())
            for path in self.scratch.iterdir():
                path.unlink()
        words = self.words(program="wimax-iq", command="wimax-iq decode --in a.sigmf --spec s.json")
        self.assertEqual(Path(words[words.index("--in") + 1]), self.scratch / "recording.sigmf")
        with self.assertRaisesRegex(Refused, "b.sigmf-meta does not exist; --folder"):
            self.words(program="wimax-iq", command="wimax-iq decode --in b.sigmf-meta --spec s.json")


class Compared(unittest.TestCase):
    def compared(self, one, other, program="wimax bench"):
        return Comparison(one, other, lambda path: rule(program, one, path))

    def test_paths(self):
        self.assertEqual(figures({"a": [{"b": 1}, 2], "c": {"d.e": "x"}, "f": [], "g": None}), {"a[0].b": 1, "a[1]": 2, "c.d.e": "x", "g": None})

    def test_rules(self):
        for path, found in (("wall_s", IGNORED), ("wall.frame_us.mean", IGNORED), ("memory.resident_bytes[3]", IGNORED), ("scheduler_us_per_frame.p99", IGNORED), ("flows[0].goodput_bps", EXACT)):
            self.assertIs(rule("wimax-sim", {}, path), found, path)
        self.assertIs(rule("wimax endurance", {}, "result.wall_s"), IGNORED)
        self.assertIs(rule("wimax endurance", {}, "result.provenance.date"), IGNORED)
        self.assertEqual(rule("wimax bench", {}, "stations[0].downlink.tcp_kbps"), Tolerance(relative=0.05))
        self.assertIs(rule("wimax bench", {}, "stations[0].downlink.capacity_kbps"), EXACT)
        self.assertIs(rule("wimax bench", {}, "host_stall_s"), IGNORED)

    def test_tolerances(self):
        both = Tolerance(relative=0.1, absolute=2)
        for one, other, agrees in ((100, 110, True), (100, 110.1, False), (5, 7, True), (5, 7.1, False), (0, -2, True), ("a", "a", True), ("a", "b", False), (1, "1", False), (None, None, True)):
            self.assertEqual(both.agrees(one, other), agrees, (one, other))
        self.assertTrue(EXACT.agrees(1, 1.0))
        self.assertFalse(EXACT.agrees(True, 1))
        self.assertEqual(list(map(str, (both, EXACT, Tolerance(relative=0.02)))), ["within 10 % or 2", "exact", "within 2 %"])

    def test_bounds_that_overlap(self):
        def result(value, low, high):
            return {"lab_profile": {"uplink": {"kbps": value, "lost": 3}}, "bounds": {"lab_profile": {"uplink": {"kbps": [low, high]}}}, "goals": [{"what": "x", "measured": value, "met": True}]}

        recorded = result(100.0, 98.0, 102.0)
        self.assertTrue(self.compared(recorded, result(104.0, 101.5, 106.0)).agrees)
        found = self.compared(recorded, result(104.0, 102.5, 106.0))
        self.assertEqual([(one.path, one.allowed) for one in found.differences], [("lab_profile.uplink.kbps", "98 .. 102")])
        missed = result(100.0, 98.0, 102.0)
        missed["goals"][0]["met"] = False
        self.assertEqual([one.path for one in self.compared(recorded, missed).differences], ["goals[0].met"])

    def test_a_purpose_without_symbols_is_absent(self):
        for idle, agrees in ((0.9, True), (1.1, False)):
            for one, other in (({"idle": idle}, {}), ({}, {"idle": idle})):
                found = self.compared({"breakdown": {"downlink": {"data": 90.0, **one}}}, {"breakdown": {"downlink": {"data": 90.0, **other}}})
                self.assertEqual(found.agrees, agrees, (one, other))

    def test_a_busy_host_is_reported(self):
        self.assertEqual(command.host_remarks({"host_stall_s": 0.02}, {"host_stall_s": 0.09}), [])
        self.assertEqual(command.host_remarks({"host_stall_s": "x"}, {}), [])
        self.assertEqual(command.host_remarks({"host_stall_s": 0.02}, {"host_stall_s": 0.25}), ["longest host stall: 20 ms recorded, 250 ms here; figures of a busy host differ"])

    def test_several_experiments(self):
        one = {"lab_profile": {"uplink": {"kbps": 100.0}}, "bounds": {"lab_profile": {"uplink": {"kbps": [98.0, 102.0]}}}, "cases": {"x": {"seconds": 3}}, "provenance": {"date": "a"}}
        other = copy.deepcopy(one)
        other["lab_profile"]["uplink"]["kbps"], other["bounds"]["lab_profile"]["uplink"]["kbps"], other["provenance"]["date"] = 103.0, [101.0, 105.0], "b"
        self.assertTrue(self.compared({"experiments": [one, one]}, {"experiments": [one, other]}).agrees)
        other["bounds"]["lab_profile"]["uplink"]["kbps"][0] = 102.5
        found = self.compared({"experiments": [one, one]}, {"experiments": [one, other]})
        self.assertEqual([one.path for one in found.differences], ["experiments[1].lab_profile.uplink.kbps"])
        self.assertEqual([one.path for one in self.compared({"experiments": [one]}, {"experiments": 5}).differences], ["experiments[0].lab_profile.uplink.kbps", "experiments"])

    def test_what_is_missing_or_new(self):
        found = self.compared({"a": 1, "wall_s": 2, "b": {"c": 1}}, {"a": 1, "d": 5}, "wimax-sim")
        self.assertEqual([(one.path, one.recorded, one.again) for one in found.differences], [("b.c", 1, "absent"), ("d", "absent", 5)])
        self.assertFalse(self.compared({"wall_s": 1}, {"wall_s": 1}, "wimax-sim").agrees, "nothing is compared")

    def test_table(self):
        text = self.compared({"a": 1, "b": [1] * 99}, {"a": 2, "b": [3] * 99}, "wimax-sim").table()
        self.assertRegex(text, r"(?m)^\(single figures\) +1 +1$")
        self.assertRegex(text, r"(?m)^all +100 +100$")
        self.assertRegex(text, r"(?m)^a +1 +2  exact$")
        self.assertIn("and 60 more; --json FILE lists all", text)


class Command(Folder):
    def call(self, *words):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), mock.patch.object(command, "run", self.run_quietly):
            code = command.main(list(words))
        return code, out.getvalue(), err.getvalue()

    @staticmethod
    def run_quietly(words, folder, longest_s):
        return subprocess.run(words, cwd=folder, timeout=longest_s, check=False, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode

    def simulated(self):
        """A result of the simulator, whose scenario is gone."""
        self.file("stations: 2\nseconds: 0.5\npcap: '" + str(self.base / "evil.pcap") + "'\ntraffic:\n  - {rate_bps: 100000}\n", "a.yml")
        subprocess.run([SIM, "--scenario", "a.yml", "--seed", "9", "--pcap", "", "--json", "r.json"], cwd=self.base, check=True, timeout=60)
        (self.base / "a.yml").unlink()
        return self.base / "r.json"

    @unittest.skipUnless(os.path.exists(SIM), "wimax-sim is not built")
    def test_a_result_of_the_simulator(self):
        path = self.simulated()
        before = {one.name: one.stat().st_mtime_ns for one in self.base.iterdir()}
        result = json.loads(path.read_text(encoding="utf-8"))
        self.assertEqual(result["provenance"]["seed"], 9)
        code, out, err = self.call(str(path), "--folder", str(self.base))
        self.assertEqual((code, out.splitlines()[-1]), (0, "all figures agree"), err)
        self.assertEqual({one.name: one.stat().st_mtime_ns for one in self.base.iterdir()}, before, "nothing is written there")
        result["flows"][1]["offered_packets"] += 1
        result["provenance"].update(version="9", commit="fffffff", machine="elsewhere, other cpu, 64 cores")
        path.write_text(json.dumps(result), encoding="utf-8")
        code, out, err = self.call(str(path), "--folder", str(self.base), "--json", str(self.base / "c.json"))
        self.assertEqual((code, out.splitlines()[-1]), (1, "1 figures differ"))
        self.assertRegex(out, r"(?m)^flows\[1\]\.offered_packets +\d+ +\d+  exact$")
        for words in ("version: 9 recorded, ", "commit: fffffff recorded, ", "machine: other cpu, 64 cores recorded, "):
            self.assertIn(words, err)
        told = json.loads((self.base / "c.json").read_text(encoding="utf-8"))
        self.assertEqual((told["agrees"], len(told["differences"]), told["provenance"]["program"]), (False, 1, "wimax repeat"))

    def ran(self, *words):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            return command.run([SIM, *words], self.base, 60), err.getvalue()

    @unittest.skipUnless(os.path.exists(SIM), "wimax-sim is not built")
    def test_no_policy_of_a_file_is_loaded(self):
        marker = self.base / "marker"
        self.file(f"open({str(marker)!r}, 'w').close()\nclass E:\n    pass\n", "x.py")
        self.file("base_station: {dl_scheduler: {library: " + str(self.base / "x.so") + "}}\n", "a.yml")
        for words in (("--base_station.dl_scheduler.python", "x.py:E"), ("--set", "base_station={ul_scheduler: {python: 'x.py:E'}}"), ("--scenario", "a.yml"),
                      ("--base_station.admission.python", "x.py:E"), ("--subscriber_station.classifier.python", "x.py:E")):
            status, err = self.ran(*words, "--seconds", "0.1", "--json", "-")
            self.assertEqual((status, marker.exists()), (2, False))
            self.assertIn("wimax repeat loads no policy of a file", err)

    @unittest.skipUnless(os.path.exists(SIM), "wimax-sim is not built")
    def test_what_the_command_prints_is_escaped(self):
        status, err = self.ran("--x\x9b31m\u202e")
        self.assertEqual((status, [mark for mark in "\x9b\u202e" if mark in err]), (2, []))
        self.assertIn("31m", err)

    @unittest.skipUnless(os.path.exists(SIM), "wimax-sim is not built")
    def test_wrong_input(self):
        path = self.simulated()
        result = json.loads(path.read_text(encoding="utf-8"))
        for more, words in (({"command": "wimax-sim --nonsense 1"}, "refused as wrong input"), ({"command": "wimax-sim --stations 99999999999999999999"}, "refused as wrong input"),
                            ({"program": "wimax-macd"}, "allowed: wimax-sim, "), ({"command": "wimax-sim --scenario /etc/passwd"}, "is not below")):
            path.write_text(json.dumps({**result, "provenance": {**result["provenance"], **more}}), encoding="utf-8")
            code, _, err = self.call(str(path), "--folder", str(self.base))
            self.assertEqual(code, 2, err)
            self.assertIn(words, err)
        path.write_text(json.dumps({**result, "provenance": {**result["provenance"], "command": "wimax-sim --dry-run"}}), encoding="utf-8")
        self.assertEqual(self.call(str(path))[0], 1, "no result")
        self.assertEqual(self.call(str(path), "--folder", "/nowhere")[0], 2)

    def test_nested_deeply(self):
        deep = {"a": 1}
        for _ in range(900):
            deep = {"a": deep}
        path = self.file(json.dumps({**deep, "provenance": {**MADE, "configuration": {}}}))
        with mock.patch.object(command, "repeated", lambda *_: {"provenance": MADE}), mock.patch.object(command, "Comparison", side_effect=RecursionError):
            self.assertEqual(self.call(path)[0], 2)

    def test_names_of_figures_are_printable(self):
        text = Comparison({"a\n\x1b[2J": 1, "b": "\x1b"}, {"a\n\x1b[2J": 2, "b": ""}, lambda _: EXACT).table()
        self.assertNotIn("\x1b", text)
        self.assertEqual(len(text.splitlines()), 8)

    def test_a_bench_needs_root(self):
        path = self.file(json.dumps({"figure": 1, "provenance": BENCH}))
        with mock.patch("os.geteuid", lambda: 1000):
            code, _, err = self.call(path)
        self.assertEqual((code, "sudo" in err), (1, True), err)

    def test_too_long_and_not_there(self):
        with self.assertRaisesRegex(Failed, "took longer than 0.2 s"):
            command.run(["sleep", "60"], self.base, 0.2)
        with self.assertRaisesRegex(Failed, "No such file"):
            command.run(["/nowhere/wimax-sim"], self.base, 1)


if __name__ == "__main__":
    unittest.main()
