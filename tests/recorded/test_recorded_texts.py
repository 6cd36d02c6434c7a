# SPDX-License-Identifier: GPL-3.0-or-later
"""Help and commented configuration of every program: keys, options, units, ranges and defaults. Arguments: the programs."""
import re
import subprocess
import sys
from pathlib import Path

import recorded

HERE = Path(__file__).resolve().parent
CONFIGURED = {"wimax-macd": ("--role bs", "--role ss"), "wimax-phyd": ("--role bs", "--role ss"), "wimax-stationd": ("",), "wimax-channeld": ("",), "wimax-sim": ("",)}
ENVIRONMENT = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent", "WIMAX_RUN": "/nonexistent"}


def printed(program, words):
    done = subprocess.run([program, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=ENVIRONMENT, check=True)
    return [line.rstrip() for line in done.stdout.splitlines()]


def subcommands(lines):
    """Names in the list of subcommands that the help prints."""
    start = next((i for i, line in enumerate(lines) if line.startswith("Subcommands:")), len(lines))
    names = (re.match(r"  (\S+) ", line) for line in lines[start + 1:])
    return [name[1] for name in names if name and name[1] != "wimax"]


def options(lines):
    """Help without its line breaks, an option in each entry. Versions of CLI11 print a default as `INT=5` or `INT [5]`."""
    text = re.sub(r"(\S) \[([^\]]*)\]", r"\1=\2", " ".join(" ".join(lines).split()))
    return re.split(r" (?=--)", text)


def texts(program):
    """The help with that of subcommands; of a program with a configuration file the commented file, which says the same."""
    if roles := CONFIGURED.get(Path(program).name):
        return {role: printed(program, [*role.split(), "--write-reference"]) for role in roles}
    lines = printed(program, ["--help"])
    found = {f"{name} --help": options(printed(program, [name, "--help"])) for name in subcommands(lines)}
    return {"--help": options(lines), **found}


def main():
    programs = {Path(word).name: word for word in sys.argv[1:] if Path(word).name.startswith("wimax-")}
    return recorded.main(programs, lambda name: texts(programs[name]), HERE / "texts.json.xz", sys.argv[1 + len(programs):])


if __name__ == "__main__":
    sys.exit(main())
