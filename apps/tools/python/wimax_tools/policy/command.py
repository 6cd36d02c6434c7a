# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax policy: tries a scheduler of the user in simulated cells, next to the built-in one (docs/policies.md)."""
import ast
import json
import os
import subprocess
import tempfile
from pathlib import Path

from wimax_tools import command_line
from wimax_tools.policy import cells, report

PROGRAM = "wimax policy"
BUILT_IN = "fair"
MOST_SECONDS = 3600
EXAMPLES = """examples:
  wimax policy check my_rules.py:MaxWeight
  wimax policy check my_rules.py --cell voice --seconds 30
  wimax policy check ./my_rules.so --direction uplink

Exit status: 0, the scheduler had no fault; 1, it had faults or a simulation failed; 2, wrong arguments or a file that cannot be loaded."""


class Refused(Exception):
    """Wrong input."""


class Failed(Exception):
    """A simulation that ended with an error."""


def classes_of(path):
    """Classes of a Python file with a method schedule(), without running it."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {getattr(error, 'strerror', None) or 'not a text file'}") from error
    except SyntaxError as error:
        raise Refused(f"{path}:{error.lineno}: {error.msg}") from error
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and
            any(isinstance(item, ast.FunctionDef) and item.name == "schedule" for item in node.body)]


def chosen(file):
    """The configuration's value for FILE, FILE.py or FILE.py:CLASS."""
    path, colon, _ = file.rpartition(":")
    if not (colon and path.endswith(".py")):
        if not file.endswith(".py"):
            if not os.path.isfile(file):
                raise Refused(f"{file}: allowed: a Python file (FILE.py or FILE.py:CLASS) or a shared library that exists")
            return {"library": os.path.abspath(file)}
        found = classes_of(file)
        if len(found) != 1:
            raise Refused(f"{file}: allowed: {file}:CLASS; classes with schedule(): {', '.join(found) or 'none'}")
        file = f"{file}:{found[0]}"
    return {"python": os.path.abspath(file)}


def simulate(scenario):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "cell.yml")
        file.write_text(json.dumps(scenario), encoding="utf-8")
        program = Path(os.environ["WIMAX_BUILD_DIR"], "bin/wimax-sim") if "WIMAX_BUILD_DIR" in os.environ else "wimax-sim"
        done = subprocess.run([program, "--scenario", file, "--json", "-"], capture_output=True, text=True, check=False)
    if done.returncode == 2:
        raise Refused(done.stderr.replace(str(file), "cell").strip())
    if done.returncode != 0:
        raise Failed(f"wimax-sim ended with status {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def check(options, run=simulate):
    """Rows of the report, one per cell and direction."""
    policy = chosen(options.file)
    directions = (options.direction,) if options.direction else cells.TRAFFIC_BOTH_WAYS
    rows = []
    for name in options.cell or cells.CELLS:
        own = run(cells.scenario(name, options.seconds, options.seed, {direction: policy for direction in directions}))
        builtin = run(cells.scenario(name, options.seconds, options.seed, {direction: BUILT_IN for direction in directions}))
        rows += [report.compare(name, direction, own, builtin) for direction in directions]
    return rows


def parser():
    result = command_line.Parser(prog=PROGRAM, description="Your schedulers, in Python or a shared library (docs/policies.md).", epilog=EXAMPLES)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="check")
    one = verbs.add_parser("check", help="try a scheduler in simulated cells: fairness, delays, starvation, cost", epilog=EXAMPLES,
                           description="Simulates each cell with the scheduler and with the built-in one, and prints their figures.")
    one.add_argument("file", metavar="FILE", help="FILE.py:CLASS, FILE.py if it has one class with schedule(), or a shared library")
    one.add_argument("--cell", action="append", choices=list(cells.CELLS), help="this cell only; can be repeated (default: all)")
    one.add_argument("--direction", choices=cells.TRAFFIC_BOTH_WAYS, help="use the scheduler in this direction only (default: both)")
    one.add_argument("--seconds", type=command_line.within(1, MOST_SECONDS), default=5, metavar="S",
                     help="simulated seconds of each cell (default %(default)s)")
    one.add_argument("--seed", type=command_line.within(0, 2**32 - 1, int), default=1, metavar="N", help="seed of traffic and channels (default %(default)s)")
    command_line.add_json(one, "the figures", bare=True)
    return result


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        rows = check(options)
    except Refused as error:
        command_line.say_fault(PROGRAM, error)
        return 2
    except Failed as error:
        command_line.say_fault(PROGRAM, error)
        return 1
    command_line.print_result(json.dumps(rows, indent=2) if options.json else report.table(rows), options.json)
    return 1 if report.faults(rows) else 0
