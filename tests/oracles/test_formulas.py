# SPDX-License-Identifier: GPL-3.0-or-later
"""`wimax-iq generate` sample by sample against formula_transmitter.py, on random descriptions: bursts of every kind and length that
the tool accepts, with whatever seeds the randomizer can have. Arguments: path of wimax-iq, of tests/vectors/phy_ofdm256.json."""
import json
import random
import subprocess
import sys
import unittest

import numpy as np

import formula_transmitter as formulas

TOOL, VECTORS = sys.argv.pop(1), sys.argv.pop(1)
BANDWIDTHS = (1250000, 1500000, 1750000, 2000000, 2750000, 3500000, 5000000, 5500000, 7000000, 8750000, 10000000, 20000000,
              28000000, 4321000)
DURATIONS_MS = (2.5, 4, 5, 8, 10, 12.5, 20)


def generate(spec):
    done = subprocess.run([TOOL, "generate", "--spec", "-", "--out", "-"], input=json.dumps(spec).encode(), capture_output=True,
                          timeout=60)
    assert done.returncode == 0, (done.stderr.decode(), spec)
    return np.frombuffer(done.stdout, "<c8")


class Formulas(unittest.TestCase):
    def random(self, seed):
        self.rng = random.Random(seed)
        return self.rng

    def channel(self, direction):
        rng = self.rng
        return {"direction": direction, "bandwidth_hz": rng.choice(BANDWIDTHS), "cp": rng.choice(list(formulas.CP)),
                "bsid": f"{rng.getrandbits(48):012X}"}

    def payload(self, rate, symbols, index=16):
        """Empty, partly filled or full."""
        room = formulas.burst_bytes(rate, symbols, index)
        return self.rng.randbytes(self.rng.choice((0, room, self.rng.randint(0, room)))).hex()

    def bursts(self, count, stc=False):
        rng, out = self.rng, []
        for i in range(count):
            rate, symbols = rng.randrange(7), rng.choice((1, 2, 3, rng.randint(1, 12))) * (2 if stc else 1)
            burst = {"rate_id": rate, "data_symbols": symbols, "diuc": rng.randint(1, 12), "payload": self.payload(rate, symbols)}
            if not stc:
                burst["preamble"] = rng.randrange(2) if i else 0
            out.append(burst)
        return out

    def frame(self, most_bursts=6, zone=False):
        rng = self.rng
        frame = {"frame_number": rng.getrandbits(24), "change_count": rng.getrandbits(8),
                 "bursts": self.bursts(rng.randint(1, most_bursts))}
        if zone:
            frame["stc_bursts"] = self.bursts(rng.randint(1, 4), stc=True)
        return frame

    def compare(self, spec, expected):
        got = generate(spec)
        self.assertEqual(len(got), len(expected), spec)
        self.assertLess(np.abs(got - expected).max(), 2e-5 * np.abs(expected).max(), spec)

    def test_downlink_frames(self):
        for seed in range(25):
            self.random(seed)
            spec = {**self.channel("downlink"), **self.frame(), "lead_in_samples": 77, "tail_samples": 5}
            self.compare(spec, np.pad(formulas.downlink(spec, spec)[0], (77, 5)))

    def test_several_frames(self):
        for seed in range(4):
            rng = self.random(seed + 100)
            spec = {**self.channel("downlink"), "bandwidth_hz": rng.choice((5000000, 20000000)),
                    "frame_duration_s": rng.choice(DURATIONS_MS[4:]) / 1000, "frames": [self.frame(3, zone=seed % 2) for _ in range(3)]}
            length = round(spec["frame_duration_s"] * {5000000: 5.76e6, 20000000: 23.04e6}[spec["bandwidth_hz"]])
            both = [sum(formulas.downlink(spec, frame)) for frame in spec["frames"]]
            self.compare(spec, np.concatenate([np.pad(x, (0, length - len(x))) for x in both]))

    def test_stc_zones(self):
        for seed in range(12):
            self.random(seed + 200)
            spec = {**self.channel("downlink"), **self.frame(3, zone=True)}
            antennas = formulas.downlink(spec, spec)
            for antenna, expected in enumerate(antennas):
                self.compare({**spec, "antenna": antenna}, expected)
            self.compare(spec, sum(antennas))

    def uplink(self, index, rate, symbols, **more):
        rng = self.rng
        spec = {**self.channel("uplink"), "frame_number": rng.getrandbits(24), "uiuc": rng.randrange(16), "rate_id": rate,
                "data_symbols": symbols, "subchannel_index": index, "midamble_interval": rng.randrange(5), **more}
        spec["payload"] = self.payload(rate, symbols, index)
        self.compare(spec, formulas.uplink(spec))

    def test_uplink_bursts(self):
        for seed in range(20):
            rng = self.random(seed + 300)
            self.uplink(16, rng.randrange(7), rng.choice((1, 2, 8, 9, 17, 33, rng.randint(1, 40))), ranging=bool(rng.randrange(2)))

    def test_every_group_of_subchannels(self):
        """Every index, each with rates and lengths of its own; among them the shortest that hold an octet and ones that end
        within an octet."""
        for index in range(1, 32):
            rng = self.random(index + 400)
            for rate in rng.sample(range(7), 2):
                shortest = next(n for n in range(1, 99) if formulas.burst_bytes(rate, n, index) > 0)
                self.uplink(index, rate, rng.choice((shortest, shortest + 1, rng.randint(shortest, shortest + 40))))

    def test_focused_contention(self):
        for channel in range(48):
            rng = self.random(channel + 500)
            count = rng.randint(1, 8)
            other = {"opportunity": rng.randrange(count), "channel": rng.randrange(48), "code": rng.randrange(8), "boost_db": 4.5}
            spec = {**self.channel("uplink"), "opportunities": count,
                    "contention": [{"channel": channel, "code": (channel + channel // 8) % 8}, other]}
            del spec["bsid"]
            self.compare(spec, formulas.contention(spec))


class Standard(unittest.TestCase):
    def test_worked_example(self):
        """The formulas themselves against the published burst of clause 8.3.3.5.1, stage by stage."""
        with open(VECTORS, encoding="utf-8") as file:
            example = json.load(file)["standard_example_8_3_3_5_1"]
        stages = {name: list(bytes.fromhex(example[name])) for name in ("payload", "randomized", "rs", "coded", "interleaved")}
        bits = formulas.bits_of(stages["payload"])
        randomized = formulas.bytes_of(formulas.randomize(bits, formulas.burst_seed(1, 7, 1)))
        self.assertEqual(randomized, stages["randomized"])
        self.assertEqual(formulas.rs_block(randomized + [0], 40), stages["rs"])
        coded = formulas.convolve(formulas.bits_of(stages["rs"]), "5/6")
        self.assertEqual(formulas.bytes_of(coded), stages["coded"])
        self.assertEqual(formulas.bytes_of(formulas.interleave(coded, 2)), stages["interleaved"])
        points = dict(zip(formulas.carriers_of(16)[0], formulas.burst_symbols(2, 1, stages["payload"], formulas.burst_seed(1, 7, 1))[0]))
        points.update(formulas.pilots_of("uplink", 1))
        signs = {k: [int(np.sign(round(v.real, 9))), int(np.sign(round(v.imag, 9)))] for k, v in points.items()}
        self.assertEqual(signs, {int(k): v for k, v in example["subcarriers_iq_sign"].items()})


if __name__ == "__main__":
    unittest.main()
