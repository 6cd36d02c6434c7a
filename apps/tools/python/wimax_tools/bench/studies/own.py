# SPDX-License-Identifier: GPL-3.0-or-later
"""Experiments of our own: what the project promises, held against the whole stack, where no study has a figure to beat."""
import json
import math
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.instruments.stream import Stream, Watch
from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.bench.stack import Delivered
from wimax_tools.bench.studies.cells import FIRST_STREAM_PORT, FOR_EVER, LOSSY_DB, LOSSY_RATE, NO_QUEUE_MANAGEMENT, ROBUST_MAPS, SHORT, own_flows, rates
from wimax_tools.bench.traffic import PACKET, percentile
from wimax_tools.bench.transfers import DIRECTIONS, transfers

# ARQ

ARQ_LOAD, ARQ_PACKETS, ARQ_LOSS = 0.5, 100_000, (0.05, 0.2)


def with_arq(_profile):
    return {"bs": {"bs": {**own_flows({"arq": FOR_EVER}), **ROBUST_MAPS["bs"]["bs"], **NO_QUEUE_MANAGEMENT}}, "ss1": {"ss": NO_QUEUE_MANAGEMENT}}


def arq_arguments(case):
    seconds = ARQ_PACKETS * PACKET * 8 / (ARQ_LOAD * 8e6)
    return {"snr_db": LOSSY_DB, **rates(LOSSY_RATE), "duration": math.ceil(1.1 * seconds) if case == "arq" else 20}


def measure_loss(bench):
    """Both ways at once."""
    capacity = bench.stack.capacity_kbps()
    results, _ = transfers(bench, [(0, d, 1e3 * ARQ_LOAD * capacity[d]) for d in DIRECTIONS])
    return {d: {"packets": r["packets"], "lost": r["lost"], "loss": round(r["lost"] / max(1, r["packets"]), 6), "reordered": r["reordered"]}
            for d, r in zip(DIRECTIONS, results)}


def arq_goals(measured):
    lab = measured.lab
    goals = []
    for d in DIRECTIONS:
        with_, without = lab[d]["arq"], lab[d]["without"]
        goals += [(f"{d}, packets of {PACKET} octets", ARQ_PACKETS, with_["packets"], with_["packets"] >= ARQ_PACKETS),
                  (f"{d}, lost or out of order with ARQ", 0, with_["lost"] + with_["reordered"], with_["lost"] + with_["reordered"] == 0),
                  (f"{d}, loss without", ARQ_LOSS, without["loss"], ARQ_LOSS[0] <= without["loss"] <= ARQ_LOSS[1])]
    return goals


# Voice

VOICE_OCTETS, VOICE_GAP_S, VOICE_BOUND_MS, VOICE_RATE_BPS, VOICE_ON_TIME = 200, 0.02, 25, 96_000, 0.999
VOICE_SERVICES = {"ugs": "max_sustained_rate_bps", "rtps": "min_reserved_rate_bps"}
BUSY_STATIONS, OVERLOAD = 10, 1.5


def voice_cell(_profile):
    """One station a service, then those that saturate."""
    flows = [{"name": f"{service}-{SHORT[d]}", "direction": d, "scheduling": service, key: VOICE_RATE_BPS, "max_latency_ms": VOICE_BOUND_MS,
              "rules": ["voice"]} for service, key in VOICE_SERVICES.items() for d in DIRECTIONS]
    flows += [{"name": SHORT[d], "direction": d} for d in DIRECTIONS]
    common = list(SHORT.values())
    stations = [{"mac": f"02:00:00:00:00:{i + 1:02x}", "name": f"ss{i + 1}", "ip_addresses": [f"10.16.0.{i + 2}/32"],
                 "flows": common + ([f"{service}-{way}" for way in common] if service else [])}
                for i, service in enumerate([*VOICE_SERVICES, *[None] * BUSY_STATIONS])]
    rule = {"name": "voice", "priority": 9, "protocols": [17], "destination_ports": [{"low": FIRST_STREAM_PORT, "high": FIRST_STREAM_PORT + 9}]}
    return {"bs": {"bs": {"classifier_rules": [rule], "service_flows": flows, "stations": stations}}}


def measure_voice(bench):
    stack, duration = bench.stack, bench.args.duration
    share = {d: 1e3 * OVERLOAD * stack.capacity_kbps()[d] * bench.args.stations / BUSY_STATIONS for d in DIRECTIONS}
    figures = {d: {} for d in DIRECTIONS}

    def calls():
        stack.pass_time(0.1 * duration)
        begin = stack.clock()
        stack.pass_time(0.1 * duration)
        gap_s = VOICE_GAP_S / stack.clock().factor_since(begin)
        streams = {}
        with Watch(stack.clock) as watch:
            for i, service in enumerate(VOICE_SERVICES):
                for j, d in enumerate(DIRECTIONS):
                    streams[d, service] = Stream(stack.route(i, d), FIRST_STREAM_PORT + 2 * i + j, VOICE_OCTETS, gap_s, int(0.6 * duration / gap_s)).start()
            for (d, service), stream in streams.items():
                figures[d][service] = on_time(stream.result(watch))

    transfers(bench, [(i, d, share[d]) for i in range(len(VOICE_SERVICES), bench.args.stations) for d in DIRECTIONS], calls)
    return figures


def on_time(result):
    late = sum(ms > VOICE_BOUND_MS for ms in result["ms"]) + result["lost"]
    return {"packets": result["packets"], "lost": result["lost"], "on_time": round(1 - late / result["packets"], 5),
            "mean_ms": round(statistics.fmean(result["ms"]), 2), "p999_ms": round(percentile(result["ms"], 0.999), 2)}


VOICE_CASES = {"QPSK 1/2": 1, "64-QAM 3/4": 6}


def voice_goals(measured):
    lab = measured.lab
    return [(f"{d}, {service} at {case}: share within {VOICE_BOUND_MS} ms", VOICE_ON_TIME, lab[d][case][service]["on_time"],
             lab[d][case][service]["on_time"] >= VOICE_ON_TIME) for case in VOICE_CASES for service in VOICE_SERVICES for d in DIRECTIONS]


# Fading

FADING_CASES = {f"{snr} dB, {'auto' if rate is None else RATE_NAMES[rate]}": (snr, rate)
                for snr, fixed in ((15, (2, 3, 4)), (20, (3, 4, 5)), (25, (4, 5, 6))) for rate in (None, *fixed)}
FADING_BEGIN_S, FADING_S, FADING_SHARE, FADING_WALL_S = 4, 60, 0.9, 600


def fading_arguments(case):
    snr_db, rate = FADING_CASES[case]
    auto = rate is None
    return {"channel": "sui3", "snr_db": snr_db, **rates(6 if auto else rate), "dl_rate_auto": auto, "ul_rate_auto": auto}


def arrived(stack, direction):
    """At the only station, or from it; also while a fade keeps it from being registered."""
    status = stack.answer("ss1.macd" if direction == "downlink" else "bs.macd")
    return Delivered(status["sdus"]["out_bytes"], status["simulated_s"])


def measure_full(bench, directions=DIRECTIONS):
    """Directions that are full, over the same fades in every case; nothing that a fade keeps from beginning."""
    stack, marks = bench.stack, []
    capacity, factor = stack.capacity_kbps(), bench.pace()
    streams = []
    try:
        for j, d in enumerate(directions):
            gap_s = PACKET * 8 / (1.2e3 * capacity[d] * factor)
            streams.append(Stream(stack.route(0, d), FIRST_STREAM_PORT + j, PACKET, gap_s, int(FADING_WALL_S / gap_s)).start())
        for second in (FADING_BEGIN_S, FADING_BEGIN_S + FADING_S):
            while stack.clock().simulated_s < second:
                time.sleep(0.01)
            marks.append({d: arrived(stack, d) for d in directions})
    finally:
        for stream in streams:
            stream.stop()
    return {d: {"kbps": round(8e-3 * (marks[1][d].octets - marks[0][d].octets) / (marks[1][d].simulated_s - marks[0][d].simulated_s), 1)}
            for d in directions}


def fading_goals(measured):
    lab = measured.lab
    goals = []
    for snr in dict.fromkeys(snr for snr, _ in FADING_CASES.values()):
        for d in DIRECTIONS:
            best = max(lab[d][case]["kbps"] for case, (at, rate) in FADING_CASES.items() if at == snr and rate is not None)
            share = round(lab[d][f"{snr} dB, auto"]["kbps"] / max(1, best), 3)
            goals.append((f"{d}, SUI-3 at {snr} dB: share of the best fixed rate", FADING_SHARE, share, share >= FADING_SHARE))
    return goals


# The PHY's options

EDGE_DB, EDGE_GAP_S, EDGE_OCTETS, EDGE_S, EDGE_WITHOUT, EDGE_WITH = -3.0, 0.05, 100, 20, 0.5, 0.99
GAIN = 1.05
OPTIONS = {"edge": {"subchannelization": {"enable": True}}, "fading": {"stc": {"enable": True}}, "motion": {"midambles": {"enable": True}}}
OPTION_CASES = {f"{where}, {'with' if on else 'without'}": (where, on) for where in OPTIONS for on in (False, True)}
OPTION_ARGUMENTS = {"edge": {"snr_db": 12.0, "dl_rate": 1, "ul_rate": 0},
                    "fading": {"channel": "sui3", "snr_db": 16.0, "dl_rate_auto": True, "ul_rate_auto": True, **rates(6)},
                    "motion": {"channel": "vehicular-a", "snr_db": 21.0, "dl_rate": 1, "ul_rate": 3}}
MOTION_DOPPLER_HZ = 195


def option_extra(case):
    where, on = OPTION_CASES[case]

    def extra(_profile):
        result = {"bs": {"bs": {"profile": {"broadcast_rate_id": 0}, **(OPTIONS[where] if on else {})}}}
        if where == "fading":  # the same radio with and without
            result["bs.phyd"] = {"radio": {"tx_channels": 2}}
        return result

    return extra


def measure_option(bench):
    stack, where = bench.stack, bench.args.option
    if where == "edge":
        return measure_edge(bench)
    if where == "motion":
        for link in ("bs->ss1", "ss1->bs"):
            stack.ask("channeld", {"set": {"link": link, "doppler_hz": MOTION_DOPPLER_HZ}})
    direction = "downlink" if where == "fading" else "uplink"
    return {direction: measure_full(bench, (direction,))[direction]}


def measure_edge(bench):
    """Packets at a slow pace, up alone, of a station that has entered nearer."""
    stack = bench.stack
    stack.ask("channeld", {"set": {"link": "ss1->bs", "snr_db": EDGE_DB}})
    gap_s = EDGE_GAP_S / bench.pace()
    time.sleep(2 * EDGE_S * gap_s / EDGE_GAP_S / 10)
    stream = Stream(stack.route(0, "uplink"), FIRST_STREAM_PORT, EDGE_OCTETS, gap_s, int(EDGE_S / EDGE_GAP_S)).start()
    with Watch(stack.clock) as watch:
        result = stream.result(watch)
    return {"uplink": {"delivered": round(1 - result["lost"] / result["packets"], 4)}}


def option_goals(measured):
    lab = measured.lab
    up, down = lab["uplink"], lab["downlink"]
    without, with_ = up["edge, without"]["delivered"], up["edge, with"]["delivered"]
    goals = [("edge, share delivered without subchannels", EDGE_WITHOUT, without, without <= EDGE_WITHOUT),
             ("edge, share delivered with them", EDGE_WITH, with_, with_ >= EDGE_WITH)]
    for where, figures, what in (("fading", down, "STC zone"), ("motion", up, "midambles")):
        gain = round(figures[f"{where}, with"]["kbps"] / max(1.0, figures[f"{where}, without"]["kbps"]), 3)
        goals.append((f"{where}, rate with {what} over the rate without", GAIN, gain, gain >= GAIN))
    return goals


# The simulator compared with the stack

AGREE_STATIONS, AGREE_BPS, AGREE_OCTETS, AGREE_MS, AGREE_SHARE = 3, 387_000, 500, 1.0, 0.02  # packets per frame: not a whole number


def measure_delays(bench):
    """The same packets over the stack and in wimax-sim."""
    stack, duration = bench.stack, bench.args.duration
    stack.wait_until_quiet()
    factor = bench.pace()
    gap_s = 8 * AGREE_OCTETS / AGREE_BPS / factor
    with Watch(stack.clock) as watch:
        streams = [(d, Stream(stack.route(i, d), FIRST_STREAM_PORT + 2 * i + j, AGREE_OCTETS, gap_s, int(duration / gap_s)).start())
                   for i in range(AGREE_STATIONS) for j, d in enumerate(DIRECTIONS)]
        results = [(d, stream.result(watch)) for d, stream in streams]
    simulated = simulator(stack.binaries, bench.args, duration)
    figures = {}
    for d in DIRECTIONS:
        own = [r for way, r in results if way == d]
        packets, lost = sum(r["packets"] for r in own), sum(r["lost"] for r in own)
        beside = simulated["total"][d]
        figures[d] = {"mean_ms": round(statistics.fmean(ms for r in own for ms in r["ms"]), 2), "delivered": round(1 - lost / packets, 4),
                      "simulator_mean_ms": round(beside["delay_ms"]["mean"], 2), "simulator_delivered": round(1 - beside["loss"], 4)}
    return figures


def simulator(binaries, args, seconds):
    entry = {"kind": "cbr", "rate_bps": AGREE_BPS, "packet_bytes": AGREE_OCTETS}
    scenario = {"profile": args.profile.name, "stations": AGREE_STATIONS, "seconds": seconds, "snr_db": args.snr_db, "rate": args.dl_rate,
                "traffic": [{"direction": d, **entry} for d in DIRECTIONS]}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "scenario.yml")
        file.write_text(json.dumps(scenario), encoding="utf-8")  # JSON is YAML
        done = subprocess.run([binaries / "wimax-sim", "--scenario", file], stdout=subprocess.PIPE, check=True, text=True)
    return json.loads(done.stdout)


def delay_goals(measured):
    lab = measured.lab
    goals = []
    for d in DIRECTIONS:
        f = lab[d]
        apart_ms, apart = round(abs(f["mean_ms"] - f["simulator_mean_ms"]), 2), round(abs(f["delivered"] - f["simulator_delivered"]), 4)
        goals += [(f"{d}, mean delays apart, ms", AGREE_MS, apart_ms, apart_ms <= AGREE_MS),
                  (f"{d}, shares delivered apart", AGREE_SHARE, apart, apart <= AGREE_SHARE)]
    return goals


EXPERIMENTS = (
    Experiment("arq", measure_loss, arq_goals, {"without": Case(lambda _: ROBUST_MAPS, arq_arguments("without")), "arq": Case(with_arq, arq_arguments("arq"))}),
    Experiment("voice", measure_voice, voice_goals,
               {case: Case(voice_cell, {"stations": len(VOICE_SERVICES) + BUSY_STATIONS, **rates(rate)}) for case, rate in VOICE_CASES.items()}),
    Experiment("fading", measure_full, fading_goals, {case: Case(lambda _: ROBUST_MAPS, fading_arguments(case)) for case in FADING_CASES}),
    Experiment("options", measure_option, option_goals,
               {case: Case(option_extra(case), {"option": where, **OPTION_ARGUMENTS[where]}) for case, (where, _) in OPTION_CASES.items()}),
    Experiment("agreement", measure_delays, delay_goals, {"": Case(arguments={"stations": AGREE_STATIONS})}),
)
