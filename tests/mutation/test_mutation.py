# SPDX-License-Identifier: GPL-3.0-or-later
"""The mutation runner, on a project of one function."""
import contextlib
import io
import json
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import mutants
import mutation

HERE = Path(__file__).resolve().parent
PATIENCE_S = 10  # beyond five times the test's own time: what the one fault that never comes back costs


class Fixture(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="wimax-mutation-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.source = self.folder / "source"
        shutil.copytree(HERE / "fixture", self.source, ignore=shutil.ignore_patterns("*.yml"))
        self.maxDiff = None
        (self.source / "tests/mutation").mkdir(parents=True)
        shutil.copy(HERE / "mutant.h", self.source / "tests/mutation")
        subprocess.run(["git", "init", "-q", self.source], check=True)

    def list(self, text, name="list.yml"):
        (self.source / "tests/mutation" / name).write_text(text, encoding="utf-8")

    def run_lists(self, resume=False, said=None):
        areas = mutants.load(self.source)
        tree = mutation.Tree(self.source, self.folder / "build")
        results = mutation.Results(self.folder / "results.json", tree.state())
        runner = mutation.Runner(tree, results, patience_s=PATIENCE_S, say=(said if said is not None else []).append)
        runner.run(areas, results.known if resume else lambda mutant: False)
        return mutation.summary(areas, results, runner.refused), runner


class Outcomes(Fixture):
    def test_what_is_noticed_survives_hangs_or_does_not_build(self):
        for name in ("faults.yml", "python.yml"):
            self.list((HERE / "fixture" / name).read_text(encoding="utf-8"), name)
        said, _ = self.run_lists()
        self.assertEqual([(m["what"].split(",")[0], m["outcome"], m["by"]) for a in said["areas"] for m in a["mutants"]], [
            ("too small numbers pass", "noticed", "check_clamp (Failed)"),
            ("too large numbers pass (not tested)", "survived", ""),
            ("never comes back", "noticed", "takes too long"),
            ("result forgotten", "noticed", "check_clamp (Failed)"),
            ("crosses the one before", "noticed", "check_clamp (Failed)"),
            ("another constant", "noticed", "check_clamp (Failed)"),
            ("not C++ at all", "does not build", ""),
            ("on the line that the compiler complains of", "noticed", "check_clamp (Failed)"),
            ("another word", "noticed", "check_greeting (Failed)"),
            ("another end", "survived", "")])
        self.assertEqual(mutation.grouped(said), [("clamp", 6, 7, 8), ("greeting", 1, 2, 2), ("all", 7, 9, 10)])
        self.assertEqual(mutation.markdown(said).splitlines()[2:],
                         ["| clamp | 7 | 6 | 86 % |", "| greeting | 2 | 1 | 50 % |", "| all | 9 | 7 | 78 % |"])
        out = io.StringIO()
        mutation.table(said, out)
        self.assertIn("clamp-all: survived: too large numbers pass (not tested)  [clamp.cc:8]\n", out.getvalue())
        self.assertNotIn("too small", out.getvalue())
        self.assertEqual({p: (self.source / p).read_bytes() for p in ("clamp.cc", "greeting.py")},
                         {p: (HERE / "fixture" / p).read_bytes() for p in ("clamp.cc", "greeting.py")})

    def test_a_run_is_taken_up_and_a_changed_tree_is_not(self):
        self.list((HERE / "fixture/python.yml").read_text(encoding="utf-8"))
        first, _ = self.run_lists()
        results = json.loads((self.folder / "results.json").read_text(encoding="utf-8"))
        stopped_before = next(key for key, record in results.items() if record["what"] == "another end")
        del results[stopped_before]
        (self.folder / "results.json").write_text(json.dumps(results), encoding="utf-8")
        lines = []
        again, _ = self.run_lists(resume=True, said=lines)
        self.assertEqual([m["outcome"] for m in again["areas"][0]["mutants"]], ["noticed", "survived"])
        self.assertEqual([line.split("  ")[-1] for line in lines if "[greeting.py" in line], ["[greeting.py:2]"])
        self.assertIn("another end", lines[-1])
        text = (self.source / "greeting.py").read_text(encoding="utf-8")
        (self.source / "greeting.py").write_text(text + 'assert GREETING.endswith("day")\n', encoding="utf-8")
        sharper, _ = self.run_lists(resume=True)
        self.assertEqual([m["outcome"] for m in sharper["areas"][0]["mutants"]], ["noticed", "noticed"])
        self.assertNotEqual(first["state"], sharper["state"])

    def test_an_area_whose_tests_fail_anyway_is_refused(self):
        self.list((HERE / "fixture/python.yml").read_text(encoding="utf-8").replace("^check_greeting$", "^check_nothing$"))
        said, runner = self.run_lists()
        self.assertEqual(runner.refused, {"greeting": "tests '^check_nothing$' fail without a fault"})
        self.assertEqual((said["areas"][0]["noticed"], said["areas"][0]["total"]), (0, 0))

    def test_a_target_that_is_none(self):
        self.list((HERE / "fixture/python.yml").read_text(encoding="utf-8").replace("build: []", "build: [check_moon]"))
        with self.assertRaisesRegex(mutation.Refused, "^greeting: 'check_moon' is not a target$"):
            self.run_lists()

    def test_a_test_that_nobody_builds(self):
        text = (HERE / "fixture/python.yml").read_text(encoding="utf-8")
        self.list(text.replace("^check_greeting$", "^check_(greeting|clamp)$"))
        with self.assertRaisesRegex(mutation.Refused, "^greeting: 'check_clamp' is asked for and not built$"):
            self.run_lists()


class Lists(Fixture):
    def faults(self, text):
        self.list(text)
        with self.assertRaises(mutants.ListError) as caught:
            mutants.load(self.source)
        return str(caught.exception).splitlines()

    def test_all_faults_at_once_with_list_line_and_mutant(self):
        mutant = "  - {what: %s, file: clamp.cc, kind: expression, find: most, within: x > most, replace: least%s}\n"
        rows = [mutant % ("good", ""), mutant % ("colour", ", colour: red"), mutant.replace("most,", "result,", 1) % ("absent", ""),
                mutant.replace("within: x > most, ", "") % ("often", ""), mutant.replace("x > most", "most") % ("wide", ""),
                mutant.replace("clamp.cc", "moon.cc") % ("moon", ""), mutant.replace("kind: expression, ", "") % ("kindless", ""),
                mutant.replace("clamp.cc", "greeting.py") % ("python", ""), mutant.replace("expression", "wish") % ("wish", ""),
                mutant.replace("least", "true") % ("typed", ""), mutant % ("regex", ", tests: '('"),
                mutant.replace("find: most", "find: '> most'") % ("half", ""), mutant % ("good", "")]
        faults = self.faults("area: clamp\ntests: x\nbuild: []\nmutants:\n" + "".join(rows))
        for fault, words in zip(faults, (
                "list.yml:6: 'colour': unknown key 'colour'; known: what, file, kind, find, within, replace, tests",
                "list.yml:7: 'absent': find occurs 0 times in within, not once: 'result'",
                "list.yml:8: 'often': find occurs 3 times in clamp.cc, not once: 'most'",
                "list.yml:9: 'wide': within occurs 3 times in clamp.cc, not once",
                "list.yml:10: 'moon': moon.cc does not exist",
                "list.yml:11: 'kindless': 'kind' is missing",
                "list.yml:12: 'python': greeting.py is not C++: its mutants are edits",
                "list.yml:13: 'wish': kind 'wish' is none of expression, statement, edit",
                "list.yml:14: 'typed': 'replace' must be text (in quotes)",
                "list.yml:15: tests: '(': missing ), unterminated subpattern at position 0",
                "list.yml:16: 'half': find is no expression by itself: '> most'",
                "clamp: 'good' and 'good' are the same or share a number")):
            self.assertEqual(fault, words)
        self.assertEqual(len(faults), 12)

    def test_what_stands_in_parentheses(self):
        for expression in ("x > most", "clamp(2, 5)", "*x == '('", "-x", "&x", "::min(x, y)", "not(x)"):
            self.assertTrue(mutants._stands_alone(expression, "if ("), expression)
        for expression in (">> 2", "== 2", ".size()", "int y = x", "x) {", "(x"):
            self.assertFalse(mutants._stands_alone(expression, "if ("), expression)
        for before in ("at.", "at-> "):
            self.assertFalse(mutants._stands_alone("size()", before), before)

    def test_a_statement_that_ends_in_a_comment(self):
        find = "// A function and its tests, which say nothing of numbers that are too large."
        self.assertEqual(self.faults(f"area: a\ntests: x\nbuild: []\nmutants:\n  - {{what: w, file: clamp.cc, kind: statement, find: '{find}', replace: x}}\n"),
                         ["list.yml:5: 'w': find ends in a comment: what comes behind it would, too"])

    def test_a_list_that_is_none(self):
        self.assertEqual(self.faults("moon"), ["list.yml:1: list: keys area, tests, build, mutants expected"])
        self.assertIn("list.yml:1: ", self.faults("area: [")[0])
        self.assertEqual(self.faults("area: A b\ntests: x\nbuild: [1]\nmutants: []\n"),
                         ["list.yml:1: area 'A b': small letters, digits and '-' only", "list.yml:1: build: names of targets"])
        self.list("area: one\ntests: x\nbuild: []\nmutants: []\n", "b.yml")
        self.assertEqual(self.faults("area: one\ntests: x\nbuild: []\nmutants: []\n"), ["list.yml: area 'one' is another list's"])

    def test_areas_are_chosen_by_name_or_beginning(self):
        for name in ("mac-uplink", "mac-entry", "sap"):
            self.list(f"area: {name}\ntests: x\nbuild: []\nmutants: []\n", f"{name}.yml")
        areas = mutants.load(self.source)
        names = lambda *wanted: [a.name for a in mutation.chosen(areas, wanted)]  # noqa: E731
        self.assertEqual(names(), ["mac-entry", "mac-uplink", "sap"])
        self.assertEqual(names("mac"), ["mac-entry", "mac-uplink"])
        self.assertEqual(names("mac-uplink", "sap"), ["mac-uplink", "sap"])
        with self.assertRaisesRegex(mutation.Refused, "moon: none of mac-entry, mac-uplink, sap"):
            names("moon")

    def test_wrong_lists_end_the_command_with_2(self):
        self.list("moon")
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(mutation.main(["--list", "--source", str(self.source)]), 2)
        self.assertIn("list.yml:1:", err.getvalue())


if __name__ == "__main__":
    unittest.main()
