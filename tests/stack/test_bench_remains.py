# SPDX-License-Identifier: GPL-3.0-or-later
"""What a killed bench leaves on the machine, and how it goes."""
import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import clean_up, remains
from wimax_tools.test_safe_files import BOB, as_user
from support import needs_root

# Makes what a bench makes, reports it, and waits to be killed.
OWNER = """
import os, subprocess, sys, time
from wimax_tools.bench import remains
sockets, folder, namespace = sys.argv[1:]
os.mkdir(folder)
subprocess.run(["ip", "netns", "add", namespace], check=True)
left = remains.Remains(sockets)
left.note(folder=folder)
left.note(namespace=namespace)
daemon = subprocess.Popen(["sleep", "600"], start_new_session=True)
subprocess.Popen(["ip", "netns", "exec", namespace, "sleep", "600"], start_new_session=True)
left.process(daemon.pid)
print(daemon.pid, flush=True)
time.sleep(600)
"""


class Lists(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.sockets = Path(folder.name) / "wimax-x"
        self.sockets.mkdir()

    def test_an_owner_that_lives_keeps_its_own(self):
        remains.Remains(self.sockets)
        self.assertEqual(remains.ownerless(self.sockets.parent), [])

    def test_numbers_of_processes_come_again(self):
        with mock.patch.object(remains, "began", lambda pid: 7):
            left = remains.Remains(self.sockets)
            left.process(os.getpid())
        path, = remains.ownerless(self.sockets.parent)
        self.assertEqual(remains.remove(path), {"processes": 0, "namespaces": 0, "folders": 1})  # or this test would have ended here
        self.assertFalse(self.sockets.exists())

    def test_half_a_line_at_the_end(self):
        left = remains.Remains(self.sockets)
        with open(left.path, "a", encoding="utf-8") as out:
            out.write('{"namespa')
        self.assertEqual([list(note) for note in remains.notes_of(left.path)], [["owner", "began"]])


@needs_root
class OtherUsers(unittest.TestCase):
    def test_a_list_that_another_user_can_have_written_is_not_followed(self):
        victim = subprocess.Popen(["sleep", "600"])
        self.addCleanup(victim.wait)
        self.addCleanup(victim.kill)
        with tempfile.TemporaryDirectory() as top:
            Path(top).chmod(0o1777)  # as /tmp
            precious, elsewhere, mine = Path(top, "precious"), Path(top, "elsewhere"), Path(top, "wimax-mine")
            precious.mkdir()
            said = "".join(json.dumps(note) + "\n" for note in (
                {"owner": 1, "began": -1}, {"folder": str(precious)}, {"process": victim.pid, "began": remains.began(victim.pid)}))

            def write(folder):
                folder.mkdir(exist_ok=True)
                (folder / remains.LIST).write_text(said, encoding="utf-8")
                return folder

            as_user(BOB, lambda: write(Path(top, "wimax-bob")))
            as_user(BOB, lambda: Path(top, "wimax-link").symlink_to(write(elsewhere)))
            for mode in (0o770, 0o707, 0o1777):
                write(Path(top, f"wimax-{mode:o}")).chmod(mode)
                os.chown(Path(top, f"wimax-{mode:o}", remains.LIST), *((BOB, BOB) if mode == 0o1777 else (0, 0)))
            mine.mkdir()
            (mine / remains.LIST).symlink_to(elsewhere / remains.LIST)
            self.assertEqual(remains.ownerless(top), [])
            for path in Path(top).glob(f"wimax-*/{remains.LIST}"):
                self.assertEqual(remains.notes_of(path), [], path)


@needs_root
class Killed(unittest.TestCase):
    def test_programs_namespaces_and_folders_go(self):
        with tempfile.TemporaryDirectory() as top:
            sockets, folder, namespace = Path(top) / "wimax-a", Path(top) / "logs", f"wmxt{os.getpid()}"
            sockets.mkdir()
            owner = subprocess.Popen([sys.executable, "-c", OWNER, sockets, folder, namespace], stdout=subprocess.PIPE, text=True)
            daemon = int(owner.stdout.readline())
            with mock.patch.object(remains, "FOLDERS", top), mock.patch.object(remains.ownerless, "__defaults__", (top,)):
                self.assertEqual(self.clean_up(), "nothing to remove\n")
                owner.send_signal(signal.SIGKILL)
                owner.wait()
                owner.stdout.close()
                self.assertIsNotNone(remains.began(daemon))
                self.assertEqual(self.clean_up(), "removed 2 processes, 1 namespaces, 2 folders\n")
            self.assertIsNone(remains.began(daemon))
            self.assertFalse(sockets.exists() or folder.exists())
            self.assertNotIn(namespace, subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split())

    @staticmethod
    def clean_up():
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            clean_up.main([])
        return out.getvalue()


if __name__ == "__main__":
    unittest.main()
