# SPDX-License-Identifier: GPL-3.0-or-later
"""What a PHY has said is recorded, and worked through again by MACs alone: they send the same, message by message."""
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from support import StackCase

SIMULATED_S = 2.5


def stream(source, destination):
    return [{"start_s": 1.5, "period_s": 0.01, "count": 60, "size_bytes": 700, "source": source, "destination": destination}]


class Replay(StackCase):
    def replayed(self, *options):
        done = subprocess.run([Path(os.environ["WIMAX_BUILD_DIR"], "bin", "wimax-macd"), *map(str, options)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, check=False, env={**os.environ, "WIMAX_RUN": self.folder})
        return done.returncode, done.stdout, done.stderr

    def test_the_same_again(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-replay-")
        self.addCleanup(folder.cleanup)  # after the stack's own
        self.folder = folder.name
        records = {site: Path(self.folder, f"{site}.sap") for site in ("bs", "ss1")}
        traffic = {"bs": stream("10.16.0.1", "10.16.0.2"), "ss1": stream("10.16.0.2", "10.16.0.1")}
        stack = self.stack(mode="free", tun=False, traffic=traffic, folder=self.folder, channel_extra={"time": {"hold": True}},
                           macd_extra={site: {"sap": {"record": str(path)}} for site, path in records.items()})
        stack.start()
        self.wait_until(stack, "simulated time did not reach the end", lambda: (stack.status("channeld") or {"time_s": 0})["time_s"] > SIMULATED_S)
        stack.stop_daemons()
        for site, path in records.items():
            config = ("--config", Path(self.folder, f"{site}.macd.yml"), "--set", "sap.record=", "--set", f"control.endpoint=ipc://{self.folder}/x")
            code, out, err = self.replayed(*config, "--set", f"sap.replay={path}")
            said = re.search(r"replayed: (\d+) messages received, (\d+) sent, (\d+) of them different", out)
            self.assertTrue(said, (code, out, err))
            received, sent, different = map(int, said.groups())
            self.assertGreater(min(received, sent), 100 * SIMULATED_S - 10, site)
            self.assertEqual((code, different), (0, 0), site)
            if site == "bs":  # another configuration sends other messages
                _, out, err = self.replayed(*config, "--set", f"sap.replay={path}", "--set", "bs.dl_rate_id=2")
                self.assertGreater(int(re.search(r"(\d+) of them different", out + err)[1]), 10, (out, err))
        empty = Path(self.folder, "empty")
        empty.touch()
        for path, words in ((empty, "not a recording"), ("/dev/null", "is no regular file")):
            code, out, err = self.replayed("--config", Path(self.folder, "bs.macd.yml"), "--set", f"sap.replay={path}")
            self.assertEqual((code, words in err), (2, True), err)


if __name__ == "__main__":
    unittest.main()
