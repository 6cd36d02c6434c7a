# SPDX-License-Identifier: GPL-3.0-or-later
"""Stages of the WirelessMAN-OFDM PHY (IEEE 802.16-2004 clause 8.3) on numpy arrays, in both directions.

| module | content |
|---|---|
| `wimax.phy.numerology` | rates, numerology, burst formats |
| `wimax.phy.coding` | randomizer, Reed-Solomon, convolutional code, puncturing, interleaver, labels, Viterbi; whole bursts |
| `wimax.phy.carriers` | constellations, soft bits, pilots, preambles, STC, contention codes, OFDM |
| `wimax.phy.receive` | synchronization, channel estimate, equalizer, the receivers' view of symbols |
| `wimax.phy.frames` | frames, bursts, STC zones, subchannels and contention as dataclasses |
| `wimax.phy.quality` | EVM, CINR, spectrum, mask, flatness |
| `wimax.phy.channels` | channels and front-end impairments |

All names are also in `wimax.phy`. Arrays may have leading dimensions that count blocks; one call into C++ works on all blocks without the interpreter
lock. Wrong arguments raise ValueError with name, shape or value, and allowed range, all at once.
"""
from wimax.phy import carriers, channels, coding, frames, numerology, quality, receive
from wimax.phy.carriers import *
from wimax.phy.channels import *
from wimax.phy.coding import *
from wimax.phy.frames import *
from wimax.phy.numerology import *
from wimax.phy.quality import *
from wimax.phy.receive import *

__all__ = sorted({name for module in (carriers, channels, coding, frames, numerology, quality, receive) for name in module.__all__})
