# SPDX-License-Identifier: GPL-3.0-or-later
"""Recorded figures: what programs compute from the same input, compared with what they computed when it was last accepted.

Other tests state rules. This one notices that something changed that no rule mentions: a constant, a count, an order. Not every
change is a fault. Where it is intended, `--accept` records the new figures, and the commit says why they changed.
Numbers may differ by a Tolerance, because processors and libraries round differently.
"""
import argparse
import json
import lzma
import math
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SHOWN = 12  # differences of a case


@dataclass(frozen=True)
class Tolerance:
    """By how much a number may differ: by a share of it, at least of `least`. `few`: counts may differ, too, at least by this."""
    share: float
    least: float = 0.0
    few: int | None = None


EXACT = Tolerance(1e-5, 1e-6)   # computed in double precision: only libraries differ
ROUNDED = Tolerance(2e-3, 0.5)  # of samples in single precision: processors differ, and small numbers are differences of large ones


def flat(value, path=""):
    """{path: number, text, truth or null} of nested maps and lists."""
    if isinstance(value, dict):
        return {k: v for key, inner in value.items() for k, v in flat(inner, f"{path}.{key}" if path else key).items()}
    if isinstance(value, list):
        return {k: v for i, inner in enumerate(value) for k, v in flat(inner, f"{path}[{i}]").items()}
    return {path: _short(value)}


def _short(value):
    return float(f"{value:.7g}") if isinstance(value, float) and math.isfinite(value) else value


def same(a, b, tolerance=EXACT):
    numbers = all(isinstance(x, (int, float)) and not isinstance(x, bool) for x in (a, b))
    counts = isinstance(a, int) and isinstance(b, int)
    if numbers and (not counts or tolerance.few is not None):
        return a == b or abs(a - b) <= max(tolerance.few if counts else 0, tolerance.share * max(abs(a), abs(b), tolerance.least))
    return a == b and type(a) is type(b)


def differences(recorded, now, tolerance=EXACT):
    """Lines for what differs, at most SHOWN of a case and a line that counts the rest."""
    paths = [p for p in {**recorded, **now} if p not in recorded or p not in now or not same(recorded[p], now[p], tolerance)]
    lines = [f"{p}: recorded {recorded.get(p, 'nothing')!r}, now {now.get(p, 'nothing')!r}" for p in paths[:SHOWN]]
    return lines + ([f"and {len(paths) - SHOWN} more figures"] if len(paths) > SHOWN else [])


class Record:
    """A file of figures by case: {case: [paths, values]}, which compresses better than pairs."""
    FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "pb": 0},)

    def __init__(self, path):
        self.path = Path(path)

    def read(self):
        known = json.loads(lzma.decompress(self.path.read_bytes())) if self.path.exists() else {}
        return {case: dict(zip(*columns)) for case, columns in known.items()}

    def write(self, figures):
        columns = {case: [sorted(own), [own[path] for path in sorted(own)]] for case, own in figures.items()}
        text = json.dumps(columns, sort_keys=True, separators=(",", ":")) + "\n"
        self.path.write_bytes(lzma.compress(text.encode(), filters=self.FILTERS))


def compute(cases, run, jobs):
    """({case: figures}, {case: why it has none}); `run` gives the result of a case as nested maps and lists."""
    def figures(case):
        try:
            return flat(run(case)), None
        except Exception as fault:  # a case that fails must not hide the others
            return {}, f"{type(fault).__name__}: {fault}"
    with ThreadPoolExecutor(jobs) as pool:
        found = dict(zip(cases, pool.map(figures, cases)))
    return {case: one for case, (one, _) in found.items()}, {case: why for case, (_, why) in found.items() if why}


def main(cases, run, record, argv=None, tolerance=lambda case: EXACT):
    """`cases`: names; what a test program calls. 0: as recorded."""
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--accept", action="store_true", help="record the figures of now; say in the commit why they changed")
    p.add_argument("--jobs", type=int, default=2)
    p.add_argument("case", nargs="*", help=f"only these: {', '.join(cases)}")
    args = p.parse_args(argv)
    chosen = args.case or list(cases)
    known, (now, failed) = Record(record).read(), compute(chosen, run, args.jobs)
    for name, why in failed.items():
        print(f"{name}: {why}")
    if failed:
        return 1
    if args.accept:
        Record(record).write({name: now.get(name, known.get(name)) for name in cases if name in now or name in known})
        return 0
    wrong = {name: differences(known.get(name, {}), now[name], tolerance(name)) for name in chosen}
    for name, lines in wrong.items():
        for line in lines:
            print(f"{name}: {line}")
    if any(wrong.values()):
        print(f"If this is intended: /usr/bin/python3 {Path(sys.argv[0])} --accept, and say in the commit why the figures changed.")
    return int(any(wrong.values()))
