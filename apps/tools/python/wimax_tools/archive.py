#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Archive of a result (.tar.gz): the result, its configuration files, captures and other files, CITATION.cff, versions, and how to repeat it.

Equal contents give equal archives. As a program: {"result": ..., "files": {name in the archive: path}} as JSON on standard input, the archive as
argument."""
import calendar
import gzip
import io
import json
import os
from pathlib import Path, PurePosixPath
import platform
import sys
import tarfile
import time

from wimax_tools import progress, provenance
from wimax_tools.simulation import PICTURE_NAMES

ENDING = ".tar.gz"
RESULT = "result.json"
CONFIGURATION = "configuration"
PICTURES = "pictures"
SECRET = (".key", ".pem")  # never in an archive
FILE_MODE = 0o644
README = """# {title}

A result of {program} {version} (commit {commit}), made on {date}
on {machine}.

| file | content |
|---|---|
{rows}

Repeat it with the same version of wimax, and compare the figures:

    wimax repeat {result}

The result was made by: `{command}`

CITATION.cff names the software; cite it and its version if you publish these figures.
"""
CONTENTS = {RESULT: "the figures and their origin (`provenance`)", CONFIGURATION: "configuration files that the command named",
            "captures": "PDUs of the air, for Wireshark", "flows.csv": "figures of all flows, one line each", PICTURES: "pictures of the result",
            "pages": "pages and pictures of the experiments", "daemons": "configurations of the programs of the cell", "CITATION.cff": "how to cite the software",
            "VERSIONS.json": "versions of the software"}


class ArchiveError(ValueError):
    pass


def fault_of(path):
    """Why no archive can be written there; None if one can."""
    folder = Path(path).parent
    if not str(path).endswith(ENDING):
        return f"'{path}'; allowed: a name that ends with {ENDING}"
    return None if folder.is_dir() and os.access(folder, os.W_OK) else f"{path}: cannot be written"


def date_s(made):
    """Seconds since 1970 of the result's date; 0 if it has none."""
    try:
        return calendar.timegm(time.strptime(made.get("date", ""), "%Y-%m-%dT%H:%M:%SZ"))
    except ValueError:
        return 0


def name_below(folder, path):
    """Name in the archive of a file that the command line named: nothing leads out of `folder`."""
    parts = [part for part in PurePosixPath(path).parts if part not in ("/", "..", ".")]
    return str(PurePosixPath(folder, *(parts if not os.path.isabs(path) and ".." not in path else parts[-1:])))


def listed(name, path):
    """(name in the archive, path) of a file, or of each file below a folder. The folder of pictures is the user's: it may have other files."""
    path = Path(path)
    below = [path / f"{one}.svg" for one in PICTURE_NAMES] if name == PICTURES else path.rglob("*")
    found = [(name, path)] if path.is_file() else [(f"{name}/{one.relative_to(path)}", one) for one in below if one.is_file() and not one.is_symlink()]
    return [(name, path) for name, path in found if path.suffix not in SECRET]


def versions(made):
    return {key: made[key] for key in ("program", "version", "commit", "machine") if key in made} | \
        {"python": platform.python_version(), "kernel": platform.release(), "libc": " ".join(platform.libc_ver())}


def readme(title, made, names):
    present = [name for name in CONTENTS if any(one == name or one.startswith(f"{name}/") for one in names)]
    known = {key: made.get(key, "unknown") for key in ("program", "version", "commit", "date", "machine", "command")}
    return README.format(title=title, result=RESULT, rows="\n".join(f"| `{name}` | {CONTENTS[name]} |" for name in present), **known)


def contents(title, result, files):
    """Octets, or the path, of each file of the archive by name."""
    made = result.get("provenance", {})
    found = {RESULT: json.dumps(result, indent=1) + "\n", "VERSIONS.json": json.dumps(versions(made), indent=1) + "\n", "CITATION.cff": provenance.citation()}
    for number, (path, text) in enumerate(made.get("configuration", {}).items()):
        name = name_below(CONFIGURATION, path)
        found[name if name not in found else name_below(CONFIGURATION, f"{number}-{PurePosixPath(path).name}")] = text
    for name, path in files.items():
        found.update(listed(name, path))
    return {"README.md": readme(title, made, found), **found}


def add(tar, name, content, mtime):
    entry = tarfile.TarInfo(name)
    entry.mtime, entry.mode = mtime, FILE_MODE
    if isinstance(content, Path):
        with open(content, "rb") as file:
            entry.size = os.fstat(file.fileno()).st_size
            tar.addfile(entry, file)
    else:
        octets = content.encode()
        entry.size = len(octets)
        tar.addfile(entry, io.BytesIO(octets))


def write(path, result, files):
    """Writes the archive of a result. `files`: by name in the archive, the path of a file or folder. The old archive stays until the new one is whole."""
    if fault := fault_of(path):
        raise ArchiveError(fault)
    title = Path(path).name.removesuffix(ENDING) or "wimax"
    mtime = date_s(result.get("provenance", {}))
    with progress.whole_file(path) as fresh, open(fresh, "wb") as out, gzip.GzipFile("", "wb", fileobj=out, mtime=mtime) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as tar:
        for name, content in sorted(contents(title, result, files).items()):
            add(tar, f"{title}/{name}", content, mtime)


def main():
    wanted = json.load(sys.stdin)
    try:
        write(sys.argv[1], wanted["result"], wanted["files"])
    except (OSError, ArchiveError) as error:
        sys.exit(f"archive: {error}")


if __name__ == "__main__":
    main()
