# SPDX-License-Identifier: GPL-3.0-or-later
"""report.py: what its tables say and what its pictures show, of figures and channels that are known."""
import html
import re
import unittest
from unittest import mock

import matplotlib.pyplot as plt
import numpy as np

from wimax_tools.signal import analysis
from wimax_tools.signal import overview
from wimax_tools.signal import report
from wimax_tools.signal import tables
from wimax_tools.signal.analysis import CARRIERS, FFT
from wimax_tools.signal.test_analysis import LENGTH, LIMITS, RATE, SENT, Signal, loaded

FIGURES = {
    "constellation": [{"rate_id": 1, "rate": "QPSK 1/2", "symbols": 12, "error_db": -20.04, "limit_db": -16, "margin_db": 4.04},
                      {"rate_id": 6, "rate": "64-QAM 3/4", "symbols": 7, "error_db": -30.5, "limit_db": -31, "margin_db": -0.5}],
    "flatness": {"margin_db": -0.25, "peak_to_peak_db": 2.345, "neighbour_db": 0.125, "neighbour_limit_db": 0.1},
    "carrier_zero": {"level_db": -14.5, "limit_db": -15},
    "mask": {"margin_db": 3.21, "at_hz": -2.71e6, "resolution_hz": 33750, "frequency_hz": [-2.88e6, 0, 2.88e6],
             "density_db": [-30, 0, -30], "limit_db": [-26, None, -26]},
    "crest": {"papr_db": 10.25, "ccdf_db": {"0.1": 3.6, "0.01": 6.6, "0.001": 8.41, "0.0001": 9.6},
              "level_db": [0, 5, 10], "probability": [0.37, 0.04, 0]}}


class Page(report.Page):
    """Keeps the figures themselves."""

    def __init__(self):
        super().__init__(None)
        self.figures = {}

    def figure(self, figure, name, title):
        self.figures[name] = figure

    def rows(self):
        """Cells of every table row as (text, class)."""
        return [[(html.unescape(text), mark) for mark, text in re.findall(r'<t[dh](?: class="(\w+)")?>(.*?)</t[dh]>', row)]
                for row in re.findall(r"<tr>(.*?)</tr>", self.text("", ""))]


def line(axis, number):
    return np.array(axis.lines[number].get_xdata(), float), np.array(axis.lines[number].get_ydata(), float)


class Tables(unittest.TestCase):
    def texts(self, figures):
        page = Page()
        report.summary(page, figures)
        return {row[0][0]: row[1:] for row in page.rows()[1:]}, page

    def test_summary(self):
        rows, page = self.texts(FIGURES)
        plain = {name: [text for text, _ in cells] for name, cells in rows.items()}
        self.assertEqual(plain, {
            "Constellation error, QPSK 1/2": ["-20.0 dB", "-16.0 dB", "+4.0 dB", "pass", "12 symbols"],
            "Constellation error, 64-QAM 3/4": ["-30.5 dB", "-31.0 dB", "-0.5 dB", "fail", "7 symbols"],
            "Spectral flatness, peak to peak": ["2.35 dB", "±2, outer +2/−4 dB", "-0.25 dB", "fail", "carriers ±1..±100"],
            "Neighbouring carriers, largest step": ["0.125 dB", "0.1 dB", "-0.025 dB", "fail", ""],
            "Carrier 0 against all": ["-14.5 dB", "-15 dB", "-0.5 dB", "fail", ""],
            "Spectral mask, nearest approach": ["at -2.710 MHz", "mask", "+3.2 dB", "pass", "±2.88 MHz, 33.8 kHz"],
            "Peak to average power": ["10.2 dB", "–", "–", "–", "8.4 dB exceeded by 0.1 %"]})
        marks = {cells[3] for cells in rows.values()}
        self.assertEqual(marks, {("pass", "ok"), ("fail", "bad"), ("–", "")})
        self.assertIn("below 5, 9, 16.5, 23 dB CINR", page.text("", ""))

    def test_a_received_signal_is_not_judged(self):
        page = Page()
        report.summary(page, FIGURES, transmitter=False)
        rows = {row[0][0]: row[1:] for row in page.rows()[1:]}
        self.assertEqual([text for text, _ in rows["Constellation error, 64-QAM 3/4"]], ["-30.5 dB", "7 symbols"])
        self.assertFalse({mark for cells in rows.values() for _, mark in cells} & {"ok", "bad"})
        self.assertNotIn("Spectral mask, nearest approach", rows)
        self.assertIn("--transmitter", page.text("", ""))
        self.assertEqual(report.error_limit(LIMITS, 6, True)[0], -31)
        self.assertEqual(report.error_limit(LIMITS, 6, False)[0], -21)

    def test_long_payloads_break_and_name_what_is_left(self):
        text = tables.shown("ab" * 1000)
        self.assertEqual(text.count("ab"), 256)
        self.assertTrue(text.endswith("ab … and 744 octets, in the JSON result"))
        self.assertEqual(tables.shown("0102"), "0102")

    def test_a_margin_of_nothing_passes(self):
        self.assertEqual([tables.verdict(m) for m in (0.0, 1e-6, -1e-6)], ["pass", "pass", "fail"])
        inside = dict(FIGURES, carrier_zero={"level_db": -15.5, "limit_db": -15})
        self.assertEqual(self.texts(inside)[0]["Carrier 0 against all"][2:4], [("+0.5 dB", ""), ("pass", "ok")])

    def test_bursts(self):
        burst = {"index": 2, "rate_id": 4, "diuc": 5, "start_symbol": 9, "data_symbols": 3, "evm_db": -31.26, "cinr_db": 30.04,
                 "fec_ok": True, "corrected_bytes": 7, "payload": "ab" * 40}
        bad = dict(burst, index=3, uiuc=8, fec_ok=False, stc=True, payload="01")
        frame = {"start_sample": 1234, "cp": "1/16", "cfo_hz": -512.34, "sfo_ppm": 1.236, "snr_db": 29.96, "rssi_dbfs": -3.04,
                 "fch": {"hcs_ok": False, "frame_number_lsb": 11}, "bursts": [burst, bad]}
        page = Page()
        report.tables(page, {"direction": "downlink", "frames": [frame]})
        _, first, _, *rows = [[text for text, _ in row] for row in page.rows()]
        self.assertEqual(first, ["0", "1234", "1/16", "-512.3", "1.24", "30.0", "-3.0", "failed", "11"])
        self.assertEqual(rows, [["0", "2", "16-QAM 3/4", "5", "9", "3", "-31.3", "30.0", "ok", "7", "40", " ".join(["ab" * 8] * 5)],
                                ["0", "3", "16-QAM 3/4, STC", "8", "9", "3", "-31.3", "30.0", "failed",
                                 "7", "1", "01"]])


class Pictures(unittest.TestCase):
    def setUp(self):
        self.addCleanup(plt.close, "all")
        self.page = Page()

    def test_spectrum_in_megahertz_with_its_nearest_point(self):
        report.draw_spectrum(self.page, FIGURES, 5e6)
        axis = self.page.figures["spectrum"].axes[0]
        np.testing.assert_allclose(line(axis, 0), ([-2.88, 0, 2.88], [-30, 0, -30]))
        np.testing.assert_allclose(line(axis, 1)[1], [-26, np.nan, -26])
        self.assertEqual([axis.lines[i].get_xdata()[0] for i in (2, 3)], [-2.5, 2.5])
        np.testing.assert_allclose(line(axis, 4), ([-2.71], [np.interp(-2.71, [-2.88, 0], [-30, 0])]))

    def test_crest_against_gaussian(self):
        report.draw_ccdf(self.page, FIGURES)
        axis = self.page.figures["ccdf"].axes[0]
        np.testing.assert_allclose(line(axis, 0), ([0, 5, 10], [0.37, 0.04, np.nan]))
        np.testing.assert_allclose(line(axis, 1)[1], np.exp([-1, -10 ** 0.5, -10]))

    def test_frame_over_time(self):
        """Symbols of 50 us: bursts where they are, carriers' power in dBFS, power over time, error per symbol."""
        signal = Signal((1, 3, 4), (6, 9, 6))
        for burst in signal.bursts:
            burst.update(fec_ok=True, subchannel_index=16)
        signal.points[2, SENT & ~analysis.PILOTS] += 0.1  # second burst follows: symbol 5, -20 dB
        signal.wave[4 * LENGTH:5 * LENGTH] *= 0.1
        _, (frame,), recording = loaded(signal)
        report.draw_frame(self.page, 0, frame, recording, LIMITS)
        names, plane, level, errors = self.page.figures["frame-0"].axes[:4]
        boxes = sorted((round(p.get_x(), 6), round(p.get_width(), 6)) for p in names.patches)
        self.assertEqual(boxes, [(0.0, 0.1), (0.1, 0.05), (0.15, 0.2), (0.45, 0.3)])
        image = plane.images[0]
        self.assertEqual(tuple(image.get_extent()), (0, 0.75, -128.5, 127.5))
        self.assertAlmostEqual(float(image.get_array()[FFT // 2 + 20, 3]), 0, delta=0.05)
        self.assertAlmostEqual(float(image.get_array()[FFT // 2 + 20, 4]), -20, delta=0.05)
        time, power = line(level, 0)
        self.assertAlmostEqual(np.median(power[(time > 0.16) & (time < 0.19)]), 0, delta=2)
        self.assertLess(power[(time > 0.21) & (time < 0.24)].mean(), -15)
        self.assertLess(power[time < -0.01].max(), -60)
        symbols, evm = line(errors, 0)
        np.testing.assert_allclose(symbols, [0.175, 0.225, 0.275, 0.325])
        self.assertAlmostEqual(evm[2], -20, delta=0.01)
        np.testing.assert_allclose(line(errors, 1)[0], 0.05 * (np.arange(9, 15) + 0.5))

    def test_channel_with_a_known_delay(self):
        """Gain -6 dB and 2.5 samples (0.434 us) behind the first path's window: flat, falling phase, the peak at that delay."""
        signal = Signal((1, 3, 4))
        signal.response = signal.response * 0.5 * np.exp(-2j * np.pi * CARRIERS * 2.5 / FFT)
        _, (frame,), recording = loaded(signal)
        report.draw_channel(self.page, 0, frame, recording)
        magnitude, phase, delay, impulse = self.page.figures["channel-0"].axes
        for number in (0, 1):  # measured on data symbols, the receiver's estimate
            np.testing.assert_allclose(line(magnitude, number)[1], 20 * np.log10(0.5), atol=0.02)
        carriers, degrees = line(phase, 0)
        self.assertAlmostEqual(np.polyfit(carriers, degrees, 1)[0], -360 * 2.5 / FFT, delta=0.001)
        np.testing.assert_allclose(line(delay, 0)[1], 2.5 / RATE * 1e6, atol=1e-3)
        time, taps = line(impulse, 0)
        self.assertAlmostEqual(time[np.argmax(taps)], 2.5 / RATE * 1e6, delta=1e-3)
        self.assertAlmostEqual(taps.max(), 0, delta=1e-6)
        prefix = impulse.patches[0].get_extents().transformed(impulse.transData.inverted())
        self.assertAlmostEqual(prefix.x1, 32 / RATE * 1e6)

    def test_evm_and_flatness_over_carriers(self):
        signal = Signal((3, 3, 4))
        signal.points[:, 30] += 0.05
        decoded, frames, recording = loaded(signal)
        _, flat = analysis.measure(decoded, frames, recording)
        report.draw_carriers(self.page, 0, frames[0], flat, LIMITS, transmitter=True)
        evm, level = self.page.figures["evm-flatness-0"].axes
        self.assertAlmostEqual(line(evm, 0)[1][30], 20 * np.log10(0.05) - 10 * np.log10(np.mean(
            np.abs(frames[0].want[:, 30]) ** 2)), delta=0.05)
        np.testing.assert_allclose(line(level, 0)[1][SENT & (CARRIERS != 30 - 100)], 0, atol=0.01)
        limits = [line(level, n)[1] for n in (1, 2)]
        self.assertEqual([float(limits[0][100 + k]) for k in (-100, -51, -50, 50, 51)], [-4, -4, -2, -2, -4])
        self.assertEqual({float(v) for v in limits[1]}, {2.0})

    def test_trends_show_the_worst_of_neighbours(self):
        """5000 frames in 2000 points at most: a single failure and a single bad error stay visible."""
        count = 5000
        trends = {name: np.zeros(count) for name in ("snr_db", "rssi_dbfs", "cfo_hz", "sfo_ppm", "failed", "bursts", "corrected_bytes")}
        trends |= {"start_sample": np.arange(count) * RATE / 100, "fch_ok": np.ones(count), "evm_db": np.full((count, 7), np.nan)}
        trends["failed"][1234], trends["evm_db"][:, 3] = 1, -30
        trends["evm_db"][77, 3], trends["snr_db"][77] = -10, -5
        overview.draw_trends(self.page, {"sample_rate_hz": RATE, "limits": LIMITS}, trends)
        levels, errors, _, _, counts = self.page.figures["trends"].axes
        time, snr = line(levels, 0)
        self.assertLessEqual(len(time), overview.MOST_POINTS)
        self.assertAlmostEqual(time[np.argmin(snr)], 0.75)
        self.assertEqual(snr.min(), -5)
        self.assertEqual(line(errors, 0)[1].max(), -10)
        self.assertEqual(line(errors, 1)[1][0], -11.5)
        self.assertEqual(line(counts, 1)[1].sum(), 1)
        self.assertIn("1 of 0", counts.get_legend().get_texts()[1].get_text())

    def test_power_of_the_whole_recording(self):
        decoded = {"power": {"bin_samples": 100, "energy": [100, 1, 5], "peak": [4, 1, 1]}, "sample_rate_hz": 1000,
                   "recording": {"samples": 250}}
        time, mean, peak = overview.power_over_time(decoded)
        np.testing.assert_allclose(time, [0.05, 0.15, 0.25])
        np.testing.assert_allclose(mean, [0, -20, -10])
        np.testing.assert_allclose(peak, [10 * np.log10(4), 0, 0])

    def test_tracking(self):
        signal = Signal((1, 3, 4))
        for i, seen in enumerate(signal.seen):
            seen.update(phase_rad=np.pi / 2 * i, delay_samples=0.25 * i)
        _, (frame,), _ = loaded(signal)
        report.draw_tracking(self.page, 0, frame)
        left, right = self.page.figures["tracking-0"].axes
        np.testing.assert_allclose(line(left, 0), ([3, 4, 5, 6], [0, 90, 180, 270]), atol=1e-6)
        np.testing.assert_allclose(line(right, 0)[1], [0, 0.25, 0.5, 0.75])


class Frames(unittest.TestCase):
    def test_a_note_says_how_many_are_left_out(self):
        frame, most = mock.Mock(symbol=[]), report.DRAWN_FRAMES
        decoded = {"transmitter": True, "frames": [1], "bandwidth_hz": 5e6, "direction": "downlink", "limits": {}}
        quiet = dict.fromkeys(("summary", "draw_spectrum", "draw_ccdf", "tables", "overview"), mock.DEFAULT)
        for count, loaded, drawn in ((1, 1, None), (most, most, None), (most + 1, most + 1, most), (most, most - 1, most - 1)):
            page = mock.Mock()
            with mock.patch.multiple(report, **quiet), mock.patch.object(report, "draw_frame") as draw, mock.patch.object(report, "analysis") as analysis:
                analysis.loaded.return_value = None, [frame] * loaded, None
                analysis.measure.return_value = {}, None
                report.describe(page, {**decoded, "frame_count": count})
            said = [call.args[0] for call in page.note.call_args_list]
            self.assertEqual((said, draw.call_count), ([f"{count} frames decoded, {loaded} measured, {drawn} drawn."] if drawn else [], min(loaded, most)))


if __name__ == "__main__":
    unittest.main()
