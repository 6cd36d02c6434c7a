# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax repeat: runs the command behind a result again and compares the figures."""
import json
import os
from pathlib import Path
import subprocess
import sys
import tempfile
import threading

from wimax_tools import command_line, provenance
from wimax_tools.control import Failed, Refused, say_fault
from wimax_tools.printable import printable_lines
from wimax_tools.repeat.commands import COMMANDS, again, repeat_words, rule
from wimax_tools.repeat.compare import Comparison, is_number
from wimax_tools.repeat.recorded_run import read_result, recorded_run, shown

LONGEST_S, MOST_LONGEST_S = 3600, 7 * 86400
STOP_S = 30  # for a program to clean up
LONG_STALL_S = 0.1
WRONG_INPUT = 2


def parser():
    result = command_line.Parser(prog="wimax repeat", description="Runs the command behind a result again, with the same seed and configuration, and compares the figures: exactly for the "
                                 "simulator,\nlink curves and decoded recordings, within bounds for the bench (docs/repeating.md). The result may be another user's. A fixed list of "
                                 "commands is run,\nnever a shell, and they write into a temporary folder. Exit status 0: all figures agree; 1: a figure differs, or the command failed;\n"
                                 "2: wrong input.",
                                 epilog="examples:\n  wimax repeat voice.json\n  wimax repeat decoded.json --folder recordings\n  sudo wimax repeat bench.json")
    result.add_argument("result", metavar="RESULT.json", help="file that a command wrote with --json, or an experiment's .json.xz")
    result.add_argument("--folder", metavar="DIR", default=".", help="folder of recordings and other files that the command reads; files elsewhere are refused (default: the working folder)")
    result.add_argument("--longest-s", type=command_line.within(1, MOST_LONGEST_S), default=LONGEST_S, metavar="S", help="stop the command after this wall-clock time (default %(default)s s)")
    command_line.add_json(result, "the comparison")
    return result


def run(words, folder, longest_s):
    """Runs the command; what it prints is sent to standard error, escaped, as the result may be another user's. Its exit status."""
    try:
        child = subprocess.Popen(words, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="surrogateescape",
                                 env={**os.environ, "WIMAX_NO_POLICIES": "1"})
    except OSError as error:
        raise Failed(f"{words[0]}: {error.strerror}; type: {provenance.to_type('./wimax build')}") from error
    with child:
        shown_lines = threading.Thread(target=show, args=(child.stdout,), daemon=True)
        shown_lines.start()
        try:
            status = child.wait(longest_s)
            shown_lines.join(STOP_S)
            return status
        except subprocess.TimeoutExpired as error:
            stop(child)
            raise Failed(f"the command took longer than {longest_s:g} s; --longest-s allows more") from error
        except BaseException:  # Ctrl-C reaches the command as well, and it cleans up
            stop(child)
            raise


def show(lines):
    for line in lines:
        print(printable_lines(line.rstrip("\n")), file=sys.stderr, flush=True)


def stop(child):
    child.terminate()
    try:
        child.wait(STOP_S)
    except subprocess.TimeoutExpired:
        child.kill()


def repeated(recorded, base, longest_s):
    """The new result."""
    with tempfile.TemporaryDirectory(prefix="wimax-repeat-") as name:
        folder = Path(name)
        words = repeat_words(recorded, base, folder)
        status = run(words, base, longest_s)
        if status == WRONG_INPUT:
            raise Refused("the command was refused as wrong input, see above")
        try:
            return read_result(again(folder))
        except Refused as error:
            raise Failed(f"the command ended with status {status} and without a result") from error


def remarks(then, now):
    """Differences of version, commit and machine. Hosts have names; the processor and the number of cores count."""
    described = {"version": lambda made: made["version"], "commit": lambda made: made["commit"], "machine": lambda made: made["machine"].partition(", ")[2]}
    found = [f"{key}: {shown(of(then))} recorded, {shown(of(now))} here" for key, of in described.items() if of(then) != of(now)]
    return [*found, *(f"commit {shown(made['commit'])}: the source tree had changes" for made in (now,) if made["commit"].endswith("+"))]


def host_remarks(then, now):
    """A stall of the host explains other figures of the bench."""
    stalls = [result.get("host_stall_s") for result in (then, now)]
    if not all(map(is_number, stalls)) or max(stalls) < LONG_STALL_S:
        return []
    return [f"longest host stall: {1e3 * stalls[0]:.0f} ms recorded, {1e3 * stalls[1]:.0f} ms here; figures of a busy host differ"]


def base_of(options):
    base = Path(options.folder).resolve()
    if not base.is_dir():
        raise Refused(f"--folder: '{options.folder}' is no folder")
    return base


def compare(options):
    result = read_result(options.result)
    recorded = recorded_run(result, COMMANDS)
    base = base_of(options)
    if COMMANDS[recorded.program].needs_root and os.geteuid() != 0:
        raise Failed(f"results of {recorded.program} need root for network namespaces; type: {provenance.to_type('sudo ./wimax repeat')} {options.result}")
    new = repeated(recorded, base, options.longest_s)
    comparison = Comparison(result, new, lambda path: rule(recorded.program, result, path))
    return recorded, new, comparison, [*remarks(recorded.provenance, new["provenance"]), *host_remarks(result, new)]


def write(recorded, new, comparison, told, options):
    if options.json:
        made = provenance.record("wimax repeat", provenance.command("repeat"), recorded.seed)
        command_line.print_result(json.dumps({**comparison.as_json(), "remarks": told, "recorded": recorded.provenance, "again": new["provenance"], "provenance": made}, indent=1),
                                  options.json)
    out = sys.stderr if options.json == command_line.STANDARD_OUTPUT else sys.stdout
    print(printable_lines(comparison.table()), file=out)
    verdict = ("all figures agree", "green") if comparison.agrees else (f"{len(comparison.differences)} figures differ" if comparison.count else "no figure was compared", "red")
    print(command_line.coloured(*verdict, out), file=out)


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        recorded, new, comparison, told = compare(options)
        for line in told:
            print(f"wimax repeat: {line}", file=sys.stderr)
        write(recorded, new, comparison, told, options)
        return 0 if comparison.agrees else 1
    except KeyboardInterrupt:
        return 130
    except RecursionError:
        return say_fault("repeat", Refused(f"{options.result}: nested too deeply"))
    except (Refused, Failed, OSError) as error:
        return say_fault("repeat", error)
