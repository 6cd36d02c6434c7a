# SPDX-License-Identifier: GPL-3.0-or-later
"""Channel coding of bursts, clauses 8.3.3.1 to 8.3.3.3, in both directions.

Arrays may have any leading dimensions, written (...): they count blocks, and one call into C++ works on all of them without the interpreter lock.
Octets, bits and labels are uint8. Bits have one element each, most significant bit of an octet first. Soft bits are int8: positive means 0, the
magnitude is `SOFT_BIT_SCALE` times the log-likelihood ratio, 0 is an erasure. Wrong arguments raise ValueError with name, shape or value, and allowed
range, all at once.

The transmitter's chain is `pad`, `randomize`, `append_tail`, `rs_encode`, `to_bits`, `convolutional_encode`, `puncture`, `interleave`, `to_labels`.
The receiver's chain is `deinterleave`, `depuncture`, `viterbi`, `to_octets`, `rs_decode`, `derandomize`. `encode_bursts` and `decode_bursts` are both
as a whole, as the stations run them.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wimax._core import core
from wimax.phy._checks import Arguments, Octets, SoftBits
from wimax.phy.numerology import CODE_RATES, BurstFormat, Rate, rate_of

FRAME_START_SEED: int = core.frame_start_seed
"""Register of the randomizer at the start of a downlink frame: FCH. Stage i is bit i - 1."""
FIRST_BURST_SEED: int = core.first_burst_seed
"""Register at burst #1 of a downlink frame, which continues the FCH's sequence."""
SOFT_BIT_SCALE: float = core.limits["soft_bit_scale"]
"""Soft-bit units per unit of log-likelihood ratio (natural logarithm)."""

RateLike = Union[Rate, int, str]
_PATTERNS = [list(pattern) for pattern in core.puncture_patterns]


def burst_seed(bsid: int, iuc: int, frame_number: int) -> int:
    """Register of the randomizer at the start of downlink burst #2 and later, and of every uplink burst (8.3.3.1).

    The low four bits of `bsid` (48 bits) and of `frame_number` (24 bits) count; `iuc` is the DIUC or UIUC, 0..15."""
    return BurstFormat(0, 1, iuc=iuc, bsid=bsid, frame_number=frame_number).seed


def pad(payload: ArrayLike, format: BurstFormat) -> Octets:
    """Payloads (..., m) filled with 0xFF up to the burst's capacity: (..., format.payload_octets). m is 1..payload_octets."""
    arguments = Arguments()
    blocks = arguments.array("payload", payload, np.uint8)
    if blocks.rows.shape[1] > format.payload_octets:
        arguments.fault(f"payload: shape {blocks.lead + blocks.rows.shape[1:]}: allowed (..., 1..{format.payload_octets})")
    arguments.refuse()
    padded = np.full((len(blocks.rows), format.payload_octets), 0xFF, np.uint8)
    padded[:, :blocks.rows.shape[1]] = blocks.rows
    return blocks.restore(padded)


def randomize(octets: ArrayLike, seed: ArrayLike) -> Octets:
    """Octets (..., n) with the randomizer's sequence added (8.3.3.1). The result has the same shape.

    `seed`: register at the first octet, 0..32767: one for all blocks, or an array of the leading shape. See `BurstFormat.seed`, `FRAME_START_SEED` and
    `FIRST_BURST_SEED`. The tail octet of a burst is not randomized: append it afterwards."""
    arguments = Arguments()
    blocks = arguments.array("octets", octets, np.uint8)
    seeds = arguments.column("seed", seed, np.uint16, blocks, 0x7FFF)
    arguments.refuse()
    return blocks.restore(core.randomize(blocks.rows, seeds))


def derandomize(octets: ArrayLike, seed: ArrayLike) -> Octets:
    """Inverse of `randomize`, which is the same operation (8.3.3.1). Same arguments, shapes and errors."""
    return randomize(octets, seed)


def append_tail(octets: ArrayLike, format: BurstFormat) -> Octets:
    """Randomized octets (..., format.payload_octets) with the zero tail of the burst (8.3.3.2.1).

    Whole band: (..., data_symbols, uncoded_octets), the blocks of the Reed-Solomon code. Fewer subchannels: (..., n) with all octets of the burst, of
    which the convolutional code takes `format.uncoded_bits` bits."""
    arguments = Arguments()
    blocks = arguments.array("octets", octets, np.uint8, format.payload_octets)
    arguments.refuse()
    whole = format.subchannels == 16
    length = (format.uncoded_bits + 7) // 8
    tailed = np.zeros((len(blocks.rows), length), np.uint8)
    tailed[:, :format.payload_octets] = blocks.rows
    return blocks.restore(tailed, format.data_symbols, format.rate.uncoded_octets) if whole else blocks.restore(tailed)


def rs_encode(octets: ArrayLike, rate: RateLike) -> Octets:
    """Reed-Solomon blocks (..., rs_n) of data (..., rs_k): parity first, then the data (8.3.3.2.1). BPSK 1/2 has no code: the data unchanged."""
    row = rate_of(rate)
    arguments = Arguments()
    blocks = arguments.array("octets", octets, np.uint8, row.rs_k)
    arguments.refuse()
    return blocks.restore(core.rs_encode(row.rs_k, row.rs_t, blocks.rows))


@dataclass(frozen=True)
class RsDecoded:
    """Result of `rs_decode`. `octets`: data (..., rs_k), as received where `ok` (...) is False. `corrected`: octets changed, parity included (...)."""
    octets: Octets
    ok: NDArray[np.bool_]
    corrected: NDArray[np.int32]


def rs_decode(blocks: ArrayLike, rate: RateLike) -> RsDecoded:
    """Corrects up to rs_t wrong octets in each block (..., rs_n) (8.3.3.2.1). BPSK 1/2 has no code: all blocks are ok."""
    row = rate_of(rate)
    arguments = Arguments()
    read = arguments.array("blocks", blocks, np.uint8, row.rs_n)
    arguments.refuse()
    octets, ok, corrected = core.rs_decode(row.rs_k, row.rs_t, read.rows)
    return RsDecoded(read.restore(octets), ok.reshape(read.lead), corrected.reshape(read.lead))


def to_bits(octets: ArrayLike) -> Octets:
    """Octets (..., n) as bits (..., 8 n), most significant first."""
    arguments = Arguments()
    blocks = arguments.array("octets", octets, np.uint8)
    arguments.refuse()
    return blocks.restore(np.unpackbits(blocks.rows, axis=1))


def to_octets(bits: ArrayLike) -> Octets:
    """Bits (..., n), values 0 and 1, as octets (..., n / 8 rounded up), most significant first; missing bits are 0."""
    arguments = Arguments()
    blocks = arguments.array("bits", bits, np.uint8, low=0, high=1)
    arguments.refuse()
    return blocks.restore(np.packbits(blocks.rows, axis=1))


def convolutional_encode(bits: ArrayLike, code_rate: str = "1/2") -> Octets:
    """Code of K = 7, generators 171 and 133 octal, from state zero (8.3.3.2.1). Values of `bits` are 0 and 1.

    `code_rate` "1/2": bits (..., n) to X1 Y1 X2 Y2 ... (..., 2 n), for `puncture`. Other rates of CODE_RATES puncture at once; n is then a multiple of
    the pattern's period (2, 3, 5)."""
    arguments = Arguments()
    index = arguments.choice("code_rate", code_rate, CODE_RATES)
    blocks = arguments.array("bits", bits, np.uint8, multiple=len(_PATTERNS[index]) // 2, low=0, high=1)
    arguments.refuse()
    return blocks.restore(core.convolutional_encode(index, blocks.rows))


def puncture(bits: ArrayLike, code_rate: str) -> Octets:
    """Bits that are sent (..., m) of X1 Y1 X2 Y2 ... (..., n), by the pattern of Table 214. n is a multiple of 2, 4, 6 or 10 for CODE_RATES in their order."""
    arguments = Arguments()
    index = arguments.choice("code_rate", code_rate, CODE_RATES)
    blocks = arguments.array("bits", bits, np.uint8, multiple=len(_PATTERNS[index]))
    arguments.refuse()
    return blocks.restore(core.puncture(index, blocks.rows, False))


def depuncture(soft: ArrayLike, code_rate: str) -> SoftBits:
    """Soft bits (..., m) in their places X1 Y1 X2 Y2 ... (..., n), erasures between them (Table 214). m is a multiple of 2, 3, 4 or 6 for CODE_RATES in
    their order."""
    arguments = Arguments()
    index = arguments.choice("code_rate", code_rate, CODE_RATES)
    blocks = arguments.array("soft", soft, np.int8, multiple=sum(_PATTERNS[index]))
    arguments.refuse()
    return blocks.restore(core.puncture(index, blocks.rows.view(np.uint8), True).view(np.int8))


def viterbi(soft: ArrayLike, code_rate: str = "1/2", *, side_by_side: bool = False) -> Octets:
    """Most likely bits (..., steps) of code words that begin and end in state zero (8.3.3.2.1).

    `soft`: soft bits (..., n) of the coder's output, or with a `code_rate` above 1/2 of the punctured output; n is a multiple of 2, 3, 4 or 6 for
    CODE_RATES in their order. `side_by_side`: decodes 64 blocks at once, several times as fast and up to 0.03 dB worse; blocks are then 1 to 8 equal
    parts of whole octets, at most 960 decoded bits, and parts have at most 1152 soft bits."""
    arguments = Arguments()
    index = arguments.choice("code_rate", code_rate, CODE_RATES)
    sent = sum(_PATTERNS[index])
    blocks = arguments.array("soft", soft, np.int8, multiple=sent)
    arguments.refuse()
    steps = blocks.rows.shape[1] // sent * (len(_PATTERNS[index]) // 2)
    octets = core.viterbi_batch(index, blocks.rows) if side_by_side else core.viterbi(index, blocks.rows)
    return blocks.restore(np.unpackbits(octets, axis=1)[:, :steps])


def _interleaver(arguments: Arguments, rate: RateLike, subchannels: int) -> tuple[int, int]:
    count = (1, 2, 4, 8, 16)[arguments.choice("subchannels", subchannels, (1, 2, 4, 8, 16))]
    bits = rate_of(rate).bits_per_carrier
    return bits, count


def interleave(bits: ArrayLike, rate: RateLike, subchannels: int = 16) -> Octets:
    """Coded bits of a symbol (..., N_cbps) in the order on the carriers (8.3.3.3): N_cpc bits per carrier, most significant first."""
    arguments = Arguments()
    per_carrier, count = _interleaver(arguments, rate, subchannels)
    blocks = arguments.array("bits", bits, np.uint8, 12 * per_carrier * count)
    arguments.refuse()
    return blocks.restore(core.interleave(per_carrier, count, blocks.rows, False))


def deinterleave(soft: ArrayLike, rate: RateLike, subchannels: int = 16) -> SoftBits:
    """Soft bits of a symbol (..., N_cbps) back in the coder's order (8.3.3.3)."""
    arguments = Arguments()
    per_carrier, count = _interleaver(arguments, rate, subchannels)
    blocks = arguments.array("soft", soft, np.int8, 12 * per_carrier * count)
    arguments.refuse()
    return blocks.restore(core.interleave(per_carrier, count, blocks.rows.view(np.uint8), True).view(np.int8))


def to_labels(bits: ArrayLike, rate: RateLike) -> Octets:
    """Labels (..., carriers) of interleaved bits (..., carriers N_cpc): the bits of each carrier as a number, first bit most significant (8.3.3.4.1)."""
    per_carrier = rate_of(rate).bits_per_carrier
    arguments = Arguments()
    blocks = arguments.array("bits", bits, np.uint8, multiple=per_carrier, low=0, high=1)
    arguments.refuse()
    return blocks.restore(core.label_bits(per_carrier, blocks.rows, True))


def label_bits(labels: ArrayLike, rate: RateLike) -> Octets:
    """Inverse of `to_labels`: bits (..., carriers N_cpc) of labels (..., carriers) below 2^N_cpc."""
    per_carrier = rate_of(rate).bits_per_carrier
    arguments = Arguments()
    blocks = arguments.array("labels", labels, np.uint8, low=0, high=(1 << per_carrier) - 1)
    arguments.refuse()
    return blocks.restore(core.label_bits(per_carrier, blocks.rows, False))


def to_soft_bits(llr: ArrayLike) -> SoftBits:
    """Soft bits of natural log-likelihood ratios (any shape), positive for 0: SOFT_BIT_SCALE times the ratio, rounded, within +-127."""
    scaled = SOFT_BIT_SCALE * np.asarray(llr, np.float64)
    soft: SoftBits = np.clip(np.rint(scaled), -127, 127).astype(np.int8)
    return soft


def encode_bursts(payloads: ArrayLike, format: BurstFormat, seed: Optional[ArrayLike] = None) -> Octets:
    """Labels (..., data_symbols, carriers) of whole bursts, as the stations encode them (8.3.3.1 to 8.3.3.3).

    `payloads`: octets (..., m), m up to `format.payload_octets`, padded with 0xFF. `seed`: register of the randomizer for each burst, one for all or of
    the leading shape; None: `format.seed`."""
    arguments = Arguments()
    blocks = arguments.array("payloads", payloads, np.uint8)
    if blocks.rows.shape[1] > format.payload_octets:
        arguments.fault(f"payloads: shape {blocks.lead + blocks.rows.shape[1:]}: allowed (..., 1..{format.payload_octets})")
    seeds = arguments.column("seed", format.seed if seed is None else seed, np.uint16, blocks, 0x7FFF)
    arguments.refuse()
    return blocks.restore(core.encode_bursts(format.numbers, blocks.rows, seeds), format.data_symbols, format.carriers)


@dataclass(frozen=True)
class DecodedBursts:
    """Result of `decode_bursts`, one element per burst. `octets`: payload (..., payload_octets), padding included. `fec_ok`: no Reed-Solomon block failed
    (BPSK and subchannels have no such code: True). `failed_blocks`, `corrected_octets`: counts."""
    octets: Octets
    fec_ok: NDArray[np.bool_]
    failed_blocks: NDArray[np.int32]
    corrected_octets: NDArray[np.int32]


def decode_bursts(soft: ArrayLike, format: BurstFormat, seed: Optional[ArrayLike] = None, *, second_attempts: bool = True) -> DecodedBursts:
    """Payloads of whole bursts, as the stations decode them (8.3.3.1 to 8.3.3.3).

    `soft`: soft bits (..., data_symbols, N_cbps) in the order of labels; symbols not received are zeros. `seed`: as in `encode_bursts`.
    `second_attempts`: blocks that Reed-Solomon cannot correct are tried a second time (docs/receiver.md)."""
    arguments = Arguments()
    blocks = arguments.array("soft", soft, np.int8, tail=(format.data_symbols, format.symbol_bits))
    seeds = arguments.column("seed", format.seed if seed is None else seed, np.uint16, blocks, 0x7FFF)
    arguments.refuse()
    octets, failed, corrected = core.decode_bursts(format.numbers, blocks.rows, seeds, second_attempts)
    failed, corrected = failed.reshape(blocks.lead), corrected.reshape(blocks.lead)
    return DecodedBursts(blocks.restore(octets), failed == 0, failed, corrected)


__all__ = [
    "FIRST_BURST_SEED", "FRAME_START_SEED", "SOFT_BIT_SCALE", "DecodedBursts", "RsDecoded", "append_tail", "burst_seed", "convolutional_encode",
    "decode_bursts", "deinterleave", "depuncture", "derandomize", "encode_bursts", "interleave", "label_bits", "pad", "puncture", "randomize",
    "rs_decode", "rs_encode", "to_bits", "to_labels", "to_octets", "to_soft_bits", "viterbi",
]
