# SPDX-License-Identifier: GPL-3.0-or-later
"""Channels between radios, and impairments of radios' front ends (docs/wimax-iq.md), as dataclasses."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Optional

import numpy as np

from wimax._core import core
from wimax.phy._checks import Arguments, ComplexArray
from wimax.signals import impair

PROFILES: tuple[str, ...] = tuple(core.channel_names)
"""Channels by name; a path of a YAML file of taps is allowed, too."""
FRONT_RANGES: dict[str, tuple[Optional[float], Optional[float], str, str]] = {key: (low, high, unit, text) for key, low, high, unit, text in core.front_keys}
"""Lowest and highest value, unit and meaning of each field of `Front`."""


@dataclass(frozen=True)
class Front:
    """Impairments of a radio's analog part; None: absent. ValueError names fields, values and ranges (FRONT_RANGES).

    Levels are dBc: relative to a signal of mean power 1. `dc_dbc`: DC offset of a receiver, LO leakage of a transmitter. `image_dbc`: mirrored signal; or
    `iq_gain_db` (Q over I) and `iq_phase_deg` (deviation of Q from 90 degrees). `lo_offset_hz`: oscillator minus centre of the band. `phase_noise_deg`:
    integrated, rms. `phase_noise_mask`: "1e3:-85,1e5:-95", Hz and dBc/Hz. `bits`, `full_scale_db`: converter. `rapp_saturation_db`, `rapp_smoothness`:
    amplifier by Rapp's model."""
    dc_dbc: Optional[float] = None
    image_dbc: Optional[float] = None
    iq_gain_db: Optional[float] = None
    iq_phase_deg: Optional[float] = None
    lo_offset_hz: Optional[float] = None
    phase_noise_deg: Optional[float] = None
    phase_noise_mask: Optional[str] = None
    bits: Optional[int] = None
    full_scale_db: Optional[float] = None
    rapp_saturation_db: Optional[float] = None
    rapp_smoothness: Optional[float] = None

    def __post_init__(self) -> None:
        arguments = Arguments()
        for name, value in self.keys().items():
            low, high = FRONT_RANGES[name][:2]
            if low is None or high is None:
                continue
            if name == "bits":
                arguments.integer(name, value, int(low), int(high))
            else:
                arguments.number(name, value, low, high)
        arguments.refuse()

    def keys(self) -> dict[str, Any]:
        """The fields that are present, by the keys of `wimax.impair`."""
        return {one.name: getattr(self, one.name) for one in fields(self) if getattr(self, one.name) is not None}


@dataclass(frozen=True)
class Channel:
    """A channel from one radio to another. In this order: transmitter's front; fading, clock and carrier offset, delay, gain, noise; receiver's front.

    `profile`: one of PROFILES or a YAML file. `snr_db`: Es/N0 of a data carrier of a signal of mean power 1, None: no noise. `doppler_hz`: None: that of
    the profile. Positive `cfo_hz` moves the spectrum up; positive `sfo_ppm` is a fast receiver clock. The same `seed` gives the same noise and fading."""
    profile: str = "awgn"
    snr_db: Optional[float] = None
    cfo_hz: float = 0.0
    sfo_ppm: float = 0.0
    delay_samples: float = 0.0
    gain_db: float = 0.0
    doppler_hz: Optional[float] = None
    seed: int = 1
    transmitter: Front = Front()
    receiver: Front = Front()

    def apply(self, samples: Any, bandwidth_hz: int = 5_000_000) -> ComplexArray:
        """Samples (m) of the signal (n) after the channel; m exceeds n by delay and spread. Errors: as of `wimax.impair`."""
        heard: ComplexArray = np.asarray(impair(
            samples, snr_db=self.snr_db, channel=self.profile, cfo_hz=self.cfo_hz, sfo_ppm=self.sfo_ppm, delay_samples=self.delay_samples,
            gain_db=self.gain_db, doppler_hz=self.doppler_hz, bandwidth_hz=bandwidth_hz, seed=self.seed, transmitter=self.transmitter.keys(),
            receiver=self.receiver.keys()), np.complex64)
        return heard


__all__ = ["FRONT_RANGES", "PROFILES", "Channel", "Front"]
