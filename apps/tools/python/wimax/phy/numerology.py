# SPDX-License-Identifier: GPL-3.0-or-later
"""Rates, numerology and burst formats: clauses 8.3.2, 8.3.3.2 and 8.3.5. The values are those of the C++ core."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Union

from wimax._core import core
from wimax.phy._checks import Arguments

CYCLIC_PREFIXES: tuple[str, ...] = ("1/4", "1/8", "1/16", "1/32")
"""Ratios of the cyclic prefix to the 256 samples of a symbol's body (8.3.2.2)."""
CODE_RATES: tuple[str, ...] = ("1/2", "2/3", "3/4", "5/6")
"""Rates of the convolutional code (Table 214), by index in the C++ core."""
MIDAMBLE_INTERVALS: tuple[int, ...] = tuple(core.midamble_intervals)
"""Data symbols between midambles by code 0..4 of `BurstFormat.midamble_interval`; 0: none."""
MOST_FRAME_SYMBOLS: int = core.limits["frame_symbols"]
"""Symbols of the longest frame."""
FULL_BAND = 16
"""Subchannel index of the whole band (Table 213)."""


@dataclass(frozen=True)
class Rate:
    """One of the seven mandatory rates (8.3.3.2.1). Sizes are those of an OFDM symbol over all 16 subchannels.

    `rate_id`: 0..6. `bits_per_carrier`: 1, 2, 4, 6. `uncoded_octets`: octets into the Reed-Solomon code, the tail octet of a burst's last symbol included.
    `coded_octets`: octets on the carriers. `rs_n`, `rs_k`, `rs_t`: shortened and punctured Reed-Solomon code, rs_t 0: none. `inner_rate`: rate of the
    convolutional code; `subchannel_rate`: on less than all subchannels, where there is no Reed-Solomon code. `snr_db`: receiver SNR of the 2005
    corrigendum. `evm_limit_db`: relative constellation error of a transmitter (8.3.10.1.2)."""
    rate_id: int
    name: str
    bits_per_carrier: int
    uncoded_octets: int
    coded_octets: int
    rs_n: int
    rs_k: int
    rs_t: int
    inner_rate: str
    subchannel_rate: str
    snr_db: float
    evm_limit_db: float


RATE_TABLE: tuple[Rate, ...] = tuple(
    Rate(**{**row, "inner_rate": CODE_RATES[row["inner_rate"]], "subchannel_rate": CODE_RATES[row["subchannel_rate"]]}) for row in core.rate_table)
"""The rates by Rate_ID."""


def rate_of(rate: Union[Rate, int, str]) -> Rate:
    """A rate by Rate_ID 0..6, by name ("QPSK 3/4"), or as it is. ValueError names the allowed values."""
    for known in RATE_TABLE:
        if rate is known or (not isinstance(rate, bool) and rate in (known.rate_id, known.name)) or rate == known:
            return known
    raise ValueError(f"rate: value {rate!r}: allowed 0..{len(RATE_TABLE) - 1}, {', '.join(known.name for known in RATE_TABLE)}")


@dataclass(frozen=True)
class Numerology:
    """OFDM numerology of a channel (8.3.2). ValueError if `bandwidth_hz` is not 1250000..28000000 or `cp` not one of CYCLIC_PREFIXES.

    `sample_rate_hz`: 5760000 at 5 MHz. `cp_samples`: samples of the cyclic prefix. `symbol_samples`: prefix and body of 256 samples.
    `carrier_spacing_hz`: sample rate over 256."""
    bandwidth_hz: int = 5_000_000
    cp: str = "1/8"
    sample_rate_hz: int = field(init=False)
    cp_samples: int = field(init=False)
    symbol_samples: int = field(init=False)
    carrier_spacing_hz: float = field(init=False)

    def __post_init__(self) -> None:
        arguments = Arguments()
        arguments.integer("bandwidth_hz", self.bandwidth_hz, *core.limits["bandwidth_hz"])
        arguments.choice("cp", self.cp, CYCLIC_PREFIXES)
        arguments.refuse()
        for name, value in core.numerology(self.bandwidth_hz, self.cp_denominator).items():
            object.__setattr__(self, name, value)

    @property
    def cp_denominator(self) -> int:
        """4, 8, 16 or 32."""
        return int(self.cp[2:])


@dataclass(frozen=True)
class BurstFormat:
    """Parameters of a burst that transmitter and receiver must agree on (8.3.5). ValueError names the field, its value and the allowed range.

    `rate_id`: 0..6. `data_symbols`: 1..2047, without preamble and midambles. `subchannel_index`: 1..31, 16: whole band (Table 213). `iuc`: DIUC or UIUC
    0..15. `bsid`: base station ID, 48 bits. `frame_number`: 24 bits; uplink: of the frame whose UL-MAP granted the burst. The low four bits of both
    and `iuc` seed the randomizer. `preamble_symbols`: 0 none, 1 short, 2 long. `midamble_interval`: code of MIDAMBLE_INTERVALS."""
    rate_id: int
    data_symbols: int
    subchannel_index: int = FULL_BAND
    iuc: int = 0
    bsid: int = 1
    frame_number: int = 0
    preamble_symbols: int = 0
    midamble_interval: int = 0

    def __post_init__(self) -> None:
        arguments = Arguments()
        for name, low, high in (("rate_id", 0, len(RATE_TABLE) - 1), ("data_symbols", 1, MOST_FRAME_SYMBOLS), ("subchannel_index", 1, 31), ("iuc", 0, 15),
                                ("bsid", 0, (1 << 48) - 1), ("frame_number", 0, (1 << 24) - 1), ("preamble_symbols", 0, 2),
                                ("midamble_interval", 0, len(MIDAMBLE_INTERVALS) - 1)):
            arguments.integer(name, getattr(self, name), low, high)
        arguments.refuse()
        if self.subchannels < 16 and self.uncoded_bits < 16:
            raise ValueError(f"data_symbols: value {self.data_symbols}: rate and subchannels carry no octet; allowed more symbols")

    @property
    def rate(self) -> Rate:
        """Row of RATE_TABLE."""
        return RATE_TABLE[self.rate_id]

    @property
    def subchannels(self) -> int:
        """Number of subchannels: 1, 2, 4, 8 or 16."""
        return self.subchannel_index & -self.subchannel_index

    @property
    def code_rate(self) -> str:
        """Rate of the convolutional code of this burst."""
        return self.rate.inner_rate if self.subchannels == 16 else self.rate.subchannel_rate

    @property
    def carriers(self) -> int:
        """Data carriers of a symbol: 12 per subchannel."""
        return 12 * self.subchannels

    @property
    def symbol_bits(self) -> int:
        """Coded bits of a symbol, N_cbps."""
        return self.carriers * self.rate.bits_per_carrier

    @property
    def uncoded_bits(self) -> int:
        """Bits of the whole burst before the outer code, tail included."""
        return self.rate.uncoded_octets * 8 * self.subchannels // 16 * self.data_symbols

    @property
    def payload_octets(self) -> int:
        """Octets of MAC PDUs that the burst carries."""
        return int(core.payload_octets(self.numbers))

    @property
    def total_symbols(self) -> int:
        """Data symbols, preamble and midambles."""
        interval = MIDAMBLE_INTERVALS[self.midamble_interval]
        return self.preamble_symbols + self.data_symbols + ((self.data_symbols - 1) // interval if interval else 0)

    @property
    def seed(self) -> int:
        """Register of the randomizer at the burst's start (8.3.3.1), except burst #1 of a downlink frame (`FIRST_BURST_SEED`)."""
        return int(core.burst_seed(self.bsid & 15, self.iuc, self.frame_number & 15))

    @property
    def numbers(self) -> tuple[int, ...]:
        """The fields as the C++ core takes them."""
        return (self.rate_id, self.data_symbols, self.subchannel_index, self.iuc, self.bsid & 15, self.frame_number & 15, self.preamble_symbols,
                self.midamble_interval)


FCH = BurstFormat(rate_id=0, data_symbols=1)
"""Format of the frame control header: one symbol of BPSK 1/2 with 11 octets, randomized from `FRAME_START_SEED` (8.3.5.1)."""

__all__ = ["CODE_RATES", "CYCLIC_PREFIXES", "FCH", "FULL_BAND", "MIDAMBLE_INTERVALS", "MOST_FRAME_SYMBOLS", "RATE_TABLE", "BurstFormat", "Numerology",
           "Rate", "rate_of"]
