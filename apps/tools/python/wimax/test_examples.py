# SPDX-License-Identifier: GPL-3.0-or-later
"""The examples run as they are, shorter, and say what they should."""
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLES = Path(__file__).parent / "examples"


class Examples(unittest.TestCase):
    def run_example(self, name, *words):
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, "-B", EXAMPLES / name, *words], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout, {path.name: path.read_text(encoding="utf-8") for path in Path(folder).iterdir()}

    def test_goodput_against_snr(self):
        said, files = self.run_example("snr_sweep.py", "--rates", "2", "--snr-db", "25", "4.5", "--seconds", "0.5")
        good, bad = (float(kbps) for kbps in re.findall(r"dB +(\d+) kb/s", said))
        self.assertTrue(2400 < good < 2720, said)  # 288 bits per symbol, 92 to 94 of 100 symbols
        self.assertLess(bad, 0.5 * good)
        self.assertIn("</svg>", files["goodput.svg"])
        self.assertLessEqual(len([line for line in (EXAMPLES / "snr_sweep.py").read_text().splitlines() if line.strip()]), 34)

    def test_a_channel_of_ones_own(self):
        said, _ = self.run_example("own_channel.py", "--seconds", "0.5")
        low, high = map(float, re.search(r"carriers from (-?[\d.]+) to (-?[\d.]+) dB", said).groups())
        self.assertTrue(-18 < low < -11 and 2 < high < 3.5, said)  # amplitudes 0.75 and 0.67: 3.0 dB together, at most 21.8 dB of notch
        self.assertIn("decoded: C0FFEE", said)
        before, within, after = (float(kbps) for kbps in re.findall(r"(\d+) kb/s", said))
        self.assertLess(within, 0.95 * before)
        self.assertGreater(after, 0.9 * before)

    def test_speed_of_stages(self):
        said, _ = self.run_example("phy_speed.py", "--rounds", "1", "fft256", "decode_bursts")
        self.assertRegex(said, r"fft256 +[\d.e+]+ MFFT/s\ndecode_bursts +[\d.e+]+ Msymbol/s\n")

    def test_a_recording(self):
        said, files = self.run_example("decode_recording.py")
        self.assertIn("10 frames, 20 good bursts", said)
        self.assertIn("</svg>", files["recording.svg"])


if __name__ == "__main__":
    unittest.main()
