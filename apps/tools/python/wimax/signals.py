# SPDX-License-Identifier: GPL-3.0-or-later
"""Signals as numpy arrays: generator and analyser of `wimax iq`, without files.

Samples are complex64 at the channel's sample rate (`sample_rate_hz`); a data symbol has mean power 1. Specifications and results are
dictionaries with the keys of docs/wimax-iq.md. Wrong arguments raise ValueError with all faults at once.
"""
from __future__ import annotations

import json
from typing import Any, Iterator, Mapping, Optional

import numpy as np
import numpy.typing as npt

from wimax._core import core

__all__ = ["DEFAULTS", "RATES", "Samples", "decode", "generate", "impair", "sample_rate_hz"]

Samples = npt.NDArray[np.complex64]
"""Samples or carriers: complex64. Functions take any array of complex numbers and return this type."""

RATES: tuple[str, ...] = tuple(core.rate_names)
"""Names by Rate_ID."""

DEFAULTS: Mapping[str, Any] = {"direction": "downlink", "bandwidth_hz": 5_000_000, "cp": "1/8", "bsid": "000000000001", "frame_number": 0,
                               "change_count": 0}
"""Keys that `generate` and `decode` add to a specification without them."""
_TO_SEARCH = ("cp", "bsid", "frame_number", "change_count")  # found in a downlink signal


def _complex(samples: Any) -> Samples:
    try:
        return np.asarray(samples, dtype=np.complex64)
    except (TypeError, ValueError):
        raise ValueError(f"samples: {type(samples).__name__} is not an array of complex numbers") from None


def _plain(value: Any) -> Any:
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise ValueError(f"spec: value {value!r}: allowed numbers, texts, lists and dictionaries")


def spec_text(spec: Mapping[str, Any]) -> str:
    """A specification as JSON. ValueError: values that JSON does not have."""
    return json.dumps(spec, default=_plain)


def generate(spec: Mapping[str, Any]) -> Samples:
    """Samples of a downlink subframe, several frames, or an uplink burst.

    `spec`: keys of `wimax iq generate`. Direction, bandwidth, cyclic prefix, BSID, frame number and change count have the values of DEFAULTS if absent.
    """
    samples: Samples = core.generate(spec_text({**DEFAULTS, **spec}))
    return samples


def impair(samples: Samples, *, snr_db: Optional[float] = None, channel: str = "awgn", cfo_hz: float = 0.0, sfo_ppm: float = 0.0,
           delay_samples: float = 0.0, gain_db: float = 0.0, doppler_hz: Optional[float] = None, bandwidth_hz: int = 5_000_000,
           seed: int = 1, transmitter: Optional[Mapping[str, Any]] = None, receiver: Optional[Mapping[str, Any]] = None) -> Samples:
    """The samples after a channel: the transmitter's radio; fading, clock and carrier offset, delay, gain, noise; the receiver's radio, in this order.

    `snr_db`: Es/N0 of a data carrier for a signal of mean power 1, None: no noise. `channel`: awgn, sui1 .. sui6, pedestrian-a, pedestrian-b,
    vehicular-a, vehicular-b, or a YAML file of taps. Positive `cfo_hz` moves the spectrum up, positive `sfo_ppm` is a fast receiver clock.
    `transmitter`, `receiver`: impairments of the radios, by the keys of docs/wimax-iq.md (`{"dc_dbc": -25, "image_dbc": -30, "bits": 12,
    "phase_noise_deg": 0.6}`). The same `seed` gives the same noise and fading. The result is longer by delay and spread.
    """
    heard: Samples = core.impair(_complex(samples), sample_rate_hz(bandwidth_hz), channel, doppler_hz, snr_db, cfo_hz, sfo_ppm,
                                 delay_samples, gain_db, seed, dict(transmitter or {}), dict(receiver or {}))
    return heard


def decode_octets(samples: Samples, spec: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
    """`decode` with each payload as bytes."""
    known = {key: value for key, value in DEFAULTS.items() if key not in _TO_SEARCH}
    text, payloads = core.decode(_complex(samples), spec_text({**known, **(spec or {})}))
    found: dict[str, Any] = json.loads(text)
    for burst, payload in zip(_bursts(found), payloads):
        burst["payload"] = payload
    return found


def _bursts(found: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    return (burst for frame in found["frames"] for burst in frame["bursts"])


def decode(samples: Samples, spec: Optional[Mapping[str, Any]] = None) -> dict[str, Any]:
    """Frames (or, for an uplink spec, the burst) found in the samples: `{"frames": [{"fch": ..., "bursts": [...]}]}`; nothing found: no frames.

    `spec`: keys of `wimax iq decode`. A downlink needs only its bandwidth (default 5 MHz).
    """
    found = decode_octets(samples, spec)
    for burst in _bursts(found):
        burst["payload"] = burst["payload"].hex().upper()
    return found


def sample_rate_hz(bandwidth_hz: int) -> float:
    """Sample rate in Hz of a channel of that bandwidth in Hz (clause 8.3.2.2): 5.76 MS/s at 5 MHz. ValueError: not the bandwidth of a channel."""
    rate_hz: float = core.sample_rate_hz(bandwidth_hz)
    return rate_hz
