#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_recording.py IQ_PROGRAM: the recording in this folder is what make_recording.py writes, is small, and wimax-iq decodes its known bursts."""
import json
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import numpy

import make_recording

PROGRAM, FOLDER = sys.argv.pop(1), Path(__file__).resolve().parent
DATA, META = FOLDER / "downlink.sigmf-data", FOLDER / "downlink.sigmf-meta"
MOST_BYTES = 1 << 20
ROUNDING = 1e-4  # processors differ in the last bits of their arithmetic


class Recording(unittest.TestCase):
    def test_is_made_by_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            make_recording.main(PROGRAM, folder)
            made = numpy.fromfile(Path(folder, DATA.name), numpy.complex64)
            self.assertEqual(Path(folder, META.name).read_text(encoding="utf-8"), META.read_text(encoding="utf-8"))
        shipped = numpy.fromfile(DATA, numpy.complex64)
        self.assertEqual(len(shipped), len(made))
        self.assertLess(abs(shipped - made).max(), ROUNDING)
        self.assertLess(DATA.stat().st_size + META.stat().st_size, MOST_BYTES)

    def test_rate_of_the_flowgraph_is_that_of_the_file(self):
        meta = json.loads(META.read_text(encoding="utf-8"))["global"]
        self.assertEqual((meta["core:datatype"], meta["core:sample_rate"]), ("cf32_le", 2e6))
        self.assertRegex((FOLDER / "recording.grc").read_text(encoding="utf-8"), r"name: samp_rate\n  id: variable\n  parameters:\n    comment: .*\n    value: 2e6\n")

    def test_known_bursts(self):
        with tempfile.TemporaryDirectory() as folder:
            spec, copy = Path(folder, "spec.json"), Path(folder, "copy.cf32")
            shutil.copy(DATA, copy)  # wimax-iq would annotate the pair
            spec.write_text(json.dumps({"direction": "downlink", "bandwidth_hz": make_recording.BANDWIDTH_HZ}), encoding="utf-8")
            decoded = json.loads(subprocess.run([PROGRAM, "decode", "--in", copy, "--spec", spec, "--json", "-"], stdout=subprocess.PIPE, check=True).stdout)
        frames = decoded["frames"]
        found = [bytes.fromhex(burst["payload"]).rstrip(b"\xff") for frame in frames for burst in frame["bursts"] if burst["fec_ok"]]
        self.assertEqual(found, [make_recording.text(n, i) for n in range(make_recording.FRAMES) for i in (1, 2, 3)])
        self.assertEqual([(round(frame["cfo_hz"], -2), round(frame["snr_db"])) for frame in frames], [(make_recording.OFFSET_HZ, make_recording.SNR_DB)] * make_recording.FRAMES)


if __name__ == "__main__":
    unittest.main()
