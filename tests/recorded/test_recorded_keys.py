# SPDX-License-Identifier: GPL-3.0-or-later
"""Every key of the configurations at its bounds, and many mixes of values. Each is read back as given, out of its range it is refused;
recorded are the rules between keys and the derived numbers. Arguments: the programs."""
import random
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import yaml

import recorded
from test_recorded_texts import CONFIGURED, ENVIRONMENT, HERE, printed

MIXES, ROUNDS = 12, 12
EMPTY = ('""', "0", '"00:00:00:00:00:00"')
FILES = ("policy",)  # keys that make the program read others' files
EXAMPLES = {"name": '"x"', "to": '"10.9.0.0/16"', "mac": '"02:00:00:00:00:01"', "high_hz": "6000000000"}  # where an element has none
KEY = re.compile(r"( *(?:- )?)(\w+): (\S.*)$")
RANGE = re.compile(r"allowed: (integers|numbers) (\S+)\.\.([^\s;]+)")


@dataclass
class Key:
    line: int
    name: str
    default: str
    allowed: str

    @property
    def range(self):
        """(low, high, whether integers) or None."""
        found = RANGE.search(self.allowed)
        return found and (float(found[2]), float(found[3]), found[1] == "integers")

    @property
    def words(self):
        """All values of a choice."""
        found = re.search(r"allowed: ([\w/]+(?:, [\w/]+)+)(?:;|$)", self.allowed)
        return found[1].split(", ") if found else []


def element(lines, start):
    """Where the commented element or group that starts at a line ends, and its lines without the comment signs."""
    end = start
    while end < len(lines) and re.match(r" *#  ", lines[end]):
        end += 1
    return end, [filled(line.replace("#", "", 1)) for line in lines[start:end]]


def filled(line):
    match = KEY.match(line)
    return match.expand(r"\1\2: ") + EXAMPLES[match[2]] if match and match[2] in EXAMPLES and match[3] in EMPTY else line


def template(lines, deep):
    """Lines of the reference; `deep`: with one element in each list and keys in place of words."""
    out, i = [], 0
    while i < len(lines):
        if deep and re.match(r" *# (one element|or keys|or elements)\b.*:$", lines[i]) and i + 1 < len(lines):
            end, inner = element(lines, i + 1)
            owner = next((n for n in range(len(out) - 1, -1, -1) if KEY.match(out[n])), None)
            if inner and owner is not None and any(KEY.match(line) for line in inner):
                out[owner] = out[owner].partition(":")[0] + ":"
                out += inner
                i = end
                continue
        out.append(lines[i])
        i += 1
    return out


def keys(lines):
    found, comment = [], []
    for number, line in enumerate(lines):
        if re.match(r" *# (?! )", line):
            comment.append(line.lstrip()[2:])
        elif match := KEY.match(line):
            found.append(Key(number, match[2], match[3], " ".join(comment)))
            comment = []
        else:
            comment = []
    return found


def text_of(value, integer):
    return str(int(value)) if integer or value == int(value) and abs(value) < 1e15 else f"{value:.6g}"


def drawn(rng, key):
    if key.words:
        return rng.choice(key.words)
    low, high, integer = key.range
    value = rng.choice([low, high, low + 1, *(low + (high - low) * rng.random() ** power for power in (1, 4, 16))])
    return text_of(min(float(f"{value:.6g}"), high), integer)


def chosen(found, wave):
    """{line: value}"""
    rng = random.Random(wave)
    able = [k for k in found if k.name not in FILES and (k.words or k.range and abs(k.range[1]) < 1e15)]
    if wave in ("low", "high"):
        return {k.line: text_of(k.range[wave == "high"], k.range[2]) for k in able if k.range}
    part = rng.choice([0.05, 0.3, 0.6])
    return {k.line: drawn(rng, k) for k in able if rng.random() < part}


class Program:
    def __init__(self, path, role, folder):
        self.command, self.file = [path, *role.split()], Path(folder) / "f.yml"
        self.option = [] if Path(path).name == "wimax-sim" else ["--config"]

    def read(self, lines):
        """(effective configuration, faults)"""
        self.file.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = subprocess.run([*self.command, *self.option, self.file, "--dry-run"], capture_output=True, text=True, env=ENVIRONMENT, check=False)
        said = [line.replace(str(self.file), "f") for line in done.stderr.splitlines()]
        return (done.stdout, []) if done.returncode == 0 else ("", said or [f"exit status {done.returncode}"])


def with_values(lines, values):
    changed = list(lines)
    for line, value in values.items():
        changed[line] = KEY.match(lines[line]).expand(r"\1\2: ") + value
    return changed


def differences(given, effective):
    """{key: what is read back} where that is not what was written."""
    wanted, got = (recorded.flat(yaml.safe_load(text) or {}) for text in (given, effective))
    return {k: got.get(k, "absent") for k in wanted if k not in got or not recorded.same(number(wanted[k]), number(got[k]))}


def number(value):
    try:
        return float(value) if isinstance(value, (int, str)) and not isinstance(value, bool) else value
    except ValueError:
        return value


def wave(program, lines, values):
    """Values that a rule refuses are left out, until the rest is accepted."""
    refused = []
    for count in range(ROUNDS):
        text, faults = program.read(with_values(lines, values))
        refused += faults
        guilty = {int(n) - 1 for fault in faults for n in re.findall(r"^f:(\d+):", fault)} & set(values)
        if not faults or not values:
            break
        halved = list(values)[count % 2::2] if not guilty else [line for line in values if line not in guilty]
        values = {line: values[line] for line in halved}
    given = "\n".join(with_values(lines, values))
    derived = text.partition("# derived\n")[2].splitlines()
    return {"refused": list(dict.fromkeys(refused)), "derived": derived, "other": differences(given, text) if text else "refused"}


def beyond(program, lines, found):
    """Keys that accept a value just outside of their range, with the others that way, too."""
    out = {}
    for side in (0, 1):
        step = -1 if side == 0 else 1
        values = {k.line: text_of(k.range[side] + step * (1 if k.range[2] else max(0.01, abs(k.range[side]) * 0.01)), k.range[2])
                  for k in found if k.range and abs(k.range[side]) < 1e15}
        said = {int(n) - 1 for fault in program.read(with_values(lines, values))[1] for n in re.findall(r"^f:(\d+):", fault)}
        out[str(side)] = sorted(f"{k.line + 1} {k.name}" for k in found if k.line in values and k.line not in said)
    return out


def figures(path, role):
    with tempfile.TemporaryDirectory() as folder:
        program, out = Program(path, role, folder), {}
        for deep in (False, True):
            lines = template(printed(path, [*role.split(), "--write-reference"]), deep)
            found = keys(lines)
            waves = {name: wave(program, lines, chosen(found, name)) for name in ("low", "high", *(f"mix {n}" for n in range(MIXES)))}
            out["deep" if deep else "plain"] = {"keys": len(found), "accepted out of range": beyond(program, lines, found), **waves}
        return out


def main():
    programs = {Path(word).name: word for word in sys.argv[1:] if Path(word).name.startswith("wimax-")}
    cases = {f"{name} {role}".strip(): (path, role) for name, path in programs.items() for role in CONFIGURED.get(name, ())}
    return recorded.main(cases, lambda case: figures(*cases[case]), HERE / "keys.json.xz", sys.argv[1 + len(programs):])


if __name__ == "__main__":
    sys.exit(main())
