# SPDX-License-Identifier: GPL-3.0-or-later
"""docs/running.md, followed to the letter: five programs with the files of config/, in any order."""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

import zmq

from wimax_tools.bench.stack import ask
from wimax_tools.exit_status import ExitStatus
from support import Patience, needs_root

REPOSITORY = Path(__file__).resolve().parents[2]
COMMANDS = [("macd", "ss.macd"), ("phyd", "ss.phyd"), ("macd", "bs.macd"), ("phyd", "bs.phyd"), ("channeld", "channeld")]


def ping():
    """Through the air; 0: there was an answer."""
    return subprocess.run("ip netns exec wimax-bs ping -c 1 -W 1 10.1.0.2".split(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False).returncode


class NoChannel(unittest.TestCase):
    def test_a_phy_that_waits_for_its_radio_leaves_no_socket(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        here = Path(folder.name, "run")
        phyd, _ = (self.start(here, program, f"bs.{program}", *more) for program, more in (("phyd", ()), ("macd", ("--tun.enabled", "false"))))
        while not phyd.stdout.readline().startswith("opening the radio"):
            self.assertIsNone(phyd.poll())
        self.assertEqual({path.name for path in here.glob("bs.phyd*")} | {path.name for path in here.glob("bs.sap*")},
                         {"bs.phyd.ctl", "bs.phyd.ctl.lock", "bs.sap", "bs.sap.lock"})
        phyd.terminate()
        self.assertEqual(phyd.wait(60), 0)
        self.assertEqual([path.name for path in here.glob("bs.phyd*")] + [path.name for path in here.glob("bs.sap*")], [])

    def start(self, run, program, file, *more):
        process = subprocess.Popen([Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / f"wimax-{program}", "--config", REPOSITORY / "config" / f"{file}.yml", *more],
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env={**os.environ, "WIMAX_RUN": str(run)})
        self.addCleanup(process.communicate)
        self.addCleanup(process.kill)
        return process


class DryRun(unittest.TestCase):
    def test_every_file_of_config(self):
        for program, file in COMMANDS:
            done = subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / f"wimax-{program}", "--config",
                                   REPOSITORY / "config" / f"{file}.yml", "--dry-run"], stdout=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 0, file)
            self.assertTrue(done.stdout, file)

    def test_every_file_for_two_radios(self):
        files = sorted((REPOSITORY / "config/b210").rglob("*.yml"))
        self.assertEqual(len(files), 8)
        for file in files:
            done = subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / f"wimax-{file.stem.rpartition('.')[2]}", "--config", file, "--dry-run"],
                                  stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 0, file)
            if file.stem.endswith("phyd"):  # no file that is shipped transmits
                self.assertIn("transmitter: off by radio.tx_enable", done.stdout)

    def test_help(self):
        for program in {program for program, _ in COMMANDS}:
            done = subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / f"wimax-{program}", "--help"],
                                  stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(done.returncode, 0)
            self.assertIn("--dry-run", done.stdout)


@needs_root
class ByHand(unittest.TestCase):
    def test_ping_small_memory_and_clean_shutdown(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-", dir="/tmp")
        self.addCleanup(folder.cleanup)
        here = Path(folder.name, "run")
        environment = {**os.environ, "WIMAX_RUN": str(here)}
        running = []
        for program, file in COMMANDS:  # the last ones first: each program waits for those that it needs
            running.append(subprocess.Popen(
                [Path(os.environ["WIMAX_BUILD_DIR"]) / "bin" / f"wimax-{program}", "--config", REPOSITORY / "config" / f"{file}.yml"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment))
        self.addCleanup(lambda: [p.kill() for p in running if p.poll() is None])
        context = zmq.Context()
        self.addCleanup(context.destroy, 0)
        patience = Patience(lambda: ((ask(context, f"ipc://{here}/channeld.ctl", {"get": "status"}, 1000) or {}).get("status") or {}).get("time_s"))
        while ping():
            self.assertEqual(patience.spent(), "", "no ping through the air")
            self.assertEqual([p.poll() for p in running], [None] * 5)
            time.sleep(0.1)
        self.assertEqual(sorted(path.name for path in here.glob("*.ctl")), [f"{name}.ctl" for name in ("bs.macd", "bs.phyd", "channeld", "ss.macd", "ss.phyd")])
        for (program, file), process in zip(COMMANDS, running):
            with self.subTest("the second one on the same sockets", file=file):
                again = subprocess.run(process.args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment, check=False, timeout=30)
                self.assertEqual(again.returncode, ExitStatus.SERVED_ALREADY, again.stderr)
                self.assertTrue(again.stderr.endswith(f": served already by process {process.pid}\n"), again.stderr)
        self.assertEqual(ping(), 0, "those that were there go on")
        for process in running:
            rss = next(line for line in Path(f"/proc/{process.pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
            self.assertLess(int(rss.split()[1]), 300_000, process.args)
        for process, sig in zip(running, (signal.SIGINT, signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGHUP)):
            process.send_signal(sig)
            self.assertEqual(process.wait(60), 0, process.args)
        names = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
        self.assertNotIn("wimax-bs", names.split())
        self.assertEqual(list(here.iterdir()), [], "sockets go with their programs")
        self.assertNotIn("wimax-ss1", names.split())


if __name__ == "__main__":
    unittest.main()
