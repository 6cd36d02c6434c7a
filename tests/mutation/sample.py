# SPDX-License-Identifier: GPL-3.0-or-later
"""A reproducible sample of faults: a file by its number of lines, an operator that has a place in it, one of its places."""
import dataclasses
import math
import random
from pathlib import PurePath

import yaml

import cpp_operators
import faults
import python_operators
from faults import EDIT, Place

ATTEMPTS = 40         # for one fault


def shares(lines_by_area, count):
    """How many of `count` faults each area gets: by the root of its lines, at least one."""
    weights = {area: math.sqrt(lines) for area, lines in lines_by_area.items() if lines}
    total = sum(weights.values())
    exact = {area: max(1.0, count * weight / total) for area, weight in weights.items()}
    given = {area: int(value) for area, value in exact.items()}
    for area in sorted(exact, key=lambda a: given[a] - exact[a])[:max(0, count - sum(given.values()))]:
        given[area] += 1
    return given


class Source:
    """Places of one tree of files. `root`: of the copy that is built; its files must be those of the project.
    `dependents`: no places in a header that more compiled files include."""

    def __init__(self, root, header, build, dependents):
        self.root, self.header, self.build, self.dependents = root, header, build, dependents
        self.parser = cpp_operators.Parser(build.arguments)
        self._faults = {}
        self.unreadable = {}  # file: why clang does not understand it

    def faults_of(self, area, file):
        if file not in self._faults:
            text = faults.text_of(self.root / file)
            self._faults[file] = faults.in_file(area, file, text, self._places(file, text))
        return self._faults[file]

    def _places(self, file, text):
        path = self.root / file
        if path.suffix == ".py":
            return python_operators.places(text)
        if path.suffix == ".h":
            dependents = self.build.dependents(file)
            if not 0 < len(dependents) <= self.dependents:
                return []
            self.build.arguments.setdefault(str(path), self.build.arguments[dependents[0]])
        if str(path) not in self.build.arguments:
            return []  # not built here
        try:
            return self.parser.places(path)
        except ValueError as error:
            self.unreadable[file] = str(error)
            return []

    def checked(self, fault, edits):
        """The fault if it compiles, as a switch or, with `edits`, built by itself; else None."""
        text, path = faults.text_of(self.root / fault.file), self.root / fault.file
        if path.suffix == ".py":
            return fault if python_operators.compiles(faults.edited(text, fault)) else None
        if fault.place.kind != EDIT and self.parser.compiles(path, faults.switched(text, [fault], self.header)):
            return fault
        if not edits:
            return None
        p = fault.place
        replacement = f"({p.replacement})" if p.kind == faults.EXPRESSION else p.replacement or ";"
        alone = dataclasses.replace(fault, place=dataclasses.replace(p, replacement=replacement, kind=EDIT))
        return alone if self.parser.compiles(path, faults.edited(text, alone)) else None


class Draw:
    """Faults of one area, one after the other, always the same for a seed and a tree."""

    def __init__(self, area, sources, source, seed, known, edits=True):
        self.area, self.source, self.edits = area, source, edits
        self.rng = random.Random(f"{seed} {area.name}")
        self.files = sources
        self.lines = [faults.text_of(source.root / f).count("\n") for f in sources]
        self.taken = set(known)  # keys that are not to be drawn

    def next(self):
        """A fault that compiles, or None where the area has none left."""
        for _ in range(ATTEMPTS if self.files else 0):
            fault = self._candidate()
            fault = fault and self.source.checked(fault, self.edits)
            if fault:
                return fault
        return None

    def _candidate(self):
        file = self.rng.choices(self.files, self.lines)[0]
        left = [f for f in self.source.faults_of(self.area.name, file) if f.key not in self.taken]
        if not left:
            return None
        operator = self.rng.choice(sorted({f.place.operator for f in left}))
        fault = self.rng.choice([f for f in left if f.place.operator == operator])
        self.taken.add(fault.key)
        return fault


def listed(area, path, root):
    """(faults of a list that quotes texts, what is out of date in it)."""
    found, stale = [], []
    for entry in yaml.safe_load(path.read_text(encoding="utf-8")):
        file = root / entry["file"]
        text = faults.text_of(file) if file.is_file() else ""
        if text.count(entry["find"]) != 1:
            stale.append(f"{path.name}: '{entry['what']}' is out of date: its text occurs {text.count(entry['find'])} times in {entry['file']}")
            continue
        start = text.index(entry["find"])
        place = Place(start, start + len(entry["find"]), entry["replace"], EDIT, "listed: " + entry["what"], PurePath(entry["file"]).stem)
        found += faults.in_file(area.name, entry["file"], text, [place])
    return found, stale


def equivalent(path):
    """{key: reason} of faults that change nothing that a test could see."""
    entries = yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else None
    return {str(entry["fault"]): entry["reason"] for entry in entries or ()}
