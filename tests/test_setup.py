# SPDX-License-Identifier: GPL-3.0-or-later
"""`./wimax setup` on made-up machines: what it installs, as whom, and what it says where it cannot. Argument: the source folder."""
import contextlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
TABLE = [line.split() for line in (SOURCE / "cmake/packages.txt").read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
COLUMNS = TABLE[0][1:]
WHAT_A_COLUMN_IS = ("system", "codename", "manager", "tried")
DEBIAN_12 = 'ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\nPRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\n'
# Programs that the launcher uses.
TOOLS = ("bash", "dirname", "readlink", "env", "cat", "sed", "sh", "grep", "sort", "mktemp", "mkdir", "rm", "touch", "tr")
BENCH = ("run", "build", "headers")
NOT_FOR_THE_BENCH = ("gtest", "clang", "chromium", "tshark", "verilator", "iverilog", "yosys", "xvfb", "qt", "selenium", "matplotlib", "scipy", "help2man")
APT = r"""
echo "${DEBIAN_FRONTEND:-} apt-get $*" >> DONE
case "$*" in
  *--print-uris*) for word; do case $word in install|download) ;; [a-z]*[a-z0-9]) echo "'http://deb/$word.deb' $word.deb 1500000 SHA256:0" ;; esac; done
    echo "After this operation, 77.5 MB of additional disk space will be used." ;;
  *Status-Fd=3*) printf 'dlstatus:1:40.5:x\npmstatus:libc6:amd64:60.2:Unpacking\n' >&3; echo "Setting up libc6"; echo "E: a fault of apt" >&2 ;;
esac
"""


def packages(*groups, system="debian-12"):
    column = COLUMNS.index(system) + 1
    names = (row[1] if row[column] == "=" else row[column] for group in groups for row in TABLE if row[0] == group)
    return [name for name in names if name != "-"]


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-setup-")
        self.addCleanup(folder.cleanup)
        self.bin, self.done, self.release = Path(folder.name) / "bin", Path(folder.name) / "done", Path(folder.name) / "os-release"
        self.build = Path(folder.name) / "build"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def program(self, name, text):
        (self.bin / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def machine(self, missing=(), user=0, sudo=True, dpkg=True, fails="nothing", release=DEBIAN_12):
        """Programs that write down what they are told to do. `fails`: a word of the command of apt that does."""
        self.release.write_text(release, encoding="utf-8")
        if dpkg:
            self.program("dpkg-query", 'for word; do case " $MISSING " in *" $word "*) [ "$word" = "${MISSING%% *}" ] && echo "config-files $word" ;; '
                         '*) case $word in -*) ;; *) echo "installed $word" ;; esac ;; esac; done'.replace("$MISSING", " ".join(missing) or "none")
                         .replace("${MISSING%% *}", (*missing, "")[0]))
            self.program("apt-get", APT.replace("DONE", str(self.done)) + f'case "$*" in *{fails}*) echo "E: Unable to locate package foo" >&2; exit 100 ;; esac')
        self.program("id", f"echo {user}")
        if sudo:
            self.program("sudo", f'echo "sudo" >> {self.done}; exec "$@"')

    def launch(self, *arguments, cwd=None, **environment):
        return subprocess.run([SOURCE / "wimax", *arguments], cwd=cwd, stdin=subprocess.DEVNULL,
                              env={"PATH": str(self.bin), "HOME": "/", "WIMAX_BUILD_DIR": str(self.build), "WIMAX_RUN": str(self.build / "run"),
                                   "WIMAX_OS_RELEASE": str(self.release), "TMPDIR": str(self.bin.parent), **environment},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)

    def run_command(self, *arguments):
        done = self.launch(*arguments)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr, self.done.read_text(encoding="utf-8").splitlines() if self.done.exists() else []

    def installed(self, done):
        """The packages of the last installation."""
        return next(line.partition("Status-Fd=3 ")[2].split() for line in reversed(done) if "Status-Fd" in line)

    def test_nothing_is_missing(self):
        self.machine()
        for words in ((), ("run",), ("bench",), ("run", "fpga")):
            code, said, done = self.run_command("setup", *words)
            self.assertRegex(said, rf"^setup: all \d+ packages of '{' '.join(words) or 'build'}' are there\n$")
            self.assertEqual((code, done), (0, []))

    def test_what_is_missing_is_installed_and_nothing_else(self):
        self.machine(missing=("ninja-build", "iperf3", "uhd-host"))
        code, said, done = self.run_command("setup", "bench")
        self.assertEqual((code, self.installed(done)), (0, ["iperf3", "ninja-build"]))
        self.assertEqual((len(done), done[0], done[-1][:37]), (3, " apt-get update -q", "noninteractive apt-get install -y -q "))
        self.assertIn("--no-install-recommends", done[-1])

    def test_size_and_reason_first_then_one_line_of_progress(self):
        self.machine(missing=("ninja-build", "iperf3"))
        self.assertEqual(re.sub(r"in \d+ s", "in N s", self.run_command("setup", "bench")[1]),
                         "setup: reading the lists of packages\nsetup: 2 packages for ./wimax setup bench: 3 MB to download, 77.5 MB on disk\n"
                         "setup: downloading 40 %\nsetup: installing 60 %\nsetup: done in N s\n")

    def test_another_user_needs_sudo(self):
        self.machine(missing=("cmake",), user=1000)
        code, _, done = self.run_command("setup", "bench")
        self.assertEqual((code, done.count("sudo"), self.installed(done)), (0, 2, ["cmake"]))

    def test_neither_root_nor_sudo(self):
        self.machine(missing=("cmake", "iperf3"), user=1000, sudo=False)
        self.assertEqual(self.run_command("setup", "bench"),
                         (1, "wimax: setup needs root: run as root, or install sudo. Missing: iperf3 cmake\n", []))

    def test_a_system_that_is_not_in_the_table(self):
        for release, dpkg in (("ID=void\nPRETTY_NAME='Void Linux'\n", False), ("ID=debian\nVERSION_ID=11\nPRETTY_NAME='Void Linux'\n", True)):
            self.machine(dpkg=dpkg, release=release)
            for command in ("setup", "bench"):
                code, said, done = self.run_command(command)
                self.assertEqual((code, done), (1, []))
                self.assertTrue(said.startswith("setup: 'Void Linux' is not in the table of systems (cmake/packages.txt)\n"), said)
                self.assertIn("podman run", said)

    def test_what_cmake_looks_for_is_listed(self):
        """For those who install by hand."""
        self.machine(dpkg=False, release="ID=void\n")
        said = self.run_command("setup")[1].lower()
        wanted = set()
        for file in (f for f in SOURCE.rglob("*") if f.name == "CMakeLists.txt" or f.suffix == ".cmake"):
            if any(part.startswith("build") or part == "fixture" for part in file.relative_to(SOURCE).parts):
                continue
            text = file.read_text(encoding="utf-8")
            wanted |= set(re.findall(r"find_package\((\w[\w+-]*)", text)) - {"Threads", "PkgConfig", "Python3"}
            for names in re.findall(r"pkg_check_modules\(\w+ (?:REQUIRED )?IMPORTED_TARGET ([\w -]+)\)", text):
                wanted |= set(names.split())
        self.assertGreater(len(wanted), 15)
        names = {"gnuradio": "gnu radio", "gnuradio-fec": "gnu radio", "sndfile": "libsndfile", "Gnuradio": "gnu radio"}
        self.assertEqual({name for name in wanted if names.get(name, name).lower() not in said}, set())

    def test_systems_of_the_table(self):
        for release, system in (('ID=debian\nVERSION_ID="13"\n', "debian-13"), ('ID=ubuntu\nVERSION_ID="24.04"\nUBUNTU_CODENAME=noble\n', "ubuntu-24.04"),
                                ('ID=linuxmint\nVERSION_ID="22"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n', "ubuntu-24.04"),
                                ('ID=raspbian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n', "debian-12")):
            names = packages(*BENCH, system=system)
            self.done.unlink(missing_ok=True)
            self.machine(missing=[name for name in names if name != "gnuradio-dev"], release=release)
            code, said, done = self.run_command("setup", "bench")
            self.assertEqual((code, sorted(self.installed(done))), (0, sorted(name for name in names if name != "gnuradio-dev")), said)
            self.assertEqual("have not been tried" in said, "debian" not in system, said)

    def test_systems_without_apt_get_the_line_to_type(self):
        for release, line in (("ID=fedora\nVERSION_ID=41\n", "  sudo dnf install boost-devel "), ("ID=arch\n", "  sudo pacman -S --needed boost ")):
            self.machine(dpkg=False, release=release)
            code, said, _ = self.run_command("setup", "bench")
            self.assertEqual(code, 1)
            self.assertIn(line, said)
            self.assertIn("have not been tried", said)

    def test_a_system_that_is_too_old_gets_the_container(self):
        for release in ('ID=ubuntu\nVERSION_ID="22.04"\nUBUNTU_CODENAME=jammy\n', 'ID=linuxmint\nVERSION_ID="21"\nUBUNTU_CODENAME=jammy\n'):
            self.machine(missing=["iperf3"], release=release)
            code, said, done = self.run_command("setup", "bench")
            self.assertEqual((code, done), (1, []), said)
            self.assertIn("is not supported", said)
            self.assertIn("podman run", said)

    def test_the_table(self):
        """Each row has a name for each system, and each group is one of those that its head explains."""
        head = (SOURCE / "cmake/packages.txt").read_text(encoding="utf-8").partition("# Groups:")[2]
        for row in TABLE:
            self.assertEqual(len(row), len(TABLE[0]), row)
            self.assertTrue(row[0] in WHAT_A_COLUMN_IS or re.search(rf"^#   {row[0]} ", head, re.M), row[0])
        for system in ("debian-12", "debian-13"):
            names = packages(*BENCH, system=system)
            self.assertEqual([name for name in names for word in NOT_FOR_THE_BENCH if word in name], [])
            self.assertEqual(len(set(names)), len(names))

    def test_headers_are_unpacked_where_the_package_is_not_installed(self):
        self.machine(missing=("gnuradio-dev",))
        self.program("dpkg-deb", f'echo "dpkg-deb ${{2##*/}}" >> {self.done}')
        self.program("apt-get", APT.replace("DONE", str(self.done)) + 'case "$*" in "download gnuradio-dev") touch gnuradio-dev_1_amd64.deb ;; esac')
        code, said, done = self.run_command("setup", "bench")
        self.assertEqual((code, done[-2:]), (0, [" apt-get download gnuradio-dev", "dpkg-deb gnuradio-dev_1_amd64.deb"]), said)
        self.assertFalse([line for line in done if "Status-Fd" in line])
        self.assertEqual(self.run_command("setup", "bench")[1][:10], "setup: all")
        self.assertIn("gnuradio-dev", self.installed(self.run_command("setup", "build")[2]))

    def test_apt_that_fails_ends_it(self):
        for fails, commands in (("update", 1), ("print-uris", 2), ("Status-Fd", 3)):
            self.done.unlink(missing_ok=True)
            self.machine(missing=("cmake",), fails=fails)
            code, said, done = self.run_command("setup", "bench")
            self.assertEqual((code, len(done)), (1, commands), said)
            self.assertIn("setup: apt failed:\nE: ", said)
            self.assertIn("E: Unable to locate package foo\n", said)
            log = re.search(r"the whole output of apt is in (\S+)", said)[1]
            self.assertIn("Unable to locate", Path(log).read_text(encoding="utf-8"))
            self.assertNotIn("Setting up", said)

    def test_names_that_begin_like_others(self):
        self.machine(missing=("gnuradio", "stterm"))  # gnuradio-dev is there
        self.assertEqual(self.installed(self.run_command("setup")[2]), ["gnuradio", "stterm"])

    def test_a_terminal_comes_with_gnu_radio_only(self):
        self.machine(missing=("stterm", "help2man"))
        self.assertEqual(self.installed(self.run_command("setup")[2]), ["help2man"])

    def test_unexpected_words_are_refused(self):
        self.machine(missing=("cmake",))
        for words, fault in ((("setup", "--foo"), "setup: '--foo' is not a group; allowed: run, build, test, fpga, all"), (("setup", "run", "tests"), "'tests' is not a group"),
                             (("build", "--foo"), "build: '--foo' is not expected"), (("version", "--foo"), "version: '--foo' is not expected"),
                             (("package", "x"), "package: 'x' is not expected"), (("sap", "play"), "sap: expected: sap replay FILE"),
                             (("grc", "/nope.grc"), "grc: /nope.grc: no such file")):
            code, said, done = self.run_command(*words)
            self.assertEqual((code, done), (2, []), said)
            self.assertIn(fault, said)

    def test_who_asks_builds_nothing(self):
        self.machine(missing=("cmake",))
        for command in ("setup", "build", "test", "grc", "iq", "bench", "campaign", "curves"):
            done = self.launch(command, "--help")
            self.assertEqual((done.returncode in (0, 1), self.done.exists()), (True, False), (command, done.stderr))
        for command in ("setup", "build", "test", "package", "grc", "sap", "shell", "python", "version"):
            done = self.launch(command, "--help")
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertRegex(done.stdout, rf"^usage: \./wimax {command}\b")
        self.assertEqual(self.launch("iq", "--help").stderr, "wimax: wimax-iq is not built yet: ./wimax build\n")

    def test_what_is_built_runs_where_nothing_can_be_built(self):
        self.machine(missing=("cmake",), user=1000, sudo=False)  # and there is no ninja
        program = self.build / "bin" / "wimax-iq"
        program.parent.mkdir(parents=True)
        program.write_text('#!/bin/bash\necho "runs with $*"\n', encoding="utf-8")
        program.chmod(0o755)
        done = self.launch("iq", "decode", "--in", "x")
        self.assertEqual((done.stdout, done.stderr, self.done.exists()), ("runs with decode --in x\n", "", False))
        done = self.launch("link", "--rate", "1")
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("setup needs root", done.stderr)

    def test_no_module_comes_from_the_working_folder(self):
        """It may be /tmp, where another user has put one, and the command may run as root."""
        self.machine()
        for name in ("argparse.py", "json.py", "zmq.py", "wimax_tools.py"):
            (self.bin / name).write_text("raise SystemExit('a module of the working folder')\n", encoding="utf-8")
        for command in (("up", "--help"), ("down",), ("restart", "x"), ("status",), ("logs", "x"), ("ctl",), ("explain", "CINR"), ("bench", "--help"), ("clean-up", "--help")):
            done = self.launch(*command, cwd=self.bin)
            self.assertNotIn("working folder", done.stderr, command)
            self.assertNotIn("Traceback", done.stderr, command)
        for line in (SOURCE / "wimax").read_text(encoding="utf-8").splitlines():
            if '-m "wimax_tools' in line or "-m wimax_tools" in line:
                self.assertIn(" -P ", line)

    def test_the_python_of_gnu_radio(self):
        """The one that CMake has found; before a build the first one that knows GNU Radio."""
        self.machine()
        self.program("python3", 'echo "path: $*"')
        self.program("built-python", 'echo "built: $*"')
        first = self.launch("explain", "CINR").stdout
        self.assertTrue(first.startswith("path: -B -P -m wimax_tools.explain") or Path("/usr/bin/python3").exists(), first)
        self.build.mkdir()
        (self.build / "CMakeCache.txt").write_text(f"//of GNU Radio\nWIMAX_PYTHON:FILEPATH={self.bin}/built-python\n", encoding="utf-8")
        self.assertEqual(self.launch("explain", "CINR").stdout, "built: -B -P -m wimax_tools.explain CINR\n")

    def test_version(self):
        self.assertRegex(self.launch("--version").stdout, r"^wimax [0-9]+\.[0-9]+\.[0-9]+, commit (unknown|[0-9a-f]+\+?)\n$")

    def test_an_unknown_command(self):
        self.machine()
        self.assertEqual(self.run_command("fly"), (2, "wimax: unknown command 'fly'; ./wimax help lists the commands\n", []))
        for typed, meant in (("bnech", "bench"), ("statsu", "status"), ("channel", "channeld"), ("cleanup", "clean-up"), ("hepl", "help")):
            self.assertEqual(self.run_command(typed)[:2], (2, f"wimax: unknown command '{typed}'; did you mean '{meant}'? ./wimax help lists the commands\n"))

    def on_a_terminal(self, *arguments, **environment):
        """What the launcher prints there."""
        ours, terminal = os.openpty()
        with subprocess.Popen([SOURCE / "wimax", *arguments], stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal,
                              env={"PATH": str(self.bin), "HOME": "/", "TERM": "xterm", **environment}):
            os.close(terminal)
            text = b""
            with contextlib.suppress(OSError):  # of a terminal without a writer
                while part := os.read(ours, 65536):
                    text += part
        os.close(ours)
        return text.decode().replace("\r\n", "\n")

    def test_colours_on_a_terminal_only(self):
        self.machine()
        self.assertIn("\n\033[1mStart here\033[0m\n", self.on_a_terminal("help"))
        self.assertEqual(self.on_a_terminal("fly")[:20], "\033[31mwimax:\033[0m unkn")
        for environment in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            self.assertNotIn("\033", self.on_a_terminal("help", **environment) + self.on_a_terminal("fly", **environment))

    def test_help(self):
        listed = self.launch("help").stdout
        self.assertEqual((listed, listed.count("\033")), (self.launch().stdout, 0))
        headings = re.findall(r"^(\w.*)$", listed, re.M)
        self.assertEqual(headings[1:], ["Start here", "A running cell", "Signals, simulation, measurements", "Source tree", "Examples"])
        cases = re.findall(r"^  ([a-z|-]+)\)", (SOURCE / "wimax").read_text(encoding="utf-8").partition("asked=;")[2], re.M)
        commands = {name for case in cases for name in case.split("|")} - {"help", "python|shell"}
        told = {name for line in re.findall(r"^  ([a-z][a-z, -]*?) {2,}\S", listed, re.M) for name in line.split(", ")}
        self.assertEqual({name for name in commands if not name.startswith("-")} - told, set())

    def configured(self, *lines):
        self.program("ninja", f'[ ! -e {self.build}/up-to-date ] || {{ echo "ninja: no work to do."; exit; }}; echo "ninja $*" >> {self.done}; mkdir -p {self.build}/bin; for p in macd phyd sim link; do echo exit 0 > {self.build}/bin/wimax-$p; done')
        self.program("cmake", f'echo "cmake $*" >> {self.done}; mkdir -p {self.build}; touch {self.build}/build.ninja; cat > {self.build}/CMakeCache.txt <<T\n'
                     + "\n".join(lines) + "\nT")
        self.program("python3", "exit 0")

    def test_each_command_builds_what_it_runs(self):
        self.machine()
        self.configured("BUILD_TESTING:BOOL=OFF", "WIMAX_COMPONENTS:STRING=core", "ENABLE_PYTHON:BOOL=OFF", "WIMAX_PYTHON:FILEPATH=/bin/true")
        core = "wimax-macd wimax-phyd wimax-stationd wimax-channeld uhd_vrf"
        for command, options, targets in (
                (("bench", "--duration", "1"), "-G Ninja -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DWIMAX_COMPONENTS=core -DENABLE_PYTHON=OFF", core),
                (("bench",), None, core),
                (("bench", "--fpga"), "-DWIMAX_FPGA=ON", core),
                (("endurance",), "-DWIMAX_COMPONENTS=all", f"{core} wimax-sim"),
                (("repeat", str(SOURCE / "VERSION")), "-DWIMAX_COMPONENTS=all", f"{core} wimax-link wimax-sim wimax-acquisition wimax-iq"),
                (("results",), "-DWIMAX_COMPONENTS=all", f"{core} wimax-link wimax-sim wimax-acquisition wimax-speed"),
                (("build",), "-DBUILD_TESTING=ON -DWIMAX_COMPONENTS=all -DENABLE_PYTHON=ON", "")):
            self.done.unlink(missing_ok=True)
            done = self.launch(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
            lines = self.done.read_text(encoding="utf-8").splitlines()
            wanted = [f"cmake -S {SOURCE} -B {self.build} {options}"] if options else []
            self.assertEqual([re.sub(r"--quiet |-C \S+ ?", "", line).rstrip() for line in lines], wanted + [f"ninja {targets}".rstrip()])

    def test_what_is_up_to_date_is_started_in_silence(self):
        self.machine()
        self.configured("WIMAX_PYTHON:FILEPATH=/bin/true", "WIMAX_COMPONENTS:STRING=core")
        self.launch("bench")
        self.done.unlink()
        (self.build / "up-to-date").touch()
        (self.build / "bin/wimax-macd").chmod(0o755)
        done = self.launch("bench")
        self.assertEqual((done.returncode, done.stdout + done.stderr, self.done.exists()), (0, "", False))

    def test_options_of_the_environment(self):
        self.machine(missing=("verilator",))
        self.configured("WIMAX_PYTHON:FILEPATH=/bin/true", "WIMAX_FPGA:STRING=AUTO", "WIMAX_WERROR:BOOL=OFF", "WIMAX_COMPONENTS:STRING=core")
        for environment, option, installs in (({"WIMAX_FPGA": "ON"}, "-DWIMAX_FPGA=ON", True), ({"WIMAX_FPGA": "OFF"}, "-DWIMAX_FPGA=OFF", False),
                                              ({"WIMAX_WERROR": "ON"}, "-DWIMAX_WERROR=ON", False), ({"WIMAX_WERROR": "OFF"}, None, False)):
            self.launch("bench")  # configures
            self.done.unlink()
            ran = self.launch("bench", **environment)
            self.assertEqual(ran.returncode, 0, ran.stderr)
            done = self.done.read_text(encoding="utf-8")
            self.assertEqual(re.findall(r"^cmake .* (-D\S+)$", done, re.M), [option] if option else [])
            self.assertEqual("Status-Fd=3 verilator" in done, installs)

    def test_a_build_folder_is_not_taken_back(self):
        self.machine()
        self.configured()
        self.build.mkdir()
        (self.build / "build.ninja").touch()
        (self.build / "CMakeCache.txt").write_text("BUILD_TESTING:BOOL=ON\nWIMAX_COMPONENTS:STRING=all\nENABLE_PYTHON:BOOL=ON\n", encoding="utf-8")
        for command in ("bench", "build"):
            self.launch(command)
        self.assertNotIn("cmake", self.done.read_text(encoding="utf-8"))

    def test_the_parts_of_the_tests(self):
        """All are run and timed; one that fails is named at the end, and in the exit status."""
        self.machine()
        self.configured()
        for tool in ("nproc", "wc"):
            (self.bin / tool).symlink_to(shutil.which(tool))
        for python in ("campaign-python", "cocotb-python"):
            (self.build / python / "bin").mkdir(parents=True)
            (self.build / python / "bin/python").symlink_to("/bin/true")
        for fails, count, status in (("nothing", 5, 0), ("-L stack", 5, 1), ("-LE stack", 5, 1), ("nothing", 0, 2)):
            self.done.unlink(missing_ok=True)
            self.program("ctest", f'echo "ctest $*" >> {self.done}; case "$*" in *" -N "*) echo "Total Tests: {count}" ;; *"{fails}"*) exit 8 ;; esac')
            code, said, done = self.run_command("test", "-R", "x")
            self.assertEqual(code, status, said)
            self.assertEqual(len(re.findall(r"^test: part \d of 6: (?:passed|FAILED) after \d+ s$", said, re.M)), 6, said)
            self.assertEqual(sum(line.startswith("ctest") and " -N " not in line for line in done), 3 if count else 0)
            self.assertRegex(said, {0: r"test: all 6 parts passed in \d+ s, 15 tests\n$", 1: r"test: 1 of 6 parts failed in \d+ s:\n  (unit|tests of the whole stack).*\n$",
                                    2: r"test: no test matches: -R x\n$"}[status])
        self.assertIn("-DWIMAX_FPGA=ON", "".join(done))
        self.done.unlink()
        self.launch("test", WIMAX_FPGA="OFF")
        self.assertIn("-DWIMAX_FPGA=OFF", self.done.read_text(encoding="utf-8"))

    def test_a_shell_in_a_station(self):
        self.machine()
        spaces = "wmx77-bs\nwmx77-ss1 (id: 1)\nwimax-ss1 (id: 0)\nother"
        self.program("ip", f'case "$*" in "netns list") printf "{spaces}\\n" ;; *) echo "ip $*" ;; esac')
        for words, code, said in ((("bs", "ping", "-c", "1"), 0, "ip netns exec wmx77-bs ping -c 1\n"), (("wimax-ss1", "id"), 0, "ip netns exec wimax-ss1 id\n"),
                                  (("other", "id"), 0, "ip netns exec other id\n"),
                                  (("ss1",), 2, "wimax: shell: 'ss1' runs more than once; give one of the namespaces: wmx77-ss1 wimax-ss1\n"),
                                  (("ss2",), 2, "wimax: shell: no station 'ss2' runs on this machine; running: bs ss1 ss1\n"),
                                  ((), 2, "wimax: shell: STATION is missing; running: bs ss1 ss1\n")):
            done = self.launch("shell", *words)
            self.assertEqual((done.returncode, done.stdout + done.stderr), (code, said))
        self.program("ip", "exit 0")
        done = self.launch("shell", "bs")
        self.assertEqual((done.returncode, done.stderr), (1, "wimax: shell: no station runs on this machine; start some with: sudo ./wimax up\n"))


class Completion(unittest.TestCase):
    """In a source tree; of values that no help text lists. Both shells, where zsh is installed."""
    SHELLS = {"bash": ("--norc", "-c", ". cmake/completion.bash"), "zsh": ("-f", "-c", "autoload -U compinit; compinit -D; . cmake/completion.zsh")}

    def completed(self, shell, *words):
        words = ["./wimax", *words]
        *options, load = self.SHELLS[shell]
        line = f"{load}; f() {{ {'emulate -L sh; ' * (shell == 'zsh')}COMP_WORDS=({' '.join(word or repr('') for word in words)}); COMP_CWORD={len(words) - 1}; " \
               "_wimax_complete; echo \"${COMPREPLY[@]}\"; }; f"
        with tempfile.TemporaryDirectory() as run:
            for name in ("bs.macd", "channeld"):
                Path(run, f"{name}.ctl").touch()
            Path(run, "ip").write_text("#!/bin/sh\necho 'wimax-ss1 (id: 0)'; echo wmx9-ss2; echo other\n", encoding="utf-8")
            Path(run, "ip").chmod(0o755)
            done = subprocess.run([shell, *options, line], cwd=SOURCE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60,
                                  env={"PATH": f"{run}:{os.environ['PATH']}", "WIMAX_RUN": run, "HOME": run})
        self.assertEqual(done.stderr, "", (shell, words))
        return done.stdout.split()

    def test_values(self):
        for shell in filter(shutil.which, self.SHELLS):
            self.assertEqual(self.completed(shell, "bench", "--channel", "ped"), ["pedestrian-a", "pedestrian-b"])
            self.assertEqual(self.completed(shell, "bench", "--channel", "=", "ped"), ["pedestrian-a", "pedestrian-b"])
            self.assertEqual(self.completed(shell, "bench", "--mode", ""), ["paced", "free", "rt"])
            self.assertLessEqual({"A1", "D3", "all"}, set(self.completed(shell, "bench", "--experiment", "")))
            self.assertEqual(self.completed(shell, "logs", ""), ["bs.macd", "channeld"])
            self.assertEqual(self.completed(shell, "ctl", "ch"), ["channeld"])
            self.assertEqual(self.completed(shell, "shell", ""), ["ss1", "ss2"])
            self.assertEqual(self.completed(shell, "explain", "CIN"), ["CINR"])
            self.assertEqual(self.completed(shell, "explain", "CID"), ["CID"])
            self.assertEqual(self.completed(shell, "explain", "cyc"), ["cyclic-prefix"])
            self.assertEqual(self.completed(shell, "explain", "Wo"), [])  # "Words of the consoles" is a heading
            self.assertEqual(self.completed(shell, "setup", "f"), ["fpga"])
            self.assertEqual(self.completed(shell, "up", "config/c"), ["config/channeld.yml"])
            self.assertEqual(self.completed(shell, "grc", "flowgraphs/loop"), ["flowgraphs/loopback.grc"])
            self.assertEqual(self.completed(shell, "dow"), ["down"])

    def test_lists_are_those_of_the_tools(self):
        sys.path.insert(0, str(SOURCE / "apps/tools/python"))
        from wimax_tools.bench.profiles import CHANNELS, Profile
        from wimax_tools.bench.cable import names
        text = (SOURCE / "cmake/completion.bash").read_text(encoding="utf-8")
        self.assertEqual(re.search(r'^_wimax_channels="(.*)"', text, re.M)[1].split(), CHANNELS)
        for profile in re.search(r'^_wimax_profiles="(.*)"', text, re.M)[1].split():
            Profile.parse(profile)
        for model in re.search(r"--personality\) echo (.*) ;;", text)[1].split():
            names(model)


HERE = "-".join(platform.freedesktop_os_release().get(key, "") for key in ("ID", "VERSION_ID"))


class Release(unittest.TestCase):
    """cmake/release.sh in a made-up source tree."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-release-")
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name)
        (self.tree / "cmake").mkdir()
        shutil.copy(SOURCE / "cmake/release.sh", self.tree / "cmake")
        self.write("VERSION", "1.2.3\n")
        self.write("CITATION.cff", "version: 1.2.3\n")
        self.write("CHANGELOG.md", "# Changelog\n\n## 1.2.3 - 2026-11-26\n")
        self.write(".gitignore", "/build-*/\n")
        self.write("wimax", "#!/bin/sh\nmkdir -p build-package && echo made > build-package/wimax_1.2.3_amd64.deb && echo made > build-package/wimax-dbgsym_1.2.3_amd64.ddeb\n")
        (self.tree / "wimax").chmod(0o755)
        (self.tree / "build-package").mkdir()
        self.write("build-package/wimax_1.2.2_amd64.deb", "of an earlier version")
        self.git("init", "--quiet")
        self.commit()

    def write(self, name, text):
        (self.tree / name).write_text(text, encoding="utf-8")

    def git(self, *arguments):
        return subprocess.run(["git", "-c", "user.name=x", "-c", "user.email=x", *arguments], cwd=self.tree, stdout=subprocess.PIPE, text=True, check=True).stdout

    def commit(self):
        self.git("add", ".")
        self.git("commit", "--quiet", "--allow-empty", "--message=x")

    def release(self, *arguments):
        done = subprocess.run([self.tree / "cmake/release.sh", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout

    def test_makes_tarball_packages_and_sums(self):
        self.assertEqual(self.release()[0], 0)
        folder = self.tree / "build-release/wimax-1.2.3"
        files = {"wimax-1.2.3.tar.gz", f"{HERE}/wimax_1.2.3_amd64.deb", f"{HERE}/wimax-dbgsym_1.2.3_amd64.ddeb"}
        self.assertEqual({str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}, files | {"SHA256SUMS"})
        checked = subprocess.run(["sha256sum", "--check", "SHA256SUMS"], cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(set(checked.splitlines()), {f"{name}: OK" for name in files})
        listed = subprocess.run(["tar", "-tf", folder / "wimax-1.2.3.tar.gz"], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertIn("wimax-1.2.3/VERSION\n", listed)
        self.assertIn("exists", self.release()[1])

    def test_refuses_what_does_not_agree(self):
        for name, text, fault in (("VERSION", "1.2\n", "VERSION: '1.2' is not of the form 1.2.3"),
                                  ("VERSION", "1.2.4\n", "CITATION.cff has version '1.2.3', VERSION has '1.2.4'"),
                                  ("CHANGELOG.md", "## Unreleased\n\n## 1.2.3 - 2026-11-26\n", "the first section of CHANGELOG.md is '## Unreleased'; it must be '## 1.2.3 - "),
                                  ("CHANGELOG.md", "## 1.2.2 - 2026-11-26\n", "the first section of CHANGELOG.md is '## 1.2.2 - 2026-11-26'"),
                                  ("CHANGELOG.md", "# Changelog\n", "the first section of CHANGELOG.md is ''")):
            before = (self.tree / name).read_text(encoding="utf-8")
            self.write(name, text)
            code, said = self.release()
            self.assertEqual(code, 1)
            self.assertIn("changes that are not committed:\n M " + name if name != "VERSION" or text != "1.2\n" else fault, said)
            self.commit()
            code, said = self.release()
            self.assertEqual(code, 1)
            self.assertIn(fault, said)
            self.write(name, before)
            self.commit()
        self.assertFalse((self.tree / "build-release").exists())
        for words in (("--now",), ("a", "b")):
            self.assertEqual(self.release(*words)[0], 2)

    def test_a_snapshot_is_named_by_its_commit(self):
        self.write("CHANGELOG.md", "## Unreleased\n")
        self.commit()
        self.assertEqual(self.release("--snapshot", "made")[0], 0)
        self.assertTrue((self.tree / f"made/wimax-1.2.3-g{self.git('rev-parse', '--short', 'HEAD').strip()}.tar.gz").is_file())


class Container(unittest.TestCase):
    """The lines to type are the same wherever they are printed; docker's has the capabilities and devices of podman's."""

    def test_lines(self):
        text = {name: (SOURCE / name).read_text(encoding="utf-8") for name in ("docs/installing.md", "cmake/setup.sh", "cmake/Containerfile", "docs/testing.md")}
        lines = {name: {line.strip("# ").removeprefix("sudo ").rstrip("'") for line in content.splitlines() if re.match(r"[# ]+(sudo )?podman (build|run) ", line)} for name, content in text.items()}
        self.assertEqual(len(lines["docs/installing.md"]), 2)
        for name, found in lines.items():
            self.assertLessEqual(lines["docs/installing.md"], found, name)
        docker = {line.strip() for line in text["docs/installing.md"].splitlines() if line.startswith("    docker ")}
        podman = {re.sub(r"--cap-add (\S+)", lambda caps: " ".join(f"--cap-add {cap}" for cap in caps[1].split(",")), line).replace("podman", "docker") for line in lines["docs/installing.md"]}
        self.assertEqual({line.replace("--security-opt apparmor=unconfined ", "") for line in docker}, podman)


if __name__ == "__main__":
    unittest.main()
