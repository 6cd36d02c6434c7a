# SPDX-License-Identifier: GPL-3.0-or-later
"""Base station, subscriber stations and radio channel as processes on this machine: configuration, start, watch, stop.

The bench and the tests of the whole stack drive this one class. Each daemon gets its own YAML file and log in one folder;
nothing is passed between them that would not be passed between two hosts.
"""
import math
import os
import shutil
import subprocess
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import yaml
import zmq

from wimax_tools import provenance
from wimax_tools.bench import captures, entry, remains
from wimax_tools.bench.profiles import Profile

STOP_S = 12             # between SIGTERM and SIGKILL; each daemon has its own, shorter limit
ENTRY_LIMIT_S = 30      # simulated time that a station may take to enter
CORE_HEADROOM_DB = 12   # for the peaks of the sent signal
SLOW_CORES = 10         # simulated: times the wall time that anything may take
QUIET_FRAMES = 10       # without a packet queued or delivered: what was on its way has arrived
STUCK_S = 10            # simulated time beyond twice what queues should take to empty
STOPPED_S = 30          # of the wall clock, without any progress of simulated time
CATCH_UP_MS = 1000      # kernel traffic runs by the wall clock: make good what a host stall cost, or it looks like overload
SUBNET = "10.16.0"      # .1 is the base station, .2 the first subscriber station
TX_POWER_DBM, NOISE_FIGURE_DB, GAIN_DB = 30, 5, 60
RX_FULL_SCALE_DBM, RX_LEVEL_DBFS = -10, -20  # of the virtual radio at gain 0; where a burst's mean is to lie
# No program waits for another: give the host time, as with hardware. Maps describe the next frame's uplink, since the time between maps
# and uplink of one frame is short for a subscriber. Radios exchange chunks of 1 ms, since a chunk wakes six threads.
RT_TIMING = {"tick_lead_us": 8000, "turnaround_us": 9000}
RT_MAP_RELEVANCE = {"map_relevance": "next_frame"}
RT_CHUNK_US = 1000
LOCK_STEP_TIMING = {"tick_lead_us": 1000, "deadline_lead_us": 500}  # the channel waits: more lead would only be round trip
# What the PHYs may send through the virtual radio: 30 dBm, and preambles twice that.
TRANSMIT = {"tx_enable": "virtual", "allowed_bands": [{"low_hz": 3.4e9, "high_hz": 3.6e9}], "max_power_dbm": 36}
WITHOUT_PAUSES = {"longest_burst_ms": None, "max_duty_cycle": 1}  # FDD
DB_OF_LOADED_CARRIERS = 10 * math.log10(256 / 200)  # a data carrier's SNR against that of the whole sample rate


class StackError(RuntimeError):
    pass


class Dumper(yaml.SafeDumper):
    """The daemons read plain values: a value that is used twice is written twice."""

    def ignore_aliases(self, data):
        return True


@dataclass(frozen=True)
class Clock:
    simulated_s: float
    wall_s: float

    def factor_since(self, begin):
        return max(1e-6, (self.simulated_s - begin.simulated_s) / max(1e-6, self.wall_s - begin.wall_s))


@dataclass(frozen=True)
class Delivered:
    octets: int
    simulated_s: float


class Stack:
    def __init__(self, profile: Profile, stations=1, channel="awgn", snr_db=30.0, dl_rate=6, ul_rate=6, dl_auto=False, ul_auto=False, mode="paced", seed=1,
                 folder=None, tun=True, traffic=None, channel_extra=None, macd_extra=None, phyd_extra=None, pcap=None, cable=None,
                 fpga=False, shared=0):
        """`shared`: number of processes in which the subscriber stations are, several in each; 0: two processes of each station. `traffic`: {"bs": [...], "ss1": [...]} scripted packets instead of TUN; `*_extra`: merged into the YAML files by
        daemon name ("channeld"; "bs", "ss1"). `pcap`: folder for captures. `cable`: models of radios at its ends (cable.py) instead of a path
        of `snr_db` between ideal ones. `fpga`: simulated cores in all radios, many times slower than real ones."""
        self.profile, self.stations, self.channel, self.snr_db = profile, stations, channel, snr_db
        self.dl_rate, self.ul_rate, self.mode, self.seed = dl_rate, ul_rate, mode, seed
        self.dl_auto, self.ul_auto = dl_auto, ul_auto
        self.tun, self.traffic, self.pcap, self.cable, self.fpga = tun, traffic or {}, pcap, cable, fpga
        self.shared = min(shared, stations)
        self.extra = {"channeld": channel_extra or {}, **{f"{n}.macd": v for n, v in (macd_extra or {}).items()},
                      **{f"{n}.phyd": v for n, v in (phyd_extra or {}).items()}}
        self.binaries = Path(os.environ["WIMAX_BUILD_DIR"]) / "bin"
        self.keep = folder is not None
        self.folder = Path(folder or tempfile.mkdtemp(prefix="wimax-"))
        self.folder.mkdir(parents=True, exist_ok=True)
        self.run = Path(tempfile.mkdtemp(prefix=remains.PREFIX, dir=remains.FOLDERS))  # sockets: addresses hold 107 characters; always removed
        self._remains = remains.Remains(self.run)
        self.processes, self.usage = {}, {}
        self._context = zmq.Context()
        self._usage_before = None
        self._earlier_s = 0.0  # simulated, before begin_anew()
        self._stalls = StallWatch()

    # Names
    @property
    def sites(self):
        return ["bs"] + [f"ss{i + 1}" for i in range(self.stations)]

    @property
    def parts(self):
        """What has a configuration and a control socket, in a process or as part of one."""
        return ["channeld"] + [f"{s}.{d}" for s in self.sites for d in ("phyd", "macd")]

    @property
    def groups(self):
        """Stations by their process, if they share processes."""
        stations = self.sites[1:]
        return {f"stations{n + 1}": stations[n::self.shared] for n in range(self.shared)}

    @property
    def daemons(self):
        """Processes."""
        return self.parts[:3] + list(self.groups) if self.shared else self.parts

    def netns(self, site):
        return f"wmx{os.getpid() % 100000}-{site}"

    @property
    def bs_netns(self):
        return self.netns("bs")

    def address(self, site):
        return f"{SUBNET}.{1 + self.sites.index(site)}"

    def ss_address(self, i):
        return self.address(f"ss{i + 1}")

    def route(self, i, direction):
        """(source namespace, sink namespace, address of the sink)"""
        ss = f"ss{i + 1}"
        return (self.bs_netns, self.netns(ss), self.address(ss)) if direction == "downlink" else \
            (self.netns(ss), self.bs_netns, self.address("bs"))

    @staticmethod
    def mac_address(i):
        return f"02:00:00:00:00:{i + 1:02x}"

    def control(self, daemon):
        return f"ipc://{self.run}/{daemon}.ctl"

    # Configuration
    @property
    def received_dbm(self):
        if self.cable:
            return self.cable.received_dbm
        noise = -174 + 10 * math.log10(self.profile.sample_rate_hz) + NOISE_FIGURE_DB
        return noise + self.snr_db - DB_OF_LOADED_CARRIERS

    @property
    def rx_gain_db(self):
        return min(GAIN_DB, max(0, round(RX_FULL_SCALE_DBM + RX_LEVEL_DBFS - self.received_dbm)))

    def _gains_db(self, site):
        end = self.cable and self.cable.end(site)
        return {"tx_gain_db": end.tx_gain_db if end else GAIN_DB, "rx_gain_db": end.rx_gain_db if end else self.rx_gain_db}

    @property
    def path(self):
        """The channel's ratio is that of a transmitter at full scale; cores have one, and peaks below it."""
        return {"path_loss_db": self.cable.loss_db} if self.cable else {"snr_db": self.snr_db + (CORE_HEADROOM_DB if self.fpga else 0)}

    def _channeld(self):
        return {
            "listen": [f"{self.run}/channel"], "control": {"endpoint": self.control("channeld")},
            "sample_rate_hz": self.cable.rate_hz if self.cable else self.profile.sample_rate_hz, "seed": self.seed, "status": {"console": True},
            "time": {"mode": "rt" if self.mode == "rt" else "commit", "pace": "free" if self.mode == "free" else "wall",
                     "wait_for": self.sites, "catch_up_ms": CATCH_UP_MS},
            "defaults": {"tx_power_dbm": TX_POWER_DBM, "noise_figure_db": NOISE_FIGURE_DB},
            "links": [{"from": "bs", "to": "ss*", **self.path, "channel": self.channel, "delay_samples": 20.0}],
            **({"chunk_us": RT_CHUNK_US} if self.mode == "rt" else {}),
        }

    def _phyd(self, site):
        config = {"role": site[:2], "sap": {"endpoint": f"ipc://{self.run}/{site}.sap"}, "control": {"endpoint": self.control(f"{site}.phyd")},
                  "radio": {"device": f"type=vrf,addr={self.run}/channel,name={site}", **TRANSMIT,
                            **(WITHOUT_PAUSES if self.profile.fdd else {})}}
        if (antennas := self.extra.get(f"{site}.phyd", {}).get("radio", {}).get("tx_channels", 1)) > 1:
            config["radio"]["device"] += f",tx_channels={antennas}"
        if self.fpga:
            config["radio"]["device"] += ",fpga=1"
            config["radio"]["headroom_db"] = CORE_HEADROOM_DB
        if self.cable:
            end = self.cable.end(site)
            config["radio"]["device"] += f",personality={end.personality},opening_s={self.cable.opening_s:g}"
            if self.profile.fdd:
                config["radio"]["device"] += ",cables=all"
            config["radio"]["headroom_db"] = self.cable.headroom_db
            if end.device_rate_hz:
                config["radio"]["device_rate_hz"] = end.device_rate_hz
        if self.shared and site != "bs":
            config["capture"] = {"length_ms": 0}  # samples of many stations, kept for captures, do not fit into the cache
        config["timing"] = dict(RT_TIMING if self.mode == "rt" else LOCK_STEP_TIMING)
        return config

    def _macd(self, site):
        tun = {"enabled": False} if not self.tun else {
            "enabled": True, "name": f"wimax-{site}", "netns": self.netns(site), "address": f"{self.address(site)}/24", "mtu": 1500}
        config = {"role": site[:2], "sap": {"endpoint": f"ipc://{self.run}/{site}.sap"},
                  "control": {"endpoint": self.control(f"{site}.macd")}, "tun": tun,
                  "air": {**self.profile.air, **self._gains_db(site)},
                  "traffic": self.traffic.get(site, [])}
        if self.pcap:
            name = captures.names(self.stations)[self.sites.index(site)]
            config["pcap"] = {"file": str(Path(self.pcap).resolve() / name)}
        if site == "bs":
            config["bs"] = {
                "cp": self.profile.cp, "frame_duration_s": f"{self.profile.frame_s:g}",
                "dl_rate_id": self.dl_rate, "ul_rate_id": self.ul_rate, "target_rssi_dbm": round(self.received_dbm, 2),
                **(RT_MAP_RELEVANCE if self.mode == "rt" else {}),
                **{f"{d}_lowest_rate_id": 0 for d, auto in (("dl", self.dl_auto), ("ul", self.ul_auto)) if auto},
                **({"profile": {"broadcast_rate_id": 0}} if self.dl_rate == 0 or self.dl_auto else {}),  # maps go as far as the data
                "stations": [{"mac": self.mac_address(i), "name": f"ss{i + 1}", "ip_addresses": [f"{self.ss_address(i)}/32"]}
                             for i in range(self.stations)]}
        else:
            config["ss"] = {"mac": self.mac_address(int(site[2:]) - 1)}
        return config

    def _stationd(self, group):
        return {"stations": [{"name": site, "mac": f"{site}.macd.yml", "phy": f"{site}.phyd.yml"} for site in self.groups[group]],
                "control": {"endpoint": self.control(group)}}

    def write_configuration(self):
        for part in self.parts:
            site, _, kind = part.partition(".")
            config = self._channeld() if part == "channeld" else self._phyd(site) if kind == "phyd" else self._macd(site)
            merge(config, self.extra.get(part, {}))
            self._write(part, config)
        for group in self.groups:
            self._write(group, self._stationd(group))

    def _write(self, name, config):
        text = yaml.dump(config, Dumper=Dumper, sort_keys=False, explicit_start=True, explicit_end=True)
        (self.folder / f"{name}.yml").write_text(text, encoding="utf-8")

    # Processes
    def start(self):
        self.write_configuration()
        self._note_remains()
        for daemon in self.daemons:
            self.start_daemon(daemon)
        self._stalls.start()

    def _note_remains(self):
        """Before there is anything that could be left behind."""
        if not self.keep:
            self._remains.note(folder=str(self.folder))
        for site in self.sites if self.tun else ():
            self._remains.note(namespace=self.netns(site))

    def start_daemon(self, daemon):
        """Also again, after kill()."""
        kind = "stationd" if daemon in self.groups else daemon.rpartition(".")[2]
        self.start_program(daemon, [str(self.binaries / f"wimax-{kind}"), "--config", str(self.folder / f"{daemon}.yml")])

    def start_program(self, name, command, environment=None):
        """A process that ends with the stack; what it prints is in log_lines(name)."""
        log = open(self.folder / f"{name}.log", "ab")  # noqa: SIM115 - the child's
        try:
            self.processes[name] = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True, env=environment)
        except FileNotFoundError as error:
            raise StackError(f"{error.filename} is missing; type: {provenance.to_type('./wimax build')}") from error
        finally:
            log.close()
        self._remains.process(self.processes[name].pid)

    def kill(self, daemon):
        self.processes[daemon].kill()
        self.processes[daemon].wait()

    def stop_daemons(self):
        for process in self.processes.values():
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + STOP_S
        for process in self.processes.values():
            try:
                process.wait(max(0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def begin_anew(self):
        """All programs ended and started again, and the stations operational: all random choices are made again. The clock
        continues."""
        self._earlier_s = self.clock().simulated_s
        self.stop_daemons()
        for daemon in self.daemons:
            self.start_daemon(daemon)
        self.wait_for_entry()

    def stop(self):
        self._stalls.stop()
        self.stop_daemons()
        self._context.destroy(linger=0)
        if self.tun:
            existing = subprocess.run(["ip", "netns", "list"], stdout=subprocess.PIPE, text=True, check=False).stdout
            for site in self.sites:
                if self.netns(site) in existing:
                    subprocess.run(["ip", "netns", "delete", self.netns(site)], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.run, ignore_errors=True)
        if not self.keep:
            shutil.rmtree(self.folder, ignore_errors=True)

    def explain(self, out):
        """Prints the last lines of every daemon's log, for a fault report."""
        for daemon in self.processes:
            code = self.processes[daemon].poll()
            print(f"--- {daemon} ({'running' if code is None else f'ended with {code}'})", *self.log_lines(daemon)[-6:], sep="\n    ", file=out)

    def log_lines(self, daemon):
        log = self.folder / f"{daemon}.log"
        return log.read_text(errors="replace").splitlines() if log.is_file() else []

    # Questions
    def ask(self, daemon, request, timeout_ms=10_000):
        return ask(self._context, self.control(daemon), request, timeout_ms)

    def status(self, daemon, timeout_ms=10_000):
        answer = self.ask(daemon, {"get": "status"}, timeout_ms)
        return answer.get("status") if answer else None

    def answer(self, daemon):
        """Status of a daemon that must be there."""
        status = self.status(daemon)
        if status is None:
            raise StackError(f"{daemon} does not answer")
        return status

    def clock(self):
        return Clock(self._earlier_s + self.answer("channeld")["time_s"], time.monotonic())

    def cpu_seconds(self):
        """CPU time of each daemon so far."""
        seconds = {}
        for daemon, process in self.processes.items():
            with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
                fields = stat.read().rsplit(")", 1)[1].split()
            seconds[daemon] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return seconds

    def recent_factor(self):
        """Simulated over wall time during the last moment."""
        begin = self.clock()
        time.sleep(0.2)
        return self.clock().factor_since(begin)

    def pass_time(self, seconds):
        """Returns when that much more has been simulated."""
        now = self.clock()
        end_s, moved = now.simulated_s + seconds, now
        while now.simulated_s < end_s:
            time.sleep(min(0.05, max(0.001, end_s - now.simulated_s)))
            now = self.clock()
            if now.simulated_s > moved.simulated_s:
                moved = now
            elif now.wall_s - moved.wall_s > STOPPED_S:
                self.check_alive()
                raise StackError(f"the simulated time has not moved for {STOPPED_S} s")

    def check_alive(self):
        for daemon, process in self.processes.items():
            if process.poll() is not None:
                last = next((f": {line}" for line in reversed(self.log_lines(daemon)) if line.strip()), "")
                raise StackError(f"{daemon} ended with status {process.returncode}{last}")

    def wait_for_entry(self, on_progress=lambda text: None, limit_s=ENTRY_LIMIT_S):
        """Until every station is operational; simulated seconds of the slowest, from the moment all radios were on."""
        began, waited = None, time.monotonic()
        while True:
            self.check_alive()
            channel = self.status("channeld")
            if channel:
                if began is None and sum(r["streaming"] for r in channel["radios"].values()) == len(self.sites):
                    began = channel["time_s"]
                states = [self.status(f"{s}.macd") for s in self.sites]
                up = [bool(s and s["operational"]) for s in states[1:]]
                on_progress(f"entry: {sum(up)} of {len(up)} station(s) operational after {channel['time_s'] - (began or 0):.1f} s")
                if up and all(up):
                    return channel["time_s"] - (began or 0)
                if began is not None and channel["time_s"] - began > limit_s:
                    raise StackError("\n".join([f"{len(up) - sum(up)} station(s) not operational after {limit_s} s of simulated time",
                                                *entry.reasons(self, states)]))
            if time.monotonic() - waited > (SLOW_CORES if self.fpga else 1) * 4 * limit_s:
                raise StackError("no entry: the system does not run")
            time.sleep(0.05)

    def capacity_kbps(self):
        """IP limit of the frame layout, by direction: the equal share of one station."""
        capacity = self.answer("bs.macd")["station"]["capacity"]
        return {"downlink": capacity["downlink"]["kbps"] / self.stations, "uplink": capacity["uplink_shared"]["kbps"] / self.stations}

    def counters(self):
        """Each PHY counts its late frames and reports them to its MAC, which counts them, too."""
        late = sum((self.status(f"{site}.phyd") or {"late": 0})["late"] for site in self.sites)
        return {"frames": self.answer("bs.macd")["frames"], "late": late}

    def core_figures(self):
        """What cores in the radios have done, by site."""
        said = {site: self.answer(f"{site}.phyd") for site in self.sites}
        return {site: {"preambles": s["detected_preambles"], "symbols": s["transformed_symbols"], "frames": s["frames"],
                       "gate": s["radio"]["gate"]} for site, s in said.items()}

    def dropped_records(self):
        """That no capture has, of all stations."""
        return sum(self.answer(f"{site}.macd")["pcap"]["dropped"] for site in self.sites)

    def longest_stall_s(self):
        return self._stalls.longest_s

    def stolen_share(self):
        return self._stalls.stolen_share()

    def delivered(self, direction):
        """IP octets delivered so far to the sink of each station, each with its simulated time."""
        if direction == "downlink":
            return [Delivered(status["sdus"]["out_bytes"], status["simulated_s"]) for status in (self.answer(f"{site}.macd") for site in self.sites[1:])]
        status = self.answer("bs.macd")
        octets = {s["mac"]: s["ul"]["bytes"] for s in status["station"]["stations"]}
        return [Delivered(octets[self.mac_address(i)], status["simulated_s"]) for i in range(self.stations)]

    def queued_octets(self):
        """IP octets that wait in the queues of all MACs."""
        waiting = sum(s["dl"]["backlog_bytes"] for s in self.answer("bs.macd")["station"]["stations"])
        return waiting + sum(self.answer(f"{site}.macd")["station"]["ul"]["backlog_bytes"] for site in self.sites[1:])

    def wait_until_quiet(self, least_kbps=math.inf):
        """Until no queue holds a packet and none arrives any more: what one transfer left must not meet the next. `least_kbps`: at which
        a queue is emptied, where flows are limited."""
        begin = quiet_from = self.clock().simulated_s
        limit_s = STUCK_S + 2 * 8e-3 * self.queued_octets() / min(least_kbps, self.stations * min(self.capacity_kbps().values()))
        before = None
        while True:
            self.check_alive()
            now, queued = self.clock().simulated_s, self.queued_octets()
            arrived = [d.octets for direction in ("downlink", "uplink") for d in self.delivered(direction)]
            if queued or arrived != before:
                quiet_from, before = now, arrived
            elif now - quiet_from >= QUIET_FRAMES * self.profile.frame_s:
                return
            if now - begin > limit_s:
                raise StackError(f"queues not quiet after {limit_s:.1f} s of simulated time: {queued} octets wait")
            time.sleep(0.02)

    # Where symbols go
    def forget_usage(self):
        self._usage_before = self.answer("bs.macd")["station"]

    def keep_usage(self, direction):
        now, before = self.answer("bs.macd")["station"], self._usage_before
        key = {"downlink": "dl", "uplink": "ul"}[direction]
        spent = {k: v - before["symbols"][key].get(k, 0) for k, v in now["symbols"][key].items()}
        self.usage[direction] = dict(spent, frames=now["frames"] - before["frames"])


class StallWatch:
    """What the machine kept from its processes: how long a process that only sleeps could not run, and the share of processor
    time that a virtual machine's host gave to others. This separates a slow program from a busy host."""

    def __init__(self, period_s=0.005, ticks=None):
        """`ticks`: returns user, nice, system, idle, iowait, irq, softirq, steal since boot, as the kernel counts them."""
        self.period_s, self.longest_s = period_s, 0.0
        self._ticks = ticks or processor_ticks
        self._begin = None
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self):
        self._begin = self._ticks()
        self._thread.start()

    def stop(self):
        self._stop.set()

    def stolen_share(self):
        spent = [now - then for now, then in zip(self._ticks(), self._begin)]
        return spent[7] / max(1, sum(spent))

    def _run(self):
        last = time.monotonic()
        while not self._stop.is_set():
            time.sleep(self.period_s)
            now = time.monotonic()
            self.longest_s = max(self.longest_s, now - last - self.period_s)
            last = now


def processor_ticks():
    with open("/proc/stat", encoding="ascii") as stat:
        return [int(text) for text in stat.readline().split()[1:9]]


def ask(context, endpoint, request, timeout_ms):
    """Answer of a daemon's control socket; None if it does not answer."""
    socket = context.socket(zmq.REQ)
    socket.setsockopt(zmq.LINGER, 0)
    try:
        socket.connect(endpoint)
        socket.send_json(request)
        return socket.recv_json() if socket.poll(timeout_ms) else None
    finally:
        socket.close()


def merge(into, extra):
    for key, value in extra.items():
        if isinstance(value, dict) and isinstance(into.get(key), dict):
            merge(into[key], value)
        else:
            into[key] = value
