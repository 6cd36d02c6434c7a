# SPDX-License-Identifier: GPL-3.0-or-later
"""Builds the faults of a sample, area by area, and runs the tests that can notice each one."""
import os
import re
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import PurePath

import faults
from tree import Refused, call

NOTICED, SURVIVED, INVALID = "noticed", "survived", "does not build"
TIMES_LONGER = 5      # processor time of a test process, compared with the slowest test without a fault
TIMES_LATER = 10      # wall clock, for tests that wait for something: the machine may have other work
SLOW_S = 5.0          # tests that take longer run last


class Runner:
    """`record(fault, outcome, by, seconds, tests)` is called for each fault that was tried. `stack`: with the area's tests of the stack."""

    def __init__(self, tree, build, record, stack=False, jobs=2, patience_s=30.0, say=print):
        self.tree, self.build, self.record, self.stack = tree, build, record, stack
        self.jobs, self.patience_s, self.say = jobs, patience_s, say
        self._switches = set()  # faults that are in the build
        self.refused = {}   # area: why
        self.left_out = {}  # area: tests that fail without a fault
        self._seconds = {}  # test: without a fault
        self._reached = {}  # test: {fault that was switched in its run without a fault: whether the test executes its place}

    def switch(self, drawn):
        """These faults in the next build, those of all areas at once: a file that several areas' tests need is compiled once."""
        added = faults.switchable(drawn, self._switches)
        self._switches |= set(added)
        self.tree.switch(added)

    def run(self, area, drawn, draw):
        """The faults `drawn`; where one does not build, `draw` gives another."""
        while drawn and area.name not in self.refused:
            drawn = self._round(area, drawn, draw)

    def _round(self, area, drawn, draw):
        self.switch([f for f in drawn if f not in self._switches])
        tests = self.build.tests_of(area, self.stack)
        self._build_switched(area, tests)
        if not self._baseline(area, tests):
            return []
        tests = [t for t in tests if t.name not in self.left_out.get(area.name, ())]
        failed = []
        for fault in sorted(drawn, key=lambda f: f not in self._switches):
            begin = time.monotonic()
            outcome, by, tried = (self._switched if fault in self._switches else self._alone)(area, fault, tests)
            self.record(fault, outcome, by, time.monotonic() - begin, tried)
            failed += [fault] if outcome == INVALID else []
        return [f for f in (draw.next() for _ in failed) if f] if draw else []

    # Building
    def _ninja(self, targets):
        return call(["ninja", "-C", self.tree.build, "-j", str(self.jobs), "-k", "0", *targets])

    def _targets(self, area, tests):
        return sorted({t for test in tests for t in test.targets} | set(area.build))

    def _build_switched(self, area, tests):
        """The area's test programs. Faults in lines that the compiler complains about are built by themselves later: each shows then
        whether it was to blame."""
        targets = self._targets(area, tests)
        while targets:
            self.say(f"{area.name}: building {len(targets)} targets")
            done = self._ninja(targets)
            if not done.code:
                break
            guilty = self.tree.blamed(done.output)
            if not guilty:
                raise Refused(f"{area.name}: build failed:\n{done.tail}")
            self._switches -= guilty
            self.tree.unswitch(guilty)

    # Testing
    def _baseline(self, area, tests):
        """Whether tests are left that pass without a fault."""
        begin = time.monotonic()
        self._run_without_fault([t for t in tests if t.name not in self._seconds], area)
        failing = [t.name for t in tests if t.name not in self._seconds]
        if failing:
            self.left_out[area.name] = failing
            self.say(f"{area.name}: left out, because they fail without a fault: {', '.join(failing)}")
        if len(failing) == len(tests):
            self.refused[area.name] = f"no test '{area.tests}' passes without a fault"
        self.say(f"{area.name}: {len(tests) - len(failing)} tests pass in {time.monotonic() - begin:.0f} s")
        return area.name not in self.refused

    def _run_without_fault(self, tests, area):
        """Each test by itself, to see how long it takes and which faults it reaches. Tests of the stack run one at a time."""
        alone = [t for t in tests if area.stack and re.search(area.stack, t.name)]
        with ThreadPoolExecutor(self.jobs) as pool:
            list(pool.map(self._run_test_without_fault, [t for t in tests if t not in alone]))
        for test in alone:
            self._run_test_without_fault(test)

    def _run_test_without_fault(self, test):
        with Reached(self._switches) as reached:
            output = self._ctest([test], 0, None, None, reached=reached.path).output
            found = re.search(r"Test +#\d+: \S+ \.* *(\*\*\*\w+|Passed).*? (\d+\.\d+) sec", output)
            if found and found[1] in ("Passed", "***Skipped"):  # a test that skips some of its cases runs the others
                self._seconds[test.name], self._reached[test.name] = float(found[2]), reached.read()

    def _stages(self, fault, tests):
        """Tests that can notice a fault, in groups: those about its file, quick ones, slow ones."""
        able = [t for t in self.build.can_notice(tests, fault.file) if self._reached[t.name].get(fault, True)]
        nearest = self.build.nearest(able, fault.file)
        rest = [t for t in able if t not in nearest]
        slow = [t for t in rest if self._seconds[t.name] > SLOW_S]
        return [stage for stage in (nearest, [t for t in rest if t not in slow], slow) if stage]

    def _switched(self, area, fault, tests):
        return self._try(fault, fault.number, self._stages(fault, tests), build=())

    def _alone(self, area, fault, tests):
        self.tree.edit(fault)
        try:
            needs_build = PurePath(fault.file).suffix != ".py"
            return self._try(fault, 0, self._stages(fault, tests), build=area.build if not needs_build else None)
        finally:
            self.tree.restore(fault)

    def _try(self, fault, number, stages, build):
        """`build`: targets before the first stage; None: those of each stage."""
        tried = []
        for stage in stages:
            targets = sorted({t for test in stage for t in test.targets}) if build is None else build
            if targets and self._ninja(targets).code:
                return INVALID, "", tried
            tried += [t.name for t in stage]
            slowest, total = max(self._seconds[t.name] for t in stage), sum(self._seconds[t.name] for t in stage)
            done = self._ctest(stage, number, TIMES_LATER * total + 2 * self.patience_s, TIMES_LONGER * slowest + self.patience_s)
            if done.code is None:
                return NOTICED, "takes too long", tried
            if done.code:
                failed = re.findall(r"^\s*\d+ - (\S+) \((.*)\)$", done.output, re.M)
                return NOTICED, ", ".join(f"{name} ({how})" for name, how in failed), tried
        return SURVIVED, "", tried

    def _ctest(self, tests, number, timeout_s, cpu_s, reached=None):
        environment = {k: v for k, v in os.environ.items() if not k.startswith("WIMAX_MUTANT")}
        environment["PYTHONDONTWRITEBYTECODE"] = "1"  # Python does not distinguish files of one size and second
        environment.update(self.tree.environment())
        if number:
            environment["WIMAX_MUTANT"] = str(number)
        if reached:
            environment["WIMAX_MUTANTS_REACHED"] = reached
        wanted = "^(" + "|".join(re.escape(t.name) for t in tests) + ")$"
        return call(["ctest", "--test-dir", self.tree.build, "-R", wanted, "-j", str(self.jobs), "--no-tests=error",
                     "--stop-on-failure"], environment, timeout_s, cpu_s)


class Reached:
    """The file in which the programs of a test note the faults whose places they execute (mutant.h)."""

    BITS = 1 << 29

    def __init__(self, switches):
        self.switches = switches

    def __enter__(self):
        self._file = tempfile.NamedTemporaryFile(prefix="wimax-reached-")
        self.path = self._file.name
        os.chmod(self.path, 0o666)  # tests start programs as another user, too
        self._file.truncate(self.BITS // 8)
        return self

    def __exit__(self, *_):
        self._file.close()

    def read(self):
        """{fault: whether}"""
        return {f: bool(os.pread(self._file.fileno(), 1, f.number // 8)[0] >> f.number % 8 & 1) for f in self.switches}


def configure(tree, say):
    """A build folder of the copy. An older one does not have the tests and sources that came since."""
    say("configuring")
    done = call(["cmake", "-S", tree.root, "-B", tree.build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DWIMAX_TOGETHER=OFF",
                 "-DWIMAX_WERROR=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"])
    if done.code:
        raise Refused("configuration failed:\n" + done.tail)


def build_plain(tree, area, build, jobs, say):
    """The area's test programs without faults: generated sources exist, and ninja knows who includes which header."""
    targets = sorted({t for test in build.tests_of(area) for t in test.targets} | set(area.build))
    if targets:
        say(f"{area.name}: building {len(targets)} targets without faults")
        done = call(["ninja", "-C", tree.build, "-j", str(jobs), *targets])
        if done.code:
            raise Refused(f"{area.name}: build failed without a fault:\n{done.tail}")


