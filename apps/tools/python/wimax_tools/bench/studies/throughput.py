# SPDX-License-Identifier: GPL-3.0-or-later
"""What a frame carries: by modulation (A2, A3, C1), by provisioned rate (A4), by the sockets' buffers (D3); and that nothing is lost (A5)."""
import math
import subprocess
import sys

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.figure import Figure, mean_figure, share_figure
from wimax_tools.bench.profiles import BITS_PER_SYMBOL, RATE_NAMES
from wimax_tools.bench.studies import pictures
from wimax_tools.bench.studies.cells import own_flows, rates, stations
from wimax_tools.bench.transfers import DIRECTIONS, spent_symbols, steady, transfers

# A2 and A3: what a frame's symbols carry

TRANSFER_OCTETS, TRANSFERS, USUAL_SYMBOLS = 8e6, 8, 70  # of study A, each; symbols of a frame that carried them, about
FIELD_RATES = {"downlink": {"Default": (1, 2, 3), "Speedy": (0, 1, 2, 3, 4, 5)}, "uplink": {"Default": (0, 1), "Speedy": (0, 1, 2, 3)}}
LEAST_SYMBOLS = {"downlink": 92, "uplink": 93}
SPEEDY_GAIN = {"downlink": 9.7, "uplink": 7.5}  # symbols, as published
GAIN_TOLERANCE = 1.0
FIELD_LIMIT_BPS = 6_000_000


def three_stations(extra, idle):
    """Those of study A: one that transfers, one that only is there, one with a flow that is never used: polled in every frame, there."""
    flows = [{"name": "up", "direction": "uplink"}, {"name": "down", "direction": "downlink"},
             {"name": "polled", "direction": "uplink", "scheduling": "rtps", "max_sustained_rate_bps": 100_000, "rules": ["polled"]}]
    for flow in flows[:2]:
        flow.update(extra)
    flows[2].update(idle)
    rule = {"name": "polled", "priority": 9, "protocols": [17], "destination_ports": [{"low": 9, "high": 9}]}
    return {"service_flows": flows, "classifier_rules": [rule], "stations": stations(("up", "down"), ("up", "down"), ("up", "down", "polled"))}


def symbol_cases(direction):
    cases = {}
    for name, used in FIELD_RATES[direction].items():
        base = {"bs": {"bs": {"profile": {"name": name}, **three_stations({"max_sustained_rate_bps": FIELD_LIMIT_BPS}, {})}}}
        cases.update({f"{RATE_NAMES[rate]}, {name}": Case(lambda _, base=base: base, {"stations": 3, **rates(rate)}, ("field",)) for rate in used})
    base = {"bs": {"bs": three_stations({}, {"active_at_start": False})}}  # activated when it is used (A8)
    cases.update({RATE_NAMES[rate]: Case(lambda _: base, {"stations": 3, **rates(rate)}, ("lab",)) for rate in range(len(RATE_NAMES))})
    return cases


def measure_symbols(direction):
    def measure(bench):
        rate_id, frame_s = bench.args.dl_rate, bench.args.profile.frame_s
        found, lost = [], 0
        for _ in range(TRANSFERS if bench.args.whole else 1):
            seconds = bench.seconds(math.ceil(TRANSFER_OCTETS * 8 / (BITS_PER_SYMBOL[rate_id] * USUAL_SYMBOLS / frame_s)))
            (tcp,), rate = steady(bench, [(0, direction, None, None, seconds)], seconds)
            found.append(rate[direction])
            lost += tcp["retransmissions"]
        kbps = found[0] if len(found) == 1 else mean_figure(found, 1)
        symbols = scaled(kbps, frame_s * 1e3 / BITS_PER_SYMBOL[rate_id], 2)
        return {direction: {"kbps": kbps, "symbols": symbols, "payload_kbps": scaled(kbps, traffic.TCP_PAYLOAD / traffic.PACKET, 1),
                            "retransmissions": lost, "spent": spent_symbols(bench.stack, direction, symbols)}}

    measure.__qualname__ += direction  # it distinguishes results
    return measure


def scaled(figure, factor, digits):
    return Figure(round(figure * factor, digits), round(figure.low * factor, digits), round(figure.high * factor, digits))


def symbol_goals(direction):
    def goals(measured):
        lab, field, least = measured.lab[direction], measured.field[direction], LEAST_SYMBOLS[direction]
        found = [(f"{direction}, symbols of 100 that carry IP, {name}", least, lab[name]["symbols"], lab[name]["symbols"] >= least) for name in lab]
        both = [RATE_NAMES[rate] for rate in FIELD_RATES[direction]["Default"]]
        gains = [field[f"{name}, Speedy"]["symbols"] - field[f"{name}, Default"]["symbols"] for name in both]
        gain, wanted = round(sum(gains) / len(gains), 2), SPEEDY_GAIN[direction]
        return [(f"{direction}, symbols that Speedy has over Default", f"{wanted} within {GAIN_TOLERANCE:g}", gain,
                 abs(gain - wanted) <= GAIN_TOLERANCE)] + found

    return goals


def symbol_account(direction):
    """By case of the study's network, in symbols. Published rates are read as TCP payload, as iperf prints them. The gain of sending descriptors half
    as often there gives the length of theirs."""
    gain = SPEEDY_GAIN[direction]

    def account(measured):
        found = {}
        for name, figures in measured.field[direction].items():
            published, spent = measured.published[direction][name]["symbols"], figures["spent"]
            as_ip = published * traffic.PACKET / traffic.TCP_PAYLOAD
            parts = {"published": published, "published_as_payload": round(as_ip, 2), "measured": figures["symbols"], "apart": figures["symbols"] - as_ip}
            if descriptors := spent.get("descriptors"):
                parts["longer_descriptors_there"] = (2 * gain if name.endswith("Default") else gain) - descriptors
            parts["idle_here"] = -(spent.get("idle") or 0.0)
            parts["left"] = parts["apart"] - parts.get("longer_descriptors_there", 0.0) - parts["idle_here"]
            found[name] = {key: round(float(value), 2) for key, value in parts.items()}
        return found

    return account


# A4: provisioned rates

LIMITS_BPS = {"64 kb/s": 64_000, "256 kb/s": 256_000, "1 Mb/s": 1_000_000, "6 Mb/s": 6_000_000}
LEAST_PACKETS, QUICK_PACKETS, MORE = 500, 150, 1.5
UDP_SHARE, TCP_SHARE, SLOW_TCP_SHARE, SLOW_BPS = 0.99, 0.97, 0.95, 256_000


def limited(limit_bps):
    return Case(lambda _: {"bs": {"bs": own_flows({"max_sustained_rate_bps": limit_bps})}})


def measure_limited(bench):
    """Shares of the rate, of what arrives between the first tenth of a transfer and its end."""
    limit = bench.stack.answer("bs.macd")["station"]["stations"][0]["flows"][0]["max_sustained_rate_bps"]
    packets = LEAST_PACKETS if bench.args.whole else QUICK_PACKETS
    seconds = max(bench.args.duration, math.ceil(packets * traffic.PACKET * 8 / limit))
    figures = {d: {} for d in DIRECTIONS}
    for kind, offer in (("tcp", None), ("udp", MORE * limit)):
        bench.stack.wait_until_quiet(limit / 1e3)
        bench.start((0, d, offer, None, seconds) for d in DIRECTIONS)
        bench.stack.pass_time(0.1 * seconds)
        begin = {d: bench.stack.delivered(d)[0] for d in DIRECTIONS}
        bench.stack.pass_time(0.85 * seconds)
        for d in DIRECTIONS:
            end = bench.stack.delivered(d)[0]
            rate_bps = 8 * (end.octets - begin[d].octets) / (end.simulated_s - begin[d].simulated_s)
            packet = 8 * traffic.PACKET / (end.simulated_s - begin[d].simulated_s)  # more or less in that time
            figures[d][kind] = Figure(*(round(bps / limit, 4) for bps in (rate_bps, rate_bps - packet, rate_bps + packet)))
        bench.stop_transfers()
    return figures


def limited_goals(measured):
    goals = []
    for case, limit in LIMITS_BPS.items():
        for kind, least in (("udp", UDP_SHARE), ("tcp", SLOW_TCP_SHARE if limit < SLOW_BPS else TCP_SHARE)):
            goals += [(f"{d}, {kind} at {case}: share of the rate", least, measured.lab[d][case][kind], measured.lab[d][case][kind] >= least)
                      for d in DIRECTIONS]
    return goals


# A5: nothing is lost

LONG_TRANSFERS, QUICK_TRANSFERS, STANDING_PACKETS, BUFFERED_PACKETS = 98, 4, 300, 200
BURST = ("import socket, sys\ns = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
         "for _ in range(int(sys.argv[2])): s.sendto(bytes(1472), (sys.argv[1], 9))\n")


def measure_losses(bench):
    """Long TCP transfers one after the other whose ends know ECN; then what of a burst of packets at once the station holds."""
    stack, figures = bench.stack, {}
    transfers_each = LONG_TRANSFERS // 2 if bench.args.whole else QUICK_TRANSFERS // 2
    for site in ("bs", "ss1"):
        subprocess.run(traffic.in_namespace(stack.netns(site), "sh", "-c", "echo 1 > /proc/sys/net/ipv4/tcp_ecn"), check=True)
    for d in DIRECTIONS:
        found = [transfers(bench, [(0, d, None)])[0][0] for _ in range(transfers_each)]
        again, segments = sum(r["retransmissions"] for r in found), sum(r["packets"] for r in found)
        figures[d] = {"transfers": transfers_each, "segments": segments, "retransmissions": again,
                      "retransmitted_share": share_figure(again, segments, 6), "buffered_packets": buffered(bench, d)}
    return figures


def buffered(bench, direction):
    """Of STANDING_PACKETS that are sent at once, how many come through."""
    stack = bench.stack
    stack.wait_until_quiet()
    source, _, address = stack.route(0, direction)
    before = stack.delivered(direction)[0].octets
    subprocess.run(traffic.in_namespace(source, sys.executable, "-c", BURST, address, STANDING_PACKETS), check=True)
    stack.wait_until_quiet()
    return round((stack.delivered(direction)[0].octets - before) / traffic.PACKET)


def loss_goals(measured):
    goals = []
    for d in DIRECTIONS:
        lab = measured.lab[d]
        goals += [(f"{d}, TCP segments sent again", 0, lab["retransmissions"], lab["retransmissions"] == 0),
                  (f"{d}, packets buffered", f"> {BUFFERED_PACKETS}", lab["buffered_packets"], lab["buffered_packets"] > BUFFERED_PACKETS)]
    return goals


# C1: shares of what is computed

UDP_LEAST, TCP_LEAST, OVERLOAD = 0.97, 0.93, 1.2


def measure_shares(bench):
    capacity, seconds = bench.stack.capacity_kbps(), bench.args.duration
    figures = {d: {} for d in DIRECTIONS}
    for d in DIRECTIONS:
        for kind, offer in (("udp", 1e3 * OVERLOAD * capacity[d]), ("tcp", None)):
            _, rate = steady(bench, [(0, d, offer)], seconds)
            figures[d][kind] = scaled(rate[d], 1 / capacity[d], 4)
            figures[d][f"{kind}_kbps"] = rate[d]
        figures[d]["capacity_kbps"] = round(capacity[d], 1)
    return figures


def share_goals(measured):
    return [(f"{d}, {kind} at {name}: share of the computed capacity", least, figures[kind], figures[kind] >= least)
            for d in DIRECTIONS for name, figures in measured.lab[d].items() for kind, least in (("udp", UDP_LEAST), ("tcp", TCP_LEAST))]


# D3: sockets' buffers

BUFFERS_KIB, ENOUGH_KIB, FULL_RATE = (17, 32, 64, 128, 256, 512, 1024), 64, 0.93


def measure_buffers(bench):
    capacity, figures = bench.stack.capacity_kbps(), {}
    for d in DIRECTIONS:
        figures[d] = {}
        for kib in BUFFERS_KIB:
            (tcp,), rate = steady(bench, [(0, d, None, kib * 1024)], bench.args.duration)
            figures[d][f"{kib} KB"] = {"kbps": rate[d], "share": scaled(rate[d], 1 / capacity[d], 4), "rtt_ms": round(tcp["rtt_ms"], 1)}
    return figures


def buffer_goals(measured):
    return [(f"{d}, share of the computed capacity with buffers of {kib} KB", FULL_RATE, measured.lab[d][f"{kib} KB"]["share"],
             measured.lab[d][f"{kib} KB"]["share"] >= FULL_RATE) for d in DIRECTIONS for kib in BUFFERS_KIB if kib >= ENOUGH_KIB]


EXPERIMENTS = (
    *(Experiment(name, measure_symbols(d), symbol_goals(d), symbol_cases(d), {"symbols": pictures.symbols(d)}, symbol_account(d)) for name, d in (("A2", "downlink"), ("A3", "uplink"))),
    Experiment("A4", measure_limited, limited_goals, {case: limited(bps) for case, bps in LIMITS_BPS.items()}),
    Experiment("A5", measure_losses, loss_goals),
    Experiment("C1", measure_shares, share_goals, {name: Case(arguments=rates(i), profiles=("lab",)) for i, name in enumerate(RATE_NAMES)},
               {"shares": pictures.shares}),
    Experiment("D3", measure_buffers, buffer_goals, pictures={"buffers": pictures.buffers}),
)
