# SPDX-License-Identifier: GPL-3.0-or-later
"""Constellations, pilots, preambles and OFDM symbols, in both directions: clauses 8.3.2, 8.3.3.4, 8.3.3.6 and 8.3.8.

Carriers of a symbol are complex64 (..., 201), by offset -100..100: index 100 is the unused carrier 0. A data carrier has mean power 1, and a symbol of
such carriers mean sample power 1. Leading dimensions (...) count symbols; one call into C++ works on all of them without the interpreter lock. Wrong
arguments raise ValueError with name, shape or value, and allowed range, all at once.
"""
from __future__ import annotations

from typing import Optional, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wimax._core import core
from wimax.phy._checks import CARRIERS, Arguments, ComplexArray, FloatArray, Octets, SoftBits
from wimax.phy.numerology import CYCLIC_PREFIXES, FULL_BAND, Rate, rate_of

PILOT_OFFSETS: tuple[int, ...] = tuple(core.carrier_offsets(FULL_BAND)[1])
"""Offsets of the eight pilots (8.3.2.4)."""
DIRECTIONS: tuple[str, ...] = ("downlink", "uplink")
PREAMBLES: tuple[str, ...] = ("4x64", "even", "odd")
"""P_4x64 and P_EVEN (P_2x128) are the two symbols of the long preamble, P_EVEN is the short preamble and the midamble, P_ODD is that of the second
antenna in an STC zone (8.3.3.6)."""
STC_AMPLITUDE: float = core.limits["stc_amplitude"]
"""Amplitude of each antenna in an STC zone: both have the power of one outside the zone (8.3.8)."""

RateLike = Union[Rate, int, str]
_BODY = 256
_FARTHEST = 1 << 50  # samples; positions near 2^63 would overflow


def _cp_samples(arguments: Arguments, cp: str) -> int:
    arguments.choice("cp", cp, CYCLIC_PREFIXES)
    return _BODY // int(cp[2:]) if not arguments.faults else 0


def _subchannels(index: int) -> int:
    arguments = Arguments()
    number = arguments.integer("subchannel_index", index, 1, 31)
    arguments.refuse()
    return number


def data_offsets(subchannel_index: int = FULL_BAND) -> NDArray[np.intp]:
    """Offsets of the data carriers on these subchannels (Table 213), rising: 192 in the whole band. `subchannel_index`: 1..31."""
    return np.array(core.carrier_offsets(_subchannels(subchannel_index))[0], np.intp)


def pilot_offsets(subchannel_index: int = FULL_BAND) -> NDArray[np.intp]:
    """Offsets of the pilots on these subchannels (Table 213), rising: eight in the whole band, none on a single subchannel."""
    return np.array(core.carrier_offsets(_subchannels(subchannel_index))[1], np.intp)


def constellation(rate: RateLike) -> ComplexArray:
    """Points by label (8.3.3.4.1): 2, 4, 16 or 64 values of mean power 1. The first half of a label's bits is I, the second half Q."""
    points: ComplexArray = core.constellation(rate_of(rate).bits_per_carrier)
    return points


def map_labels(labels: ArrayLike, rate: RateLike) -> ComplexArray:
    """Points (..., n) of labels (..., n) below 2^N_cpc (8.3.3.4.1)."""
    bits = rate_of(rate).bits_per_carrier
    arguments = Arguments()
    blocks = arguments.array("labels", labels, np.uint8, low=0, high=(1 << bits) - 1)
    arguments.refuse()
    return blocks.restore(core.map_labels(bits, blocks.rows))


def hard_labels(points: ArrayLike, rate: RateLike) -> Octets:
    """Labels (..., n) of the nearest points (8.3.3.4.1)."""
    arguments = Arguments()
    blocks = arguments.array("points", points, np.complex64)
    arguments.refuse()
    return blocks.restore(core.hard_labels(rate_of(rate).bits_per_carrier, blocks.rows))


def soft_bits(points: ArrayLike, snr: ArrayLike, rate: RateLike) -> SoftBits:
    """Soft bits (..., n N_cpc) of equalized points (..., n) in the order of labels: max-log likelihood ratios of each bit (8.3.3.4.1).

    `snr`: signal-to-noise power ratio of each carrier, |H|^2 over the noise variance: one value, (n) or (..., n), not negative; 0 erases a carrier."""
    arguments = Arguments()
    blocks = arguments.array("points", points, np.complex64)
    ratios = np.asarray(snr, np.float32)
    width = blocks.rows.shape[1]
    try:
        if ratios.ndim <= 1:
            ratios = np.broadcast_to(ratios, (1, width))
        else:
            ratios = np.broadcast_to(ratios, blocks.lead + (width,)).reshape(len(blocks.rows), width)
    except ValueError:
        arguments.fault(f"snr: shape {ratios.shape}: allowed (), {(width,)}, {blocks.lead + (width,)}")
    if not (ratios >= 0).all():
        arguments.fault(f"snr: value {ratios.min()}: allowed 0 and above")
    arguments.refuse()
    return blocks.restore(core.soft_bits(rate_of(rate).bits_per_carrier, blocks.rows, np.ascontiguousarray(ratios)))


def pilots(symbols: ArrayLike, direction: str = "downlink") -> FloatArray:
    """Pilot values +-1 (..., 8) of symbols (...), for PILOT_OFFSETS (8.3.3.4.2).

    A symbol's number, 0..2047, counts from the first preamble symbol of the frame (downlink) or burst (uplink); preambles and midambles count."""
    arguments = Arguments()
    uplink = arguments.choice("direction", direction, DIRECTIONS) == 1
    blocks = arguments.array("symbols", np.asarray(symbols)[..., np.newaxis], np.int64, 1, low=0, high=2047)
    arguments.refuse()
    return blocks.restore(core.pilots(uplink, blocks.rows[:, 0].copy()))


def place_carriers(points: ArrayLike, pilot_values: ArrayLike, subchannel_index: int = FULL_BAND) -> ComplexArray:
    """Carriers (..., 201) of data symbols: points (..., n) on `data_offsets`, pilots (..., 8) of `pilots` on those of the subchannels, 0 elsewhere."""
    arguments = Arguments()
    data, used = data_offsets(subchannel_index), pilot_offsets(subchannel_index)
    blocks = arguments.array("points", points, np.complex64, len(data))
    values = arguments.array("pilot_values", pilot_values, np.float32, len(PILOT_OFFSETS))
    if not arguments.faults and values.lead != blocks.lead:
        arguments.fault(f"pilot_values: shape {values.lead + (8,)}: allowed {blocks.lead + (8,)}")
    arguments.refuse()
    carriers = np.zeros((len(blocks.rows), CARRIERS), np.complex64)
    carriers[:, data + 100] = blocks.rows
    carriers[:, used + 100] = values.rows[:, np.isin(PILOT_OFFSETS, used)]
    return blocks.restore(carriers)


def data_carriers(carriers: ArrayLike, subchannel_index: int = FULL_BAND) -> ComplexArray:
    """Data carriers (..., n) of symbols (..., 201), in the order of `data_offsets`."""
    arguments = Arguments()
    blocks = arguments.array("carriers", carriers, np.complex64, CARRIERS)
    arguments.refuse()
    return blocks.restore(blocks.rows[:, data_offsets(subchannel_index) + 100])


def preamble(kind: str) -> ComplexArray:
    """Carriers (201) of a preamble symbol (8.3.3.6): `kind` of PREAMBLES. Its mean sample power is 2, 3 dB above data."""
    arguments = Arguments()
    index = arguments.choice("kind", kind, PREAMBLES)
    arguments.refuse()
    carriers: ComplexArray = core.preamble(index, FULL_BAND)
    return carriers


def long_preamble() -> ComplexArray:
    """Carriers (2, 201) of the long preamble: P_4x64, then P_EVEN (8.3.3.6). A downlink frame and a ranging burst begin with it."""
    return np.stack([preamble("4x64"), preamble("even")])


def short_preamble(subchannel_index: int = FULL_BAND) -> ComplexArray:
    """Carriers (201) of the short preamble or midamble of a burst on these subchannels (8.3.3.6).

    Whole band: P_EVEN. Fewer subchannels (uplink): values on their data and pilot carriers; this sequence is the project's, since that of the standard
    was not available (docs/conformance.md)."""
    carriers: ComplexArray = core.preamble(-1, _subchannels(subchannel_index))
    return carriers


def stc_encode(carriers: ArrayLike) -> ComplexArray:
    """Both antennas' data symbols (..., 2, 2, 201), antenna then symbol, of pairs (..., 2, 201): Alamouti's code, each with STC_AMPLITUDE (8.3.8).

    Antenna 0 sends s0 then -conj(s1), antenna 1 sends s1 then conj(s0), on data carriers and pilots."""
    arguments = Arguments()
    blocks = arguments.array("carriers", carriers, np.complex64, tail=(2, CARRIERS))
    arguments.refuse()
    first, second = blocks.rows[:, :CARRIERS], blocks.rows[:, CARRIERS:]
    coded = np.stack([np.stack([first, -second.conj()], 1), np.stack([second, first.conj()], 1)], 1)
    return blocks.restore((np.float32(STC_AMPLITUDE) * coded).astype(np.complex64), 2, 2, CARRIERS)


def stc_decode(carriers: ArrayLike, response: ArrayLike, second_response: ArrayLike) -> ComplexArray:
    """Pairs of symbols (..., 2, 201) from received pairs (..., 2, 201): Alamouti's combination (8.3.8).

    `response`, `second_response`: channels of antenna 0 and 1 with their amplitude, (201) or (..., 201), constant over the pair."""
    arguments = Arguments()
    blocks = arguments.array("carriers", carriers, np.complex64, tail=(2, CARRIERS))
    channels = [arguments.array(name, value, np.complex64, CARRIERS)
                for name, value in (("response", response), ("second_response", second_response))]
    for name, channel in zip(("response", "second_response"), channels):
        if channel.lead not in ((), blocks.lead):
            arguments.fault(f"{name}: shape {channel.lead + (CARRIERS,)}: allowed {(CARRIERS,)}, {blocks.lead + (CARRIERS,)}")
    arguments.refuse()
    h0, h1 = (channel.rows for channel in channels)
    early, late = blocks.rows[:, :CARRIERS], blocks.rows[:, CARRIERS:]
    power = np.abs(h0) ** 2 + np.abs(h1) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        pair = np.stack([(h0.conj() * early + h1 * late.conj()) / power, (h1.conj() * early - h0 * late.conj()) / power], 1)
    return blocks.restore(np.where(np.isfinite(pair), pair, 0).astype(np.complex64), 2, CARRIERS)


def ofdm_modulate(carriers: ArrayLike, cp: str = "1/8") -> ComplexArray:
    """Samples (..., symbol_samples) of symbols (..., 201): cyclic prefix and body (8.3.2)."""
    arguments = Arguments()
    prefix = _cp_samples(arguments, cp)
    blocks = arguments.array("carriers", carriers, np.complex64, CARRIERS)
    arguments.refuse()
    return blocks.restore(core.modulate(prefix, blocks.rows))


def ofdm_demodulate(samples: ArrayLike, cp: str = "1/8", window_shift: int = 0) -> ComplexArray:
    """Carriers (..., 201) of symbols (..., symbol_samples), the exact inverse of `ofdm_modulate` (8.3.2).

    `window_shift`: samples by which the window of 256 samples begins after the end of the prefix, -cp_samples..0. Carriers then turn by
    2 pi k window_shift / 256, as with a delay."""
    arguments = Arguments()
    prefix = _cp_samples(arguments, cp)
    shift = arguments.integer("window_shift", window_shift, -prefix, 0)
    blocks = arguments.array("samples", samples, np.complex64, prefix + _BODY)
    arguments.refuse()
    return blocks.restore(core.demodulate(prefix + shift, blocks.rows))


def demodulate_windows(samples: ArrayLike, starts: ArrayLike, cycles_per_sample: float = 0.0, phase_sample: int = 0) -> ComplexArray:
    """Carriers (..., 201) of windows of 256 samples that begin at `starts` (...) in a signal (n), as the receivers read them.

    The carrier offset `cycles_per_sample` (offset in Hz over the sample rate) is compensated; the correction's phase is zero at sample `phase_sample`.
    Samples outside the signal are zero."""
    arguments = Arguments()
    signal = arguments.array("samples", samples, np.complex64)
    if signal.lead:
        arguments.fault(f"samples: shape {signal.lead + signal.rows.shape[1:]}: allowed (n)")
    cycles = arguments.number("cycles_per_sample", cycles_per_sample, -0.5, 0.5)
    blocks = arguments.array("starts", np.asarray(starts)[..., np.newaxis], np.int64, 1, low=-_FARTHEST, high=_FARTHEST)
    origin = arguments.integer("phase_sample", phase_sample, -_FARTHEST, _FARTHEST)
    arguments.refuse()
    return blocks.restore(core.read_windows(signal.rows[0], blocks.rows[:, 0].copy(), cycles, origin))


def frequency_offset(samples: ArrayLike, period: int = 128) -> NDArray[np.float64]:
    """Carrier offset in cycles per sample (...) of windows (..., 256) of a preamble that repeats after `period` samples.

    P_EVEN repeats after 128 samples, P_4x64 after 64. The result is unambiguous within +-1 / (2 period); times the sample rate it is in Hz."""
    arguments = Arguments()
    period = (64, 128)[arguments.choice("period", period, (64, 128))]
    blocks = arguments.array("samples", samples, np.complex64, _BODY)
    arguments.refuse()
    turned = np.sum(blocks.rows[:, period:].astype(np.complex128) * blocks.rows[:, :-period].conj(), axis=1)
    cycles: NDArray[np.float64] = (np.angle(turned) / (2 * np.pi * period)).reshape(blocks.lead)
    return cycles


def contention_carriers(channel: int) -> tuple[int, ...]:
    """Offsets of the four carriers of a focused contention channel, 0..47 (8.3.7.3)."""
    arguments = Arguments()
    arguments.integer("channel", channel, 0, core.limits["contention_channels"] - 1)
    arguments.refuse()
    return tuple(core.contention_carriers(channel))


CONTENTION_CODES: NDArray[np.int8] = np.array(core.contention_codes, np.int8)
"""Codes of focused contention (8, 4): phase change +-1 of each carrier from the first symbol of an opportunity to the second (8.3.7.3)."""


def contention_code(channel: int, code: int, phases: Optional[ArrayLike] = None) -> ComplexArray:
    """Carriers (2, 201) of both symbols of a contention code (8.3.7.3). `channel`: 0..47, `code`: 0..7, `phases`: radians of the four carriers in the
    first symbol, None: 0. Each carrier has power 1: add a boost by a factor."""
    arguments = Arguments()
    arguments.integer("channel", channel, 0, core.limits["contention_channels"] - 1)
    arguments.integer("code", code, 0, len(CONTENTION_CODES) - 1)
    start = arguments.array("phases", np.zeros(4) if phases is None else phases, np.float32, 4)
    arguments.refuse()
    carriers = np.zeros((2, CARRIERS), np.complex64)
    places = np.array(contention_carriers(channel)) + 100
    carriers[0, places] = np.exp(1j * start.rows.reshape(-1)[:4])
    carriers[1, places] = carriers[0, places] * CONTENTION_CODES[code]
    return carriers


__all__ = [
    "CONTENTION_CODES", "DIRECTIONS", "PILOT_OFFSETS", "PREAMBLES", "STC_AMPLITUDE", "constellation", "contention_carriers", "contention_code",
    "data_carriers", "data_offsets", "demodulate_windows", "frequency_offset", "hard_labels", "long_preamble", "map_labels", "ofdm_demodulate",
    "ofdm_modulate", "pilot_offsets", "pilots", "place_carriers", "preamble", "short_preamble", "soft_bits", "stc_decode", "stc_encode",
]
