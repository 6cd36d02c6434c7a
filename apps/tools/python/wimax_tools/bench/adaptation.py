# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench with --adaptation: rate adaptation against fixed rates at given mean SNRs, over both PHYs and the virtual radio.

Scripted packets fill the queues of both directions in simulated time. All runs of an SNR have the same fades and noise. Goodput counts
packets delivered. A packet is lost if the MAC accepted it and the other end did not get it. Drops of full queues are not losses, nor are packets
that come while the station has no service flow, or that wait in its queue when it leaves the network.
In white noise without ARQ, a fixed rate counts if it loses at most 0.1 %; elsewhere all count. Fixed rates are measured from those that
adaptation used, up and down, until goodput falls on both sides of the best; a rate that cannot carry the best goodput is left out.
"""
from collections import Counter
from dataclasses import dataclass, replace
import time

from wimax_tools import provenance
from wimax_tools.bench.experiment import merged
from wimax_tools.bench.profiles import BITS_PER_SYMBOL, RATE_NAMES
from wimax_tools.bench.stack import Stack, StackError
from wimax_tools.bench.studies.cells import FOR_EVER, NO_QUEUE_MANAGEMENT, ROBUST_MAPS, own_flows
from wimax_tools.bench.transfers import DIRECTIONS

WHITE_NOISE = "awgn"
BEGIN_S, SETTLED_S = 2.0, 5.0               # of the packets; after that, rates no longer change in white noise
NOISE_S, FADING_S = 20, 60                  # simulated, of one rate
PACKET_OCTETS, OVERLOAD = 1000, 1.2
EMPTY_S, LONGEST_EMPTYING_S = 0.5, 10.0     # without a packet queued or delivered; until then at most
NOISE_SHARE, FADING_SHARE, MOST_LOST = 0.97, 0.98, 1e-3
ENDS = {"downlink": ("bs", "ss1", "dl"), "uplink": ("ss1", "bs", "ul")}
ADDRESSES = {"bs": "10.16.0.1", "ss1": "10.16.0.2"}
LOOK_S, STILL_LOOKS = 0.02, 3000            # wall time between looks; looks without progress of the simulated time
MOST_TRIES = 4                              # of a rate, if daemons do not respond in time on a busy host
QUEUE_DROPS = ("dropped_full", "dropped_codel", "dropped_pool")
HEAD = ("| channel | mean SNR, dB | adapted, kb/s down / up | best fixed rate | share | lost | changes of the rate | |\n"
        "|---|---|---|---|---|---|---|---|")


def seconds_of(channel):
    return NOISE_S if channel == WHITE_NOISE else FADING_S


def ceiling_kbps(profile, rate):
    """That no direction can exceed: the frame or half of it without any overhead."""
    return profile.direction_symbols * BITS_PER_SYMBOL[rate] / profile.frame_s / 1e3


# What is measured

@dataclass(frozen=True)
class Look:
    """One direction so far, in packets."""
    time_s: float
    made: int
    dropped: int    # by the sender, before it accepted them or from its queue
    waiting: int    # there
    received: int
    changes: int    # of the rate
    rate: int | None

    @property
    def lost(self):
        return max(0, self.made - self.dropped - self.waiting - self.received)


def look(statuses, direction):
    source, sink, short = ENDS[direction]
    station = next(iter(statuses["bs"]["station"]["stations"]), {})
    flows = station.get("flows", []) if source == "bs" else statuses[source]["station"]["flows"]
    own = [flow for flow in flows if flow["direction"] == direction]
    dropped = statuses[source]["station"]["drops"]["unclassified"] + sum(flow.get(key, 0) for flow in own for key in QUEUE_DROPS)
    return Look(statuses[sink]["simulated_s"], statuses[source]["traffic"]["made"], dropped,
                sum(flow.get("backlog_packets", 0) for flow in own), statuses[sink]["traffic"]["received"],
                sum(station.get("link", {}).get(f"{short}_{kind}", 0) for kind in ("rises", "falls")), station.get(f"{short}_rate_id"))


class Account:
    """The looks at one direction. The counters of a station that enters again begin at 0, and its queue is empty then."""

    def __init__(self):
        self.looks, self._counters, self._dropped, self._changes = [], None, 0, 0

    def add(self, counters):
        if self._counters and (counters.dropped < self._counters.dropped or counters.changes < self._counters.changes):
            self._dropped, self._changes = max(0, counters.lost - self.looks[-1].lost), self.looks[-1].changes
        self._counters = counters
        self.looks.append(replace(counters, dropped=counters.dropped + self._dropped, changes=counters.changes + self._changes))


def figures(looks, last, begin_s, end_s):
    """Of one direction: goodput between two times, losses until the queue is empty, changes after the first seconds."""
    within = [one for one in looks if begin_s <= one.time_s <= end_s]
    settled = next((one for one in within if one.time_s >= begin_s + SETTLED_S), within[-1])
    seconds = max(1e-3, within[-1].time_s - within[0].time_s)
    accepted = last.made - last.dropped - last.waiting
    return {"kbps": round(8e-3 * PACKET_OCTETS * (within[-1].received - within[0].received) / seconds, 1), "packets": accepted, "lost": last.lost,
            "loss": round(last.lost / max(1, accepted), 6), "changes": within[-1].changes - within[0].changes,
            "changes_settled": max(0, within[-1].changes - settled.changes),
            "rate": Counter(one.rate for one in within if one.rate is not None or one is within[-1]).most_common(1)[0][0] or 0}


def streams(profile, seconds):
    """Scripted packets by site: more than the highest rate carries."""
    period_s = 8e-3 * PACKET_OCTETS / (OVERLOAD * ceiling_kbps(profile, len(RATE_NAMES) - 1))
    return {source: [{"source": ADDRESSES[source], "destination": ADDRESSES[sink], "start_s": BEGIN_S, "period_s": period_s,
                      "count": int(seconds / period_s), "size_bytes": PACKET_OCTETS}] for source, sink, _ in ENDS.values()}


def configuration(channel, arq):
    """By site. In white noise fixed rates keep their own rate of the maps; in fading all have BPSK."""
    with_arq = {"bs": {"bs": {**own_flows({"arq": FOR_EVER}), **NO_QUEUE_MANAGEMENT}}, "ss1": {"ss": NO_QUEUE_MANAGEMENT}}
    return merged(with_arq if arq else {}, {} if channel == WHITE_NOISE else ROBUST_MAPS)


class Watch:
    """Looks at a stack that has been started, until all its packets have been sent and its queues are empty."""

    def __init__(self, stack, seconds):
        self.stack, self.end_s = stack, BEGIN_S + seconds
        self.accounts = {d: Account() for d in DIRECTIONS}
        self._received = {d: (0, BEGIN_S) for d in DIRECTIONS}  # packets, and when the last arrived

    def figures(self):
        """By direction."""
        still, before = 0, None
        while not self._over():
            self.stack.check_alive()
            now = self.take()
            still, before = (still + 1 if now == before else 0), now
            if still > STILL_LOOKS:
                raise StackError(f"simulated time has stopped at {now:g} s")
            time.sleep(LOOK_S)
        return {d: figures(own.looks, own.looks[-1], BEGIN_S, self.end_s) for d, own in self.accounts.items()}

    def take(self):
        """Returns the simulated time."""
        statuses = {site: self.stack.status(f"{site}.macd") for site in ADDRESSES}
        if None in statuses.values():
            return 0.0
        if any(status["phy_starts"] > 1 for status in statuses.values()):
            raise StackError("a MAC has lost its PHY")
        for d, own in self.accounts.items():
            own.add(look(statuses, d))
            if own.looks[-1].received != self._received[d][0]:
                self._received[d] = own.looks[-1].received, own.looks[-1].time_s
        return min(own.looks[-1].time_s for own in self.accounts.values())

    def _over(self):
        last = [(own.looks[-1], self._received[d][1]) for d, own in self.accounts.items() if own.looks]
        now = min((one.time_s for one, _ in last), default=0.0)
        empty = all(one.waiting == 0 and one.time_s - arrived_s >= EMPTY_S for one, arrived_s in last)
        return now > self.end_s + LONGEST_EMPTYING_S or now > self.end_s + EMPTY_S and empty


def measure(args, snr_db, rate):
    """At a fixed rate, or adapted (None)."""
    adapted = rate is None
    rate = len(RATE_NAMES) - 1 if adapted else rate
    stack = Stack(args.profile, channel=args.channel, snr_db=snr_db, dl_rate=rate, ul_rate=rate, dl_auto=adapted, ul_auto=adapted, mode="free",
                  seed=args.seed, tun=False, traffic=streams(args.profile, args.duration), channel_extra={"time": {"hold": True}},
                  macd_extra=configuration(args.channel, args.arq))
    try:
        stack.start()
        return {"commit": provenance.commit(), **Watch(stack, args.duration).figures()}
    finally:
        stack.stop()


def tried(args, progress, snr_db, rate):
    """The same; again if the stack fails, since a host can stop all its programs for a while."""
    for again in reversed(range(MOST_TRIES)):
        try:
            return measure(args, snr_db, rate)
        except StackError as error:
            progress(f"{error}{'; measured again' if again else ''}")
            if not again:
                raise


# What is made of it

def counted_kbps(result, channel, arq):
    """Goodput of a fixed rate; 0 if it loses too much to count."""
    return result["kbps"] if arq or channel != WHITE_NOISE or result["loss"] <= MOST_LOST else 0.0


def next_rate(kbps, ceilings):
    """Fixed rate to measure next, a neighbour of the best; None if none can be better. `kbps`: by rate."""
    best = max(kbps, key=lambda rate: (kbps[rate], -rate))
    return next((rate for rate in (best - 1, best + 1) if 0 <= rate < len(ceilings) and rate not in kbps and ceilings[rate] > kbps[best]), None)


def fixed(measure_rate, first, counted, ceilings):
    """Results by rate. `first`: rates to begin with; `counted`: goodput that counts of the result of one direction."""
    results, wanted = {}, set(first)
    while wanted:
        results.update({rate: measure_rate(rate) for rate in sorted(wanted)})
        wanted = {next_rate({rate: counted(result[d]) for rate, result in results.items()}, ceilings) for d in DIRECTIONS} - {None}
    return results


def compare(adapted, results, channel, arq):
    """One direction: the best fixed rate and the share of it, both None if no rate counts, and the goals that are missed."""
    kbps = {rate: counted_kbps(result, channel, arq) for rate, result in results.items()}
    best = max(kbps, key=lambda rate: (kbps[rate], -rate))
    if kbps[best] == 0:
        return {"best": None, "best_kbps": None, "share": None, "faults": []}
    share, least = round(adapted["kbps"] / kbps[best], 4), NOISE_SHARE if channel == WHITE_NOISE else FADING_SHARE
    faults = [f"share {share:.3f}, goal {least:g}"] if share < least else []
    if arq and adapted["lost"]:
        faults.append(f"{adapted['lost']} packets lost with ARQ")
    if not arq and channel == WHITE_NOISE and adapted["loss"] > MOST_LOST:
        faults.append(f"{adapted['loss']:.3%} lost, goal {MOST_LOST:.1%}")
    if channel == WHITE_NOISE and adapted["changes_settled"]:
        faults.append(f"{adapted['changes_settled']} changes of the rate after {SETTLED_S:g} s")
    return {"best": best, "best_kbps": kbps[best], "share": share, "faults": faults}


def at_snr(args, kept, progress, snr_db):
    def measure_rate(rate):
        key = kept.key(__name__, "measure", configuration(args.channel, args.arq), {"at_db": snr_db, "rate": rate}, args)
        result = kept.read(key)
        if result is None:
            progress(f"{args.channel}, {snr_db:g} dB, {'ARQ, ' if args.arq else ''}{'adapted' if rate is None else RATE_NAMES[rate]}")
            result = tried(args, progress, snr_db, rate)
            kept.write(key, result)
        return result

    adapted = measure_rate(None)
    results = fixed(measure_rate, [adapted[d]["rate"] for d in DIRECTIONS], lambda result: counted_kbps(result, args.channel, args.arq),
                    [ceiling_kbps(args.profile, rate) for rate in range(len(RATE_NAMES))])
    return {"channel": args.channel, "snr_db": snr_db, "arq": args.arq, "adapted": adapted, "fixed": {RATE_NAMES[rate]: results[rate] for rate in sorted(results)},
            **{d: compare(adapted[d], {rate: result[d] for rate, result in results.items()}, args.channel, args.arq) for d in DIRECTIONS}}


def faults(point):
    return [f"{d}: {fault}" for d in DIRECTIONS for fault in point[d]["faults"]]


def verdict(point):
    if missed := faults(point):
        return "; ".join(missed)
    return "holds" if all(point[d]["share"] is not None for d in DIRECTIONS) else "no fixed rate counts"


def row(point):
    def two(text):
        return " / ".join(text(point["adapted"][d], point[d]) for d in DIRECTIONS)

    best = two(lambda _, found: "none" if found["best"] is None else f"{found['best_kbps']:.0f} ({RATE_NAMES[found['best']]})")
    share = two(lambda _, found: "-" if found["share"] is None else f"{found['share']:.3f}")
    kbps, loss, changes = (two(lambda own, _, key=key, form=form: format(own[key], form)) for key, form in (("kbps", ".0f"), ("loss", ".3%"), ("changes", "d")))
    return (f"| {point['channel']}{', ARQ' if point['arq'] else ''} | {point['snr_db']:g} | {kbps} | {best} | {share} | {loss} | {changes} "
            f"| {verdict(point)} |")


def run(args, kept, out, progress):
    """All SNRs, printed as they come."""
    print(HEAD, file=out, flush=True)
    points = []
    for snr_db in args.adaptation:
        points.append(at_snr(args, kept, progress, snr_db))
        print(row(points[-1]), file=out, flush=True)
    return points
