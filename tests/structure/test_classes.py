# SPDX-License-Identifier: GPL-3.0-or-later
"""classes.py counts members, methods and writers of a small tree."""
import argparse
import tempfile
import unittest
from pathlib import Path

import classes

HEADER = """
namespace std { template <class T> class function {}; }
namespace n {
struct Plain { int a, b, c, d; };
struct Shared { int written = 0, read = 0; int* place = nullptr; int list[3]; std::function<void()> on_it; };
class Large {
public:
    void one();
    void two() const { }
    int three(int x) { return x + a_; }
private:
    int a_ = 0, b_ = 0, c_ = 0;
};
}
"""
WRITERS = {
    "first.cc": "void f(n::Shared& s) { s.written = 1; if (s.read == 2) return; }",
    "second.cc": "void g(n::Shared& s) { ++s.written; s.list[1] = s.read; }",
    "third.cc": "void h(n::Shared* s) { (s->written) += 3; int local = s->read; local = 2; }",
    "local.cc": "void l(n::Shared& s) { n::Shared own; own.written = 1; own.list[2] = 3; n::Shared* place = &s; place->read = 4; place->on_it = {}; }",
    "test_fourth.cc": "void i(n::Shared& s) { s.read = 1; }",
}


class Classes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        before, classes.TOP = classes.TOP, Path(folder.name).resolve()
        cls.addClassCleanup(lambda: setattr(classes, "TOP", before))
        place = classes.TOP / "apps/x"
        place.mkdir(parents=True)
        (place / "h.h").write_text(HEADER)
        for name, text in WRITERS.items():
            (place / name).write_text(f'#include "h.h"\n{text}\n')
        precompiled = classes.TOP / "cmake_pch.hxx"
        precompiled.with_suffix(".hxx.gch").write_text("of GCC")
        cls.units = [classes.Unit(place / name, ["-std=c++20", "-include", str(precompiled)]) for name in WRITERS]

    def test_members_and_methods(self):
        found = {name: (place, fields, methods, private) for name, place, fields, methods, private in self.units[0].classes.values()}
        self.assertEqual(found, {"Plain": ("apps/x/h.h", 4, 0, False), "Shared": ("apps/x/h.h", 5, 0, False), "Large": ("apps/x/h.h", 3, 3, True),
                                 "function": ("apps/x/h.h", 0, 0, False)})

    def test_large_ones_that_are_no_descriptions(self):
        found = self.units[0].classes
        self.assertEqual(classes.large(found, 2, 9), [("Large", "apps/x/h.h", 3, 3)])
        self.assertEqual(classes.large(found, 9, 2), [("Large", "apps/x/h.h", 3, 3)])
        self.assertEqual(classes.large(found, 3, 3), [])

    def test_faults_are_of_the_folders(self):
        args = argparse.Namespace(members=2, methods=9, writers=2, folders=["apps/x"])
        writes = {"Shared::written": {"apps/x/first.cc", "apps/x/second.cc", "apps/x/third.cc"}, "Shared::list": {"apps/x/second.cc"}}
        self.assertEqual(set(classes.faults(self.units[0].classes, writes, args)), {"Large", "Shared::written"})
        args.folders = ["apps/y"]
        self.assertEqual(classes.faults(self.units[0].classes, writes, args), {})

    def test_files_compiled_together_are_read_once(self):
        together = classes.TOP / "unity_0_cxx.cxx"
        together.write_text("".join(f'#include "{classes.TOP}/apps/x/{name}"\n' for name in ("first.cc", "second.cc", "test_fourth.cc")))
        alone = {"directory": str(classes.TOP), "command": "c++ -std=c++20 -c x"}
        entries = [{**alone, "file": str(together)}, {**alone, "file": "apps/x/third.cc"}, {**alone, "file": "apps/x/first.cc"}]
        jobs, sources = classes.jobs_of(entries, ["apps/x"])
        self.assertEqual([path for path, _ in jobs], [str(together), str(classes.TOP / "apps/x/third.cc")])
        self.assertEqual(sources, {"apps/x/first.cc", "apps/x/second.cc", "apps/x/third.cc"})

    def test_writers_are_files_that_assign_or_step(self):
        writes = {}
        for unit in self.units:
            for field, files in unit.writes.items():
                writes.setdefault(field, set()).update(files)
        three = {"apps/x/first.cc", "apps/x/second.cc", "apps/x/third.cc"}
        self.assertEqual(writes, {"Shared::written": three, "Shared::list": {"apps/x/second.cc"}, "Shared::read": {"apps/x/local.cc"}})


if __name__ == "__main__":
    unittest.main()
