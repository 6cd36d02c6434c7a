# SPDX-License-Identifier: GPL-3.0-or-later
"""What the page shows, from what the programs say at two moments: stations, service flows, links, use of the frame."""

from dataclasses import dataclass

from wimax_tools.bench.profiles import RATE_NAMES

LIGHT_M_PER_S = 299_792_458
UNKNOWN_DB = -99.0     # a PHY that has measured nothing reports -100 dB and -270 dBm
UNKNOWN_DBM = -200.0
NO_BSID = "0" * 12     # of a station that has read no DL-MAP
DIRECTIONS = {"downlink": "dl", "uplink": "ul"}
DROPS = {"dropped_full": "queue full", "dropped_codel": "AQM", "dropped_pool": "no buffer", "dropped_no_room": "no room",
         "dropped_contention": "requests unanswered", "dropped_arq": "ARQ gave up", "dropped_rate": "beyond its rate",
         "refused_length": "too long", "malformed": "malformed"}


@dataclass(frozen=True)
class Sample:
    """Statuses by name of the program; None of one that does not answer."""
    statuses: dict

    def of_kind(self, kind):
        return {name: status for name, status in self.statuses.items() if kind_of(status) == kind}


def kind_of(status):
    """channel, phy, base or subscriber (both of MACs); empty of a program that is silent or unknown."""
    if not isinstance(status, dict):
        return ""
    if "links" in status and "radios" in status:
        return "channel"
    if "station" in status:
        return "base" if status.get("role") == "bs" else "subscriber"
    return "phy" if "radio_open" in status else ""


def bsid_text(digits):
    return ":".join(digits[i:i + 2] for i in range(0, 12, 2))


def measured_db(value):
    return value if value is not None and value > UNKNOWN_DB else None


def measured_dbm(value):
    return value if value is not None and value > UNKNOWN_DBM else None


def distance_m(station):
    """By a subscriber station's timing advance, which is the way there and back."""
    if not station.get("operational") or not station.get("sample_rate_hz"):
        return None
    return station["timing_advance_samples"] / station["sample_rate_hz"] * LIGHT_M_PER_S / 2


def drops_of(flow):
    """Cause to packets; what no cause is given of has the cause `other`."""
    by_cause = {words: flow[key] for key, words in DROPS.items() if flow.get(key)}
    rest = flow.get("dropped", 0) - sum(by_cause.values())
    return {**by_cause, "other": rest} if rest > 0 else by_cause


class Pace:
    """Counters of one program at two moments, as figures per second of its time."""

    def __init__(self, now, before):
        begin = (before or {}).get("simulated_s")
        self.seconds = now["simulated_s"] - begin if begin is not None else 0.0

    def per_s(self, now, before, key="bytes"):
        """None if there is no earlier figure, no time passed, or the program restarted."""
        if not before or key not in now or key not in before or self.seconds <= 0 or now[key] < before[key]:
            return None
        return (now[key] - before[key]) / self.seconds

    def kbps(self, now, before):
        octets = self.per_s(now, before)
        return None if octets is None else 8e-3 * octets


def by(items, key):
    return {item[key]: item for item in items or ()}


def privacy_of(station):
    """State, age of the newest traffic key, and what did not prove genuine; None of a station that has no privacy."""
    known = station.get("privacy")
    if not known:
        return None
    dropped = sum(known["messages"].values()) + sum(n for cause, n in known["pdus"].items() if cause != "opened")
    return {"state": known["state"], "key": known.get("tek_sequence"), "age_s": known["tek_age_s"], "dropped": dropped}


def queue_of(flow, kbps):
    """Queued octets, and the waiting time of a new one: queue over goodput."""
    backlog = flow.get("backlog_bytes", flow.get("requested_bytes"))
    delay_ms = 0.0 if backlog == 0 else 8 * backlog / kbps if backlog and kbps else None
    return {"backlog_bytes": backlog, "delay_ms": delay_ms}


def rate_of(rate_id, rates):
    """Its name and what it needs; rates: of the MAC's key `rates`."""
    known = by(rates, "id").get(rate_id, {})
    name = known.get("name") or (RATE_NAMES[rate_id] if rate_id is not None and 0 <= rate_id < len(RATE_NAMES) else None)
    return {"rate_id": rate_id, "rate": name, "needs_db": known.get("needs_db")}


def downlink_of(sent, received):
    """Goodput that a station reports; otherwise the rate that its base station has sent, of which a fade may remove any part."""
    return {"kbps": first_known(received, sent), "received": received is not None}


def station_rows(name, base, was, subscribers, rates):
    """Of a base station: all it knows, and what each station knows better where it runs here, too. `was`: statuses of the sample before."""
    before = was.get(name)
    pace = Pace(base, before)
    earlier = by((before or {"station": {}})["station"].get("stations"), "mac")
    for one in base["station"].get("stations", []):
        then = earlier.get(one["mac"], {})
        program, own = subscribers.get(one["mac"], (None, {}))
        link, here = one.get("link", {}), own.get("station", {})
        got = got_kbps(own, was.get(program), lambda station: station.get("dl"))
        yield {
            "cell": name, "program": program, "mac": one["mac"], "basic_cid": one.get("basic_cid"), "name": one.get("name") or one["mac"],
            "state": one["state"], "restriction": one.get("restriction", "none"), "privacy": privacy_of(one),
            "distance_m": distance_m(here), "power_dbm": here.get("power_dbm"), "power_left_db": power_left(here, link),
            "frequency_offset_hz": one.get("frequency_offset_hz"),
            "dl": {**rate_of(one.get("dl_rate_id"), rates), "cinr_db": first_known(measured_db(own.get("cinr_db")), measured_db(link.get("dl_cinr_db"))),
                   "rssi_dbm": measured_dbm(own.get("rssi_dbm")), **downlink_of(pace.kbps(one["dl"], then.get("dl")), got)},
            "ul": {**rate_of(one.get("ul_rate_id"), rates), "cinr_db": measured_db(one.get("cinr_db")),
                   "rssi_dbm": measured_dbm(one.get("rssi_dbm")), "kbps": pace.kbps(one["ul"], then.get("ul"))},
        }


def got_kbps(own, before, figures):
    """From a station's own status, now and before; None if it is not on this host or does not respond. `figures`: of its key `station`."""
    if not own or not before:
        return None
    return Pace(own, before).kbps(figures(own["station"]) or {}, figures(before["station"]))


def those_of(bsid, subscribers):
    """MAC address to name and status, of stations that hear this base station or none: an address may be in several cells."""
    return {status["station"]["mac"]: (name, status) for name, status in subscribers.items()
            if status["station"].get("bsid") in (bsid, NO_BSID, None)}


def first_known(*values):
    return next((value for value in values if value is not None), None)


def power_left(here, link):
    if here.get("operational") and "maximum_power_dbm" in here:
        return here["maximum_power_dbm"] - here["power_dbm"]
    return link.get("power_left_db")


def lone_station(name, own, before):
    """A subscriber station whose base station is not on this host: what the station knows."""
    here, pace = own["station"], Pace(own, before)
    was = (before or {}).get("station", {})
    return {"cell": None, "program": name, "basic_cid": here.get("basic_cid"), "mac": here["mac"], "name": here["mac"], "state": here["state"], "restriction": "none",
            "privacy": privacy_of(here),
            "distance_m": distance_m(here), "power_dbm": here.get("power_dbm"), "power_left_db": power_left(here, {}),
            "frequency_offset_hz": own.get("frequency_offset_hz"),
            "dl": {**rate_of(here.get("downlink_profile", {}).get("rate_id"), []), "cinr_db": measured_db(own.get("cinr_db")),
                   "rssi_dbm": measured_dbm(own.get("rssi_dbm")), **downlink_of(None, pace.kbps(here["dl"], was.get("dl")))},
            "ul": {**rate_of(None, []), "cinr_db": None, "rssi_dbm": None, "kbps": pace.kbps(here["ul"], was.get("ul"))}}


def flow_rows(name, status, was, subscribers):
    """Of a base station's stations; the queue of an uplink flow is its station's, and what has come of a downlink flow. `was`: statuses of
    the sample before."""
    before = was.get(name)
    pace = Pace(status, before)
    earlier = {flow["sfid"]: flow for one in (before or {"station": {}})["station"].get("stations", ()) for flow in one.get("flows", ())}
    for one in status["station"].get("stations", []):
        program, station = subscribers.get(one["mac"], (None, {}))
        own = by(station.get("station", {}).get("flows"), "sfid")
        for flow in one.get("flows", []):
            sfid = flow["sfid"]
            got = got_kbps(station, was.get(program), lambda there, sfid=sfid: by(there.get("flows"), "sfid").get(sfid)) \
                if flow["direction"] == "downlink" else None
            yield flow_row(name, one, flow, own.get(sfid, {}), first_known(got, pace.kbps(flow, earlier.get(sfid))))


def flow_row(name, station, flow, at_station, kbps):
    uplink = flow["direction"] == "uplink"
    sender = at_station if uplink and at_station else flow
    keys = ("sfid", "cid", "name", "direction", "scheduling", "state", "max_sustained_rate_bps", "min_reserved_rate_bps", "max_latency_ms",
            "traffic_priority", "sdus", "refusal")
    return {"cell": name, "station": station["mac"], "station_name": station.get("name") or station["mac"], **{key: flow.get(key) for key in keys},
            "kbps": kbps, **queue_of(sender, kbps), "drops": drops_of(sender)}


def symbols_per_frame(status, before):
    """Direction to purpose to OFDM symbols, mean of the frames since; None at the begin."""
    now, was = status["station"], (before or {}).get("station", {})
    frames = now["frames"] - was.get("frames", now["frames"])
    if frames <= 0:
        return None
    return {direction: {use: (n - was["symbols"][direction].get(use, 0)) / frames for use, n in uses.items()}
            for direction, uses in now["symbols"].items()}


def base_row(name, status, before):
    station = status["station"]
    return {"name": name, "bsid": bsid_text(station["bsid"]), "profile": station.get("profile"), "state": station["state"],
            "frame": status["frame_number"], "frame_s": station["layout"]["frame_s"], "layout": station["layout"],
            "simulated_s": status["simulated_s"], "capacity_kbps": station["capacity_kbps"], "late": station["late"],
            "phy_alive": status["phy_alive"], "registered": station["registered"], "symbols": symbols_per_frame(status, before)}


def answers_ms(status):
    """Median, 99th percentile and maximum of a PHY's response time; None if the radio waits (lock-step)."""
    times = (status or {}).get("answers")
    return [times[key] / 1e3 for key in ("p50_us", "p99_us", "longest_us")] if times and times["count"] else None


def program_row(name, status):
    return {"name": name, "kind": kind_of(status), "answers": status is not None, "late": (status or {}).get("late"), "answers_ms": answers_ms(status),
            "realtime_factor": (status or {}).get("realtime_factor"), "headroom_db": (status or {}).get("headroom_db"),
            "clipped_samples": ((status or {}).get("radio") or {}).get("clipped_samples")}


def picture(sample, before=None, rates=None):
    """All that the page shows of one moment. `before`: the sample before it; `rates`: by name of the base station's MAC."""
    was = before.statuses if before else {}
    subscribers = sample.of_kind("subscriber")
    result = {"programs": [program_row(name, status) for name, status in sample.statuses.items()],
              "cells": [], "stations": [], "flows": [], "links": []}
    for name, status in sample.of_kind("base").items():
        own = those_of(status["station"]["bsid"], subscribers)
        result["cells"].append(base_row(name, status, was.get(name)))
        result["stations"] += station_rows(name, status, was, own, (rates or {}).get(name, []))
        result["flows"] += flow_rows(name, status, was, own)
    served = {station["program"] for station in result["stations"]}
    result["stations"] += [lone_station(name, status, was.get(name)) for name, status in subscribers.items() if name not in served]
    for name, status in sample.of_kind("channel").items():
        result["links"] += [{"program": name, "name": link, **values} for link, values in status["links"].items()]
    return result
