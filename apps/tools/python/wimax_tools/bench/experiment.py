# SPDX-License-Identifier: GPL-3.0-or-later
"""What an experiment is: its description (tests/experiments), its cases, and how they are measured, kept and gone on with."""
import copy
from dataclasses import dataclass, field
import functools
import hashlib
import json
import os
from pathlib import Path
import subprocess
import time
from typing import Callable

import yaml

from wimax_tools import provenance
from wimax_tools.bench.figure import bounds, with_bounds
from wimax_tools.bench.origin import origin
from wimax_tools.bench.stack import StackError, merge

FOLDER = Path(provenance.TOP, "tests", "experiments")
PROFILES = {"field": "field_profile", "lab": "lab_profile"}
KEYS = ("title", "study", "conditions", "measured", "found", "expected", "published")


class DescriptionError(ValueError):
    pass


@functools.cache
def studies():
    """By name: title, source, and the network: our configuration by site that has its conditions; None where none of ours can."""
    return yaml.safe_load((FOLDER / "studies.yml").read_text(encoding="utf-8"))


@functools.cache
def description(name):
    path = FOLDER / f"{name}.yml"
    found = yaml.safe_load(path.read_text(encoding="utf-8"))
    wrong = [f"{key} is missing" for key in KEYS if key not in found] + [f"{key} is not known" for key in found if key not in KEYS]
    if found.get("study") not in studies():
        wrong.append(f"study {found.get('study')}: allowed {', '.join(studies())}")
    if wrong:
        raise DescriptionError(f"{path}: {'; '.join(wrong)}")
    return found


@dataclass(frozen=True)
class Case:
    extra: Callable = lambda profile: {}  # of the radio profile: further configuration by site
    arguments: dict = field(default_factory=dict)  # of the bench, in place of the command line's
    profiles: tuple = tuple(PROFILES)     # field: the study's network; lab: our own
    own: dict = field(default_factory=dict)  # further configuration by site of our own profile alone
    field_arguments: dict = field(default_factory=dict)  # further arguments of the study's network alone


@dataclass(frozen=True)
class Measured:
    """Of all cases that could be measured. Figures by direction, or by direction and case; series by case as the bench kept them."""
    published: dict
    figures: dict  # by profile
    series: dict   # by profile and case
    profile: object

    @property
    def field(self):
        return self.figures["field"]

    @property
    def lab(self):
        return self.figures["lab"]


@dataclass(frozen=True)
class Experiment:
    name: str
    measure: Callable  # of a Bench whose stack runs: figures by direction
    goals: Callable    # of a Measured: [(what, goal, measured, whether it is met)]
    cases: dict = field(default_factory=lambda: {"": Case()})
    pictures: dict = field(default_factory=dict)  # by name: of a Measured, a matplotlib figure
    account: Callable = lambda measured: {}  # by case: what the difference between published and measured consists of

    @property
    def title(self):
        return description(self.name)["title"]

    def plan(self, profile):
        """(profile, case, configuration by site, bench's arguments) of each case in turn."""
        network = studies()[description(self.name)["study"]]["network"]
        steps = []
        for which, base in (("field", network), ("lab", {})):
            if base is not None:
                for name, case in self.cases.items():
                    if which in case.profiles:
                        own, arguments = (case.own, {}) if which == "lab" else ({}, case.field_arguments)
                        steps.append((which, name, merged(base, case.extra(profile), own), {**case.arguments, **arguments}))
        return steps

    def run(self, bench_of, kept, progress, args):
        """`bench_of(extra, **arguments)`: a Bench whose stack has this configuration, as a context that starts and stops it. The result
        names cases that fail; the next case is measured."""
        text = description(self.name)
        figures, series, errors, cases = ({which: {} for which in PROFILES} for _ in range(4))
        plan = self.plan(args.profile)
        for number, (which, name, extra, arguments) in enumerate(plan, 1):
            progress(f"{self.name} {number}/{len(plan)}, {PROFILES[which].replace('_', ' ')}{name and ', '}{name}")
            key = kept.key(self.measure.__module__, self.measure.__qualname__, extra, arguments, args)
            result = kept.read(key)
            if result is None:
                result = measured_case(self.measure, bench_of, extra, arguments)
                kept.write(key, result)
            cases[which][name] = {k: result[k] for k in ("commit", "seconds", "error", "realtime_factor", "host_stolen_share") if k in result}
            if "error" in result:
                errors[which][name] = result["error"]
                continue
            for direction, values in with_bounds(result["figures"], result["bounds"]).items():
                figures[which].setdefault(direction, {}).update({name: values} if name else values)
            series[which][name] = result["series"]
        measured = Measured(text["published"], figures, series, args.profile)
        return {"experiment": self.name, "conditions": text["conditions"],
                **aligned(published=text["published"], **{PROFILES[which]: figures[which] for which in PROFILES}),
                "goals": self.reached(measured, errors), "account": self.accounted(measured), "bounds": {PROFILES[which]: bounds(figures[which]) for which in PROFILES},
                "provenance": origin(args),
                "cases": {PROFILES[which]: cases[which] for which in PROFILES}}, measured

    def reached(self, measured, errors):
        failed = [{"what": f"{PROFILES[which]}{name and ', '}{name} is measured", "goal": "without error", "measured": error, "met": False}
                  for which, cases in errors.items() for name, error in cases.items()]
        try:
            goals = self.goals(measured)
        except KeyError:
            if not failed:
                raise
            goals = []  # of cases that failed
        return [{"what": what, "goal": goal, "measured": value, "met": bool(met)} for what, goal, value, met in goals] + failed

    def accounted(self, measured):
        try:
            return self.account(measured)
        except KeyError:  # of cases that failed
            return {}


def measured_case(measure, bench_of, extra, arguments):
    begin = time.monotonic()
    result = {"commit": provenance.commit()}
    try:
        with bench_of(extra, **arguments) as bench:
            entered = bench.stack.clock()
            figures = measure(bench)
            result.update(figures=figures, bounds=bounds(figures), series=bench.series,
                          realtime_factor=round(bench.stack.clock().factor_since(entered), 4),
                          host_stolen_share=round(bench.stack.stolen_share(), 4))
    except (StackError, OSError, subprocess.SubprocessError) as error:
        result["error"] = str(error) or type(error).__name__
    return dict(result, seconds=round(time.monotonic() - begin, 1))


class Kept:
    """Results of cases as files, so that a stopped run can continue; a failed case is tried again."""

    def __init__(self, folder):
        self.folder = Path(folder, "cases")

    @staticmethod
    def key(module, name, extra, arguments, args):
        """Of everything that decides a result; experiments that measure the same share it."""
        told = {k: getattr(args, k) for k in ("seed", "mode", "quick", "duration", "channel", "snr_db", "dl_rate", "ul_rate", "stations")}
        parts = [provenance.commit(), module, name, extra, arguments, args.profile.name, told]
        return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:16]

    def read(self, key):
        path = self.folder / f"{key}.json"
        if not path.exists():
            return None
        found = json.loads(path.read_text(encoding="utf-8"))
        return None if "error" in found else found

    def write(self, key, result):
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{key}.json"
        path.with_suffix(".new").write_text(json.dumps(result), encoding="utf-8")
        os.replace(path.with_suffix(".new"), path)


def merged(*extras):
    result = {}
    for extra in extras:
        merge(result, copy.deepcopy(extra))
    return result


def aligned(**parts):
    """The same keys in each, null where there is no figure."""
    return dict(zip(parts, _aligned(list(parts.values()))))


def _aligned(parts):
    if not any(isinstance(part, dict) for part in parts):
        return parts
    parts = [part if isinstance(part, dict) else {} for part in parts]
    keys = list(dict.fromkeys(key for part in parts for key in part))
    columns = {key: _aligned([part.get(key) for part in parts]) for key in keys}
    return [{key: columns[key][i] for key in keys} for i in range(len(parts))]
