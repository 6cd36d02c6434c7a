# SPDX-License-Identifier: GPL-3.0-or-later
"""Provenance and archive of the results of the bench."""
import contextlib
import os
import re
from pathlib import Path
import tempfile

from wimax_tools import archive, provenance
from wimax_tools.bench.profiles import CHANNELS

PAGES = (".md", ".svg", ".xz")  # files of experiments


def files_of(args):
    """Configuration files that the command line names."""
    return [name for name in (args.channel, *(args.personality or ())) if name not in CHANNELS and os.path.isfile(name)]


def origin(args):
    """For the key "provenance" of a result."""
    return provenance.record("wimax bench", provenance.command("bench"), args.seed, getattr(args, "files", ()))


@contextlib.contextmanager
def archived(args):
    """A function that writes the archive of a result, if --archive is given. Captures and configurations are kept until the end of the context."""
    if not args.archive:
        yield lambda result: None
        return
    with tempfile.TemporaryDirectory(prefix="wimax-archive-") as folder:
        if not args.experiment:
            args.pcap = args.pcap or os.path.join(folder, "captures")
            args.keep_logs = args.keep_logs or os.path.join(folder, "daemons")
            os.makedirs(args.pcap, exist_ok=True)
        yield lambda result: archive.write(args.archive, result, contents(args, result))


def contents(args, result):
    """Files of the archive in addition to the result, by name. The folder of pages may have those of other experiments."""
    if args.experiment:
        names = {one["experiment"] for one in result.get("experiments", [result])}
        return {key: path for key, path in files_in(args.out, "pages", PAGES).items() if re.split(r"[.-]", path.name)[0] in names}
    return {**files_in(args.pcap, "captures", (".pcap",)), **files_in(args.keep_logs, "daemons", (".yml",))}


def files_in(folder, name, endings):
    return {f"{name}/{path.name}": path for path in sorted(Path(folder).iterdir())
            if path.suffix in endings and path.is_file() and not path.is_symlink()}
