# SPDX-License-Identifier: GPL-3.0-or-later
"""What the bench measures, from what it measures with: recorded reports of iperf3, echo replies at chosen times, sockets."""
import contextlib
import io
import json
import math
import random
import socket
import struct
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import figure, traffic
from slow_link import SlowLink
from support import needs_root

SEED = 52  # of an identifier whose checksum has a carry
RECORDED = Path(__file__).resolve().parent / "recorded"


def report(name):
    return json.loads((RECORDED / f"iperf3-{name}.json").read_text(encoding="utf-8"))


class Figures(unittest.TestCase):
    def test_tcp(self):
        """487 976 octets in 2.033491 s, each 1448 of them in a packet of 1500."""
        said = traffic.figures(report("tcp"), False, 99)
        self.assertAlmostEqual(said.pop("ip_bps"), 487976 * 8 / 2.033491 * 1500 / 1448, places=3)
        self.assertAlmostEqual(said.pop("rtt_ms"), 36.596)  # of the sender, in us; 658 840 octets are 455 segments
        self.assertEqual(said, {"lost": 0, "packets": 455, "reordered": 0, "retransmissions": 141, "intervals": []})

    def test_intervals_are_the_receivers(self):
        said = dict(report("tcp"), server_output_json={"intervals": [{"sum": {"start": 0, "end": 1.01, "bytes": 7}}]})
        self.assertEqual(traffic.figures(said, False, 99)["intervals"], [(0, 1.01, 7)])

    def test_udp(self):
        """424 packets of 1500 octets, 83 of them lost, in 2.053437 s; the sender's own figures are others."""
        said = traffic.figures(report("udp"), True, 99)
        self.assertAlmostEqual(said.pop("ip_bps"), (424 - 83) * 12000 / 2.053437, places=3)
        self.assertEqual(said, {"lost": 83, "packets": 424, "reordered": 0, "retransmissions": 0, "rtt_ms": None, "intervals": []})

    def test_udp_of_which_nothing_arrived(self):
        said = report("udp")
        said["end"]["sum_received"].update(packets=0, lost_packets=0, seconds=0)
        self.assertEqual(traffic.figures(said, True, 2.5), {"ip_bps": 0.0, "lost": 0, "packets": 0, "reordered": 0, "retransmissions": 0, "rtt_ms": None, "intervals": []})

    def test_words(self):
        self.assertEqual(traffic.words(json.dumps(report("refused")), "warning"), "unable to connect to server: Connection refused")
        self.assertEqual(traffic.words('{"end": {}}', "a\n b\n"), "a b")
        self.assertEqual(traffic.words("", "Cannot open network namespace"), "Cannot open network namespace")

    def test_percentiles(self):
        self.assertEqual([traffic.percentile(range(200, 0, -1), share) for share in (0, 0.5, 0.99, 1)], [1, 101, 199, 200])
        self.assertEqual(traffic.percentile([7.5], 0.99), 7.5)
        self.assertIsNone(traffic.percentile([], 0.5))

    def test_a_percentile_is_the_least_value_that_more_than_its_share_does_not_exceed(self):
        for count in range(1, 25):
            values = [(7 * n) % count * 1.5 for n in range(count)]
            for share in (0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 1):
                reached = [v for v in sorted(values) if sum(other <= v for other in values) > share * count + 1e-9]
                self.assertEqual(traffic.percentile(values, share), reached[0] if reached else max(values), (count, share))
        self.assertIsNone(traffic.percentile([], 0.5))

    def test_tcp_rates_count_packets_and_not_their_payload(self):
        """N segments of 1448 octets in S seconds are N IP packets of 1500 octets in S seconds."""
        for segments, seconds in ((1, 1.0), (5000, 2.5), (123, 0.1)):
            end = {"sum_received": {"bytes": 1448 * segments, "seconds": seconds}, "sum_sent": {"bytes": 1448 * segments, "retransmits": 3}}
            found = traffic.figures({"end": end}, False, 99)
            self.assertAlmostEqual(found["ip_bps"], segments * 1500 * 8 / seconds, places=3)
            self.assertEqual((found["packets"], found["retransmissions"], found["rtt_ms"]), (segments, 3, None))

    def test_sizes(self):
        self.assertEqual((traffic.PACKET, traffic.UDP_PAYLOAD, traffic.TCP_PAYLOAD), (1500, 1472, 1448))


    def test_iperf3_looks_four_times_for_each_packet_but_not_more_often_than_by_default(self):
        for bps, pacing_us in ((8e6, 1000), (1472 * 8 / 4e-3, 1000), (1472 * 8 / 8e-3, 2000), (1472 * 8 / 80e-3, 20_000), (1472 * 8 / 2, 100_000)):
            self.assertEqual(traffic.pacing_us(bps), pacing_us, bps)


class Bounds(unittest.TestCase):
    def test_of_a_mean_hold_as_often_as_they_say(self):
        """Of samples of a normal distribution whose mean is 7, 19 of 20 bounds have it between them, however few the samples."""
        draws = random.Random(3)
        for count in (2, 3, 5, 12, 30):
            hits = 0
            for _ in range(2000):
                found = figure.mean_figure([draws.gauss(7, 3) for _ in range(count)], 6)
                self.assertLess(abs(found.high + found.low - 2 * found), 1e-5)
                hits += found.low <= 7 <= found.high
            self.assertAlmostEqual(hits / 2000, 0.95, delta=0.016)

    def test_of_a_mean(self):
        found = figure.mean_figure([1, 2, 3, 4, 5], 3)
        self.assertEqual((found, found.low, found.high), (3, 1.037, 4.963))  # 2.776 times 1.581 over the root of five
        alone = figure.mean_figure([4.25])
        self.assertEqual((alone, alone.low, alone.high), (4.25, -math.inf, math.inf))

    def test_of_a_share_are_where_it_is_two_deviations_away(self):
        for count, of in ((1, 10), (5, 10), (9, 10), (3, 1000), (999, 1000), (40, 4000)):
            found = figure.share_figure(count, of, 12)
            self.assertAlmostEqual(found, count / of)
            for bound in (found.low, found.high):
                self.assertAlmostEqual(abs(bound - count / of), 1.96 * math.sqrt(bound * (1 - bound) / of), places=9)
            self.assertTrue(found.low < count / of < found.high)
        for count, of, low, high in ((0, 0, 0, 1), (0, 100, 0, 0.037), (100, 100, 0.963, 1)):
            found = figure.share_figure(count, of, 3)
            self.assertEqual((found.low, found.high), (low, high))

    def test_bounds_go_through_json(self):
        figures = {"a": figure.mean_figure([1, 2, 4]), "b": {"c": figure.share_figure(3, 10), "d": 5}, "e": figure.mean_figure([1])}
        known = json.loads(json.dumps(figure.bounds(figures)))
        self.assertEqual(set(known), {"a", "b", "e"})
        back = figure.with_bounds(json.loads(json.dumps(figures)), known)
        for one, other in ((back["a"], figures["a"]), (back["b"]["c"], figures["b"]["c"]), (back["e"], figures["e"])):
            self.assertEqual((one, one.low, one.high), (other, other.low, other.high))
        self.assertEqual(back["b"]["d"], 5)


class FakeAir(io.StringIO):
    """Stands for the socket, for the random numbers and for the clock of the echo requests. Answers by number: after how many
    seconds, of whom (none: of the asker), what kind."""

    def __init__(self, answers):
        super().__init__()
        self.answers, self.now, self.timeout, self.sent, self.coming = answers, 1000.0, None, [], []

    def monotonic(self):
        return self.now

    def settimeout(self, timeout):
        self.timeout = timeout

    def sendto(self, packet, to):
        kind, code, _, ident, number = struct.unpack(">BBHHH", packet[:8])
        words = struct.unpack(f">{len(packet) // 2}H", packet)
        total = sum(words) & 0xFFFF, sum(words) >> 16
        self.sent.append((self.now, to, kind, code, len(packet), number, sum(total)))
        for delay_s, who, answer in self.answers.get(number, [(0.02, None, 0)]):
            self.coming.append((self.now + delay_s, struct.pack(">BBHHH", answer, 0, 0, ident if who is None else who, number)))
        self.coming.sort()

    def recv(self, _):
        if not self.coming or self.coming[0][0] > self.now + self.timeout:
            self.now += self.timeout
            raise socket.timeout
        self.now, packet = max(self.now, self.coming[0][0]), self.coming.pop(0)[1]
        return bytes(20) + packet


class Ping(unittest.TestCase):
    def probe(self, probes, answers=None, frame_s=0.01, seed=1, octets=56):
        air, out = FakeAir(answers or {}), io.StringIO()
        with mock.patch("socket.socket", lambda *_: air), mock.patch.object(traffic.time, "monotonic", air.monotonic), \
                contextlib.redirect_stdout(out):
            traffic._ping_main("10.16.0.2", probes, frame_s, seed, octets)
        return air, json.loads(out.getvalue())

    def test_round_trips(self):
        _, said = self.probe(4, {1: [(0.035, None, 0)], 2: [(0.007, None, 0)]})
        self.assertEqual([round(s, 6) for s in sorted(said["rtt_s"])], [0.007, 0.02, 0.02, 0.035])
        self.assertEqual(said["lost"], 0)

    def test_what_does_not_count(self):
        """Nothing, a reply after 5.1 s, somebody else's, the request itself; twice counts once, 4.9 s counts."""
        _, said = self.probe(7, {1: [], 2: [(5.2, None, 0)], 3: [(0.01, 0, 0)], 4: [(0.01, None, 8)],
                                 5: [(0.01, None, 0), (0.015, None, 0)], 6: [(4.9, None, 0)]})
        self.assertEqual([round(s, 6) for s in said["rtt_s"]], [0.02, 0.01, 4.9])
        self.assertEqual(said["lost"], 4)

    def test_requests(self):
        """56 octets of IP, or as many as asked for, with a right checksum; gaps uniform from two to four frames."""
        air, _ = self.probe(3, octets=84)
        self.assertEqual({row[4] for row in air.sent}, {64})
        air, _ = self.probe(400, seed=SEED)
        self.assertEqual({row[1:5] for row in air.sent}, {(("10.16.0.2", 0), 8, 0, 36)})
        self.assertEqual([row[5] for row in air.sent], list(range(400)))
        self.assertEqual({row[6] for row in air.sent}, {0xFFFF})
        self.assertLess(air.now - air.sent[-1][0], 0.1)  # there is no wait for replies when all have arrived
        gaps = sorted(later[0] - sooner[0] for sooner, later in zip(air.sent, air.sent[1:]))
        for share, expected in ((0.0, 0.02), (0.25, 0.025), (0.5, 0.03), (0.75, 0.035), (1.0, 0.04)):
            self.assertAlmostEqual(gaps[int(share * (len(gaps) - 1))], expected, delta=0.0015)

    @needs_root
    def test_through_a_link(self):
        link = SlowLink(1e6, 10_000)
        self.addCleanup(link.stop)
        link.start()
        said = traffic.ping(link.names[0], link.addresses[1], 20, 0.001)
        self.assertEqual((len(said["rtt_s"]), said["lost"]), (20, 0))
        self.assertEqual(traffic.ping(link.names[0], "10.17.0.9", 2, 0.001), {"rtt_s": [], "lost": 2})


class Listening(unittest.TestCase):
    def test_a_port_counts_from_when_iperf3_accepts(self):
        table = ("  sl  local_address rem_address   st\n   0: 00000000:1451 00000000:0000 {} 00000000\n")
        files = {"/proc/7/comm": "iperf3\n", "/proc/7/net/tcp": table.format("0A"), "/proc/7/net/tcp6": "  sl\n"}
        for changed, port, listening in (({}, 5201, True), ({}, 5202, False), ({"/proc/7/comm": "ip\n"}, 5201, False),
                                         ({"/proc/7/net/tcp": table.format("01")}, 5201, False),
                                         ({"/proc/7/net/tcp": "  sl\n", "/proc/7/net/tcp6": table.format("0A")}, 5201, True)):
            said = {**files, **changed}
            with mock.patch("builtins.open", lambda path, said=said, **_: io.StringIO(said[path])), \
                    mock.patch.object(traffic.os.path, "exists", said.__contains__):
                self.assertEqual(traffic.listens(mock.Mock(pid=7), port), listening, changed)
        self.assertFalse(traffic.listens(mock.Mock(pid=0), 5201))  # no such process


if __name__ == "__main__":
    unittest.main()
