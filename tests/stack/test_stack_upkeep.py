# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs in the background: kept running, started again when they are killed, taken over from a killed supervisor, gone without a trace in the end."""
import json
import os
import re
import shutil
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
        return code, "\n".join(call[0][0] for call in said.call_args_list)

    def up(self, *arguments):
        self.addCleanup(self.wimax, "down")
        return self.wimax("up", *arguments)

    def kill_supervisor(self):
        pid = supervision.Supervisor().process()
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)

    def copies(self):
        """Of the configurations that `up` takes without arguments."""
        folder = self.run_folder.parent
        for name in command.FIRST_FILES:
            shutil.copy(command.folder_of_configurations() / name, folder)
        return [str(folder / name) for name in command.FIRST_FILES]

    def entered(self):
        # Programs are asked one after the other: the station may enter between two of them.
        return self.until(lambda rows: (rows["bs.macd"]["how"], rows["ss.macd"]["how"]) == ("1 of 1 stations operational", "operational"), "no entry")

    def namespaces(self):
        """Of the shipped configurations, those that are there."""
        done = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=True)
        return {line.split()[0] for line in done.stdout.splitlines()} & {"wimax-bs", "wimax-ss1"}

    def rows(self):
        return {row["program"]: row for row in json.loads(self.wimax("status", "--json")[1])}

    def until(self, holds, what):
        end = time.monotonic() + WAIT_S
        while not holds(rows := self.rows()):
            self.assertLess(time.monotonic(), end, f"{what}: {rows}")
            time.sleep(0.1)
        return rows

    def test_five_programs_one_of_them_killed_and_all_of_them_stopped(self):
        self.assertEqual(self.up()[0], 0)
        self.assertEqual(self.wimax("up"), (1, f"wimax up: already running in {self.run_folder}: ./wimax status, ./wimax down"))
        entered = self.entered()
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
        self.assertEqual(self.namespaces(), {"wimax-bs", "wimax-ss1"})
        self.assertEqual(self.wimax("down"), (0, "5 programs stopped"))
        self.assertEqual(list(self.run_folder.iterdir()), [])
        self.assertEqual(self.namespaces(), set(), "programs that are asked to end remove theirs")

    def test_a_killed_supervisor_leaves_nothing_that_up_and_down_cannot_take_over(self):
        self.assertEqual(self.up()[0], 0)
        first = {name: row["pid"] for name, row in self.entered().items()}
        self.kill_supervisor()
        rows = self.entered()
        self.assertEqual({name: (row["state"], row["pid"]) for name, row in rows.items()}, {name: ("unsupervised", pid) for name, pid in first.items()})
        code, said = self.wimax("up")
        self.assertEqual((code, sorted(said.partition(": ")[2].partition("\n")[0].split(", "))), (0, sorted(f"{name} (process {pid})" for name, pid in first.items())))
        second = {name: row["pid"] for name, row in self.entered().items()}
        self.assertEqual(set(first.values()) & set(second.values()), set())
        self.kill_supervisor()
        for pid in second.values():
            os.kill(pid, signal.SIGSTOP)
        self.assertEqual(self.wimax("down"), (0, "5 programs stopped"))
        self.assertEqual([pid for pid in second.values() if Path(f"/proc/{pid}/exe").exists()], [])
        self.assertEqual(list(self.run_folder.iterdir()), [])
        self.assertEqual(self.namespaces(), set())

    def test_refused_is_final_and_served_already_is_not(self):
        files = self.copies()
        phyd = subprocess.Popen([Path(os.environ["WIMAX_BUILD_DIR"], "bin/wimax-phyd"), "--config", files[1], "--status.console", "false"],
                                stderr=subprocess.DEVNULL)
        self.addCleanup(phyd.kill)
        self.until_there("bs.phyd.ctl")
        code, said = self.up(*files)
        self.assertEqual(code, 1)
        self.assertRegex(said, rf"^wimax up: 1 of 5 programs do not stay up\nbs.phyd: .*: served already by process {phyd.pid} \(exit status 3: served already\)")
        phyd.terminate()
        phyd.wait()
        entered = self.entered()
        file = Path(files[2])
        right = file.read_text(encoding="utf-8")
        file.write_text(re.sub(r"(?m)^role:", "rolle:", right), encoding="utf-8")
        os.kill(entered["bs.macd"]["pid"], signal.SIGKILL)
        refused = self.until(lambda rows: rows["bs.macd"]["state"] == "exited", "not refused")["bs.macd"]
        self.assertRegex(refused["how"], r"bs.macd.yml(:\d+)?: rol(l?)e: .* \(exit status 2: configuration refused\); correct it, then: ./wimax restart bs.macd")
        code, said = self.wimax("restart", "bs.macd")
        self.assertEqual((code, ": rolle: " in said), (2, True), said)
        file.write_text(right, encoding="utf-8")
        self.assertEqual(self.wimax("restart", "bs.macd"), (0, "bs.macd runs again"))
        self.entered()

    def until_there(self, name):
        end = time.monotonic() + WAIT_S
        while not (self.run_folder / name).exists():
            self.assertLess(time.monotonic(), end)
            time.sleep(0.05)


if __name__ == "__main__":
    unittest.main()
