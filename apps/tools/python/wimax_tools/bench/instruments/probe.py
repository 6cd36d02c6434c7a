# SPDX-License-Identifier: GPL-3.0-or-later
"""Probes of study A: small UDP packets to an echo server, one after the other, each with its times of sending, at the server and of
return. It also describes the distribution of delays.

Both ends record the machine's monotonic clock, which all its namespaces share; stream.Watch converts it to simulated time.
"""
import bisect
import json
import random
import select
import socket
import statistics
import sys
import time

from wimax_tools.bench import traffic
from wimax_tools.bench.figure import mean_figure, share_figure
from wimax_tools.bench.instruments.stream import HEADERS, NUMBER, Programs

LEGS = ("outgoing", "return", "round_trip")
AROUND_MODE_MS = 1.0


class Probes(Programs):
    """`count` IP packets of `octets`, whose gaps are uniform in `gaps_s` of the wall clock; start(), then result()."""

    def __init__(self, route, port, octets, gaps_s, count, seed):
        source, sink, address = route
        low, high = gaps_s
        seconds = high * count + 2 * traffic.LAST_REPLY_S
        super().__init__("probe", (sink, "echo", port, count, seconds), (source, "probe", address, port, octets, low, high, count, seed))

    def result(self, watch):
        """Delays of each leg in ms; times of sending, echo and return by number, in simulated s; number of lost probes."""
        echoed, (sent, back) = self.notes()
        echoed, back = ({number: watch.at(at) for number, at in reversed(noted)} for noted in (echoed, back))  # of two the first
        known = [(watch.at(at), echoed[number], back[number]) for number, at in enumerate(sent) if number in back]
        legs = {"outgoing": [1e3 * (at - begin) for begin, at, _ in known], "return": [1e3 * (end - at) for _, at, end in known],
                "round_trip": [1e3 * (end - begin) for begin, _, end in known]}
        return {"probes": len(sent), "lost": len(sent) - len(known), "times": known, **legs}


def described(ms):
    """A distribution in figures."""
    around, _ = modal_share(ms)
    return {"mean_ms": mean_figure(ms), "sigma_ms": round(statistics.stdev(ms), 2), "p50_ms": round(traffic.percentile(ms, 0.5), 2),
            "p99_ms": round(traffic.percentile(ms, 0.99), 2), "least_ms": round(min(ms), 2), "most_ms": round(max(ms), 2), "around_mode": around}


def modal_share(ms, around_ms=AROUND_MODE_MS):
    """The mode of the values, and the share within `around_ms` of it."""
    ordered = sorted(ms)
    counts = [bisect.bisect_right(ordered, low + 2 * around_ms) - i for i, low in enumerate(ordered)]
    most = max(counts)
    begin = counts.index(most)
    return share_figure(most, len(ordered)), (ordered[begin] + ordered[begin + most - 1]) / 2


def distance_from_uniform(ms, width_ms):
    """Kolmogorov-Smirnov distance from the uniform distribution of this width around the samples' mean."""
    ordered, count = sorted(ms), len(ms)
    low = statistics.fmean(ms) - width_ms / 2
    distance = 0.0
    for i, value in enumerate(ordered):
        expected = min(1.0, max(0.0, (value - low) / width_ms))
        distance = max(distance, expected - i / count, (i + 1) / count - expected)
    return distance


def probe(address, port, octets, low_s, high_s, count, seed):
    rng = random.Random(seed)
    fill = bytes(octets - HEADERS - NUMBER.size)
    sent, back = [], []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:

        def listen(until, enough=None):
            while (left := until - time.monotonic()) > 0 and len(back) != enough:
                if select.select([sock], [], [], left)[0]:
                    number, = NUMBER.unpack_from(sock.recv(2048))
                    back.append((number, time.monotonic()))

        print(flush=True)
        for number in range(count):
            sent.append(time.monotonic())
            sock.sendto(NUMBER.pack(number) + fill, (address, port))
            listen(sent[number] + rng.uniform(low_s, high_s))
        listen(time.monotonic() + traffic.LAST_REPLY_S, enough=count)
    print(json.dumps((sent, back)))


def echo(port, count, seconds):
    """Ends when it has received all, or after the given time."""
    until, noted = time.monotonic() + seconds, []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", port))
        print(flush=True)
        while len(noted) < count and (left := until - time.monotonic()) > 0 and select.select([sock], [], [], left)[0]:
            packet, whom = sock.recvfrom(2048)
            now = time.monotonic()
            sock.sendto(packet, whom)
            noted.append((NUMBER.unpack_from(packet)[0], now))
    print(json.dumps(noted))


if __name__ == "__main__" and sys.argv[1:2] == ["probe"]:
    probe(sys.argv[2], *map(int, sys.argv[3:5]), *map(float, sys.argv[5:7]), *map(int, sys.argv[7:9]))
elif __name__ == "__main__" and sys.argv[1:2] == ["echo"]:
    echo(*map(int, sys.argv[2:4]), float(sys.argv[4]))
