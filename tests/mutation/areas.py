# SPDX-License-Identifier: GPL-3.0-or-later
"""Areas of the sampler (areas.yml): their source files, and the tests that can notice a fault in a file, nearest first."""
import ast
import json
import re
import shlex
from dataclasses import dataclass
from pathlib import Path, PurePath

import yaml

import cpp_operators

SOURCES = (".cc", ".h", ".py")
TEST_FILE = re.compile(r"(^|/)(test_|qa_|check_|fuzz_)[^/]*$|(^|/)(mutation|fixture|bindings)/|/streamers\.(cc|h)$|/__(init|main)__\.py$")
KEYS = {"area", "files", "tests", "stack", "build", "list"}


class AreaError(Exception):
    """areas.yml is wrong, or an area that is asked for does not exist."""


@dataclass(frozen=True)
class Area:
    name: str
    files: tuple  # folders, each ending in '/', or files
    tests: str    # regular expression
    stack: str    # those of the whole stack, only where they are asked for
    build: tuple
    list: str

    @property
    def group(self):
        return self.name.partition("-")[0]

    def sources(self, files):
        """Of the tree's files those that faults are drawn from."""
        return [f for f in files if PurePath(f).suffix in SOURCES and not TEST_FILE.search(f)
                and any(f == own or own.endswith("/") and str(PurePath(f).parent) + "/" == own for own in self.files)]


def load(path):
    areas = []
    for entry in yaml.safe_load(Path(path).read_text(encoding="utf-8")):
        if set(entry) - KEYS or not {"area", "tests"} <= set(entry) or not {"files", "list"} & set(entry):
            raise AreaError(f"{path}: {entry}: keys are area, tests, files or list, stack and build")
        areas.append(Area(entry["area"], tuple(entry.get("files", ())), entry["tests"], entry.get("stack", ""), tuple(entry.get("build", ())),
                          entry.get("list", "")))
    return areas


def chosen(areas, names):
    if not names:
        return areas
    wrong = [n for n in names if not any(n in (a.name, a.group) for a in areas)]
    if wrong:
        raise AreaError(f"--area: {', '.join(wrong)}: choose among {', '.join(a.name for a in areas)}")
    return [a for a in areas if a.name in names or a.group in names]


@dataclass(frozen=True)
class Test:
    name: str
    targets: tuple   # what it needs built
    sources: tuple   # files of the test, to see which code it is about


class Imports:
    """Which Python files a Python file imports, or names as a module to start."""

    def __init__(self, paths):
        self._by_end = {}  # (last names of a module's path): files
        for path in paths:
            parts = path.with_suffix("").parts if path.name != "__init__.py" else path.parent.parts
            for length in range(1, 4):
                self._by_end.setdefault(parts[-length:], []).append(str(path))
        self._known = {}

    def all_of(self, path):
        """Also what these import."""
        found, left = set(), [path]
        while left:
            file = left.pop()
            if file not in found:
                found.add(file)
                left += self._of(file)
        return found

    def _of(self, path):
        if path not in self._known:
            self._known[path] = [f for name in self._names(path) for f in self._by_end.get(tuple(name)[-3:], ())] if path.endswith(".py") else []
        return self._known[path]

    def _names(self, path):
        package = Path(path).parent.parts
        for node in ast.walk(ast.parse(Path(path).read_bytes())):
            if isinstance(node, ast.Import):
                yield from (alias.name.split(".") for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = [*package[-2:len(package) - node.level + 1], *(node.module or "").split(".")] if node.level else node.module.split(".")
                base = [b for b in base if b]
                yield base
                yield from ([*base, alias.name] for alias in node.names)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch(r"\w+(\.\w+)+", node.value):
                yield node.value.split(".")


def script_of(word, scripts):
    """The script that a word of a command names, by its path or as a module; files of one name stand in several folders."""
    path = "/" + (word if word.endswith(".py") else word.replace(".", "/") + ".py").lstrip("/")
    return next((one for one in scripts if one.endswith(path)), None)


class Build:
    """What a build folder knows: compile commands, tests, and which target is made of what. `call`: runs a command, gives its output."""

    def __init__(self, folder, root, call):
        self.folder, self.root, self.call = Path(folder), Path(root), call
        commands = json.loads((self.folder / "compile_commands.json").read_text(encoding="utf-8"))
        self.arguments, self.objects = cpp_operators.compile_commands(commands)
        self._inputs, self._headers = {}, None
        self.tests = self._read_tests()
        self.imports = Imports([p for p in self.root.rglob("*.py") if self.folder not in p.parents])

    def _read_tests(self):
        outputs = {line.partition(":")[0] for line in self.call(["ninja", "-C", self.folder, "-t", "targets", "all"]).splitlines()}
        by_target = {}
        for source, objects in self.objects.items():
            for target in filter(None, (re.search(r"CMakeFiles/([^/]+)\.dir/", o) for o in objects)):
                by_target.setdefault(target[1], []).append(source)
        scripts = [p.as_posix() for p in self.root.rglob("*.py") if TEST_FILE.search(p.name) and self.folder not in p.parents]
        tests = {}
        for name, words in self._commands().items():
            local = [w[len(str(self.folder)) + 1:] for w in words if w.startswith(str(self.folder) + "/")]
            compiled = by_target.get(PurePath(words[0]).name, ()) if words else ()
            if "--file" in words:  # one of several files in a program
                compiled = [s for s in compiled if PurePath(s).name == words[words.index("--file") + 1]]
            sources = [*compiled, *filter(None, (script_of(word, scripts) for word in words[1:]))]
            tests[name] = Test(name, tuple(w for w in local if w in outputs), tuple(sources))
        return tests

    def _commands(self):
        """{test: words of its command}, in ctest's files: it does not show the command of a program that is not built yet."""
        commands = {}
        for file in sorted(self.folder.rglob("CTestTestfile.cmake")):
            for name, command in re.findall(r"^add_test\((?:\[=*\[)?([^\s\]]+)(?:\]=*\])? (.*)\)$", file.read_text(encoding="utf-8"), re.M):
                commands[name] = shlex.split(command)
        return commands

    def tests_of(self, area, stack=False):
        wanted = area.tests + ("|" + area.stack if stack and area.stack else "")
        return [t for name, t in self.tests.items() if re.search(wanted, name)]

    def can_notice(self, tests, file):
        """Those of the tests that contain what is made of a C++ file, or import a Python file."""
        if PurePath(file).suffix == ".py":
            able = [t for t in tests if any(str(self.root / file) in self.imports.all_of(s) for s in t.sources)]
            return able or tests  # of a program that is started, tests say nothing that could be followed
        objects = set(self.objects.get(str(self.root / file), ()))
        if not objects:
            return tests
        return [t for t in tests if not t.targets or any(objects & self._made_of(target) for target in t.targets)]

    def _made_of(self, target):
        if target not in self._inputs:
            self._inputs[target] = set(self.call(["ninja", "-C", self.folder, "-t", "inputs", target]).splitlines())
        return self._inputs[target]

    def nearest(self, tests, file):
        """Those of the tests that are about this file: they include its header, import its module, or have its name."""
        stem = PurePath(file).stem
        about = re.compile(rf'#include "[^"]*\b{stem}\.h"' if PurePath(file).suffix != ".py" else rf"\b{stem}\b")
        return [t for t in tests if any(PurePath(s).stem == "test_" + stem or about.search(Path(s).read_text(encoding="utf-8")) for s in t.sources)]

    def dependents(self, header):
        """Sources whose objects are made of a header."""
        if self._headers is None:
            self._headers = self._read_headers()
        return self._headers.get(str(self.root / header), ())

    def _read_headers(self):
        source_of = {o: s for s, objects in self.objects.items() for o in objects}
        headers, prefix, source = {}, str(self.root) + "/", None
        for line in self.call(["ninja", "-C", self.folder, "-t", "deps"]).splitlines():
            if line[:1].strip():
                source = source_of.get(line.partition(":")[0])
            elif source and line.strip().startswith(prefix) and line.endswith(".h"):
                headers.setdefault(line.strip(), set()).add(source)
        return {header: tuple(sorted(sources)) for header, sources in headers.items()}
