# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts of messages that are no TLVs: information elements of maps and of ARQ feedback, clocks, power corrections.

All values are unsigned integers of the given width unless noted. Wrong values are reported when the message becomes octets.
"""
from __future__ import annotations

import dataclasses
from typing import Any, Mapping, Optional, Sequence, TypeVar

from wimax.pdu.records import Record, tree_of

_E = TypeVar("_E", bound="Element")


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Element(Record):
    """Base of these parts."""

    @classmethod
    def of(cls: type[_E], tree: Mapping[str, Any]) -> _E:
        """From the JSON of `wimax pdu`."""
        known = {field.name for field in dataclasses.fields(cls)}
        return cls(**{name: cls.taken(name, value) for name, value in tree.items() if name in known})

    @classmethod
    def taken(cls, name: str, value: Any) -> Any:
        """One value of the JSON."""
        return tuple(value) if isinstance(value, list) else value


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class DlMapIe(Element):
    """DL-MAP information element (8.3.6.2).

    `cid`: 16 bits. `diuc`: 4 bits; 15 has only `extended`: code (4 bits), length in octets (4 bits), contents. `preamble`: 1 if a preamble precedes
    the burst. `start`: OFDM symbols from the frame's beginning, 11 bits.
    """
    cid: int = 0xFFFF
    diuc: int = 0
    preamble: Optional[int] = None
    start: Optional[int] = None
    extended: Optional[bytes] = None

    def __post_init__(self) -> None:
        if self.extended is None:
            self.preamble, self.start = self.preamble or 0, self.start or 0

    @classmethod
    def taken(cls, name: str, value: Any) -> Any:
        return bytes.fromhex(value) if name == "extended" else value

    def arguments(self) -> Any:
        return ((name, value) for name, value in super().arguments() if name not in ("preamble", "start") or value)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FocusedContention(Element):
    """Contents of a UL-MAP information element with UIUC 4 (8.3.6.3.3): transmission opportunity of the focused contention to which it responds.

    `frame_lsb4`: 4 bits, `opportunity`: 3 bits, `channel`: 6 bits, `code`: 3 bits.
    """
    frame_lsb4: int = 0
    opportunity: int = 0
    channel: int = 0
    code: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class SubchannelizedEntry(Element):
    """Contents of a UL-MAP information element with UIUC 13, subchannelized network entry (8.3.6.3). `subch`: 5 bits, `frame_lsb4`: 4 bits, `code`: 3 bits."""
    subch: int = 0
    frame_lsb4: int = 0
    code: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class UlMapIe(Element):
    """UL-MAP information element (8.3.6.3).

    `cid`: 16 bits. `start`: OFDM symbols after the map's allocation start, 11 bits. `subch`: subchannel index, 5 bits; 16 is the whole band.
    `uiuc`: 4 bits. `duration`: OFDM symbols, 10 bits. `midamble`: repetition interval, 2 bits. `focused` is needed with UIUC 4, `network_entry` with 13,
    `extended` with 15: code (4 bits), length in octets (4 bits), contents.
    """
    cid: int = 0xFFFF
    start: int = 0
    subch: int = 16
    uiuc: int = 1
    duration: int = 0
    midamble: int = 0
    focused: Optional[FocusedContention] = None
    network_entry: Optional[SubchannelizedEntry] = None
    extended: Optional[bytes] = None

    @classmethod
    def taken(cls, name: str, value: Any) -> Any:
        if name == "focused":
            return FocusedContention.of(value)
        if name == "network_entry":
            return SubchannelizedEntry.of(value)
        return bytes.fromhex(value) if name == "extended" else value


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class BlockSequence(Element):
    """A block sequence of ARQ feedback (6.3.4.2). `fmt`: 0 for two `lengths` of 6 bits, 1 for three of 4 bits. `bits`: as many digits, 1 for received."""
    fmt: int = 0
    bits: str = "00"
    lengths: Sequence[int] = (0, 0)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FeedbackIe(Element):
    """ARQ feedback information element (6.3.4.2). Its flag "last" follows from its place in the list.

    `cid`: 16 bits. `ack_type`: 0 selective, 1 cumulative, 2 cumulative with selective maps, 3 cumulative with block sequences. `bsn`: 11 bits.
    `maps`: 1 to 4 words of 16 bits, with types 0 and 2. `sequences`: 1 to 4, with type 3.
    """
    cid: int = 0
    ack_type: int = 1
    bsn: int = 0
    maps: Sequence[int] = ()
    sequences: Sequence[BlockSequence] = ()

    @classmethod
    def taken(cls, name: str, value: Any) -> Any:
        return tuple(BlockSequence.of(one) for one in value) if name == "sequences" else super().taken(name, value)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Clock(Element):
    """Clock comparison of CLK-CMP (6.3.2.3.25). `id`, `seq`: 8 bits. `value`: -128..127."""
    id: int = 0
    seq: int = 0
    value: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class PowerCorrection(Element):
    """One station's power correction of FPC (6.3.2.3.34). `cid`: basic CID, 16 bits. `power_adjust`: 0.25 dB, -128..127."""
    cid: int = 0
    power_adjust: int = 0


def feedback_tree(ies: Sequence[FeedbackIe]) -> Any:
    """JSON of the core, with the flag "last"."""
    if not isinstance(ies, (list, tuple)) or not ies:
        raise ValueError("at least one FeedbackIe is needed")
    trees = [tree_of(ie) for ie in ies]
    return [{**tree, "last": int(i + 1 == len(ies))} if isinstance(tree, dict) else tree for i, tree in enumerate(trees)]


def feedback_of(tree: Sequence[Mapping[str, Any]]) -> tuple[FeedbackIe, ...]:
    """The inverse of `feedback_tree`."""
    return tuple(FeedbackIe.of(ie) for ie in tree)
