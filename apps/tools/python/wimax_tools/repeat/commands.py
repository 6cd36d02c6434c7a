# SPDX-License-Identifier: GPL-3.0-or-later
"""Commands that can be repeated: how a recorded command line becomes one that reads and writes nothing else, and how its figures are compared.

All output is written into a temporary folder. Input is the configuration that the result contains, and recordings below one folder."""
from dataclasses import dataclass
from pathlib import Path
import re
import shutil
import sys
from typing import Callable

from wimax_tools.campaign.tasks import program
from wimax_tools.control import Refused
from wimax_tools.repeat.compare import EXACT, IGNORED, Tolerance, of_one, within_bounds
from wimax_tools.repeat.recorded_run import shown

FRACTION = re.compile(r"\d+/\d+")  # of a cyclic prefix
NESTED = re.compile(r"(^|\.)provenance\.")  # of a result inside another
SIGMF = (".sigmf-meta", ".sigmf-data")


@dataclass(frozen=True)
class Repeatable:
    start: Callable      # () -> first words of the command
    outputs: tuple       # options with a value that name outputs: left out
    writes: Callable     # (temporary folder) -> words that name outputs there
    rules: tuple         # (regular expression of a figure's path, rule): the first that fits counts; none: exact
    refused: dict        # options that cannot be repeated, with the reason
    needs_root: bool = False
    rule_of: Callable = None  # (result, path) -> rule or None, before `rules`


def python(module):
    return lambda: [sys.executable, "-B", "-P", "-m", module]


def again(folder):
    return str(folder / "again.json")


def json_only(folder):
    return ["--json", again(folder)]


WALL = (r"(.*\.)?(wall_s|wall\..*|scheduler_us_per_frame\..*|memory_bytes|memory\..*|idle_station_bytes)", IGNORED)  # time and memory of the host
BENCH = (
    (r"(realtime_factor|host_.*|frames|late_frames|captures\..*|inexact.*|both_ways\.(cpu_s_per_s\..*|realtime_factor)|cores\..*|.*\.tcp_retransmissions)", IGNORED),
    (r"entry_time_s", Tolerance(relative=0.5, absolute=0.5)),
    (r".*\.ping_ms\.(min|mean|p50)", Tolerance(relative=0.1, absolute=2)),
    (r".*\.ping_ms\.lost", Tolerance(absolute=2)),
    (r".*\.ping_ms\..*", Tolerance(relative=0.25, absolute=5)),
    (r".*\.tcp_kbps", Tolerance(relative=0.05)),
    (r".*(udp|uplink|downlink)_kbps", Tolerance(relative=0.03)),
    (r".*\.udp_loss", Tolerance(absolute=0.005)),
    (r".*\.symbols_per_frame", Tolerance(relative=0.03, absolute=0.5)),
    (r"breakdown\..*", Tolerance(relative=0.05, absolute=1, absent_is_zero=True)),
    (r"(cases\..*|account\..*|bounds\..*|goals\[\d+\]\.measured)", IGNORED),
    (r"(field_profile|lab_profile)\..*", Tolerance(relative=0.05, absolute=1)),
)
COMMANDS = {
    "wimax-sim": Repeatable(lambda: [program("wimax-sim")], ("--json", "--csv", "--pcap", "--plot", "--archive"),
                            lambda folder: [*json_only(folder), "--csv", "", "--pcap", "", "--plot", "", "--archive", ""], (WALL,), {}),
    "wimax-link": Repeatable(lambda: [program("wimax-link")], ("--json", "--plot"), json_only, (), {}),
    "wimax-acquisition": Repeatable(lambda: [program("wimax-acquisition")], ("--json",), json_only, (), {}),
    "wimax-iq": Repeatable(lambda: [program("wimax-iq")], ("--json", "--report"), json_only, (), {}),
    "wimax_tools.curves.measure": Repeatable(python("wimax_tools.curves.measure"), ("--json",), json_only, (), {}),
    "wimax endurance": Repeatable(python("wimax_tools.endurance"), ("--json",), json_only, (WALL, (r"judgement.*", IGNORED)),
                                  {"--live": "it measures the memory of this machine's processes"}),
    "wimax bench": Repeatable(python("wimax_tools.bench"), ("--json", "--out", "--pcap", "--keep-logs", "--archive"),
                              lambda folder: [*json_only(folder), "--out", str(folder / "out")], BENCH,
                              {"--lates": "late frames depend on the machine", "--matrix": "it is a comparison already", "--adaptation": "it is a comparison already"},
                              needs_root=True, rule_of=within_bounds),
}


def names_option(word, option):
    """Whether the word is this option, perhaps abbreviated, with underscores or with its value."""
    name = word.partition("=")[0].replace("_", "-")
    return len(name) > 2 and option.startswith(name)


def without(words, options):
    """The words without these options and their values."""
    kept, skip = [], False
    for word in words:
        named = any(names_option(word, option) for option in options)
        if not skip and not named:
            kept.append(word)
        skip = named and not skip and "=" not in word
    return kept


def check_path(text, base):
    """Raises Refused if the text names a file that is not below `base`."""
    if FRACTION.fullmatch(text) or not text:
        return
    inside = (base / text).resolve().is_relative_to(base)
    if not inside:
        raise Refused(f"provenance.command: {shown(text)} is not below {base}; --folder DIR names the folder of recordings")


def copied_configuration(configuration, folder):
    """Writes the texts into `folder`; the new paths by the recorded ones."""
    found = {}
    for number, (path, text) in enumerate(configuration.items()):
        place = folder / f"{number}-{re.sub(r'[^A-Za-z0-9_.-]', '_', Path(path).name)[-40:] or 'file'}"
        place.write_text(text, encoding="utf-8")
        found[path] = str(place)
    return found


def linked_recording(path, folder):
    """A SigMF pair in `folder`, since its annotations are replaced: a copy of the description, and a link to the samples."""
    stem = path.with_suffix("")
    for suffix in SIGMF:
        if not stem.with_suffix(suffix).is_file():
            raise Refused(f"provenance.command: {stem.with_suffix(suffix)} does not exist; --folder DIR names the folder of recordings")
    shutil.copyfile(stem.with_suffix(SIGMF[0]), folder / "recording.sigmf-meta")
    (folder / "recording.sigmf-data").symlink_to(stem.with_suffix(SIGMF[1]).resolve())
    return str((folder / "recording").with_suffix(path.suffix))


def input_word(word, copies, base, folder):
    """The word with the places of its files: of the configuration that the result contains, or below `base`."""
    if word in copies:
        return copies[word]
    option, equals, value = word.partition("=")
    if option.startswith("--") and equals:
        return option + equals + input_word(value, copies, base, folder)
    parts = re.split(r"([=,])", word)
    for part in parts[::2]:
        if part not in copies:
            check_path(part, base)
    word = "".join(copies.get(part, part) for part in parts)
    if word.endswith((*SIGMF, ".sigmf")):
        return linked_recording(base / word, folder)
    return word


def repeat_words(run, base, folder):
    """The command line that repeats a recorded run: as a list, for no shell."""
    command = COMMANDS[run.program]
    if "--" in run.words:
        raise Refused("provenance.command: -- is not allowed")
    for word in run.words:
        for option, reason in command.refused.items():
            if names_option(word, option):
                raise Refused(f"provenance.command: results with {option} are not repeated: {reason}")
    words = run.words
    if run.program == "wimax-iq":
        if words[:1] != ["decode"]:
            raise Refused(f"provenance.command: value {shown(' '.join(words))}: allowed: wimax-iq decode ...")
    copies = copied_configuration(run.configuration, folder)
    dropped = (*command.outputs, "--seed") if run.seed is not None else command.outputs
    kept = [input_word(word, copies, base, folder) for word in without(words, dropped)]
    seed = [] if run.seed is None else ["--seed", str(run.seed)]
    return [*command.start(), *kept, *seed, *command.writes(folder)]


def rule(program_name, result, path):
    """How the figure of this path is compared."""
    command = COMMANDS[program_name]
    found = command.rule_of(result, path) if command.rule_of else None
    if found:
        return found
    path = of_one(result, path)[1]
    if NESTED.search(path):
        return IGNORED
    return next((one for pattern, one in command.rules if re.fullmatch(pattern, path)), EXACT)
