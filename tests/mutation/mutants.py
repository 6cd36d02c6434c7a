# SPDX-License-Identifier: GPL-3.0-or-later
"""Lists of faults to put in on purpose: read, checked, and put into the text of source files.

A list is a YAML file of this folder:

    area: mac-uplink               # unique; figures are summed by the part before the first '-'
    tests: '^test_mac_'            # tests of the area, a regular expression for ctest -R
    build: [test_mac_air_data]     # targets that these tests need; none for Python
    mutants:
      - what: requests of damaged bursts are obeyed
        file: apps/mac/bs/receive.cc
        kind: expression           # expression | statement | edit
        find: burst.fec_ok         # exact text, once in `within`, else once in the file
        within: "} else if (burst.fec_ok) {"    # optional: exact text, once in the file, that contains `find`
        replace: "true"
        tests: '^test_mac_air$'    # optional, instead of the area's

An `expression` becomes (mutant_active(N) ? (replace) : (find)), a `statement` if (mutant_active(N)) { replace } else { find }:
all of them in one build, told apart by an environment variable. An `edit` is plain replacement, built by itself: for constants,
declarations, templates and for what is not C++.
"""
import hashlib
import re
from dataclasses import dataclass, fields
from pathlib import Path

import yaml

KINDS = ("expression", "statement", "edit")
CPP = (".cc", ".h")
AREA_KEYS = {"area": str, "tests": str, "build": list, "mutants": list}
MUTANT_KEYS = {"what": str, "file": str, "kind": str, "find": str, "within": str, "replace": str, "tests": str}
OPTIONAL = {"within", "tests"}


class ListError(Exception):
    """All faults of all lists, one a line."""


@dataclass(frozen=True)
class Mutant:
    area: str
    what: str
    file: str
    kind: str
    find: str
    replace: str
    tests: str
    within: str = ""
    start: int = 0  # of `find` in the file
    line: int = 0   # of the file, from 1

    @property
    def end(self):
        return self.start + len(self.find)

    @property
    def key(self):
        """The same as long as the list says the same."""
        said = [getattr(self, f.name) for f in fields(self) if f.name not in ("start", "line")]
        return hashlib.sha256(repr(said).encode()).hexdigest()[:16]

    @property
    def number(self):
        """Its name in the program; depends on the mutant alone, so that a longer list leaves other files as built."""
        return int(self.key[:7], 16) + 1


@dataclass(frozen=True)
class Area:
    name: str
    tests: str
    build: tuple
    mutants: tuple

    @property
    def group(self):
        return self.name.partition("-")[0]


def load(source, lists=None):
    """Areas of all lists (default: of this folder in `source`), in the order of their names. Raises ListError."""
    source = Path(source)
    faults, areas = [], []
    for path in sorted(lists if lists is not None else (source / "tests/mutation").glob("*.yml")):
        area = _Reader(source, path, faults).area()
        if area and area.name in {a.name for a in areas}:
            faults.append(f"{path.name}: area '{area.name}' is another list's")
        elif area:
            areas.append(area)
    numbers = {}
    for mutant in (m for a in areas for m in a.mutants):
        if numbers.setdefault(mutant.number, mutant) is not mutant:
            faults.append(f"{mutant.area}: '{mutant.what}' and '{numbers[mutant.number].what}' are the same or share a number")
    if faults:
        raise ListError("\n".join(faults))
    return sorted(areas, key=lambda a: a.name)


class _Reader:
    """One list. Faults go to a collection; whatever has one is left out."""

    def __init__(self, source, path, faults):
        self.source, self.path, self.faults = source, path, faults

    def fault(self, line, text):
        self.faults.append(f"{self.path.name}:{line}: {text}")

    def area(self):
        try:
            text = self.path.read_text(encoding="utf-8")
            node, tree = yaml.compose(text, Loader=yaml.SafeLoader), yaml.safe_load(text)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            return self.fault(1, " ".join(str(error).split()))
        if not self._keys(tree, AREA_KEYS, 1, "list"):
            return None
        if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", tree["area"]):
            self.fault(1, f"area '{tree['area']}': small letters, digits and '-' only")
        if not all(isinstance(target, str) for target in tree["build"]):
            self.fault(1, "build: names of targets")
        self._regex(tree["tests"], 1)
        nodes = next(value.value for key, value in node.value if key.value == "mutants")
        mutants = [self._mutant(m, n.start_mark.line + 1, tree) for m, n in zip(tree["mutants"], nodes)]
        return Area(tree["area"], tree["tests"], tuple(tree["build"]), tuple(m for m in mutants if m))

    def _keys(self, tree, known, line, name):
        """Whether these are the keys, each of its type."""
        before = len(self.faults)
        if not isinstance(tree, dict):
            self.fault(line, f"{name}: keys {', '.join(known)} expected")
            return False
        for key in known:
            if key not in tree and key not in (OPTIONAL if known is MUTANT_KEYS else ()):
                self.fault(line, f"{name}: '{key}' is missing")
            elif not isinstance(tree.get(key, known[key]()), known[key]):
                self.fault(line, f"{name}: '{key}' must be {'a list' if known[key] is list else 'text (in quotes)'}")
        for key in tree:
            if key not in known:
                self.fault(line, f"{name}: unknown key '{key}'; known: {', '.join(known)}")
        return len(self.faults) == before

    def _regex(self, text, line):
        try:
            re.compile(text)
        except re.error as error:
            self.fault(line, f"tests: '{text}': {error}")

    def _mutant(self, tree, line, area):
        name = f"'{tree['what']}'" if isinstance(tree, dict) and "what" in tree else "mutant"
        if not self._keys(tree, MUTANT_KEYS, line, name):
            return None
        self._regex(tree.get("tests", ""), line)
        fault = self._fault_of(tree)
        if fault:
            return self.fault(line, f"{name}: {fault}")
        text = (self.source / tree["file"]).read_text(encoding="utf-8")
        begin = text.index(tree["within"]) if tree.get("within") else 0
        start = text.index(tree["find"], begin)
        return Mutant(area["area"], tree["what"], tree["file"], tree["kind"], tree["find"], tree["replace"],
                      tree.get("tests", area["tests"]), tree.get("within", ""), start, text.count("\n", 0, start) + 1)

    def _fault_of(self, tree):
        kind, find, file = tree["kind"], tree["find"], self.source / tree["file"]
        if kind not in KINDS:
            return f"kind '{kind}' is none of {', '.join(KINDS)}"
        if kind != "edit" and file.suffix not in CPP:
            return f"{tree['file']} is not C++: its mutants are edits"
        if not file.is_file():
            return f"{tree['file']} does not exist"
        if not find or find == tree["replace"]:
            return "find: empty, or the same as replace"
        if kind == "expression" and not tree["replace"].strip():
            return "replace: an expression is never empty"
        text, place = file.read_text(encoding="utf-8"), tree["file"]
        if tree.get("within"):
            if text.count(tree["within"]) != 1:
                return f"within occurs {text.count(tree['within'])} times in {place}, not once"
            text, place = tree["within"], "within"
        if text.count(find) != 1:
            return f"find occurs {text.count(find)} times in {place}, not once: {find!r}"
        if kind == "expression" and not _stands_alone(find, text[:text.index(find)]):
            return f"find is no expression by itself: {find!r}"
        if kind == "statement" and "//" in find.rpartition("\n")[2]:
            return "find ends in a comment: what comes behind it would, too"
        return None


def _stands_alone(expression, before):
    """Whether it can be put in parentheses, as far as brackets, the words around it and its begin tell."""
    open_brackets = 0
    for c in re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])\'', "", expression):
        open_brackets += (c in "([{") - (c in ")]}")
        if open_brackets < 0:
            return False
    return not (open_brackets or re.match(r"<<|>>|&&|\|\||==|!=|[<>=?/%^|.,]|(const )?[\w:<>]+[&*]? \w+ = ", expression)
                or re.search(r"(\.|->)\s*$", before))


def separate(mutants):
    """(switchable in one build, to be built one by one): of two expressions or statements that overlap without one being inside
    the other, the later is built by itself, like an edit."""
    together, alone = [], [m for m in mutants if m.kind == "edit"]
    for m in (m for m in mutants if m.kind != "edit"):
        crossing = any(o.file == m.file and (o.start < m.start < o.end < m.end or m.start < o.start < m.end < o.end) for o in together)
        (alone if crossing else together).append(m)
    return together, alone


def switched(text, mutants, header):
    """Text of a C++ file with all these faults behind their switches; one may be inside another. `header`: path of mutant.h."""
    inside_out = sorted(mutants, key=lambda m: (m.start, -m.end, m.kind != "statement"))
    return f'#include "{header}"\n#line 1\n' + _render(text, inside_out, 0, len(text)) if mutants else text


def _render(text, mutants, begin, end):
    """Mutants sorted so that an outer one comes before what is inside it."""
    out, at = [], begin
    while mutants:
        outer, rest = mutants[0], mutants[1:]
        inner = [m for m in rest if m.start < outer.end]
        mutants = rest[len(inner):]
        out += [text[at:outer.start], _switch(outer, _render(text, inner, outer.start, outer.end))]
        at = outer.end
    return "".join(out) + text[at:end]


def _switch(mutant, find):
    if mutant.kind == "expression":
        return f"(::mutant_active({mutant.number}) ? ({mutant.replace}) : ({find}))"
    return f"{{ if (::mutant_active({mutant.number})) {{ {mutant.replace} }} else {{ {find} }} }}"


def edited(text, mutant):
    """Text of a file with one fault built in."""
    replace = {"edit": "{}", "expression": "({})", "statement": "{{ {} }}"}[mutant.kind].format(mutant.replace)
    return text[:mutant.start] + replace + text[mutant.end:]
