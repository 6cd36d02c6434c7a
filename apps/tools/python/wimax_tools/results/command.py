# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax results: measures the tables of README.md and docs/performance.md, and writes them."""
import json
import os
import shlex
import sys
import time
from pathlib import Path

from wimax_tools import command_line, progress, provenance
from wimax_tools.campaign import tasks
from wimax_tools.control import Refused, say_fault
from wimax_tools.results import documents, tables
from wimax_tools.results.rows import ROWS, TABLES, named

LONGEST_S = 900  # of a command
MOST_TIMES = 2   # that a row is measured if the host stalls
PYTHON = ("bench",)
LONG = ("provenance", "lates", "stalls_of_machine", "flows")


def parser():
    minutes = sum(row.seconds for row in ROWS) / 60
    result = command_line.Parser(prog="wimax results", description="Measures the rows behind the tables of README.md and docs/performance.md, one after the other "
                                 f"(about {minutes:.0f} minutes\non two idle cores). Each row is kept as JSON in build/results. A row of the present commit is not measured again. "
                                 "A row is\nrepeated once if the host stalled. Needs root for network namespaces. Exit status 1: a row failed.",
                                 epilog="examples:\n  wimax results --list\n  wimax results --only bench-sui6 --only link\n  wimax results && wimax results --write")
    result.add_argument("--only", action="append", metavar="ROW", help="measure this row or the rows of this table, also if it was measured before; may be repeated")
    what = result.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="list rows with their tables, commands and state; measure nothing")
    what.add_argument("--write", action="store_true", help="write the tables into the documents from the measured rows; measure nothing. "
                      "A table with a missing row stays as it is")
    result.add_argument("--folder", metavar="DIR", help="folder of the measured rows (default: results in the build folder)")
    return result


def folder_of(options):
    return Path(options.folder or Path(os.environ.get("WIMAX_BUILD_DIR") or Path(provenance.TOP, "build"), "results"))


def read(folder):
    return [json.loads(path.read_text(encoding="utf-8")) for row in ROWS if (path := folder / f"{row.name}.json").is_file()]


def selected(only):
    if only is None:
        return list(ROWS)
    known = [*(row.name for row in ROWS), *TABLES[1:]]
    for name in only:
        if name not in known:
            raise Refused(f"--only: '{name}' is no row{command_line.did_you_mean(name, known)}; see wimax results --list")
    return [row for row in ROWS if row.name in only or row.table in only]


def words_of(command):
    name, *words = shlex.split(command)
    if name in PYTHON:
        return [sys.executable, "-B", "-P", "-m", f"wimax_tools.{name}", *words, "--json", "-"]
    return [tasks.program(f"wimax-{name}"), *words, "--json", "-"]


def run(command):
    """The figures of the program, without long lists that no table has."""
    return {key: value for key, value in tasks.finished(words_of(command), LONGEST_S).items() if key not in LONG}


def measure(row, run=run, clock=time.monotonic):
    """A record of the row. Of two runs on a host that stalls the one nearer to real time counts."""
    begin, results, times = clock(), None, 0
    record = {"name": row.name, "commands": list(row.commands), "version": provenance.version(), "commit": provenance.commit(),
              "machine": provenance.machine().partition(", ")[2]}
    try:
        while times < MOST_TIMES:
            times += 1
            again = [run(command) for command in row.commands]
            if results is None or not stalled(again) or tables.off_real_time(again[0]) < tables.off_real_time(results[0]):
                results = again
            if not stalled(results):
                break
    except tasks.PointFault as fault:
        record["failed"] = str(fault)
    done = {"stalled": bool(results) and stalled(results), "times": times, "seconds": round(clock() - begin, 1), "results": results}
    return {**record, "date": provenance.record("", "")["date"], **done}


def stalled(results):
    return any(tables.host_stalled(result) for result in results)


def state(record):
    if record is None:
        return "not measured"
    if record.get("failed"):
        return "failed"
    return f"commit {record['commit']}, {record['seconds']:g} s" + (", host stalled" if record["stalled"] else "")


def show(folder):
    records = {record["name"]: record for record in read(folder)}
    for row in ROWS:
        print(f"{row.name:<22} {row.table:<12} {row.seconds:3d} s  {state(records.get(row.name))}")
        for command in row.commands:
            print(f"    ./wimax {command}")
    print(f"{len(ROWS)} rows, about {progress.duration(sum(row.seconds for row in ROWS))} on two idle cores")


def measure_all(rows, folder, again):
    """False: a row failed."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    os.chdir(provenance.TOP)  # commands name files of the source tree
    here = provenance.commit()
    known = {} if again else {record["name"] for record in read(folder) if record["commit"] == here and not record.get("failed")}
    rows = [row for row in rows if row.name not in known]
    fine = True
    for i, row in enumerate(rows, 1):
        left = progress.duration(sum(one.seconds for one in rows[i - 1:]))
        print(f"[{i}/{len(rows)}, about {left} left] {row.name}", file=sys.stderr, flush=True)
        record = measure(row)
        with progress.whole_file(folder / f"{row.name}.json") as name:
            Path(name).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
        if record.get("failed"):
            fine = False
            say_fault("results", f"{row.name}: {record['failed']}")
        elif record["stalled"]:
            print(f"    the host stalled in {record['times']} runs; the row is marked", file=sys.stderr)
    return fine


def write(folder):
    records = read(folder)
    for table in TABLES:
        if lacking := documents.missing(table, records):
            print(f"{table}: left as it is; not measured: {', '.join(lacking)}")
    for name in documents.write(provenance.TOP, records):
        print(f"written: {name}")


def main(arguments):
    options = parser().parse_args(arguments)
    folder = folder_of(options)
    try:
        rows = selected(options.only)
        if options.list:
            show(folder)
        elif options.write:
            write(folder)
        else:
            return 0 if measure_all(rows, folder, options.only is not None) else 1
    except KeyboardInterrupt:
        return 130
    except (Refused, OSError) as error:
        return say_fault("results", error)
    return 0
