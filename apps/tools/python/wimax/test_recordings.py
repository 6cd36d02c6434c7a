# SPDX-License-Identifier: GPL-3.0-or-later
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np

import wimax
from wimax import recordings
from wimax.recordings import Annotation


class Recordings(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="wimax-recordings-")
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)

    def test_a_pair_there_and_back(self):
        samples = (np.arange(1000) + 1j).astype(np.complex64) / 1000
        marks = [Annotation(500, 10, "second"), Annotation(0, None, "first", "from the start", {"wimax:rate": 3})]
        recordings.write(self.path / "a.sigmf-meta", samples, 5.76e6, "a ramp", marks)
        for name in ("a.sigmf-meta", "a.sigmf-data"):
            found = recordings.read(self.path / name)
            np.testing.assert_array_equal(found.samples, samples)
            self.assertEqual((found.sample_rate_hz, found.repaired), (5.76e6, 0))
            self.assertEqual([(one.start, one.count, one.label, one.comment) for one in found.annotations],
                             [(0, None, "first", "from the start"), (500, 10, "second", "")])
            self.assertEqual(found.annotations[0].others["wimax:rate"], 3)
            self.assertEqual(found.metadata["global"]["core:description"], "a ramp")

    def test_annotations_of_other_programs_stay(self):
        recordings.write(self.path / "a.sigmf-meta", np.ones(9), 1e6, annotations=[Annotation(1)])
        meta = self.path / "a.sigmf-meta"
        text = json.loads(meta.read_text())
        text["annotations"].append({"core:sample_start": 4, "core:generator": "another"})
        meta.write_text(json.dumps(text))
        recordings.annotate(meta, [Annotation(7), Annotation(2)])
        self.assertEqual([one.start for one in recordings.read(meta).annotations], [2, 4, 7])

    def test_parts_of_a_raw_file(self):
        samples = np.exp(1j * np.arange(200_000)).astype(np.complex64)
        recordings.write(self.path / "a.cf32", samples, 1e6)
        whole = recordings.read(self.path / "a.cf32")
        self.assertIsNone(whole.sample_rate_hz)
        np.testing.assert_array_equal(whole.samples, samples)
        for first, count in ((0, 10), (65_535, 3), (199_990, None), (70_000, 100_000), (5, 0), (199_999, 50)):
            end = None if count is None else first + count
            np.testing.assert_array_equal(recordings.read(self.path / "a.cf32", first=first, count=count).samples, samples[first:end])

    def test_a_recorded_frame_is_decoded(self):
        sent = wimax.generate({"bursts": [{"rate_id": 2, "data_symbols": 3, "payload": "00112233"}]})
        recordings.write(self.path / "f.sigmf-data", sent, wimax.sample_rate_hz(5_000_000))
        heard = recordings.read(self.path / "f.sigmf-data")
        self.assertEqual(wimax.decode(heard.samples)["frames"][0]["bursts"][0]["payload"][:8], "00112233")

    def test_what_is_wrong_is_refused(self):
        (self.path / "empty.cf32").touch()
        (self.path / "cut.cf32").write_bytes(b"1234567")
        (self.path / "bad.sigmf-meta").write_text("{")
        for path, words in (("none.cf32", "none.cf32"), ("empty.cf32", "empty"), ("cut.cf32", "cut.cf32"), ("bad.sigmf-meta", "bad.sigmf")):
            with self.subTest(path), self.assertRaisesRegex(ValueError, words):
                recordings.read(self.path / path)
        recordings.write(self.path / "a.cf32", np.ones(9), 1e6)
        for action, words in ((lambda: recordings.read(self.path / "a.cf32", first=-1, count=-2), "first: -1: allowed 0 and above\ncount: -2"),
                              (lambda: recordings.write(self.path / "a.cf32", np.ones(9), 0, annotations=[Annotation(0)]), "sample_rate_hz: 0: allowed.*\nannotations: .*not a SigMF"),
                              (lambda: recordings.write(self.path / "a.cf32", np.ones((3, 3)), 1e6), "samples: a one-dimensional array"),
                              (lambda: recordings.write(self.path / "a.cf32", ["x"], 1e6), "samples: list is not an array of complex"),
                              (lambda: recordings.write(self.path / "no/a.cf32", np.ones(3), 1e6), "no/a.cf32"),
                              (lambda: recordings.annotate(self.path / "a.sigmf-meta", [Annotation(0)]), "a.sigmf")):
            with self.assertRaisesRegex(ValueError, words):
                action()


if __name__ == "__main__":
    unittest.main()
