# SPDX-License-Identifier: GPL-3.0-or-later
import unittest

import numpy as np

import wimax

BURST = {"rate_id": 3, "diuc": 0, "data_symbols": 4, "payload": "0123456789ABCDEF"}


class Signals(unittest.TestCase):
    def test_there_and_back(self):
        samples = wimax.generate({"bursts": [BURST], "lead_in_samples": 1000, "frame_number": 13, "bsid": "20E9FA000001"})
        self.assertEqual((samples.dtype, samples.ndim), (np.complex64, 1))
        self.assertEqual(len(samples), 1000 + (3 + 4) * 288)  # long preamble of two symbols and the FCH before them
        self.assertAlmostEqual(float(np.mean(np.abs(samples[1000 + 3 * 288:]) ** 2)), 1.0, delta=0.15)
        heard = wimax.impair(samples, snr_db=25, cfo_hz=4000, delay_samples=100.5, seed=5)
        frame, = wimax.decode(heard)["frames"]
        self.assertAlmostEqual(frame["start_sample"], 1100.5, delta=2)
        self.assertAlmostEqual(frame["cfo_hz"], 4000, delta=100)
        self.assertAlmostEqual(frame["snr_db"], 25, delta=2)
        burst, = frame["bursts"]
        self.assertEqual((burst["rate_id"], burst["fec_ok"], burst["payload"][:16]), (3, True, "0123456789ABCDEF"))

    def test_the_same_seed_is_the_same_channel(self):
        samples = wimax.generate({"bursts": [BURST]})
        once, again, other = (wimax.impair(samples, snr_db=10, channel="sui3", seed=seed) for seed in (1, 1, 2))
        np.testing.assert_array_equal(once, again)
        self.assertFalse(np.array_equal(once, other))

    def test_channels_out_of_range(self):
        for name, value in (("delay_samples", float("nan")), ("delay_samples", 1e10), ("sfo_ppm", 1e12), ("gain_db", 300), ("cfo_hz", float("inf")), ("snr_db", -200)):
            with self.subTest(name, value=value), self.assertRaisesRegex(ValueError, f"{name}: value .*: allowed"):
                wimax.impair(np.ones(10), **{name: value})

    def test_radios(self):
        samples = wimax.generate({"bursts": [BURST]})
        heard = wimax.impair(samples, receiver={"dc_dbc": -25})
        self.assertAlmostEqual(10 * np.log10(np.mean(np.abs(heard - samples) ** 2)), -25, delta=0.01)
        sent = wimax.impair(samples, transmitter={"bits": 8, "phase_noise_mask": "1e3:-80,1e6:-120"})
        self.assertLess(10 * np.log10(np.mean(np.abs(sent - samples) ** 2)), -20)
        with self.assertRaises(ValueError) as raised:
            wimax.impair(samples, receiver={"bits": 33, "dc": -25, "phase_noise_mask": "x", "image_dbc": "-30"})
        for words in ("bits: allowed", "dc: unknown key; allowed dc_dbc, image_dbc", "phase_noise_mask", "image_dbc: allowed"):
            self.assertIn(words, str(raised.exception))

    def test_an_uplink_burst(self):
        burst = {"direction": "uplink", "uiuc": 7, "rate_id": 2, "data_symbols": 2, "midamble_interval": 0, "subchannel_index": 16}
        samples = wimax.generate({**burst, "payload": "CAFE"})
        self.assertEqual(wimax.decode(samples, {**burst, "cp": "1/8", "bsid": "000000000001", "frame_number": 0})["frames"][0]["bursts"][0]["payload"][:4], "CAFE")

    def test_noise_has_no_frames(self):
        noise = np.random.default_rng(1).normal(size=(40_000, 2)).astype(np.float32).view(np.complex64)[:, 0]
        self.assertEqual(wimax.decode(noise)["frames"], [])

    def test_what_is_wrong_is_said_all_of_it(self):
        with self.assertRaises(ValueError) as raised:
            wimax.generate({"bursts": [{**BURST, "rate_id": 9, "data_symbols": -1}]})
        self.assertIn("rate_id", str(raised.exception))
        self.assertIn("data_symbols", str(raised.exception))
        with self.assertRaisesRegex(ValueError, "channel: "):
            wimax.impair(np.zeros(10), channel="nowhere")
        for wrong in ("x", {}, [[1], [2, 3]]):
            with self.assertRaisesRegex(ValueError, "samples: .* is not an array of complex numbers"):
                wimax.decode(wrong)
        with self.assertRaisesRegex(ValueError, "one-dimensional"):
            wimax.decode(np.zeros((2, 2)))

    def test_sample_rates(self):
        self.assertEqual(wimax.sample_rate_hz(5_000_000), 5.76e6)
        self.assertEqual(wimax.sample_rate_hz(20_000_000), 23.04e6)
        with self.assertRaisesRegex(ValueError, "bandwidth_hz"):
            wimax.sample_rate_hz(1)


if __name__ == "__main__":
    unittest.main()
