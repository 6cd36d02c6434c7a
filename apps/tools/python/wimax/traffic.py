# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic of a simulated cell: models of packets, and the flows that carry them.

Each model makes IP packets; rates and sizes are of IP packets (docs/simulator.md describes the models). A `Flow` is a service flow (clause 6.3.14)
with its packets for each of its stations. Ranges are checked when the cell is made, all at once.
"""
from __future__ import annotations

import dataclasses
import ipaddress
import struct
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Iterator, Optional, Protocol, Sequence, Union

import numpy as np
import numpy.typing as npt

__all__ = ["Cbr", "Flow", "OnOff", "PcapTrace", "Ping", "Poisson", "Saturate", "Tcp", "Trace", "Traffic", "Video", "Voice", "read_pcap"]

LEAST_BYTES, MOST_BYTES = 40, 1500
"""Sizes of IP packets that the simulator carries, in bytes."""


class Traffic(Protocol):
    """A model of packets: anything with the method `keys`."""

    def keys(self) -> dict[str, Any]:
        """Keys of an entry of `traffic` in a scenario (docs/simulator.md)."""
        ...


def _keys(kind: str, model: Any) -> dict[str, Any]:
    return {"kind": kind, **{field.name: getattr(model, field.name) for field in dataclasses.fields(model)}}


@dataclass(frozen=True)
class Cbr:
    """Packets at constant intervals: `rate_bps` in bit/s, 1..1e9; `packet_bytes` 40..1500."""

    rate_bps: float
    packet_bytes: int = 1500

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("cbr", self)


@dataclass(frozen=True)
class Poisson:
    """Packets with exponential gaps: mean rate `rate_bps` in bit/s, 1..1e9; `packet_bytes` 40..1500."""

    rate_bps: float
    packet_bytes: int = 1500

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("poisson", self)


@dataclass(frozen=True)
class Voice:
    """Talk spurts and pauses of exponential duration. `rate_bps`: while talking in bit/s, 1..1e9. `packet_bytes`: 40..1500. `talk_s`: mean duration of a
    talk spurt in s, 0.001..1e6. `silence_s`: mean duration of a pause in s, 0..1e6; 0: no pauses."""

    rate_bps: float = 80_000
    packet_bytes: int = 200
    talk_s: float = 1.0
    silence_s: float = 1.35

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("voice", self)


@dataclass(frozen=True)
class OnOff:
    """Periods with packets at `rate_bps` (bit/s, 1..1e9) and without, of the mean durations `on_s` and `off_s` (s, 0.001..1e6). `packet_bytes`: 40..1500.

    `pareto_shape` above 1: durations have a Pareto distribution. Shapes of 1 to 2 make the sum of many flows self-similar (Willinger, Taqqu,
    Sherman, Wilson 1997). None: durations are exponential.
    """

    rate_bps: float
    packet_bytes: int = 1500
    on_s: float = 1.0
    off_s: float = 1.0
    pareto_shape: Optional[float] = 1.5

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        if self.pareto_shape is None:
            return Voice(self.rate_bps, self.packet_bytes, self.on_s, self.off_s).keys()
        return _keys("onoff", self)


@dataclass(frozen=True)
class Video:
    """Video of variable bit rate: `pictures_per_s` pictures, each in packets of at most `packet_bytes` that are sent together.

    `packet_bytes`: 40..1500. `pictures_per_s`: 0.1..1000. `rate_bps`: mean rate in bit/s, 1..1e9. `group_pictures`: 1..1000, `intra_ratio`: 1..100,
    `size_cv`: 0..5. The first of `group_pictures` pictures is an intra picture, in the mean `intra_ratio` times as large as the
    others. Sizes are lognormal and independent, with the standard deviation `size_cv` times the mean. Lognormal sizes follow measurements of MPEG video
    (Krunz, Hughes 1995); the correlation of consecutive pictures is not modelled.
    """

    rate_bps: float
    packet_bytes: int = 1400
    pictures_per_s: float = 25.0
    group_pictures: int = 12
    intra_ratio: float = 3.0
    size_cv: float = 0.3

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("video", self)


@dataclass(frozen=True)
class Tcp:
    """A bulk transfer by a simple model of a TCP sender (CUBIC, SACK). `packet_bytes`: 81..1500. `window_bytes`: window of the receiver, 3000..1e8. `ecn`: the
    sender uses ECN, so that packets can be marked in place of dropped."""

    packet_bytes: int = 1500
    window_bytes: int = 256_000
    ecn: bool = True

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("tcp", self)


@dataclass(frozen=True)
class Saturate:
    """As many packets of `packet_bytes` (40..1500) as the service flow sends."""

    packet_bytes: int = 1500

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("saturate", self)


@dataclass(frozen=True)
class Ping:
    """Echo requests of `packet_bytes` (40..1500) with uniform gaps from `gap_min_ms` to `gap_max_ms` (ms, 0.1..1e6); the delay is the round trip."""

    packet_bytes: int = 84
    gap_min_ms: float = 100
    gap_max_ms: float = 200

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _keys("ping", self)


def _trace_keys(times_s: Any, sizes_bytes: Any, period_s: float) -> dict[str, Any]:
    points = [{"at_s": at, "bytes": size} for at, size in zip(np.asarray(times_s).tolist(), np.asarray(sizes_bytes).tolist())]
    return {"kind": "trace", "trace": points, "trace_period_s": period_s}


@dataclass(frozen=True)
class Trace:
    """Packets at given times.

    `times_s`: shape (packets,), s, 0..1e6 since the flow's start, not falling. `sizes_bytes`: shape (packets,), 40..1500. `period_s`: the trace starts
    again after this time, 0: never. Raises ValueError if the shapes differ. A cell takes about 30 000 points of all traces, 1 MiB of text.
    """

    times_s: npt.ArrayLike
    sizes_bytes: npt.ArrayLike
    period_s: float = 0.0

    def __post_init__(self) -> None:
        times, sizes = np.shape(self.times_s), np.shape(self.sizes_bytes)
        if len(times) != 1 or times != sizes:
            raise ValueError(f"times_s, sizes_bytes: shapes {times} and {sizes}: allowed one-dimensional arrays of one length")

    def keys(self) -> dict[str, Any]:
        """Keys of the entry."""
        return _trace_keys(np.asarray(self.times_s), np.asarray(self.sizes_bytes), self.period_s)


@dataclass(frozen=True)
class PcapTrace:
    """Times and sizes of the IP packets of a capture, as `read_pcap` reads them.

    `file`: classic pcap. `source`, `destination`: only packets from or to this address. `period_s`: the trace starts again after this time, 0: never.
    Larger packets than 1500 bytes are sent as several, smaller ones than 40 bytes as 40.
    """

    file: Union[str, "PathLike[str]"]
    source: Optional[str] = None
    destination: Optional[str] = None
    period_s: float = 0.0

    def keys(self) -> dict[str, Any]:
        """Keys of the entry. Raises ValueError for a malformed file, and if no packet is left."""
        times, sizes = read_pcap(self.file, source=self.source, destination=self.destination)
        if len(times) == 0:
            raise ValueError(f"{self.file}: no IP packet: allowed a capture with at least one from source to destination")
        parts = np.maximum(1, -(-sizes // MOST_BYTES))
        split = np.repeat(times, parts)
        last = np.cumsum(parts) - 1
        split_sizes = np.full(len(split), MOST_BYTES)
        split_sizes[last] = np.maximum(sizes - (parts - 1) * MOST_BYTES, LEAST_BYTES)
        return _trace_keys(split, split_sizes, self.period_s)


@dataclass(frozen=True)
class Flow:
    """A service flow (clauses 6.3.14 and 11.13), and the packets in it, for each of its stations.

    `traffic`: model of the packets. `direction`: "downlink", "uplink". `stations`: "all", a number or numbers from 1. `service` (clause 6.3.5): "UGS",
    "rtPS", "ertPS", "nrtPS", "BE". `max_rate_bps`: maximum sustained rate in bit/s, 0..4294967295; 0: none, or the packets' rate for UGS and ertPS.
    `min_rate_bps`: minimum reserved rate in bit/s, 0..4294967295; 0: none, or the packets' rate for rtPS without `max_rate_bps`. `max_burst_bytes`: maximum
    traffic burst, 2040 or more; 0: 40 ms of `max_rate_bps` plus 2040. `max_latency_ms`: maximum latency, 0..1e6 ms; later packets are counted; 0: none.
    `weight`: of the stations for capacity that is not reserved, 0..100; 0: 1, or the weight of another flow. `arq`: use ARQ (clause 6.3.4) if the cell
    enables it (key `arq`). `multicast`: the stations share one service flow, and each packet is sent once; downlink only, not `Tcp` and `Ping`.
    `same_flow_as`: number (from 1) of an earlier flow of the cell, whose service flow these packets use; 0: a separate one. `start_s`, `stop_s`: begin and
    end in s, 0..1e6 after the traffic begins; stop 0: never.
    """

    traffic: Traffic
    direction: str = "downlink"
    stations: Union[str, int, Sequence[int]] = "all"
    service: str = "BE"
    max_rate_bps: int = 0
    min_rate_bps: int = 0
    max_burst_bytes: int = 0
    max_latency_ms: float = 0
    weight: int = 0
    arq: bool = True
    multicast: bool = False
    same_flow_as: int = 0
    start_s: float = 0.0
    stop_s: float = 0.0

    def keys(self) -> dict[str, Any]:
        """Keys of an entry of `traffic` in a scenario; those with their default are absent."""
        own = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)
               if field.name not in ("traffic", "stations") and getattr(self, field.name) != field.default}
        if not isinstance(self.stations, str):
            own["stations"] = np.atleast_1d(self.stations).tolist()
        elif self.stations != "all":
            own["stations"] = self.stations
        return {**self.traffic.keys(), **own}


# --- captures -----------------------------------------------------------------------------------------------------------

_MAGIC = {0xA1B2C3D4: 1e-6, 0xA1B23C4D: 1e-9}
_PCAPNG = 0x0A0D0D0A
_ETHERNET, _RAW, _COOKED, _IPV4 = 1, 101, 113, 228
_MOST_CAPTURED = 262_144
_ETHERTYPES_IP, _ETHERTYPES_TAG = (0x0800, 0x86DD), (0x8100, 0x88A8)


class _Capture:
    """Records of a classic pcap file."""

    def __init__(self, file: Union[str, "PathLike[str]"]) -> None:
        self.name = str(file)
        try:
            self.data = Path(file).read_bytes()
        except OSError as fault:
            raise ValueError(f"file: {self.name}: {fault.strerror}: allowed a readable pcap file") from None
        if len(self.data) < 24:
            self.refuse(0, f"{len(self.data)} octets", "at least the 24 octets of a header")
        self.order, self.tick_s = self._format()
        self.link = struct.unpack_from(self.order + "I", self.data, 20)[0] & 0xFFFF
        if self.link not in (_ETHERNET, _RAW, _COOKED, _IPV4):
            self.refuse(20, f"link type {self.link}", "1 (Ethernet), 101 (raw IP), 113 (Linux cooked), 228 (IPv4)")

    def refuse(self, octet: int, value: str, allowed: str) -> None:
        raise ValueError(f"{self.name}: octet {octet}: {value}: allowed {allowed}")

    def _format(self) -> tuple[str, float]:
        for order in "<>":
            magic = struct.unpack_from(order + "I", self.data)[0]
            if magic in _MAGIC:
                return order, _MAGIC[magic]
            if magic == _PCAPNG:
                self.refuse(0, "a pcapng file", "classic pcap; convert it by: editcap -F pcap IN OUT")
        self.refuse(0, f"magic number {self.data[:4].hex()}", "classic pcap, a1b2c3d4 or a1b23c4d in either order")
        raise AssertionError

    def records(self) -> Iterator[tuple[float, bytes]]:
        """Time in seconds and captured octets of each record."""
        at = 24
        while at < len(self.data):
            if at + 16 > len(self.data):
                self.refuse(at, f"{len(self.data) - at} octets", "16 of a record's header; the file is cut")
            seconds, ticks, captured, _ = struct.unpack_from(self.order + "4I", self.data, at)
            if captured > _MOST_CAPTURED:
                self.refuse(at + 8, f"a record of {captured} octets", f"0..{_MOST_CAPTURED}")
            if at + 16 + captured > len(self.data):
                self.refuse(at + 8, f"a record of {captured} octets", f"{len(self.data) - at - 16}, which are left; the file is cut")
            yield seconds + ticks * self.tick_s, self.data[at + 16:at + 16 + captured]
            at += 16 + captured

    def packet(self, frame: bytes) -> bytes:
        """The IP packet of a captured frame; empty: none."""
        if self.link in (_RAW, _IPV4):
            return frame
        at = 12 if self.link == _ETHERNET else 14
        kind = int.from_bytes(frame[at:at + 2], "big")
        while self.link == _ETHERNET and kind in _ETHERTYPES_TAG:
            at += 4
            kind = int.from_bytes(frame[at:at + 2], "big")
        return frame[at + 2:] if kind in _ETHERTYPES_IP else b""


def _ip(packet: bytes) -> Optional[tuple[int, str, str]]:
    """Size in bytes, source and destination of an IPv4 or IPv6 packet; None: neither."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and len(packet) >= 20:
        size = int.from_bytes(packet[2:4], "big")
        return size or len(packet), str(ipaddress.IPv4Address(packet[12:16])), str(ipaddress.IPv4Address(packet[16:20]))
    if version == 6 and len(packet) >= 40:
        size = 40 + int.from_bytes(packet[4:6], "big")
        return size, str(ipaddress.IPv6Address(packet[8:24])), str(ipaddress.IPv6Address(packet[24:40]))
    return None


def read_pcap(file: Union[str, "PathLike[str]"], *, source: Optional[str] = None,
              destination: Optional[str] = None) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Times and sizes of the IP packets of a capture in classic pcap format: two arrays of the shape (packets,).

    Times are seconds since the first of these packets, in rising order. Sizes are bytes of IP, also if the capture has only the packets' beginnings.
    `source`, `destination`: IPv4 or IPv6 address; only packets from or to it. Other frames than IP are ignored. Ethernet (with VLAN tags), raw IP and
    Linux cooked captures are read. Raises ValueError with file and octet for a malformed file, and for addresses that are none.
    """
    wanted = []
    for name, address in (("source", source), ("destination", destination)):
        try:
            wanted.append(None if address is None else str(ipaddress.ip_address(address)))
        except ValueError:
            raise ValueError(f"{name}: {address!r}: allowed an IPv4 or IPv6 address") from None
    capture = _Capture(file)
    times, sizes = [], []
    for at, frame in capture.records():
        read = _ip(capture.packet(frame))
        if read is None or any(want is not None and want != has for want, has in zip(wanted, read[1:])):
            continue
        times.append(at)
        sizes.append(read[0])
    order = np.argsort(times, kind="stable")
    all_times, all_sizes = np.array(times, np.float64)[order], np.array(sizes, np.int64)[order]
    return all_times - (all_times[0] if len(all_times) else 0), all_sizes
