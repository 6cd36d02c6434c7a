# SPDX-License-Identifier: GPL-3.0-or-later
"""Synchronization, channel estimate and equalizer by the stations' own receivers: clauses 8.3.3.6, 8.3.5 and 8.3.9.

A receiver's chain is `synchronize`, `demodulate_windows`, `channel_estimate`, `equalize`, `decode_bursts`. `receive_bursts` runs the base station's
receiver on whole uplink bursts, `observe` a station's receiver on whole signals; both return what the receiver saw of each symbol. Carriers are
complex64 (..., 201) by offset -100..100. Wrong arguments raise ValueError with name, shape or value, and allowed range, all at once.
"""
from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any, Mapping, Optional, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wimax._core import core
from wimax.phy._checks import CARRIERS, Arguments, ComplexArray, FloatArray, SoftBits
from wimax.phy.carriers import DIRECTIONS
from wimax.phy.numerology import CYCLIC_PREFIXES, FULL_BAND, BurstFormat, Numerology
from wimax.signals import DEFAULTS, spec_text

PREAMBLE_KINDS: tuple[str, ...] = ("long", "short", "subchannels", "stc 0", "stc 1")
"""Preambles of `channel_estimate`."""


@dataclass(frozen=True)
class FoundPreamble:
    """A long preamble (8.3.3.6). `start_sample`: first sample of the first cyclic prefix, by the strongest path. `cp`: cyclic prefix.
    `cycles_per_sample`, `cfo_hz`: carrier offset."""
    start_sample: int
    cp: str
    cycles_per_sample: float
    cfo_hz: float


def _signal(arguments: Arguments, samples: ArrayLike) -> ComplexArray:
    read = arguments.array("samples", samples, np.complex64)
    if read.lead:
        arguments.fault(f"samples: shape {read.lead + read.rows.shape[1:]}: allowed (n)")
    signal: ComplexArray = read.rows[0]
    return signal


def synchronize(samples: ArrayLike, bandwidth_hz: int = 5_000_000, cp: Optional[str] = None) -> list[FoundPreamble]:
    """Long preambles in the samples (n): starts of downlink frames, and ranging bursts (8.3.3.6), in rising order.

    `cp`: one of CYCLIC_PREFIXES, None: search. Carrier offsets up to 118 kHz are found. The position is good enough for FFT windows; `channel_estimate`
    refines it (`first_path`, `phase_step`)."""
    arguments = Arguments()
    signal = _signal(arguments, samples)
    denominator = 0 if cp is None else int(CYCLIC_PREFIXES[arguments.choice("cp", cp, CYCLIC_PREFIXES)][2:])
    arguments.integer("bandwidth_hz", bandwidth_hz, *core.limits["bandwidth_hz"])
    arguments.refuse()
    rate = Numerology(bandwidth_hz).sample_rate_hz
    return [FoundPreamble(start, f"1/{prefix}", cycles, cycles * rate) for start, prefix, cycles in core.find_preambles(signal, bandwidth_hz, denominator)]


def find_burst(samples: ArrayLike, format: BurstFormat, numerology: Numerology = Numerology()) -> Optional[int]:
    """First sample of the first uplink burst of this format in the samples (n), found by its preamble (8.3.3.6); None: there is none."""
    arguments = Arguments()
    signal = _signal(arguments, samples)
    arguments.refuse()
    start: Optional[int] = core.find_burst(signal, format.numbers, numerology.bandwidth_hz, numerology.cp_denominator)
    return start


@dataclass(frozen=True)
class ChannelEstimate:
    """Channels of preambles (...), by linear MMSE over the measured span of delays (8.3.3.6).

    `response` (..., 201): channel of each carrier, valid for FFT windows at the preamble's position in the symbol. `snr` (..., 201): power ratio of a
    data carrier, the `snr` of `soft_bits`. `noise_variance` (...): per carrier. `power` (...): mean |response|^2. `present` (...): level and structure are
    those of a preamble. `first_path`, `last_path` (...): delays after the start of the window, samples. `phase_step` (...): radians from the first to
    the second symbol of a long preamble; over 2 pi symbol_samples, it is the carrier offset that is left in cycles per sample. `window_shift` (...):
    samples by which the windows should begin later."""
    kind: str
    response: ComplexArray
    snr: FloatArray
    noise_variance: FloatArray
    power: FloatArray
    present: NDArray[np.bool_]
    first_path: FloatArray
    last_path: FloatArray
    phase_step: FloatArray
    window_shift: NDArray[np.int64]
    observed: Any = field(repr=False, compare=False)


def channel_estimate(carriers: ArrayLike, kind: str = "short", cp: str = "1/8", *, subchannel_index: int = FULL_BAND,
                     noise_variance: float = 0.0) -> ChannelEstimate:
    """Channel from the carriers of a preamble (8.3.3.6).

    `kind` "long": (..., 2, 201), windows one symbol apart; "short" (and midambles): (..., 201); "subchannels": (..., 201) of a burst on the group
    `subchannel_index`; "stc 0", "stc 1": antenna of the preamble of an STC zone (8.3.8), whose noise variance per carrier must be given.
    `cp` limits the delays."""
    arguments = Arguments()
    index = arguments.choice("kind", kind, PREAMBLE_KINDS)
    prefix = 256 // int(CYCLIC_PREFIXES[arguments.choice("cp", cp, CYCLIC_PREFIXES)][2:])
    arguments.integer("subchannel_index", subchannel_index, 1, 31)
    if index == 2 and subchannel_index == FULL_BAND:
        arguments.fault('subchannel_index: value 16: allowed 1..31 without 16, the whole band has kind "short"')
    noise = arguments.number("noise_variance", noise_variance, 0, 1e12)
    blocks = arguments.array("carriers", carriers, np.complex64, tail=(2, CARRIERS) if index == 0 else (CARRIERS,))
    arguments.refuse()
    response, snr, figures, present, observed = core.estimate_channel(index, blocks.rows, prefix, subchannel_index, noise)
    noise_of, power, first, last, step, shift = (blocks.restore(figures[:, i:i + 1], *()).reshape(blocks.lead) for i in range(6))
    return ChannelEstimate(kind, blocks.restore(response), blocks.restore(snr), noise_of, power, present.reshape(blocks.lead), first, last, step,
                           shift.astype(np.int64), observed)


def divide(carriers: ArrayLike, response: ArrayLike) -> ComplexArray:
    """Carriers (..., 201) over a channel, (201) or an array that broadcasts to them; 0 where the channel is 0. Without tracking: see `equalize`."""
    arguments = Arguments()
    read = arguments.array("carriers", carriers, np.complex64, CARRIERS)
    channel = arguments.array("response", response, np.complex64, CARRIERS)
    arguments.refuse()
    received, divisor = read.restore(read.rows), channel.restore(channel.rows)
    with np.errstate(divide="ignore", invalid="ignore"):
        try:
            quotient = received / divisor
        except ValueError:
            raise ValueError(f"response: shape {divisor.shape}: allowed (201), {received.shape}") from None
    result: ComplexArray = np.where(np.isfinite(quotient), quotient, 0).astype(np.complex64)
    return result


@dataclass(frozen=True)
class SeenBurst:
    """Data symbols (n) of one burst as a receiver saw them.

    `points` (n, carriers): data carriers after all corrections; the constellation has mean power 1. `soft_bits` (n, N_cbps): as the decoder gets them.
    `response` (n, 201): channel that the points were divided by. `noise_variance`, `phase_rad`, `delay_samples` (n): per carrier; tracked since the
    preamble and compensated. `symbols` (n): numbers from the first preamble symbol. `response_window`: sample of symbol 0's window, where the
    phase of the frequency correction `cycles_per_sample` is zero. `rssi_dbfs`, `cinr_db`, `evm_db`: of the burst (8.3.9)."""
    points: ComplexArray
    soft_bits: SoftBits
    response: ComplexArray
    noise_variance: FloatArray
    phase_rad: FloatArray
    delay_samples: FloatArray
    symbols: NDArray[np.int64]
    response_window: int
    cycles_per_sample: float
    rssi_dbfs: float
    cinr_db: float
    evm_db: float


_SEEN = ("points", "soft_bits", "response", "response_window", "cycles_per_sample", "rssi_dbfs", "cinr_db", "evm_db")


def _seen(values: Mapping[str, Any]) -> dict[str, Any]:
    tracked = values["tracked"].reshape(-1, 3)
    return {**{name: values[name] for name in _SEEN}, "symbols": np.array(values["symbols"], np.int64), "noise_variance": tracked[:, 0],
            "phase_rad": tracked[:, 1], "delay_samples": tracked[:, 2]}


def equalize(carriers: ArrayLike, channel: ChannelEstimate, format: BurstFormat, numerology: Numerology = Numerology(), *,
             direction: str = "uplink", first_symbol: Optional[int] = None, cycles_per_sample: ArrayLike = 0.0, clock_ppm: float = 15.0) -> list[SeenBurst]:
    """Points and soft bits of the bursts that follow the preambles of `channel` (...), by the receivers' equalizer: pilots and decisions track carrier
    phase, clock and a moving channel (8.3.3.4, 8.3.9). One result per burst, in the order of the leading dimensions.

    `carriers` (..., n, 201): all symbols after the link's preamble, midambles and a burst's own downlink preamble included, in windows at the
    preamble's place. `channel`: estimate of a "long" or "short" preamble. `first_symbol`: number of the first one, counted from the first preamble
    symbol; None: uplink, after the preamble; downlink, burst #1 (3). `cycles_per_sample`: frequency correction that the samples had.
    `clock_ppm`: standard deviation of the sender's sampling clock."""
    arguments = Arguments()
    uplink = arguments.choice("direction", direction, DIRECTIONS) == 1
    own = not uplink and format.preamble_symbols == 1
    symbols = format.total_symbols - (0 if own else format.preamble_symbols)
    first = (format.preamble_symbols if uplink else 3) if first_symbol is None else arguments.integer("first_symbol", first_symbol, 0, 2047)
    if channel.kind not in ("long", "short"):
        arguments.fault(f"channel: kind {channel.kind!r}: allowed long, short")
    if format.subchannels != 16:
        arguments.fault(f"format: subchannel_index {format.subchannel_index}: allowed 16")
    blocks = arguments.array("carriers", carriers, np.complex64, tail=(symbols, CARRIERS))
    if not arguments.faults and blocks.lead != channel.present.shape:
        arguments.fault(f"carriers: shape {blocks.lead + (symbols, CARRIERS)}: allowed {channel.present.shape + (symbols, CARRIERS)}")
    cycles = arguments.column("cycles_per_sample", cycles_per_sample, np.float64, blocks)
    clock = arguments.number("clock_ppm", clock_ppm, 0, 1000)
    arguments.refuse()
    found = core.equalize(channel.observed, blocks.rows, format.numbers, uplink, first, numerology.sample_rate_hz, cycles, clock / 1e6)
    return [SeenBurst(**_seen(values)) for values in found]


def transmit_bursts(payloads: ArrayLike, format: BurstFormat, numerology: Numerology = Numerology()) -> ComplexArray:
    """Samples (..., n) of whole uplink bursts with preamble and midambles, as a station sends them (8.3.5.4); `receive_bursts` is the inverse.

    `payloads`: octets (..., m), m up to `format.payload_octets`, padded with 0xFF. n is `format.total_symbols` times `numerology.symbol_samples`. A long
    preamble is allowed on the whole band only."""
    arguments = Arguments()
    blocks = arguments.array("payloads", payloads, np.uint8)
    if blocks.rows.shape[1] > format.payload_octets:
        arguments.fault(f"payloads: shape {blocks.lead + blocks.rows.shape[1:]}: allowed (..., 1..{format.payload_octets})")
    arguments.refuse()
    samples: ComplexArray = blocks.restore(core.transmit_bursts(format.numbers, blocks.rows, numerology.bandwidth_hz, numerology.cp_denominator))
    return samples


@dataclass(frozen=True)
class UplinkReception(SeenBurst):
    """Result of `receive_bursts`. `detected`: False: no preamble there, `rssi_dbfs` is the noise level, and the arrays are empty. `start_sample`:
    measured first sample of the cyclic prefix. `timing_samples`: positive: later than expected. `cfo_hz`: carrier offset. `payload`: whole capacity,
    padding included. `fec_ok`, `corrected_octets`: of the Reed-Solomon code; True and 0 where there is none."""
    detected: bool
    start_sample: int
    timing_samples: float
    cfo_hz: float
    payload: bytes
    fec_ok: bool
    corrected_octets: int


def receive_bursts(samples: ArrayLike, formats: Union[BurstFormat, Sequence[BurstFormat]], numerology: Numerology = Numerology(), *,
                   start_sample: int = 0, search_samples: int = 0) -> list[UplinkReception]:
    """Receives an uplink burst in each row of the samples (b, n), by the base station's receiver, which forgets everything between two rows (8.3.5.4).

    `formats`: one for each row, or one for all. `start_sample`: nominal first sample of the burst's cyclic prefix; it may be half a prefix earlier or
    later. `search_samples`: largest delay of a burst (ranging), 0: none."""
    arguments = Arguments()
    rows = arguments.array("samples", np.atleast_2d(np.asarray(samples)), np.complex64)
    if len(rows.lead) != 1:
        arguments.fault(f"samples: shape {rows.lead + rows.rows.shape[1:]}: allowed (b, n)")
    of_rows = [formats] * len(rows.rows) if isinstance(formats, BurstFormat) else list(formats)
    if not arguments.faults and len(of_rows) != len(rows.rows):
        arguments.fault(f"formats: {len(of_rows)} formats: allowed 1, {len(rows.rows)}")
    start = arguments.integer("start_sample", start_sample, 0, 1 << 50)
    search = arguments.integer("search_samples", search_samples, 0, 1 << 30)
    arguments.refuse()
    found = core.receive_bursts(rows.rows, [f.numbers for f in of_rows], numerology.bandwidth_hz, numerology.cp_denominator, start,
                                min(search, rows.rows.shape[1]))
    own = ("detected", "start_sample", "timing_samples", "cfo_hz", "payload", "fec_ok", "corrected_octets")
    return [UplinkReception(**_seen(values), **{name: values[name] for name in own}) for values in found]


@dataclass(frozen=True)
class SeenSymbol:
    """One data symbol of a signal as the receiver saw it. `burst`: number of the burst, 0: FCH, 100, 200 ...: FCH-STC. `symbol`: from the first
    preamble symbol. `points` (201): carriers after all corrections; pilots over the sent values, 0 on carriers without signal. `soft_bits`: as the decoder
    got them. `response`, `second_response` (201): channel of antenna 0 and of antenna 1 (0 outside STC zones). The others as in `SeenBurst`."""
    burst: int
    symbol: int
    points: ComplexArray
    soft_bits: SoftBits
    response: ComplexArray
    second_response: ComplexArray
    response_window: int
    cycles_per_sample: float
    noise_variance: float
    phase_rad: float
    delay_samples: float


def observe(samples: ArrayLike, spec: Optional[Mapping[str, Any]] = None, *, frames: int = 1) -> tuple[dict[str, Any], list[list[SeenSymbol]]]:
    """`wimax.decode` of the samples (n), and the data symbols of each frame; only the first `frames` frames have symbols (8.3.5).

    `spec`: as of `wimax.decode`."""
    arguments = Arguments()
    signal = _signal(arguments, samples)
    arguments.integer("frames", frames, 0, 1 << 20)
    arguments.refuse()
    known = {key: DEFAULTS[key] for key in ("direction", "bandwidth_hz")}
    text, seen = core.observe_signal(signal, spec_text({**known, **(spec or {})}), frames)
    return json.loads(text), [[SeenSymbol(**{**one, "soft_bits": one["soft_bits"].reshape(-1)}) for one in frame] for frame in seen]


__all__ = ["PREAMBLE_KINDS", "ChannelEstimate", "FoundPreamble", "SeenBurst", "SeenSymbol", "UplinkReception", "channel_estimate", "divide", "equalize",
           "find_burst", "observe", "receive_bursts", "synchronize", "transmit_bursts"]
