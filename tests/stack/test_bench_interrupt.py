# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole bench, stopped from the keyboard."""
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

from support import needs_root

REPOSITORY = Path(__file__).resolve().parents[2]


def found(*options):
    """Processes, by pgrep."""
    return subprocess.run(["pgrep", *options], stdout=subprocess.PIPE, text=True, check=False).stdout.split()


@needs_root
class Interrupt(unittest.TestCase):
    def test_ctrl_c_in_the_middle_leaves_nothing_behind(self):
        folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, folder)
        process = subprocess.Popen(
            [sys.executable, "-m", "wimax_tools.bench", "--duration", "60", "--keep-logs", folder],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in process.stderr:
            if line.startswith("downlink TCP"):
                break
        while process.poll() is None and len(found("-x", "-s", str(process.pid), "iperf3")) < 2:  # server and client
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.stderr.read()
        self.assertEqual(process.wait(), 130)
        names = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertNotIn(f"wmx{process.pid % 100000}-", names)
        self.assertEqual(found("-s", str(process.pid)), [])
        self.assertEqual(found("-f", folder), [], "daemons")


if __name__ == "__main__":
    unittest.main()
