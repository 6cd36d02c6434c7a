# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench with --matrix: models of radios at both ends of 60 dB of cable, at 64-QAM 3/4, against ideal radios there.

Of each pair and bandwidth, in commit mode at the speed of the host: entry and ping; no packet lost at 95 % of the limit both ways; as
many symbols as ideal radios at 120 %; over SUI-2 no more loss than ideal radios with the same seed. A mixed pair enters with clock errors
and wrong power references. With --mode rt only the effect of real time: loss at 95 %. It is measured again if the machine stalled,
because that is not due to the radios.
"""
import os
import statistics
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

from wimax_tools.bench import cable, traffic
from wimax_tools.bench.lates import StallProbe
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import RX_FULL_SCALE_DBM, Stack, StackError

MODELS = ("b210", "n210-sbx", "x310-ubx", "n310")
IDEAL = "ideal"
MIXED = ("x310-ubx", "b210")
BANDWIDTHS_MHZ = (3.5, 5, 7, 10)
RT_BANDWIDTHS_MHZ = (3.5, 5)
RATE_ID = 6
NEAR_LIMIT, OVERLOAD = 0.95, 1.2
BEGIN_S, STEADY_S, QUIET_S, FULL_S, SETTLED_S = 1.5, 2.0, 0.7, 2.0, 0.3  # of traffic, in simulated time
RT_BEGIN_S, RT_S = 6.0, 10.0  # no channel holds time until all have opened their radios, so entry takes longer
SPOILING_STALL_S = 2e-3  # time that the channel waits for radios
MOST_TIMES = 4           # that a cell is measured in real time
PROBES = 20
STILL_S = 60             # of the wall clock, without simulated time passing
SYMBOLS_SHARE, SUI2_LOSS, RT_LOSS, ENTRY_S = 0.03, 1e-3, 1e-3, 3.0
CLOCK_PPM, WRONG_DB = 2.5, 20
DIRECTIONS = ("downlink", "uplink")


@dataclass
class Result:
    """Figures by direction where there are two."""
    bs: str
    ss: str
    bandwidth_mhz: float
    wrong_db: float = 0                            # references of the subscriber's radio
    rate_hz: float = 0
    entry_s: float = 0
    ping_ms: float | None = None                   # none: not asked for, or nothing came back
    pings_lost: int = 0
    lost: dict = field(default_factory=dict)       # packets at 95 % of the limit
    loss: dict = field(default_factory=dict)       # share of them
    symbols: dict = field(default_factory=dict)    # of IP per frame
    sui2_loss: dict = field(default_factory=dict)
    late: int = 0                                  # frames, and bursts in the radios
    lost_chunks: int = 0                           # between radios and channel, in real time
    clipped: int = 0
    stalls: int = 0                                # of the machine, in real time
    longest_stall_s: float = 0
    times: int = 1                                 # that it was measured
    faults: list = field(default_factory=list)

    @property
    def name(self):
        wrong = f", references {self.wrong_db:+g} dB" if self.wrong_db else ""
        return f"{self.bs}{'' if self.bs == self.ss else ' to ' + self.ss}, {self.bandwidth_mhz:g} MHz{wrong}"


def profile_of(bandwidth_mhz):
    return Profile.parse(f"{bandwidth_mhz:g}MHz-10ms")


def stream(source, destination, kbps, begin_s, seconds):
    period_s = 8 * traffic.PACKET / (1e3 * kbps)
    return {"start_s": begin_s, "period_s": period_s, "count": int(seconds / period_s), "size_bytes": traffic.PACKET, "source": source,
            "destination": destination}


def both_ways(limits_kbps, phases):
    """`phases`: (share of the limit, begin, seconds). Scripted packets by site."""
    ends = {"downlink": ("bs", "10.16.0.1", "10.16.0.2"), "uplink": ("ss1", "10.16.0.2", "10.16.0.1")}
    return {site: [stream(source, sink, share * limits_kbps[direction], begin, seconds) for share, begin, seconds in phases]
            for direction, (site, source, sink) in ends.items()}


class Cell:
    """One pair of models at one bandwidth. `radios` and `phyd_extra`: as the stack's configuration has them."""

    def __init__(self, bs, ss, bandwidth_mhz, seed=1):
        self.result = Result(bs, ss, bandwidth_mhz)
        self.profile, self.seed, self.radios, self.phyd_extra = profile_of(bandwidth_mhz), seed, [], None
        self.cable = cable.plan(Path(os.environ["WIMAX_BUILD_DIR"], "bin"), (bs, ss), self.profile)
        self.result.rate_hz = self.cable.rate_hz
        self.limits = None

    def run(self, work, **options):
        """`work` of a stack that has been started; that has ended afterwards."""
        stack = Stack(self.profile, cable=self.cable, seed=self.seed, phyd_extra=self.phyd_extra,
                      **{"mode": "free", "channel_extra": {"radios": self.radios, "time": {"hold": True}}, **options})
        try:
            stack.start()
            work(stack)
        except StackError as error:
            self.result.faults.append(str(error).splitlines()[0])
        finally:
            stack.stop()

    def enter(self, ping=True):
        def work(stack):
            self.result.entry_s = round(stack.wait_for_entry(), 2)
            self.limits = stack.capacity_kbps()
            if not ping:
                return
            begin = stack.clock()
            found = traffic.ping(stack.bs_netns, stack.ss_address(0), PROBES, self.profile.frame_s)
            factor = stack.clock().factor_since(begin)
            self.result.pings_lost = found["lost"]
            self.result.ping_ms = round(1e3 * statistics.mean(found["rtt_s"]) * factor, 1) if found["rtt_s"] else None
        self.run(work, tun=ping)

    def steady_and_full(self):
        """95 % of the limit, then 120 %."""
        full_s = BEGIN_S + STEADY_S + QUIET_S

        def work(stack):
            wait(stack, full_s - 0.3 * QUIET_S)
            self.result.lost, self.result.loss = lost(stack)
            wait(stack, full_s + SETTLED_S)
            looks = {d: [] for d in DIRECTIONS}
            while stack.clock().simulated_s < full_s + FULL_S:
                for d in DIRECTIONS:
                    looks[d] += stack.delivered(d)
                time.sleep(0.02)
            for d in DIRECTIONS:
                bps = 8 * statistics.linear_regression([at.simulated_s for at in looks[d]], [at.octets for at in looks[d]]).slope
                self.result.symbols[d] = round(bps * self.profile.frame_s / self.profile.bits_per_symbol(RATE_ID), 2)
            self.count(stack)
        self.run(work, tun=False, traffic=both_ways(self.limits, [(NEAR_LIMIT, BEGIN_S, STEADY_S), (OVERLOAD, full_s, FULL_S + 1)]))

    def sui2(self):
        def work(stack):
            wait(stack, BEGIN_S + STEADY_S + QUIET_S)
            _, self.result.sui2_loss = lost(stack)
        self.run(work, tun=False, channel="sui2", traffic=both_ways(self.limits, [(NEAR_LIMIT, BEGIN_S, STEADY_S)]))

    def real_time(self):
        streams = both_ways(self.limits, [(NEAR_LIMIT, RT_BEGIN_S, RT_S)])

        def work(stack):
            self.result.entry_s = round(stack.wait_for_entry(), 2)
            probe = StallProbe()
            probe.start()
            wait_until(stack, lambda: all(stack.answer(f"{site}.macd")["traffic"]["made"] >= sum(s["count"] for s in own)
                                          for site, own in streams.items()))
            wait(stack, stack.answer("channeld")["time_s"] + QUIET_S)
            self.result.lost, self.result.loss = lost(stack)
            self.stalled(probe.stop())
            self.count(stack)
        self.run(work, mode="rt", tun=False, channel_extra={"radios": self.radios}, traffic=streams)

    def stalled(self, stalls):
        self.result.stalls, self.result.longest_stall_s = len(stalls), max((stall.length_s for stall in stalls), default=0)

    def count(self, stack):
        radios = stack.answer("channeld")["radios"]
        for site in stack.sites:
            phy = stack.answer(f"{site}.phyd")
            self.result.late += phy["late"] + phy["radio"]["late"]
            self.result.clipped += phy["radio"]["clipped_samples"]
            self.result.lost_chunks += radios[site]["lost_rx_chunks"] + radios[site]["lost_tx_chunks"]


def wait(stack, simulated_s):
    """Until this moment of simulated time."""
    wait_until(stack, lambda: time_of(stack) >= simulated_s)


def time_of(stack):
    return (stack.status("channeld") or {"time_s": 0})["time_s"]


def wait_until(stack, reached):
    moved, last = time.monotonic(), None
    while not reached():
        stack.check_alive()
        now = time_of(stack)
        if now != last:
            moved, last = time.monotonic(), now
        if time.monotonic() - moved > STILL_S:
            raise StackError(f"simulated time has stopped at {now:g} s")
        time.sleep(0.02)


def lost(stack):
    """Packets that have not arrived, and their share, by direction of what was made."""
    figures = {site: stack.answer(f"{site}.macd")["traffic"] for site in ("bs", "ss1")}
    ways = {"downlink": ("bs", "ss1"), "uplink": ("ss1", "bs")}
    missing = {d: figures[source]["made"] - figures[sink]["received"] for d, (source, sink) in ways.items()}
    return missing, {d: round(missing[d] / max(1, figures[source]["made"]), 6) for d, (source, _) in ways.items()}


def measured(bs, ss, bandwidth_mhz, seed=1):
    cell = Cell(bs, ss, bandwidth_mhz, seed)
    for step in (cell.enter, cell.steady_and_full, cell.sui2):
        if not cell.result.faults:
            step()
    return cell.result


def in_real_time(bs, ss, bandwidth_mhz, seed=1):
    for times in range(1, MOST_TIMES + 1):
        cell = Cell(bs, ss, bandwidth_mhz, seed)
        cell.result.times = times
        cell.enter(ping=False)
        if not cell.result.faults:
            cell.real_time()
        if worst_loss(cell.result) <= RT_LOSS or cell.result.longest_stall_s < SPOILING_STALL_S:
            break
    return cell.result


def with_wrong_references(bs, ss, bandwidth_mhz, wrong_db, seed=1):
    """Clocks apart by twice 2.5 ppm; the subscriber thinks that it sends and hears so much more than it does."""
    cell = Cell(bs, ss, bandwidth_mhz, seed)
    cell.radios = [{"name": name, "clock_ppm": ppm, "carrier_ppm": ppm} for name, ppm in (("bs", CLOCK_PPM), ("ss1", -CLOCK_PPM))]
    cell.phyd_extra = {"ss1": {"radio": {"tx_full_scale_dbm": cable.SENT_DBM + cable.HEADROOM_DB + wrong_db,
                                         "rx_full_scale_dbm": RX_FULL_SCALE_DBM - cell.cable.ss.rx_gain_db + wrong_db}}}
    cell.enter()
    cell.result.wrong_db = wrong_db
    return cell.result


def judge(result, ideal):
    """Adds what does not hold."""
    def check(holds, text):
        if not holds:
            result.faults.append(text)

    check(result.entry_s <= ENTRY_S, f"entry after {result.entry_s:g} s")
    check(result.pings_lost == 0, f"{result.pings_lost} of {PROBES} pings lost")
    check(not any(result.lost.values()), f"lost at 95 %: {result.lost}")
    check(result.late == 0, f"{result.late} late")
    check(result.clipped == 0, f"{result.clipped} samples clipped")
    for d in DIRECTIONS:
        if result.faults:
            return
        share = result.symbols[d] / ideal.symbols[d]
        check(share > 1 - SYMBOLS_SHARE, f"{d}: {share:.1%} of the ideal radio's symbols")
        more = result.sui2_loss[d] - ideal.sui2_loss[d]
        check(more <= SUI2_LOSS, f"{d} over SUI-2: {more:.2%} more loss than with ideal radios")


def worst_loss(result):
    return max(result.loss.values(), default=0)


def judge_real_time(result):
    if worst_loss(result) > RT_LOSS:
        result.faults.append(f"{worst_loss(result):.2%} lost, {result.late} late, {result.lost_chunks} chunks of samples lost on this host, which stood still "
                             f"{result.stalls} times, {1e3 * result.longest_stall_s:.1f} ms at most")


def judge_entry(result):
    if result.entry_s > ENTRY_S:
        result.faults.append(f"entry after {result.entry_s:g} s")
    if result.pings_lost:
        result.faults.append(f"{result.pings_lost} of {PROBES} pings lost")


def row(result):
    again = f", measured {result.times} times" if result.times > 1 else ""
    ping = "" if result.ping_ms is None else f"{result.ping_ms:g}"
    two = lambda figures, text: " / ".join(text.format(figures[d]) for d in DIRECTIONS if d in figures)  # noqa: E731
    return (f"| {result.name} | {result.rate_hz / 1e6:g} | {result.entry_s:.2f} | {ping} | {two(result.symbols, '{:.1f}')} "
            f"| {two(result.loss, '{:.2%}')} | {two(result.sui2_loss, '{:.2%}')} | {'; '.join(result.faults) or 'holds'}{again} |")


HEAD = ("| radios | MS/s | entry s | ping ms | IP symbols per frame, down / up | lost at 95 % | over SUI-2 | |\n"
        "|---|---|---|---|---|---|---|---|")


def work(args):
    """(description, measurement, judgement) of each cell in turn; judgements know the results of earlier cells."""
    pairs = [args.personality] if args.personality else [(model, model) for model in MODELS]
    if args.mode == "rt":
        for bandwidth in RT_BANDWIDTHS_MHZ:
            for pair in [(IDEAL, IDEAL), *pairs]:  # what the host does to any radio
                yield (*pair, bandwidth), in_real_time, lambda result, before: judge_real_time(result)
        return
    for bandwidth in BANDWIDTHS_MHZ:
        yield (IDEAL, IDEAL, bandwidth), measured, lambda result, before: None
        for pair in pairs:
            yield (*pair, bandwidth), measured, lambda result, before, b=bandwidth: judge(result, ideal_at(before, b))
    for bandwidth in () if args.personality else BANDWIDTHS_MHZ:
        for wrong_db in (WRONG_DB, -WRONG_DB):
            yield (*MIXED, bandwidth, wrong_db), with_wrong_references, lambda result, before: judge_entry(result)


def ideal_at(results, bandwidth_mhz):
    return next(r for r in results if (r.bs, r.ss, r.bandwidth_mhz) == (IDEAL, IDEAL, bandwidth_mhz))


def run(args, out, progress):
    """All cells, printed as they come."""
    print(HEAD, file=out, flush=True)
    results = []
    for given, measure, judged in work(args):
        progress(" ".join(map(str, given)))
        result = measure(*given, seed=args.seed)
        if not result.faults:
            judged(result, results)
        results.append(result)
        print(row(result), file=out, flush=True)
    return [asdict(r) for r in results]
