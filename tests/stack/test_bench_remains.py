# SPDX-License-Identifier: GPL-3.0-or-later
"""What a killed bench leaves on the machine, and how it goes."""
import contextlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import clean_up, remains
from support import needs_root

# Makes what a bench makes, says so, and waits to be killed.
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
class Killed(unittest.TestCase):
    def test_programs_namespaces_and_folders_go(self):
        with tempfile.TemporaryDirectory() as top:
            sockets, folder, namespace = Path(top) / "wimax-a", Path(top) / "logs", f"wmxt{os.getpid()}"
            sockets.mkdir()
            owner = subprocess.Popen([sys.executable, "-c", OWNER, sockets, folder, namespace], stdout=subprocess.PIPE, text=True)
            daemon = int(owner.stdout.readline())
            with mock.patch.object(remains, "FOLDERS", top), mock.patch.object(remains.ownerless, "__defaults__", (top,)):
                self.assertEqual(self.clean_up(), "nothing was left behind\n")
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
