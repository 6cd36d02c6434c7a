# SPDX-License-Identifier: GPL-3.0-or-later
"""What a script reads from a simulated cell: figures as arrays, the maps and PDUs of each frame. `wimax.simulator` has these names."""
from __future__ import annotations

import importlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Optional

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from wimax.pdu import DlMap, Pdu, UlMap

__all__ = ["CellReadings", "Figures", "GRANT_KINDS", "Maps", "PDU_STATES", "PduRecord", "StatusFigures"]

GRANT_KINDS: tuple[str, ...] = ("data", "ranging", "contention")
"""Names by the field `kind` of a grant."""

PDU_STATES: tuple[str, ...] = ("pdu", "bad_crc", "unreadable")
"""States of a recorded PDU: whole with a right CRC or none, whole with a wrong CRC, octets up to the burst's end that are no PDU."""

LEAST_PDU_MEMORY_BYTES, MOST_PDU_MEMORY_BYTES = 1 << 16, 1 << 36


class Figures(dict[str, npt.NDArray[Any]]):
    """Arrays of one length by name."""

    def frame(self) -> Any:
        """The same as a pandas DataFrame, one column for each array. Raises ImportError without pandas."""
        return importlib.import_module("pandas").DataFrame(dict(self))


@dataclass(frozen=True)
class StatusFigures:
    """All numbers in the status of all MACs at one moment, float64 arrays; booleans are 0 and 1, and a figure that an object does not have is NaN.

    Names are the keys of `status`, joined by dots (docs/mac.md, docs/metrics.md describe them); texts are only in `status`.

    `base_station`: shape (1,), the base station without its stations, then the counters of the PHY's model (`phy.dl_bursts_wrong`, ...). `stations`: shape
    (stations,), names begin with `bs.` (by the base station: `bs.dl.backlog_bytes`, `bs.ul.requests`, `bs.cinr_db`, ...) or `ss.` (by the station itself:
    `ss.requests.contention`, `ss.ul.dropped`, ...). `flows`: shape (ends of service flows,): `station` and `entry` (from 1; entry 0: of no entry),
    `at_base_station`, `uplink`, then the figures at that end (`backlog_packets`, `dropped`, `arq_repeats`, ...). Empty without service flows.
    """

    base_station: Figures
    stations: Figures
    flows: Figures


@dataclass(frozen=True)
class PduRecord:
    """A PDU that the base station sent or received.

    `frame`: number of its frame. `time_s`: begin of its burst, s since the first frame. `direction`: "downlink", "uplink". `station`: from 1; 0: of none
    alone (broadcast, multicast, initial ranging), or not known. `cid`: of its header, 0..65535. `burst`: index of its burst in the frame (downlink: from 1,
    the broadcast burst; uplink: from 0, the order of the allocations in `grants`). `offset`: of its first octet in the burst. `kind`: of `GRANT_KINDS`.
    `rate_id`: 0..6. `cinr_db`: of the received burst; downlink: NaN. `state`: of `PDU_STATES`. `octets`: as on air. `basic_cid_max`: m of the base station:
    its basic CIDs are 1..m.
    """

    frame: int
    time_s: float
    direction: str
    station: int
    cid: int
    burst: int
    offset: int
    kind: str
    rate_id: int
    cinr_db: float
    state: str
    octets: bytes
    basic_cid_max: int

    @property
    def pdu(self) -> "Pdu":
        """The PDU as an object of `wimax.pdu` (clause 6.3.2), decoded now. Encrypted payloads stay octets. Raises DissectError if it is unreadable."""
        from wimax.pdu import Pdu
        return Pdu.dissect(self.octets, direction=self.direction, basic_cid_max=self.basic_cid_max)


@dataclass(frozen=True)
class Maps:
    """Maps that the base station sent in a frame: `dl_map` (clause 6.3.2.3.2), `ul_map` (6.3.2.3.4). None: the frame has none.

    A frame without a DL-MAP has its bursts in the frame prefix. A UL-MAP may describe this frame or the next one: `ul_map.alloc_start`, in physical slots from the begin of this frame.
    """

    dl_map: "Optional[DlMap]"
    ul_map: "Optional[UlMap]"


class CellReadings:
    """The methods of `Cell` that read it; none of them changes the run."""

    _core: Any

    @property
    def time_s(self) -> float:
        """Virtual time since the first frame, in s."""
        return float(self._core.time_s)

    @property
    def measured_s(self) -> float:
        """Time since the measurement began, in s; negative during the warm-up, 0 during entry."""
        return float(self._core.measured_s)

    @property
    def phase(self) -> str:
        """"entry", "warm-up", "measurement", "arrival" (of packets in transit) or "over"."""
        return str(self._core.phase)

    @property
    def frame_s(self) -> float:
        """Duration of a frame in s."""
        return float(self._core.frame_s)

    @property
    def frames(self) -> int:
        """Number of frames since the start."""
        return int(self._core.frame_count)

    def figures(self) -> Figures:
        """Figures of the stations at this moment, arrays of the shape (stations,).

        `station` (from 1), `operational`, `snr_db` (last frame), `dl_rate_id`, `ul_rate_id` (-1: not served), `dl_backlog_bytes`, `ul_backlog_bytes` (waiting
        in the queues), `dl_bytes`, `ul_bytes` (of SDUs since its entry), `dl_goodput_bps`, `ul_goodput_bps` (of the flows, since the measurement began).
        """
        figures = Figures(station=np.arange(1, self._core.station_count + 1), **self._core.stations())
        flows = self._core.flows()
        for name, uplink in (("dl_goodput_bps", False), ("ul_goodput_bps", True)):
            chosen = flows["uplink"] == uplink
            figures[name] = np.bincount(flows["station"][chosen] - 1, flows["goodput_bps"][chosen], self._core.station_count)
        return figures

    def flow_figures(self) -> Figures:
        """Figures of the flows since the measurement began, arrays of the shape (flows,); a flow is an entry's packets for one station.

        `station`, `entry` (both from 1), `uplink`, `offered_packets`, `delivered_packets`, `missing_packets` (lost or waiting), `refused_packets`,
        `reordered_packets`, `duplicated_packets`, `bytes` (IP), `goodput_bps`, `delay_mean_ms`, `delay_max_ms`, `late_fraction`. Empty before the traffic begins.
        """
        return Figures(**self._core.flows())

    def status_figures(self) -> StatusFigures:
        """All numbers of all MACs at this moment as arrays: queues, CINR, rates, ARQ, requests, drops. Use it to read many stations often: it takes a
        fraction of the time of `status`."""
        base_station, stations, flows = self._core.tables()
        return StatusFigures(Figures(base_station), Figures(stations), Figures(flows))

    def delays(self, entry: Optional[int] = None, station: Optional[int] = None) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.uint64]]:
        """Histogram of packet delays: upper ends of the bins in ms and counts, both of the shape (bins,); bins without packets are absent.

        `entry`, `station`: from 1; None: all. Bins are 10 us wide up to 2.5 ms, then 0.8 % of the delay.
        """
        self._check("entry", entry, self._core.entry_count)
        self._check("station", station, self._core.station_count)
        ends, counts = self._core.delays(_from_0(entry), _from_0(station))
        return ends, counts

    def status(self, station: int = 0) -> dict[str, Any]:
        """Status of a MAC as `wimax ctl` prints it; 0: of the base station."""
        self._check("station", station, self._core.station_count, least=0)
        return dict(json.loads(self._core.status(station)))

    # --- maps and PDUs ------------------------------------------------------------------------------------------------------

    def record_grants(self, on: bool = True) -> None:
        """Begins or ends recording of what the maps describe. A busy frame has tens of entries of 30 bytes, without a limit; `clear_grants` frees them."""
        self._core.record_grants(on)

    @property
    def grants(self) -> npt.NDArray[Any]:
        """Bursts and grants of the recorded frames in their order: a structured array of the shape (grants,).

        `frame` (number), `start_slot` (physical slots of 4 samples from the frame's begin), `symbols` (with preamble and midambles), `octets` (that it
        carries), `uplink` (0: burst of the DL-MAP, 1: allocation of the UL-MAP), `kind` (`GRANT_KINDS`), `station` (from 1; 0: of none alone), `rate_id`, `iuc`
        (DIUC, UIUC), `subchannel` (Table 213). `cid`: uplink: basic CID of the station. Downlink: the CID of all PDUs in the burst; 0: none or several.
        `cids`, `first_cid`: number and place of the burst's CIDs, which `cids_of` returns. Clauses 6.3.2.3.2 and 6.3.2.3.4.
        """
        return np.asarray(self._core.grants())

    def cids_of(self, grant: Any) -> npt.NDArray[np.uint16]:
        """The CIDs of the PDUs in a downlink burst, an element of `grants`: each once, shape (CIDs,), in the order on air. Empty for the uplink."""
        first = int(grant["first_cid"])
        return np.asarray(self._core.grant_cids()[first:first + int(grant["cids"])])

    def clear_grants(self) -> None:
        """Forgets the recorded grants."""
        self._core.clear_grants()

    def record_pdus(self, on: bool = True, memory_bytes: int = 64 << 20) -> None:
        """Begins a new record of the PDUs that the base station sends and receives, or ends recording; then `pdus` still has the last record.

        `memory_bytes` (65 536..2**36): limit of octets and records (48 bytes each); further PDUs are counted in `pdus_dropped` until `clear_pdus`. The
        process may reserve twice as much. Raises ValueError for the range.
        """
        self._check("memory_bytes", memory_bytes, MOST_PDU_MEMORY_BYTES, LEAST_PDU_MEMORY_BYTES)
        self._core.record_pdus(int(memory_bytes) if on else 0)

    def pdus(self, frame: Optional[int] = None, station: Optional[int] = None, direction: Optional[str] = None) -> list[PduRecord]:
        """The recorded PDUs: downlink as sent, uplink as received. Within a burst they have the order on air.

        `frame`, `station` (0, or from 1), `direction` ("downlink", "uplink"): only these; None: all. Raises ValueError for a station or direction that is none.
        """
        self._check("station", station, self._core.station_count, least=0)
        if direction not in (None, "downlink", "uplink"):
            raise ValueError(f"direction: value {direction!r}: allowed downlink, uplink, None")
        table = self._core.pdu_records()
        chosen = np.ones(len(table), bool)
        for name, wanted in (("frame", frame), ("station", station), ("uplink", None if direction is None else int(direction == "uplink"))):
            if wanted is not None:
                chosen &= table[name] == wanted
        return [self._record(int(number), row) for number, row in zip(np.flatnonzero(chosen), table[chosen])]

    def maps(self, frame: int) -> Maps:
        """The maps in the recorded PDUs of a frame (its number), decoded. Raises ValueError if no PDU of the frame is recorded."""
        from wimax.pdu import DlMap, UlMap
        records = self.pdus(frame=frame, direction="downlink")
        if not records:
            raise ValueError(f"frame: value {frame}: allowed numbers of frames whose PDUs are recorded (record_pdus)")
        messages = [record.pdu.payload for record in records if record.cid == 0xFFFF and record.state == "pdu"]
        return Maps(next((one for one in messages if isinstance(one, DlMap)), None), next((one for one in messages if isinstance(one, UlMap)), None))

    @property
    def pdus_dropped(self) -> int:
        """Number of PDUs that the record had no memory for."""
        return int(self._core.pdus_dropped)

    def clear_pdus(self) -> None:
        """Forgets the recorded PDUs and the number of dropped ones, and frees their memory."""
        self._core.clear_pdus()

    def _record(self, number: int, row: Any) -> PduRecord:
        uplink = bool(row["uplink"])
        return PduRecord(frame=int(row["frame"]), time_s=float(row["time_s"]), direction="uplink" if uplink else "downlink", station=int(row["station"]),
                         cid=int(row["cid"]), burst=int(row["burst"]), offset=int(row["offset"]), kind=GRANT_KINDS[row["kind"]], rate_id=int(row["rate_id"]),
                         cinr_db=float(row["cinr_db"]) if uplink else float("nan"), state=PDU_STATES[row["state"]],
                         octets=bytes(self._core.pdu_octets(number)), basic_cid_max=int(self._core.basic_cids))

    @staticmethod
    def _check(name: str, value: Optional[int], most: int, least: int = 1) -> None:
        if value is not None and not least <= value <= most:
            raise ValueError(f"{name}: value {value}: allowed {least}..{most}")


def _from_0(number: Optional[int]) -> Optional[int]:
    return None if number is None else number - 1
