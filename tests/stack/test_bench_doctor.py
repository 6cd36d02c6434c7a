# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax doctor` on machines that lack nothing, everything, or one thing."""
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import doctor
from wimax_tools.command_line import coloured

REPOSITORY = Path(__file__).resolve().parents[2]
MODULE = "/build/uhd-modules/libuhd_vrf.so"


class Machine:
    """What the doctor asks about; by default all is well."""

    def __init__(self, **changes):
        self.root, self.programs, self.files = True, {"iperf3", "ip", "cmake", "ninja", "protoc", "capsh", "uhd_config_info"}, {"/dev/net/tun"}
        self.says = {"-dumpfullversion": (0, "12.2.0"), "c++ --version": (0, "c++ (Debian 12.2.0) 12.2.0"), "gr.version()": (0, "noise\n3.10.5.1"), "wimax.__file__": (0, "/build/python/wimax.py"), "uhd_config_info": (0, "UHD 4.3.0.0"),
                     "ldd": (0, "libc.so.6 => found"), "capsh": (0, "Current: =ep cap_net_admin\nOther: none"),
                     "netns add": (0, ""), "netns delete": (0, "")}
        self.libraries = {"uhd": "libuhd.so.4.8.0", "gnuradio-runtime": "libgnuradio-runtime.so.3.10.5"}
        self.modules, self.governors, self.cores = [MODULE], ["performance", "performance"], 2
        self.cpuinfo = "processor : 0\nflags\t\t: fpu sse4_1 avx2\n"
        self.asked = []
        for name, value in changes.items():
            setattr(self, name, value)

    def run(self, *command):
        self.asked.append(" ".join(command))
        return next(answer for words, answer in self.says.items() if words in self.asked[-1])

    def glob(self, pattern):
        return self.modules if pattern == "/build/uhd-modules/*.so" else [f"governor{i}" for i, _ in enumerate(self.governors)]

    def open(self, name, **_):
        return io.StringIO(self.cpuinfo if name == "/proc/cpuinfo" else self.governors[int(name[-1])] + "\n")

    def lacks(self, checks):
        return self.ask(lambda: doctor.faults_for(checks))

    def examine(self):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            return self.ask(doctor.main), out.getvalue().splitlines()

    def ask(self, question):
        with mock.patch.object(doctor, "run", self.run), mock.patch.object(doctor.glob, "glob", self.glob), \
                mock.patch.object(doctor.shutil, "which", lambda name: name if name in self.programs else None), \
                mock.patch.object(doctor.ctypes.util, "find_library", self.libraries.get), \
                mock.patch.object(doctor.os.path, "exists", self.files.__contains__), \
                mock.patch.object(doctor.os, "geteuid", lambda: 0 if self.root else 1000), \
                mock.patch.object(doctor.os, "cpu_count", lambda: self.cores), \
                mock.patch.dict(doctor.os.environ, UHD_MODULE_PATH="/build/uhd-modules"), \
                mock.patch("builtins.open", self.open):
            return question()


class Doctor(unittest.TestCase):
    def test_all_well(self):
        machine = Machine()
        self.assertEqual(machine.examine(), (0, [
            "ok     programs all there", "ok     compiler GCC 12.2.0", "ok     GNU Radio 3.10.5.1", "ok     UHD 4.3.0.0", "ok     Python module gnuradio.wimax /build/python/wimax.py",
            "ok     virtual radio module libuhd_vrf.so", "ok     right to create TUN interfaces (CAP_NET_ADMIN)",
            "ok     network namespaces", "ok     CPU: 2 cores, best SIMD avx2", "ok     CPU frequency governor performance", "all checks passed"]))
        added, deleted = (command for command in machine.asked if "netns" in command)
        self.assertEqual(added.replace("add", "delete"), deleted)

    def test_one_fault_and_the_line_to_type(self):
        says = lambda **changed: {"says": {**Machine().says, **{k.replace("_", " "): v for k, v in changed.items()}}}  # noqa: E731
        for changes, line, cure in (
                ({"programs": Machine().programs - {"ninja", "ip"}}, "programs missing: ip ninja", "./wimax setup"),
                (says(**{"-dumpfullversion": (0, "11.4.0")}), "compiler GCC 11.4.0; 12 or later is needed", "apt-get install g++-12"),
                (says(**{"-dumpfullversion": (0, "13.0.1"), "c++ --version": (1, "")}) | {"cores": 1}, "CPU: 1 cores, best SIMD avx2", "two cores"),
                (says(**{"-dumpfullversion": (1, "no such file")}), "compiler GCC was not found", "apt-get install g++-12"),
                (says(**{"gr.version()": (0, "3.8.2")}), "GNU Radio 3.8.2; 3.10 is needed", "./wimax setup"),
                (says(**{"gr.version()": (0, "3.100.1")}), "GNU Radio 3.100.1; 3.10 is needed", "./wimax setup"),
                (says(**{"gr.version()": (1, "3.10 No module")}) | {"libraries": {}}, "GNU Radio 3.10 No module", "./wimax setup"),
                (says(**{"gr.version()": (1, "No module")}) | {"libraries": {"gnuradio-runtime": "libgnuradio-runtime.so.3.9.8"}},
                 "GNU Radio 3.9.8, without its Python modules", "./wimax setup"),
                ({"says": {**Machine().says, "uhd_config_info": (1, "broken")}}, "UHD broken", "./wimax setup"),
                ({"modules": []}, "virtual radio: no module in '/build/uhd-modules'", "./wimax build"),
                (says(ldd=(0, "a\nundefined symbol: b\nlibc => not found\nundefined c")),
                 "virtual radio module libuhd_vrf.so undefined symbol: b; libc => not found", "./wimax build"),
                ({"files": set()}, "no /dev/net/tun", "sudo modprobe tun"),
                (says(netns_add=(1, "not permitted")), "network namespaces not permitted", "apt-get install iproute2"),
                ({"cores": 1}, "CPU: 1 cores, best SIMD avx2", "two cores with SSE4.1"),
                ({"cpuinfo": "Features : fp crc32\n"}, "CPU: 2 cores, best SIMD none", "two cores with SSE4.1"),
                ({"cpuinfo": "flags : fpu mmx\n"}, "CPU: 2 cores, best SIMD none", "two cores with SSE4.1"),
                ({"cpuinfo": ""}, "CPU: 2 cores, best SIMD none", "two cores with SSE4.1")):
            code, lines = Machine(**changes).examine()
            at = lines.index(f"FAULT  {line}")
            self.assertTrue(lines[at + 1].startswith(f"       type: {cure}"), lines[at + 1])
            self.assertEqual((code, lines[-1], len(lines)), (1, "1 fault(s)", 12))

    def test_without_root(self):
        code, lines = Machine(root=False).examine()
        self.assertEqual((code, lines[-1]), (1, "1 fault(s)"))
        self.assertIn("FAULT  right to create network namespaces", lines)
        self.assertIn("ok     right to create TUN interfaces (CAP_NET_ADMIN)", lines)
        code, lines = Machine(root=False, says={**Machine().says, "capsh": (0, "Current: =\ncap_net_admin")}).examine()
        self.assertIn("FAULT  right to create TUN interfaces (CAP_NET_ADMIN)", lines)
        self.assertEqual(lines[-1], "2 fault(s)")

    def test_best_instruction_set(self):
        for flags, best in (("avx512f avx2", "avx2"), ("avx512bw avx2", "avx512bw"), ("sse4_1 ssse3", "sse4_1")):
            self.assertIn(f"ok     CPU: 8 cores, best SIMD {best}", Machine(cores=8, cpuinfo=f"flags : {flags}\n").examine()[1])

        for features, best in (("fp asimd crc32", "NEON"), ("fp asimd sve", "SVE, used as NEON"), ("half thumb neon vfpv4", "NEON")):
            code, lines = Machine(cores=4, cpuinfo=f"processor : 0\nFeatures\t: {features}\n").examine()
            self.assertEqual(code, 0)
            self.assertIn(f"ok     CPU: 4 cores, best SIMD {best}", lines)

    def test_without_python_of_gnu_radio(self):
        """What `./wimax bench` installs has the libraries alone."""
        code, lines = Machine(says={**Machine().says, "gr.version()": (1, "No module named gnuradio"), "wimax.__file__": (1, "No module named wimax")}).examine()
        self.assertEqual((code, lines[-1]), (0, "all checks passed"))
        self.assertIn("ok     GNU Radio 3.10.5, without its Python modules", lines)
        at = lines.index("note   Python module gnuradio.wimax No module named wimax")
        self.assertEqual(lines[at + 1], "       type: ./wimax build")

    def test_colours_on_a_terminal_only(self):
        terminal, pipe = mock.Mock(isatty=lambda: True), mock.Mock(isatty=lambda: False)
        with mock.patch.dict(os.environ, TERM="xterm"):
            os.environ.pop("NO_COLOR", None)
            self.assertEqual((coloured("FAULT", "red", terminal), coloured("FAULT", "red", pipe)), ("\033[1;31mFAULT\033[0m", "FAULT"))
            with mock.patch.dict(os.environ, NO_COLOR="1"):
                self.assertEqual(coloured("FAULT", "red", terminal), "FAULT")
            with mock.patch.dict(os.environ, TERM="dumb"):
                self.assertEqual(coloured("FAULT", "red", terminal), "FAULT")

    def test_what_the_bench_needs(self):
        self.assertEqual(Machine(programs={"iperf3", "ping"}).lacks([doctor.check_bench_programs, doctor.check_tun]),
                         ["programs missing: ip tcpdump; type: ./wimax setup"])
        self.assertEqual(Machine(files=set()).lacks([doctor.check_tun]), ["no /dev/net/tun; type: sudo modprobe tun"])
        self.assertEqual(Machine(programs={"iperf3", "ip", "ping", "tcpdump"}).lacks([doctor.check_bench_programs]), [])

    def test_where_it_is_installed_nothing_is_built(self):
        with mock.patch.object(doctor.provenance, "INSTALLED", True):
            self.assertEqual(Machine(programs={"iperf3", "ip", "uhd_config_info"}).examine()[0], 0)
            self.assertEqual(Machine(programs={"iperf3"}).lacks([doctor.check_programs]), [f"programs missing: ip; type: {doctor.provenance.INSTALL_AGAIN}"])
            code, lines = Machine(root=False).examine()
            self.assertIn("       type: sudo wimax bench", lines)
            self.assertNotIn("./wimax", doctor.provenance.INSTALL_AGAIN + "".join(lines))

    def test_daemons_that_are_not_built(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, WIMAX_BUILD_DIR=folder):
            (Path(folder) / "bin").mkdir()
            for name in ("wimax-channeld", "wimax-macd", "wimax-stationd"):
                (Path(folder) / "bin" / name).touch(0o755)
            self.assertEqual(doctor.faults_for([doctor.check_built]), ["daemons missing: wimax-phyd; type: ./wimax build"])

    def test_the_governor_is_advice(self):
        code, lines = Machine(governors=["performance", "powersave"]).examine()
        self.assertEqual((code, lines[-1]), (0, "all checks passed"))
        self.assertIn(lines[-3], ("note   CPU frequency governor performance, powersave", "note   CPU frequency governor powersave, performance"))
        self.assertIn("ok     CPU frequency governor not visible (virtual machine)", Machine(governors=[]).examine()[1])

    def test_uhd_without_its_tool(self):
        """Whatever its version is."""
        programs = Machine().programs - {"uhd_config_info"}
        self.assertIn("ok     UHD 4.8.0", Machine(programs=programs).examine()[1])
        self.assertIn("FAULT  UHD was not found", Machine(programs=programs, libraries={}).examine()[1])

    def test_commands(self):
        self.assertEqual(doctor.run("sh", "-c", "echo out; echo err >&2; exit 3"), (3, "out\nerr"))
        code, said = doctor.run("/nonexistent")
        self.assertEqual((code, "/nonexistent" in said), (1, True))
        with mock.patch.object(doctor.subprocess, "run", side_effect=subprocess.TimeoutExpired("uhd", 30)) as asked:
            code, said = doctor.run("uhd")
        self.assertEqual((code, "timed out after 30 seconds" in said, asked.call_args[1]["timeout"]), (1, True, 30))

    def test_a_machine_that_has_nothing(self):
        done = subprocess.run([sys.executable, "-m", "wimax_tools.bench.doctor"], stdout=subprocess.PIPE, text=True,
                              env={"PATH": "/nonexistent", "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(REPOSITORY / "apps/tools/python")}, check=False)
        lines = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1)
        faults = [i for i, line in enumerate(lines) if line.startswith(("FAULT", "note"))]
        self.assertTrue(any("programs missing: iperf3 ip cmake ninja protoc" in lines[i] for i in faults))
        self.assertTrue(any(line.startswith("note   Python module") for line in lines))
        self.assertTrue(any("virtual radio" in lines[i] for i in faults))
        for i in faults:
            self.assertTrue(lines[i + 1].strip().startswith("type: "), lines[i])


if __name__ == "__main__":
    unittest.main()
