# SPDX-License-Identifier: GPL-3.0-or-later
"""Radio profiles by name: channel bandwidth, frame duration, cyclic prefix."""
import os
import re
from dataclasses import dataclass

FRAME_CODES = {2.5: 0, 4.0: 1, 5.0: 2, 8.0: 3, 10.0: 4, 12.5: 5, 20.0: 6}
FACTORS = [(1_750_000, 8, 7), (1_500_000, 86, 75), (1_250_000, 144, 125), (2_750_000, 316, 275), (2_000_000, 57, 50), (1, 8, 7)]
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

    @classmethod
    def parse(cls, name):
        match = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)MHz-([0-9]+(?:\.[0-9]+)?)ms(?:-cp(4|8|16|32))?", name)
        if not match:
            raise ProfileError(f"'{name}' is not <MHz>MHz-<ms>ms[-cp4|8|16|32], for instance 5MHz-10ms or 3.5MHz-20ms-cp4")
        profile = cls(round(float(match[1]) * 1e6), float(match[2]), int(match[3] or 8))
        if profile.frame_ms not in FRAME_CODES:
            raise ProfileError(f"frame of {match[2]} ms; allowed: {', '.join(f'{ms:g}' for ms in FRAME_CODES)}")
        if not 1_250_000 <= profile.bandwidth_hz <= 28_000_000:
            raise ProfileError(f"bandwidth {match[1]} MHz; allowed: 1.25 .. 28")
        if profile.frame_symbols > 2047:
            raise ProfileError(f"{profile.frame_symbols} symbols per frame; the maps count at most 2047")
        return profile

    @property
    def name(self):
        cp = "" if self.cp_denominator == 8 else f"-cp{self.cp_denominator}"
        return f"{self.bandwidth_hz / 1e6:g}MHz-{self.frame_ms:g}ms{cp}"

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

    @staticmethod
    def bits_per_symbol(rate_id):
        return BITS_PER_SYMBOL[rate_id]
