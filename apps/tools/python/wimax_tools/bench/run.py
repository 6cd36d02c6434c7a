# SPDX-License-Identifier: GPL-3.0-or-later
"""Measures the whole system on this machine.

Starts a base station, N subscriber stations and the radio channel. Waits for network entry, pings the idle network, and runs
iperf3 with TCP and UDP in both directions for every station. Prints goodput next to the computed capacity, and the use of
symbols. Needs root for network namespaces.
"""
import argparse
import contextlib
import functools
import itertools
import json
import math
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple, Optional

from wimax_tools import archive, command_line
from wimax_tools.bench import adaptation, cable, captures, doctor, lates, matrix, page, report, studies, traffic
from wimax_tools.bench.experiment import Kept
from wimax_tools.bench.origin import archived, files_of, origin
from wimax_tools.bench.profiles import CHANNELS, Profile, ProfileError, channel_fault
from wimax_tools.bench.stack import Stack, StackError

PING_PROBES = 200                  # to each of up to four stations; together no more to more of them, but 25 each
MAX_STATIONS = 64
SHARED_FROM = 4                    # stations: from here on several of them share a process, unless each is to have its own
OVERLOAD, NEAR_LIMIT = 1.20, 0.95  # UDP offers: of the computed capacity, of the measured rate
HIGHEST_RATE = 6
OVERLOADED = "UDP at 120 % of the computed capacity"
LONGEST_S, SNR_RANGE_DB = 86400, (-30, 100)
RATES_TEXT = "0 BPSK 1/2 .. 6 64-QAM 3/4"
TRANSFER_S = 10
WARM_UP_S, SPARE_S = 1, 0.5        # of a transfer, before and after the measurement: transfers do not begin and end at the same moment
LOOKS = 20                         # at what sinks have got, in a measurement
OFFER_ERROR, OVERLOAD_MISSING = 0.03, 0.1  # largest error of an offer; largest share that an overload may lack
MOST_TRIES = 5                     # to offer that
PHYD = ".phyd"
FIRST_PORT = 5201                  # each transfer has its own port: remains of others are not counted for its client


EXAMPLES = """examples:
  wimax bench                                       one station, 64-QAM 3/4: about two minutes
  wimax bench --stations 3 --dl-rate auto --channel sui3 --snr-db 20
  wimax bench --profile 7MHz-5ms --json result.json
  wimax bench --adaptation 10,20 --channel sui3     adaptation and fixed rates over fading
  wimax bench --experiment A1 --quick"""


def snrs_db(text):
    """SNRs of a list that commas separate."""
    return [command_line.within(*SNR_RANGE_DB)(one) for one in text.split(",")]


def parser():
    rates = f"Rate_ID: {RATES_TEXT}, or auto: adapted to the CINR"
    p = command_line.Parser(prog="wimax bench", description=__doc__, epilog=EXAMPLES)
    cell = p.add_argument_group("cell")
    cell.add_argument("--stations", type=int, default=1, metavar="N", help="number of subscriber stations, 1..64 (default 1)")
    cell.add_argument("--separate", action="store_true", help="two processes for each station; otherwise four and more stations share as many processes "
                      "as the machine has processors, which is faster. Always with --mode rt, --fpga and --personality")
    cell.add_argument("--profile", default="5MHz-10ms", metavar="NAME", help="channel bandwidth, frame duration, duplex and cyclic prefix: "
                      "<MHz>MHz-<ms>ms[-fdd][-cp4|8|16|32], or <MHz>MHz-fdd with 10 ms (default 5MHz-10ms)")
    cell.add_argument("--dl-rate", default="6", metavar="ID", help=f"downlink {rates} (default 6)")
    cell.add_argument("--ul-rate", default="6", metavar="ID", help=f"uplink {rates} (default 6)")
    air = p.add_argument_group("radio channel")
    air.add_argument("--channel", default="awgn", metavar="NAME", help=f"channel model: {', '.join(CHANNELS)}, or a YAML file of taps (default awgn)")
    air.add_argument("--snr-db", type=command_line.within(*SNR_RANGE_DB), default=30, metavar="X", help="SNR per data carrier in dB, both directions (default 30)")
    air.add_argument("--personality", metavar="BS[,SS]", help="models of radios at both ends of a cable of 60 dB, in place of --snr-db: "
                     "b210, n210-sbx, x310-ubx, n310, ideal, or the file of a description")
    air.add_argument("--seed", type=command_line.within(0, 2**63 - 1, int), default=1, metavar="N", help="seed of channel and noise (default 1)")
    air.add_argument("--mode", default="paced", choices=("paced", "free", "rt"),
                     help="time: paced, real time while the host keeps up; free, as fast as the host can; rt, wall clock as with hardware (default paced)")
    air.add_argument("--fpga", action="store_true", help="simulate the cores of fpga/ with Verilator in all radios (preamble detector, OFDM front end, burst gate); "
                     "many times slower than real time")
    what = p.add_argument_group("measurements")
    what.add_argument("--duration", type=command_line.within(1, LONGEST_S), metavar="S", help="simulated seconds of each transfer (default 10; for an experiment the duration of its study)")
    what.add_argument("--seconds", dest="duration", type=command_line.within(1, LONGEST_S), default=argparse.SUPPRESS, help=argparse.SUPPRESS)
    what.add_argument("--both-ways", action="store_true",
                      help="also measure UDP at 95 %% of the capacity in both directions at once, with the CPU time of each daemon")
    what.add_argument("--lates", type=int, metavar="N", help="count late frames among N frames in rt mode, with UDP at 95 %% of the capacity in both directions, and separate "
                      "misses caused by host stalls; 30000 frames of 10 ms take five minutes")
    what.add_argument("--matrix", action="store_true", help="compare all models of radios (or those of --personality) at 3.5, 5, 7 and 10 MHz with ideal radios; "
                      "with --mode rt, the effect of the wall clock only. Exit status 1 if a check fails")
    what.add_argument("--adaptation", type=snrs_db, metavar="X[,X]", help="compare rate adaptation with fixed rates at these mean SNRs in dB over --channel, in simulated time: "
                      "goodput, losses and changes of the rate with full queues both ways; each rate for --duration (default 20 s, in fading 60 s). Results of the same "
                      "commit in --out are not measured again. Exit status 1 if a goal is missed")
    what.add_argument("--arq", action="store_true", help="--adaptation with ARQ")
    what.add_argument("--experiment", metavar="NAME", help=f"run an experiment: of a field study {', '.join(studies.STUDIES)}, or all of these; of this project {', '.join(studies.OWN)}")
    what.add_argument("--quick", action="store_true", help="experiments with 300 probes and transfers of 10 s; all studies together take less than an hour")
    files = p.add_argument_group("files")
    command_line.add_json(files)
    files.add_argument("--out", default="wimax-results", metavar="DIR",
                       help="folder for results and pages of experiments; results of the same commit in it are not measured again (default wimax-results)")
    files.add_argument("--pcap", metavar="DIR", help="capture the PDUs of every station to DIR/bs.pcap, DIR/ss-1.pcap, ... and check them at the end")
    files.add_argument("--archive", metavar="FILE", help="write the result, all configurations, the PDUs of every station (or the pages of experiments), CITATION.cff "
                       "and how to repeat it to FILE, a .tar.gz")
    files.add_argument("--keep-logs", metavar="DIR", help="keep configurations and logs of all daemons in DIR")
    return p


def parse(argv):
    rates, p = RATES_TEXT, parser()
    args = p.parse_args(argv)
    try:
        args.profile = Profile.parse(args.profile)
    except ProfileError as error:
        p.error(f"--profile: {error}")
    for name in ("dl_rate", "ul_rate"):
        text = getattr(args, name)
        if text not in [*"0123456", "auto"]:
            p.error(f"--{name.replace('_', '-')}: '{text}' is not a rate; allowed: {rates}, or auto")
        setattr(args, name, HIGHEST_RATE if text == "auto" else int(text))
        setattr(args, f"{name}_auto", text == "auto")
    if args.personality:
        try:
            args.personality = cable.names(args.personality)
        except ValueError as error:
            p.error(f"--personality: {error}")
    if args.experiment and args.matrix:
        p.error("--matrix: not allowed with --experiment")
    if args.lates is not None:
        if args.lates < 1 or args.experiment or args.matrix:
            p.error("--lates: allowed: 1 or more, without --experiment and --matrix")
        args.mode = "rt"
    if args.fpga and (args.mode == "rt" or args.personality or args.matrix or args.experiment):
        p.error("--fpga: not allowed with --mode rt, --lates, --personality, --matrix and --experiment, since simulated cores are slower than real time")
    if args.adaptation and (args.experiment or args.matrix or args.lates or args.personality or args.fpga):
        p.error("--adaptation: not allowed with --experiment, --matrix, --lates, --personality and --fpga")
    if args.arq and not args.adaptation:
        p.error("--arq: allowed with --adaptation only")
    if args.archive:
        if fault := "not allowed with --matrix and --adaptation" if args.matrix or args.adaptation else archive.fault_of(args.archive):
            p.error(f"--archive: {fault}")
    if args.experiment and args.personality:
        p.error("--personality: not allowed with --experiment, since each experiment defines its radios")
    known = [*studies.STUDIES, "all", *studies.OWN]
    if args.experiment and args.experiment not in known:
        hint = command_line.did_you_mean(args.experiment, known)
        p.error(f"--experiment: '{args.experiment}' is not known{hint + ' Allowed' if hint else '; allowed'}: {', '.join(known)}")
    args.files = files_of(args)
    if args.channel not in CHANNELS:
        if fault := channel_fault(args.channel):
            p.error(f"--channel: {fault}")
        args.channel = os.path.abspath(args.channel)
    args.whole = args.duration is None and not args.quick  # an experiment takes as long as its study did
    if args.duration is None:
        args.duration = adaptation.seconds_of(args.channel) if args.adaptation else TRANSFER_S
    if not 1 <= args.stations <= MAX_STATIONS:
        p.error(f"--stations: allowed 1..{MAX_STATIONS}")
    try:  # before minutes of measuring
        if args.json and args.json != "-":
            open(args.json, "a", encoding="utf-8").close()
        if args.keep_logs:
            os.makedirs(args.keep_logs, exist_ok=True)
        for folder in filter(None, (args.pcap, (args.experiment or args.adaptation) and args.out)):
            os.makedirs(folder, exist_ok=True)
    except OSError as error:
        p.error(f"{error.filename}: cannot be written: {error.strerror}")
    return args


class Transfer(NamedTuple):
    station: int
    direction: str
    offer_bps: Optional[float] = None      # of IP, as UDP, in simulated time; None: TCP
    window_octets: Optional[int] = None    # of the sockets' buffers; None: the kernel's choice
    seconds: Optional[float] = None        # of simulated time; None: --duration


class Bench:
    def __init__(self, args, stack):
        self.args, self.stack = args, stack
        self.series = {}  # of an experiment's pictures
        self.shows, self.last, self.factor = sys.stderr.isatty(), None, None
        self.running = []  # transfers that an interrupt leaves behind
        self.inexact = []  # names of transfers whose load or duration was wrong in all tries
        self.ports = itertools.count(FIRST_PORT)

    def progress(self, text):
        """One line that is overwritten on a terminal; elsewhere a line for each change of its first words."""
        if self.shows:
            print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
        elif text and text.split(" after ")[0] != self.last:
            print(text, file=sys.stderr, flush=True)
        self.last = text.split(" after ")[0]

    def run(self):
        stack, args = self.stack, self.args
        self.progress("starting channel, base station, " + f"{args.stations} subscriber station(s)")
        stack.start()
        entry = stack.wait_for_entry(on_progress=self.progress)
        begin = stack.clock()
        stations = [self.station(i) for i in range(args.stations)]
        self.pings(stations)
        for direction in ("downlink", "uplink"):
            self.transfers(stations, direction)
        both = self.both_ways() if args.both_ways else None
        end = stack.clock()
        self.progress("")
        counters = stack.counters()
        return {
            "profile": args.profile.name,
            "phy": {"bandwidth_hz": args.profile.bandwidth_hz, "cp": args.profile.cp,
                    "frame_duration_s": args.profile.frame_s, "dl_rate_id": args.dl_rate, "ul_rate_id": args.ul_rate,
                    **{f"{d}_rate_auto": True for d in ("dl", "ul") if getattr(args, f"{d}_rate_auto")},
                    "channel": args.channel, **self.path()},
            "realtime_factor": round((end.simulated_s - begin.simulated_s) / (end.wall_s - begin.wall_s), 4),
            "entry_time_s": round(entry, 3),
            "frames": counters["frames"],
            "late_frames": counters["late"],
            "host_stall_s": round(stack.longest_stall_s(), 4),
            "host_stolen_share": round(stack.stolen_share(), 4),
            "stations": stations,
            **({"both_ways": both} if both else {}),
            **({"inexact": self.inexact} if self.inexact else {}),
            **({"cores": stack.core_figures()} if args.fpga else {}),
            "breakdown": report.breakdown(self.stack.usage),
            "provenance": dict(origin(args), mode=args.mode, duration_s=args.duration),
        }

    def path(self):
        if not self.args.personality:
            return {"snr_db": self.args.snr_db}
        ends = self.stack.cable
        return {"path_loss_db": ends.loss_db, "personalities": {"bs": ends.bs.personality, "ss": ends.ss.personality}, "channel_rate_hz": ends.rate_hz}

    def captures(self):
        """Ends the stations, so that their captures are whole."""
        dropped = self.stack.dropped_records()
        self.stack.stop_daemons()
        self.progress("reading captures")
        try:
            found = dict(captures.check(self.args.pcap, self.args.stations), dropped=dropped)
        except (captures.CaptureError, OSError) as error:
            raise StackError(f"captures: {error}") from error
        self.progress("")
        return found

    def station(self, i):
        limits = self.stack.capacity_kbps()
        empty = {"tcp_kbps": 0, "tcp_retransmissions": 0, "udp_kbps": 0, "udp_loss": 0.0, "symbols_per_frame": 0}
        return {"mac": self.stack.mac_address(i), "ping_ms": {},
                "downlink": dict(empty, capacity_kbps=round(limits["downlink"], 1)),
                "uplink": dict(empty, capacity_kbps=round(limits["uplink"], 1))}

    def pings(self, stations):
        probes = max(25, min(PING_PROBES, 4 * PING_PROBES // len(stations)))
        for i, station in enumerate(stations):
            self.progress(f"ping {i + 1}/{len(stations)}: {probes} probes on the idle network")
            begin = self.stack.clock()
            result = traffic.ping(self.stack.bs_netns, self.stack.ss_address(i), probes, self.args.profile.frame_s / self.pace())
            factor = self.stack.clock().factor_since(begin)
            ms = [1e3 * s * factor for s in result["rtt_s"]]
            if not ms:
                raise StackError(f"no ping of station {station['mac']} was answered")
            station["ping_ms"] = {"min": round(min(ms), 2), "mean": round(sum(ms) / len(ms), 2),
                                  "p50": round(traffic.percentile(ms, 0.5), 2), "p99": round(traffic.percentile(ms, 0.99), 2),
                                  "lost": result["lost"]}

    def transfers(self, stations, direction):
        tcp = self.transfer(stations, direction, "TCP", None)
        limit = [s[direction]["capacity_kbps"] * 1e3 * OVERLOAD for s in stations]
        udp = self.transfer(stations, direction, OVERLOADED, limit)
        clean = self.transfer(stations, direction, "UDP at 95 % of the measured rate", [r["ip_bps"] * NEAR_LIMIT for r in udp])
        for station, t, u, c in zip(stations, tcp, udp, clean):
            rate_id = self.args.dl_rate if direction == "downlink" else self.args.ul_rate
            station[direction].update(
                tcp_kbps=round(t["ip_bps"] / 1e3, 1), tcp_retransmissions=t["retransmissions"],
                udp_kbps=round(u["ip_bps"] / 1e3, 1), udp_loss=round(c["lost"] / max(1, c["packets"]), 6),
                symbols_per_frame=round(u["ip_bps"] * self.args.profile.frame_s / self.args.profile.bits_per_symbol(rate_id), 2))

    @property
    def watched_s(self):
        """Duration of a transfer of which --duration is measured."""
        return WARM_UP_S + self.args.duration + SPARE_S

    def pace(self):
        """Simulated over wall time that the coming transfer may count on. A paced channel that makes good a stall runs fast
        for a moment; offers must not follow it."""
        return self.usual(self.stack.recent_factor() if self.factor is None or self.args.mode == "free" else self.factor)

    def usual(self, factor):
        """A measured speed without what makes good a stall."""
        return factor if self.args.mode == "free" else min(1.0, factor)

    def watch(self, direction, usage):
        """After the warm-up, for --duration: IP bit/s delivered to each sink in simulated time; `usage`: and where the symbols go. Sets the
        speed of that time. A saturated link holds iperf3's own packets and reports back, and the host's speed changes, so iperf3's mean is not
        the rate. Octets come a frame at a time: the slope of many looks is the rate, where two would be wrong by a frame."""
        self.stack.pass_time(WARM_UP_S)
        if usage:
            self.stack.forget_usage()
        begin = self.stack.clock()
        looks = [self.stack.delivered(direction)]
        for look in range(1, LOOKS + 1):
            end_s = begin.simulated_s + look * self.args.duration / LOOKS
            self.stack.pass_time(max(0.0, end_s - self.stack.clock().simulated_s))
            looks.append(self.stack.delivered(direction))
        self.factor = self.stack.clock().factor_since(begin)
        if usage:
            self.stack.keep_usage(direction)
        return [round(8 * statistics.linear_regression([at.simulated_s for at in sink], [at.octets for at in sink]).slope, 3) for sink in zip(*looks)]

    def both_ways(self):
        """Every station sends and receives near the limit at once. CPU seconds count per simulated second: their sum is the
        number of cores that real time needs."""
        stack, args = self.stack, self.args
        name = f"both directions UDP at {NEAR_LIMIT:.0%} of the computed capacity"
        self.progress(f"{name}: {args.duration:g} s")
        limits = stack.capacity_kbps()
        stack.wait_until_quiet()
        self.start((i, d, limits[d] * 1e3 * NEAR_LIMIT, None, self.watched_s) for i in range(args.stations) for d in ("downlink", "uplink"))
        stack.pass_time(WARM_UP_S)
        begin, cpu_begin = stack.clock(), stack.cpu_seconds()
        octets_begin = {d: sum(s.octets for s in stack.delivered(d)) for d in limits}
        stack.pass_time(args.duration)
        end, cpu_end = stack.clock(), stack.cpu_seconds()
        octets = {d: sum(s.octets for s in stack.delivered(d)) - octets_begin[d] for d in limits}
        self.results(name)
        passed = end.simulated_s - begin.simulated_s
        return {"downlink_kbps": round(8e-3 * octets["downlink"] / passed, 1),
                "uplink_kbps": round(8e-3 * octets["uplink"] / passed, 1),
                "realtime_factor": round(passed / (end.wall_s - begin.wall_s), 4),
                "cpu_s_per_s": {d: round((cpu_end[d] - cpu_begin[d]) / passed, 3) for d in cpu_end}}

    def transfer(self, stations, direction, name, offers_bps):
        """All stations at once. iperf3 paces by the wall clock: if the simulation ran at another speed than expected, the offered load
        was wrong, or a client ended before the measurement did, and the transfer is repeated."""
        self.progress(f"{direction} {name}: {self.args.duration:g} s")
        pace = None
        for _ in range(MOST_TRIES):
            self.stack.wait_until_quiet()
            expected = self.start(((i, direction, None if offers_bps is None else offers_bps[i], None, self.watched_s)
                                   for i in range(len(stations))), pace)
            rates_bps = self.watch(direction, usage=name == OVERLOADED)
            lasted = all(t.sends() for t in self.running)
            results = self.results(f"{direction} {name}")
            pace = self.usual(self.factor)
            if lasted and (offers_bps is None or self.offered(name, expected / pace)):
                break
        else:
            self.inexact.append(f"{direction} {name}")
        return [dict(result, ip_bps=bps) for result, bps in zip(results, rates_bps)]

    @staticmethod
    def offered(name, share):
        """True if this share of the intended load is close enough to it."""
        return share >= 1 - OVERLOAD_MISSING if name == OVERLOADED else abs(share - 1) <= OFFER_ERROR

    @staticmethod
    def transfer_of(flow):
        return Transfer(*flow)

    def seconds(self, whole):
        """Duration of a transfer that took this long in its study."""
        return whole if self.args.whole else self.args.duration

    def keep(self, name, data):
        """For the pictures of an experiment."""
        self.series[name] = data

    def start(self, transfers, pace=None):
        """Transfers that run at the same time, in addition to those that have been started. `pace`: simulated over wall time, with which
        offers and durations become those of the wall clock; None: expected. Returns it. All servers are started before the first client,
        so that the clients start close together."""
        pace = pace or self.pace()
        started = []
        for flow in map(self.transfer_of, transfers):
            source, sink, address = self.stack.route(flow.station, flow.direction)
            payload = None if flow.offer_bps is None else pace * flow.offer_bps * traffic.UDP_PAYLOAD / traffic.PACKET
            seconds = math.ceil((flow.seconds or self.args.duration) / pace)
            started.append(traffic.Iperf(source, sink, address, next(self.ports), seconds, payload, flow.window_octets))
            self.running.append(started[-1])
            started[-1].listen()
        for transfer in started:
            transfer.send()
        return pace

    def stop_transfers(self):
        for transfer in self.running:
            transfer.stop()
        self.running = []

    def results(self, name):
        """Of all transfers that were started, once they have ended."""
        results = [transfer.result() for transfer in self.running]
        faults = [f"{t.sink}: {t.fault}" for t, result in zip(self.running, results) if result is None]
        self.running = []
        if faults:
            raise StackError(f"iperf3 {name} failed, to " + "; to ".join(faults))
        return results


def processes_of(args):
    """Number of processes that stations share; 0: each station has its own."""
    own = args.separate or args.mode == "rt" or args.fpga or args.personality
    return 0 if own or args.stations < SHARED_FROM else len(os.sched_getaffinity(0))


def cable_of(args):
    if not args.personality:
        return None
    try:
        return cable.plan(Path(os.environ["WIMAX_BUILD_DIR"], "bin"), args.personality, args.profile)
    except StackError as error:
        print(f"wimax bench: {error}", file=sys.stderr)
        raise


@contextlib.contextmanager
def running(args, extra=None):
    """A bench whose stack is stopped at the end, whatever happens; its last words if it fails. `extra`: by site, of its MAC, or of its
    PHY (`bs.phyd`)."""
    stack = Stack(args.profile, cable=cable_of(args), stations=args.stations, channel=args.channel, snr_db=args.snr_db, dl_rate=args.dl_rate,
                  ul_rate=args.ul_rate, dl_auto=args.dl_rate_auto, ul_auto=args.ul_rate_auto, mode=args.mode, seed=args.seed,
                  folder=args.keep_logs, pcap=args.pcap, fpga=args.fpga, shared=processes_of(args),
                  macd_extra={k: v for k, v in (extra or {}).items() if not k.endswith(PHYD)},
                  phyd_extra={k.removesuffix(PHYD): v for k, v in (extra or {}).items() if k.endswith(PHYD)})
    bench = Bench(args, stack)
    try:
        yield bench
    except StackError as error:
        print(f"\nwimax bench: {error}", file=sys.stderr)
        stack.explain(sys.stderr)
        raise
    finally:
        handler = signal.signal(signal.SIGINT, signal.SIG_IGN)  # a second Ctrl-C must not interrupt the cleaning up
        bench.stop_transfers()
        stack.stop()
        signal.signal(signal.SIGINT, handler)


@contextlib.contextmanager
def entered(args, extra, **arguments):
    """The same with all stations operational; `arguments` in place of those of the command line."""
    with running(argparse.Namespace(**{**vars(args), **arguments}), extra) as bench:
        bench.stack.start()
        bench.stack.wait_for_entry(on_progress=bench.progress if bench.shows else lambda _: None)
        yield bench


def measure(args):
    """The bench's own run; its table, and its result."""
    with running(args) as bench:
        result = lates.run(bench, args.lates) if args.lates else bench.run()
        if args.pcap:
            result = dict(result, captures=bench.captures())
        (lates if args.lates else report).table(result, sys.stderr if args.json == "-" else sys.stdout)
        return result


def measure_experiments(args):
    names = list(studies.STUDIES) if args.experiment == "all" else [args.experiment]
    results, kept, out = [], Kept(args.out), sys.stderr if args.json == "-" else sys.stdout
    progress = report.Progress(sum(len(studies.EXPERIMENTS[name].plan(args.profile)) for name in names), sys.stderr)
    for name in names:
        one = studies.EXPERIMENTS[name]
        result, measured = one.run(functools.partial(entered, args), kept, progress, args)
        results.append(result)
        report.goals(one.title, result, page.write(one, result, measured, args.out), out)
    page.write_index(args.out)
    return {"experiments": results, "provenance": origin(args)} if args.experiment == "all" else results[0]


def measure_matrix(args):
    cells = matrix.run(args, sys.stderr if args.json == "-" else sys.stdout, lambda text: print(text, file=sys.stderr, flush=True))
    return {"cells": cells, "provenance": dict(origin(args), mode=args.mode)}


def measure_adaptation(args):
    points = adaptation.run(args, Kept(args.out), sys.stderr if args.json == "-" else sys.stdout, lambda text: print(text, file=sys.stderr, flush=True))
    return {"points": points, "provenance": dict(origin(args), mode="free", duration_s=args.duration)}


def measured(args):
    """Result of what the command line asks for, and whether it reaches its goals."""
    if args.matrix:
        result = measure_matrix(args)
        return result, not any(cell["faults"] for cell in result["cells"])
    if args.adaptation:
        result = measure_adaptation(args)
        return result, not any(map(adaptation.faults, result["points"]))
    return measure_experiments(args) if args.experiment else measure(args), True


def main(argv=None):
    args = parse(argv)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # also where a shell started it with the signal ignored
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if missing := doctor.faults_for(doctor.BENCH_CHECKS):
        print(*(f"wimax bench: {fault}" for fault in missing), sep="\n", file=sys.stderr)
        return 1
    try:
        with archived(args) as store:
            result, holds = measured(args)
            store(result)
    except KeyboardInterrupt:
        print("\nwimax bench: stopped", file=sys.stderr)
        return 130
    except StackError:
        return 1
    except (OSError, subprocess.SubprocessError) as error:  # a tool that is measured with
        print(f"wimax bench: {error}", file=sys.stderr)
        return 1
    if args.json == "-":
        json.dump(result, sys.stdout, indent=1)
        print()
    elif args.json:
        with open(args.json, "w", encoding="utf-8") as out:
            json.dump(result, out, indent=1)
    return 0 if holds else 1
