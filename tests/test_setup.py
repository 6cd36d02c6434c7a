# SPDX-License-Identifier: GPL-3.0-or-later
"""`./wimax setup` on made-up machines: what it installs, as whom, and what it says where it cannot. Argument: the source folder."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SOURCE = Path(sys.argv.pop(1)).resolve()
PACKAGES = re.search(r"^packages=\(\n(.*?)^\)", (SOURCE / "wimax").read_text(encoding="utf-8"), re.M | re.S)[1]
PACKAGES = re.sub(r"#.*", "", PACKAGES).split()
TOOLS = ("bash", "dirname", "readlink", "env", "cat", "sed")  # that the command itself is made of


class Setup(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-setup-")
        self.addCleanup(folder.cleanup)
        self.bin, self.done = Path(folder.name) / "bin", Path(folder.name) / "done"
        self.build = Path(folder.name) / "build"
        self.bin.mkdir()
        for tool in TOOLS:
            (self.bin / tool).symlink_to(shutil.which(tool))

    def program(self, name, text):
        (self.bin / name).write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def machine(self, missing=(), user=0, sudo=True, dpkg=True, apt_fails=False):
        """Programs that write down what they are told to do."""
        if dpkg:
            there = "\n".join(f"installed {p}" for p in PACKAGES if p not in missing)
            listed = f"{there}\nconfig-files {' '.join(missing[:1])}"  # removed, its settings left
            self.program("dpkg-query", f"cat <<'T'\n{listed}\nT\n{'exit 1' if missing else ''}")
        self.program("id", f"echo {user}")
        self.program("apt-get", f'echo "${{DEBIAN_FRONTEND:-}} apt-get $*" >> {self.done}; exit {1 if apt_fails else 0}')
        if sudo:
            self.program("sudo", f'echo "sudo" >> {self.done}; exec "$@"')

    def launch(self, *arguments, cwd=None):
        return subprocess.run([SOURCE / "wimax", *arguments], cwd=cwd, stdin=subprocess.DEVNULL,
                              env={"PATH": str(self.bin), "HOME": "/", "WIMAX_BUILD_DIR": str(self.build), "WIMAX_RUN": str(self.build / "run")},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False, timeout=60)

    def run_command(self, *arguments):
        done = self.launch(*arguments)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr, self.done.read_text(encoding="utf-8").splitlines() if self.done.exists() else []

    def test_nothing_is_missing(self):
        self.machine()
        self.assertEqual(self.run_command("setup"), (0, f"setup: all {len(PACKAGES)} packages are there\n", []))

    def test_what_is_missing_is_installed_and_nothing_else(self):
        self.machine(missing=("ninja-build", "uhd-host"))
        self.assertEqual(self.run_command("setup"),
                         (0, "setup: installing ninja-build uhd-host \n",
                          [" apt-get update -qq",
                           "noninteractive apt-get install -y -qq --no-install-recommends ninja-build uhd-host"]))

    def test_another_user_needs_sudo(self):
        self.machine(missing=("cmake",), user=1000)
        code, _, done = self.run_command("setup")
        self.assertEqual((code, done), (0, ["sudo", " apt-get update -qq", "sudo",
                                            "noninteractive apt-get install -y -qq --no-install-recommends cmake"]))

    def test_neither_root_nor_sudo(self):
        self.machine(missing=("cmake", "xvfb"), user=1000, sudo=False)
        self.assertEqual(self.run_command("setup"),
                         (1, "wimax: setup needs root: run as root, or install sudo. Missing: cmake xvfb \n", []))

    def test_no_debian(self):
        self.machine(dpkg=False)
        code, said, done = self.run_command("setup")
        self.assertEqual((code, done), (1, []))
        self.assertEqual(said, f"wimax: setup knows Debian's packages only; install these by hand: {' '.join(PACKAGES)}\n")

    def test_apt_that_fails_ends_it(self):
        self.machine(missing=("cmake",), apt_fails=True)
        code, _, done = self.run_command("setup")
        self.assertEqual((code, done), (1, [" apt-get update -qq"]))

    def test_names_that_begin_like_others(self):
        self.machine(missing=("gnuradio",))  # gnuradio-dev is there
        self.assertEqual(self.run_command("setup")[1], "setup: installing gnuradio \n")

    def test_who_asks_builds_nothing(self):
        self.machine(missing=("cmake",))
        for command in ("setup", "build", "test", "grc", "iq", "bench", "campaign", "curves"):
            done = self.launch(command, "--help")
            self.assertEqual((done.returncode in (0, 1), self.done.exists()), (True, False), (command, done.stderr))
        self.assertEqual(self.launch("setup", "--help").stdout, "setup: install every package needed (Debian 12; as root or through sudo); "
                                                                "says what it installs, changes nothing twice\n")
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
        self.assertIn("wimax-link is not built, and can't be from here", done.stderr)

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

    def test_version(self):
        self.assertRegex(self.launch("--version").stdout, r"^wimax [0-9]+\.[0-9]+\.[0-9]+, commit (unknown|[0-9a-f]+\+?)\n$")

    def test_an_unknown_command(self):
        self.machine()
        code, said, _ = self.run_command("fly")
        self.assertEqual(code, 2)
        self.assertTrue(said.startswith("wimax: unknown command 'fly'\nusage: ./wimax COMMAND"), said)


if __name__ == "__main__":
    unittest.main()
