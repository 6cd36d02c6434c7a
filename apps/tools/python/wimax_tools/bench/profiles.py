# SPDX-License-Identifier: GPL-3.0-or-later
"""Radio profiles by name: channel bandwidth, frame duration, duplex, cyclic prefix."""
import os
import re
from dataclasses import dataclass

FRAME_CODES = {2.5: 0, 4.0: 1, 5.0: 2, 8.0: 3, 10.0: 4, 12.5: 5, 20.0: 6}
FACTORS = [(1_750_000, 8, 7), (1_500_000, 86, 75), (1_250_000, 144, 125), (2_750_000, 316, 275), (2_000_000, 57, 50), (1, 8, 7)]
FDD_SPACING_HZ = -50_000_000  # uplink below the downlink, both in the band of 3.4 to 3.6 GHz
USUAL_FDD_FRAME_MS = "10"
BITS_PER_SYMBOL = [96, 192, 288, 384, 576, 768, 864]
RATE_NAMES = ["BPSK 1/2", "QPSK 1/2", "QPSK 3/4", "16-QAM 1/2", "16-QAM 3/4", "64-QAM 2/3", "64-QAM 3/4"]
CHANNELS = ["awgn", "sui1", "sui2", "sui3", "sui4", "sui5", "sui6", "pedestrian-a", "pedestrian-b", "vehicular-a", "vehicular-b"]


def channel_fault(name):
    """None, or what is wrong with the name of a channel."""
    if name in CHANNELS or os.path.isfile(name):
        return None
    return f"'{name}' is neither a file of taps nor one of {', '.join(CHANNELS)}"


class ProfileError(ValueError):
    pass


@dataclass(frozen=True)
class Profile:
    bandwidth_hz: int
    frame_ms: float
    cp_denominator: int
    fdd: bool = False  # a carrier for each direction

    @classmethod
    def parse(cls, name):
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)MHz(?:-([0-9]+(?:\.[0-9]+)?)ms)?(-fdd)?(?:-cp(4|8|16|32))?", name)
        if not match or not (match[2] or match[3]):
            raise ProfileError(f"'{name}' is not <MHz>MHz-<ms>ms[-fdd][-cp4|8|16|32] or <MHz>MHz-fdd[-cp...], "
                               "for instance 5MHz-10ms, 3.5MHz-20ms-cp4 or 7MHz-fdd")
        frame_ms = match[2] or USUAL_FDD_FRAME_MS
        profile = cls(round(float(match[1]) * 1e6), float(frame_ms), int(match[4] or 8), bool(match[3]))
        if profile.frame_ms not in FRAME_CODES:
            raise ProfileError(f"frame of {frame_ms} ms; allowed: {', '.join(f'{ms:g}' for ms in FRAME_CODES)}")
        if not 1_250_000 <= profile.bandwidth_hz <= 28_000_000:
            raise ProfileError(f"bandwidth {match[1]} MHz; allowed: 1.25 .. 28")
        if profile.frame_symbols > 2047:
            raise ProfileError(f"{profile.frame_symbols} symbols per frame; the maps count at most 2047")
        return profile

    @property
    def name(self):
        cp = "" if self.cp_denominator == 8 else f"-cp{self.cp_denominator}"
        duplex = "-fdd" if self.fdd else ""
        frame = "" if self.fdd and f"{self.frame_ms:g}" == USUAL_FDD_FRAME_MS else f"-{self.frame_ms:g}ms"
        return f"{self.bandwidth_hz / 1e6:g}MHz{frame}{duplex}{cp}"

    @property
    def cp(self):
        return f"1/{self.cp_denominator}"

    @property
    def frame_s(self):
        return self.frame_ms / 1e3

    @property
    def frame_code(self):
        return FRAME_CODES[self.frame_ms]

    @property
    def sample_rate_hz(self):
        _, n, d = next(f for f in FACTORS if self.bandwidth_hz % f[0] == 0)
        return self.bandwidth_hz * n // d // 8000 * 8000

    @property
    def frame_symbols(self):
        return int(self.sample_rate_hz * self.frame_s // (256 + 256 // self.cp_denominator))

    @property
    def direction_symbols(self):
        """That no direction can exceed: the frame, or half of it."""
        return self.frame_symbols if self.fdd else self.frame_symbols / 2

    @property
    def air(self):
        """Keys of wimax-macd's `air`."""
        return {"bandwidth_hz": self.bandwidth_hz, **({"duplex_spacing_hz": FDD_SPACING_HZ} if self.fdd else {})}

    @staticmethod
    def bits_per_symbol(rate_id):
        return BITS_PER_SYMBOL[rate_id]
