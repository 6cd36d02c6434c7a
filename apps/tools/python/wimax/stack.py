# SPDX-License-Identifier: GPL-3.0-or-later
"""A cell on this machine, controlled from Python: base station, subscriber stations and the radio channel between them as programs.

Run scripts with `./wimax python SCRIPT` (installed: `wimax python SCRIPT`), which sets all paths. Times are seconds of simulated time
unless stated. Rates are kb/s of IP in simulated time, whether the machine is faster than real time or not.
"""
from __future__ import annotations

import os
import statistics
import sys
import time
from dataclasses import dataclass
from typing import Any, Iterable, Mapping, Optional, Sequence, Union

from wimax.signals import RATES
from wimax_tools.bench import stack as programs
from wimax_tools.bench import traffic
from wimax_tools.bench.profiles import Profile, ProfileError, channel_fault
from wimax_tools.bench.stack import StackError

__all__ = ["Ping", "Stack", "StackError", "Transfer"]

DIRECTIONS = ("downlink", "uplink")
PACES = ("free", "paced", "rt")
PACKET_OCTETS = traffic.PACKET
FIRST_PORT = 5201
WATCHED, LOOKS = (0.3, 0.8), 20  # measured part of a transfer, without its begin and end
LEAST_TRANSFER_S = 1.0          # wall-clock time; the shortest transfer of iperf3
OFFERED_FROM_S = 0.0            # from the start of simulated time: packets before entry are lost
MOST_PACKETS = 4_000_000_000    # scripted traffic has no end
STILL_S = 30                    # longest wall-clock time without progress of simulated time

Rate = Union[int, str]


@dataclass(frozen=True)
class Ping:
    """Result of echo requests through the cell and back."""
    rtt_ms: Sequence[float]     #: simulated time, in the order of the replies
    lost: int

    @property
    def mean_ms(self) -> float:
        """Mean of the replies; nan if there was none."""
        return sum(self.rtt_ms) / len(self.rtt_ms) if self.rtt_ms else float("nan")

    def percentile_ms(self, share: float) -> Optional[float]:
        """Percentile; `share` 0.99: 99 of 100 replies did not exceed it."""
        value: Optional[float] = traffic.percentile(list(self.rtt_ms), share)
        return value


@dataclass(frozen=True)
class Transfer:
    """Result of one iperf3 transfer."""
    kbps: float                 #: IP delivered by the sink's MAC, over simulated time, in the middle of the transfer
    packets: int                #: sent
    lost: int                   #: UDP
    retransmissions: int        #: TCP


class Stack:
    """A cell with `stations` subscriber stations, numbered from 1. Use it as a context: it is entered when every station is operational.

    >>> with wimax.Stack(snr_db=30, ul_rate="16-QAM 3/4") as cell:              # doctest: +SKIP
    ...     cell.set_channel(snr_db=22, direction="uplink")
    ...     print(cell.ping().mean_ms, cell.iperf("uplink", seconds=3).kbps)

    * `profile`: channel and frame: `<MHz>MHz-<ms>ms[-fdd][-cp4|8|16|32]`
    * `channel`: awgn, sui1 .. sui6, pedestrian-a, pedestrian-b, vehicular-a, vehicular-b, or a YAML file of taps
    * `snr_db`: SNR of a data carrier in dB, both directions, -30 to 100
    * `dl_rate`, `ul_rate`: Rate_ID 0 to 6, its name (`RATES`), or "auto": adapts to the CINR
    * `seed`: seed of channel and noise
    * `pace`: free: as fast as possible; paced: real time if the machine is fast enough; rt: like hardware
    * `offer_kbps`: `{"downlink": X, "uplink": Y}`: packets of 1500 octets to and from each station, timed by the sample clock, instead of kernel traffic. Two runs with one seed are then
      identical to the sample, and root is not needed. There are no ping and iperf
    * `settings`: further configuration, as in the files of the programs: `{"bs": {...}, "ss1": {...}, "bs.phyd": {...}, "channeld": {...}}`
    * `folder`: for configurations and logs; None: a temporary one

    Raises ValueError with all faults of the arguments, StackError if a program fails or a station does not enter.
    """

    def __init__(self, stations: int = 1, *, profile: str = "5MHz-10ms", channel: str = "awgn", snr_db: float = 30.0, dl_rate: Rate = 6,
                 ul_rate: Rate = 6, seed: int = 1, pace: str = "free", offer_kbps: Optional[Mapping[str, float]] = None,
                 settings: Optional[Mapping[str, Mapping[str, Any]]] = None, folder: Optional[str] = None) -> None:
        faults = list(_faults(stations, profile, channel, snr_db, dl_rate, ul_rate, seed, pace, offer_kbps, settings))
        if faults:
            raise ValueError("\n".join(faults))
        if "WIMAX_BUILD_DIR" not in os.environ:
            raise StackError("the programs are not known here; run the script by: ./wimax python SCRIPT")
        extra = {name: dict(keys) for name, keys in (settings or {}).items()}
        self._tun = offer_kbps is None
        if not self._tun:
            programs.merge(extra.setdefault("channeld", {}), {"time": {"hold": True}})
        self._ports = iter(range(FIRST_PORT, 65536))
        self._programs = programs.Stack(
            Profile.parse(profile), stations=stations, channel=channel, snr_db=snr_db, mode=pace, seed=seed, folder=folder, tun=self._tun,
            dl_rate=_rate_id(dl_rate), ul_rate=_rate_id(ul_rate), dl_auto=dl_rate == "auto", ul_auto=ul_rate == "auto",
            traffic=None if self._tun else _scripted(stations, offer_kbps or {}),
            channel_extra=extra.pop("channeld", {}),
            phyd_extra={name.removesuffix(".phyd"): extra.pop(name) for name in list(extra) if name.endswith(".phyd")}, macd_extra=extra)
        self.entry_time_s: Optional[float] = None  #: entry time of the slowest station

    # Life
    def start(self) -> Stack:
        """Returns when every station is operational; StackError has the reason if one is not."""
        try:
            self._programs.start()
            self.entry_time_s = self._programs.wait_for_entry()
        except BaseException as error:
            if isinstance(error, StackError):
                self._programs.explain(sys.stderr)
            self.stop()
            raise
        return self

    def stop(self) -> None:
        self._programs.stop()

    def __enter__(self) -> Stack:
        return self.start()

    def __exit__(self, kind: Optional[type], *_: object) -> None:
        if kind is not None and issubclass(kind, StackError):
            self._programs.explain(sys.stderr)
        self.stop()

    @property
    def stations(self) -> int:
        """Number of subscriber stations of the cell."""
        return int(self._programs.stations)

    @property
    def time_s(self) -> float:
        """Simulated time since the start of the channel."""
        return float(self._programs.clock().simulated_s)

    def run(self, seconds: float) -> None:
        """Returns after `seconds` of simulated time."""
        end, last, moved = self.time_s + seconds, None, time.monotonic()
        while (now := self.time_s) < end:
            self._programs.check_alive()
            if now != last:
                last, moved = now, time.monotonic()
            elif time.monotonic() - moved > STILL_S:
                raise StackError(f"no simulated time passed for {STILL_S} s")
            time.sleep(0.01)

    # Changes during a run
    def set_channel(self, *, station: Optional[int] = None, direction: Optional[str] = None, **changes: Any) -> None:
        """Changes links from the next samples on. `changes`: snr_db or path_loss_db, channel, delay_samples, cfo_hz, doppler_hz,
        interference_dbm. Without `station` all stations, without `direction` both."""
        _refuse(_direction_faults(direction))
        for number in range(1, self.stations + 1) if station is None else (self._known(station),):
            for way, name in zip(DIRECTIONS, (f"bs->ss{number}", f"ss{number}->bs")):
                if direction in (None, way):
                    self.set("channeld", "link", {"name": name, **changes})

    def set(self, program: str, key: str, value: Any) -> None:
        """Sets a key of a program's control socket: `program` is bs, ss1, bs.phyd, channeld ... Keys: `./wimax ctl bs`. Raises ValueError."""
        self._ask(program, {"set": {key: value}})

    # Measurements
    def metrics(self, program: str = "bs") -> dict[str, Any]:
        """The program's status (docs/running.md)."""
        status: dict[str, Any] = self._ask(program, {"get": "status"})["status"]
        return status

    def capacity_kbps(self, direction: str) -> float:
        """Computed capacity of the frame layout, of one station's share."""
        _refuse(_direction_faults(direction))
        return float(self._programs.capacity_kbps()[direction])

    def goodput_kbps(self, direction: str = "downlink", *, station: int = 1, seconds: float = 1.0, parts: int = 1) -> list[float]:
        """IP rates delivered by the sink's MAC during the next `seconds`, in `parts` equal parts."""
        _refuse(_direction_faults(direction))
        marks = [self._delivered(direction, station)]
        for _ in range(parts):
            self.run(seconds / parts)
            marks.append(self._delivered(direction, station))
        return [8e-3 * (end.octets - begin.octets) / max(1e-9, end.simulated_s - begin.simulated_s) for begin, end in zip(marks, marks[1:])]

    def ping(self, station: int = 1, *, probes: int = 20, octets: int = traffic.SMALL_PACKET, seed: int = 1) -> Ping:
        """Pings a station from the base station, with gaps of 2 to 4 frames between probes, random by `seed`."""
        self._with_kernel_traffic()
        begin = self._programs.clock()
        result = traffic.ping(self._programs.bs_netns, self._programs.address(f"ss{self._known(station)}"), probes,
                              self._programs.profile.frame_s, seed, octets)
        factor = self._programs.clock().factor_since(begin)
        return Ping(tuple(1e3 * s * factor for s in result["rtt_s"]), result["lost"])

    def iperf(self, direction: str = "downlink", *, station: int = 1, seconds: float = 5.0, udp_kbps: Optional[float] = None) -> Transfer:
        """Runs one transfer of about `seconds`: TCP, or UDP that offers `udp_kbps` of IP. With `pace="free"` both values are approximate,
        because they depend on the pace of simulated time; use `pace="paced"` for an exact offer."""
        self._with_kernel_traffic()
        _refuse(_direction_faults(direction))
        source, sink, address = self._programs.route(self._known(station) - 1, direction)
        factor = self._programs.recent_factor()
        if self._programs.mode != "free":
            factor = min(1.0, factor)  # catching up after a stall is temporary
        wall_s = max(LEAST_TRANSFER_S, seconds / factor)
        payload_bps = None if udp_kbps is None else 1e3 * udp_kbps * factor * traffic.UDP_PAYLOAD / traffic.PACKET
        transfer, looks = traffic.Iperf(source, sink, address, next(self._ports), wall_s, payload_bps), []
        try:
            transfer.start()
            time.sleep(WATCHED[0] * wall_s)
            for _ in range(LOOKS):
                looks.append(self._delivered(direction, station))
                time.sleep((WATCHED[1] - WATCHED[0]) * wall_s / LOOKS)
            result = transfer.result()
        finally:
            transfer.stop()
        if result is None:
            raise StackError(f"iperf3 {direction} of station {station}: {transfer.fault}")
        slope = statistics.linear_regression([at.simulated_s for at in looks], [at.octets for at in looks]).slope
        return Transfer(8e-3 * slope, result["packets"], result["lost"], result["retransmissions"])

    # Internal
    def _known(self, station: int) -> int:
        if not 1 <= station <= self.stations:
            raise ValueError(f"station: {station} is not from 1 to {self.stations}")
        return station

    def _delivered(self, direction: str, station: int) -> programs.Delivered:
        return self._programs.delivered(direction)[self._known(station) - 1]

    def _with_kernel_traffic(self) -> None:
        if not self._tun:
            raise StackError("a cell with offer_kbps has no kernel traffic: see goodput_kbps()")

    def _ask(self, program: str, request: Mapping[str, Any]) -> dict[str, Any]:
        name = f"{program}.macd" if program in self._programs.sites else program
        if name not in self._programs.parts:
            raise ValueError(f"program: '{program}' is not there; allowed: {', '.join([*self._programs.sites, *self._programs.parts])}")
        answer: Optional[dict[str, Any]] = self._programs.ask(name, request)
        if answer is None:
            raise StackError(f"{program} does not answer")
        _refuse(answer.get("error", ()))
        return answer


def _refuse(faults: Iterable[str]) -> None:
    if text := "\n".join(faults):
        raise ValueError(text)


def _rate_id(rate: Rate) -> int:
    return len(RATES) - 1 if rate == "auto" else RATES.index(rate) if isinstance(rate, str) else rate


def _direction_faults(direction: Optional[str]) -> Iterable[str]:
    if direction not in (None, *DIRECTIONS):
        yield f"direction: '{direction}' is not one of {', '.join(DIRECTIONS)}"


def _faults(stations: int, profile: str, channel: str, snr_db: float, dl_rate: Rate, ul_rate: Rate, seed: int, pace: str,
            offer_kbps: Optional[Mapping[str, float]], settings: Optional[Mapping[str, Any]]) -> Iterable[str]:
    """All faults of the arguments, found before anything is started."""
    try:
        Profile.parse(profile)
    except ProfileError as error:
        yield f"profile: {error}"
    if fault := channel_fault(channel):
        yield f"channel: {fault}"
    for name, value, low, high in (("stations", stations, 1, 64), ("snr_db", snr_db, -30, 100), ("seed", seed, 0, 2**63 - 1)):
        if not low <= value <= high:  # nan, too
            yield f"{name}: {value} is not from {low} to {high}"
    for name, rate in (("dl_rate", dl_rate), ("ul_rate", ul_rate)):
        if rate not in (*range(len(RATES)), *RATES, "auto"):
            yield f"{name}: '{rate}' is not a rate; allowed: 0 to {len(RATES) - 1}, {', '.join(RATES)}, auto"
    if pace not in PACES:
        yield f"pace: '{pace}' is not one of {', '.join(PACES)}"
    for direction, kbps in (offer_kbps or {}).items():
        yield from _direction_faults(direction)
        if not 1 <= kbps <= 1e6:
            yield f"offer_kbps: {kbps} is not from 1 to 1000000"
    sites = ["bs", *(f"ss{i + 1}" for i in range(stations))] if 1 <= stations <= 64 else []
    allowed = [*sites, *(f"{site}.phyd" for site in sites), "channeld"]
    for name in settings or ():
        if name not in allowed:
            yield f"settings: '{name}' is not there; allowed: {', '.join(allowed)}"


def _scripted(stations: int, offer_kbps: Mapping[str, float]) -> dict[str, list[dict[str, Any]]]:
    """Streams by site: the base station has one to each station, each station one to the base station."""
    def stream(kbps: float, source: str, destination: str) -> dict[str, Any]:
        return {"start_s": OFFERED_FROM_S, "period_s": 8e-3 * PACKET_OCTETS / kbps, "count": MOST_PACKETS, "size_bytes": PACKET_OCTETS,
                "source": source, "destination": destination}

    base, others = f"{programs.SUBNET}.1", [(f"ss{i + 1}", f"{programs.SUBNET}.{i + 2}") for i in range(stations)]
    down, up = (offer_kbps.get(direction) for direction in DIRECTIONS)
    return {**({"bs": [stream(down, base, address) for _, address in others]} if down else {}),
            **({name: [stream(up, address, base)] for name, address in others} if up else {})}
