# SPDX-License-Identifier: GPL-3.0-or-later
"""Cells in which `wimax policy check` tries a scheduler: scenarios of wimax-sim, without the scheduler itself."""

LATENCY_MS = 25  # of voice: the bound of its service flow
TRAFFIC_BOTH_WAYS = ("downlink", "uplink")


def both_ways(**entry):
    return [{"direction": direction, **entry} for direction in TRAFFIC_BOTH_WAYS]


CELLS = {
    "alone": ("one station with a full queue", {"stations": 1, "traffic": both_ways(kind="saturate")}),
    "equal": ("four equal stations with full queues", {"stations": 4, "traffic": both_ways(kind="saturate")}),
    "rates": ("four stations of different rates with full queues",
              {"stations": 4, "rate": "auto", "snr_db": [9, 14, 20, 28], "traffic": both_ways(kind="saturate")}),
    "voice": (f"a voice call with a bound of {LATENCY_MS} ms next to six stations with full queues",
              {"stations": 7, "traffic": both_ways(stations=[1], service="UGS", kind="cbr", rate_bps=80000, packet_bytes=200,
                                                   max_latency_ms=LATENCY_MS) +
               both_ways(stations=list(range(2, 8)), kind="saturate")}),
    "many": ("thirty stations with Poisson traffic", {"stations": 30, "traffic": both_ways(kind="poisson", rate_bps=60000)}),
}


def scenario(name, seconds, seed, policy, directions):
    """Keys of wimax-sim. `policy`: value of dl_scheduler and ul_scheduler."""
    keys = {f"{'dl' if direction == 'downlink' else 'ul'}_scheduler": policy for direction in directions}
    return {**CELLS[name][1], "seconds": seconds, "warmup_s": 1, "seed": seed, "base_station": keys}
