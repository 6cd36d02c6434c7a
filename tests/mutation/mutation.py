# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax mutation`: which faults, put in on purpose, do the tests notice?

Copies the source tree, builds the faults of tests/mutation/*.yml into the copy, and runs the tests of each fault's area with it.
The tests must pass without a fault first. A fault is noticed when a test fails, or takes five times as long as without it.
"""
import argparse
import hashlib
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import mutants

NOTICED, SURVIVED, INVALID = "noticed", "survived", "does not build"
TIMES_LONGER = 5
SHOWN = 40  # last lines of a build or test that failed


class Refused(Exception):
    """Nothing can be measured; the text says why."""


def files_of(source):
    """Paths of the working tree as git sees it: tracked, or new and not ignored."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    return sorted(p for p in set(listed) if p and (Path(source) / p).is_file())


class Tree:
    """A copy of the working tree with faults in it. Only what differs is written, so that ninja builds only that again."""

    def __init__(self, source, folder):
        self.source, self.root = Path(source), Path(folder) / "src"
        self.build = self.root / "build"  # as deep as the project's own: a compiler cache finds what has no fault in it
        self.header = self.root / "tests/mutation/mutant.h"
        self.files = {path: (self.source / path).read_bytes() for path in files_of(source)}  # who works on goes on working
        self.modes = {path: (self.source / path).stat().st_mode for path in self.files}
        self.together = []

    def state(self):
        """Stands for everything that may change a result but the lists."""
        digest = hashlib.sha256()
        for path, data in self.files.items():
            if not path.endswith((".md", ".svg", ".png")) and not (path.startswith("tests/mutation/") and path.endswith(".yml")):
                digest.update(path.encode() + b"\0" + hashlib.sha256(data).digest())
        return digest.hexdigest()[:16]

    def write(self, together, edit=None):
        """These faults behind their switches; of `edit`'s file nothing but that fault."""
        self.together = together
        for path in self.root.rglob("*") if self.root.exists() else ():
            if path.is_file() and self.build not in path.parents and str(path.relative_to(self.root)) not in self.files:
                path.unlink()
        for path in self.files:
            self._write(path, edit if edit and edit.file == path else None)

    def edit(self, before, mutant):
        """`mutant` instead of the edit `before`; None is no edit."""
        for m in filter(None, (before, mutant)):
            self._write(m.file, mutant if mutant and mutant.file == m.file else None)

    def _write(self, path, edit):
        copied, data = self.root / path, self.files[path]
        inside = [m for m in self.together if m.file == path]
        if edit:
            data = mutants.edited(data.decode(), edit).encode()
        elif inside:
            data = mutants.switched(data.decode(), inside, self.header).encode()
        mode = self.modes[path]
        if not copied.exists() or copied.read_bytes() != data:
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(data)
        if copied.stat().st_mode != mode:
            copied.chmod(mode)

    def blamed(self, output):
        """Faults on the lines that a compiler complained of; else those in the file."""
        found = set()
        for name, line in re.findall(r"^([^\s:]+):(\d+):\d+: (?:fatal )?error", output, re.M):
            path = Path(os.path.normpath(self.build / name))
            if self.root in path.parents:
                file = str(path.relative_to(self.root))
                inside = [m for m in self.together if m.file == file]
                text = "\n".join((self.root / file).read_text(encoding="utf-8").split("\n")[2:])
                begins = {m: text.count("\n", 0, text.index(f"mutant_active({m.number})")) + 1 for m in inside}
                found.update([m for m in inside if begins[m] == int(line)] or inside)
        return found


class Results:
    """One record a fault, written after each, in a file that an interrupted run is taken up from."""

    def __init__(self, path, state):
        self.path, self.state = Path(path), state
        self.records = json.loads(self.path.read_text(encoding="utf-8")) if self.path.exists() else {}

    def known(self, mutant, any_state=False):
        record = self.records.get(mutant.key)
        return record if record and (any_state or record["state"] == self.state) else None

    def put(self, mutant, outcome, by, seconds):
        self.records[mutant.key] = {"area": mutant.area, "what": mutant.what, "file": mutant.file, "line": mutant.line,
                                    "outcome": outcome, "by": by, "seconds": round(seconds, 1), "state": self.state}
        part = self.path.with_suffix(".part")
        part.write_text(json.dumps(self.records, indent=1), encoding="utf-8")
        part.replace(self.path)


class Runner:
    def __init__(self, tree, results, jobs=2, patience_s=30.0, say=print):
        self.tree, self.results, self.jobs, self.patience_s, self.say = tree, results, jobs, patience_s, say
        self.refused = {}   # area: why
        self._passed_s = {}  # seconds of tests without a fault, by their regular expression
        self._edit = None

    def run(self, areas, skip=lambda mutant: False):
        wanted = [m for a in areas for m in a.mutants if not skip(m)]
        together, alone = mutants.separate(wanted)
        self.tree.write(together)
        self._configure()
        targets = sorted({t for a in areas for t in a.build})
        self._check_targets(areas)
        alone += self._build_switched(targets)
        by_area = {a.name: a for a in areas}
        for area in areas:
            self._baseline(area, [m for m in wanted if m.area == area.name])
        for mutant in (m for m in [*self.tree.together, *alone] if m.area not in self.refused):
            begin = time.monotonic()
            outcome, by = self._alone(mutant, by_area[mutant.area]) if mutant in alone else self._try(mutant, mutant.number)
            self._record(mutant, outcome, by, time.monotonic() - begin)
        self._change_edit(None)

    def _record(self, mutant, outcome, by, seconds):
        self.results.put(mutant, outcome, by, seconds)
        self.say(f"{mutant.area}: {outcome:9} {seconds:6.1f} s  {mutant.what}  [{mutant.file}:{mutant.line}]{'  ' + by if by else ''}")

    # Building
    def _configure(self):
        done = _call(["cmake", "-S", self.tree.root, "-B", self.tree.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWIMAX_TOGETHER=OFF",
                      "-DWIMAX_WERROR=OFF"])
        if done.code:
            raise Refused("configuration failed:\n" + done.tail)

    def _ninja(self, *arguments):
        return _call(["ninja", "-C", self.tree.build, "-j", str(self.jobs), *arguments])

    def _check_targets(self, areas):
        wrong = wrong_targets(areas, self.tree.build)
        if wrong:
            raise Refused("\n".join(wrong))

    def _build_switched(self, targets):
        """Faults left out because the compiler complained there; by itself each shows whether it is to blame."""
        left_out = []
        while targets:
            self.say(f"building {len(self.tree.together)} switchable faults")
            done = self._ninja("-k", "0", *targets)
            if not done.code:
                break
            guilty = self.tree.blamed(done.output)
            if not guilty:
                raise Refused("build failed:\n" + done.tail)
            left_out += sorted(guilty, key=lambda m: m.number)
            self.tree.write([m for m in self.tree.together if m not in guilty])
        return left_out

    def _change_edit(self, mutant):
        self.tree.edit(self._edit, mutant)
        self._edit = mutant

    def _alone(self, mutant, area):
        self._change_edit(mutant)
        done = self._ninja(*area.build) if area.build else None
        if done and done.code:
            self.say(done.tail)
            return INVALID, ""
        return self._try(mutant, 0)

    # Testing
    def _baseline(self, area, chosen):
        for tests in sorted({m.tests for m in chosen} - set(self._passed_s)):
            begin = time.monotonic()
            done = self._ctest(tests, 0, None)
            if done.code:
                self.refused[area.name] = f"tests '{tests}' fail without a fault"
                self.say(f"{area.name}: refused, {self.refused[area.name]}:\n{done.tail}")
                return
            self._passed_s[tests] = time.monotonic() - begin
            skipped = re.findall(r"(\S+) \(Skipped\)", done.output)
            self.say(f"{area.name}: tests '{tests}' pass in {self._passed_s[tests]:.1f} s" +
                     (f"; skipped: {', '.join(skipped)}" if skipped else ""))

    def _try(self, mutant, number):
        done = self._ctest(mutant.tests, number, TIMES_LONGER * self._passed_s[mutant.tests] + self.patience_s)
        if done.code is None:
            return NOTICED, "takes too long"
        failed = re.findall(r"^\s*\d+ - (\S+) \((.*)\)$", done.output, re.M)
        return (NOTICED, ", ".join(f"{name} ({how})" for name, how in failed)) if done.code else (SURVIVED, "")

    def _ctest(self, tests, number, timeout_s):
        environment = {k: v for k, v in os.environ.items() if k != "WIMAX_MUTANT"}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python tells files of one size and second not apart
        if number:
            environment["WIMAX_MUTANT"] = str(number)
        return _call(["ctest", "--test-dir", self.tree.build, "-R", tests, "--stop-on-failure", "--no-tests=error",
                      "--output-on-failure"], environment, timeout_s)


def wrong_targets(areas, build):
    """What these areas say to be built and is no target of the build folder, and tests that they ask for and do not build; one a line.
    A test in C++ has its target's name."""
    targets = {line.partition(":")[0] for line in _call(["ninja", "-C", build, "-t", "targets", "all"]).output.splitlines()}
    tests = re.findall(r"^ *Test +#\d+: (\S+)", _call(["ctest", "--test-dir", build, "-N"]).output, re.M)
    wrong = [f"{a.name}: '{t}' is not a target" for a in areas for t in a.build if t not in targets]
    for area in areas:
        asked = {t for m in area.mutants for t in tests if t in targets and re.search(m.tests, t)}
        wrong += [f"{area.name}: '{t}' is asked for and not built" for t in sorted(asked - set(area.build))]
    return wrong


class _Done:
    def __init__(self, code, output):
        self.code, self.output = code, output  # code None: took too long
        self.tail = "\n".join("    " + line for line in output.splitlines()[-SHOWN:])


def _call(command, environment=None, timeout_s=None):
    """A command; whatever it started ends with it."""
    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment,
                               stdin=subprocess.DEVNULL, start_new_session=True)
    try:
        output = process.communicate(timeout=timeout_s)[0]
        code = process.returncode
    except subprocess.TimeoutExpired:
        code, output = None, b""
    finally:
        for pid in _descendants(process.pid) if process.poll() is None else ():
            _kill(os.kill, pid)
        _kill(os.killpg, process.pid)
        process.wait()
        process.stdout.close()
    return _Done(code, output.decode(errors="replace"))


def _descendants(pid):
    """Also those in sessions of their own, as daemons are."""
    children = {}
    for line in subprocess.run(["ps", "-e", "-o", "pid=,ppid="], stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines():
        child, parent = map(int, line.split())
        children.setdefault(parent, []).append(child)
    found = children.get(pid, [])
    for child in found:  # grows while it is walked
        found += children.get(child, [])
    return found


def _kill(how, pid):
    try:
        how(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def summary(areas, results, refused, any_state=False):
    """What is known of these areas, as JSON."""
    said = []
    for area in areas:
        records = [r for r in (results.known(m, any_state) for m in area.mutants) if r]
        counted = [r for r in records if r["outcome"] != INVALID]
        said.append({"area": area.name, "listed": len(area.mutants), "total": len(counted),
                     "noticed": sum(r["outcome"] == NOTICED for r in counted), "refused": refused.get(area.name), "mutants": records})
    return {"state": results.state, "areas": said}


def grouped(said):
    """(name, noticed, total, listed) of all areas whose names begin alike, and of all."""
    groups = {}
    for area in said["areas"]:
        group = groups.setdefault(area["area"].partition("-")[0], [0, 0, 0])
        for i, key in enumerate(("noticed", "total", "listed")):
            group[i] += area[key]
    return [(name, *counts) for name, counts in groups.items()] + [("all", *map(sum, zip(*groups.values())))]


def share(noticed, total):
    return f"{100 * noticed / total:.0f} %" if total else "-"


def markdown(said):
    rows = [f"| {name} | {total} | {noticed} | {share(noticed, total)} |" for name, noticed, total, _ in grouped(said)]
    return "\n".join(["| area | faults | noticed | share |", "|---|---|---|---|", *rows]) + "\n"


def table(said, out):
    for area in said["areas"]:
        for record in area["mutants"]:
            if record["outcome"] != NOTICED:
                print(f"{area['area']}: {record['outcome']}: {record['what']}  [{record['file']}:{record['line']}]", file=out)
        if area["refused"]:
            print(f"{area['area']}: refused: {area['refused']}", file=out)
    print(f"\n{'area':14}{'noticed':>9}{'tried':>7}{'listed':>8}{'share':>8}", file=out)
    for name, noticed, total, listed in grouped(said):
        print(f"{name:14}{noticed:9}{total:7}{listed:8}{share(noticed, total):>8}", file=out)


def parse(argv):
    p = argparse.ArgumentParser(prog="wimax mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--area", nargs="+", action="extend", metavar="NAME",
                   help="these areas, by name or by the part before the first '-' (default all)")
    p.add_argument("--list", action="store_true", help="check all lists, print how many faults each has, run nothing")
    p.add_argument("--build", metavar="DIR", help="with --list: check what the lists say of targets and tests, too, in this build folder")
    p.add_argument("--resume", action="store_true", help="keep results of this state of the source tree")
    p.add_argument("--survivors", action="store_true",
                   help="try only what no run noticed so far; results of other faults are of the tree they were tried in")
    p.add_argument("--json", metavar="OUT", help="write the result here, - for standard output")
    p.add_argument("--markdown", metavar="OUT", help="write the table of docs/testing.md here, - for standard output")
    p.add_argument("--jobs", type=int, default=2, metavar="N", help="compilers at once (default 2)")
    p.add_argument("--source", default=Path(__file__).resolve().parents[2], type=Path,
                   help=argparse.SUPPRESS)
    p.add_argument("--folder", metavar="DIR", type=Path, help="copy, build and results (default build-mutation)")
    args = p.parse_args(argv)
    args.folder = (args.folder or args.source / "build-mutation").resolve()
    return args


def chosen(areas, names):
    if not names:
        return areas
    wrong = [n for n in names if not any(n in (a.name, a.group) for a in areas)]
    if wrong:
        raise Refused(f"--area: {', '.join(wrong)}: none of {', '.join(a.name for a in areas)}")
    return [a for a in areas if a.name in names or a.group in names]


def write(path, text):
    if path == "-":
        sys.stdout.write(text)
    elif path:
        Path(path).write_text(text, encoding="utf-8")


def main(argv=None):
    args = parse(argv)
    try:
        areas = chosen(mutants.load(args.source), args.area)
        if args.list:
            wrong = wrong_targets(areas, args.build) if args.build else []
            if wrong:
                raise Refused("\n".join(wrong))
            for area in areas:
                print(f"{area.name:24}{len(area.mutants):4}  {area.tests}")
            return 0
        args.folder.mkdir(parents=True, exist_ok=True)
        tree = Tree(args.source, args.folder)
        results = Results(args.folder / "results.json", tree.state())
        runner = Runner(tree, results, args.jobs, say=lambda text: print(text, file=sys.stderr, flush=True))

        def done(mutant):
            record = results.known(mutant, args.survivors)
            return record and (args.resume or args.survivors and record["outcome"] == NOTICED)

        os.nice(5)
        runner.run(areas, done)
    except (mutants.ListError, Refused) as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("stopped; go on with --resume", file=sys.stderr)
        return 130
    said = summary(areas, results, runner.refused, args.survivors)
    table(said, sys.stderr if "-" in (args.json, args.markdown) else sys.stdout)
    write(args.json, json.dumps(said, indent=1) + "\n")
    write(args.markdown, markdown(said))
    return 1 if runner.refused or any(r["outcome"] == INVALID for a in said["areas"] for r in a["mutants"]) else 0


if __name__ == "__main__":
    sys.exit(main())
