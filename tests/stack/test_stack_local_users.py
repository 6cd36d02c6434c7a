# SPDX-License-Identifier: GPL-3.0-or-later
"""The programs themselves, with another local user who means harm. Alice runs them, also by sudo; Bob prepares folders, links and locks."""
import fcntl
import os
import shutil
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from support import needs_root

ALICE, BOB = 1001, 1002  # without accounts
BINARIES = Path(os.environ["WIMAX_BUILD_DIR"], "bin")
WAIT_S = 30  # of a busy host; nothing needs as long
BASE_STATION = ("--role", "bs", "--set", "bs.accept_unknown=true")
QUIET = ("--set", "status.console=false")


def as_user(uid):
    """For subprocess: the process of that user."""
    return {"user": uid, "group": uid, "extra_groups": []}


def others_can_run_programs():
    """False: the build folder, or one around it, is closed to other users."""
    return os.geteuid() != 0 or subprocess.run(["test", "-x", BINARIES / "wimax-macd"], check=False, **as_user(ALICE)).returncode == 0


@needs_root
@unittest.skipUnless(others_can_run_programs(), f"other users cannot enter {BINARIES}: chmod o+x its folders")
class LocalUsers(unittest.TestCase):
    def setUp(self):
        self.place = Path(tempfile.mkdtemp(prefix="wimax-", dir="/tmp"))
        self.addCleanup(shutil.rmtree, self.place)
        self.place.chmod(0o1777)  # as /tmp
        self.run = self.place / "wimax-1001"
        self.programs = []
        self.addCleanup(self.kill)

    def kill(self):
        for program in self.programs:
            program.kill()
            program.wait()
            program.stdout.close()

    def by(self, uid, *words):
        subprocess.run([str(word) for word in words], check=True, **as_user(uid))

    def environment(self, sudo_by=None):
        kept = {name: value for name, value in os.environ.items() if name not in ("SUDO_UID", "SUDO_GID", "XDG_RUNTIME_DIR")}
        return {**kept, "HOME": str(self.place), "WIMAX_RUN": str(self.run), **({"SUDO_UID": str(sudo_by), "SUDO_GID": str(sudo_by)} if sudo_by else {})}

    def start(self, program, *options, uid=ALICE, sudo_by=None):
        started = subprocess.Popen([BINARIES / f"wimax-{program}", *map(str, options)], env=self.environment(sudo_by), stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, umask=0, **as_user(uid))
        self.programs.append(started)
        return started

    def refused(self, *arguments, **options):
        """What it says; it ends at once."""
        program = self.start(*arguments, **options)
        try:
            said = program.communicate(timeout=WAIT_S)[0]
        except subprocess.TimeoutExpired:
            self.fail(f"{arguments} works")
        self.assertNotEqual(program.returncode, 0, said)
        self.assertGreater(program.returncode, 0, f"ended by a signal: {said}")
        return said

    def until(self, holds, what, program=None):
        end = time.monotonic() + WAIT_S
        while not holds():
            if program is not None and program.poll() is not None:
                self.fail(f"{what}: {program.stdout.read()}")
            self.assertLess(time.monotonic(), end, what)
            time.sleep(0.02)

    def serving(self, *arguments, socket_name="channeld.ctl", **options):
        program = self.start(*arguments, **options)
        lock = self.run / f"{socket_name}.lock"  # a killed program may have left both
        self.until(lambda: (self.run / socket_name).is_socket() and lock.exists() and lock.read_text() == str(program.pid), f"no {socket_name}", program)
        return program

    def stop(self, program):
        program.send_signal(signal.SIGTERM)
        said = program.communicate(timeout=WAIT_S)[0]
        self.assertEqual(program.returncode, 0, said)
        return said

    def users(self):
        return (("alice", {"uid": ALICE}), ("alice by sudo", {"uid": 0, "sudo_by": ALICE}), ("root", {"uid": 0}))

    def test_a_folder_that_another_user_made_beforehand(self):
        self.by(BOB, "mkdir", "-m", "777", self.run)
        for name, who in self.users():
            with self.subTest(name):
                self.assertRegex(self.refused("channeld", *QUIET, **who), "wimax-1001: belongs to user 1002.*remove it or set WIMAX_RUN")
                self.assertRegex(self.refused("phyd", "--role", "bs", *QUIET, **who), "belongs to user 1002")
                self.assertRegex(self.refused("macd", *BASE_STATION, "--set", "tun.enabled=false", "--control", "", *QUIET, **who),
                                 "belongs to user 1002")  # a client of the PHY's socket
        self.assertEqual(list(self.run.iterdir()), [])

    def test_a_lock_that_is_a_link_to_a_file_of_the_victim(self):
        precious = self.place / "precious"
        precious.write_text("dear")
        os.chown(precious, ALICE, ALICE)
        for owner, mode in ((ALICE, 0o777), (ALICE, 0o1777), (0, 0o1777)):
            self.run.mkdir()
            os.chown(self.run, owner, owner)
            self.run.chmod(mode)
            for name in ("channel", "channeld.ctl"):
                self.by(BOB, "ln", "-s", precious, self.run / f"{name}.lock")
            for name, who in self.users():
                if owner == 0 or who.get("sudo_by") or who["uid"] == ALICE:
                    with self.subTest(f"{name}, folder of {owner} with mode {mode:o}"):
                        self.assertRegex(self.refused("channeld", *QUIET, **who), "other users may write it" if mode == 0o777 else "is a symbolic link")
                        self.assertEqual(precious.read_text(), "dear")
            shutil.rmtree(self.run)

    def test_locks_and_sockets_are_their_users_alone(self):
        for name, who in self.users()[:2]:
            with self.subTest(name):
                program = self.serving("channeld", *QUIET, **who)
                self.until((self.run / "channel").is_socket, "no channel", program)
                entries = {path.name: path.stat() for path in self.run.iterdir()}
                self.assertEqual(sorted(entries), ["channel", "channel.lock", "channeld.ctl", "channeld.ctl.lock"])
                for entry, status in entries.items():
                    self.assertEqual((entry, status.st_uid), (entry, ALICE))
                    self.assertEqual((entry, status.st_mode & 0o077), (entry, 0) if entry.endswith(".lock") else (entry, status.st_mode & 0o050))
                self.assertEqual((self.run.stat().st_uid, stat.S_IMODE(self.run.stat().st_mode)), (ALICE, 0o700))
                self.stop(program)
                self.assertEqual(list(self.run.iterdir()), [])

    def test_another_user_cannot_keep_a_killed_program_from_starting_again(self):
        self.run.mkdir(mode=0o755)  # as systemd makes it
        program = self.serving("channeld", *QUIET, uid=0)
        waiting = subprocess.Popen(["flock", str(self.run / "channeld.ctl.lock"), "sleep", "60"], stderr=subprocess.DEVNULL, **as_user(BOB))
        self.addCleanup(lambda: (waiting.kill(), waiting.wait()))
        self.assertNotEqual(waiting.wait(WAIT_S), 0, "opened the lock")
        program.kill()
        program.communicate()
        self.assertTrue((self.run / "channeld.ctl.lock").exists())
        self.stop(self.serving("channeld", *QUIET, uid=0))

    def test_a_lock_of_an_older_version_that_another_user_holds(self):
        self.run.mkdir(mode=0o755)
        lock = self.run / "channeld.ctl.lock"
        lock.write_text("4194305")  # of no process
        lock.chmod(0o644)
        child = os.fork()
        if child == 0:
            os.setresuid(BOB, BOB, BOB)
            fcntl.flock(os.open(lock, os.O_RDONLY), fcntl.LOCK_EX)
            os.kill(os.getpid(), signal.SIGSTOP)
            os._exit(0)
        self.addCleanup(lambda: (os.kill(child, signal.SIGKILL), os.waitpid(child, 0)))
        os.waitpid(child, os.WUNTRACED)
        self.stop(self.serving("channeld", *QUIET, uid=0))

    def test_what_programs_write_is_for_owner_and_group(self):
        files = {name: self.place / f"alices/{name}" for name in ("log", "status", "events", "pcap", "record", "keys")}
        self.by(ALICE, "mkdir", "-m", "755", self.place / "alices")
        options = (*BASE_STATION, "--set", "tun.enabled=false", "--set", f"log.file={files['log']}", "--set", f"status.json={files['status']}", "--set",
                   f"events.file={files['events']}", "--set", f"pcap.file={files['pcap']}", "--set", f"sap.record={files['record']}", *QUIET)
        options += ("--set", "privacy.allow_key_log=true", "--set", f"privacy.key_log={files['keys']}")
        for name, who in self.users()[:2]:
            with self.subTest(name):
                self.stop(self.serving("macd", *options, "--control", "ipc://{run}/bs.macd.ctl", socket_name="bs.macd.ctl", **who))
                for kind, file in files.items():
                    status = file.stat()
                    self.assertEqual((kind, status.st_uid, oct(status.st_mode & 0o777)), (kind, ALICE, "0o600" if kind == "keys" else "0o640"))
                    file.unlink()
        precious = self.place / "precious"
        precious.write_text("dear")
        for kind, file in files.items():
            for left in files.values():  # by the programs that were refused for another file
                left.unlink(missing_ok=True)
            file.symlink_to(precious)
            with self.subTest(kind):
                self.assertRegex(self.refused("macd", *options, "--control", "", uid=0, sudo_by=ALICE), f"{file}: is a symbolic link")
        self.assertEqual(precious.read_text(), "dear")

    def test_what_goes_to_no_file(self):
        options = (*BASE_STATION, "--set", "tun.enabled=false", "--set", "log.file=/dev/null", "--set", "status.json=-", "--set", "events.file=/dev/stdout",
                   "--set", "pcap.file=/dev/null", "--set", "sap.record=/dev/null", *QUIET)
        program = self.serving("macd", *options, "--control", "ipc://{run}/bs.macd.ctl", socket_name="bs.macd.ctl")
        self.stop(program)

    def test_configurations_that_are_no_files(self):
        pipe = self.place / "pipe.yml"
        os.mkfifo(pipe)
        large = self.place / "large.yml"
        with open(large, "wb") as file:
            file.truncate(1 << 40)
        for program in ("channeld", "phyd", "macd"):
            for path, reason in ((pipe, "is no regular file"), ("/dev/zero", "is no regular file"), ("/dev/null", "is no regular file"),
                                 (self.place, "Is a directory"), (large, "has 1099511627776 bytes, allowed are 1048576")):
                with self.subTest(f"{program} {path}"):
                    self.assertIn(reason, self.refused(program, "--config", path, "--dry-run", uid=0))
        for options in (("--set", "privacy.policy=required", "--dry-run", "--set", "privacy.authorities={}"), ("--control", "", "--set", "sap.replay={}")):
            for path in (pipe, "/dev/zero"):
                self.assertIn("is no regular file", self.refused("macd", *BASE_STATION, *(option.format(path) for option in options), uid=0))

    def test_a_phy_that_is_stopped_while_its_radio_is_not_open_leaves_nothing(self):
        self.run.mkdir()
        phyd = self.serving("phyd", "--role", "bs", "--device", "type=vrf,name=bs", "--control", "ipc://{run}/bs.phyd.ctl", *QUIET, uid=0,
                            socket_name="bs.phyd.ctl")
        macd = self.start("macd", *BASE_STATION, "--set", "tun.enabled=false", "--control", "", *QUIET, uid=0)
        said = []
        while not any("channel at" in line for line in said):  # a MAC has asked for a radio, and no channel is there
            said.append(phyd.stdout.readline())
            self.assertTrue(said[-1], said)
        self.stop(phyd)
        self.stop(macd)
        self.assertEqual(list(self.run.iterdir()), [])

    def test_with_too_few_descriptors_a_program_says_so(self):
        self.run.mkdir()
        for most in range(3, 12):
            done = subprocess.run(["sh", "-c", f"ulimit -n {most}; exec {BINARIES}/wimax-channeld --status.console false --dry-run"], env=self.environment(),
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            self.assertGreaterEqual(done.returncode, 0, f"{most}: {done.stdout}")
