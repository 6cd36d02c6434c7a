# SPDX-License-Identifier: GPL-3.0-or-later
"""The sampler: its operators on small texts, and whole runs on the project in fixture/."""
import contextlib
import io
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import areas
import cpp_operators
import faults
import mutation
import python_operators
import sample
import tree

HERE = Path(__file__).resolve().parent


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="wimax-mutation-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.maxDiff = None


class Operators(Folder):
    """Each operator by what it makes of a line: "original -> replacement", by the name of the operator."""

    def changes(self, text, places):
        found = {}
        for fault in faults.in_file("area", "file", text, places):
            found.setdefault(fault.place.operator, []).append(f"{fault.original} -> {fault.place.replacement}".strip())
        return found

    def cpp(self, text, path="code.cc"):
        file = self.folder / path
        file.write_text(text, encoding="utf-8")
        parser = cpp_operators.Parser({str(file): ["-std=c++20"]})
        places = parser.places(file)
        latin = faults.text_of(file)
        for fault in faults.in_file("area", path, latin, places):  # what is proposed can be built, one way or the other
            if fault.place.kind != faults.EDIT:
                changed = faults.switched(latin, [fault], HERE / "mutant.h")
                self.assertTrue(parser.compiles(file, changed), faults.diff(latin, fault))
        return self.changes(latin, places)

    def python(self, text):
        text = text.encode("utf-8").decode("latin-1")
        places = python_operators.places(text)
        for fault in faults.in_file("area", "code.py", text, places):
            self.assertTrue(python_operators.compiles(faults.edited(text, fault)), faults.diff(text, fault))
        return self.changes(text, places)

    def test_relations_and_logic_of_cpp(self):
        found = self.cpp("bool f(int a, int b) { return a < b && b == 7; }")
        self.assertEqual(found["relational boundary"], ["a < b -> a <= b"])
        self.assertEqual(found["relational negated"], ["a < b -> a >= b", "b == 7 -> b != 7"])
        self.assertEqual(found["logical"], ["a < b && b == 7 -> a < b || b == 7"])
        self.assertEqual(found["constant"], ["7 -> 0", "7 -> 6", "7 -> 8"])
        self.assertEqual(found["wrong variable"], ["a -> b", "b -> a", "b -> a"])

    def test_arithmetic_of_cpp(self):
        found = self.cpp("double f(double a, double b) { double s = -a; s += a * 0.5; return s - b; }")
        self.assertEqual(found["arithmetic"], ["a * 0.5 -> a / 0.5", "s - b -> s + b"])
        self.assertEqual(found["sign or negation removed"], ["-a -> a"])
        self.assertEqual(found["accumulation"], ["s += a * 0.5 -> s -= a * 0.5", "s += a * 0.5 -> s = a * 0.5"])
        self.assertEqual(found["assignment removed"], ["s += a * 0.5; ->"])
        self.assertEqual(found["constant"], ["0.5 -> 0.0", "0.5 -> 0.25", "0.5 -> 1.0"])

    def test_conditions_and_statements_of_cpp(self):
        found = self.cpp("void g(int);\nvoid f(int a) {\n  if (a > 1) return;\n  for (int i = 0; i < 3; ++i) { if (!a) break; g(i); }\n  g(a);\n}")
        self.assertEqual(found["condition negated"], ["a > 1 -> !(a > 1)", "!a -> !(!a)"])
        self.assertEqual(found["condition constant"], ["a > 1 -> false", "a > 1 -> true", "!a -> false", "!a -> true"])
        self.assertEqual(found["early return removed"], ["return; ->"])
        self.assertEqual(found["break or continue removed"], ["break; ->"])
        self.assertEqual(found["call removed"], ["g(i); ->", "g(a); ->"])

    def test_a_branch_is_not_taken_for_the_condition(self):
        found = self.cpp("void g(int&);\nvoid f(int a, int b) { if (int c = a; c > 1) b = 2; else { g(b); } if (a) b = 1; else if (b) a = 1; }")
        self.assertEqual(found["condition negated"], ["c > 1 -> !(c > 1)", "a -> !(a)", "b -> !(b)"])
        self.assertEqual(found["assignment removed"], ["b = 2; ->", "b = 1; ->", "a = 1; ->"])

    def test_state_of_a_second_life(self):
        code = "int members_ = 0;\nvoid clear() {}\nvoid forget_network() { members_ = 0; clear(); }\nvoid other() { members_ = 0; }"
        found = self.cpp(code)
        self.assertEqual(found["state kept"], ["members_ = 0; ->"])
        self.assertEqual(found["assignment removed"], ["members_ = 0; ->"])

    def test_arguments_and_extremes_of_cpp(self):
        found = self.cpp("namespace std { int min(int a, int b); int max(int a, int b); int clamp(int x, int l, int h); }\n"
                         "int g(int a, int b, double c);\nint f(int a, int b) { return g(a, b, 0.0) + std::min(a, b) + std::clamp(a, 0, b); }")
        self.assertEqual(found["arguments swapped"], ["g(a, b, 0.0) -> g(b, a, 0.0)", "std::clamp(a, 0, b) -> std::clamp(0, a, b)",
                                                      "std::clamp(a, 0, b) -> std::clamp(a, b, 0)"])
        self.assertEqual(found["minimum and maximum"], ["std::min(a, b) -> std::max(a, b)"])
        self.assertEqual(found["bound removed"], ["std::clamp(a, 0, b) -> a"])

    def test_default_values_and_members(self):
        found = self.cpp("struct S { int first = 3; int second = 0; };\nint f(const S& s, bool wide = true) { return wide ? s.first : 0; }")
        self.assertEqual(found["default value"], ["3 -> 0", "3 -> 2", "3 -> 4", "0 -> 1", "true -> false"])
        self.assertIn("s.first -> s.second", found["wrong variable"])

    def test_a_constant_of_the_compiler_is_built_by_itself(self):
        file = self.folder / "code.cc"
        file.write_text("constexpr int kSize = 4;\nint numbers[kSize];\n", encoding="utf-8")
        places = cpp_operators.Parser({str(file): ["-std=c++20"]}).places(file)
        self.assertEqual({(p.kind, p.replacement) for p in places}, {(faults.EDIT, v) for v in ("0", "3", "5")})

    def test_what_no_test_can_notice_is_not_drawn(self):
        found = self.cpp('struct V { void reserve(int); };\nvoid warn(const char*, int);\ntemplate<int N> void t();\n'
                         'static_assert(2 + 2 == 4);\nvoid f(V& v, int a) { v.reserve(a + 1); warn("{}", a * 2); t<3>(); }')
        self.assertEqual(found, {"call removed": ["t<3>(); ->"]})
        found = self.python('import sys\ndef f(a):\n    """Text."""\n    assert a > 1\n    print(a + 1, file=sys.stderr)\n'
                            'if __name__ == "__main__":\n    f(1)\n')
        self.assertEqual(found, {})

    def test_operators_of_python(self):
        found = self.python("def f(a, b=2):\n    if a <= b and not a:\n        return max(a, b)\n    a += b * 2\n    g(a, b)\n    return a\n")
        self.assertEqual(found["relational boundary"], ["<=  ->  <"])
        self.assertEqual(found["logical"], ["and  ->  or"])
        self.assertEqual(found["default value"], ["2 -> 0", "2 -> 1", "2 -> 3"])
        self.assertEqual(found["minimum and maximum"], ["max -> min"])
        self.assertEqual(found["early return removed"], ["return max(a, b) -> pass"])
        self.assertEqual(found["accumulation"], ["a += b * 2 -> a -= b * 2", "a += b * 2 -> a = b * 2"])
        self.assertEqual(found["arithmetic"], ["*  ->  /"])
        self.assertEqual(found["arguments swapped"], ["a, b -> b, a"])
        self.assertEqual(found["sign or negation removed"], ["not a -> (a)"])
        self.assertIn("a <= b and not a -> not (a <= b and not a)", found["condition negated"])

    def test_state_of_a_second_life_in_python(self):
        found = self.python("class C:\n    def reset(self):\n        self.sum = 0\n    def other(self):\n        self.sum = 0\n")
        self.assertEqual((found["state kept"], found["assignment removed"]), (["self.sum = 0 -> pass"], ["self.sum = 0 -> pass"]))

    def test_letters_beyond_ascii_do_not_move_places(self):
        self.assertEqual(self.python("a = 'ä' < b\n")["relational boundary"], ["<  ->  <="])
        self.assertEqual(self.cpp("// ä\nbool f(int a) { return a < 3; }")["relational boundary"], ["a < 3 -> a <= 3"])


class Switches(unittest.TestCase):
    def fault(self, start, end, replacement, kind=faults.EXPRESSION):
        return faults.in_file("a", "f.cc", self.TEXT, [faults.Place(start, end, replacement, kind, "o", "f")])[0]

    TEXT = "if (a < b) c = a + b;"

    def test_one_inside_another(self):
        outer, inner = self.fault(11, 21, "", faults.STATEMENT), self.fault(15, 20, "a - b")
        text = faults.switched(self.TEXT, [inner, outer], "/m.h")
        self.assertEqual(text, f'#include "/m.h"\n#line 1\nif (a < b) {{ if (::mutant_active({outer.number})) {{  }} else '
                               f"{{ c = (::mutant_active({inner.number}) ? (a - b) : (a + b)); }} }}")

    def test_of_two_that_cross_one_goes_alone(self):
        first, second = self.fault(4, 9, "a <= b"), self.fault(8, 15, "x")
        self.assertEqual(faults.switchable([first, second]), [first])
        self.assertEqual(faults.switchable([second], [first]), [])

    def test_a_key_moves_with_its_line(self):
        place = faults.Place(4, 9, "a <= b", faults.EXPRESSION, "o", "f")
        moved = faults.Place(6, 11, "a <= b", faults.EXPRESSION, "o", "f")
        key = faults.in_file("a", "f.cc", self.TEXT, [place])[0].key
        self.assertEqual(faults.in_file("a", "f.cc", "\n\n" + self.TEXT, [moved])[0].key, key)
        self.assertNotEqual(faults.in_file("a", "f.cc", self.TEXT.replace("b", "d"), [place])[0].key, key)


class Shares(unittest.TestCase):
    def test_every_area_gets_one_and_larger_ones_more(self):
        given = sample.shares({"small": 4, "large": 10000, "none": 0}, 20)
        self.assertEqual(given, {"small": 1, "large": 19})

    def test_every_source_has_one_area_and_areas_name_tests(self):
        source = HERE.parents[1]
        files = tree.files_of(source)
        known = areas.load(HERE / "areas.yml")
        times = {}
        for area in known:
            own = area.sources(files)
            self.assertTrue(own or area.list, area.name)
            for file in own:
                times[file] = times.get(file, 0) + 1
        self.assertEqual([f for f, n in times.items() if n > 1], [])
        folders = ("apps/mac/", "apps/sap/", "apps/common/", "apps/macd/", "apps/phyd/", "apps/channel", "apps/vrf/", "apps/sim/", "gr-wimax/lib/")
        missing = [f for f in files if f.startswith(folders) and f.endswith(".cc") and f not in times and not areas.TEST_FILE.search(f)]
        self.assertEqual([f for f in missing if not re.search(r"test", f)], [])


class Runs(Folder):
    """The fixture's faults, all of them: what its tests miss is known."""

    def setUp(self):
        super().setUp()
        self.source = self.folder / "source"
        shutil.copytree(HERE / "fixture", self.source)
        shutil.copy(HERE / "mutant.h", self.source / "tests/mutation")
        subprocess.run(["git", "init", "-q", self.source], check=True)
        self.said = []

    def test_a_build_of_several_files_at_once_is_refused(self):
        cache = self.folder / "copy/build/CMakeCache.txt"
        cache.parent.mkdir(parents=True)
        for value, status in (("ON", 2), ("OFF", None)):
            cache.write_text(f"WIMAX_TOGETHER:BOOL={value}\n")
            with self.subTest(value), contextlib.redirect_stderr(io.StringIO()) as said:
                try:
                    mutation.parse(["--copy", str(self.folder / "copy")])
                    self.assertIsNone(status)
                except SystemExit as end:
                    self.assertEqual(end.code, status)
                    self.assertIn("-D WIMAX_TOGETHER=OFF", said.getvalue())

    def run_sampler(self, *arguments):
        args = mutation.parse(["--source", str(self.source), "--folder", str(self.folder / "mutation"), "--count", "200", *arguments])
        args.folder.mkdir(exist_ok=True)
        self.session = mutation.Session(args, say=self.said.append)
        return self.session.run()

    def outcomes(self, run, area):
        return {(r["operator"], r["line"], r["replacement"]): r["outcome"] for r in run.said["areas"][area]["faults"]}

    def test_what_survives_is_what_the_tests_do_not_try(self):
        run, _ = self.run_sampler("--area", "core", "words")
        core = self.outcomes(run, "core")
        self.assertEqual({o for o in core.values()}, {"noticed", "survived"}, self.said)
        self.assertEqual(core["relational negated", 8, "x >= kLeast"], "noticed")
        self.assertEqual(core["early return removed", 8, ""], "noticed")
        self.assertEqual(core["constant", 4, "4"], "noticed")  # a constant of the compiler, built separately
        self.assertEqual(core["assignment removed", 9, ""], "survived")
        self.assertEqual(core["condition constant", 9, "false"], "survived")
        self.assertEqual(core["condition constant", 9, "true"], "noticed")
        self.assertEqual({line for (_, line, _), outcome in core.items() if outcome == "survived" and line > 8}, {9})
        words = self.outcomes(run, "words")
        self.assertEqual(words["constant", 3, "13"], "survived")
        self.assertEqual(words["relational negated", 3, " >= "], "noticed")
        self.assertEqual(run.said["areas"]["words"]["left_out"], ["test_broken"])
        tried = {(r["operator"], r["replacement"]): r["tests"] for r in run.said["areas"]["core"]["faults"] if r["outcome"] == "survived"}
        self.assertEqual(tried["condition constant", "false"], ["test_clamp"])  # test_other holds no part of the file
        self.assertEqual(tried["assignment removed", ""], [])  # test_clamp does not execute it
        report = mutation.markdown(run)
        self.assertRegex(report, "(?s)### core: assignment removed, `core/clamp.cc:9`[^#]*no test of the area executes it")
        self.assertRegex(report, "(?s)### core: condition constant, `core/clamp.cc:9`[^#]*survived 1 tests")
        self.assertIn("-    if (x > most) x = most;", report)
        self.assertIn("core/clamp.cc:9", report)
        self.assertIn("these tests fail without a fault and were left out: test_broken", report)
        listed, _ = self.run_sampler("--area", "words-listed")
        self.assertEqual(self.outcomes(listed, "words-listed"), {("listed: another word", 5, "fine day"): "noticed"})
        self.assertIn("listed.yml: 'moved away' is out of date: its text occurs 0 times in words/greeting.py", self.said)

    def test_an_interrupted_run_goes_on_and_survivors_are_tried_again(self):
        first, _ = self.run_sampler("--area", "words")
        path = self.session.args.run
        again = json.loads(path.read_text(encoding="utf-8"))
        for row in again["areas"]["words"]["faults"][2:]:
            row["outcome"] = None
        path.write_text(json.dumps(again), encoding="utf-8")
        self.said.clear()
        resumed, _ = self.run_sampler("--area", "words", "--resume")
        self.assertEqual(self.outcomes(resumed, "words"), self.outcomes(first, "words"))
        self.assertEqual(sum("[words/greeting.py:" in line for line in self.said), len(again["areas"]["words"]["faults"]) - 2)
        with self.assertRaisesRegex(tree.Refused, "another seed"):
            self.run_sampler("--area", "words", "--resume", "--seed", "2")

        test = (self.source / "words/test_greeting.py").read_text(encoding="utf-8")
        (self.source / "words/test_later.py").write_text(test + 'assert greeting(12) == "good day"\n', encoding="utf-8")
        with open(self.source / "CMakeLists.txt", "a", encoding="utf-8") as project:
            project.write("add_test(NAME test_later COMMAND /usr/bin/python3 ${CMAKE_CURRENT_SOURCE_DIR}/words/test_later.py)\n")
        with self.assertRaisesRegex(tree.Refused, "another state"):
            self.run_sampler("--area", "words", "--resume")
        kept = self.folder / "first.json"
        shutil.copy(path, kept)
        sharper, _ = self.run_sampler("--survivors", str(kept))
        self.assertEqual(list(sharper.said["areas"]), ["words"])  # nothing is built of areas without survivors
        before = {key for key, outcome in self.outcomes(first, "words").items() if outcome == "survived"}
        self.assertEqual(set(self.outcomes(sharper, "words")), before)
        self.assertEqual(self.outcomes(sharper, "words")["constant", 3, "13"], "noticed")

    def test_a_seed_gives_one_sample_and_known_equivalents_are_not_drawn(self):
        def drawn(*arguments):
            run, _ = self.run_sampler("--draw", "--count", "8", *arguments)
            return [r["fault"] for name in ("core", "words") for r in run.said["areas"][name]["faults"]]
        one = drawn()
        self.assertEqual(drawn(), one)
        self.assertNotEqual(drawn("--seed", "2"), one)
        (self.source / "tests/mutation/equivalent.yml").write_text(f"- {{fault: '{one[0]}', reason: none}}\n", encoding="utf-8")
        self.assertNotIn(one[0], drawn())

    def test_an_area_without_a_passing_test_is_refused(self):
        (self.source / "tests/mutation/areas.yml").write_text("- {area: words, files: [words/], tests: '^test_broken$'}\n", encoding="utf-8")
        run, runner = self.run_sampler()
        self.assertEqual(runner.refused, {"words": "no test '^test_broken$' passes without a fault"})
        self.assertEqual(mutation.counts(run), [("all", 0, 0)])

    def test_a_fault_that_never_ends_is_noticed_and_one_that_does_not_build_is_replaced(self):
        (self.source / "core/clamp.cc").write_text(
            '#include "core/clamp.h"\ntemplate <int N> int same() { return N; }\nvolatile int steps = 0;\n'
            'int clamp(int x, int most) {\n    while (x < -3) { ++x; steps = steps + 1; }\n'
            '    return x + same<1 / 1 - 1>();\n}\n', encoding="utf-8")
        args = mutation.parse(["--source", str(self.source), "--folder", str(self.folder / "mutation"), "--area", "core"])
        args.folder.mkdir(exist_ok=True)
        session = mutation.Session(args, say=self.said.append, patience_s=1.0)
        with parser_that_accepts_all():
            run, _ = session.run()
        rows = run.said["areas"]["core"]["faults"]
        outcomes = {(r["operator"], r["original"]): r["outcome"] for r in rows}
        self.assertEqual(outcomes["assignment removed", "++x;"], "noticed")
        self.assertIn("does not build", [r["outcome"] for r in rows if r["replacement"] == "0"])  # a division by zero
        self.assertEqual(outcomes["arithmetic", "1 / 1 - 1"], "noticed")  # no switch, since it is an argument of a template: built separately
        self.assertEqual(outcomes["arithmetic", "x + same<1 / 1 - 1>()"], "survived")
        self.assertTrue(all(r["outcome"] for r in rows))
        self.assertEqual(mutation.counts(run)[0][1], sum(r["outcome"] != "does not build" for r in rows))

    def test_scripts_of_one_name_are_told_apart(self):
        scripts = ["/src/tools/ctl/test_command.py", "/src/tools/keys/test_command.py", "/src/tests/test_house.py"]
        for word, script in (("tools.keys.test_command", scripts[1]), ("tools.ctl.test_command", scripts[0]), ("/src/tests/test_house.py", scripts[2]),
                             ("-v", None), ("/src/build/bin/wimax", None), ("command", None)):
            self.assertEqual(areas.script_of(word, scripts), script, word)

    def test_an_area_that_does_not_exist(self):
        err = io.StringIO()
        with contextlib.redirect_stderr(err):
            self.assertEqual(mutation.main(["--source", str(self.source), "--area", "moon"]), 2)
        self.assertIn("--area: moon: choose among core, words, words-listed", err.getvalue())


@contextlib.contextmanager
def parser_that_accepts_all():
    """As if clang accepted what the compiler then refuses."""
    accepts = cpp_operators.Parser.compiles
    cpp_operators.Parser.compiles = lambda *_: True
    try:
        yield
    finally:
        cpp_operators.Parser.compiles = accepts


if __name__ == "__main__":
    unittest.main()
