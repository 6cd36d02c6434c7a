# SPDX-License-Identifier: GPL-3.0-or-later
"""Tables of the documents from measured rows. A record is what command.py keeps of a row in build/results."""
import math

from wimax_tools.bench.profiles import Profile, RATE_NAMES
from wimax_tools.curves import threshold
from wimax_tools.results.rows import named, rows_of
from wimax_tools.speed.tables import lines as speed_lines

DIRECTIONS = ("downlink", "uplink")
MOST_OFF = 0.02       # of real time; faster is slower before
LONGEST_STALL_S = 0.1
MOST_IDLE = 0.01      # of a frame's symbols, in white noise with more traffic than the link carries


def factor(result):
    """Of real time: that of the run, or of the part with both directions saturated, whichever is farther from 1."""
    return max((part["realtime_factor"] for part in (result, result.get("both_ways")) if part and "realtime_factor" in part), key=lambda f: abs(f - 1), default=1)


def off_real_time(result):
    return abs(factor(result) - 1)


def idle(result):
    """Downlink symbols per frame for which iperf3 had sent nothing. Fading channels have others."""
    return result["breakdown"]["downlink"].get("idle", 0) if result["phy"]["channel"] == "awgn" else 0


def host_stalled(result):
    """iperf3 is paced by the wall clock, so a slow host adds losses that the radio link does not cause. --lates separates such frames."""
    return "late_frames" in result and (off_real_time(result) > MOST_OFF or result["late_frames"] > 0 or result["host_stall_s"] > LONGEST_STALL_S
                                        or idle(result) > MOST_IDLE * Profile.parse(result["profile"]).frame_symbols)


def two(value):
    return " / ".join(value(direction) for direction in DIRECTIONS)


def line(*cells):
    return "| " + " | ".join(map(str, cells)) + " |"


def head(*cells):
    return [line(*cells), "|" + "---|" * len(cells)]


def note(record):
    if not record["stalled"]:
        return ""
    result = record["results"][0]
    return f"**host stalled or too slow** ({record['times']} runs): {factor(result):.2f} of real time, {result['late_frames']} late, " \
           f"longest stall {1e3 * result['host_stall_s']:.0f} ms, {idle(result):.1f} symbols per frame without traffic"


def code(text):
    return f"`./wimax {text}`"


def command_of(record):
    return code(named(record["name"]).commands[0])


def lost(result, direction):
    return max(station[direction]["udp_loss"] for station in result["stations"])


def total(result, direction, key):
    return sum(station[direction][key] for station in result["stations"])


def bench_table(records):
    out = head("command", "entry s", "ping ms", "down TCP / UDP / computed capacity kb/s", "up", "IP symbols per frame, down / up", "lost at 95 %, down / up", "")
    for record in records:
        r = record["results"][0]
        rates = [" / ".join(f"{total(r, direction, key):.0f}" for key in ("tcp_kbps", "udp_kbps", "capacity_kbps")) for direction in DIRECTIONS]
        pings = [station["ping_ms"] for station in r["stations"]]
        gone = sum(p["lost"] for p in pings)
        ping = f"{sum(p['mean'] for p in pings) / len(pings):.1f}" + (f", {gone} lost" if gone else "")
        out.append(line(command_of(record), f"{r['entry_time_s']:.2f}", ping, *rates, two(lambda d, r=r: f"{total(r, d, 'symbols_per_frame'):.1f}"),
                        two(lambda d, r=r: f"{lost(r, d):.2%}"), note(record)))
    return out


def summary(records):
    by_name = {record["name"]: record for record in records}
    r = by_name["bench-rate-6"]["results"][0]
    profile, station = Profile.parse(r["profile"]), r["stations"][0]
    ip = lambda record: two(lambda d: f"{total(record['results'][0], d, 'symbols_per_frame'):.1f}")  # noqa: E731
    out = head("figure", "downlink", "uplink")
    out.append(line("OFDM symbols per frame", *[int(profile.direction_symbols)] * 2))
    out.append(line("of these in data bursts (the rest is preamble, maps, contention, gaps)", *(f"{r['breakdown'][d]['data']:.1f}" for d in DIRECTIONS)))
    out.append(line("of these for IP packets (the rest is MAC headers, padding, tails)", *(f"{station[d]['symbols_per_frame']:.1f}" for d in DIRECTIONS)))
    for name, label in (("sui3", "SUI-3"), ("vehicular-a", "vehicular A"), ("sui5", "SUI-5"), ("sui6", "SUI-6")):
        faded = by_name[f"bench-{name}"]
        out.append(line(f"the same in {label} at 25 dB, QPSK 1/2", *ip(faded).split(" / ")))
    out.append(line("mean round-trip time", f"{station['ping_ms']['mean']:.1f} ms", ""))
    out.append(line("late frames", f"{r['late_frames']} of {r['frames']}", ""))
    stalled = [code(named(record["name"]).commands[0]) for record in records if record["stalled"]]
    return out + (["", "The host stalled or was too slow during " + ", ".join(stalled) + "."] if stalled else [])


def whole(records):
    out = head("command", "factor of real time", "delivered down / up, Mbit/s", "CPU seconds per simulated second", "of these: channel, PHYs, MACs", "")
    for record in records:
        both = record["results"][0]["both_ways"]
        cpu = both["cpu_s_per_s"]
        parts = {kind: sum(seconds for name, seconds in cpu.items() if kind in name) for kind in ("channeld", "phyd", "macd")}
        out.append(line(command_of(record), f"{both['realtime_factor']:.3f}", f"{both['downlink_kbps'] / 1e3:.1f} / {both['uplink_kbps'] / 1e3:.1f}",
                        f"{sum(cpu.values()):.2f}", ", ".join(f"{seconds:.2f}" for seconds in parts.values()), note(record)))
    return out


def lates(records):
    out = head("radios", "all frames", "late", "during host stalls", "other, per 10 000", "no stall near", "late of those", "response times, ms: half / 99 % / 99.9 %")
    for record in records:
        r = record["results"][0]
        times = "; ".join(f"{site} " + " / ".join(f"{answer[key] / 1e3:.1f}" for key in ("p50_us", "p99_us", "p999_us")) for site, answer in r["answers"].items())
        out.append(line(named(record["name"]).label, r["frames"], r["late"], r["late_by_machine"], f"{r['late_by_us_in_10000']:g}", r["calm_frames"], r["calm_late"], times))
    return out


def reached(points):
    found = threshold.crossing(points)
    return f"{found:.2f}" if found is not None else f"not reached: {min(p['per'] for p in points):.3g} at best"


def difference(real, genie):
    """With two standard deviations where there are points enough for them."""
    gap = threshold.gap(real, genie)
    if gap and math.isfinite(gap[1]):
        return f"{gap[0]:+.2f} ± {gap[1]:.2f}"
    ends = [threshold.crossing(side) for side in (real, genie)]
    return "-" if None in ends else f"{ends[0] - ends[1]:+.2f}"


def link(records):
    out = head("channel", "rate", "direction", "SNR, dB", "a receiver that knows the channel, dB", "difference, dB")
    for record in records:
        real, *others = (result["points"] for result in record["results"])
        out.append(line(named(record["name"]).label, RATE_NAMES[real[0]["rate_id"]], real[0]["direction"], reached(real), reached(others[0]) if others else "-",
                        difference(real, *others) if others else "-"))
    return out


def acquisition(records):
    out = head("channel", "SNR: found frames, with the 95 % interval", "false alarms")
    for record in records:
        r = record["results"][0]
        shares = ", ".join(f"{p['snr_db']:g} dB: {p['share']:.1%} ({p['share_low']:.1%} .. {p['share_high']:.1%})" for p in r["points"])
        alarms = r.get("false_alarms") or {}
        out.append(line(named(record["name"]).label, shares or "-", f"{alarms['preambles']} in {alarms['symbols']} symbols" if alarms.get("symbols") else "-"))
    return out


def sim(records):
    return head("command", "stations and virtual time", "times real time, on one core") + [
        line(command_of(record), named(record["name"]).label, f"{r['virtual_s'] / r['wall_s']:.1f}") for record in records for r in record["results"]]


def speed(records):
    return speed_lines(records[0]["results"], "value")


FORMS = {"summary": summary, "bench": bench_table, "whole": whole, "lates": lates, "link": link, "acquisition": acquisition, "speed": speed, "sim": sim}


def origin(records):
    """Commit, machine and day; rows that are of another commit are named."""
    newest = max(records, key=lambda record: record["date"])
    others = {}
    for record in records:
        if (record["commit"], record["machine"]) != (newest["commit"], newest["machine"]):
            others.setdefault(f"commit {record['commit']} on {record['machine']}", []).append(f"`{record['name']}`")
    text = f"Commit {newest['commit']}, {newest['machine']}, {newest['date'][:10]}."
    return text + "".join(f" {where}: {', '.join(names)}." for where, names in others.items())


def text_of(table, records):
    """The table, or None where a row of it has not been measured or has failed."""
    by_name = {record["name"]: record for record in records}
    mine = [by_name[row.name] for row in rows_of(table) if row.name in by_name and not by_name[row.name].get("failed")]
    if len(mine) < len(rows_of(table)):
        return None
    commands = sorted({command for record in mine for command in record["commands"]}) if table == "speed" else []
    intro = [", ".join(code(c) for c in commands) + "."] if commands else []
    return "\n".join([" ".join([*intro, origin(mine)]), "", *FORMS[table](mine)])
