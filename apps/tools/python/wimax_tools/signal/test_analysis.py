# SPDX-License-Identifier: GPL-3.0-or-later
"""analysis.py on signals whose figures are known by construction: every figure of the report within 0.1 dB, most far closer."""
import json
import pathlib
import tempfile
import unittest

import numpy as np

from wimax_tools.signal import analysis
from wimax_tools.signal.analysis import CARRIERS, EDGE, FFT, PILOTS

RATE, BANDWIDTH, CP = 5_760_000, 5_000_000, 32
LENGTH = FFT + CP
BINS_HZ = RATE / analysis.SPECTRUM_BINS
LIMITS = {"constellation_error_db": [-13, -16, -18.5, -21.5, -25, -28.5, -31], "neighbour_db": 0.1, "carrier_zero_db": -15,
          "receiver_snr_db": [3, 6, 8.5, 11.5, 15, 19, 21],
          "flatness": [{"last_offset": 50, "low_db": -2, "high_db": 2}, {"last_offset": 100, "low_db": -4, "high_db": 2}],
          "mask": [{"bandwidths": b, "level_db": l} for b, l in ((0.475, 0), (0.545, -25), (0.975, -32), (1.475, -50))]}
BITS = (1, 2, 2, 4, 4, 6, 6)
SENT = CARRIERS != 0


def db(power):
    return 10 * np.log10(power)


def carriers(rng, rate_id, symbols):
    """Rows of random constellation points of unit mean power, pilots 1, nothing on carrier 0."""
    bits = BITS[rate_id]
    levels = np.arange(1 - 2 ** (max(bits, 2) // 2), 2 ** (max(bits, 2) // 2), 2)
    re, im = (rng.choice(levels, (symbols, len(CARRIERS))) for _ in range(2))
    points = (re + 1j * im) / np.sqrt(2 * np.mean(levels ** 2.0)) if bits > 1 else np.sign(re) + 0j
    points[:, PILOTS] = 1
    points[:, ~SENT] = 0
    return points


def modulated(rows):
    """Symbols with cyclic prefix; mean power 1 for 200 carriers of mean power 1."""
    bins = np.zeros((len(rows), FFT), complex)
    bins[:, CARRIERS % FFT] = rows
    body = np.fft.ifft(bins) * FFT / np.sqrt(analysis.USED)
    return np.hstack((body[:, -CP:], body)).ravel()


class Signal:
    """One downlink frame as `wimax-iq decode --report` leaves it. Bursts are (rate_id, first symbol, data symbols)."""

    def __init__(self, *bursts, seed=1, start=2000):
        rng = np.random.default_rng(seed)
        self.start, self.cfo_hz, self.bursts = start, 0.0, []
        self.points, self.response, self.seen = [], [], []
        self.wave = np.zeros((max(first + n for _, first, n in bursts), LENGTH), complex)
        self.wave[:3] = modulated(carriers(rng, 1, 3)).reshape(3, LENGTH)  # stands for preamble and FCH
        for index, (rate_id, first, symbols) in enumerate(bursts, 1):
            rows = carriers(rng, rate_id, symbols)
            self.wave[first:first + symbols] = modulated(rows).reshape(symbols, LENGTH)
            self.points.append(rows)
            self.seen += [{"burst_index": index, "symbol": first + i, "response_window": start + CP, "phase_rad": 0,
                           "delay_samples": 0} for i in range(symbols)]
            self.bursts.append({"index": index, "rate_id": rate_id, "rate": f"rate {rate_id}", "bits_per_carrier": BITS[rate_id],
                                "cinr_db": 40, "start_symbol": first, "data_symbols": symbols, "end_symbol": first + symbols})
        self.points = np.vstack(self.points)
        self.response = np.where(SENT, np.ones_like(self.points), 0)
        self.wave = self.wave.ravel()

    def described(self):
        return {"cp": "1/8", "start_sample": self.start, "start_fraction": 0.0, "cfo_hz": self.cfo_hz, "symbols": self.seen,
                "bursts": self.bursts, "fch": {"hcs_ok": True}}


def loaded(*signals, recording=None, first=1500, bandwidth=BANDWIDTH):
    """What analysis.load() makes of the files."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        end = max(s.start + len(s.wave) for s in signals)
        samples = np.zeros(end + 500 - first, np.complex64)
        for number, signal in enumerate(signals):
            at = signal.start - first
            turn = np.exp(2j * np.pi * signal.cfo_hz / RATE * np.arange(len(signal.wave)))
            samples[at:at + len(signal.wave)] += (signal.wave * turn).astype("<c8")
            rows = np.stack((signal.points, signal.response, np.zeros_like(signal.points)), axis=1)
            rows.astype("<c8").tofile(folder / f"symbols-{number}.cf32")
        (recording(samples, first) if recording else samples).astype("<c8").tofile(folder / "recording.cf32")
        (folder / "decoded.json").write_text(json.dumps(
            {"first_sample": first, "sample_rate_hz": RATE, "bandwidth_hz": bandwidth, "direction": "downlink", "limits": LIMITS,
             "frames": [s.described() for s in signals]}))
        return analysis.load(folder)


def figures(*signals, **how):
    return analysis.measure(*loaded(*signals, **how))


class Decisions(unittest.TestCase):
    def test_nearest_points_up_to_the_boundaries(self):
        for bits in (1, 2, 4, 6):
            levels = np.array([-1, 1]) if bits == 1 else np.arange(1 - 2 ** (bits // 2), 2 ** (bits // 2), 2)
            scale = 1 if bits == 1 else np.sqrt(2 * np.mean(levels ** 2.0))
            for re in levels:
                for im in [0] if bits == 1 else levels:
                    for dx, dy in ((0.95, 0.95), (-0.95, 0.95), (0.95, -0.95), (-0.95, -0.95)):
                        point = (re + dx + 1j * (im + dy)) / scale
                        got = analysis.decide(np.array([point]), bits)[0]
                        self.assertAlmostEqual(abs(got - (re + 1j * im) / scale), 0, places=9, msg=(bits, point))


class ConstellationError(unittest.TestCase):
    def test_known_errors_by_rate(self):
        """Errors of -40, -30 and -34 dB on the data carriers; those of pilots, 20 dB larger, do not count."""
        signal = Signal((1, 3, 4), (3, 7, 6), (6, 13, 10))
        rng = np.random.default_rng(2)
        errors = {0: -40, 1: -30, 2: -34}
        expected = {}
        row = 0
        for index, burst in enumerate(signal.bursts):
            part = slice(row, row + burst["data_symbols"])
            row += burst["data_symbols"]
            power = np.mean(np.abs(signal.points[part][:, SENT & ~PILOTS]) ** 2)
            expected[burst["rate_id"]] = errors[index] - db(power)
            size = 10 ** (errors[index] / 20) * np.where(PILOTS, 10, SENT)
            signal.points[part] += size * np.exp(2j * np.pi * rng.random(signal.points[part].shape))
        got = figures(signal)[0]["constellation"]
        self.assertEqual([(c["rate_id"], c["rate"], c["symbols"], c["limit_db"]) for c in got],
                         [(1, "rate 1", 4, -16), (3, "rate 3", 6, -21.5), (6, "rate 6", 10, -31)])
        for c in got:
            self.assertAlmostEqual(c["error_db"], expected[c["rate_id"]], delta=0.001)
            self.assertAlmostEqual(c["margin_db"], c["limit_db"] - expected[c["rate_id"]], delta=0.001)

    def test_frames_of_one_rate_are_weighed_by_their_symbols(self):
        """-30 dB in one symbol and none in three: -36 dB together."""
        bad, good = Signal((1, 3, 1), start=2000), Signal((1, 3, 3), start=8000)
        bad.points[:, SENT & ~PILOTS] += 10 ** -1.5
        got, = figures(bad, good)[0]["constellation"]
        self.assertEqual(got["symbols"], 4)
        self.assertAlmostEqual(got["error_db"], -30 - db(4), delta=0.001)

    def test_errors_by_symbol_and_carrier(self):
        signal = Signal((1, 3, 2))
        signal.points[1, 7] += 0.1
        _, (frame,), _ = loaded(signal)
        rows = np.array([True, True])
        self.assertAlmostEqual(frame.error_db(rows, axis=1)[1], db(0.01 / 192), places=4)
        self.assertAlmostEqual(frame.error_db(rows, axis=0)[7], db(0.01 / 2), places=4)
        self.assertTrue(np.isnan(frame.error_db(rows, axis=0)[[EDGE, 12]]).all())  # carrier 0 and pilot -88


class Flatness(unittest.TestCase):
    def flat(self, gains_db, signal=None):
        signal = signal or Signal((1, 3, 4))
        response = np.ones(len(CARRIERS))
        for offset, gain in gains_db.items():
            response[EDGE + offset] = 10 ** (gain / 20)
        signal.response = signal.response * response
        inner = [response[EDGE + k] ** 2 for k in range(-50, 51) if k]
        return figures(signal)[0]["flatness"], db(np.mean(inner))

    def test_ripple_up_and_down_against_either_limit(self):
        for gains, limit_db, offset in (({30: 1.5}, 2, 30), ({-30: -1.4}, -2, -30), ({70: -3.2}, -4, 70), ({-70: 1.7}, 2, -70),
                                        ({50: -1.9, 51: -3.5}, -2, 50), ({-51: -3.9}, -4, -51)):
            flat, mean_db = self.flat(gains)
            level = gains[offset] - mean_db
            self.assertAlmostEqual(flat["margin_db"], limit_db - level if limit_db > 0 else level - limit_db, delta=0.001,
                                   msg=gains)

    def test_beyond_the_limits_the_margin_is_negative(self):
        self.assertAlmostEqual(self.flat({80: 2.5})[0]["margin_db"], -0.5, delta=0.001)
        self.assertAlmostEqual(self.flat({80: -4.3})[0]["margin_db"], -0.3, delta=0.001)

    def test_steps_and_span(self):
        """The largest step between neighbours, whatever the others are; across carrier 0 there is none."""
        flat, _ = self.flat({60: 0.3, 61: 1.2, 62: 1.0, -80: -0.4})
        self.assertAlmostEqual(flat["neighbour_db"], 1.0, delta=0.001)  # 62 to 63
        self.assertAlmostEqual(flat["peak_to_peak_db"], 1.6, delta=0.001)
        self.assertEqual(flat["neighbour_limit_db"], 0.1)
        step, _ = self.flat({k: 0.5 for k in range(1, 101)})
        self.assertAlmostEqual(step["neighbour_db"], 0, delta=0.001)
        self.assertAlmostEqual(step["peak_to_peak_db"], 0.5, delta=0.001)

    def test_unreliable_bursts_do_not_count(self):
        """Wrong decisions would bend the channel; 23 dB is where those of 64-QAM begin."""
        signal = Signal((6, 3, 4), (1, 7, 4))
        signal.bursts[0]["cinr_db"] = 22.9
        signal.response[:4, EDGE + 20] *= 2
        self.assertAlmostEqual(self.flat({}, signal)[0]["peak_to_peak_db"], 0, delta=0.001)
        signal.bursts[0]["cinr_db"] = 23.1
        self.assertGreater(self.flat({}, signal)[0]["peak_to_peak_db"], 1)

    def test_part_of_the_band_has_no_flatness(self):
        signal = Signal((1, 3, 4))
        signal.points[:, :100] = 0
        self.assertNotIn("flatness", figures(signal)[0])


class Mask(unittest.TestCase):
    RESOLUTION = 1.5 * RATE / analysis.SPECTRUM_WINDOW  # noise bandwidth of a Hann window

    def tone(self, bins, level_db, bandwidth=BANDWIDTH, cfo_bins=0):
        """Figures of a frame with a tone whose density is `level_db` against that of the carriers."""
        signal = Signal((1, 3, 60))
        power = 10 ** (level_db / 10) * self.RESOLUTION / (RATE / FFT) / analysis.USED  # a carrier: 1/200 in 22.5 kHz
        signal.wave += np.sqrt(power) * np.exp(2j * np.pi * bins / analysis.SPECTRUM_BINS * np.arange(len(signal.wave)))
        signal.cfo_hz = cfo_bins * BINS_HZ
        return figures(signal, bandwidth=bandwidth)[0]["mask"]

    def test_limit_between_its_points(self):
        """By hand: 0, a third of the way, -25, half way to -32, -32, half way to -50, the last level beyond; both sides."""
        at = np.array([0.475, 0.475 + 0.07 / 3, 0.545, 0.76, 0.975, 1.225, 1.475, 1.8]) * BANDWIDTH
        expected = [0, -25 / 3, -25, -28.5, -32, -41, -50, -50]
        for sign in (1, -1):
            np.testing.assert_allclose(analysis.mask_at(sign * at, LIMITS, BANDWIDTH), expected, atol=1e-9)
        self.assertTrue(np.isnan(analysis.mask_at(np.array([0, 0.4749 * BANDWIDTH]), LIMITS, BANDWIDTH)).all())

    def nearest(self, bins, level_db, bandwidth=BANDWIDTH):
        """Where the window's main lobe around a tone comes nearest to the mask: (margin, Hz)."""
        window, found = np.hanning(analysis.SPECTRUM_WINDOW + 1)[:-1], []
        for beside in range(-6, 7):
            turn = np.exp(-2j * np.pi * beside / analysis.SPECTRUM_BINS * np.arange(len(window)))
            lobe = 20 * np.log10(abs(np.sum(window * turn)) / np.sum(window))
            hz = (bins + beside) * BINS_HZ
            limit = np.interp(abs(hz) / bandwidth, [p["bandwidths"] for p in LIMITS["mask"]], [p["level_db"] for p in LIMITS["mask"]])
            found.append((limit - level_db - lobe, hz))
        return min(found)

    def test_a_known_crossing(self):
        """Tone in the mask's first slope, at 0.54 bandwidths: the limit is -23.21 dB there. The carriers leak -25 dB."""
        for bins, level in ((480, 0), (-480, 0), (480, 3)):
            mask = self.tone(bins, level)
            margin, hz = self.nearest(bins, level)
            self.assertEqual(mask["at_hz"], hz)
            self.assertAlmostEqual(mask["margin_db"], margin, delta=0.1)
            self.assertAlmostEqual(mask["margin_db"], -25 * 0.065 / 0.07 - level, delta=0.4)
            self.assertAlmostEqual(mask["resolution_hz"], self.RESOLUTION, delta=1)
            self.assertAlmostEqual(mask["density_db"][analysis.SPECTRUM_BINS // 2 + bins], level, delta=0.1)

    def test_the_mask_scales_with_the_channel(self):
        """A channel of 2.5 MHz in the same recording: the tone lies at 1.001 bandwidths, where the limit is -32.9 dB."""
        mask = self.tone(-445, 0, bandwidth=2.5e6)
        inside = np.abs(np.array(mask["frequency_hz"])) < 0.475 * 2.5e6
        self.assertEqual(inside.tolist(), [limit is None for limit in mask["limit_db"]])
        at = analysis.SPECTRUM_BINS // 2 - 445
        self.assertAlmostEqual(mask["frequency_hz"][at], -2_503_125, delta=1)
        self.assertAlmostEqual(mask["limit_db"][at], -32 - 18 * (1.00125 - 0.975) / 0.5, delta=0.01)
        self.assertAlmostEqual(mask["density_db"][at], 0, delta=0.1)

    def test_carrier_offset_is_taken_out(self):
        mask = self.tone(480, 0, cfo_bins=-9)
        margin, hz = self.nearest(480, 0)
        self.assertEqual(mask["at_hz"], hz)
        self.assertAlmostEqual(mask["margin_db"], margin, delta=0.1)

    def test_only_what_is_on_air_counts(self):
        """A pause of 20 symbols filled with a tone 40 dB above the signal."""
        signal = Signal((1, 3, 20), (1, 43, 20))

        def jammed(samples, first):
            begin = signal.start - first + 23 * LENGTH
            samples[begin:begin + 20 * LENGTH] = 100 * np.exp(2j * np.pi * 480 / 1024 * np.arange(20 * LENGTH))
            return samples
        mask = figures(signal, recording=jammed)[0]["mask"]
        self.assertLess(mask["density_db"][analysis.SPECTRUM_BINS // 2 + 480], -20)
        self.assertEqual(analysis.active_stretches(loaded(signal)[1][0]),
                         [(2000, 2000 + 23 * LENGTH), (2000 + 43 * LENGTH, 2000 + 63 * LENGTH)])


class Crest(unittest.TestCase):
    def two_tones(self, per_symbol, phase=0.0, scale=(1, 1)):
        """Bursts of two equal tones: the power over its mean is 1 + cos, so what share exceeds a level is known."""
        signal = Signal((1, 3, 8), (1, 11, 8))
        for burst, gain in zip(signal.bursts, scale):
            at = slice(burst["start_symbol"] * LENGTH, burst["end_symbol"] * LENGTH)
            time = np.arange(8 * LENGTH) / LENGTH
            signal.wave[at] = gain * (np.exp(2j * np.pi * (per_symbol / 2 * time + phase)) +
                                      np.exp(-2j * np.pi * (per_symbol / 2 * time + phase)))
        signal.wave[:3 * LENGTH] *= 30  # what is no data symbol does not count
        return figures(signal)[0]["crest"]

    def test_peak_and_exceeded_levels(self):
        """P(1 + cos x > L) = arccos(L - 1) / pi; bursts of other levels count by their own mean."""
        crest = self.two_tones(10, scale=(1, 0.1))
        self.assertAlmostEqual(crest["papr_db"], db(2), delta=0.001)
        for share, level in crest["ccdf_db"].items():
            self.assertAlmostEqual(level, db(1 + np.cos(np.pi * float(share))), delta=0.01, msg=share)
        self.assertEqual(list(crest["ccdf_db"]), ["0.1", "0.01", "0.001", "0.0001"])
        for level, probability in zip(crest["level_db"], crest["probability"]):
            expected = np.arccos(min(1, 10 ** (level / 10) - 1)) / np.pi
            self.assertAlmostEqual(probability, expected, delta=0.005, msg=level)
        self.assertEqual((crest["level_db"][0], crest["level_db"][1], crest["level_db"][-1]), (0, 0.05, 12.5))

    def test_peaks_between_samples(self):
        """Tones half the rate apart, sampled half way down: each sample has the mean power, the peaks lie between."""
        self.assertAlmostEqual(self.two_tones(LENGTH / 2, phase=1 / 8)["papr_db"], db(2), delta=0.001)


class Carriers(unittest.TestCase):
    def test_carrier_zero(self):
        """-20 dB against all carriers, its own power included."""
        signal = Signal((1, 3, 10))
        signal.cfo_hz = 3000.0
        signal.wave += np.sqrt(0.01 / 0.99)
        zero = figures(signal)[0]["carrier_zero"]
        self.assertAlmostEqual(zero["level_db"], -20, delta=0.05)
        self.assertEqual(zero["limit_db"], -15)

    def test_power_of_every_carrier(self):
        """0 dBFS a carrier where the symbol's mean power is 1; rows are symbols from the frame's start."""
        signal = Signal((1, 3, 10))
        signal.wave[5 * LENGTH:6 * LENGTH] *= 0.5
        _, (frame,), recording = loaded(signal)
        power = recording.symbols(frame)
        self.assertEqual(power.shape, (13, FFT))
        used = power[:, FFT // 2 + CARRIERS[SENT]]
        np.testing.assert_allclose(db(used[4]), 0, atol=0.01)
        np.testing.assert_allclose(db(used[5]), db(0.25), atol=0.01)
        self.assertLess(power[:, :FFT // 2 - EDGE].max(), 1e-6)


if __name__ == "__main__":
    unittest.main()
