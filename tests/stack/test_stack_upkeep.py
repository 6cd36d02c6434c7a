# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs in the background: kept running, started again when they are killed, gone without a trace in the end."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.upkeep import command, supervision
from support import needs_root

WAIT_S = 60


@needs_root
class Upkeep(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        self.run_folder, self.logs = Path(folder.name, "run"), Path(folder.name, "logs")
        for change in (mock.patch.dict(os.environ, WIMAX_RUN=str(self.run_folder)), mock.patch.object(command, "log_folder", lambda: self.logs)):
            change.start()
            self.addCleanup(change.stop)

    def wimax(self, *arguments):
        with mock.patch("builtins.print") as said:
            code = command.main(list(arguments))
        return code, said.call_args[0][0]

    def rows(self):
        return {row["program"]: row for row in json.loads(self.wimax("status", "--json")[1])}

    def until(self, holds, what):
        end = time.monotonic() + WAIT_S
        while not holds(rows := self.rows()):
            self.assertLess(time.monotonic(), end, f"{what}: {rows}")
            time.sleep(0.1)
        return rows

    def test_five_programs_one_of_them_killed_and_all_of_them_stopped(self):
        self.assertEqual(self.wimax("up")[0], 0)
        self.addCleanup(lambda: supervision.Supervisor().programs() is None or supervision.Supervisor().down())
        self.assertEqual(self.wimax("up"), (1, f"wimax up: already running in {self.run_folder}: ./wimax status, ./wimax down"))
        # Programs are asked one after the other: the station may enter between two of them.
        entered = self.until(lambda rows: (rows["bs.macd"]["how"], rows["ss.macd"]["how"]) == ("1 of 1 stations operational", "operational"), "no entry")
        killed = entered["ss.phyd"]["pid"]
        os.kill(killed, signal.SIGKILL)
        again = self.until(lambda rows: rows["ss.phyd"]["pid"] not in (killed, "-") and rows["ss.macd"]["how"] == "operational", "not started again")
        self.assertEqual([again[name]["pid"] for name in ("channeld", "bs.phyd", "bs.macd", "ss.macd")],
                         [entered[name]["pid"] for name in ("channeld", "bs.phyd", "bs.macd", "ss.macd")], "the others went on")
        self.assertEqual(self.wimax("restart", "bs.macd"), (0, "bs.macd runs again"))
        self.assertNotEqual(self.rows()["bs.macd"]["pid"], again["bs.macd"]["pid"])
        with mock.patch.object(subprocess, "run") as tail:
            command.main(["logs", "bs.macd", "-n", "3"])
        self.assertEqual(tail.call_args[0][0], ["tail", "-n", "3", str(self.logs / "bs.macd.log")])
        self.assertIn("stopping after", (self.logs / "bs.macd.log").read_text(encoding="utf-8"))
        self.assertEqual(self.wimax("down"), (0, "5 programs stopped"))
        self.assertEqual(list(self.run_folder.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
