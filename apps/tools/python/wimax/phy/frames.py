# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole signals as dataclasses: downlink frames with bursts and STC zones, uplink bursts on subchannels, contention codes. Clauses 8.3.5, 8.3.7.3, 8.3.8.

>>> from wimax import phy
>>> frame = phy.Frame([phy.Burst(rate_id=3, data_symbols=4, payload=b"hello")])
>>> phy.decode(frame.samples())[0].bursts[0].payload[:5]
b'hello'

Each class builds the specification of `wimax.generate` and `wimax.decode` (docs/wimax-iq.md) by `spec()`. Samples are complex64 at the channel's sample
rate; a data symbol has mean power 1. A wrong field raises ValueError when samples are made or decoded, with all faults: key, value and allowed range.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

from wimax.phy._checks import ComplexArray
from wimax.phy.numerology import FULL_BAND
from wimax.signals import decode_octets, generate


def _present(**keys: Any) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def _samples(spec: Mapping[str, Any]) -> ComplexArray:
    return np.asarray(generate(spec), np.complex64)


@dataclass(frozen=True)
class Burst:
    """A downlink burst (8.3.5.1). `rate_id`: 0..6. `data_symbols`: from 1. `payload`: up to the capacity, padded with 0xFF. `diuc`: 1..12, not for the
    first burst of a frame, which the frame prefix announces by its rate. `preamble`: a short preamble before it; not before the first."""
    rate_id: int
    data_symbols: int
    payload: bytes = b""
    diuc: Optional[int] = None
    preamble: bool = False

    def spec(self) -> dict[str, Any]:
        """Keys of an element of "bursts"."""
        return _present(rate_id=self.rate_id, data_symbols=self.data_symbols, payload=self.payload.hex(), diuc=self.diuc,
                        preamble=1 if self.preamble else None)


@dataclass(frozen=True)
class Frame:
    """A downlink subframe: long preamble, FCH, bursts, and optionally an STC zone (8.3.5.1, 8.3.8).

    `bursts`: at least one. `stc_bursts`: up to four bursts of an STC zone after the others, of an even number of symbols; the frame then has at most three
    other bursts. `bandwidth_hz`: 1250000..28000000. `cp`: cyclic prefix. `bsid`: base station ID, 48 bits. `frame_number`: 24 bits.
    `change_count`: 8 bits. `lead_in_samples`, `tail_samples`: silence. `antenna`: 0 or 1: one antenna's signal, None: the sum of both.
    `window_samples`, `target_papr_db`: shape of the signal (docs/transmitter.md)."""
    bursts: Sequence[Burst]
    stc_bursts: Sequence[Burst] = ()
    bandwidth_hz: int = 5_000_000
    cp: str = "1/8"
    bsid: int = 1
    frame_number: int = 0
    change_count: int = 0
    lead_in_samples: int = 0
    tail_samples: int = 0
    antenna: Optional[int] = None
    window_samples: Optional[int] = None
    target_papr_db: Optional[float] = None

    def spec(self) -> dict[str, Any]:
        """Specification of `wimax.generate`."""
        return {**self._of_channel(), **self._of_frame()}

    def _of_channel(self) -> dict[str, Any]:
        return _present(direction="downlink", bandwidth_hz=self.bandwidth_hz, cp=self.cp, bsid=f"{self.bsid:012x}", lead_in_samples=self.lead_in_samples,
                        tail_samples=self.tail_samples, antenna=self.antenna, window_samples=self.window_samples, target_papr_db=self.target_papr_db)

    def _of_frame(self) -> dict[str, Any]:
        zone = [burst.spec() for burst in self.stc_bursts]
        return _present(frame_number=self.frame_number, change_count=self.change_count, bursts=[burst.spec() for burst in self.bursts],
                        stc_bursts=zone or None)

    def samples(self) -> ComplexArray:
        """Samples (n) of the subframe, from the lead-in to the tail."""
        return _samples(self.spec())


@dataclass(frozen=True)
class Frames:
    """Several downlink frames of one channel (8.3.5.1). `frames`: channel, silence and shape are those of the first one. `duration_s`: 0.0025, 0.004,
    0.005, 0.008, 0.01, 0.0125 or 0.02."""
    frames: Sequence[Frame]
    duration_s: float = 0.005

    def spec(self) -> dict[str, Any]:
        """Specification of `wimax.generate`."""
        if not self.frames:
            raise ValueError("frames: 0 frames: allowed 1 and more")
        return {**self.frames[0]._of_channel(), "change_count": self.frames[0].change_count, "frame_duration_s": self.duration_s,
                "frames": [frame._of_frame() for frame in self.frames]}

    def samples(self) -> ComplexArray:
        """Samples (n) of all frames."""
        return _samples(self.spec())


@dataclass(frozen=True)
class UplinkBurst:
    """An uplink burst with its preamble and midambles (8.3.5.4), on the whole band or on subchannels (Table 213).

    `rate_id`: 0..6. `data_symbols`: from 1. `payload`: up to the capacity. `uiuc`: 0..15. `frame_number`: of the frame whose UL-MAP granted it.
    `midamble_interval`: code 0..4: none, or a midamble after every 8, 16, 32, 4 data symbols. `subchannel_index`: 1..31, 16: whole band. `ranging`: the
    burst begins with the long preamble. The others as in `Frame`."""
    rate_id: int
    data_symbols: int
    payload: bytes = b""
    uiuc: int = 7
    frame_number: int = 0
    midamble_interval: int = 0
    subchannel_index: int = FULL_BAND
    ranging: bool = False
    bandwidth_hz: int = 5_000_000
    cp: str = "1/8"
    bsid: int = 1
    lead_in_samples: int = 0
    tail_samples: int = 0
    window_samples: Optional[int] = None
    target_papr_db: Optional[float] = None

    def spec(self) -> dict[str, Any]:
        """Specification of `wimax.generate`."""
        return _present(direction="uplink", bandwidth_hz=self.bandwidth_hz, cp=self.cp, bsid=f"{self.bsid:012x}", frame_number=self.frame_number,
                        uiuc=self.uiuc, rate_id=self.rate_id, data_symbols=self.data_symbols, payload=self.payload.hex(),
                        midamble_interval=self.midamble_interval, subchannel_index=self.subchannel_index, ranging=self.ranging,
                        lead_in_samples=self.lead_in_samples, tail_samples=self.tail_samples, window_samples=self.window_samples,
                        target_papr_db=self.target_papr_db)

    def samples(self) -> ComplexArray:
        """Samples (n) of the burst, from the lead-in to the tail."""
        return _samples(self.spec())

    def decode(self, samples: ArrayLike, start_sample: Optional[int] = None) -> Optional["ReceivedFrame"]:
        """Receives this burst in samples (n); its payload is not used. `start_sample`: first sample of its cyclic prefix, None: search. None: not found."""
        spec = {key: value for key, value in self.spec().items() if key not in ("payload", "window_samples", "target_papr_db")}
        found = _received(decode_octets(np.asarray(samples), {**spec, **_present(start_sample=start_sample)}))
        return found[0] if found else None


@dataclass(frozen=True)
class ContentionCode:
    """A focused contention code (8.3.7.3). `channel`: 0..47. `code`: 0..7. `opportunity`: number of the pair of symbols, from 0. `boost_db`: 0..30 over a
    data carrier."""
    channel: int
    code: int
    opportunity: int = 0
    boost_db: float = 0.0

    def spec(self) -> dict[str, Any]:
        """Keys of an element of "contention"."""
        return {"opportunity": self.opportunity, "channel": self.channel, "code": self.code, "boost_db": self.boost_db}


@dataclass(frozen=True)
class ContentionRegion:
    """A focused contention region with the codes of several stations (8.3.7.3). `opportunities`: 1..8, each of two symbols. The others as in `Frame`."""
    codes: Sequence[ContentionCode] = ()
    opportunities: int = 1
    bandwidth_hz: int = 5_000_000
    cp: str = "1/8"
    lead_in_samples: int = 0
    tail_samples: int = 0

    def spec(self) -> dict[str, Any]:
        """Specification of `wimax.generate`."""
        return {"direction": "uplink", "bandwidth_hz": self.bandwidth_hz, "cp": self.cp, "opportunities": self.opportunities,
                "lead_in_samples": self.lead_in_samples, "tail_samples": self.tail_samples, "contention": [code.spec() for code in self.codes]}

    def samples(self) -> ComplexArray:
        """Samples (n) of all opportunities."""
        return _samples(self.spec())

    def decode(self, samples: ArrayLike, start_sample: int = 0) -> list["DetectedCode"]:
        """Codes in samples (n); those of this object are not used. `start_sample`: first sample of the first cyclic prefix."""
        found = _received(decode_octets(np.asarray(samples), {**self.spec(), "contention": [], "start_sample": start_sample}))
        return list(found[0].contention) if found else []


@dataclass(frozen=True)
class DetectedCode:
    """A code that was found (8.3.7.3). `snr_db`: per carrier, boost included. `rssi_dbfs`: power of the four carriers. `certainty`: 0..1."""
    opportunity: int
    channel: int
    code: int
    snr_db: float
    rssi_dbfs: float
    certainty: float


@dataclass(frozen=True)
class ReceivedBurst:
    """A received burst (8.3.9). `index`: from 1; 101, 102 ... in the first STC zone. `diuc`, `uiuc`: None where the burst has none. `start_symbol`: from the
    start of the frame or burst. `payload`: whole capacity, padding included. `fec_ok`: False if Reed-Solomon failed in any block; BPSK and subchannels
    have none. `corrected_octets`: by Reed-Solomon."""
    index: int
    rate_id: int
    diuc: Optional[int]
    uiuc: Optional[int]
    start_symbol: int
    data_symbols: int
    payload: bytes
    evm_db: float
    cinr_db: float
    fec_ok: bool
    corrected_octets: int
    stc: bool


@dataclass(frozen=True)
class ReceivedFrame:
    """A received frame, or a received uplink burst (8.3.5, 8.3.9). `start_sample`: first sample of the cyclic prefix. `cfo_hz`: positive: received too
    high. `snr_db`: per data carrier. None where the signal does not show a value. `fch`: frame prefix by the keys of docs/wimax-iq.md. `stc_zones`: the
    same for zones."""
    start_sample: int
    cp: str
    cfo_hz: Optional[float]
    sfo_ppm: Optional[float]
    snr_db: Optional[float]
    rssi_dbfs: Optional[float]
    fch: Optional[Mapping[str, Any]]
    bursts: tuple[ReceivedBurst, ...] = ()
    stc_zones: tuple[Mapping[str, Any], ...] = ()
    contention: tuple[DetectedCode, ...] = ()


def _burst(found: Mapping[str, Any]) -> ReceivedBurst:
    same = {key: found[key] for key in ("index", "rate_id", "diuc", "start_symbol", "data_symbols", "evm_db", "cinr_db", "fec_ok")}
    return ReceivedBurst(**same, uiuc=found.get("uiuc"), payload=found["payload"], corrected_octets=found["corrected_bytes"],
                         stc=found.get("stc", False))


def _received(result: Mapping[str, Any]) -> list[ReceivedFrame]:
    keys = ("start_sample", "cp", "cfo_hz", "sfo_ppm", "snr_db", "rssi_dbfs", "fch")
    return [ReceivedFrame(**{key: frame[key] for key in keys}, bursts=tuple(map(_burst, frame["bursts"])), stc_zones=tuple(frame.get("stc_zones", ())),
                          contention=tuple(DetectedCode(**code) for code in frame.get("contention", ()))) for frame in result["frames"]]


def decode(samples: ArrayLike, bandwidth_hz: int = 5_000_000, cp: Optional[str] = None, *, frame: Optional[Frame] = None,
           diuc_rates: Optional[Mapping[int, int]] = None) -> list[ReceivedFrame]:
    """Downlink frames found in samples (n), with their bursts and STC zones (8.3.5); none found: an empty list.

    `cp`: None: search. `diuc_rates`: rate_id by DIUC 1..15; None: DIUC 1 to 7 stand for rates 0 to 6. `frame`: bursts after the fourth as sent, if no
    DL-MAP in burst 1 announces them; their payloads are not used."""
    spec: dict[str, Any] = _present(direction="downlink", bandwidth_hz=bandwidth_hz, cp=cp)
    if diuc_rates is not None:
        spec["diuc_rates"] = {str(diuc): rate for diuc, rate in diuc_rates.items()}
    if frame is not None:
        spec["bursts"] = [{key: value for key, value in burst.spec().items() if key != "payload"} for burst in frame.bursts]
    return _received(decode_octets(np.asarray(samples), spec))


__all__ = ["Burst", "ContentionCode", "ContentionRegion", "DetectedCode", "Frame", "Frames", "ReceivedBurst", "ReceivedFrame", "UplinkBurst", "decode"]
