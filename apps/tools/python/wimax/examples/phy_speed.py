#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Speed of the stages of wimax.phy in units of work per second of CPU time. `./wimax speed` measures the same work in C++ under the same names."""
import argparse
import json
import statistics
import time
from typing import Any, Callable

import numpy as np
import numpy.typing as npt

import wimax
from wimax import phy

SYMBOLS = 197  # of the burst that fills a frame of 10 ms at 5 MHz
BLOCKS = 1600
BATCH = 1024  # symbols


Work = tuple[Callable[[], Any], float]
"""A call, and its work in the unit of the item."""


def viterbi(side_by_side: bool) -> Work:
    random = np.random.default_rng(3)
    bits = random.integers(0, 2, (BLOCKS, 960), np.uint8)
    bits[:, -8:] = 0
    snr = 10 ** 0.2
    received = 1 - 2.0 * phy.convolutional_encode(bits) + random.normal(size=(BLOCKS, 1920)) * (0.5 / snr) ** 0.5
    soft = phy.to_soft_bits(4 * snr * received)
    return lambda: phy.viterbi(soft, side_by_side=side_by_side), bits.size * 1e-6


def reed_solomon(errors: int) -> Work:
    random = np.random.default_rng(4)
    blocks = phy.rs_encode(random.integers(0, 256, (4 * BLOCKS, 108), np.uint8), 6)
    for row in blocks:
        row[random.choice(120, errors, replace=False)] ^= 0x5A
    return lambda: phy.rs_decode(blocks, 6), blocks.shape[0] * 864e-6


def noise(*shape: int) -> npt.NDArray[np.complex64]:
    values: npt.NDArray[np.complex64] = np.random.default_rng(5).normal(size=shape + (2,)).astype(np.float32).view(np.complex64)[..., 0]
    return values


def transform() -> Work:
    samples = noise(BATCH, 288)
    return lambda: phy.ofdm_demodulate(samples), len(samples) * 1e-6


def demapper() -> Work:
    points = noise(BATCH, 192)
    return lambda: phy.soft_bits(points, 200.0, 6), points.size * 1e-6


def frame(number: int = 0) -> phy.Frame:
    payload = np.random.default_rng(1).integers(0, 256, SYMBOLS * 108 - 1, np.uint8).tobytes()
    return phy.Frame([phy.Burst(6, SYMBOLS, payload)], frame_number=number)


def transmitter() -> Work:
    format = phy.BurstFormat(6, SYMBOLS, preamble_symbols=2)
    payloads = np.random.default_rng(1).integers(0, 256, (4, format.payload_octets), np.uint8)
    return lambda: phy.transmit_bursts(payloads, format), 4 * (SYMBOLS + 2) * 288e-6


def receiver() -> Work:
    heard = phy.Channel(snr_db=30, cfo_hz=7300, delay_samples=1234.4).apply(phy.Frames([frame(number) for number in range(20)], duration_s=0.01).samples())
    return lambda: phy.decode(heard), len(heard) * 1e-6


def encoder() -> Work:
    payloads = np.random.default_rng(1).integers(0, 256, (20, SYMBOLS * 108 - 1), np.uint8)
    return lambda: phy.encode_bursts(payloads, phy.BurstFormat(6, SYMBOLS)), 20 * SYMBOLS * 1e-6


def decoder() -> Work:
    format = phy.BurstFormat(6, SYMBOLS)
    payloads = np.random.default_rng(1).integers(0, 256, (20, format.payload_octets), np.uint8)
    points = phy.map_labels(phy.encode_bursts(payloads, format), 6)
    soft = phy.soft_bits(points + 10 ** (-21 / 20) / 2 ** 0.5 * noise(*points.shape), 10 ** 2.1, 6)
    return lambda: phy.decode_bursts(soft, format), 20 * SYMBOLS * 1e-6


ITEMS: dict[str, tuple[str, Callable[[], Work]]] = {
    "viterbi_single": ("Mbit/s", lambda: viterbi(False)), "viterbi_batch": ("Mbit/s", lambda: viterbi(True)),
    "rs_decode_clean": ("Mbit/s", lambda: reed_solomon(0)), "rs_decode_full": ("Mbit/s", lambda: reed_solomon(6)),
    "fft256": ("MFFT/s", transform), "llr_64qam": ("Msymbol/s", demapper), "tx_64qam34": ("MS/s", transmitter), "rx_64qam34": ("MS/s", receiver),
    "encode_bursts": ("Msymbol/s", encoder), "decode_bursts": ("Msymbol/s", decoder),
}


def measure(prepare: Callable[[], Work], rounds: int) -> float:
    """Work per second of CPU time: the median of some rounds of at least 10 ms."""
    call, work = prepare()
    start = time.process_time()
    call()
    calls = 1 + int(0.01 / max(time.process_time() - start, 1e-6))
    speeds = []
    for _ in range(rounds):
        start = time.process_time()
        for _ in range(calls):
            call()
        speeds.append(calls * work / max(time.process_time() - start, 1e-9))
    return statistics.median(speeds)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("items", nargs="*", help=f"default: all of {', '.join(ITEMS)}")
    parser.add_argument("--rounds", type=int, default=9, help="of each item; the median is printed (default %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    options = parser.parse_args()
    unknown = [name for name in options.items if name not in ITEMS]
    if unknown:
        parser.error(f"items: {', '.join(unknown)}: allowed {', '.join(ITEMS)}")
    found = {name: measure(ITEMS[name][1], options.rounds) for name in options.items or ITEMS}
    if options.json:
        print(json.dumps({"version": wimax.__version__, **found}, indent=2))
    else:
        for name, value in found.items():
            print(f"{name:16} {value:10.3g} {ITEMS[name][0]}")


if __name__ == "__main__":
    main()
