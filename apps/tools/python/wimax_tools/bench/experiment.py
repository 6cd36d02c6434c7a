# SPDX-License-Identifier: GPL-3.0-or-later
"""What an experiment of the bench is, and what several of them do."""
import copy
from dataclasses import dataclass, field
from typing import Callable, Optional

from wimax_tools.bench.stack import merge


@dataclass(frozen=True)
class Experiment:
    name: str
    title: str
    conditions: dict
    published: dict
    field_extra: Optional[dict]  # merged into the configurations by site; None: no operational network had it
    measure: Callable           # of a Bench whose stack runs: figures under the keys of `published`
    goals: Callable             # of the lab profile's figures and the radio profile: [(what, goal, measured, whether it is met)]
    cases: dict = field(default_factory=dict)  # by name: a further configuration by site, of the radio profile; each is measured
    arguments: Callable = lambda case: {}      # of the bench, in place of the command line's

    def measured(self, bench_of, progress, extra, profile):
        """By direction; with cases by direction and case."""
        figures = {}
        for case, more in (self.cases or {"": lambda _: {}}).items():
            progress(case)
            with bench_of(merged(extra, more(profile)), **self.arguments(case)) as bench:
                for direction, result in self.measure(bench).items():
                    figures.setdefault(direction, {}).update({case: result} if case else result)
        return figures

    def run(self, bench_of, progress, profile):
        """`bench_of(extra, **arguments)`: a Bench whose stack has this configuration and radio profile, as a context that starts and
        stops it."""
        figures = {}
        for key, extra in (("field_profile", self.field_extra), ("lab_profile", {})):
            if extra is None:
                continue
            said = f"{self.name}, {key.replace('_', ' ')}"
            figures[key] = self.measured(bench_of, lambda case, said=said: progress(f"{said}{case and ', '}{case}"), extra, profile)
        goals = [{"what": what, "goal": goal, "measured": measured, "met": bool(met)}
                 for what, goal, measured, met in self.goals(figures["lab_profile"], profile)]
        return {"experiment": self.name, "conditions": self.conditions, "published": self.published, **figures, "goals": goals}


def merged(*extras):
    result = {}
    for extra in extras:
        merge(result, copy.deepcopy(extra))
    return result


def jain(rates):
    return sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) if any(rates) else 0.0


def transfers(bench, flows, meanwhile=None):
    """Transfers (station, direction, offered IP bit/s or None for TCP) at once; their figures, rates in simulated time."""
    bench.stack.wait_until_quiet()
    begin, factor = bench.stack.clock(), bench.pace()
    bench.start((i, direction, None if offer is None else offer * factor) for i, direction, offer in flows)
    said = meanwhile() if meanwhile else None
    results = bench.results(" and ".join("TCP" if offer is None else "UDP" for _, _, offer in flows))
    factor = bench.stack.clock().factor_since(begin)
    return [dict(r, ip_bps=r["ip_bps"] / factor) for r in results], said
