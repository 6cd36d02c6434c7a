# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of wimax.phy against the golden vectors, and chained against `wimax.generate`."""
import json
import os
import unittest
from pathlib import Path

import numpy as np

import wimax
from wimax import phy

VECTORS = Path(os.environ.get("WIMAX_SOURCE_DIR", Path(__file__).parents[4])) / "tests/vectors/phy_ofdm256.json"


def octets(text):
    return np.frombuffer(bytes.fromhex(text), np.uint8)


def by_offset(pairs):
    carriers = np.zeros(201, np.complex64)
    for offset, (re, im) in pairs.items():
        carriers[int(offset) + 100] = complex(re, im)
    return carriers


def stages(payload, format, seed=None):
    """Octets, bits or labels after each stage of the transmitter, by name."""
    found = {"padded": phy.pad(payload, format)}
    found["randomized"] = phy.randomize(found["padded"], format.seed if seed is None else seed)
    lead = found["padded"].shape[:-1]
    tailed = phy.append_tail(found["randomized"], format)
    if format.subchannels == 16:
        found["rs"] = phy.rs_encode(tailed, format.rate)
        bits = phy.to_bits(found["rs"]).reshape(lead + (-1,))
    else:
        bits = phy.to_bits(tailed)[..., :format.uncoded_bits]
    found["coded"] = phy.puncture(phy.convolutional_encode(bits), format.code_rate)
    symbols = found["coded"].reshape(lead + (format.data_symbols, format.symbol_bits))
    found["interleaved"] = phy.interleave(symbols, format.rate, format.subchannels)
    found["labels"] = phy.to_labels(found["interleaved"], format.rate)
    return found


def data_symbols(labels, format, numbers, direction="downlink"):
    """Carriers of data symbols with these numbers."""
    points = phy.map_labels(labels, format.rate)
    values = np.broadcast_to(phy.pilots(numbers, direction), labels.shape[:-1] + (8,))
    return phy.place_carriers(points, values, format.subchannel_index)


class GoldenVectors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.vectors = json.loads(VECTORS.read_text(encoding="utf-8"))

    def bursts(self):
        for burst in self.vectors["bursts"]:
            yield burst, phy.BurstFormat(burst["rate_id"], burst["symbols"], iuc=burst["diuc"], bsid=burst["bsid"], frame_number=burst["frame_number"])

    def test_transmitter(self):
        for burst, format in self.bursts():
            found = stages(octets(burst["payload"]), format)
            for name in ("padded", "randomized", "rs"):
                np.testing.assert_array_equal(found[name].reshape(-1), octets(burst[name]), f"{burst['rate']} {name}")
            for name in ("coded", "interleaved"):
                np.testing.assert_array_equal(phy.to_octets(found[name].reshape(-1)), octets(burst[name]), f"{burst['rate']} {name}")
            np.testing.assert_array_equal(found["labels"], burst["labels"])
            np.testing.assert_array_equal(phy.encode_bursts(octets(burst["payload"]), format), burst["labels"])
            np.testing.assert_array_equal(phy.convolutional_encode(phy.to_bits(found["rs"]).reshape(-1), format.code_rate), found["coded"])
            numbers = burst["k_of_first_symbol"] + np.arange(burst["symbols"])
            np.testing.assert_array_equal(phy.pilots(numbers), burst["pilots"])
            stages_of_register = "".join(str(format.seed >> i & 1) for i in range(15))
            self.assertEqual(stages_of_register, burst["randomizer_stages_1_to_15"])

    def test_receiver(self):
        for burst, format in self.bursts():
            labels = np.array(burst["labels"], np.uint8)
            soft = phy.soft_bits(phy.map_labels(labels, format.rate), 10.0, format.rate)
            interleaved = phy.to_bits(octets(burst["interleaved"])).reshape(soft.shape)
            np.testing.assert_array_equal(soft < 0, interleaved == 1)
            in_order = phy.deinterleave(soft, format.rate).reshape(-1)
            np.testing.assert_array_equal(phy.to_octets((in_order < 0).astype(np.uint8)), octets(burst["coded"]))
            spread = phy.depuncture(in_order, format.code_rate)
            np.testing.assert_array_equal(phy.puncture(spread.view(np.uint8), format.code_rate).view(np.int8), in_order)
            decoded = phy.to_octets(phy.viterbi(spread))
            np.testing.assert_array_equal(decoded, octets(burst["rs"]))
            np.testing.assert_array_equal(phy.to_octets(phy.viterbi(in_order, format.code_rate)), decoded)
            blocks = phy.rs_decode(decoded.reshape(format.data_symbols, -1), format.rate)
            self.assertTrue(blocks.ok.all())
            payload = phy.derandomize(blocks.octets.reshape(-1)[:format.payload_octets], format.seed)
            np.testing.assert_array_equal(payload, octets(burst["padded"]))
            whole = phy.decode_bursts(soft, format)
            np.testing.assert_array_equal(whole.octets, octets(burst["padded"]))
            self.assertTrue(whole.fec_ok)

    def test_example_of_the_standard(self):
        example = self.vectors["standard_example_8_3_3_5_1"]
        format = phy.BurstFormat(example["rate_id"], 1, iuc=example["uiuc"], bsid=example["bsid"], frame_number=example["frame_number"])
        labels = phy.encode_bursts(octets(example["payload"]), format)
        carriers = data_symbols(labels, format, example["pilot_k"] + np.arange(1), "uplink")[0]
        signs = by_offset(example["subcarriers_iq_sign"])
        np.testing.assert_array_equal(np.sign(carriers.real), signs.real)
        np.testing.assert_array_equal(np.sign(carriers.imag), signs.imag)

    def test_frame_control_header(self):
        header = self.vectors["dlfp_fch"]
        labels = phy.encode_bursts(octets(header["dlfp"]), phy.FCH, phy.FRAME_START_SEED)
        np.testing.assert_array_equal(labels, header["labels"])
        np.testing.assert_array_equal(phy.pilots(2), header["pilots"])
        np.testing.assert_array_equal(phy.randomize(np.zeros(32, np.uint8), phy.FRAME_START_SEED),
                                      octets(self.vectors["randomizer"]["frame_start_first_32_bytes"]))
        np.testing.assert_array_equal(phy.randomize(np.zeros(32, np.uint8), phy.burst_seed(1, 7, 1)),
                                      octets(self.vectors["randomizer"]["example_first_32_bytes"]))

    def test_interleaver_of_every_size(self):
        for table in self.vectors["interleaver"].values():
            rate = next(rate for rate in phy.RATE_TABLE if rate.bits_per_carrier == table["ncpc"])
            subchannels = table["ncbps"] // (12 * table["ncpc"])
            count = table["ncbps"]
            order = np.zeros(count, np.int64)
            for bit in range(11):  # the number of each place, bit by bit
                order |= phy.interleave((np.arange(count) >> bit & 1).astype(np.uint8), rate, subchannels).astype(np.int64) << bit
            np.testing.assert_array_equal(order[table["j_of_k"]], np.arange(count))
            soft = np.random.default_rng(count).integers(-128, 128, (3, count)).astype(np.int8)
            there = phy.interleave(soft.view(np.uint8), rate, subchannels).view(np.int8)
            np.testing.assert_array_equal(phy.deinterleave(there, rate, subchannels), soft)

    def test_constellations(self):
        scale = {1: 1, 2: 2 ** 0.5, 4: 10 ** 0.5, 6: 42 ** 0.5}
        for rate in phy.RATE_TABLE:
            bits = rate.bits_per_carrier
            levels = self.vectors["axis_levels"][str(max(bits // 2, 1))]
            for label, point in enumerate(phy.constellation(rate)):
                text = f"{label:0{bits}b}"
                wanted = levels[text] if bits == 1 else complex(levels[text[:bits // 2]], levels[text[bits // 2:]])
                self.assertAlmostEqual(point, wanted / scale[bits], delta=1e-6)
            labels = np.arange(1 << bits, dtype=np.uint8)
            np.testing.assert_array_equal(phy.hard_labels(phy.map_labels(labels, rate), rate), labels)
            np.testing.assert_array_equal(phy.to_labels(phy.label_bits(labels, rate), rate), labels)

    def test_preambles(self):
        for kind, name in (("4x64", "p_4x64"), ("even", "p_even_2x128"), ("odd", "p_odd_2x128")):
            known = self.vectors["preambles"][name]
            np.testing.assert_allclose(phy.preamble(kind), by_offset(known["carriers"]), atol=1e-6)
            body = phy.ofdm_modulate(phy.preamble(kind))[32:]
            np.testing.assert_allclose(body[:8], [complex(*pair) for pair in known["body"]["first8"]], atol=2e-6)
            self.assertAlmostEqual(float(np.sum(np.abs(body) ** 2)), known["body"]["sum_abs2"], delta=1e-3)
            self.assertAlmostEqual(float(phy.papr_db(body)), known["body"]["papr_db"], delta=1e-3)
        np.testing.assert_array_equal(phy.long_preamble(), [phy.preamble("4x64"), phy.preamble("even")])
        np.testing.assert_array_equal(phy.short_preamble(), phy.preamble("even"))

    def test_numerology(self):
        for row in self.vectors["numerology"]:
            for cp, duration_us in row["ts_us"].items():
                numerology = phy.Numerology(row["bw_hz"], cp)
                self.assertEqual(numerology.sample_rate_hz, row["fs_hz"])
                self.assertAlmostEqual(1e6 * numerology.symbol_samples / numerology.sample_rate_hz, duration_us, delta=1e-5)
                self.assertAlmostEqual(numerology.carrier_spacing_hz, row["spacing_hz"], delta=1e-5)


class Chains(unittest.TestCase):
    """Samples made stage by stage are those of `wimax.generate`."""

    def assert_same_signal(self, made, signal):
        self.assertEqual(made.shape, signal.shape)
        np.testing.assert_allclose(made, signal, atol=2e-6)

    def test_downlink_frame_of_every_rate(self):
        random = np.random.default_rng(1)
        for cp in phy.CYCLIC_PREFIXES:
            for rate in phy.RATE_TABLE:
                first = phy.BurstFormat(rate.rate_id, 3, bsid=5, frame_number=10)
                second = phy.BurstFormat(rate.rate_id, 2, iuc=rate.rate_id + 1, bsid=5, frame_number=10)
                payloads = [random.integers(0, 256, format.payload_octets - 3, np.uint8) for format in (first, second)]
                frame = phy.Frame([phy.Burst(rate.rate_id, 3, payloads[0].tobytes()),
                                   phy.Burst(rate.rate_id, 2, payloads[1].tobytes(), diuc=rate.rate_id + 1, preamble=True)], cp=cp, bsid=5, frame_number=10)
                signal = frame.samples()
                received = phy.data_carriers(phy.ofdm_demodulate(signal.reshape(-1, phy.Numerology(cp=cp).symbol_samples), cp))
                header = phy.decode_bursts(phy.soft_bits(received[2:3], 10.0, 0), phy.FCH, phy.FRAME_START_SEED).octets
                self.assertEqual(header[0], 0x5A)  # BSID and frame number
                made = np.concatenate([
                    phy.long_preamble(),
                    data_symbols(phy.encode_bursts(header, phy.FCH, phy.FRAME_START_SEED), phy.FCH, np.array([2])),
                    data_symbols(stages(payloads[0], first, phy.FIRST_BURST_SEED)["labels"], first, 3 + np.arange(3)),
                    phy.short_preamble()[np.newaxis],
                    data_symbols(stages(payloads[1], second)["labels"], second, 7 + np.arange(2))])
                self.assert_same_signal(phy.ofdm_modulate(made, cp).reshape(-1), signal)

    def test_uplink_burst_on_subchannels_with_midambles(self):
        for index in (16, 24, 12, 6, 31):
            burst = phy.UplinkBurst(2, 9, b"chain", uiuc=6, midamble_interval=4, subchannel_index=index, frame_number=3)
            format = phy.BurstFormat(2, 9, index, iuc=6, frame_number=3, preamble_symbols=1, midamble_interval=4)
            labels = stages(np.frombuffer(b"chain", np.uint8), format)["labels"]
            training, symbols = phy.short_preamble(index), []
            for i in range(9):
                if i % 4 == 0:  # the preamble and a midamble after each four symbols
                    symbols.append(training)
                symbols.append(data_symbols(labels[i:i + 1], format, np.array([len(symbols)]), "uplink")[0])
            self.assertEqual(len(symbols), format.total_symbols)
            self.assert_same_signal(phy.ofdm_modulate(np.stack(symbols)).reshape(-1), burst.samples())
            sent = phy.transmit_bursts(np.frombuffer(b"chain" * 2, np.uint8).reshape(2, 5), format)
            np.testing.assert_array_equal(sent, [burst.samples()] * 2)

    def test_ranging_burst(self):
        format = phy.BurstFormat(0, 2, iuc=1, preamble_symbols=2)
        labels = phy.encode_bursts(np.frombuffer(b"rng", np.uint8), format)
        made = np.concatenate([phy.long_preamble(), data_symbols(labels, format, 2 + np.arange(2), "uplink")])
        self.assert_same_signal(phy.ofdm_modulate(made).reshape(-1), phy.UplinkBurst(0, 2, b"rng", uiuc=1, ranging=True).samples())

    def test_stc_zone_of_both_antennas(self):
        frame = phy.Frame([phy.Burst(0, 2, b"a")], [phy.Burst(3, 4, b"zone")])
        format = phy.BurstFormat(3, 4)
        labels = phy.encode_bursts(np.frombuffer(b"zone", np.uint8), format, phy.FIRST_BURST_SEED)
        pairs = data_symbols(labels, format, 3 + np.arange(4)).reshape(2, 2, 201)
        coded = phy.stc_encode(pairs)
        start = 5 * 288  # preamble of two symbols, FCH, burst of two symbols
        for antenna in (0, 1):
            signal = phy.Frame(frame.bursts, frame.stc_bursts, antenna=antenna).samples()[start:]
            self.assert_same_signal(phy.ofdm_modulate(phy.STC_AMPLITUDE * phy.preamble(("even", "odd")[antenna])), signal[:288])
            self.assert_same_signal(phy.ofdm_modulate(coded[:, antenna].reshape(-1, 201)).reshape(-1), signal[3 * 288:])
        h0, h1 = (np.exp(2j * np.pi * np.random.default_rng(2).random(201)) * amplitude for amplitude in (0.5, 0.8))
        received = h0 * coded[:, 0] + h1 * coded[:, 1]
        np.testing.assert_allclose(phy.stc_decode(received, phy.STC_AMPLITUDE * h0, phy.STC_AMPLITUDE * h1), pairs, atol=1e-5)

    def test_contention_code(self):
        made = phy.ofdm_modulate(phy.contention_code(17, 3)).reshape(-1)
        region = phy.ContentionRegion(opportunities=1)
        found, = region.decode(made)
        self.assertEqual((found.channel, found.code, found.opportunity), (17, 3, 0))
        signal = phy.ContentionRegion([phy.ContentionCode(17, 3)]).samples()
        carriers = phy.ofdm_demodulate(signal.reshape(2, -1))
        places = np.array(phy.contention_carriers(17)) + 100
        np.testing.assert_allclose(carriers[1, places] / carriers[0, places], phy.CONTENTION_CODES[3], atol=1e-4)

    def test_inverse_transform(self):
        random = np.random.default_rng(3)
        carriers = random.normal(size=(2, 3, 201, 2)).astype(np.float32).view(np.complex64)[..., 0]
        for cp in phy.CYCLIC_PREFIXES:
            samples = phy.ofdm_modulate(carriers, cp)
            np.testing.assert_allclose(phy.ofdm_demodulate(samples, cp), carriers, atol=1e-5)
            early = phy.ofdm_demodulate(samples, cp, window_shift=-4)
            np.testing.assert_allclose(early, carriers * np.exp(-2j * np.pi * np.arange(-100, 101) * 4 / 256), atol=1e-4)
            starts = 256 // int(cp[2:]) + samples.shape[-1] * np.arange(6)
            np.testing.assert_allclose(phy.demodulate_windows(samples.reshape(-1), starts).reshape(carriers.shape), carriers, atol=1e-4)


class Batches(unittest.TestCase):
    def test_a_batch_is_its_blocks(self):
        random = np.random.default_rng(4)
        format = phy.BurstFormat(4, 2)
        payloads = random.integers(0, 256, (2, 3, format.payload_octets), np.uint8)
        seeds = random.integers(0, 1 << 15, (2, 3)).astype(np.uint16)
        labels = phy.encode_bursts(payloads, format, seeds)
        self.assertEqual(labels.shape, (2, 3, 2, 192))
        soft = phy.soft_bits(phy.map_labels(labels, 4) + 0.1 * random.normal(size=labels.shape), np.full(192, 20.0), 4)
        decoded = phy.decode_bursts(soft, format, seeds)
        np.testing.assert_array_equal(decoded.octets, payloads)
        for i, j in np.ndindex(2, 3):
            np.testing.assert_array_equal(phy.encode_bursts(payloads[i, j], format, seeds[i, j]), labels[i, j])
            one = phy.decode_bursts(soft[i, j], format, seeds[i, j])
            self.assertEqual((one.fec_ok, one.corrected_octets), (decoded.fec_ok[i, j], decoded.corrected_octets[i, j]))

    def test_reed_solomon_corrects_what_it_can(self):
        random = np.random.default_rng(5)
        for rate in phy.RATE_TABLE[1:]:
            data = random.integers(0, 256, (20, rate.rs_k), np.uint8)
            blocks = phy.rs_encode(data, rate)
            for row in blocks:
                places = random.choice(rate.rs_n, rate.rs_t, replace=False)
                row[places] ^= random.integers(1, 256, rate.rs_t).astype(np.uint8)
            found = phy.rs_decode(blocks, rate)
            self.assertTrue(found.ok.all())
            np.testing.assert_array_equal(found.octets, data)
            np.testing.assert_array_equal(found.corrected, rate.rs_t)
            blocks[:, :rate.rs_n] = random.integers(0, 256, blocks.shape)
            self.assertFalse(phy.rs_decode(blocks, rate).ok.all())

    def test_viterbi_side_by_side(self):
        random = np.random.default_rng(6)
        for code_rate, steps in (("1/2", 960), ("2/3", 480), ("3/4", 720), ("5/6", 960)):
            bits = random.integers(0, 2, (150, steps), np.uint8)
            bits[:, -8:] = 0
            coded = phy.convolutional_encode(bits, code_rate)
            soft = phy.to_soft_bits(6.0 * (1 - 2.0 * coded))
            np.testing.assert_array_equal(phy.viterbi(soft, code_rate), bits)
            np.testing.assert_array_equal(phy.viterbi(soft, code_rate, side_by_side=True), bits)
        with self.assertRaisesRegex(ValueError, "soft: blocks of 1 to 8 equal parts of whole octets, at most 960 decoded bits"):
            phy.viterbi(np.zeros((2, 2 * 968), np.int8), side_by_side=True)

    def test_soft_bits_scale(self):
        soft = phy.soft_bits(np.array([1.0, -0.5]), np.array([2.0, 4.0]), "BPSK 1/2")
        np.testing.assert_array_equal(soft, [32, -32])  # 4 SNR y as a ratio, times 4
        np.testing.assert_array_equal(phy.to_soft_bits([8.0, -8.0, 100.0, 0.0]), [32, -32, 127, 0])
        np.testing.assert_array_equal(phy.soft_bits(np.ones((2, 3)), 0.0, 6), np.zeros((2, 18)))


class Refusals(unittest.TestCase):
    def assert_refused(self, words, call, *arguments, **keys):
        with self.assertRaises(ValueError) as raised:
            call(*arguments, **keys)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_name_shape_and_range(self):
        format = phy.BurstFormat(2, 4)
        zeros = np.zeros
        cases = (
            (("octets", "(3, 7)", "(..., 36)"), phy.rs_encode, zeros((3, 7), np.uint8), 2),
            (("blocks", "(39,)", "(..., 40)"), phy.rs_decode, zeros(39, np.uint8), 2),
            (("octets: values 0..256: allowed 0..255",), phy.randomize, [0, 256], 1),
            (("seed: shape (3,): allowed (), (2,)",), phy.randomize, zeros((2, 4), np.uint8), [1, 2, 3]),
            (("seed: value", "allowed 0..32767"), phy.randomize, zeros(4, np.uint8), 32768),
            (("seed: value",), phy.encode_bursts, zeros((1, 4), np.uint8), phy.BurstFormat(3, 4), 65535),
            (("starts: value",), phy.demodulate_windows, zeros(300), [2 ** 63 - 200]),
            (("response: shape",), phy.flatness, zeros(201)),
            (("bits: values 0..2: allowed 0..1",), phy.convolutional_encode, [0, 2]),
            (("code_rate: value '7/8': allowed 1/2, 2/3, 3/4, 5/6", "bits: str"), phy.puncture, "x", "7/8"),
            (("soft", "(5,)", "multiple of 3"), phy.depuncture, zeros(5, np.int8), "2/3"),
            (("soft: values 0..200: allowed -128..127",), phy.viterbi, [0, 200]),
            (("bits", "(..., 384)"), phy.interleave, zeros(383, np.uint8), 2),
            (("subchannels: value 3: allowed 1, 2, 4, 8, 16",), phy.deinterleave, zeros(24, np.int8), 2, 3),
            (("labels: values 0..4: allowed 0..3",), phy.map_labels, [0, 4], 1),
            (("rate: value 7: allowed 0..6, BPSK 1/2",), phy.map_labels, [0], 7),
            (("rate: value 'QPSK'",), phy.hard_labels, [0.0], "QPSK"),
            (("points: list is not an array of complex numbers",), phy.hard_labels, ["x"], 1),
            (("snr: shape (3,): allowed (), (2,)",), phy.soft_bits, zeros(2), [1, 2, 3], 1),
            (("snr: value -1.0: allowed 0 and above",), phy.soft_bits, zeros(2), -1, 1),
            (("symbols: values 2048..2048: allowed 0..2047", "direction: value 'up': allowed downlink, uplink"), phy.pilots, 2048, "up"),
            (("points", "(..., 192)"), phy.place_carriers, zeros(191), zeros(8)),
            (("subchannel_index: value 32: allowed 1..31",), phy.data_offsets, 32),
            (("kind: value 'x': allowed 4x64, even, odd",), phy.preamble, "x"),
            (("carriers: shape (200,): allowed (..., 201)", "cp: value '1/5': allowed 1/4, 1/8, 1/16, 1/32"), phy.ofdm_modulate, zeros(200), "1/5"),
            (("samples: shape (280,): allowed (..., 288)", "window_shift: value 1: allowed -32..0"), phy.ofdm_demodulate, zeros(280), "1/8", 1),
            (("carriers", "(..., 2, 201)"), phy.stc_encode, zeros((3, 201))),
            (("channel: value 48: allowed 0..47", "code: value 8: allowed 0..7"), phy.contention_code, 48, 8),
            (("payloads", "(2, 144)", "1..143"), phy.encode_bursts, zeros((2, 144), np.uint8), format),
            (("soft", "(4, 383)", "(..., 4, 384)"), phy.decode_bursts, zeros((4, 383), np.int8), format),
            (("payloads", "(144,)", "1..143"), phy.transmit_bursts, bytes(144), format),
            (("format: a burst's format cannot be sent there",), phy.transmit_bursts, bytes(1), phy.BurstFormat(2, 4, 8, preamble_symbols=2)),
            (("octets", "(..., 143)"), phy.append_tail, zeros(142, np.uint8), format),
            (("payload", "1..143"), phy.pad, bytes(144), format),
            (("kind: value 'x': allowed long, short", "subchannel_index: value 0: allowed 1..31", "carriers"), phy.channel_estimate, zeros((3, 5)), "x",
             ),
            (("samples: shape (2, 3): allowed (n)", "bandwidth_hz: value 5: allowed 1250000..28000000"), phy.synchronize, zeros((2, 3)), 5),
            (("reference, rate",), phy.evm_db, zeros(3)),
            (("sent: shape (4,): allowed (3,)",), phy.cinr_db, zeros(3), zeros(3), zeros(4)),
            (("bins: value 4: allowed 8..1048576", "sample_rate_hz: value 0"), phy.spectrum, zeros(100), 0, 4),
        )
        for words, call, *arguments in cases:
            with self.subTest(call.__name__, words=words):
                if call is phy.channel_estimate:
                    self.assert_refused(words, call, *arguments, subchannel_index=0)
                else:
                    self.assert_refused(words, call, *arguments)

    def test_dataclasses(self):
        self.assert_refused(("rate_id: value 7: allowed 0..6", "data_symbols: value 0: allowed 1..2047", "iuc: value -1"), phy.BurstFormat, 7, 0, iuc=-1)
        self.assert_refused(("data_symbols: value 1", "carry no octet"), phy.BurstFormat, 0, 1, 1)
        self.assert_refused(("bandwidth_hz: value 1: allowed 1250000..28000000", "cp: value 8"), phy.Numerology, 1, 8)
        self.assert_refused(("bits: value 33: allowed 0..", "dc_dbc: value 50: allowed -150..20"), phy.Front, bits=33, dc_dbc=50)
        self.assert_refused(("bursts[0].rate_id: value 9: allowed whole numbers from 0 to 6", "bursts[0].data_symbols"), phy.Frame([phy.Burst(9, 0)]).samples)
        self.assert_refused(("contention[0].channel: value 48: allowed whole numbers from 0 to 47",), phy.ContentionRegion([phy.ContentionCode(48, 0)]).samples)

    def test_every_public_name_is_documented(self):
        source = {name: Path(module.__file__).read_text(encoding="utf-8") for name, module in vars(phy).items() if name in (
            "carriers", "channels", "coding", "frames", "numerology", "quality", "receive")}
        for name in phy.__all__:
            value = getattr(phy, name)
            if callable(value):
                self.assertGreater(len(value.__doc__ or ""), 40, name)
            else:
                self.assertTrue(any(f"\n{name}: " in text or f"\n{name} = " in text for text in source.values()), name)
        self.assertEqual(sorted(set(phy.__all__)), phy.__all__)
        self.assertEqual(wimax.RATES, tuple(rate.name for rate in phy.RATE_TABLE))


if __name__ == "__main__":
    unittest.main()
