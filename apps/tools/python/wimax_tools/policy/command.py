# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax policy: tries policies of the user in simulated cells, next to the built-in ones (docs/policies.md)."""
import ast
import json
import os
import subprocess
import tempfile
from pathlib import Path

from wimax_tools import command_line
from wimax_tools.policy import admissions, cells, classifiers, queues, rates, report

PROGRAM = "wimax policy"
# Kinds of policies: each module has METHOD (of a class in Python), KEY (of the configuration), BUILT_IN, CELLS, scenario(), compare() and table().
KINDS = {kind.METHOD: kind for kind in (report, admissions, rates, queues, classifiers)}
ALL_CELLS = {name: kind for kind in KINDS.values() for name in kind.CELLS}
NOT_IN_LIBRARY = "a library with a policy for"  # of the simulator's refusal
MOST_SECONDS = 3600
EXAMPLES = """examples:
  wimax policy check my_rules.py:MaxWeight
  wimax policy check my_rules.py --cell voice --seconds 30
  wimax policy check ./my_rules.so --direction uplink

Exit status: 0, no policy had a fault; 1, there were faults or a simulation failed; 2, wrong arguments or a file that cannot be loaded."""


class Refused(Exception):
    """Wrong input."""


class Failed(Exception):
    """A simulation that ended with an error."""


def classes_of(path):
    """Classes of a Python file that are policies, with the kinds that their methods name, without running the file."""
    try:
        tree = ast.parse(Path(path).read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"{path}: {getattr(error, 'strerror', None) or 'not a text file'}") from error
    except SyntaxError as error:
        raise Refused(f"{path}:{error.lineno}: {error.msg}") from error
    found = {node.name: [item.name for item in node.body if isinstance(item, ast.FunctionDef) and item.name in KINDS]
             for node in tree.body if isinstance(node, ast.ClassDef)}
    return {name: kinds for name, kinds in found.items() if kinds}


def chosen(file):
    """The configuration's value for FILE, FILE.py or FILE.py:CLASS, and its kinds; None: only the simulator knows them."""
    path, colon, name = file.rpartition(":")
    if not (colon and path.endswith(".py")):
        if not file.endswith(".py"):
            if not os.path.isfile(file):
                raise Refused(f"{file}: allowed: a Python file (FILE.py or FILE.py:CLASS) or a shared library that exists")
            return {"library": os.path.abspath(file)}, None
        found = classes_of(file)
        if len(found) != 1:
            raise Refused(f"{file}: allowed: {file}:CLASS; classes with {methods()}: {', '.join(found) or 'none'}")
        path, name = file, next(iter(found))
    # Methods may be inherited, or made while the file runs.
    return {"python": f"{os.path.abspath(path)}:{name}"}, classes_of(path).get(name)


def methods():
    names = [f"{name}()" for name in KINDS]
    return f"{', '.join(names[:-1])} or {names[-1]}"


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


def check_kind(kind, policy, options, run):
    """Rows of the report for one kind, one per cell and direction."""
    directions = (options.direction,) if options.direction else cells.TRAFFIC_BOTH_WAYS
    rows = []
    for name in kind.CELLS:
        if not options.cell or name in options.cell:
            own, builtin = (run(kind.scenario(name, options.seconds, options.seed, value, directions)) for value in (policy, kind.BUILT_IN))
            rows += kind.compare(name, own, builtin, directions)
    return rows


def check(options, run=simulate):
    """Rows of the report by kind."""
    policy, kinds = chosen(options.file)
    rows = {}
    for method in [options.kind] if options.kind else kinds or list(KINDS):
        try:
            rows[method] = check_kind(KINDS[method], policy, options, run)
        except Refused as refusal:
            if "library" not in policy or options.kind or NOT_IN_LIBRARY not in str(refusal):
                raise
    if not any(rows.values()):
        raise Refused(f"{options.file}: allowed: cells of its kinds" if options.cell else f"{options.file}: allowed: a policy with {methods()}")
    return {method: of_kind for method, of_kind in rows.items() if of_kind}


def parser():
    result = command_line.Parser(prog=PROGRAM, description="Your policies, in Python or a shared library (docs/policies.md).", epilog=EXAMPLES)
    verbs = result.add_subparsers(dest="verb", required=True, metavar="check")
    one = verbs.add_parser("check", help="try policies in simulated cells: goodput, fairness, delays, losses, refusals, cost", epilog=EXAMPLES,
                           description="Simulates each cell with the policy and with the built-in one, and prints their figures.")
    one.add_argument("file", metavar="FILE", help=f"FILE.py:CLASS, FILE.py if it has one class with {methods()}, or a shared library")
    one.add_argument("--cell", action="append", choices=list(ALL_CELLS), help="this cell only; can be repeated (default: all)")
    one.add_argument("--kind", choices=list(KINDS), help="policies of this kind only (default: all that the file has)")
    one.add_argument("--direction", choices=cells.TRAFFIC_BOTH_WAYS, help="use all kinds but admission in this direction only (default: both)")
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
    everything = [row for of_kind in rows.values() for row in of_kind]
    text = "\n\n".join(KINDS[method].table(of_kind) for method, of_kind in rows.items())
    command_line.print_result(json.dumps(everything, indent=2) if options.json else text, options.json)
    return 1 if report.faults(everything) else 0
