# SPDX-License-Identifier: GPL-3.0-or-later
"""What PDUs, messages and their parts have in common: equality, a representation that evaluates, a text tree, faults."""
from __future__ import annotations

import dataclasses
import json
import math
import operator
from typing import Any, Callable, Iterator, Mapping, Optional, TypeVar

from wimax._core import core

_T = TypeVar("_T")

DICTIONARY: Mapping[str, Any] = json.loads(core.pdu_dictionary())
"""Messages, fields and TLVs of the library (`apps/mac/pdu/dictionary.cc`), as JSON."""


class DissectError(ValueError):
    """Octets that are not what they should be.

    `offset`: of the octet where it shows, from the start of the input. `reason`: `hcs`, `truncated`, `reserved`, `length`, `subheader`,
    `key` (the payload does not open with the key) or `kind` (other contents than asked for). `detail`: a sentence.
    """

    def __init__(self, offset: int, reason: str, detail: str) -> None:
        super().__init__(f"octet {offset}: {reason}: {detail}")
        self.offset, self.reason, self.detail = offset, reason, detail


def error_of(tree: Mapping[str, Any]) -> DissectError:
    """The error of a tree that the core has decoded; its detail begins with the octet."""
    place, _, detail = str(tree["detail"]).removeprefix("octet ").partition(": ")
    return DissectError(int(place), tree["error"]["reason"], detail)


class Faults:
    """Collects the faults of one object, so that all are reported at once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def of(self, name: str, make: Callable[[], _T]) -> Optional[_T]:
        """The result of `make`, or None after its faults are kept under `name`."""
        try:
            return make()
        except (ValueError, TypeError, OverflowError) as fault:
            self.lines += [joined(name, line) for line in str(fault).splitlines()]
            return None

    def add(self, name: str, fault: str) -> None:
        """Keeps one fault."""
        self.lines.append(joined(name, fault))

    def check(self, name: str) -> None:
        """Raises ValueError with one line per fault, if there are any."""
        if self.lines:
            raise ValueError("\n".join(joined(name, line) for line in self.lines))


def joined(name: str, line: str) -> str:
    """A fault of the core ("/ies/0/cid: value 70000: allowed 0..65535") after the name of its owner: "DL-MAP: ies.0.cid: value ..."."""
    path, colon, rest = line.partition(": ")
    if path.startswith("/") and colon:
        inner = path[1:].replace("/", ".")
        line = f"{inner}: {rest}" if inner else rest
    return f"{name}: {line}" if name else line


def frozen(value: Any) -> Any:
    """Lists as tuples, so that [1] and (1,) are equal."""
    return tuple(frozen(one) for one in value) if isinstance(value, (list, tuple)) else value


def tree_of(value: Any) -> Any:
    """A value as JSON of the core: octets as hex digits, records as objects without what they do not have."""
    if isinstance(value, (bytes, bytearray)):
        return value.hex()
    if isinstance(value, Record):
        return {name: tree_of(one) for name, one in value.values() if not is_absent(one)}
    if isinstance(value, (list, tuple)):
        return [tree_of(one) for one in value]
    return value


def is_integer(value: Any) -> bool:
    """True for Python's and numpy's integers."""
    try:
        operator.index(value)
    except TypeError:
        return False
    return True


def is_absent(value: Any) -> bool:
    """True for None and for no elements. Numpy's numbers compare with a tuple as arrays do."""
    return value is None or isinstance(value, tuple) and not value


def json_text(tree: Any) -> str:
    """JSON for the core; numpy's integers are integers. ValueError: each value that JSON does not have, by its place."""
    try:
        return json.dumps(tree, allow_nan=False, default=operator.index)
    except (TypeError, ValueError):
        raise ValueError("\n".join(_not_json(tree))) from None


def _not_json(tree: Any, place: str = "") -> Iterator[str]:
    """Values that JSON does not have: "/header/cid: value {1}: allowed ..."."""
    if isinstance(tree, (dict, list, tuple)):
        for key, value in tree.items() if isinstance(tree, dict) else enumerate(tree):
            yield from _not_json(value, f"{place}/{key}")
    elif not (tree is None or isinstance(tree, str) or is_integer(tree) or isinstance(tree, float) and math.isfinite(tree)):
        yield f"{place or '/'}: value {tree!r}: allowed are integers, octets (bytes) and texts, by the field"


def shown(value: Any) -> str:
    """A value in a text tree: six octets as an address, other octets as hex digits."""
    if isinstance(value, (bytes, bytearray)):
        return value.hex(":") if len(value) == 6 else value.hex() or "no octets"
    return value if isinstance(value, str) else repr(value)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Record:
    """Base of PDUs, messages and their parts. Records are equal if their classes and values are; `repr` evaluates after
    `from wimax.pdu import *`."""

    def values(self) -> Iterator[tuple[str, Any]]:
        """Names and values of the fields."""
        for field in dataclasses.fields(self):
            yield field.name, getattr(self, field.name)

    def arguments(self) -> Iterator[tuple[str, Any]]:
        """Those arguments of the constructor that are not the defaults."""
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if frozen(value) != field.default:
                yield field.name, value

    def key(self) -> Any:
        """What equality compares."""
        return tuple((name, frozen(value)) for name, value in self.values())

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and isinstance(other, Record) and self.key() == other.key()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.arguments())})"

    def title(self) -> str:
        """First line of the text tree."""
        return type(self).__name__

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        """Name, value and unit of each line of the text tree."""
        for name, value in self.values():
            if not is_absent(value):
                yield name, value, ""

    def describe(self, indent: int = 0, name: str = "") -> str:
        """The text tree that `show` prints: one line per value, parts indented by two characters."""
        lines = [" " * indent + (f"{name}: " if name else "") + self.title()]
        for row, value, unit in self.rows():
            parts = value if isinstance(value, (list, tuple)) and any(isinstance(one, Record) for one in value) else (value,)
            for part in parts:
                if isinstance(part, Record):
                    lines.append(part.describe(indent + 2, row))
                else:
                    lines.append(f"{' ' * (indent + 2)}{row} = {shown(part)}{' ' + unit if unit else ''}")
        return "\n".join(lines)

    def show(self) -> None:
        """Prints the text tree."""
        print(self.describe())
