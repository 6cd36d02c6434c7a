# SPDX-License-Identifier: GPL-3.0-or-later
"""What is read out of captures of TCP: from a capture that the test writes, and from segments placed by hand."""
import socket
import tempfile
import time
import types
import unittest
from pathlib import Path
from unittest import mock

import dpkt
from matplotlib import pyplot

from wimax_tools.bench import traffic
from wimax_tools.bench.experiment import Measured, description
from wimax_tools.bench.instruments import tcp_trace
from wimax_tools.bench.instruments.tcp_trace import Segment, Transfer
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import StackError
from wimax_tools.bench.studies import EXPERIMENTS, tcp_traces
from slow_link import SlowLink
from support import needs_root

PROFILE = Profile.parse("5MHz-10ms")
FIELD, LAB = "16-QAM 3/4, Speedy", "16-QAM 3/4"
NEAR, FAR = "10.16.0.1", "10.16.0.2"
CALENDAR_S = 1_700_000_000.0  # ahead of the monotonic clock
RAW = 101


def packet(source, sink, sport, dport, seq, ack, octets, snap=96, flags=dpkt.tcp.TH_ACK):
    """With 12 octets of options, cut off as tcpdump does."""
    tcp = dpkt.tcp.TCP(sport=sport, dport=dport, seq=seq % 2**32, ack=ack % 2**32, flags=flags, opts=b"\x01" * 12, data=bytes(octets))
    tcp.off = 8
    ip = dpkt.ip.IP(src=socket.inet_aton(source), dst=socket.inet_aton(sink), p=dpkt.ip.IP_PROTO_TCP, data=tcp)
    ip.len = len(ip)
    return bytes(ip)[:snap]


def data(at, begin, octets=1000):
    return Segment(at, begin, octets, 0)


def ack(at, number):
    return Segment(at, 0, 0, number)


class Reading(unittest.TestCase):
    def read(self, packets):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "a.pcap")
            with open(path, "wb") as file:
                writer = dpkt.pcap.Writer(file, snaplen=96, linktype=RAW, nano=True)
                for at, one in packets:
                    writer.writepkt(one, ts=CALENDAR_S + at)
            return tcp_trace.read(str(path), CALENDAR_S)

    def test_the_connection_with_most_data(self):
        """iperf3 has one for its words beside it; numbers go on where 32 bits end."""
        start = 2**32 - 1500
        found = self.read([(0.0, packet(NEAR, FAR, 100, 5201, 7, 0, 37)), (0.5, packet(NEAR, FAR, 101, 5201, start, 0, 0)),
                           (0.6, packet(FAR, NEAR, 5201, 101, 900, start + 1, 0)),
                           (1.0, packet(NEAR, FAR, 101, 5201, start + 1, 901, 1448)), (1.1, packet(NEAR, FAR, 101, 5201, start + 1449, 901, 1448)),
                           (1.2, packet(FAR, NEAR, 5201, 101, 901, start + 1 + 2896, 0)), (1.3, packet(FAR, NEAR, 5201, 100, 7, 44, 9)),
                           (1.4, packet(FAR, NEAR, 5201, 101, 901, 0, 0, flags=dpkt.tcp.TH_RST))])
        self.assertEqual([(round(s.at_s, 3), s.begin, s.octets) for s in found.data], [(1.0, 1, 1448), (1.1, 1449, 1448)])
        self.assertEqual([(round(s.at_s, 3), s.ack) for s in found.acks], [(0.6, 1), (1.2, 2897)])

    def test_nothing_to_read(self):
        for packets in ([], [(0.0, packet(NEAR, FAR, 1, 2, 3, 4, 0))]):
            with self.assertRaisesRegex(StackError, "no TCP transfer"):
                self.read(packets)

    def test_numbers_go_back_and_around(self):
        self.assertEqual(tcp_trace.unwrapped([2**32 - 10, 5, 2**32 - 10, 20]), [0, 15, 0, 30])
        self.assertEqual(tcp_trace.unwrapped([15], 5), [10])
        self.assertEqual(tcp_trace.unwrapped([]), [])

    def test_what_tcpdump_says(self):
        said = "12 packets captured\n12 packets received by filter\n3 packets dropped by kernel\n"
        self.assertEqual((tcp_trace.dropped(said), tcp_trace.dropped(said.replace("3 packets", "0 packets"))), (3, 0))

    def test_between_clocks(self):
        calendar = time.time()
        self.assertAlmostEqual(time.monotonic() + tcp_trace.calendar_less_monotonic_s(), calendar, delta=0.5)

    @needs_root
    def test_through_a_link(self):
        link = SlowLink(1e6, 10_000)
        self.addCleanup(link.stop)
        link.start()
        with tempfile.TemporaryDirectory() as folder:
            begin = time.monotonic()
            with tcp_trace.Capture(link.names[0], "slow", Path(folder, "a.pcap")) as capture:
                iperf = traffic.Iperf(link.names[0], link.names[1], link.addresses[1], 5201, 1).start()
                said = iperf.result()
            self.assertIsNotNone(said, iperf.fault)
            found = capture.transfer()
        last = max(s.begin + s.octets for s in found.data)
        sent = said["packets"] * traffic.TCP_PAYLOAD  # with what was still in the socket at the end
        self.assertTrue(sent / 2 < last < sent + traffic.TCP_PAYLOAD, (last, sent))
        self.assertGreater(found.acks[-1].ack, last / 2)
        self.assertTrue(all(begin < s.at_s < time.monotonic() for s in found.data + found.acks), "by the monotonic clock")

    @needs_root
    def test_an_interface_that_is_not_there(self):
        link = SlowLink(1e6, 10_000)
        self.addCleanup(link.stop)
        link.start()
        with self.assertRaisesRegex(StackError, "tcpdump does not start: .*fast"), tcp_trace.Capture(link.names[0], "fast", "/tmp/none.pcap"):
            pass


class Figures(unittest.TestCase):
    def test_sent_again(self):
        """One whole packet, and one half of which is new."""
        self.assertEqual(tcp_trace.sent_again([data(0, 1), data(1, 1001), data(2, 1), data(3, 1501), data(4, 2501)]), (2, 1500))
        self.assertEqual(tcp_trace.sent_again([]), (0, 0))

    def test_round_trips(self):
        """The second acknowledgment is for two segments, and counts for the later; what was sent twice has none, a repeated acknowledgment neither."""
        transfer = Transfer([data(1.0, 0), data(1.1, 1000), data(1.2, 2000), data(1.3, 3000), data(1.9, 3000), data(2.0, 4000)],
                            [ack(1.5, 1000), ack(1.6, 3000), ack(1.7, 3000), ack(2.1, 4000), ack(2.2, 4500), ack(2.3, 5000)])
        self.assertEqual(tcp_trace.round_trips(transfer), [(1.0, 1.5), (1.2, 1.6), (2.0, 2.3)])

    def test_in_flight(self):
        """Nobody knows before the first acknowledgment; repeats add nothing."""
        transfer = Transfer([data(1.0, 0), data(1.1, 1000), data(1.3, 2000), data(1.4, 1000), data(1.5, 3000)], [ack(1.2, 1000), ack(1.45, 3000)])
        self.assertEqual(tcp_trace.in_flight(transfer), [2000, 2000, 1000])

    def test_a_part_in_simulated_time(self):
        part = tcp_trace.between(Transfer([data(at, 0) for at in (1, 2, 3, 4)], [ack(at, 1) for at in (1.5, 3.5, 4.5)]), 2, 4, lambda at: at / 2)
        self.assertEqual(([s.at_s for s in part.data], [s.at_s for s in part.acks]), ([1, 1.5], [1.75]))

    def test_frames_are_cut_where_nothing_comes(self):
        """Packets around the begin of frames of 10 ms: 3, 2, none, 1 of them."""
        at = [0.0994, 0.1001, 0.1004, 0.1098, 0.1103, 0.1299]
        self.assertEqual(tcp_trace.by_frames(at, 0.01), [3, 2, 0, 1])
        self.assertEqual(tcp_trace.by_frames([s + 0.0051 for s in at], 0.01), [3, 2, 0, 1])
        self.assertEqual(tcp_trace.by_frames([], 0.01), [])

    def test_shares_of_frames(self):
        found = tcp_trace.shares([0, 1, 1, 1, 2, 2, 2, 7, 1, 1], 2)
        self.assertEqual(found, {"0": 0.1, "1": 0.5, "2": 0.3})
        self.assertGreater(found["1"].high, 0.5)

    def test_gaps(self):
        """Three of a frame, two of the next, one of the second after that."""
        at = [1.0, 1.0002, 1.0004, 1.0101, 1.0103, 1.0304]
        self.assertEqual(tcp_trace.gaps(at, 0.01), {"back_to_back": 0.6, "one_frame": 0.2})

    def test_bounds_of_a_correlated_series(self):
        """100 values in 20 batches: of what alternates every five, means are 0 and 1."""
        alternating = ([0] * 5 + [1] * 5) * 10
        found = tcp_trace.batched_mean(alternating)
        self.assertEqual((found, found.low, found.high), (0.5, 0.26, 0.74))  # 2.093 x 0.513 / root of 20
        self.assertEqual(tcp_trace.batched_mean([3.0]), 3.0)

    def test_modes(self):
        ms = [140] * 40 + [141] * 8 + [150] * 30 + [160] * 5 + [100] * 3
        self.assertEqual(tcp_trace.modes(ms, 10), [140])
        self.assertEqual(tcp_trace.modes([130] * 9 + [140] * 40 + [150] * 2 + [160] * 30, 10), [140, 160])
        self.assertEqual(tcp_trace.modes([], 10), [])


class Args(types.SimpleNamespace):
    profile = PROFILE


class Bench:
    def __init__(self, **arguments):
        self.args, self.series, self.begun = Args(**arguments), {}, 0
        self.stack = types.SimpleNamespace(clock=None, bs_netns="wmx1-bs", ss_address=lambda i: FAR, route=lambda i, d: ("wmx1-bs", "wmx1-ss1", FAR) if d == "downlink" else ("wmx1-ss1", "wmx1-bs", NEAR),
                                           begin_anew=self.begin_anew)

    def begin_anew(self):
        self.begun += 1

    def pace(self):
        return 0.5

    def seconds(self, whole):
        return 10

    def keep(self, name, data):
        self.series[name] = data


class Capture:
    made, traces = [], {}

    def __init__(self, netns, interface, path):
        self.netns = netns
        self.made.append((netns, interface))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def transfer(self):
        return self.traces[self.netns]


class Watch:
    def __init__(self, _clock):
        pass

    __enter__, __exit__ = (lambda self: self), (lambda self, *_: None)

    @staticmethod
    def at(wall_s):
        return wall_s


class Measures(unittest.TestCase):
    def setUp(self):
        """Two packets a frame from second 100 on, acknowledged together 45 ms later. Only seconds 102 to 109 count."""
        sent = [data(100 + 0.01 * frame + 0.0001 * i, 1448 * (2 * frame + i), 1448) for frame in range(1000) for i in (0, 1)]
        acks = [ack(100 + 0.01 * frame + 0.045, 1448 * (2 * frame + 2)) for frame in range(1000)]
        Capture.made, Capture.traces = [], {netns: Transfer(sent, acks) for netns in ("wmx1-bs", "wmx1-ss1")}
        self.asked = []

        def transfers(bench, flows, meanwhile=None):
            self.asked.append(flows)
            return [{"ip_bps": 2.4e6}], meanwhile and meanwhile()

        for patch in (mock.patch.object(tcp_traces, "transfers", transfers), mock.patch.object(tcp_trace, "Capture", Capture), mock.patch.object(tcp_traces, "Watch", Watch),
                      mock.patch.object(tcp_traces, "probe_meanwhile", lambda bench: lambda: ([20.0, 30.0, 40.0], 2))):
            patch.start()
            self.addCleanup(patch.stop)

    def test_acknowledgments(self):
        found = tcp_traces.measure_acknowledgments(Bench())["downlink"]
        self.assertEqual(Capture.made, [("wmx1-bs", "wimax-bs"), ("wmx1-ss1", "wimax-ss1")])
        self.assertEqual(self.asked, [[(0, "downlink", None, None, 10)]])
        self.assertEqual({k: found[k] for k in ("kbps", "packets_per_frame", "frames", "acks_per_packet", "packets_again", "octets_again")},
                         {"kbps": 2400.0, "packets_per_frame": 2.0, "frames": 700, "acks_per_packet": 0.5, "packets_again": 0, "octets_again": 0})
        self.assertEqual(found["acks_in_a_frame"], {"0": 0.0, "1": 1.0, "2": 0.0, "3": 0.0, "4": 0.0})
        self.assertAlmostEqual(found["gaps"]["one_frame"], 0.5, 2)

    def test_round_trips(self):
        bench = Bench(window_octets=65536)
        found = tcp_traces.measure_round_trip_under_load(bench)["uplink"]
        self.assertEqual(self.asked, 5 * [[(0, "downlink", None, 65536, 10)], [(0, "uplink", None, 65536, 10)]])
        self.assertEqual(bench.begun, 4)
        self.assertEqual((found["rtt_p50_ms"], found["rtt_p99_ms"], found["rtt_mode_ms"], found["packets_again"]), (44.9, 44.9, 40, 0))
        self.assertEqual((found["ping_p50_ms"], found["ping_p99_ms"], found["pings"], found["pings_lost"]), (30.0, 40.0, 15, 10))
        self.assertAlmostEqual(found["segments_in_flight"], 9.5, 1)
        self.assertEqual(set(bench.series["downlink"]), {"rtt_ms", "ping_ms"})

    def goals(self, name, field, lab):
        measured = Measured(description(name)["published"], {"field": field, "lab": lab}, {}, PROFILE)
        return {what: (goal, value, bool(met)) for what, goal, value, met in EXPERIMENTS[name].goals(measured)}

    def test_goals(self):
        for gaps, none, again, met in (((0.7, 0.28), 0.01, 0, [True] * 3), ((0.7, 0.27), 0.011, 1, [False] * 3)):
            one = {"gaps": dict(zip(("back_to_back", "one_frame"), gaps)), "acks_in_a_frame": {"0": none}, "packets_again": again}
            self.assertEqual([m for *_, m in self.goals("A6", {"downlink": {FIELD: one}}, {}).values()], met)
        good = {"rtt_p99_ms": 50.0, "ping_p99_ms": 49.0, "tcp_kbps": 4000.0}
        lab = {d: {LAB: good, "64-QAM 3/4": good} for d in ("downlink", "uplink")}
        found = self.goals("A7", {"downlink": {FIELD: {"tcp_kbps": 4000.0}}}, lab)
        self.assertEqual((len(found), all(met for *_, met in found.values())), (9, True))
        lab["uplink"] = {LAB: good, "64-QAM 3/4": {"rtt_p99_ms": 50.1, "ping_p99_ms": 50.1, "tcp_kbps": 1.0}}
        self.assertEqual([met for *_, met in self.goals("A7", {"downlink": {FIELD: {"tcp_kbps": 4000.1}}}, lab).values()].count(False), 3)

    def test_cases(self):
        cases = EXPERIMENTS["A7"].cases
        self.assertEqual([(name, case.profiles, case.arguments.get("window_octets")) for name, case in cases.items()],
                         [(FIELD, ("field",), 65536), (LAB, ("lab",), None), ("64-QAM 3/4", ("lab",), None)])
        self.assertEqual((cases[FIELD].arguments["dl_rate"], cases[FIELD].arguments["stations"]), (4, 3))
        self.assertEqual(set(EXPERIMENTS["A6"].cases), {FIELD, LAB})

    def test_pictures(self):
        series = {key: {name: {d: {"rtt_ms": [140.0, 150.0, 141.0], "ping_ms": [1.0]} for d in ("downlink", "uplink")}} for key, name in (("field", FIELD), ("lab", LAB))}
        figures = {"downlink": {FIELD: {"acks_in_a_frame": {str(n): 0.2 for n in range(5)}}}}
        for name in ("A6", "A7"):
            for draw in EXPERIMENTS[name].pictures.values():
                figure = draw(Measured(description(name)["published"], {"field": figures, "lab": {}}, series, PROFILE))
                self.assertTrue(all(axes.patches for axes in figure.axes), name)
                pyplot.close(figure)


class Pings(unittest.TestCase):
    def test_beside_the_transfer(self):
        """100 clocked at half the wall's speed."""
        clock = mock.Mock(factor_since=lambda begin: 0.5)
        bench = Bench()
        bench.stack.clock = lambda: clock
        with mock.patch("wimax_tools.bench.traffic.ping", return_value={"rtt_s": [0.04, 0.08], "lost": 3}) as ping:
            bench.stack.pass_time = mock.Mock()
            self.assertEqual(tcp_traces.probe_meanwhile(bench)(), ([20.0, 40.0], 3))
        ping.assert_called_with("wmx1-bs", FAR, 266, 0.02)
        self.assertAlmostEqual(bench.stack.pass_time.call_args.args[0], 1.0)


if __name__ == "__main__":
    unittest.main()
