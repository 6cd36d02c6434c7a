# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench's table: goodput against the computed capacity, and the use of the other symbols."""
import time

from wimax_tools.bench.profiles import BITS_PER_SYMBOL, RATE_NAMES
from wimax_tools.command_line import coloured


def table(result, out):
    phy = result["phy"]
    say = lambda text="": print(text, file=out)  # noqa: E731
    say(f"{result['profile']}, {_path(phy)}, downlink {_up_to(phy, 'dl')}{RATE_NAMES[phy['dl_rate_id']]}, "
        f"uplink {_up_to(phy, 'ul')}{RATE_NAMES[phy['ul_rate_id']]}")
    say(f"entry {result['entry_time_s']:.2f} s, real-time factor {result['realtime_factor']:.3f}, "
        f"{result['frames']} frames, {result['late_frames']} late "
        f"({1e4 * result['late_frames'] / max(1, result['frames']):.1f} in 10 000), longest host stall {1e3 * result['host_stall_s']:.0f} ms, "
        f"stolen {result['host_stolen_share']:.0%}")
    for name in result.get("inexact", ()):
        say(f"inexact, since the simulation's speed changed in all tries: {name}")
    say()
    say("station              ping ms: min / mean / p50 / p99 / lost")
    for s in result["stations"]:
        p = s["ping_ms"]
        say(f"{s['mac']:<18} {p['min']:12.1f} {p['mean']:6.1f} {p['p50']:6.1f} {p['p99']:6.1f} {p['lost']:5d}")
    say()
    say("                   direction   TCP kb/s  UDP kb/s  capacity kb/s  UDP/capacity  TCP/UDP  loss at 95 %  symbols per frame")
    for s in result["stations"]:
        for direction in ("downlink", "uplink"):
            d = s[direction]
            say(f"{s['mac']:<18} {direction:<9} {d['tcp_kbps']:10.0f} {d['udp_kbps']:9.0f} {d['capacity_kbps']:14.0f} "
                f"{d['udp_kbps'] / max(1, d['capacity_kbps']):12.1%} {d['tcp_kbps'] / max(1, d['udp_kbps']):8.1%} "
                f"{d['udp_loss']:12.4%} {d['symbols_per_frame']:12.1f}")
    _cell(result, say)
    _both_ways(result, say)
    _cores(result, say)
    _usage(result, say)


def _path(phy):
    if "personalities" not in phy:
        return f"{phy['channel']} at {phy['snr_db']:g} dB"
    models = phy["personalities"]
    return f"{models['bs']} to {models['ss']} at {phy['channel_rate_hz'] / 1e6:g} MS/s, {phy['channel']} and {phy['path_loss_db']:g} dB"


def _both_ways(result, say):
    both = result.get("both_ways")
    if not both:
        return
    say()
    say(f"both directions at once, UDP: down {both['downlink_kbps']:.0f} kb/s, up {both['uplink_kbps']:.0f} kb/s, "
        f"real-time factor {both['realtime_factor']:.3f}")
    shares = ", ".join(f"{daemon} {seconds:.2f}" for daemon, seconds in both["cpu_s_per_s"].items())
    say(f"CPU seconds per simulated second: {sum(both['cpu_s_per_s'].values()):.2f} ({shares})")


def _cores(result, say):
    if "cores" not in result:
        return
    say()
    say("cores in the radios: preambles / symbols per frame / gate: bursts, late, kept back, underflows")
    for site, c in result["cores"].items():
        gate = c["gate"]
        say(f"{site:<18} {c['preambles']:9d} {c['symbols'] / max(1, c['frames']):7.1f} {gate['bursts']:9d} {gate['late']:5d} "
            f"{gate['too_long'] + gate['too_often'] + gate['silenced']:5d} {gate['underflows']:5d}")


def _cell(result, say):
    if len(result["stations"]) < 2:
        return
    for direction in ("downlink", "uplink"):
        rates = [s[direction]["udp_kbps"] for s in result["stations"]]
        jain = sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates)) if any(rates) else 0
        symbols = sum(s[direction]["symbols_per_frame"] for s in result["stations"])
        say(f"cell               {direction:<9} {'':10} {sum(rates):9.0f} {'':50} {symbols:12.1f}   Jain index {jain:.4f}")


def _up_to(phy, direction):
    """Symbols of such a direction are counted as if all of them were in its highest rate."""
    return "auto, up to " if phy.get(f"{direction}_rate_auto") else ""


def breakdown(usage):
    """Symbols per frame by purpose, for each direction, while UDP was offered at 120 %."""
    return {direction: {purpose: round(count / spent["frames"], 3) for purpose, count in spent.items() if count and purpose != "frames"}
            for direction, spent in usage.items() if spent.get("frames")}


def _usage(result, say):
    for direction, parts in result["breakdown"].items():
        rate_id = result["phy"]["dl_rate_id" if direction == "downlink" else "ul_rate_id"]
        carried = sum(s[direction]["symbols_per_frame"] for s in result["stations"])
        data = parts.get("data", 0)
        say()
        say(f"{direction}: where the symbols of a frame go (UDP at 120 %)")
        for purpose, count in sorted(parts.items(), key=lambda item: -item[1]):
            if purpose != "data":
                say(f"  {count:7.2f}  {purpose}")
        say(f"  {data:7.2f}  data bursts, of which {carried:.2f} IP octets and {data - carried:.2f} MAC headers, padding, "
            f"tails, errors ({BITS_PER_SYMBOL[rate_id]} bits per symbol)")


class Progress:
    """A line for each run of several, with how many there are and about how long the rest takes."""

    def __init__(self, total, out, clock=time.monotonic):
        self.total, self.out, self.clock = total, out, clock
        self.done, self.begin = 0, clock()

    def __call__(self, text):
        left = f", about {(self.clock() - self.begin) / self.done * (self.total - self.done) / 60:.0f} min left" if self.done else ""
        self.done += 1
        print(f"[{self.done}/{self.total}{left}] {text}", file=self.out, flush=True)


def goals(title, result, page, out):
    """Whether an experiment's goals are met, and where its figures are."""
    print(f"{result['experiment']}: {title}", file=out)
    for goal in result["goals"]:
        word = coloured("met   ", "green", out) if goal["met"] else coloured("MISSED", "red", out)
        print(f"  {word} {goal['what']}: {goal['measured']} (goal {goal['goal']})", file=out)
    print(f"  figures and pictures: {page}", file=out)
