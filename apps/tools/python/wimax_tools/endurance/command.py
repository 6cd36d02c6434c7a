# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax endurance: does a cell hold for days?"""
import argparse
import json
import signal
import sys
from pathlib import Path

from wimax_tools import provenance
from wimax_tools.control import Failed, Refused, say_fault
from wimax_tools.progress import whole_file

LEAST_DAYS, MOST_DAYS = 0.01, 10
LIVE_S = 3600


def number_within(low, high):
    def read(text):
        try:
            value = float(text)
        except ValueError:
            value = None
        if value is None or not low <= value <= high:
            raise argparse.ArgumentTypeError(f"'{text}'; allowed: {low:g} to {high:g}")
        return value
    return read


def parser():
    result = argparse.ArgumentParser(prog="wimax endurance", description="Runs a cell for a long time and judges it: losses, latencies, stations that come "
                                     "back, keys, memory. Exit status 1: something did not hold.")
    kind = result.add_mutually_exclusive_group(required=True)
    kind.add_argument("--days", type=number_within(LEAST_DAYS, MOST_DAYS), metavar="N", help="days of virtual time in the simulator, with all services, "
                      f"ARQ, privacy, rate adaptation and stations that leave and enter ({LEAST_DAYS:g} to {MOST_DAYS:g}); about four minutes of CPU time per day")
    kind.add_argument("--live", action="store_true", help="the daemons over the virtual radio, with the live page and the metrics server: memory of each program")
    result.add_argument("--simulated-s", type=number_within(60, 86400), default=LIVE_S, metavar="S", help="with --live: duration in simulated seconds (default: %(default)s)")
    result.add_argument("--every-s", type=number_within(1, 3600), default=10, metavar="S", help="with --live: simulated seconds between two looks (default: %(default)s)")
    result.add_argument("--seed", type=int, default=1, help="with --days: of everything random (default: %(default)s)")
    result.add_argument("--json", metavar="FILE", help="write all figures to this file")
    return result


def run(options):
    """(text, figures, holds)."""
    if options.live:
        from wimax_tools.endurance import live  # --help works without its libraries
        try:
            result = live.run(options)
        except live.StackError as error:
            raise Failed(str(error)) from error
        return live.text(result), result, live.holds(result)
    from wimax_tools.endurance import days
    scenario, result = days.simulate(options.days, options.seed)
    judgement = days.Judgement(scenario, result)
    figures = {"provenance": provenance.record("endurance", " ".join(sys.argv), options.seed), "judgement": judgement.lines, "result": result}
    return judgement.text(), figures, judgement.holds()


def main(arguments):
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no program is left behind
    try:
        text, figures, holds = run(options)
        if options.json:
            with whole_file(options.json) as name:
                Path(name).write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")
        print(text)
        return 0 if holds else 1
    except KeyboardInterrupt:
        return 130
    except (Refused, Failed) as error:
        return say_fault("endurance", error)
