# SPDX-License-Identifier: GPL-3.0-or-later
"""Analysis of a TCP transfer by tcpdump at both ends: retransmissions, round trips, segments in flight, arrival of packets and
acknowledgments by frames.

tcpdump uses the calendar clock; a Capture stores its offset from the monotonic one, which stream.Watch converts to
simulated time.
"""
import bisect
import collections
from dataclasses import dataclass
import signal
import statistics
import subprocess
import time
from typing import NamedTuple

import dpkt

from wimax_tools.bench import traffic
from wimax_tools.bench.figure import mean_figure, share_figure
from wimax_tools.bench.stack import StackError

SNAP_OCTETS = 96        # headers and options
BUFFER_KIB = 8192       # of the kernel's, so that it drops nothing
END_S = 10              # for the last packets to be written
SEQUENCE = 1 << 32
BACK_TO_BACK_MS = 1.0   # at most, between packets of one frame
BATCHES = 20            # of consecutive samples; longer than what correlates


class Segment(NamedTuple):
    at_s: float   # of the monotonic clock
    begin: int    # first octet of the data, in the stream of its direction
    octets: int
    ack: int      # what the other direction has brought


@dataclass(frozen=True)
class Transfer:
    """The connection of a capture with most data."""
    data: list
    acks: list    # without data, other direction


class Capture:
    """tcpdump on an interface in a namespace; a context."""

    def __init__(self, netns, interface, path):
        self.path = str(path)
        self._command = traffic.in_namespace(netns, "tcpdump", "-i", interface, "-n", "-s", SNAP_OCTETS, "-B", BUFFER_KIB, "-w", self.path,
                                             "-Z", "root", "--time-stamp-precision=nano", "ip and tcp")
        self.offset_s = self._process = None

    def __enter__(self):
        self.offset_s = calendar_less_monotonic_s()
        self._process = subprocess.Popen(self._command, stderr=subprocess.PIPE, text=True)
        words = []
        while "listening on" not in (line := self._process.stderr.readline()):
            words.append(line.strip())
            if not line:
                self._process.communicate()
                raise StackError(f"tcpdump does not start: {' '.join(words)}")
        return self

    def __exit__(self, *_):
        self._process.send_signal(signal.SIGINT)  # it writes what it has
        try:
            said = self._process.communicate(timeout=END_S)[1]
        except subprocess.TimeoutExpired:
            self._process.kill()
            said = self._process.communicate()[1]
        if self._process.returncode != 0 or dropped(said):
            raise StackError(f"tcpdump: {' '.join(said.split()) or 'stopped'}")

    def transfer(self):
        return read(self.path, self.offset_s)


def calendar_less_monotonic_s():
    before = time.monotonic()
    calendar = time.time()
    return calendar - (before + time.monotonic()) / 2


def dropped(said):
    """Number of packets that the kernel did not pass to tcpdump, as tcpdump reports it."""
    return sum(int(line.split()[0]) for line in said.splitlines() if "dropped by" in line)


def read(path, offset_s):
    with open(path, "rb") as file:
        reader = dpkt.pcap.Reader(file)
        packets = [(float(at) - offset_s, dpkt.ip.IP(octets)) for at, octets in reader]
    carried = collections.Counter()
    for _, ip in packets:
        carried[(ip.src, ip.data.sport, ip.dst, ip.data.dport)] += payload(ip)
    if not carried or not carried.most_common(1)[0][1]:
        raise StackError(f"{path} has no TCP transfer")
    source, sport, sink, dport = carried.most_common(1)[0][0]
    ways = {(source, sport, sink, dport): [], (sink, dport, source, sport): []}
    for at, ip in packets:
        way = ways.get((ip.src, ip.data.sport, ip.dst, ip.data.dport))
        if way is not None:
            way.append((at, ip.data, payload(ip)))
    return of_ways(*ways.values())


def of_ways(out, back):
    """Sequence numbers count from the first one, across the wrap of 32 bits. Resets after the
    connection's end acknowledge nothing."""
    back = [one for one in back if one[1].flags & dpkt.tcp.TH_ACK]
    begin = unwrapped([tcp.seq for _, tcp, _ in out])
    acked = unwrapped([tcp.ack for _, tcp, _ in back], out[0][1].seq)
    return Transfer([Segment(at, seq, octets, 0) for (at, _, octets), seq in zip(out, begin) if octets],
                    [Segment(at, 0, 0, ack) for (at, _, octets), ack in zip(back, acked) if not octets])


def payload(ip):
    """From the headers: the capture has truncated the payload."""
    return ip.len - 4 * ip.hl - 4 * ip.data.off


def unwrapped(numbers, first=None):
    """Numbers relative to the first, each the nearest to its predecessor."""
    found, last = [], 0
    start = numbers[0] if first is None and numbers else first
    for number in numbers:
        step = (number - start - last) % SEQUENCE
        last += step - SEQUENCE if step >= SEQUENCE // 2 else step
        found.append(last)
    return found


def between(transfer, begin_s, end_s, time_of):
    """Part of the transfer; `time_of` converts the times of its segments."""
    return Transfer(*([segment._replace(at_s=time_of(segment.at_s)) for segment in one if begin_s <= segment.at_s < end_s]
                      for one in (transfer.data, transfer.acks)))


def sent_again(data):
    """Retransmitted packets and octets."""
    packets = octets = top = 0
    for segment in data:
        end = segment.begin + segment.octets
        if segment.begin < top:
            packets, octets = packets + 1, octets + min(end, top) - segment.begin
        top = max(top, end)
    return packets, octets


def round_trips(transfer):
    """(sent, acknowledged) in s of the last segment of each acknowledgment, only if it was sent once."""
    first, again = {}, set()
    for segment in transfer.data:
        end = segment.begin + segment.octets
        again.update([end] if end in first else [])
        first.setdefault(end, segment.at_s)
    ends, trips, done = sorted(first), [], 0
    for ack in transfer.acks:
        if ack.ack > done:
            last = bisect.bisect_right(ends, ack.ack) - 1
            if last >= 0 and ends[last] > done and ends[last] not in again and first[ends[last]] <= ack.at_s:
                trips.append((first[ends[last]], ack.at_s))
            done = ack.ack
    return trips


def in_flight(transfer):
    """Octets in flight at each sent segment, including it; from the first acknowledgment on."""
    acks = iter(transfer.acks)
    coming, acked, top, found = next(acks, None), None, 0, []
    for segment in transfer.data:
        while coming and coming.at_s <= segment.at_s:
            acked, coming = max(acked or 0, coming.ack), next(acks, None)
        top = max(top, segment.begin + segment.octets)
        if acked is not None:
            found.append(top - acked)
    return found


def by_frames(simulated_s, frame_s):
    """Number of arrivals in each frame from the first to the last. Frames are divided far from the usual place of arrivals."""
    if not simulated_s:
        return []
    cut = quietest(simulated_s, frame_s)
    counts = collections.Counter(int((at - cut) // frame_s) for at in simulated_s)
    return [counts.get(frame, 0) for frame in range(min(counts), max(counts) + 1)]


def quietest(simulated_s, frame_s):
    """The middle of the longest part of a frame in which almost no packet arrives."""
    parts = 20
    counts = collections.Counter(int(parts * (at % frame_s) / frame_s) % parts for at in simulated_s)
    around = [sum(counts[(i + j) % parts] * (3 - abs(j)) for j in (-2, -1, 0, 1, 2)) for i in range(parts)]
    return (around.index(min(around)) + 0.5) * frame_s / parts


def shares(counts, up_to):
    """Share of frames by their number of packets."""
    return {f"{n}": share_figure(sum(count == n for count in counts), len(counts)) for n in range(up_to + 1)}


def batched_mean(values, digits=2):
    """Mean of a correlated series, with bounds."""
    size = max(1, len(values) // BATCHES)
    return mean_figure([statistics.fmean(values[i:i + size]) for i in range(0, len(values) - size + 1, size)], digits)


def gaps(simulated_s, frame_s):
    """Shares of gaps between packets within a frame's burst, and of one frame."""
    steps = [1e3 * (later - sooner) for sooner, later in zip(simulated_s, simulated_s[1:])]
    frame_ms = 1e3 * frame_s
    return {"back_to_back": share_figure(sum(ms <= BACK_TO_BACK_MS for ms in steps), len(steps)),
            "one_frame": share_figure(sum(abs(ms - frame_ms) <= frame_ms / 4 for ms in steps), len(steps))}


def modes(ms, width):
    """The most frequent values in falling order: middles of histogram bins with at least a tenth of all and more than their neighbours."""
    counts = collections.Counter(round(value / width) for value in ms)
    tops = [n for n, count in counts.items() if count >= len(ms) / 10 and count > counts[n - 1] and count >= counts[n + 1]]
    return [n * width for n in sorted(tops, key=lambda n: -counts[n])]
