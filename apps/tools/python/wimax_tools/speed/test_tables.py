# SPDX-License-Identifier: GPL-3.0-or-later
"""tables.py on results and profiles that are made up: a programme stands for perf, another for wimax-speed."""
import contextlib
import io
import json
import os
import sys
import tempfile
import unittest
from unittest import mock

from wimax_tools.speed import tables

# What perf prints of a sample: address, symbol, library; and the stage it belongs to.
SYMBOLS = {
    "Viterbi decoder": ["gr::wimax::phy::ViterbiDecoder::decode(std::span<float>)", "gr::wimax::phy::(anonymous)::acs_avx2",
                        "gr::wimax::phy::InnerDecoder::decode", "traceback_body"],
    "Reed-Solomon": ["gr::wimax::phy::ReedSolomon::decode", "parity_of"],
    "randomizer, burst": ["gr::wimax::phy::Randomizer::apply", "gr::wimax::phy::BurstDecoder::decode"],
    "soft bits": ["gr::wimax::phy::demap_64qam"],
    "equalizer, decisions": ["gr::wimax::phy::Equalizer::equalize", "decide_body", "gr::wimax::phy::LinkTracker::update"],
    "channel tracking": ["gr::wimax::phy::ResponseTracker::predict"],
    "FFT": ["[unknown] (/usr/lib/libfftw3f.so.3)"],
    "frequency correction": ["turn_all_body", "[unknown] (/usr/lib/libvolk.so.3.0)"],
    "sample copies": ["__memmove_avx512_unaligned_erms", "__memset_evex"],
    "search, preambles": ["gr::wimax::phy::ShortPreambleSearch::push", "gr::wimax::phy::ChannelEstimator::estimate"],
    "not the receiver": ["wimax::channel::PropagationPath::accumulate", "gr::wimax::phy::Modulator::downlink", "_dl_relocate_object",
                         "gr::wimax::phy::ConvolutionalEncoder::encode"],
    "other": ["main"],
}


class Profile(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def program(self, name, text):
        with open(self.path(name), "w") as file:
            file.write(f"#!{sys.executable}\n{text}")
        os.chmod(self.path(name), 0o755)

    def perf(self, lines):
        """`perf record ... TOOL ...` notes what it was asked and leaves a speed; `perf script` prints the lines."""
        self.program("perf", f"import json, sys\nif sys.argv[1] == 'script': print({lines!r}); sys.exit()\n"
                             f"json.dump(sys.argv[1:], open({self.path('asked')!r}, 'w'))\n"
                             "json.dump({'items': [{'cpu_value': 72.0}]}, open(sys.argv[-1], 'w'))\n")
        return mock.patch.dict(os.environ, {"PATH": self.folder.name + ":" + os.environ["PATH"]})

    def test_every_symbol_counts_for_its_stage(self):
        for stage, symbols in SYMBOLS.items():
            with self.perf("\n".join(f"  7f01 {symbol} (/bin/x)" for symbol in ["start_thread", *symbols]) + "\n\n"):
                _, stages = tables.samples_by_stage("tool")
            expected = {"other": 1 + len(symbols)} if stage == "other" else {"other": 1, stage: len(symbols)}
            expected.pop("not the receiver", None)
            self.assertEqual(dict(stages), expected)

    def test_arguments(self):
        with mock.patch.object(tables, "profile") as drawn, mock.patch.object(sys, "argv", ["x", "profile", "tool", "picture"]):
            self.assertEqual(tables.main(), 0)
        drawn.assert_called_once_with("tool", "picture")

    def test_shares_and_microseconds(self):
        """72 MS/s: a symbol of 288 samples takes 4 us. Of 11 samples one is not the receiver's: shares are of the other ten."""
        lines = ["demap_64qam"] * 5 + ["ReedSolomon"] * 3 + ["main"] * 2 + ["modulate"]
        out = io.StringIO()
        with self.perf("\n".join(f"7f00 {name} (/bin/x)" for name in lines)), contextlib.redirect_stdout(out):
            tables.profile("/the/tool", self.path("out.svg"))
        self.assertEqual(out.getvalue().splitlines(), ["| soft bits | 50.0% | 2.00 |", "| Reed-Solomon | 30.0% | 1.20 |",
                                                       "| other | 20.0% | 0.80 |"])
        with open(self.path("asked")) as file:
            asked = json.load(file)
        self.assertEqual(asked[:2], ["record", "-q"])
        self.assertEqual(asked[asked.index("/the/tool"):][:5], ["/the/tool", "--items", "rx_64qam34", "--rounds", "200"])
        with open(self.path("out.svg")) as file:
            picture = file.read()
        for words in ("50%", "30%", "20%", "soft bits", "4.0 µs together"):
            self.assertIn(words, picture)


class Table(unittest.TestCase):
    def test_values_and_times_of_real_time(self):
        """Rates: as much more real time as the value by CPU time is higher; durations: as it is lower."""
        results = [{"isa": "avx2", "items": [
            {"name": "rx", "unit": "MS/s", "value": 50.0, "cpu_value": 60.0, "x_real_time": 8.0},
            {"name": "frame", "unit": "us", "value": 100.0, "cpu_value": 80.0, "x_real_time": 100.0}]},
                   {"isa": "sse4", "items": [{"name": "tx", "unit": "MS/s", "value": 1234.0, "cpu_value": 1234.0, "x_real_time": 200.0}]}]
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, result in enumerate(results):
                paths.append(os.path.join(folder, f"{i}.json"))
                with open(paths[-1], "w") as file:
                    json.dump(result, file)
            for key, rows in (("value", ["| `rx` | MS/s | 50 | 8 | - | - |", "| `frame` | us | 100 | 100 | - | - |"]),
                              ("cpu_value", ["| `rx` | MS/s | 60 | 9.6 | - | - |", "| `frame` | us | 80 | 125 | - | - |"])):
                out = io.StringIO()
                with contextlib.redirect_stdout(out):
                    tables.table(paths, key)
                self.assertEqual(out.getvalue().splitlines(),
                                 ["| | unit | avx2 | × real time | sse4 | × real time |", "|---|---|---:|---:|---:|---:|", *rows,
                                  "| `tx` | MS/s | - | - | 1.23e+03 | 200 |"])


if __name__ == "__main__":
    unittest.main()
