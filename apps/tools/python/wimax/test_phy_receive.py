# SPDX-License-Identifier: GPL-3.0-or-later
"""Reception in wimax.phy: random bursts against the base station's receiver, a downlink frame stage by stage, whole signals, measures."""
import os
import sys
import threading
import unittest

import numpy as np

import wimax
from wimax import phy

BURSTS = 10_000
NUMEROLOGY = phy.Numerology()
LEAD = 60  # samples before and after a burst


def random_bursts(random, count):
    """Uplink bursts of one random format (count, n) with a carrier offset and noise about the rate's threshold; the payloads; the format."""
    format = phy.BurstFormat(int(random.integers(7)), int(random.integers(1, 5)), iuc=int(random.integers(5, 13)), bsid=int(random.integers(1 << 48)),
                             frame_number=int(random.integers(1 << 24)), preamble_symbols=1)
    payloads = random.integers(0, 256, (count, format.payload_octets), np.uint8)
    points = phy.map_labels(phy.encode_bursts(payloads, format), format.rate)
    pilots = np.broadcast_to(phy.pilots(1 + np.arange(format.data_symbols), "uplink"), points.shape[:2] + (8,))
    preambles = np.broadcast_to(phy.short_preamble(), (count, 1, 201))
    sent = phy.ofdm_modulate(np.concatenate([preambles, phy.place_carriers(points, pilots)], 1)).reshape(count, -1)
    snr_db = format.rate.snr_db + random.uniform(-5, 3)
    heard = np.zeros((count, sent.shape[1] + 2 * LEAD), np.complex64)
    heard[:, LEAD:-LEAD] = sent
    heard *= np.exp(2j * np.pi * random.uniform(-5e-4, 5e-4) * np.arange(heard.shape[1])).astype(np.complex64)
    deviation = np.float32(np.sqrt(1.28 / 2 * 10 ** (-snr_db / 10)))
    heard += deviation * random.standard_normal((count, heard.shape[1], 2), np.float32).view(np.complex64)[..., 0]
    return heard, payloads, format


def decode_by_stages(soft, format):
    """Octets and whether all blocks are ok, without second attempts."""
    in_order = phy.deinterleave(soft, format.rate).reshape(len(soft), -1)
    decoded = phy.to_octets(phy.viterbi(phy.depuncture(in_order, format.code_rate)))
    blocks = phy.rs_decode(decoded.reshape(len(soft), format.data_symbols, -1), format.rate)
    return phy.derandomize(blocks.octets.reshape(len(soft), -1)[:, :format.payload_octets], format.seed), blocks.ok.all(1)


class RandomBursts(unittest.TestCase):
    def equalized(self, heard, received, format):
        """The bursts again, by windows, channel estimate and equalizer at the place and frequency that the receiver found."""
        places = NUMEROLOGY.symbol_samples * np.arange(format.total_symbols)
        carriers = np.stack([phy.demodulate_windows(row, seen.response_window + places, seen.cycles_per_sample, seen.response_window)
                             for row, seen in zip(heard, received)])
        channel = phy.channel_estimate(carriers[:, 0])
        self.assertTrue(channel.present.all())
        return phy.equalize(carriers[:, 1:], channel, format, cycles_per_sample=[seen.cycles_per_sample for seen in received])

    def test_soft_bits_and_octets_are_those_of_the_receiver(self):
        random = np.random.default_rng(7)
        done = failed = corrected = 0
        while done < BURSTS:
            count = min(250, BURSTS - done)
            heard, payloads, format = random_bursts(random, count)
            received = phy.receive_bursts(heard, format, start_sample=LEAD)
            self.assertTrue(all(seen.detected for seen in received))
            equalized = self.equalized(heard, received, format)
            soft = np.stack([seen.soft_bits for seen in equalized])
            np.testing.assert_array_equal(soft, [seen.soft_bits for seen in received])
            np.testing.assert_array_equal([seen.points for seen in equalized], [seen.points for seen in received])
            decoded = phy.decode_bursts(soft, format)
            np.testing.assert_array_equal(decoded.octets, [np.frombuffer(seen.payload, np.uint8) for seen in received])
            np.testing.assert_array_equal(decoded.fec_ok, [seen.fec_ok for seen in received])
            np.testing.assert_array_equal(decoded.corrected_octets, [seen.corrected_octets for seen in received])
            once = phy.decode_bursts(soft, format, second_attempts=False)
            octets, ok = decode_by_stages(soft, format)
            np.testing.assert_array_equal(octets, once.octets)
            np.testing.assert_array_equal(ok, once.fec_ok)
            if format.rate.rs_t:
                np.testing.assert_array_equal(decoded.octets[decoded.fec_ok], payloads[decoded.fec_ok])
            done, failed, corrected = done + count, failed + int((~decoded.fec_ok).sum()), corrected + int(decoded.corrected_octets.sum())
        self.assertEqual(done, BURSTS)
        self.assertGreater(failed, 300)
        self.assertGreater(corrected, 1000)

    def test_batches_run_without_the_interpreter_lock(self):
        format = phy.BurstFormat(6, 100)
        soft = np.random.default_rng(8).integers(-60, 60, (12, 100, format.symbol_bits)).astype(np.int8)
        points = np.ones((20_000, 192), np.complex64)
        self.assertGreater(steps_of_another_thread(lambda: phy.decode_bursts(soft, format)), 0)
        self.assertGreater(steps_of_another_thread(lambda: phy.soft_bits(points, 1.0, 6)), 0)
        self.assertEqual(steps_of_another_thread(lambda: sorted(range(10 ** 6, 0, -1))), 0)  # keeps the lock


def steps_of_another_thread(call):
    """Steps of a thread during the call. No thread is interrupted meanwhile: it runs only if the call releases the lock."""
    interval, steps, done = sys.getswitchinterval(), [0], threading.Event()
    with open(os.devnull, "wb", buffering=0) as nowhere:
        def run():
            while not done.is_set():
                steps[0] += 1
                nowhere.write(b"x")  # lets another thread run
        other = threading.Thread(target=run)
        sys.setswitchinterval(60)
        try:
            other.start()
            before = steps[0]
            call()
            return steps[0] - before
        finally:
            done.set()
            sys.setswitchinterval(interval)
            other.join()


class Threads(unittest.TestCase):
    def test_decoders_side_by_side(self):
        """A result that is made without the interpreter lock ends the process."""
        soft = np.full((1, 16), -3, np.int8)
        expected, found = phy.viterbi(soft, side_by_side=True), []
        threads = [threading.Thread(target=lambda: found.extend(phy.viterbi(soft, side_by_side=True) for _ in range(5000))) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(found), 20_000)
        self.assertTrue(all(np.array_equal(one, expected) for one in found[::500]))


class Downlink(unittest.TestCase):
    def test_a_frame_stage_by_stage(self):
        sent = phy.Frame([phy.Burst(5, 6, bytes(range(200)))], frame_number=13, bsid=3, lead_in_samples=700, tail_samples=900)
        heard = phy.Channel("sui1", snr_db=32, cfo_hz=7_000, delay_samples=33.4, seed=3).apply(sent.samples())
        found, = phy.synchronize(heard)
        self.assertAlmostEqual(found.start_sample, 733.4, delta=3)
        self.assertAlmostEqual(found.cfo_hz, 7_000, delta=200)
        self.assertEqual(found.cp, "1/8")
        window, cycles, length = found.start_sample + 16, found.cycles_per_sample, NUMEROLOGY.symbol_samples
        for _ in range(2):  # the first estimate corrects place and frequency
            channel = phy.channel_estimate(phy.demodulate_windows(heard, window + length * np.arange(2), cycles, window), "long")
            self.assertTrue(channel.present)
            window, cycles = window + int(channel.window_shift), cycles + float(channel.phase_step) / (2 * np.pi * length)
        self.assertAlmostEqual(cycles * NUMEROLOGY.sample_rate_hz, 7_000, delta=60)
        channel = phy.channel_estimate(phy.demodulate_windows(heard, window + length * np.arange(2), cycles, window), "long")
        carriers = phy.demodulate_windows(heard, window + length * np.arange(9), cycles, window)
        header, = phy.equalize(carriers[2:3], channel, phy.FCH, direction="downlink", first_symbol=2)
        fch = phy.decode_bursts(header.soft_bits, phy.FCH, phy.FRAME_START_SEED).octets
        self.assertEqual(fch[0], 0x3D)  # BSID and frame number
        format = phy.BurstFormat(5, 6, bsid=3, frame_number=13)
        burst, = phy.equalize(carriers[3:], channel, format, direction="downlink")
        decoded = phy.decode_bursts(burst.soft_bits, format, phy.FIRST_BURST_SEED)
        self.assertTrue(decoded.fec_ok)
        self.assertEqual(decoded.octets[:200].tobytes(), bytes(range(200)))
        self.assertLess(float(phy.evm_db(burst.points.reshape(-1), rate=5)), -24)
        whole = phy.decode(heard)[0].bursts[0]
        self.assertAlmostEqual(burst.cinr_db, whole.cinr_db, delta=0.5)
        self.assertAlmostEqual(burst.evm_db, whole.evm_db, delta=0.5)
        # Without tracking: division by the channel and soft bits by its SNR.
        points = phy.data_carriers(phy.divide(carriers[3:4], channel.response))
        soft = phy.soft_bits(points, channel.snr[phy.data_offsets() + 100], 5)
        self.assertLess(np.mean((soft < 0) != (burst.soft_bits[:1] < 0)), 0.02)

    def test_observed_symbols(self):
        frame = phy.Frame([phy.Burst(3, 4, b"seen")], [phy.Burst(1, 2, b"zone")])
        heard = phy.Channel(snr_db=30, delay_samples=50).apply(frame.samples())
        result, seen = phy.observe(heard)
        self.assertTrue(result["frames"][0]["bursts"][0]["fec_ok"])
        self.assertEqual([symbol.burst for symbol in seen[0]], [0] + 4 * [1] + 2 * [100] + 2 * [101])
        of_burst = np.stack([symbol.soft_bits for symbol in seen[0] if symbol.burst == 1])
        decoded = phy.decode_bursts(of_burst, phy.BurstFormat(3, 4), phy.FIRST_BURST_SEED)
        self.assertEqual(decoded.octets[:4].tobytes(), b"seen")
        of_zone = np.stack([symbol.soft_bits for symbol in seen[0] if symbol.burst == 101])
        self.assertEqual(phy.decode_bursts(of_zone, phy.BurstFormat(1, 2), phy.FIRST_BURST_SEED).octets[:4].tobytes(), b"zone")
        self.assertEqual(seen[0][5].soft_bits.shape, (0,))  # the prefix of the zone: both symbols are decoded as one
        self.assertEqual(seen[0][1].points.shape, (201,))
        self.assertGreater(np.abs(seen[0][-1].second_response).max(), 0.3)


class WholeSignals(unittest.TestCase):
    def test_frames(self):
        frames = phy.Frames([phy.Frame([phy.Burst(1, 3, bytes([n])), phy.Burst(4, 2, b"two", diuc=5, preamble=True)], frame_number=n) for n in range(3)],
                            duration_s=0.0025)
        samples = phy.Channel(snr_db=25, cfo_hz=3000).apply(frames.samples())
        found = phy.decode(samples)
        self.assertEqual([frame.bursts[0].payload[0] for frame in found], [0, 1, 2])
        self.assertEqual([frame.fch["frame_number_lsb"] for frame in found], [0, 1, 2])
        second = found[1].bursts[1]
        self.assertEqual((second.index, second.rate_id, second.diuc, second.start_symbol, second.payload[:3], second.fec_ok), (2, 4, 5, 6, b"two", True))
        self.assertAlmostEqual(found[0].cfo_hz, 3000, delta=100)
        np.testing.assert_array_equal(frames.samples(), wimax.generate(frames.spec()))
        with self.assertRaisesRegex(ValueError, "frames: 0 frames"):
            phy.Frames([]).samples()

    def test_more_bursts_than_the_prefix_announces(self):
        frame = phy.Frame([phy.Burst(0, 2, b"0")] + [phy.Burst(n, 2, bytes([n]), diuc=n + 1) for n in range(1, 6)])
        self.assertEqual(len(phy.decode(frame.samples())[0].bursts), 4)
        found, = phy.decode(frame.samples(), frame=frame)
        self.assertEqual([burst.payload[0] for burst in found.bursts], [ord("0"), 1, 2, 3, 4, 5])
        other, = phy.decode(phy.Frame([phy.Burst(0, 2, b"0"), phy.Burst(6, 2, b"1", diuc=1)]).samples(), diuc_rates={1: 6})
        self.assertEqual((other.bursts[1].rate_id, other.bursts[1].payload[:1]), (6, b"1"))

    def test_zones_uplink_and_contention(self):
        zone = phy.Frame([phy.Burst(1, 2, b"a")], [phy.Burst(3, 4, b"zone"), phy.Burst(1, 2, b"next", diuc=2)])
        found, = phy.decode(zone.samples())
        self.assertEqual([(burst.index, burst.stc, burst.payload[:1]) for burst in found.bursts], [(1, False, b"a"), (101, True, b"z"), (102, True, b"n")])
        self.assertEqual(found.stc_zones[0]["start_symbol"], 5)
        for index, ranging in ((16, False), (16, True), (4, False)):
            burst = phy.UplinkBurst(1, 12, b"uplink", subchannel_index=index, ranging=ranging, midamble_interval=1, lead_in_samples=300, tail_samples=300)
            received = burst.decode(phy.Channel(snr_db=30).apply(burst.samples()))
            self.assertEqual(received.bursts[0].payload[:6], b"uplink")
            self.assertAlmostEqual(received.start_sample, 300, delta=3)
            self.assertIsNone(received.fch)
        self.assertIsNone(phy.UplinkBurst(1, 4).decode(np.zeros(5000)))
        region = phy.ContentionRegion([phy.ContentionCode(17, 3), phy.ContentionCode(40, 6, opportunity=1, boost_db=3)], opportunities=2)
        codes = region.decode(phy.Channel(snr_db=20).apply(region.samples()))
        self.assertEqual([(code.opportunity, code.channel, code.code) for code in codes], [(0, 17, 3), (1, 40, 6)])

    def test_find_and_receive_a_burst(self):
        format = phy.BurstFormat(1, 4, iuc=7, preamble_symbols=1)
        samples = phy.UplinkBurst(1, 4, b"here", lead_in_samples=1234, tail_samples=500).samples()
        heard = phy.Channel(snr_db=25).apply(samples)
        self.assertAlmostEqual(phy.find_burst(heard, format), 1234, delta=2)
        self.assertIsNone(phy.find_burst(heard[:1000], format))
        there, nothing = phy.receive_bursts(np.stack([heard, heard[::-1] * 0]), format, start_sample=1230)
        self.assertEqual((there.detected, there.fec_ok, there.payload[:4]), (True, True, b"here"))
        self.assertAlmostEqual(there.timing_samples, 4, delta=0.5)
        self.assertEqual((nothing.detected, nothing.payload, nothing.points.shape[0]), (False, b"", 0))
        with self.assertRaisesRegex(ValueError, "formats: 3 formats: allowed 1, 2"):
            phy.receive_bursts(np.zeros((2, 3000)), [format] * 3)

    def test_estimate_of_a_group_of_subchannels(self):
        sent = phy.short_preamble(12)
        response = 0.7 * np.exp(-2j * np.pi * np.arange(-100, 101) * 3 / 256)
        estimate = phy.channel_estimate(sent * response, "subchannels", subchannel_index=12)
        self.assertTrue(estimate.present)
        used = phy.data_offsets(12) + 100
        np.testing.assert_allclose(estimate.response[used], response[used], atol=0.05)
        with self.assertRaisesRegex(ValueError, "channel: kind 'subchannels': allowed long, short"):
            phy.equalize(np.zeros((1, 201)), estimate, phy.BurstFormat(0, 1))

    def test_estimates_of_both_antennas(self):
        second = np.exp(-2j * np.pi * np.arange(-100, 101) * 2 / 256)
        heard = phy.STC_AMPLITUDE * (phy.preamble("even") + phy.preamble("odd") * second)
        for kind, response in (("stc 0", np.ones(201)), ("stc 1", second)):
            estimate = phy.channel_estimate(heard, kind, noise_variance=1e-4)
            np.testing.assert_allclose(np.delete(estimate.response, 100), np.delete(phy.STC_AMPLITUDE * response, 100), atol=0.02)

    def test_frequency_offset_of_preambles(self):
        for kind, period in (("even", 128), ("4x64", 64)):
            body = phy.ofdm_modulate(phy.preamble(kind))[32:]
            turned = body * np.exp(2j * np.pi * 1e-3 * np.arange(256))
            self.assertAlmostEqual(float(phy.frequency_offset(turned, period)), 1e-3, delta=1e-7)


class Measures(unittest.TestCase):
    def test_evm_and_cinr(self):
        random = np.random.default_rng(9)
        labels = random.integers(0, 64, (4, 5000)).astype(np.uint8)
        sent = phy.map_labels(labels, 6)
        noise = 10 ** (-30 / 20) * random.normal(size=sent.shape + (2,)).view(np.complex128)[..., 0] / 2 ** 0.5
        np.testing.assert_allclose(phy.evm_db(sent + noise, sent), -30, atol=0.3)
        np.testing.assert_allclose(phy.evm_db(sent + noise, rate=6), -30, atol=0.4)
        response = np.full(sent.shape, 0.5j)
        np.testing.assert_allclose(phy.cinr_db(response * sent + 0.5 * noise, response, sent), 30, atol=0.3)

    def test_spectrum_and_mask(self):
        samples = phy.Frame([phy.Burst(6, 60)]).samples()[288 * 3:]
        rate = NUMEROLOGY.sample_rate_hz
        measured = phy.spectrum(samples, rate)
        self.assertAlmostEqual(float(np.sum(measured.density) * measured.resolution_hz), float(np.mean(np.abs(samples) ** 2)), delta=0.02)
        inside = np.abs(measured.frequency_hz) < 2e6
        self.assertAlmostEqual(float(np.mean(measured.density[inside])), 1 / (200 * NUMEROLOGY.carrier_spacing_hz), delta=5e-9)
        margin = phy.mask_margin(measured)
        self.assertAlmostEqual(margin.covered_hz, rate / 2, delta=1e4)
        self.assertGreater(abs(margin.at_hz), 0.475 * 5e6)
        loud = phy.mask_margin(phy.spectrum(samples + 0.1 * np.exp(2j * np.pi * 0.49 * np.arange(len(samples))), rate))
        self.assertFalse(loud.passed)
        self.assertAlmostEqual(loud.at_hz, 0.49 * rate, delta=2e4)
        np.testing.assert_allclose(phy.mask_limit_db([0, 0.51 * 5e6, -0.975 * 5e6, 1e9], 5_000_000), [np.nan, -12.5, -32, -50])
        self.assertEqual(phy.mask_margin(phy.spectrum(samples, 4e6)).margin_db, float("inf"))

    def test_flatness(self):
        self.assertEqual(phy.flatness(np.ones(201)).margin_db, 2)
        self.assertTrue(phy.flatness(np.ones((3, 201))).passed)
        tilted = np.ones(201)
        tilted[-20:] = 10 ** (-5 / 20)
        found = phy.flatness(tilted)
        self.assertAlmostEqual(found.margin_db, -1, delta=1e-6)
        self.assertFalse(found.passed)

    def test_channel_and_fronts(self):
        samples = phy.Frame([phy.Burst(1, 4)]).samples()
        channel = phy.Channel("sui3", snr_db=20, cfo_hz=100, seed=4, receiver=phy.Front(dc_dbc=-25, bits=12))
        np.testing.assert_array_equal(channel.apply(samples), wimax.impair(samples, channel="sui3", snr_db=20, cfo_hz=100, seed=4,
                                                                           receiver={"dc_dbc": -25, "bits": 12}))
        self.assertEqual(set(phy.FRONT_RANGES), {name for name in phy.Front.__dataclass_fields__})
        self.assertIn("sui3", phy.PROFILES)


if __name__ == "__main__":
    unittest.main()
