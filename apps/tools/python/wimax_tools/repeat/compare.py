# SPDX-License-Identifier: GPL-3.0-or-later
"""Compares the figures of two results: exactly, within a tolerance, or by 95 % bounds that overlap."""
from collections import Counter
from dataclasses import dataclass
import json
import re

from wimax_tools.printable import printable

SHOWN_DIFFERENCES, SHOWN_CHARACTERS = 40, 40
ABSENT = "absent"
SINGLE = "(single figures)"
SIDES = ("field_profile", "lab_profile")
OF_SEVERAL = re.compile(r"experiments\[(\d+)\]\.(.*)", re.S)


@dataclass(frozen=True)
class Tolerance:
    relative: float = 0.0  # of the recorded figure
    absolute: float = 0.0  # in its unit; the larger one of both counts
    absent_is_zero: bool = False

    def agrees(self, one, other):
        if self.absent_is_zero:
            one, other = (0 if value == ABSENT else value for value in (one, other))
        if not all(is_number(value) for value in (one, other)):
            return same(one, other)
        return abs(one - other) <= max(self.relative * abs(one), self.absolute)

    def __str__(self):
        parts = [f"{100 * self.relative:g} %"] * (self.relative > 0) + [f"{self.absolute:g}"] * (self.absolute > 0)
        return "within " + " or ".join(parts) if parts else "exact"


@dataclass(frozen=True)
class Overlap:
    """Bounds of the recorded figure; those of the new one are at the same place of its result."""
    low: float
    high: float

    def agrees(self, _, other):
        low, high = getattr(other, "bounds", (other, other))
        return is_number(low) and is_number(high) and low <= self.high and high >= self.low

    def __str__(self):
        return f"{self.low:g} .. {self.high:g}"


class Ignored:
    def __str__(self):
        return "not compared"


class Bounded(float):
    """A figure with its bounds."""
    bounds: tuple

    @classmethod
    def of(cls, value, bounds):
        made = cls(value)
        made.bounds = tuple(bounds)
        return made


EXACT, IGNORED = Tolerance(), Ignored()


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(one, other):
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def figures(value, path=""):
    """Numbers, texts and other single values of a result, by path: `flows[3].delay_ms.p99`."""
    if isinstance(value, dict):
        found = {}
        for key, member in value.items():
            found.update(figures(member, f"{path}.{key}" if path else key))
        return found
    if isinstance(value, list):
        found = {}
        for number, member in enumerate(value):
            found.update(figures(member, f"{path}[{number}]"))
        return found
    return {path: value}


def at(value, keys):
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def of_one(result, path):
    """The experiment of a result with several, and the path of the figure in it; of others the same."""
    found = OF_SEVERAL.fullmatch(path)
    if not found:
        return result, path
    several, number = result.get("experiments"), int(found[1])
    return (several[number] if isinstance(several, list) and number < len(several) and isinstance(several[number], dict) else {}), found[2]


def bounds_at(result, path):
    """95 % bounds of a figure of an experiment; None if it has none."""
    result, path = of_one(result, path)
    keys = path.split(".")
    found = at(result.get("bounds"), keys) if keys[0] in SIDES else None
    return found if isinstance(found, list) and len(found) == 2 and all(map(is_number, found)) else None


def within_bounds(result, path):
    """Rule of a figure with bounds."""
    found = bounds_at(result, path)
    return Overlap(*found) if found else None


@dataclass(frozen=True)
class Difference:
    path: str
    recorded: object
    again: object
    allowed: str


class Comparison:
    """Of a recorded result and a new one. `rule_of(path)`: how a figure is compared."""

    def __init__(self, recorded, again, rule_of):
        self.differences, self.count, self.differ = [], Counter(), Counter()
        then, now = (figures({key: value for key, value in result.items() if key != "provenance"}) for result in (recorded, again))
        for path in dict.fromkeys([*then, *now]):
            rule = rule_of(path)
            if rule is not IGNORED:
                self._compare(path, then.get(path, ABSENT), self._with_bounds(again, path, now.get(path, ABSENT)), rule)

    @staticmethod
    def _with_bounds(result, path, value):
        bounds = bounds_at(result, path)
        return Bounded.of(value, bounds) if bounds and is_number(value) else value

    def _compare(self, path, one, other, rule):
        part = path.partition(".")[0].partition("[")[0] if "." in path or "[" in path else SINGLE
        self.count[part] += 1
        if not rule.agrees(one, other):
            self.differ[part] += 1
            self.differences.append(Difference(path, one, other, str(rule)))

    @property
    def agrees(self):
        return not self.differences and sum(self.count.values()) > 0

    def as_json(self):
        return {"agrees": self.agrees, "figures": sum(self.count.values()), "differences": [vars(one) for one in self.differences]}

    def table(self):
        lines = [f"{'part of the result':<32} {'figures':>8} {'differ':>8}"]
        lines += [f"{printable(part[:32]):<32} {self.count[part]:8d} {self.differ[part]:8d}" for part in self.count]
        lines += [f"{'all':<32} {sum(self.count.values()):8d} {len(self.differences):8d}"]
        if self.differences:
            lines += ["", f"{'figure':<44} {'recorded':>18} {'again':>18}  allowed"]
            lines += [f"{printable(one.path):<44} {text_of(one.recorded):>18} {text_of(one.again):>18}  {one.allowed}" for one in self.differences[:SHOWN_DIFFERENCES]]
            if len(self.differences) > SHOWN_DIFFERENCES:
                lines.append(f"and {len(self.differences) - SHOWN_DIFFERENCES} more; --json FILE lists all")
        return "\n".join(lines)


def text_of(value):
    text = value if isinstance(value, str) else f"{value:.10g}" if is_number(value) else json.dumps(value)
    return printable(text if len(text) <= SHOWN_CHARACTERS else text[:SHOWN_CHARACTERS] + "...")
