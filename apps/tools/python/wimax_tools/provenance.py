# SPDX-License-Identifier: GPL-3.0-or-later
"""Provenance of a result: commit of the source tree, command line, configuration files. Texts for installations without a source tree."""
import datetime
import os
from pathlib import Path
import re
import shlex
import socket
import subprocess
import sys

HERE = Path(__file__).resolve()
INSTALLED = not Path(HERE.parents[4], "CMakeLists.txt").is_file()
TOP = os.environ.get("WIMAX_SOURCE_DIR") or str(HERE.parents[2 if INSTALLED else 4])

FROM_SOURCES = ("./wimax setup", "./wimax build")
MOST_CONFIGURATION_BYTES = 1 << 20  # kMostConfigurationBytes of apps/common/safe_files.h
INSTALL_AGAIN = "sudo apt-get install --reinstall gr-wimax wimax; installed in another way: docs/installing.md"


def to_type(line):
    """Command to type, in a source tree or installed."""
    if not INSTALLED:
        return line
    return INSTALL_AGAIN if line in FROM_SOURCES else line.replace("./wimax", "wimax").replace("build/bin/wimax-macd", "$(which wimax-macd)")


def _git(*arguments, top):
    try:
        done = subprocess.run(["git", "-C", top, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    except OSError:  # not installed
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit(top=TOP):
    """Short hash, with a `+` where files that are part of it differ; "unknown" outside a repository. Where it is installed, that of the
    tree it came from."""
    stamp = Path(top, "commit")
    if INSTALLED and stamp.is_file():
        return stamp.read_text(encoding="utf-8").strip()
    found = _git("rev-parse", "--short=7", "HEAD", top=top)
    if found is None:
        return "unknown"
    return found + ("+" if _git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs", top=top) else "")


def command(tool, arguments=None):
    """The command line as typed after the launcher."""
    return shlex.join(["./wimax", tool, *(sys.argv[1:] if arguments is None else arguments)])


def script():
    """The command line of this process, as typed: a command or a module of the launcher, or a script of the source tree."""
    path = sys.argv[0]
    module = re.search(r"/wimax_tools/([\w/]+?)(/__main__)?\.py$", path)
    if module:
        name = module[1].replace("/", ".")
        return command(name) if module[2] else command("python", ["-m", f"wimax_tools.{name}", *sys.argv[1:]])
    return shlex.join([os.path.relpath(path, TOP) if os.path.isabs(path) else path, *sys.argv[1:]])


def version(top=TOP):
    """Version of the project, from its file VERSION."""
    try:
        return Path(top, "VERSION").read_text(encoding="utf-8").strip()
    except OSError:
        return "unknown"


def citation(top=TOP):
    """Text of CITATION.cff."""
    return Path(top, "CITATION.cff").read_text(encoding="utf-8")


def machine():
    """Host, processor and cores, as wimax-link and the other programs report them."""
    try:
        models = re.findall(r"^model name\s*: (.*)$", Path("/proc/cpuinfo").read_text(encoding="utf-8"), re.MULTILINE)
    except OSError:
        models = []
    return f"{socket.gethostname()}, {models[0] if models else 'unknown processor'}, {os.cpu_count()} cores"


def configuration(paths):
    """Texts of configuration files, by path. Names that are no regular file of that size are left out."""
    return {path: Path(path).read_text(encoding="utf-8", errors="replace") for path in map(str, paths)
            if os.path.isfile(path) and os.path.getsize(path) <= MOST_CONFIGURATION_BYTES}


def record(program, typed, seed=None, files=()):
    """For the key "provenance" of a result, as the programs write it; `typed` is the command line, `files` are configuration files that it names."""
    now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    found = {"program": program, "version": version(), "commit": commit(), "command": typed, "machine": machine(), "date": now}
    texts = configuration(files)
    return {**found, **({} if seed is None else {"seed": seed}), **({"configuration": texts} if texts else {})}
