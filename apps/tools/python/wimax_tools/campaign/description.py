# SPDX-License-Identifier: GPL-3.0-or-later
"""A campaign's file: what is swept, with which seeds, which figures are kept. All faults at once, each with file, line, key and range."""
from dataclasses import dataclass, field
import hashlib
import itertools
import json
import math

import yaml

from wimax_tools.command_line import did_you_mean

KINDS = {"link": "wimax-link", "sim": "wimax-sim", "bench": "wimax bench", "curves": "wimax_tools.curves.measure"}
KEYS = ("title", "kind", "base", "parameters", "cases", "figures", "seed", "repeat", "until", "timeout_s", "plots")
MOST_POINTS, MOST_REPEATS, MOST_TIMEOUT_S = 1_000_000, 10_000, 86_400
UNTIL_KEYS, PLOT_KEYS = ("figure", "relative", "most"), ("x", "y", "by", "log", "xlabel", "ylabel", "title")


class Faults(ValueError):
    """One line each."""


@dataclass(frozen=True)
class Until:
    """Seeds are added to a group of points until the 95 % bounds of the figure's mean are this narrow."""
    figure: str
    relative: float  # half of their distance, of the mean
    most: int        # seeds


@dataclass(frozen=True)
class Point:
    group: int  # points of a group differ in their seeds
    seed: int
    parameters: tuple  # of (name, value)

    @property
    def key(self):
        """Hash of the computation, so that a changed file does not use results of another."""
        return f"{self.group}-{self.seed}"


@dataclass(frozen=True)
class Campaign:
    title: str
    kind: str
    base: dict
    cases: list  # of {name: values}: all combinations of each
    figures: dict
    seed: int = 1
    repeat: int = 1
    until: Until = None
    timeout_s: float = 3600
    plots: list = field(default_factory=list)

    def groups(self):
        return [tuple(zip(case, values)) for case in self.cases for values in itertools.product(*case.values())]

    def names(self):
        """Of all parameters; a case need not have each."""
        return list(dict.fromkeys(name for case in self.cases for name in case))

    def points(self, seeds=None):
        """Those of the first seeds; more are added by precision alone."""
        return [Point(group, self.seed + n, parameters) for group, parameters in enumerate(self.groups()) for n in range(seeds or self.repeat)]

    def fingerprint(self):
        """Of everything that decides a result."""
        told = [self.kind, self.base, self.cases, self.figures, self.seed]
        return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:16]


def unknown_key(name, allowed):
    """Worded as the programs in C++ do."""
    return f"unknown key{did_you_mean(name, allowed) or '; allowed: ' + ', '.join(allowed)}"


class _Reader:
    """Values of the file with their lines."""

    def __init__(self, path):
        self.path, self.faults = path, []

    def fault(self, node, key, wrong):
        line = node.start_mark.line + 1 if node is not None else 1
        self.faults.append(f"{self.path}:{line}: {key}: {wrong}")

    def mapping(self, node, key, allowed=None):
        """{name: node}"""
        if not isinstance(node, yaml.MappingNode):
            self.fault(node, key or "file", "allowed: keys with values")
            return {}
        found = {name.value: value for name, value in node.value}
        for name, _ in node.value:
            if allowed and name.value not in allowed:
                self.fault(name, f"{key}.{name.value}".lstrip("."), unknown_key(name.value, allowed))
        return found

    def value(self, node):
        return _Plain(self.path).construct(node)

    def number(self, node, key, low, high, default, whole=True):
        if node is None:
            return default
        value = self.value(node)
        if isinstance(value, bool) or not isinstance(value, (int,) if whole else (int, float)) or not low <= value <= high:
            self.fault(node, key, f"value {value}: allowed {'integers' if whole else 'numbers'} {low}..{high}")
            return default
        return value

    def text(self, node, key, allowed=None, default=None):
        value = default if node is None else self.value(node)
        if not isinstance(value, str) or (allowed and value not in allowed):
            self.fault(node, key, f"value {value}: allowed {', '.join(allowed) if allowed else 'a text'}")
            return ""
        return value


class _Plain(yaml.constructor.SafeConstructor):
    def __init__(self, _path):
        super().__init__()

    def construct(self, node):
        return self.construct_document(node)


def read(path):
    """The campaign of a file; raises Faults, or OSError."""
    with open(path, encoding="utf-8") as file:
        try:
            root = yaml.compose(file, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            mark = getattr(error, "problem_mark", None)
            raise Faults(f"{path}:{mark.line + 1 if mark else 1}: {getattr(error, 'problem', None) or 'no YAML'}") from error
    reader = _Reader(path)
    found = reader.mapping(root, "", KEYS)
    for name in ("kind", "parameters", "figures"):
        if name not in found and (name != "parameters" or "cases" not in found):
            reader.fault(root, name, "is missing")
    campaign = Campaign(
        title=reader.text(found.get("title"), "title", default=str(path)),
        kind=reader.text(found.get("kind"), "kind", KINDS) if "kind" in found else "",
        base=plain_mapping(reader, found.get("base"), "base"), cases=cases(reader, found),
        figures=plain_mapping(reader, found.get("figures"), "figures", texts=True), seed=reader.number(found.get("seed"), "seed", 0, 2**63 - 1, 1),
        repeat=reader.number(found.get("repeat"), "repeat", 1, MOST_REPEATS, 1), until=until(reader, found),
        timeout_s=reader.number(found.get("timeout_s"), "timeout_s", 1, MOST_TIMEOUT_S, 3600, whole=False), plots=plots(reader, found))
    count = campaign.repeat * sum(math.prod(map(len, case.values())) for case in campaign.cases)
    if count > MOST_POINTS:
        reader.fault(root, "parameters", f"{count} points: allowed at most {MOST_POINTS}")
    if reader.faults:
        raise Faults("\n".join(reader.faults))
    return campaign


def plain_mapping(reader, node, key, texts=False):
    if node is None:
        return {}
    reader.mapping(node, key)
    value = reader.value(node) if isinstance(node, yaml.MappingNode) else {}
    for name, what in value.items():
        if texts and not isinstance(what, str):
            reader.fault(node, f"{key}.{name}", f"value {what}: allowed a path into the result, with dots")
    return value


def cases(reader, found):
    """What is swept with all combinations: one map of lists, or several."""
    if "cases" not in found:
        return [parameters(reader, found.get("parameters"), "parameters")]
    node = found["cases"]
    if "parameters" in found:
        reader.fault(node, "cases", "given with parameters; allowed: one of them")
    if not isinstance(node, yaml.SequenceNode) or not node.value:
        reader.fault(node, "cases", "allowed: a list of one or more maps of parameters")
        return []
    return [parameters(reader, one, f"cases.{n}") for n, one in enumerate(node.value)]


def parameters(reader, node, key):
    """Lists of values."""
    found = {}
    for name, values in (reader.mapping(node, key) if node is not None else {}).items():
        if not isinstance(values, yaml.SequenceNode) or not values.value:
            reader.fault(values, f"{key}.{name}", "allowed: a list of one or more values")
        else:
            found[name] = reader.value(values)
            for one in values.value:
                if not isinstance(one, yaml.ScalarNode):
                    reader.fault(one, f"{key}.{name}", "is a list or a map: allowed numbers, texts, true and false; keys with dots reach deeper")
    return found


def until(reader, found):
    if "until" not in found:
        return None
    keys = reader.mapping(found["until"], "until", UNTIL_KEYS)
    figures = reader.mapping(found["figures"], "figures") if isinstance(found.get("figures"), yaml.MappingNode) else {}
    return Until(reader.text(keys.get("figure"), "until.figure", list(figures) or None),
                 reader.number(keys.get("relative"), "until.relative", 1e-6, 1, 0.05, whole=False),
                 reader.number(keys.get("most"), "until.most", 1, MOST_REPEATS, 20))


def plots(reader, found):
    if "plots" not in found:
        return []
    node = found["plots"]
    if not isinstance(node, yaml.SequenceNode):
        reader.fault(node, "plots", "allowed: a list")
        return []
    swept = found["cases"].value if isinstance(found.get("cases"), yaml.SequenceNode) else []
    known = list(dict.fromkeys(name for part in (found.get("parameters"), *swept, found.get("figures")) for name in _names(part)))
    result = []
    for one in node.value:
        keys = reader.mapping(one, "plots", PLOT_KEYS)
        names = {name: reader.text(keys.get(name), f"plots.{name}", known) for name in ("x", "y") if name == "x" or not isinstance(keys.get("y"), yaml.SequenceNode)}
        if "y" not in names:
            names["y"] = [reader.text(y, "plots.y", known) for y in keys["y"].value]
        if "by" in keys:
            names["by"] = reader.text(keys["by"], "plots.by", known)
        names |= {name: reader.text(keys[name], f"plots.{name}") for name in ("xlabel", "ylabel", "title") if name in keys}
        result.append({**names, "log": reader.text(keys.get("log"), "plots.log", ("none", "x", "y", "both"), "none")})
    return result


def _names(node):
    return [name.value for name, _ in node.value] if isinstance(node, yaml.MappingNode) else []
