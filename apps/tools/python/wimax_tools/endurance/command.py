# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax endurance: does a cell hold for days?"""
import json
import signal
import sys
from pathlib import Path

from wimax_tools import command_line, provenance
from wimax_tools.control import Failed, Refused, say_fault
from wimax_tools.progress import whole_file

LEAST_DAYS, MOST_DAYS = 0.01, 10
LIVE_S = 3600


def parser():
    result = command_line.Parser(prog="wimax endurance", description="Runs a cell for a long time and checks losses, latencies, network entries, keys and memory. "
                                 "Exit status 1: a check failed.",
                                 epilog="examples:\n  wimax endurance --days 1\n  sudo wimax endurance --live --seconds 600 --json live.json")
    kind = result.add_mutually_exclusive_group(required=True)
    kind.add_argument("--days", type=command_line.within(LEAST_DAYS, MOST_DAYS), metavar="N", help="days of virtual time in the simulator, with all services, "
                      f"ARQ, privacy, rate adaptation, and stations that leave and enter ({LEAST_DAYS:g} to {MOST_DAYS:g}); about four minutes of CPU time per day")
    kind.add_argument("--live", action="store_true", help="run the daemons with the virtual radio, the live page and the metrics server, and check the memory of each program")
    result.add_argument("--seconds", "--simulated-s", dest="simulated_s", type=command_line.within(60, 86400), default=LIVE_S, metavar="S", help="with --live: duration in simulated seconds (default: %(default)s)")
    result.add_argument("--every-s", type=command_line.within(1, 3600), default=10, metavar="S", help="with --live: simulated seconds between two measurements (default: %(default)s)")
    result.add_argument("--seed", type=int, default=1, help="with --days: seed of all random numbers (default: %(default)s)")
    command_line.add_json(result, "all figures")
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
    figures = {"provenance": provenance.record("wimax endurance", provenance.command("endurance"), options.seed), "judgement": judgement.lines, "result": result}
    return judgement.text(), figures, judgement.holds()


def write(figures, path):
    text = json.dumps(figures, indent=1) + "\n"
    if path == command_line.STANDARD_OUTPUT:
        sys.stdout.write(text)
        return
    with whole_file(path) as name:
        Path(name).write_text(text, encoding="utf-8")


def main(arguments):
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # no program is left behind
    try:
        text, figures, holds = run(options)
        if options.json:
            write(figures, options.json)
        print(text, file=sys.stderr if options.json == command_line.STANDARD_OUTPUT else sys.stdout)
        return 0 if holds else 1
    except KeyboardInterrupt:
        return 130
    except (Refused, Failed) as error:
        return say_fault("endurance", error)
