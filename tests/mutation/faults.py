# SPDX-License-Identifier: GPL-3.0-or-later
"""One fault: a place in a source file and the text that replaces it. Faults of C++ are compiled in as switches where possible.

An `expression` becomes (mutant_active(N) ? (replacement) : (original)), a `statement` becomes
{ if (mutant_active(N)) { replacement } else { original } }. One build holds all of them; an environment variable selects one.
An `edit` replaces the text and needs a build for itself: constants, declarations, everything that is not C++.

Texts are bytes decoded as Latin-1, because libclang and `ast` count bytes.
"""
import difflib
import hashlib
from dataclasses import dataclass

EXPRESSION, STATEMENT, EDIT = "expression", "statement", "edit"


@dataclass(frozen=True)
class Place:
    """What an operator proposes. `start` and `end` are byte offsets."""
    start: int
    end: int
    replacement: str
    kind: str
    operator: str
    function: str  # the enclosing one, with its class


@dataclass(frozen=True)
class Fault:
    area: str
    file: str
    place: Place
    original: str
    line: int      # of the file, from 1
    ordinal: int   # among the same changes of the same text in the same function

    @property
    def key(self):
        """Does not change when lines move: depends on the function and on what is changed in it."""
        p = self.place
        said = (self.file, p.function, p.operator, self.original, p.replacement, self.ordinal)
        return hashlib.sha256(repr(said).encode()).hexdigest()[:12]

    @property
    def number(self):
        """Its name in the program. Depends on the key alone, so that other faults leave other files as built."""
        return int(self.key[:7], 16) + 1


def text_of(path):
    return path.read_bytes().decode("latin-1")


def shown(text):
    return text.encode("latin-1").decode("utf-8", "replace")


def in_file(area, file, text, places):
    """Faults of all places of one file."""
    count, faults = {}, []
    for place in sorted(set(places), key=lambda p: (p.start, p.end, p.operator, p.replacement)):
        original = text[place.start:place.end]
        if original == place.replacement:
            continue
        same = (place.function, place.operator, original, place.replacement)
        count[same] = count.get(same, 0) + 1
        faults.append(Fault(area, file, place, original, text.count("\n", 0, place.start) + 1, count[same]))
    return faults


def edited(text, fault):
    """The text with this one fault."""
    return text[:fault.place.start] + _alone(fault) + text[fault.place.end:]


def _alone(fault):
    forms = {EXPRESSION: "({})", STATEMENT: "{{ {} }}", EDIT: "{}"}
    return forms[fault.place.kind].format(fault.place.replacement)


def diff(text, fault):
    """Unified diff without context, as a reviewer reads it."""
    changed = text[:fault.place.start] + (fault.place.replacement or "/* removed */"[:15 * (fault.place.kind == STATEMENT)]) + text[fault.place.end:]
    lines = list(difflib.unified_diff(shown(text).splitlines(), shown(changed).splitlines(), n=0, lineterm=""))
    return "\n".join(lines[3:])


def switchable(faults, switches=()):
    """Those that one build can hold, together with the `switches` that it has. Of two places that overlap, none inside the other, the
    later is left out."""
    found = []
    for fault in (f for f in faults if f.place.kind != EDIT):
        if not any(_crossing(fault, other) for other in (*switches, *found)):
            found.append(fault)
    return found


def _crossing(one, other):
    a, b = one.place, other.place
    return one.file == other.file and (b.start < a.start < b.end < a.end or a.start < b.start < a.end < b.end)


def switched(text, faults, header):
    """Text of a C++ file with all these faults as switches; one may be inside another. `header`: path of mutant.h."""
    if not faults:
        return text
    inside_out = sorted(faults, key=lambda f: (f.place.start, -f.place.end, f.place.kind != STATEMENT))
    return f'#include "{header}"\n#line 1\n' + _render(text, inside_out, 0, len(text))


def _render(text, faults, begin, end):
    """`faults` sorted so that an outer one comes before those inside it."""
    out, at = [], begin
    while faults:
        outer, rest = faults[0], faults[1:]
        inner = [f for f in rest if f.place.start < outer.place.end]
        faults = rest[len(inner):]
        out += [text[at:outer.place.start], _switch(outer, _render(text, inner, outer.place.start, outer.place.end))]
        at = outer.place.end
    return "".join(out) + text[at:end]


def _switch(fault, original):
    if fault.place.kind == EXPRESSION:
        return f"(::mutant_active({fault.number}) ? ({fault.place.replacement}) : ({original}))"
    return f"{{ if (::mutant_active({fault.number})) {{ {fault.place.replacement} }} else {{ {original} }} }}"
