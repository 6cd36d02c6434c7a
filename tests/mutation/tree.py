# SPDX-License-Identifier: GPL-3.0-or-later
"""The copy of the source tree that faults are put into, and commands run in it."""
import hashlib
import os
import re
import resource
import signal
import subprocess
from pathlib import Path

import faults

SHOWN = 40  # last lines of a build or test that failed


class Refused(Exception):
    """Nothing can be measured; the text is the reason."""


def files_of(source):
    """Paths of the working tree as git sees it: tracked, or new and not ignored."""
    listed = subprocess.run(["git", "-C", source, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            stdout=subprocess.PIPE, check=True).stdout.decode().split("\0")
    return sorted(p for p in set(listed) if p and (Path(source) / p).is_file())


class Tree:
    """Only what differs is written, so that ninja builds only that again."""

    def __init__(self, source, root):
        self.source, self.root = Path(source), Path(root)
        self.build = self.root / "build"  # as deep as the project's own: a compiler cache finds what has no fault in it
        self.header = self.root / "tests/mutation/mutant.h"
        self.files = {path: (self.source / path).read_bytes() for path in files_of(source)}  # the sources may change while this runs
        self.modes = {path: (self.source / path).stat().st_mode for path in self.files}
        self.together = {}  # file: faults behind switches

    def state(self):
        """Identifies everything that may change a result."""
        digest = hashlib.sha256()
        for path, data in self.files.items():
            if not path.endswith((".md", ".svg", ".png")) and not path.startswith("tests/mutation/"):
                digest.update(path.encode() + b"\0" + hashlib.sha256(data).digest())
        return digest.hexdigest()[:16]

    def environment(self):
        """As `./wimax` sets it, but of the copy: tests read what its folders hold."""
        return {"WIMAX_SOURCE_DIR": str(self.root), "WIMAX_BUILD_DIR": str(self.build), "UHD_MODULE_PATH": f"{self.build}/uhd-modules",
                "PYTHONPATH": f"{self.build}/python:{self.root}/apps/tools/python", "GRC_BLOCKS_PATH": f"{self.root}/gr-wimax/grc",
                "PATH": f"{self.build}/bin:{os.environ.get('PATH', os.defpath)}", "HOME": os.environ.get("HOME", "/")}

    def write(self):
        """All files, without what the copy has beside them."""
        kept = (self.build, self.root / ".git")
        for path in self.root.rglob("*") if self.root.exists() else ():
            if path.is_file() and not any(k in path.parents for k in kept) and str(path.relative_to(self.root)) not in self.files:
                path.unlink()
        for path in self.files:
            self._write(path)

    def switch(self, added):
        """These faults behind switches, in addition to those that are."""
        for fault in added:
            self.together.setdefault(fault.file, []).append(fault)
        for path in {f.file for f in added}:
            self._write(path)

    def unswitch(self, removed):
        for fault in removed:
            self.together[fault.file].remove(fault)
        for path in {f.file for f in removed}:
            self._write(path)

    def edit(self, fault):
        """This fault alone in its file."""
        self._write(fault.file, fault)

    def restore(self, fault):
        self._write(fault.file)

    def _write(self, path, edit=None):
        copied, data, mode = self.root / path, self.files[path], self.modes[path]
        if edit:
            data = faults.edited(data.decode("latin-1"), edit).encode("latin-1")
        elif self.together.get(path):
            data = faults.switched(data.decode("latin-1"), self.together[path], self.header).encode("latin-1")
        if not copied.exists() or copied.read_bytes() != data:
            copied.parent.mkdir(parents=True, exist_ok=True)
            copied.write_bytes(data)
        if copied.stat().st_mode != mode:
            copied.chmod(mode)

    def blamed(self, output):
        """Faults behind switches in the lines that the compiler complains about; all of the file if the line has none."""
        found = set()
        for name, line in re.findall(r"^([^\s:]+):(\d+):\d+: (?:fatal )?error", output, re.M):
            path = Path(os.path.normpath(self.build / name))
            inside = self.together.get(str(path.relative_to(self.root)), []) if self.root in path.parents else []
            here = [f for f in inside if f.line <= int(line) <= f.line + f.original.count("\n")]
            found.update(here or inside)
        return found


class Done:
    def __init__(self, code, output):
        self.code, self.output = code, output  # code None: took too long
        self.tail = "\n".join("    " + line for line in output.splitlines()[-SHOWN:])


def call(command, environment=None, timeout_s=None, cpu_s=None, separate=False):
    """A command; every process that it started ends with it. `cpu_s`: limit of each of its processes. `separate`: without its standard error."""
    def limit():
        if cpu_s:
            resource.setrlimit(resource.RLIMIT_CPU, (int(cpu_s), int(cpu_s) + 5))

    process = subprocess.Popen([str(c) for c in command], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL if separate else subprocess.STDOUT,
                               env=environment, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=limit)
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
    return Done(code, output.decode(errors="replace"))


def output_of(command):
    done = call(command, separate=True)
    if done.code:
        raise Refused(f"{' '.join(map(str, command))} failed:\n{done.tail}")
    return done.output


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
