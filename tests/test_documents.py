#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documents: links resolve, the index is complete, README is short, one file owns the version number. Argument: the source folder."""
import re
import sys
import unittest
from pathlib import Path
from urllib.parse import unquote

import yaml

SOURCE = Path(sys.argv.pop(1)).resolve()
README_LINES = 120
STATUS_LINE = 7
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")


def documents():
    """Project pages, docs/ and the READMEs of components. Reports of experiments are written by a program."""
    yield from sorted(SOURCE.glob("*.md"))
    yield from sorted(SOURCE.glob("docs/*.md"))
    yield from (SOURCE / name for name in ("flowgraphs/README.md", "fpga/README.md", "gr-wimax/README.md"))


def text_of(path):
    return path.read_text(encoding="utf-8")


def without_code(text):
    text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^    .*$", "", text, flags=re.M))


def anchor(heading):
    """The identifier that GitHub gives a heading."""
    heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip())
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchors(path):
    return {anchor(heading) for heading in re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```", "", text_of(path), flags=re.M | re.S), re.M)}


class Links(unittest.TestCase):
    def test_files_and_headings_exist(self):
        broken, count = [], 0
        for path in documents():
            for target in LINK.findall(without_code(text_of(path))):
                if re.match(r"[a-z]+:", target):
                    continue
                count += 1
                name, _, heading = target.partition("#")
                file = (path.parent / unquote(name)).resolve() if name else path
                if not file.exists() or heading and heading not in anchors(file):
                    broken.append(f"{path.relative_to(SOURCE)}: {target}")
        self.assertEqual(broken, [])
        self.assertGreater(count, 100)


class Paths(unittest.TestCase):
    """Source files and folders that documents name in code spans."""
    FILE = re.compile(r"(?:\./)?((?:[\w.-]+/)*[a-z][\w.-]*\.(?:h|cc|py|sh|lua|v|cmake|proto))")
    BELOW = re.compile(r"(?:\./)?((?:apps|cmake|config|docs|flowgraphs|gr-wimax|tests)/[\w./-]+)")
    NOT_OURS = re.compile(r"test_NAME\.cc")

    @staticmethod
    def known():
        """Every path of the tree, and each of its ends that begins with a whole name."""
        ends = set()
        for root in ("apps", "cmake", "config", "docs", "flowgraphs", "fpga", "gr-wimax", "tests"):
            for path in (SOURCE / root, *(SOURCE / root).rglob("*")):
                parts = path.relative_to(SOURCE).parts
                ends.update("/".join(parts[i:]) for i in range(len(parts)))
        return ends

    def test_exist(self):
        known, missing, count = self.known(), [], 0
        for path in documents():
            if path.name == "CHANGELOG.md":  # names files of its time
                continue
            for word in (word.rstrip(".,:/") for span in re.findall(r"`([^`\n]+)`", text_of(path)) for word in span.split()):
                if (named := self.FILE.fullmatch(word) or self.BELOW.fullmatch(word)) and not self.NOT_OURS.fullmatch(word):
                    count += 1
                    if named[1] not in known:
                        missing.append((path.relative_to(SOURCE).as_posix(), word))
        self.assertEqual(missing, [])
        self.assertGreater(count, 500)


class Pictures(unittest.TestCase):
    """The table of docs/repeating.md that names for each picture what makes it."""
    KINDS = (".svg", ".webp", ".png")

    def rows(self):
        section = text_of(SOURCE / "docs/repeating.md").partition("\n## Pictures of the documents\n")[2].partition("\n## ")[0]
        return [(re.findall(r"`([^`]+)`", left), right) for left, right in re.findall(r"^\| (`.*`) \| (.*) \|$", section, re.M)]

    def test_each_is_made_by_a_command_of_the_tree(self):
        named = [pattern for patterns, _ in self.rows() for pattern in patterns]
        pictures = {path for path in (SOURCE / "docs").rglob("*") if path.suffix in self.KINDS}
        found = [set(SOURCE.glob(pattern)) for pattern in named]
        self.assertEqual([pattern for pattern, paths in zip(named, found) if not paths], [])
        self.assertEqual(sorted(str(path) for path in pictures - set().union(*found)), [])
        self.assertGreater(len(pictures), 40)

    def test_the_files_of_the_commands_exist(self):
        words = [word.strip("`,") for _, right in self.rows() for word in right.split()]
        named = [word for word in words if re.match(r"(docs|tests|apps|flowgraphs)/.*\.(py|yml|grc)$", word)]
        self.assertEqual([word for word in named if not (SOURCE / word).is_file()], [])
        self.assertGreater(len(named), 8)


class Index(unittest.TestCase):
    def test_docs_readme_has_four_groups_and_links_every_document(self):
        index = SOURCE / "docs/README.md"
        self.assertEqual(re.findall(r"^## (.*)$", text_of(index), re.M), ["Guides", "Reference", "Internals", "Results"])
        linked = {(index.parent / target.partition("#")[0]).resolve() for target in LINK.findall(text_of(index))}
        self.assertEqual(sorted(path.name for path in index.parent.glob("*.md") if path not in linked | {index}), [])


class Readme(unittest.TestCase):
    def setUp(self):
        self.lines = text_of(SOURCE / "README.md").splitlines()

    def test_is_short(self):
        self.assertLessEqual(len(self.lines), README_LINES)

    def test_status_comes_first(self):
        self.assertIn("radio", self.lines[STATUS_LINE - 1])
        self.assertRegex(self.lines[STATUS_LINE - 1], r"[Nn]o real radio has (ever )?been connected")

    def test_commands_of_the_launcher_exist(self):
        launcher = text_of(SOURCE / "wimax")
        commands = set(re.findall(r"^ *(?:`|\$ |sudo )?(?:sudo )?\./wimax ([a-z-]+)", "\n".join(self.lines), re.M)) | set(
            re.findall(r"`(?:sudo )?\./wimax ([a-z-]+)", "\n".join(self.lines)))
        self.assertGreater(len(commands), 5)
        self.assertEqual([name for name in sorted(commands) if not re.search(rf"^ *(?:[\w-]+\|)*{name}(?:\|[\w-]+)*\)", launcher, re.M)], [])


def rate_names():
    """Names by Rate_ID, of the PHY's table."""
    return re.findall(r'^    \{"([^"]+)", ', text_of(SOURCE / Rates.TABLE), re.M)


class Rates(unittest.TestCase):
    """Names of rates are in the PHY's table. Other languages have one copy each, equal to it."""
    COPIES = ("apps/tools/python/wimax_tools/bench/profiles.py", "apps/tools/wireshark/wimax_dictionary.lua")  # the second is generated
    TABLE = "gr-wimax/include/gnuradio/wimax/phy/base/numerology.h"
    NAME = r'"((?:BPSK|QPSK|\d\d-QAM) \d/\d)"'

    def test_every_list_is_one_of_the_copies_and_equal(self):
        self.assertEqual(len(rate_names()), 7)
        found = set()
        for root in ("apps", "config", "gr-wimax"):
            for path in (SOURCE / root).rglob("*.*"):
                name = path.relative_to(SOURCE).as_posix()
                written = path.suffix in (".py", ".lua", ".h", ".cc", ".json", ".html", ".js", ".yml") and "recorded" not in name
                names = re.findall(self.NAME, text_of(path)) if written and not path.name.startswith(("test_", "qa_")) else ()
                if len(names) > 3 and name != self.TABLE:
                    found.add(name)
                    self.assertEqual(names, rate_names(), name)
        self.assertEqual(found, set(self.COPIES))

    def test_frame_durations_and_sizes_of_symbols_are_those_of_the_table(self):
        table, bench = text_of(SOURCE / self.TABLE), text_of(SOURCE / self.COPIES[0])
        durations = [int(us) / 1000 for us in re.search(r"kFrameDurationUs\{+([^}]*)\}", table)[1].replace("'", "").split(",")]
        octets = [int(size) for size in re.findall(r'^    \{"[^"]+", \d, (\d+), ', table, re.M)]
        self.assertEqual((len(durations), len(octets)), (7, 7))
        self.assertIn(f"FRAME_CODES = {({ms: code for code, ms in enumerate(durations)})}\n", bench)
        self.assertIn(f"BITS_PER_SYMBOL = {[8 * size for size in octets]}\n", bench)


class Primer(unittest.TestCase):
    TEXT = text_of(SOURCE / "docs/primer.md")

    def test_the_sequence_chart_has_the_messages_and_states_of_the_code(self):
        charts = re.findall(r"^```mermaid\n(.*?)^```", self.TEXT, re.M | re.S)
        self.assertEqual(len(charts), 1)
        lines = [line.strip() for line in charts[0].splitlines()]
        self.assertEqual(lines[:3], ["sequenceDiagram", "participant SS as Subscriber station", "participant BS as Base station"])
        for line in lines[3:]:
            self.assertRegex(line, r"^(Note over SS: [\w /-]+|(SS->>BS|BS->>SS|BS-->>SS): [\w /-]+)$")
        known = set(re.findall(r'\{\d+, "([A-Z-]+)"', text_of(SOURCE / "apps/mac/pdu/dictionary.cc")))
        sent = [line.split(": ")[1] for line in lines if "->>" in line]
        self.assertEqual([name for name in sent if name not in known], ["preamble and FCH of each frame"])
        states = re.findall(r'"([\w/ -]+)"', re.search(r"to_string\(SsState.*?\};", text_of(SOURCE / "apps/mac/ss/entry_procedure.cc"), re.S)[0])
        self.assertEqual([line.split(": ")[1] for line in lines if line.startswith("Note")], states)

    def test_the_table_of_rates_is_that_of_the_code(self):
        header = text_of(SOURCE / "apps/mac/rate_thresholds.h")
        needs = [float(value.rstrip("F")) for value in re.search(r"kReceiverNeedsDb\{([^}]*)\}", header)[1].split(", ")]
        rows = re.findall(r"^\| (\d) \| ([^|]*) \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", self.TEXT, re.M)
        self.assertEqual([row[1].replace("*", "") for row in rows], rate_names())
        self.assertEqual([float(row[4]) for row in rows], [round(need, 1) for need in needs])
        self.assertEqual([float(row[3]) for row in rows], [round(int(row[2]) * 8 / 50, 2) for row in rows])  # 50 us per symbol


class Version(unittest.TestCase):
    NUMBER = text_of(SOURCE / "VERSION").strip()

    def test_is_a_number(self):
        self.assertRegex(self.NUMBER, r"^\d+\.\d+\.\d+$")

    def test_no_other_file_of_the_build_has_a_number_of_its_own(self):
        files = ["wimax", "CMakeLists.txt", "gr-wimax/CMakeLists.txt", *(path.relative_to(SOURCE).as_posix() for path in SOURCE.glob("cmake/*.cmake"))]
        self.assertEqual([name for name in files if self.NUMBER in text_of(SOURCE / name)], [])

    def test_pages_of_the_project_have_it(self):
        citation = yaml.safe_load(text_of(SOURCE / "CITATION.cff"))
        self.assertEqual(citation["version"], self.NUMBER)
        for key in ("cff-version", "message", "title", "authors"):  # required by the format
            self.assertTrue(citation[key], key)
        versions = re.findall(r"^## (\S+)", text_of(SOURCE / "CHANGELOG.md"), re.M)
        self.assertIn(versions[0], (self.NUMBER, "Unreleased"))
        self.assertEqual("date-released" in citation, versions[0] == self.NUMBER, "a date belongs to a release")


if __name__ == "__main__":
    unittest.main()
