# SPDX-License-Identifier: GPL-3.0-or-later
"""What `cmake --install` puts below a prefix, as a user meets it: moved somewhere else, without any variable of the environment.
Argument: the build folder."""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1]
BUILD = Path(sys.argv.pop(1)).resolve()
PROGRAMS = {f"wimax-{name}" for name in ("acquisition", "channeld", "iq", "link", "macd", "pdu", "phyd", "radio", "sim", "speed", "stationd")}
SIGNAL = {"direction": "downlink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "20E9FA102240", "frame_number": 9, "change_count": 1,
          "lead_in_samples": 500, "tail_samples": 500, "bursts": [{"rate_id": 3, "data_symbols": 2, "payload": "8D" * 95}]}
CLEAN_SHELL = ["/usr/bin/env", "-i", "/bin/bash", "--norc", "-c"]


def contents(folder):
    return {str(path.relative_to(folder)): os.lstat(path).st_mtime_ns for path in sorted(folder.rglob("*"))}


def is_program(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


class Installed(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        holder = tempfile.TemporaryDirectory(prefix="wimax-installed-")
        cls.addClassCleanup(holder.cleanup)
        first, cls.prefix, cls.work = (Path(holder.name, name) for name in ("first", "moved", "work"))
        cls.work.mkdir()
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", first], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        assert done.returncode == 0, done.stdout[-2000:]
        first.rename(cls.prefix)
        cls.before = contents(cls.prefix)
        cls.wimax = cls.prefix / "bin/wimax"

    def tearDown(self):
        self.assertEqual(sorted(set(contents(self.prefix).items()) ^ set(self.before.items())), [], "an installed tree is not written to")

    def run_clean(self, *command, code=0, text=None):
        """With an empty environment."""
        done = subprocess.run(["/usr/bin/env", "-i", *map(str, command)], cwd=self.work, input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              timeout=60, check=False)
        self.assertEqual(done.returncode, code, f"{command}: {done.stdout}{done.stderr}")
        return done.stdout + done.stderr

    def python(self, program):
        """In the environment that the launcher makes."""
        return self.run_clean("/bin/bash", "-c", f'top={self.prefix}/bin; set --; say() {{ :; }}; usage() {{ :; }}; '
                              f'. {self.prefix}/share/wimax/installed.sh; environment; exec /usr/bin/python3 -B -', text=program)

    def test_all_programs_run_by_themselves(self):
        programs = {path.name for path in (self.prefix / "bin").iterdir()}
        self.assertEqual(programs - {"wimax"}, PROGRAMS)
        for name in sorted(programs):
            self.assertIn("usage: ", self.run_clean(self.prefix / "bin" / name, "--help").lower(), name)

    def test_libraries_are_found_without_loader_settings(self):
        binaries = [path for path in self.prefix.rglob("*") if path.is_file() and is_program(path)]
        self.assertGreaterEqual(len(binaries), len(PROGRAMS) + 3)
        for binary in binaries:
            listed = self.run_clean("/usr/bin/ldd", binary)
            self.assertNotIn("not found", listed, binary)
            self.assertNotIn(str(BUILD), listed, binary)

    def test_version_and_commit(self):
        said = self.run_clean(self.wimax, "version")
        self.assertRegex(said, r"^wimax \d+\.\d+\.\d+, commit ([0-9a-f]{7}\+?|unknown)\n$")
        self.assertEqual(self.python("from wimax_tools import provenance; print(provenance.commit())").strip(), said.rsplit(" ", 1)[1].strip())
        number = said.split()[1].rstrip(",")
        self.assertIn(number, self.run_clean(self.prefix / "bin/wimax-macd", "--version"))
        self.assertEqual(self.python("from wimax_tools import provenance; print(provenance.version())").strip(), number)

    def test_words_are_explained(self):
        self.assertIn("CINR: ", self.run_clean(self.wimax, "explain", "cinr"))

    def test_a_signal_is_generated_and_decoded(self):
        (self.work / "a.spec").write_text(json.dumps(SIGNAL), encoding="utf-8")
        self.run_clean(self.wimax, "iq", "generate", "--spec", "a.spec", "--out", "a.cf32")
        self.run_clean(self.wimax, "iq", "decode", "--in", "a.cf32", "--spec", "a.spec", "--json", "a.json", "--report", "page")
        frames = json.loads((self.work / "a.json").read_text(encoding="utf-8"))["frames"]
        self.assertEqual([burst["payload"] for frame in frames for burst in frame["bursts"]], ["8D" * 95])
        self.assertTrue((self.work / "page/index.html").is_file())

    def test_the_doctor_finds_what_is_installed(self):
        done = subprocess.run(["/usr/bin/env", "-i", self.wimax, "doctor"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        self.assertRegex(done.stdout, rf"ok +Python module gnuradio.wimax {re.escape(str(self.prefix))}/lib")
        self.assertRegex(done.stdout, r"ok +virtual radio module libuhd_vrf.so")
        self.assertNotIn("./wimax", done.stdout)
        self.assertNotIn("cmake", done.stdout)

    def test_uhd_finds_the_virtual_radio(self):
        found = self.run_clean("/bin/bash", "-c", f"UHD_MODULE_PATH={self.prefix}/lib/wimax/uhd-modules HOME={self.work} uhd_find_devices --args=type=vrf")
        self.assertIn("type: vrf", found)

    def test_what_needs_sources_is_refused_and_not_listed(self):
        listed = self.run_clean(self.wimax, "help")
        for command in ("setup", "build", "test", "mutation", "curves"):
            self.assertIn(f"'{command}' is for a source tree", self.run_clean(self.wimax, command, code=2))
            self.assertNotRegex(listed, rf"\n  {command} ")
        self.assertRegex(listed, r"\n  bench ")
        self.assertNotIn("./wimax", listed)

    def test_the_dashboard_is_generated(self):
        board = json.loads((self.prefix / "share/wimax/config/monitoring/grafana.json").read_text(encoding="utf-8"))
        self.assertEqual(board["title"], "WiMAX cell")

    def test_daemons_take_the_installed_configurations(self):
        for folder in (self.prefix / "etc/wimax", self.prefix / "share/wimax/config"):
            for name in ("channeld", "bs.macd", "bs.phyd", "ss.macd", "ss.phyd"):
                self.run_clean(self.wimax, name.rpartition(".")[2], "--config", folder / f"{name}.yml", "--dry-run")

    def test_every_module_of_the_package_is_whole(self):
        folder = self.prefix / "share/wimax/python"
        modules = sorted(".".join(path.relative_to(folder).with_suffix("").parts) for path in folder.rglob("*.py")
                         if path.stem != "__main__" and "examples" not in path.parts)  # those are scripts
        self.assertGreater(len(modules), 40)
        self.assertEqual([name for name in modules if ".test_" in name], [])
        self.python(f"import importlib\nfor name in {modules}: importlib.import_module(name)")
        self.python("from wimax_tools.bench import experiment, studies\nfor name in studies.EXPERIMENTS: experiment.description(name)")

    def test_blocks_in_python_and_companion(self):
        self.python("from gnuradio import wimax; wimax.downlink_source")
        blocks = {path.name for path in (self.prefix / "share/gnuradio/grc/blocks").iterdir()}
        self.assertIn("wimax_ss_receiver.block.yml", blocks)
        self.assertTrue((self.prefix / "share/wimax/flowgraphs/loopback.grc").is_file())

    def test_units_name_what_is_there(self):
        units = list((self.prefix / "lib/systemd/system").iterdir())
        self.assertEqual({unit.name for unit in units}, {"wimax-channeld.service", "wimax-macd@.service", "wimax-metrics.service", "wimax-phyd@.service"})
        metrics = next(unit for unit in units if "metrics" in unit.name)
        self.assertRegex(metrics.read_text(encoding="utf-8"), r"(?m)^ExecStart=\S+/bin/wimax metrics$")
        units.remove(metrics)  # the others have a configuration
        for unit in units:
            program, config = re.search(r"^ExecStart=\S+/(bin/\S+) --config \S+/(etc/wimax/\S+) ", unit.read_text(encoding="utf-8"), re.M).groups()
            self.assertTrue((self.prefix / program).is_file() and (self.prefix / config.replace("%i", "bs")).is_file(), unit.name)

    def test_units_run_as_a_user_with_few_capabilities(self):
        account = (self.prefix / "lib/sysusers.d/wimax.conf").read_text(encoding="utf-8")
        self.assertRegex(account, r"(?m)^u wimax - ")
        for unit in (self.prefix / "lib/systemd/system").iterdir():
            text = unit.read_text(encoding="utf-8")
            settings = dict(re.findall(r"(?m)^(User|Group|CapabilityBoundingSet|AmbientCapabilities)=(.*)$", text))
            wanted = {"User": "wimax", "Group": "wimax", "CapabilityBoundingSet": ""}
            if "macd" in unit.name:
                wanted.update(dict.fromkeys(("CapabilityBoundingSet", "AmbientCapabilities"), "CAP_NET_ADMIN CAP_SYS_ADMIN"))
            self.assertEqual(settings, wanted, unit.name)
            self.assertRegex(text, r"(?m)^Environment=WIMAX_RUN=%t/wimax-units .*\n(?s:.*)^RuntimeDirectory=wimax-units$", unit.name)

    def test_packages_bring_what_the_tools_need(self):
        """The package depends on what the launcher installs to run a cell, and recommends what it installs for pictures and reports."""
        rows = [line.split() for line in (SOURCE / "cmake/packages.txt").read_text(encoding="utf-8").splitlines() if line]
        text = (SOURCE / "cmake/WimaxPackages.cmake").read_text(encoding="utf-8")
        for group, field in (("run", "DEPENDS"), ("plots", "RECOMMENDS")):
            wanted = {row[1] for row in rows if row[0] == group}
            stated = re.search(rf'_DEBIAN_WIMAX_PACKAGE_{field} "([^"]*)"', text)[1]
            self.assertGreater(len(wanted), 2)
            self.assertEqual(wanted - {words.split()[0] for words in stated.split(",")}, set(), field)

    def test_manual(self):
        pages = {path.name for path in (self.prefix / "share/man/man1").iterdir()}
        self.assertLessEqual({f"{name}.1.gz" for name in PROGRAMS | {"wimax", "wimax-bench", "wimax-doctor", "wimax-iq-decode"}}, pages)
        for name in pages:
            text = self.run_clean("/bin/gzip", "-dc", self.prefix / "share/man/man1" / name)
            self.assertRegex(text, r"(?s)\.SH NAME\n.*\.SH (SYNOPSIS|DESCRIPTION)", name)
            self.assertNotIn(str(BUILD), text, name)

    def completed(self, *words):
        words = ["wimax", *words]
        line = f". {self.prefix}/share/bash-completion/completions/wimax; " \
               f"wimax() {{ {self.wimax} \"$@\"; }}; COMP_WORDS=({' '.join(word or repr('') for word in words)}); " \
               f"COMP_CWORD={len(words) - 1}; _wimax_complete; echo \"${{COMPREPLY[@]}}\""
        return set(self.run_clean("/bin/bash", "-c", line).split())

    def test_completion(self):
        self.assertEqual(self.completed("be"), {"bench"})
        self.assertLessEqual({"iq", "macd", "phyd", "channeld", "sim", "bench"}, self.completed(""))
        self.assertEqual(self.completed("iq", "ge"), {"generate"})
        self.assertEqual(self.completed("iq", "generate", "--o"), {"--out"})
        self.assertEqual(self.completed("bench", "--mo"), {"--mode"})
        self.assertEqual(self.completed("bench", "--mode", ""), {"paced", "free", "rt"})
        self.assertEqual(self.completed("macd", "--role", ""), {"bs", "ss"})
        self.assertEqual(self.completed("se"), set())  # setup is of a source tree
        zsh = self.prefix / "share/zsh/vendor-completions/_wimax"
        self.assertTrue(zsh.read_text(encoding="utf-8").startswith("#compdef wimax "))


if __name__ == "__main__":
    unittest.main()
