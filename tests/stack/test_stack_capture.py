# SPDX-License-Identifier: GPL-3.0-or-later
"""A PHY that runs writes the samples around an event, and the analyser finds the base station's frames in them."""
import json
import subprocess
import unittest
from pathlib import Path

from support import StackCase
from wimax_tools.control import Failed
from wimax_tools.radio.capture import capture, parser

STREAM = [{"start_s": 0.5, "period_s": 0.005, "count": 1_000_000, "size_bytes": 1400, "source": "10.16.0.1", "destination": "10.16.0.2"}]


class Capture(StackCase):
    def setUp(self):
        self.running = self.stack(mode="free", tun=False, traffic={"bs": STREAM})
        self.running.start()
        self.running.wait_for_entry()

    def capture(self, *options):
        """Frames that the analyser finds, and what it was that triggered."""
        file = self.running.folder / "c.sigmf-data"
        capture(parser().parse_args(["--phy", "ss1.phyd", "--out", str(file), *options]), lambda request: self.running.ask("ss1.phyd", request))
        self.running.stop_daemons()
        meta = json.loads(file.with_suffix(".sigmf-meta").read_text(encoding="utf-8"))
        done = subprocess.run([self.running.binaries / "wimax-iq", "decode", "--in", file, "--spec", "-"],
                              input='{"direction": "downlink", "bandwidth_hz": 5000000}', capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return meta["annotations"], json.loads(done.stdout)["frames"]

    def test_frames_are_found_in_what_was_captured(self):
        annotations, frames = self.capture()
        samples = Path(self.running.folder, "c.sigmf-data").stat().st_size // 8
        self.assertEqual(samples, 576_000)  # 100 ms
        event = next(one for one in annotations if one["core:label"] == "trigger: hand")
        self.assertAlmostEqual(event["core:sample_start"], samples // 2, delta=57_600)
        self.assertGreaterEqual(len(frames), 8)
        # The recording may end within a frame, and begin within one.
        self.assertTrue(all(burst["fec_ok"] for frame in frames[1:-1] for burst in frame["bursts"]))

    def test_a_burst_that_cannot_be_corrected(self):
        """The file has it: from the moment that the link is too weak for 64-QAM, and good for maps."""
        with self.assertRaisesRegex(Failed, "no fec_failure within 0.5 s; nothing is written"):
            self.capture("--trigger", "fec_failure", "--timeout-s", "0.5")
        self.assertIn("ok", self.running.ask("channeld", {"set": {"link": {"name": "bs->ss1", "snr_db": 14}}}))
        annotations, frames = self.capture("--trigger", "fec_failure")
        event = next(one["core:sample_start"] for one in annotations if one["core:label"] == "trigger: fec_failure")
        failed = [frame["start_sample"] for frame in frames if any(not burst["fec_ok"] for burst in frame["bursts"])]
        self.assertTrue(any(start <= event <= start + 57_600 for start in failed), (event, failed))


if __name__ == "__main__":
    unittest.main()
