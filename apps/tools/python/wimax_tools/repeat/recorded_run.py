# SPDX-License-Identifier: GPL-3.0-or-later
"""Reads a result and its provenance. The file may be anybody's: each value is checked, and no other file is read or written."""
from dataclasses import dataclass
import json
import lzma
import math
from pathlib import Path
import re
import shlex

from wimax_tools.control import Refused
from wimax_tools.printable import printable
from wimax_tools.provenance import MOST_CONFIGURATION_BYTES

MOST_BYTES = 1 << 26  # of a result
MOST_DIGITS = 40      # of an integer
MOST_COMMAND, MOST_FILES = 1 << 16, 16
MOST_SEED = (1 << 64) - 1
PLAIN = r"[A-Za-z0-9_\-./,:=@%+]"
WORD = rf"""(?:{PLAIN}|'[^'\x00-\x1f\x7f]*'|\\'|"'")+"""  # as shell_word() of tools/cli/provenance.cc and shlex.quote() write it
COMMAND = re.compile(f"{WORD}(?: {WORD})*")
SHOWN = 60  # characters of a value in an error


@dataclass(frozen=True)
class RecordedRun:
    """What a result records about its origin, checked."""
    program: str         # as in the table of commands.py
    words: list          # of the command line, after the program
    seed: int            # None: the program has none
    configuration: dict  # texts of the files that the command names, by path
    provenance: dict     # as it is in the file


def shown(value):
    text = printable(json.dumps(value) if not isinstance(value, str) else value)
    return text if len(text) <= SHOWN else text[:SHOWN] + "..."


def finite(text):
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not a number")
    return value


def whole(text):
    if len(text) > MOST_DIGITS:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def is_text(value):
    """Whether it can be written as UTF-8."""
    return isinstance(value, str) and not any(0xD800 <= ord(character) <= 0xDFFF for character in value)


def contents(path):
    """Octets of a regular file, without compression."""
    opener = lzma.open if str(path).endswith(".xz") else open
    if not Path(path).is_file():
        raise Refused(f"{path}: no regular file; expected: a result of a command of wimax (.json or .json.xz)")
    with opener(path, "rb") as file:
        octets = file.read(MOST_BYTES + 1)
    if len(octets) > MOST_BYTES:
        raise Refused(f"{path}: more than {MOST_BYTES >> 20} MiB")
    return octets


def read_result(path):
    """The JSON object of a result."""
    def no_number(text):
        raise ValueError(f"{text} is not a number")

    try:
        result = json.loads(contents(path).decode(), parse_float=finite, parse_int=whole, parse_constant=no_number)
    except (OSError, lzma.LZMAError, EOFError, RecursionError, ValueError) as error:
        raise Refused(f"{path}: not readable as JSON: {shown(str(error))}") from error
    if not isinstance(result, dict):
        raise Refused(f"{path}: expected: a JSON object, the result of a command of wimax")
    return result


def value_of(made, key, kind, allowed, fits=lambda value: True):
    value = made.get(key)
    if type(value) is not kind or not fits(value):
        raise Refused(f"provenance.{key}: value {shown(value)}: allowed: {allowed}")
    return value


def words_of(command, program):
    """Words after the program of a command line; it is never passed to a shell."""
    if not COMMAND.fullmatch(command):
        raise Refused(f"provenance.command: value {shown(command)}: allowed: a command line as programs of wimax record it, without unquoted characters of a shell")
    words = shlex.split(command)
    start = ["./" + program.split()[0], *program.split()[1:]] if " " in program else [program]
    if program.startswith("wimax_tools."):
        start = ["./wimax", "python", "-m", program]
    if words[:len(start)] != start:
        raise Refused(f"provenance.command: value {shown(command)}: allowed: a command that begins with {' '.join(start)}, as provenance.program is {program}")
    return words[len(start):]


def configuration_of(made):
    found = made.get("configuration", {})
    if not isinstance(found, dict) or len(found) > MOST_FILES:
        raise Refused(f"provenance.configuration: value {shown(found)}: allowed: texts of at most {MOST_FILES} files, by path")
    for path, text in found.items():
        if not is_text(text) or len(text) > MOST_CONFIGURATION_BYTES:
            raise Refused(f"provenance.configuration: the text of {shown(path)}: allowed: text of at most {MOST_CONFIGURATION_BYTES >> 20} MiB")
    return found


def recorded_run(result, programs):
    """The checked provenance of a result; `programs`: names of those that can be repeated."""
    made = result.get("provenance")
    if not isinstance(made, dict):
        raise Refused("the result has no provenance: it is not of a command of wimax, or of an old version")
    program = value_of(made, "program", str, "text")
    if program not in programs:
        raise Refused(f"provenance.program: value {shown(program)}: allowed: {', '.join(programs)}")
    command = value_of(made, "command", str, f"text of at most {MOST_COMMAND} characters", lambda text: is_text(text) and len(text) <= MOST_COMMAND)
    seed = value_of(made, "seed", int, "integers from 0, 64 bits", lambda seed: 0 <= seed <= MOST_SEED) if "seed" in made else None
    for key in ("version", "commit", "machine"):
        value_of(made, key, str, "text")
    return RecordedRun(program, words_of(command, program), seed, configuration_of(made), made)
