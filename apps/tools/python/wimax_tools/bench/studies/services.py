# SPDX-License-Identifier: GPL-3.0-or-later
"""What the MAC's services are worth: flows that come up when they are used (A8), ARQ on a bad channel (B1, B2)."""
from wimax_tools.bench.experiment import Case, Experiment
from wimax_tools.bench.figure import share_figure
from wimax_tools.bench.instruments.stream import Stream, Watch
from wimax_tools.bench.studies import pictures
from wimax_tools.bench.studies.cells import FOR_EVER, LOSSY_DB, LOSSY_RATE, ROBUST_MAPS, own_flows, rates, stations
from wimax_tools.bench.transfers import DIRECTIONS, steady

# A8: idle flows

IDLE_FLOWS = {"none": [], "static": [{}], "on demand": [{"active_at_start": False, "idle_timeout_ms": 500}]}
IDLE_UGS_BPS, IDLE_STATIONS, CALL_PORT, CALL_GAP_S = 800_000, 2, 4500, 0.02
NOT_HELD, HELD = 0.01, 0.05  # of the uplink


def idle_case(more):
    """One station transfers; others have an idle UGS flow and an idle polled flow."""
    idle = [{"name": "call", "direction": "uplink", "scheduling": "ugs", "max_sustained_rate_bps": IDLE_UGS_BPS, "rules": ["call"], **keys} for keys in more]
    idle += [{"name": "polled", "direction": "uplink", "scheduling": "rtps", "max_sustained_rate_bps": IDLE_UGS_BPS, "rules": ["polled"], **keys} for keys in more]
    plain = [{"name": "up", "direction": "uplink"}, {"name": "down", "direction": "downlink"}]
    rules = [{"name": name, "priority": 9, "protocols": [17], "destination_ports": [{"low": port, "high": port}]}
             for name, port in (("call", CALL_PORT), ("polled", CALL_PORT + 1))]
    names = [[flow["name"] for flow in plain]] + [[flow["name"] for flow in plain + idle]] * IDLE_STATIONS
    extra = {"bs": {"bs": {"service_flows": plain + idle, "classifier_rules": rules if more else [], "stations": stations(*names)}}}
    return Case(lambda _: extra, {"stations": 1 + IDLE_STATIONS})


def measure_idle_flows(bench):
    """Uplink rate of one station while the others have idle flows; then a call through such a flow."""
    capacity = bench.stack.capacity_kbps()["uplink"] * bench.args.stations
    _, rate = steady(bench, [(0, "uplink", 1.2e3 * capacity)], bench.args.duration)
    bench.stack.wait_until_quiet()
    with Watch(bench.stack.clock) as watch:
        call = Stream(bench.stack.route(1, "uplink"), CALL_PORT, 200, CALL_GAP_S, int(bench.args.duration / 2 / CALL_GAP_S)).start().result(watch)
    return {"uplink": {"kbps": rate["uplink"], "call_lost": call["lost"], "call_first_ms": round(call["ms"][0], 1),
                       "call_max_ms": round(max(call["ms"]), 1)}}


def idle_goals(measured):
    up = measured.lab["uplink"]
    lost = {case: round(1 - up[case]["kbps"] / up["none"]["kbps"], 4) for case in up}
    return [("share of the uplink that idle flows hold, static", f">= {HELD}", lost["static"], lost["static"] >= HELD),
            ("share of the uplink that idle flows hold, on demand", f"<= {NOT_HELD}", lost["on demand"], lost["on demand"] <= NOT_HELD),
            ("packets of a call lost, on demand", 0, up["on demand"]["call_lost"], up["on demand"]["call_lost"] == 0)]


# B1, B2: ARQ

OFFER, AGAIN_MOST, TCP_OF_UDP = 1.2, 0.005, 0.95
ARQ_CASES = {"without": Case(lambda _: ROBUST_MAPS, {"snr_db": LOSSY_DB, **rates(LOSSY_RATE)}),
             "arq": Case(lambda _: {"bs": {"bs": {**own_flows({"arq": FOR_EVER}), **ROBUST_MAPS["bs"]["bs"]}}}, {"snr_db": LOSSY_DB, **rates(LOSSY_RATE)})}


def measure_arq(bench):
    capacity, seconds, figures = bench.stack.capacity_kbps(), bench.seconds(60), {}
    for d in DIRECTIONS:
        (tcp,), tcp_rate = steady(bench, [(0, d, None, None, seconds)], seconds)
        _, udp_rate = steady(bench, [(0, d, 1e3 * OFFER * capacity[d], None, seconds)], seconds)
        again = share_figure(min(tcp["retransmissions"], tcp["packets"]), max(1, tcp["packets"]), 5)
        figures[d] = {"tcp_kbps": tcp_rate[d], "udp_kbps": udp_rate[d], "tcp_retransmissions": again, "tcp_of_udp": round(tcp_rate[d] / udp_rate[d], 4)}
    return figures


def throughput_goals(measured):
    return [(f"{d}, TCP over UDP with ARQ", TCP_OF_UDP, measured.lab[d]["arq"]["tcp_of_udp"], measured.lab[d]["arq"]["tcp_of_udp"] >= TCP_OF_UDP)
            for d in DIRECTIONS]


def retransmission_goals(measured):
    return [(f"{d}, share of TCP segments sent again with ARQ", AGAIN_MOST, measured.lab[d]["arq"]["tcp_retransmissions"],
             measured.lab[d]["arq"]["tcp_retransmissions"] <= AGAIN_MOST) for d in DIRECTIONS]


EXPERIMENTS = (
    Experiment("A8", measure_idle_flows, idle_goals, {case: idle_case(more) for case, more in IDLE_FLOWS.items()}),
    Experiment("B1", measure_arq, throughput_goals, ARQ_CASES, {"throughput": pictures.arq_throughput}),
    Experiment("B2", measure_arq, retransmission_goals, ARQ_CASES),
)
