# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax mutation`: which faults, inserted on purpose, do the tests notice?

Draws a reproducible sample of faults from the syntax trees of the C++ and Python sources, inserts them one at a time into a
copy of the tree, and runs the tests of each fault's area. A fault is noticed if a test fails, crashes, or does not end.
Every outcome is written at once; --resume continues a run that was interrupted.
"""
import argparse
import json
import os
import signal
import sys
from pathlib import Path

import areas as areas_module
import faults
import runner as runner_module
import sample
from runner import INVALID, NOTICED, SURVIVED
from tree import Refused, Tree, output_of


class Run:
    """The file of a run: what was drawn, what came of it."""

    def __init__(self, path, head):
        self.path = Path(path)
        self.said = {**head, "areas": {}}

    @classmethod
    def resumed(cls, path, head):
        said = json.loads(Path(path).read_text(encoding="utf-8"))
        differing = [key for key in head if said.get(key) != head[key]]
        if differing:
            raise Refused(f"{path}: another {' and '.join(differing)}; start a new run without --resume, or retry its survivors with --survivors")
        run = cls(path, head)
        run.said = said
        return run

    def area(self, name):
        return self.said["areas"].setdefault(name, {"faults": [], "left_out": [], "refused": None})

    def draw(self, fault, text):
        p = fault.place
        self.area(fault.area)["faults"].append({
            "fault": fault.key, "file": fault.file, "line": fault.line, "function": p.function, "operator": p.operator, "kind": p.kind,
            "original": faults.shown(fault.original), "replacement": faults.shown(p.replacement), "diff": faults.diff(text, fault), "outcome": None})

    def record(self, fault, outcome, by, seconds, tests):
        row = next(r for r in self.area(fault.area)["faults"] if r["fault"] == fault.key)
        row.update(outcome=outcome, by=by, seconds=round(seconds, 1), tests=tests)
        self.write()

    def write(self):
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.said, indent=1), encoding="utf-8")
        part.replace(self.path)


def counts(run):
    """[(name, tried, noticed)] of all areas, by the part of the name before the first '-', and of all together."""
    groups = {}
    for name, area in run.said["areas"].items():
        rows = [r for r in area["faults"] if r["outcome"] in (NOTICED, SURVIVED)]
        tried, noticed = groups.get(name.partition("-")[0], (0, 0))
        groups[name.partition("-")[0]] = tried + len(rows), noticed + sum(r["outcome"] == NOTICED for r in rows)
    return [(name, *pair) for name, pair in groups.items() if pair[0]] + [("all", *map(sum, zip((0, 0), *groups.values())))]


def share(noticed, tried):
    return f"{100 * noticed / tried:.0f} %" if tried else "-"


def markdown(run):
    rows = [f"| {name} | {tried} | {noticed} | {share(noticed, tried)} |" for name, tried, noticed in counts(run)]
    out = ["| area | tried | noticed | share |", "|---|---|---|---|", *rows, "", *survivors(run)]
    return "\n".join(out) + "\n"


def survivors(run):
    out = []
    for name, area in run.said["areas"].items():
        if area["refused"]:
            out += [f"Area {name} was refused: {area['refused']}.", ""]
        if area["left_out"]:
            out += [f"Area {name}: these tests fail without a fault and were left out: {', '.join(area['left_out'])}.", ""]
        for row in (r for r in area["faults"] if r["outcome"] == SURVIVED):
            out += [f"### {name}: {row['operator']}, `{row['file']}:{row['line']}`, fault {row['fault']}", "",
                    f"In `{row['function'] or 'the file'}`; " + _tried(row), "", "```diff", row["diff"], "```", ""]
    return out


def _tried(row):
    return f"survived {len(row['tests'])} tests." if row["tests"] else "no test of the area executes it."


def parse(argv):
    p = argparse.ArgumentParser(prog="wimax mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--area", nargs="+", action="extend", metavar="NAME",
                   help="these areas, by name or by the part before the first '-' (default all)")
    p.add_argument("--count", type=int, default=150, metavar="N", help="faults in all areas together, those without --area, too (default 150)")
    p.add_argument("--seed", type=int, default=1, metavar="S", help="another seed draws another sample (default 1)")
    p.add_argument("--list", action="store_true", help="print the areas with their files and tests, run nothing")
    p.add_argument("--draw", action="store_true", help="draw and print the sample, run nothing")
    p.add_argument("--resume", action="store_true", help="continue the run in the file of --run")
    p.add_argument("--survivors", metavar="FILE", type=Path, help="instead of a new sample: the survivors in the file of an earlier run")
    p.add_argument("--switched-only", action="store_true",
                   help="draw no faults that need a build for each: quicker, but no constants of the compiler")
    p.add_argument("--stack", action="store_true",
                   help="run tests of the whole stack, too, after the area's others; they take minutes and need root")
    p.add_argument("--dependents", type=int, default=12, metavar="N",
                   help="draw from headers that at most N compiled files include (default 12): each of them is compiled again")
    p.add_argument("--run", metavar="FILE", type=Path, help="where the run is kept, as JSON (default run.json in the folder)")
    p.add_argument("--markdown", metavar="FILE", help="write the table and the survivors here, - for standard output; kept up to date while it runs")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="compilers and tests at once (default 2)")
    p.add_argument("--folder", metavar="DIR", type=Path, help="for the copy, its build and the run (default build-mutation)")
    p.add_argument("--copy", metavar="DIR", type=Path,
                   help="a copy of the tree with a finished build, that may be overwritten (default src in the folder, built here); "
                        "it was configured with -D WIMAX_TOGETHER=OFF")
    p.add_argument("--source", default=Path(__file__).resolve().parents[2], type=Path, help=argparse.SUPPRESS)
    args = p.parse_args(argv)
    args.built = args.copy is not None
    if args.built and compiled_together(args.copy):
        p.error(f"--copy: {args.copy}/build compiles files together; configure it with -D WIMAX_TOGETHER=OFF and build it")
    args.folder = (args.folder or args.source / "build-mutation").resolve()
    args.copy = (args.copy or args.folder / "src").resolve()
    args.run = args.run or args.folder / "run.json"
    return args


def compiled_together(copy):
    """Files of such a build have no command of their own, or need a precompiled header that libclang cannot read."""
    cache = copy / "build/CMakeCache.txt"
    return cache.exists() and "WIMAX_TOGETHER:BOOL=ON" in cache.read_text(encoding="utf-8")


class Session:
    """One call of the command. `patience_s`: for a test that never ends, beyond a multiple of its usual time."""

    def __init__(self, args, say, patience_s=30.0):
        self.args, self.say, self.patience_s = args, say, patience_s
        self.here = args.source / "tests/mutation"
        self.areas = areas_module.load(self.here / "areas.yml")
        self.known = sample.equivalent(self.here / "equivalent.yml")
        self.tree = Tree(args.source, args.copy)

    def prepare(self):
        self.tree.write()
        runner_module.configure(self.tree, self.say)
        self.build = areas_module.Build(self.tree.build, self.tree.root, output_of)
        self.source = sample.Source(self.tree.root, self.tree.header, self.build, self.args.dependents)

    def shares(self):
        lines = {a.name: sum(self.tree.files[f].count(b"\n") for f in a.sources(self.tree.files)) for a in self.areas if not a.list}
        return sample.shares(lines, self.args.count)

    def run(self):
        head = {"seed": self.args.seed, "count": self.args.count, "state": self.tree.state(), "switched_only": self.args.switched_only,
                "dependents": self.args.dependents,
                "of": str(self.args.survivors or "")}
        run = Run.resumed(self.args.run, head) if self.args.resume else Run(self.args.run, head)
        given = self.shares()
        chosen = self._chosen()
        self.prepare()
        record = self._recorder(run)
        runner = runner_module.Runner(self.tree, self.build, record, self.args.stack, self.args.jobs, self.patience_s, self.say)
        drawn = {}
        for area in chosen:
            drawn[area] = self._drawn(area, given.get(area.name, 0), run)
        if not self.args.draw:
            done = {r["fault"] for said in run.said["areas"].values() for r in said["faults"] if r["outcome"]}
            left = {area: ([f for f in found if f.key not in done], draw) for area, (found, draw) in drawn.items()}
            runner.switch([f for found, _ in left.values() for f in found])
            for area, (found, draw) in left.items():
                self._try(area, found, draw, run, runner)
        return run, runner

    def _chosen(self):
        """The areas of this run; of survivors those that have any."""
        chosen = areas_module.chosen(self.areas, self.args.area)
        if not self.args.survivors:
            return chosen
        return [area for area in chosen if any(row["outcome"] == SURVIVED for row in self._earlier(area))]

    def _earlier(self, area):
        return json.loads(self.args.survivors.read_text(encoding="utf-8"))["areas"].get(area.name, {"faults": []})["faults"]

    def _recorder(self, run):
        def record(fault, outcome, by, seconds, tests):
            run.record(fault, outcome, by, seconds, tests)
            self.say(f"{fault.area}: {outcome:9} {seconds:6.1f} s  {fault.place.operator}  [{fault.file}:{fault.line}]{'  ' + by if by else ''}")
            write(self.args.markdown, markdown(run), once=False)
        return record

    def _try(self, area, found, draw, run, runner):
        said = run.area(area.name)
        runner.run(area, found, _Noting(draw, run, self.tree.root) if draw else None)
        said["refused"], said["left_out"] = runner.refused.get(area.name), runner.left_out.get(area.name, [])
        run.write()

    def _drawn(self, area, count, run):
        """(faults of an area, the draw that gives more)."""
        if not (self.args.draw or area.list or self.args.built):
            runner_module.build_plain(self.tree, area, self.build, self.args.jobs, self.say)
        rows = run.area(area.name)["faults"]
        if area.list:
            found, stale = sample.listed(area, self.here / area.list, self.tree.root)
            for line in stale:
                self.say(line)
        elif self.args.survivors:
            found = self._again(area)
        else:
            draw = sample.Draw(area, area.sources(self.tree.files), self.source, self.args.seed, self.known, not self.args.switched_only)
            found = [f for f in (draw.next() for _ in range(max(count, len(rows)))) if f]
        drawn = {r["fault"] for r in rows}
        for fault in (f for f in found if f.key not in drawn):
            run.draw(fault, faults.text_of(self.tree.root / fault.file))
        run.write()
        self.say(f"{area.name}: {len(found)} faults")
        return found, None if area.list or self.args.survivors else draw

    def _again(self, area):
        """The survivors of an earlier run whose places still exist."""
        found = []
        for row in (r for r in self._earlier(area) if r["outcome"] == SURVIVED):
            same = [f for f in self.source.faults_of(area.name, row["file"]) if f.key == row["fault"]] if row["file"] in self.tree.files else []
            fault = same and self.source.checked(same[0], True)
            if fault:
                found.append(fault)
            else:
                self.say(f"{area.name}: {row['file']}:{row['line']}: fault {row['fault']} has no place any more")
        return found


class _Noting:
    """Notes what a draw gives later in the run's file."""

    def __init__(self, draw, run, root):
        self._draw, self._run, self._root = draw, run, root

    def next(self):
        fault = self._draw.next()
        if fault:
            self._run.draw(fault, faults.text_of(self._root / fault.file))
        return fault


def write(path, text, once=True):
    if path == "-" and once:
        sys.stdout.write(text)
    elif path and path != "-":
        Path(path).write_text(text, encoding="utf-8")


def main(argv=None):
    args = parse(argv)
    try:
        session = Session(args, say=lambda text: print(text, file=sys.stderr, flush=True))
        if args.list:
            given = session.shares()
            for area in areas_module.chosen(session.areas, args.area):
                print(f"{area.name:18}{given.get(area.name, 0):4} faults of {len(area.sources(session.tree.files)):3} files  {area.tests}")
            return 0
        args.folder.mkdir(parents=True, exist_ok=True)
        for number in (signal.SIGTERM, signal.SIGINT):  # also where a shell in the background ignores the latter
            signal.signal(number, signal.default_int_handler)
        os.nice(5)
        run, runner = session.run()
    except (areas_module.AreaError, Refused) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; continue with --resume", file=sys.stderr)
        return 130
    for file, why in session.source.unreadable.items():
        print(f"{file}: left out: {why}", file=sys.stderr)
    if args.draw:
        for name, area in run.said["areas"].items():
            for row in area["faults"]:
                print(f"{name}: {row['operator']}, {row['file']}:{row['line']}, fault {row['fault']}\n{row['diff']}")
        return 0
    write(args.markdown or "-", markdown(run))
    return 1 if runner.refused else 0


if __name__ == "__main__":
    sys.exit(main())
