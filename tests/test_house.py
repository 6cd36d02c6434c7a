#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Layout check: compares the source tree with docs/architecture.md. Which module may include which, what a module must
not use, which folders name a clause, how an include is written. Argument: the source folder."""
import re
import sys
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1))
ROOTS = ("apps", "gr-wimax/lib", "gr-wimax/include", "gr-wimax/python/wimax", "")  # last: fpga/...
PUBLIC = "gr-wimax/include/gnuradio/wimax"
INCLUDE = re.compile(r"^\s*#\s*include\s*([<\"])([^>\"]+)[>\"]", re.M)

# What a module must not use, by the name that the table gives it: headers, and words in the code.
SECRETS = {
    "GNU Radio": r"#include <(gnuradio/(?!wimax/)|pmt/)",
    "UHD": r"#include <uhd",
    "sockets": r"#include [<\"](zmq|sys/socket|common/zmq)",
    "threads": r"#include <(thread|mutex|condition_variable|future)>",
    "a clock": r"#include <chrono>|clock_gettime|gettimeofday",
    "files": r"#include <(fstream|cstdio|filesystem|fcntl\.h)>",
    "protobuf": r"#include [<\"](google/protobuf|phy_sap\.pb)",
    "JSON": r"#include <nlohmann/",
    "YAML": r"#include [<\"](yaml-cpp|common/yaml)",
}


def module_of(path):
    """A header of the installed tree belongs to the module of lib that implements it."""
    folder = path.relative_to(SOURCE).parent.as_posix()
    if path.name == "api.h":  # the export macro is the core's; GNU Radio's tools expect it there
        return "gr-wimax/lib/phy/base"
    if folder == PUBLIC:
        return "gr-wimax/include"
    return folder.replace(PUBLIC, "gr-wimax/lib")


def files():
    for root in ("apps", "gr-wimax", "fpga"):
        for path in sorted((SOURCE / root).rglob("*.*")):
            if path.suffix in (".h", ".cc"):
                yield path


def product_files():
    return (path for path in files() if not path.name.startswith(("test_", "fuzz_")))


def resolve(included):
    found = [SOURCE / root / included for root in ROOTS if (SOURCE / root / included).is_file()]
    assert len(found) <= 1, f"{included} is in several modules"
    return found[0] if found else None


def table(title):
    """Rows below a heading of docs/architecture.md, as lists of cells."""
    text = (SOURCE / "docs/architecture.md").read_text(encoding="utf-8")
    section = text.split(f"\n### {title}\n", 1)[1].split("\n#", 1)[0]
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in section.splitlines() if line.startswith("|")]
    return [row for row in rows[1:] if not re.fullmatch(r"[-: ]+", row[0])]


def names(cell):
    return set(re.findall(r"`([^`]+)`", cell))


def covers(clause, other):
    return (other + ".").startswith(clause + ".")


class Modules(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        rows = table("Modules")
        self.allowed = {}
        self.secrets = {}
        for names_of_row, knows, secrets, includes in rows:
            self.assertTrue(knows, names_of_row)
            for module in names(names_of_row):
                self.allowed[module] = names(includes)
                self.secrets[module] = {secret.strip() for secret in secrets.split(",") if secret.strip() not in ("", "—")}
        self.actual = {}
        for path in product_files():
            module = module_of(path)
            self.actual.setdefault(module, set())
            for _, included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                target = resolve(included)
                if target and module_of(target) != module:
                    self.actual[module].add(module_of(target))

    def test_every_module_is_in_the_table_and_only_modules_are(self):
        self.assertEqual(set(self.allowed), set(self.actual))
        self.assertGreater(len(self.allowed), 35)

    def test_a_module_includes_what_the_table_says_and_no_other(self):
        self.assertEqual({module: sorted(modules) for module, modules in self.actual.items()},
                         {module: sorted(modules) for module, modules in self.allowed.items()})

    def test_arrows_make_no_circle(self):
        left = {module: set(modules) for module, modules in self.actual.items()}
        while True:
            ready = {module for module, modules in left.items() if not modules & set(left)}
            if not ready:
                break
            left = {module: modules for module, modules in left.items() if module not in ready}
        self.assertEqual(left, {})

    def test_no_module_uses_what_it_must_not(self):
        found = []
        for path in product_files():
            text = path.read_text(encoding="utf-8")
            for secret in self.secrets.get(module_of(path), ()):
                if re.search(SECRETS[secret], text):
                    found.append((path.relative_to(SOURCE).as_posix(), secret))
        self.assertEqual(found, [])
        self.assertGreater(sum(map(len, self.secrets.values())), 60)


class AirInterface(unittest.TestCase):
    """The upper MAC and the schedulers know profiles and resource units. Symbols and rate codes belong to the air interface."""
    UPPER = ("scheduler", "flow", "arq", "dsx", "cs", "privacy", "report")
    AIR = re.compile(r"rate_?ids?\b|symbol|midamble|subframe_?layout|frame_?layout|kRateTable|mac/air/|sap/(?:\w+_)?messages\.h"
                     r"|gnuradio/wimax/phy/(?!base/(?:fault|frame_number|numerology)\.h)", re.I)
    # Formats of bursts and maps, which the folder of the air interface writes for both stations.
    FORMAT = re.compile(r"(?:\.|->)rate_id\b|format\.(?:rate_id|iuc|preamble|data_symbols)|kRateTable|Preamble::|\b[DU]lMap\b|\b[du]iuc::")

    @classmethod
    def found(cls, text):
        return sorted({match.group(0) for match in cls.AIR.finditer(text)})

    def test_the_pattern_finds_what_it_names(self):
        for bad in ("uint8_t rate_id = 0;", "rateId", "uint32_t data_symbols;", "kMinSymbols", "kRateTable[i]", "/// symbols of a frame",
                    '#include "mac/frame_layout.h"', '#include "mac/air/ofdm256/symbol_grid.h"',
                    "#include <gnuradio/wimax/phy/base/burst_types.h>", '#include "sap/ofdm256_messages.h"'):
            self.assertTrue(self.found(bad), bad)

    def assert_unknown(self, folders, pattern):
        known, seen = [], set()
        for path in product_files():
            folder = path.relative_to(SOURCE).parent.as_posix()
            if folder in {f"apps/mac/{name}" for name in folders}:
                seen.add(folder)
                words = {match.group(0) for match in pattern.finditer(path.read_text(encoding="utf-8"))}
                known += [f"{path.relative_to(SOURCE)}: {word}" for word in sorted(words)]
        self.assertEqual(known, [])
        self.assertEqual(len(seen), len(folders))

    def test_upper_mac_knows_no_symbols(self):
        self.assert_unknown(self.UPPER, self.AIR)

    def test_subscriber_station_and_daemon_include_no_air_interface(self):
        paths = [path for path in product_files() if path.relative_to(SOURCE).parent.as_posix() in ("apps/mac/ss", "apps/macd")]
        self.assertGreater(len(paths), 60)
        self.assertEqual([path.name for path in paths if re.search(r'#include "mac/air/\w+/', path.read_text(encoding="utf-8"))], [])

    def test_stations_know_no_burst_formats(self):
        for bad in ("burst.format.rate_id = 3;", "a->rate_id", "phy::kRateTable[i]", "f.format.preamble", "Preamble::short_", "DlMap map;", "uiuc::kInitialRanging"):
            self.assertTrue(self.FORMAT.search(bad), bad)
        self.assert_unknown(("bs", "ss"), self.FORMAT)

    # Files of the base station that name keys of one air interface: in its status, or in its configuration.
    KEYS = {"base_station_figures.h", "base_station_status.cc", "base_station_config.cc"}
    UNITS = re.compile(r"symbol|midamble|(?<!config\.ul_)subchannels?\b|frame_?layout|numerology|mac/air/\w+/", re.I)

    def test_base_station_names_no_air_interface(self):
        for bad in ("uint32_t symbols = 0;", "kSymbolGrid", "const FrameLayout& layout;", '#include "mac/frame_layout.h"', "subchannels",
                    '#include "mac/air/ofdm256/broadcasts.h"', '#include "mac/air/ofdma/slots.h"', "MidambleChoice m;", "phy::Numerology n;"):
            self.assertTrue(self.UNITS.search(bad), bad)
        found, files = [], [path for path in product_files() if path.relative_to(SOURCE).parent.as_posix() == "apps/mac/bs"]
        for path in files:
            text = path.read_text(encoding="utf-8")
            lines = text.splitlines() if path.name not in self.KEYS else [line for line in text.splitlines() if line.startswith("#include")]
            found += [f"{path.name}: {line.strip()}" for line in lines if self.UNITS.search(line)]
        self.assertEqual(found, [])
        self.assertGreater(len(files), 70)
        self.assertEqual({path.name for path in files} & self.KEYS, self.KEYS)


class Changes(unittest.TestCase):
    """The lists of files that a change modifies."""
    TITLE = "Files that three changes modify"

    def test_numbers_are_those_of_the_lists(self):
        text = (SOURCE / "docs/architecture.md").read_text(encoding="utf-8").split(f"### {self.TITLE}\n", 1)[1].split("\n#", 1)[0]
        lists = {name: re.findall(r"`([^`]+)`", files) for name, files in re.findall(r"^\* ([\w -]+) \((.*(?:\n  .*)*)", text, re.M)}
        stated = {row[0]: row[2] for row in table(self.TITLE)}
        self.assertEqual({name: f"{len(files)} files in {len({Path(file).parent for file in files})} folders" for name, files in lists.items()},
                         stated)
        self.assertEqual([file for files in lists.values() for file in files if not (SOURCE / file).is_file()], [])
        self.assertEqual([name for name, files in lists.items() if len(set(files)) < len(files)], [])


class Walks(unittest.TestCase):
    """test_walks follows the steps at run time."""
    def test_steps_are_files_that_exist_and_no_step_comes_twice(self):
        for title, least in (("A burst from TUN to antenna", 20), ("A grant from map to sample", 14)):
            rows = table(title)
            self.assertGreater(len(rows), least)
            self.assertEqual([int(row[0]) for row in rows], list(range(1, len(rows) + 1)))
            steps = [names(row[1]) for row in rows]
            self.assertTrue(all(len(step) == 1 for step in steps), title)
            visited = [step.pop() for step in steps]
            self.assertEqual(len(set(visited)), len(visited), title)
            self.assertEqual([file for file in visited if not (SOURCE / file).is_file()], [])
            self.assertEqual([(file, row[2]) for file, row in zip(visited, rows) if not self.defines(file, names(row[2]).pop())], [])

    @staticmethod
    def defines(file, function):
        """A body, a class in the file for functions inside it, or a constructor for a handler that it registers."""
        text = (SOURCE / file).read_text(encoding="utf-8")
        function = re.sub(r"\(.*\)|<.*>|::\{lambda\}", "", function)
        owner, _, name = function.rpartition("::")
        outside = re.search(rf"^\S.*\b{re.escape(function)}\(", text, re.M)
        inside = re.search(rf"^(?:class|struct) {owner.rpartition('::')[2] or name}\b", text, re.M) and re.search(rf"\b{name}\(", text)
        free = re.search(rf"^[\w:<>].* {name}\(", text, re.M) if owner in ("", "mac") else None
        return bool(outside or inside or free)


class Threads(unittest.TestCase):
    """The daemons' threads are in the table "Threads"."""
    MAKES_ONE = re.compile(r"std::(?:thread|async)\(|std::jthread|thread_pool>\(|\bthread_\(\[")
    TOOLS = SOURCE / "apps/tools"

    def test_every_file_that_makes_a_thread_is_in_the_table(self):
        rows = table("Threads")
        self.assertEqual([row[0] for row in rows if len(row) != 7 or not all(row)], [])  # ..., waits for, must not, ...
        named = {file for row in rows for file in names(row[1]) if file.endswith(".cc")}
        makers = {path.relative_to(SOURCE).as_posix() for path in product_files()
                  if self.TOOLS not in path.parents and self.MAKES_ONE.search(path.read_text(encoding="utf-8"))}
        self.assertGreater(len(makers), 4)
        self.assertEqual(makers - named, set())
        self.assertEqual([file for file in named if not (SOURCE / file).is_file()], [])


class Objects(unittest.TestCase):
    """The diagram "Objects of each daemon": a line with classes on both sides of an arrow, or below a class with less indentation."""
    NAME = re.compile(r"\b(?:[a-z]+::)?([A-Z][a-z]\w+)\b")
    OTHERS = {"ZeroMQ"}

    def setUp(self):
        self.files = {}  # of a class: the files that define it and its functions
        for path in product_files():
            text = path.read_text(encoding="utf-8")
            for name in re.findall(r"^ *(?:class|struct) (?:WIMAX_API )?(\w+)\b[^;]*?\{", text, re.M):
                self.files.setdefault(name, []).extend((text, *(part.read_text(encoding="utf-8") for part in [path.with_suffix(".cc")] if part.is_file())))

    @staticmethod
    def diagrams():
        text = (SOURCE / "docs/architecture.md").read_text(encoding="utf-8").split("### Objects of each daemon\n", 1)[1]
        return re.split(r"\n\n(?=wimax-)", re.search(r"^```\n(.*?)^```", text, re.M | re.S)[1])

    def edges(self, diagram):
        """(owner, class) of the diagram's arrows and indentation."""
        above = []  # (indentation, class)
        for line in diagram.splitlines()[1:]:
            drawing = re.split(r" {3,}", line.strip(" │├└"))[0]  # the right column explains
            parts = [self.NAME.findall(part.split(" ── ")[0]) for part in re.split("[─═]▶", drawing)]
            indent = len(line) - len(line.lstrip(" │├└─═▶"))
            above = [(at, name) for at, name in above if at < indent]
            for owners, owned in zip(parts, parts[1:]):
                yield from ((owner, name) for owner in owners[-1:] for name in owned)
            first = next((part for part in parts if part), [])
            if above and first:
                yield above[-1][1], first[0]
            if first:
                above.append((indent, first[0]))

    def mentions(self, owner, name):
        return name in self.files and any(re.search(rf"\b{name}\b", text) for text in self.files.get(owner, ()))

    def test_classes_exist_and_owners_name_them(self):
        seen, wrong = 0, []
        for diagram in self.diagrams():
            for owner, name in self.edges(diagram):
                seen += 1
                if name not in self.OTHERS and not (self.mentions(owner, name) or self.mentions(name, owner)):  # or implements it
                    wrong.append((owner, name))
        self.assertEqual(wrong, [])
        self.assertGreater(seen, 40)


class Includes(unittest.TestCase):
    def test_one_style(self):
        """Installed headers in angle brackets; our own in quotes with their path from apps/, gr-wimax/lib or gr-wimax/python/wimax, of fpga/ from the top."""
        wrong = []
        for path in files():
            for bracket, included in INCLUDE.findall(path.read_text(encoding="utf-8")):
                target = resolve(included)
                installed = included.startswith("gnuradio/wimax/")
                if bracket == "<":
                    right = installed == bool(target)
                else:
                    right = bool(target) and not installed or included.endswith(".pb.h")
                if not right:
                    wrong.append((path.relative_to(SOURCE).as_posix(), included))
        self.assertEqual(wrong, [])


class Clauses(unittest.TestCase):
    """The table from clause to folder against the clauses that headers and sources name."""

    def setUp(self):
        self.rows = [(clause, names(folders)) for clause, _, folders in table("From clause to folder")]
        self.named = {}
        for path in product_files():
            for clause in re.findall(r"(?<![\d.])(?:6\.3|8\.[34])(?:\.\d+)+", path.read_text(encoding="utf-8")):
                self.named.setdefault(clause, set()).add(module_of(path))

    def test_folders_exist_and_name_the_clause(self):
        silent = [(clause, folder) for clause, folders in self.rows for folder in sorted(folders)
                  if not any(folder in modules and (covers(clause, other) or covers(other, clause))
                             for other, modules in self.named.items())]
        self.assertEqual(silent, [])
        self.assertGreater(len(self.rows), 30)
        for clause, folders in self.rows:
            self.assertTrue(folders and all((SOURCE / folder).is_dir() for folder in folders), clause)

    def test_what_code_names_is_where_the_table_says(self):
        homes = {}
        for clause, folders in self.rows:
            homes.setdefault(clause, set()).update(folders)
        for clause, modules in self.named.items():
            above = [home for home in homes if covers(home, clause)]
            below = [home for home in homes if covers(clause, home)]
            self.assertTrue(above or below, (clause, modules))
            allowed = homes[max(above, key=len)] if above else set().union(*(homes[home] for home in below))
            core = {module for module in modules if not module.startswith(("apps/tools", "gr-wimax/include", "gr-wimax/python"))}
            self.assertEqual(core - allowed, set(), clause)

    def test_every_clause_of_the_conformance_table_is_there(self):
        text = (SOURCE / "docs/conformance.md").read_text(encoding="utf-8")
        clauses = {clause.rstrip(".") for clause in re.findall(r"^\| *((?:6\.3|8\.[34])[\d.]*)", text, re.M)}
        self.assertGreater(len(clauses), 25)
        for clause in sorted(clauses):
            self.assertTrue(any(covers(home, clause) or covers(clause, home) for home, _ in self.rows), clause)


class Style(unittest.TestCase):
    """No value is returned behind an effect, and no choice between two names is made for its effect."""
    COMMA_RETURN = re.compile(r"\breturn (?:\w+\.\w+\(\), |(?:\+\+|--)?[\w.>\[\]-]+(?: [-+|&]?= [^,;{}()]+)?, )[^;{}]*;")
    CHOICE_FOR_EFFECT = re.compile(
        r"(?:(?<=[;{})])|(?<=else))\n\s*(?:\+\+|--)?\([^()\n]*(?:\([^()\n]*\)[^()\n]*)* \? [^;\n]* : [^;\n()]*\)"
        r"(?: [-+*|&]?= |;|\.\w+\(|->)"
        r"|(?:(?<=[;{}])|(?<=else))\n\s*[\w.>-]+ \? [^:;=\n]*\([^:;\n]*\) : [^:;\n]*\);")
    VOID_RETURN = re.compile(r"\breturn void\(")

    maxDiff = None

    def found(self, pattern):
        return [f"{path.relative_to(SOURCE)}: {match.group(0).strip()}" for path in files()
                for match in pattern.finditer(path.read_text(encoding="utf-8"))]

    def test_no_value_is_returned_behind_an_effect(self):
        for bad in ("return ++counters_.x, std::nullopt;", "return target = text, true;", "return void(++count);"):
            self.assertTrue(self.COMMA_RETURN.search(bad) or self.VOID_RETURN.search(bad), bad)
        self.assertEqual(self.found(self.COMMA_RETURN) + self.found(self.VOID_RETURN), [])

    def test_no_choice_for_its_effect(self):
        for bad in ("    (a ? b : c) = d;", "    (f(x) ? b : c).push(d);", "    ++(a ? b : c);", "    bs_ ? f(a) : g(b);"):
            self.assertTrue(self.CHOICE_FOR_EFFECT.search("{\n" + bad), bad)
        self.assertFalse(self.CHOICE_FOR_EFFECT.search("{\n    const int x =\n        a ? f(b) : g(c);"))
        self.assertEqual(self.found(self.CHOICE_FOR_EFFECT), [])


class Names(unittest.TestCase):
    """A constant is written one way, and a file's name tells which it is."""
    CONSTANT = re.compile(r"\bk[A-Z][A-Za-z0-9]*_\w+")

    def test_constants(self):
        self.assertTrue(self.CONSTANT.search("kMaxGain_db"))
        self.assertEqual([f"{path.relative_to(SOURCE)}: {name}" for path in files()
                          for name in sorted(set(self.CONSTANT.findall(path.read_text(encoding="utf-8"))))], [])

    def test_no_two_sources_have_one_name(self):
        places = {}
        for path in files():
            places.setdefault(path.name, []).append(str(path.relative_to(SOURCE)))
        self.assertEqual({name: found for name, found in places.items() if len(found) > 1 and
                          name != "main.cc"}, {})

    CLASS = re.compile(r"^(?:class|struct) (?:[A-Z_]+ |\[\[\w+\]\] )?(\w+)(?: final)?(?: : [^;{]*)? \{", re.M)

    def test_no_two_classes_of_headers_have_one_name(self):
        for good in ("class WIMAX_API Large {", "struct Small final : A, B<C> {", "class [[nodiscard]] Result {"):
            self.assertTrue(self.CLASS.search(good), good)
        places = {}
        for path in product_files():
            if path.suffix == ".h" and path.relative_to(SOURCE).parts[0] in ("apps", "gr-wimax"):
                for name in self.CLASS.findall(path.read_text(encoding="utf-8")):
                    places.setdefault(name, []).append(str(path.relative_to(SOURCE)))
        self.assertGreater(len(places), 400)
        self.assertEqual({name: found for name, found in places.items() if len(found) > 1}, {})


class Errors(unittest.TestCase):
    """What fails returns tl::expected with a Fault; only where a library throws is anything thrown or caught."""
    THROWERS = {
        "apps/common/yaml_tree.cc": "a handler of yaml-cpp's events stops its parser so",
        "apps/common/zmq_socket.h": "as cppzmq does, within attempt()",
        **{f"apps/tools/speed/{kind}_items.cc": "a measurement whose result is wrong"
           for kind in ("chain", "flowgraph", "kernel", "latency", "mac", "peer")},
        "apps/vrf/device.cc": "UHD",
        "apps/vrf/streamers.cc": "UHD",
        "apps/tools/bindings/module.cc": "pybind11",
        "fpga/rfnoc/control/block_control.cc": "UHD",
        "fpga/rfnoc/control/transmit_blocks.cc": "UHD",
        "gr-wimax/lib/blocks/refuse.h": "GNU Radio",
        "gr-wimax/lib/phy/base/sample_buffer.h": "out of memory",
        "gr-wimax/lib/radio/device_arguments.cc": "RadioFrontend::open() refuses by exception, as UHD does",
        "gr-wimax/lib/radio/radio_device.cc": "DeviceUnavailable of RadioFrontend::open(): the device may appear later",
        "gr-wimax/lib/radio/refusal.h": "RadioFrontend::open() refuses by exception, as UHD does",
    }
    CATCHERS = {
        "apps/channel/channel_profile.cc": "yaml-cpp",
        "apps/common/command_line.cc": "CLI11",
        "apps/common/log.cc": "spdlog",
        "apps/common/yaml_tree.cc": "yaml-cpp",
        "apps/common/zmq_socket.h": "cppzmq",
        "apps/phyd/radio_opener.cc": "GNU Radio, UHD and RadioFrontend::open()",
        "apps/policy/wimax_policy.h": "schedulers of users",
        "apps/phyd/service.cc": "UHD and RadioFrontend::set_gains()",
        "apps/tools/cli/command.cc": "CLI11",
        "apps/tools/bindings/signals.cc": "pybind11",
        "apps/tools/iq/spec.cc": "nlohmann",
        "apps/tools/radio/bench_radio.cc": "UHD",
        "apps/tools/radio/radio_probe.cc": "UHD",
        "apps/tools/pdu/main.cc": "nlohmann",
        "apps/tools/speed/main.cc": "the measurements",
        "fpga/rfnoc/control/block_core.cc": "UHD",
        "gr-wimax/lib/radio/burst_sender.cc": "UHD",
        "gr-wimax/lib/radio/device_arguments.cc": "UHD",
        "gr-wimax/lib/radio/device_cores.cc": "UHD",
        "gr-wimax/lib/radio/drive_amplifier.cc": "UHD",
        "gr-wimax/lib/radio/radio_device.cc": "DeviceUnavailable of RadioFrontend::open(): the device may appear later",
        "gr-wimax/lib/radio/radio_tuning.cc": "UHD",
        "gr-wimax/lib/radio/sample_receiver.cc": "UHD",
        "gr-wimax/lib/radio/usrp_rates.cc": "UHD",
    }
    # Out-parameters; members and results that are texts or empty; lists of texts; an expected without a Fault.
    OTHER_STYLES = (
        (re.compile(r"(?<!const )std::string ?[&*] ?(?:fault|error|why|reason|refusal)\w*[,)]"),
         "bool f(int x, std::string& fault) {"),
        (re.compile(r"std::vector<std::string> ?[&*]? ?\w*(?:fault|error)s?_?\b(?!.*///.*all at once)"), "std::vector<std::string>& faults"),
        (re.compile(r"std::string ?&? (?:fault|error)\(\) const"), "const std::string& fault() const"),
        (re.compile(r"tl::expected<(?:[^<>;]|<[^<>;]*>)*, std::string>"), "tl::expected<std::unique_ptr<Port>, std::string> open();"),
        (re.compile(r"///[^\n]*(?:\"\" or (?:why|what)|[Ee]rror text)[^\n]*\n\s*std::string"), '/// "" or what is wrong.\n    std::string f();'),
    )

    maxDiff = None

    @staticmethod
    def files_with(pattern):
        return {path.relative_to(SOURCE).as_posix() for path in product_files() if pattern.search(path.read_text(encoding="utf-8"))}

    def test_only_edges_throw_and_catch(self):
        self.assertEqual(self.files_with(re.compile(r"^[^/\n]*\bthrow\b", re.M)), set(self.THROWERS))
        self.assertEqual(self.files_with(re.compile(r"\bcatch \(")), set(self.CATCHERS))

    def test_own_exceptions_are_not_of_a_library(self):
        own = re.compile(r"\b(?:class|struct) (?:WIMAX_API )?(\w+) : (?:public )?std::(?:\w+_error|exception)\b")
        names = {name for path in product_files() for name in own.findall(path.read_text(encoding="utf-8"))}
        self.assertIn("DeviceUnavailable", names)
        for name in names:
            for file in self.files_with(re.compile(rf"\bthrow (?:\w+::)*{name}\b")):
                self.assertIn(name, self.THROWERS[file])

    def test_no_other_style(self):
        found = []
        for style, example in self.OTHER_STYLES:
            self.assertTrue(style.search(example), example)
            found += [f"{path.relative_to(SOURCE)}: {match.group(0).strip()}" for path in product_files()
                      for match in style.finditer(path.read_text(encoding="utf-8"))]
        self.assertEqual(found, [])

    def test_one_collector(self):
        classes = [path.relative_to(SOURCE).as_posix() for path in product_files()
                   if re.search(r"\b(?:class|struct) Faults\b(?!;)|\busing Faults =", path.read_text(encoding="utf-8"))]
        self.assertEqual(classes, ["apps/common/faults.h"])


class Ranges(unittest.TestCase):
    """Limits of the bandwidth are stated by numerology.h; what cannot include it says the same."""
    LIMIT = re.compile(r"\b(?:1250000|1\.25e6|28000000|28e6)\b")

    def test_limits_of_the_bandwidth(self):
        header = SOURCE / PUBLIC / "phy/base/numerology.h"
        text = header.read_text(encoding="utf-8").replace("'", "")
        limits = tuple(int(re.search(rf"{name}BandwidthHz = (\d+)", text)[1]) for name in ("kMin", "kMax"))
        elsewhere = [str(path.relative_to(SOURCE)) for path in product_files() if path.suffix == ".cc" and
                     path.name != "numerology.cc" and self.LIMIT.search(path.read_text(encoding="utf-8").replace("'", ""))]
        self.assertEqual(elsewhere, [])
        blocks = [path.read_text(encoding="utf-8") for path in sorted((SOURCE / "gr-wimax/grc").glob("*.block.yml"))]
        asserts = [tuple(map(int, found)) for block in blocks
                   for found in re.findall(r"\$\{ (\d+) <= bandwidth <= (\d+) \}", block)]
        said = [tuple(map(float, found)) for block in blocks
                for found in re.findall(r"Channel bandwidth: ([\d.e]+) \.\. ([\d.e]+) Hz", block)]
        self.assertEqual((asserts, said), ([limits] * 8, [limits] * 8))
        profiles = (SOURCE / "apps/tools/python/wimax_tools/bench/profiles.py").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"([\d_]+) <= profile.bandwidth_hz <= ([\d_]+)", profiles),
                         [tuple(f"{limit:_}" for limit in limits)])
        self.assertIn(f"allowed: {limits[0] / 1e6:g} .. {limits[1] / 1e6:g}", profiles)


if __name__ == "__main__":
    unittest.main()
