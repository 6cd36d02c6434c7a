# SPDX-License-Identifier: GPL-3.0-or-later
"""The simulator of `wimax sim` from Python: cells that a script builds, runs in steps, reads and changes.

>>> import wimax
>>> from wimax.simulator import Cell
>>> from wimax.traffic import Flow, Poisson
>>> cell = Cell(stations=3, flows=[Flow(Poisson(200_000, packet_bytes=500)), Flow(Poisson(100_000), direction="uplink")], seed=7)
>>> cell.run(2.0)
>>> cell.figures()["dl_goodput_bps"].shape
(3,)

Both MACs are those of the daemons; a model of the PHY moves bursts (docs/simulator.md). Time is virtual. The same cell and seed give the same figures, also
in parts and in other processes. Use one cell from one thread only; other threads continue while it runs.
"""
from __future__ import annotations

import dataclasses
import json
import multiprocessing
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any, Callable, Mapping, Optional, Sequence, TypeVar, Union

import numpy as np
import numpy.typing as npt

from wimax._core import core
from wimax.cell_readings import GRANT_KINDS, PDU_STATES, CellReadings, Figures, Maps, PduRecord, StatusFigures, _from_0
from wimax.mobility import SnrSource
from wimax.traffic import Flow

__all__ = ["GRANT_KINDS", "HOST_KEYS", "PDU_STATES", "Cell", "CellReadings", "Figures", "Maps", "PduRecord", "Station", "StatusFigures", "run_many", "scenario_reference"]

HOST_KEYS: tuple[str, ...] = ("wall", "wall_s", "memory", "memory_bytes", "idle_station_bytes", "scheduler_us_per_frame", "provenance")
"""Keys of a result that depend on the machine, and the provenance that `wimax sim` writes; everything else depends on the scenario and its seed alone."""

_OPEN_END_S = 1e6
_FRAMES_AT_ONCE = 256
_SERVICE_FIELDS = ("service", "max_rate_bps", "min_rate_bps", "max_burst_bytes", "weight", "arq")
T = TypeVar("T")


@dataclass(frozen=True)
class Station:
    """A subscriber station: `snr_db` is the SNR of its downlink in dB (-30..80), or a source of it over time (`wimax.mobility`).

    A source is asked for each frame. During entry and warm-up its value of time 0 holds.
    """

    snr_db: Union[float, SnrSource] = 30.0


def scenario_reference() -> str:
    """Every key of a scenario with its unit, range and default, as commented YAML."""
    return str(core.scenario_reference())


def _assignment(key: str, value: Any) -> str:
    """As on the command line of `wimax sim`: plain words and numbers, JSON for all else."""
    if isinstance(value, Flow):
        value = value.keys()
    return f"{key}={value if isinstance(value, str) else json.dumps(value, default=_plain)}"


def _plain(value: Any) -> Any:
    """JSON of numpy's values and of flows."""
    if isinstance(value, Flow):
        return value.keys()
    if isinstance(value, (np.ndarray, np.generic)):
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is no value of a scenario")


@dataclass
class Cell(CellReadings):
    """A base station, its stations and their traffic.

    `stations`: number (1..5000), or one `Station` each. `flows`: traffic; none: no traffic. `seconds`: duration of the measurement in virtual time;
    None: until `finish` or `result`. `seed`: of all random numbers. `profile`: "<MHz>MHz-<ms>ms", as in docs/simulator.md. `base_station`: "Lab",
    "Default", "Speedy". `rate`: Rate_ID 0..6 both ways, or "auto". `snr_db`: of stations that are given by their number. `warmup_s`: traffic before the
    measurement. `keys`: further keys of a scenario, dotted (`{"base_station.dl_share": 0.6, "arq.window": 512}`); `scenario_reference` has them all.

    Making a cell checks everything, and raises ValueError with one line for each fault: key, value and what is allowed.
    """

    stations: Union[int, Sequence[Station]] = 10
    flows: Sequence[Flow] = ()
    seconds: Optional[float] = None
    seed: int = 1
    profile: str = "5MHz-10ms"
    base_station: str = "Lab"
    rate: Union[int, str] = 6
    snr_db: float = 30.0
    warmup_s: float = 0.0
    keys: Mapping[str, Any] = field(default_factory=dict)
    scenario: Optional[str] = field(default=None, repr=False)
    """YAML text in place of all other values but `keys`; `from_file` fills it in."""

    def __post_init__(self) -> None:
        self.keys = dict(self.keys)
        self.flows = tuple(self.flows)
        many = [] if isinstance(self.stations, (int, np.integer)) or self.scenario is not None else self.stations
        self._sources: list[Optional[SnrSource]] = [None if _is_number(station.snr_db) else station.snr_db for station in many]  # type: ignore[misc]
        self._removed: set[int] = set()
        self._core = core.Simulation(self._text(), self._assignments())
        self._sources = self._sources or [None] * self._core.station_count

    @classmethod
    def from_file(cls, file: Union[str, "PathLike[str]"], **keys: Any) -> "Cell":
        """The cell of a scenario file of `wimax sim`. `keys` replace its keys; for dotted ones give a dictionary: `**{"path.delay_us": 5}`."""
        return cls(scenario=Path(file).read_text(), keys=keys)

    # --- running --------------------------------------------------------------------------------------------------------

    def enter(self) -> int:
        """Runs until all stations are operational, or until the key enter_limit_s. Then traffic begins. Returns the number of operational stations."""
        return int(self._core.enter())

    def step(self, frames: int = 1) -> int:
        """Runs frames, after the stations' entry. Returns their number; fewer: the run is over."""
        if frames < 0:
            raise ValueError(f"frames: value {frames}: allowed 0 or more")
        self.enter()
        done = 0
        while done < frames:
            part = min(frames - done, _FRAMES_AT_ONCE)
            ran = self._core.step_with_snr(self._snr(part)) if any(self._sources) else self._core.step(part)
            done += int(ran)
            if ran < part:
                break
        return done

    def run(self, seconds: Optional[float] = None) -> None:
        """Runs for `seconds` of virtual time, to the nearest frame; None: to the end of the measurement, which needs the cell's `seconds`."""
        if seconds is not None:
            self.step(round(seconds / self.frame_s))
            return
        if self.scenario is None and self.seconds is None:
            raise ValueError("seconds: value None: allowed a duration, as the cell has none")
        while self.step(_FRAMES_AT_ONCE) == _FRAMES_AT_ONCE:
            pass

    def finish(self) -> None:
        """Ends the measurement now. Packets in transit still arrive (key drain_s), then the run is over."""
        self._core.finish()

    def result(self) -> dict[str, Any]:
        """Finishes the run. Returns the result of `wimax sim` (docs/simulator.md#results)."""
        self.finish()
        return dict(json.loads(self._core.result()))

    # --- changing -------------------------------------------------------------------------------------------------------

    def set_snr(self, snr_db: npt.ArrayLike, station: Optional[int] = None) -> None:
        """The downlink SNR from the next frame on: one value in dB (-30..80), or one for each station. `station`: only this one, from 1.

        Ends the source of SNR of these stations. Raises ValueError for shape and range.
        """
        self._check("station", station, self._core.station_count)
        count = self._core.station_count
        given = np.asarray(snr_db, np.float64)
        if given.shape not in ((), (1,) if station is not None else (count,)) or not np.isfinite(given).all():
            raise ValueError(f"snr_db: value {snr_db!r}: allowed -30..80, one or one for each station")
        row = np.full(count, np.nan)
        row[slice(None) if station is None else station - 1] = given if station is None else given.item()
        self._core.set_snr(row)
        self._sources = [None if not np.isnan(value) else source for value, source in zip(row, self._sources)]

    def set_flow(self, entry: int, station: Optional[int] = None, *, rate_bps: Optional[float] = None, packet_bytes: Optional[int] = None,
                 on: Optional[bool] = None) -> None:
        """Changes the packets of a flow from now on; its service flow is unchanged. `entry`: number of the flow in the cell, from 1.

        `station`: only this one of the entry, from 1. `on` False: no packets. `rate_bps` (1..1e9): of cbr, poisson, voice, onoff and video. `packet_bytes`
        (40..1500). Raises ValueError with all faults.
        """
        given = {"rate_bps": rate_bps, "packet_bytes": packet_bytes, "on": on}
        text = json.dumps({key: value for key, value in given.items() if value is not None}, default=_plain)
        self._check("entry", entry, self._core.entry_count)
        self._check("station", station, self._core.station_count)
        self._core.change_flow(entry - 1, _from_0(station), text)

    def add_flow(self, flow: Flow) -> int:
        """Adds a flow with its service flows (DSA, clause 6.3.14.7), from now on. Returns its number. Packets are refused until the service flow exists."""
        if self.scenario is not None:
            raise ValueError("flow: the cell is made from a text: allowed for cells made from Flow objects")
        before = self.flows
        self.flows = (*before, flow)
        try:
            self._reload()
        except BaseException:
            self.flows = before
            raise
        return len(self.flows)

    def remove_flow(self, entry: int) -> None:
        """Removes a flow of the cell (`entry`, from 1) for all of its stations: no more packets, and its service flow is deleted (DSD, clause 6.3.14.9).

        Numbers and figures of all flows stay; packets that wait in the deleted service flow are lost. A removed flow does not return: add another one.
        Raises ValueError if there is no such flow, and if another one uses its service flow (`same_flow_as`). A copy of the cell (`run_many`) has the flow.
        """
        self._check("entry", entry, self._core.entry_count)
        before = set(self._removed)
        self._removed.add(entry - 1)
        try:
            self._reload()
        except BaseException:
            self._removed = before
            raise

    def set_service(self, entry: int, **values: Any) -> None:
        """Changes the service flow of a flow (`entry`, from 1) for all of its stations, from now on: by a DSC (clause 6.3.14.8) if it only changes
        rates and bursts, else the service flow is deleted and added again.

        `values`: fields of `wimax.traffic.Flow`: `service`, `max_rate_bps`, `min_rate_bps`, `max_burst_bytes`, `weight`, `arq`. Raises ValueError with all
        faults; then nothing has changed.
        """
        self._check("entry", entry, self._core.entry_count)
        unknown = [name for name in values if name not in _SERVICE_FIELDS]
        if unknown:
            raise ValueError("\n".join(f"{name}: no value of a service flow that changes in a run: allowed {', '.join(_SERVICE_FIELDS)}" for name in unknown))
        self.change({f"traffic[{entry - 1}].{name}": value for name, value in values.items()})

    def change(self, keys: Optional[Mapping[str, Any]] = None, **more: Any) -> list[str]:
        """Changes keys of the scenario while it runs: `cell.change(rate=3)`, `cell.change({"base_station.request_backoff_end": 9})`.

        In force at once: `snr_db`, `path.uplink_offset_db`, `path.delay_us`, `path.carrier_offset_hz`, `pdu_loss`, `rate`, `arq`, rates and sizes of
        `traffic[N]` (from 0), its service flow, and what a reload changes at a running base station. Returns the keys that keep their value until the next run.
        docs/python.md has a table of them and of the refused ones, with reasons. Raises ValueError with all faults; then nothing has changed.
        """
        before = self.keys
        self.keys = {**before, **(keys or {}), **more}
        try:
            unchanged = self._reload()
        except BaseException:
            self.keys = before
            raise
        given = {**(keys or {}), **more}
        if "snr_db" in given:  # in force even if a source, or set_snr, changed it meanwhile
            self.set_snr(given["snr_db"])
        return unchanged

    def command(self, name: str, station: int, **values: Any) -> None:
        """An operator's command to a station (from 1): "deregister", "reset", "silence", "suspend", "resume", "rates" (with `dl_rate_id=`, `ul_rate_id=`,
        `dl_lowest_rate_id=`, `ul_lowest_rate_id=`). Clauses 6.3.2.3.26 and 6.3.2.3.22. After "reset" and "deregister" the station leaves, and enters again.
        Raises ValueError if the base station refuses it."""
        self._check("station", station, self._core.station_count)
        self._core.command(name, station - 1, json.dumps(values, default=_plain))

    # --- inside -----------------------------------------------------------------------------------------------------------

    def _text(self) -> str:
        if self.scenario is not None:
            return self.scenario
        many = isinstance(self.stations, (int, np.integer))
        start = np.zeros(1)
        snr = self.snr_db if many else [float(s.snr_db if _is_number(s.snr_db) else s.snr_db.snr_db_at(start)[0])  # type: ignore
                                        for s in self.stations]  # type: ignore
        keys: dict[str, Any] = {"stations": self.stations if many else len(self.stations),  # type: ignore[arg-type]
                "seconds": _OPEN_END_S if self.seconds is None else self.seconds, "seed": self.seed, "profile": self.profile, "rate": self.rate,
                "snr_db": snr, "warmup_s": self.warmup_s, "traffic": [flow.keys() for flow in self.flows]}
        if self.base_station != "Lab":
            keys["base_station"] = {"name": self.base_station}
        return json.dumps(keys, default=_plain)

    def _reload(self) -> list[str]:
        """The running cell adopts the present values. Returns the keys that it does not adopt."""
        return [str(key) for key in self._core.reload(self._text(), self._assignments(), sorted(self._removed))]

    def _assignments(self) -> list[str]:
        return [_assignment(key, value) for key, value in self.keys.items()]

    def _snr(self, frames: int) -> npt.NDArray[np.float64]:
        """Of the next frames, shape (frames, stations); NaN where no source has it."""
        times = np.maximum(np.asarray(self._core.times_s(frames)), 0.0)  # the same in runs of any parts
        rows = np.full((frames, self._core.station_count), np.nan)
        for number, source in enumerate(self._sources):
            if source is not None:
                rows[:, number] = source.snr_db_at(times)
                if np.isnan(rows[:, number]).any():
                    raise ValueError(f"stations[{number}].snr_db: value nan: allowed -30..80")
        return rows

    def __getstate__(self) -> dict[str, Any]:
        """A copy in another process begins at the first frame."""
        return {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.__post_init__()


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating))


def _whole(cell: Cell) -> dict[str, Any]:
    if cell.seconds is not None or cell.scenario is not None:
        cell.run()
    return cell.result()


def run_many(cells: Sequence[Cell], *, processes: int = 2, work: Callable[[Cell], T] = _whole) -> list[T]:  # type: ignore[assignment]
    """Runs cells from their first frame, several at a time, each in a process. Returns what `work` returns for each, in the order of the cells.

    `work`: a function of a module (not a lambda) that gets a fresh cell; by default it runs the cell's `seconds` and returns its result. The results are those
    of one process, `HOST_KEYS` excepted. `processes`: 1 or more; 1: this process.
    """
    if processes < 1:
        raise ValueError(f"processes: value {processes}: allowed 1 or more")
    if processes == 1:
        return [work(dataclasses.replace(cell)) for cell in cells]
    with ProcessPoolExecutor(processes, multiprocessing.get_context("fork")) as pool:
        return list(pool.map(work, cells))
