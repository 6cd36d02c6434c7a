# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench from its arguments to its JSON and its table: a stack whose clock the test drives, recorded reports of iperf3, and
every figure compared with what was worked out by hand."""
import contextlib
import copy
import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import tarfile
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import run as bench
from wimax_tools.bench import traffic
from wimax_tools.bench import report
from wimax_tools.bench.cable import Cable, End
from wimax_tools.bench.stack import Clock, Delivered, StackError

RECORDED = Path(__file__).resolve().parent / "recorded"
FAKE_IP = """#!/bin/sh
echo "$@" >> "$FAKE_IPERF3/commands"
case "$*" in *" -c "*) cat "$FAKE_IPERF3/$8.json";; *) cat "$FAKE_IPERF3/server-$8" 2>/dev/null;; esac
"""
DELIVERED_BPS = {"downlink": (3.0e6, 2.0e6), "uplink": (1.5e6, 2.5e6)}


class FakeStack:
    """Two stations. Simulated time runs at another speed, of the wall clock's, in each transfer."""
    bs_netns = "net-bs"

    def __init__(self, speeds=()):
        self.simulated_s, self.wall_s, self.speed, self.speeds = 100.0, 7000.0, 0.4, iter(speeds)
        self.usage, self.done = {}, []

    def sleep(self, seconds):
        self.wall_s += seconds
        self.simulated_s += seconds * self.speed

    def start(self):
        self.done.append("start")

    def dropped_records(self):
        return 3

    def stop_daemons(self):
        self.done.append("stop daemons")

    def wait_for_entry(self, on_progress):
        on_progress("entry: 0 of 2 station(s) operational after 0.0 s")
        self.sleep(50.0)
        on_progress("entry: 0 of 2 station(s) operational after 0.5 s")
        return 1.23456

    def pass_time(self, seconds):
        self.sleep(seconds / self.speed)

    def wait_until_quiet(self):
        self.done.append("quiet")
        self.speed = next(self.speeds, self.speed)

    def clock(self):
        return Clock(self.simulated_s, self.wall_s)

    def recent_factor(self):
        return 0.6

    def capacity_kbps(self):
        return {"downlink": 4000.04, "uplink": 3000.06}

    def mac_address(self, i):
        return f"02:00:00:00:00:0{i + 1}"

    def ss_address(self, i):
        return f"10.16.0.{i + 2}"

    def route(self, i, direction):
        return ("net-bs", f"net-{i}", self.ss_address(i)) if direction == "downlink" else (f"net-{i}", "net-bs", "10.16.0.1")

    def counters(self):
        return {"frames": 12345, "late": 7}

    def longest_stall_s(self):
        return 0.01234567

    def stolen_share(self):
        return 0.21987654

    def delivered(self, direction):
        times = [self.simulated_s + 0.01 * i for i in range(2)]  # each daemon reports its own
        return [Delivered(1000 + bps / 8 * t, t) for bps, t in zip(DELIVERED_BPS[direction], times)]

    def cpu_seconds(self):
        return {"channeld": 5 + 0.25 * self.simulated_s, "bs.phyd": 0.5 * self.simulated_s}

    def forget_usage(self):
        self.done.append("forget")

    def keep_usage(self, direction):
        self.done.append(f"keep {direction}")
        self.usage[direction] = {"downlink": {"data": 1850, "preamble": 20, "maps": 30, "idle": 0, "frames": 10},
                                 "uplink": {"data": 900, "preamble": 30, "contention": 20, "frames": 10}}[direction]

    def explain(self, out):
        print("last words", file=out)

    def stop(self):
        self.done.append("stop")
        self.interruptible = signal.getsignal(signal.SIGINT) != signal.SIG_IGN


def fake_ping(stack):
    answers = {"10.16.0.2": {"rtt_s": [0.010, 0.030, 0.020, 0.050], "lost": 196},
               "10.16.0.3": {"rtt_s": [i / 1e3 for i in range(200, 0, -1)], "lost": 0}}

    def ping(netns, address, probes, frame_s):
        assert (netns, probes, round(0.6 * frame_s, 9)) == ("net-bs", 200, 0.01)  # slower, as the simulation is
        stack.sleep(2.0)
        return answers[address]

    return ping


def recorded(name, **received):
    """A report of iperf3 with other figures; `retransmits` belongs to the sender."""
    said = json.loads((RECORDED / f"iperf3-{name}.json").read_text(encoding="utf-8"))
    for key, value in received.items():
        said["end"]["sum_sent" if key == "retransmits" else "sum_received"][key] = value
    return said


class BenchCase(unittest.TestCase):
    def setUp(self):
        self.maxDiff = None
        self.folder = Path(tempfile.mkdtemp(prefix="wimax-bench-"))
        self.addCleanup(shutil.rmtree, self.folder)
        (self.folder / "ip").write_text(FAKE_IP, encoding="utf-8")
        (self.folder / "ip").chmod(0o755)
        self.patch(mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}", FAKE_IPERF3=str(self.folder)))

    def patch(self, patcher):
        self.addCleanup(patcher.stop)
        return patcher.start()

    def drive(self, stack, seconds_a_transfer=5.0):
        """Everything that waits moves the stack's clock."""
        self.patch(mock.patch.object(traffic, "ping", fake_ping(stack)))
        real = traffic.Iperf.result

        def result(transfer):
            stack.sleep(seconds_a_transfer)
            return real(transfer)

        self.patch(mock.patch.object(traffic.Iperf, "result", result))

    def reports(self, *reports):
        """Of iperf3's clients, by their ports from 5201."""
        for port, said in enumerate(reports, 5201):
            (self.folder / f"{port}.json").write_text(json.dumps(said), encoding="utf-8")

    def all_reports(self):
        tcp = lambda packets, seconds, again: recorded("tcp", bytes=1448 * packets, seconds=seconds, retransmits=again)  # noqa: E731
        udp = lambda lost, packets: recorded("udp", lost_packets=lost, packets=packets)  # noqa: E731
        self.reports(tcp(1000, 4.0, 141), tcp(500, 4.0, 7), *[udp(500, 1000)] * 4, udp(3, 1200), udp(0, 1100),
                     tcp(900, 4.0, 0), tcp(1800, 4.0, 5), udp(500, 1000), udp(500, 1000), udp(90, 100), udp(90, 100), udp(0, 900), udp(1, 3),
                     *[udp(0, 100)] * 4)

    def run_all(self, *options):
        stack = FakeStack([0.5, 0.8, 0.8, 0.78, 0.9, 0.75, 0.6, 0.6, 0.5])  # the third repeats the second, the eighth the seventh
        self.all_reports()
        self.drive(stack)
        self.assertEqual((bench.parse(["--lates", "1"]).lates, bench.parse(["--lates", "1"]).mode), (1, "rt"))
        for words in (["--lates", "0"], ["--lates", "5", "--matrix"], ["--lates", "5", "--experiment", "A1"]):
            with self.assertRaises(SystemExit), contextlib.redirect_stderr(io.StringIO()) as said:
                bench.parse(words)
            self.assertIn("--lates: allowed: 1 or more", said.getvalue(), words)
        args = bench.parse(["--stations", "2", "--duration", "10", "--ul-rate", "4", "--channel", "sui1", "--snr-db", "25",
                            *options])
        with contextlib.redirect_stderr(io.StringIO()) as self.err:
            return stack, bench.Bench(args, stack).run()


RESULT = {
    "profile": "5MHz-10ms",
    "phy": {"bandwidth_hz": 5000000, "cp": "1/8", "frame_duration_s": 0.01, "dl_rate_id": 6, "ul_rate_id": 4, "channel": "sui1",
            "snr_db": 25.0},
    "realtime_factor": 0.6632,  # 167.9 s in 253.2
    "entry_time_s": 1.235,
    "frames": 12345,
    "late_frames": 7,
    "host_stall_s": 0.0123,
    "host_stolen_share": 0.2199,
    "stations": [
        {"mac": "02:00:00:00:00:01", "ping_ms": {"min": 4.0, "mean": 11.0, "p50": 12.0, "p99": 20.0, "lost": 196},
         "downlink": {"tcp_kbps": 3000.0, "tcp_retransmissions": 141, "udp_kbps": 3000.0, "udp_loss": 0.0025,
                      "symbols_per_frame": 34.72, "capacity_kbps": 4000.0},
         "uplink": {"tcp_kbps": 1500.0, "tcp_retransmissions": 0, "udp_kbps": 1500.0, "udp_loss": 0.0,
                    "symbols_per_frame": 26.04, "capacity_kbps": 3000.1}},
        {"mac": "02:00:00:00:00:02", "ping_ms": {"min": 0.4, "mean": 40.2, "p50": 40.4, "p99": 79.6, "lost": 0},
         "downlink": {"tcp_kbps": 2000.0, "tcp_retransmissions": 7, "udp_kbps": 2000.0, "udp_loss": 0.0,
                      "symbols_per_frame": 23.15, "capacity_kbps": 4000.0},
         "uplink": {"tcp_kbps": 2500.0, "tcp_retransmissions": 5, "udp_kbps": 2500.0, "udp_loss": 0.333333,
                    "symbols_per_frame": 43.4, "capacity_kbps": 3000.1}}],
    "both_ways": {"downlink_kbps": 5000.0, "uplink_kbps": 4000.0, "realtime_factor": 0.5,
                  "cpu_s_per_s": {"channeld": 0.25, "bs.phyd": 0.5}},
    "breakdown": {"downlink": {"data": 185.0, "preamble": 2.0, "maps": 3.0}, "uplink": {"data": 90.0, "preamble": 3.0, "contention": 2.0}},
}

TABLE = """\
5MHz-10ms, sui1 at 25 dB, downlink 64-QAM 3/4, uplink 16-QAM 3/4
entry 1.24 s, real-time factor 0.663, 12345 frames, 7 late (5.7 in 10 000), longest host stall 12 ms, stolen 22%

station              ping ms: min / mean / p50 / p99 / lost
02:00:00:00:00:01           4.0   11.0   12.0   20.0   196
02:00:00:00:00:02           0.4   40.2   40.4   79.6     0

                   direction   TCP kb/s  UDP kb/s  capacity kb/s  UDP/capacity  TCP/UDP  loss at 95 %  symbols per frame
02:00:00:00:00:01  downlink        3000      3000           4000        75.0%   100.0%      0.2500%         34.7
02:00:00:00:00:01  uplink          1500      1500           3000        50.0%   100.0%      0.0000%         26.0
02:00:00:00:00:02  downlink        2000      2000           4000        50.0%   100.0%      0.0000%         23.1
02:00:00:00:00:02  uplink          2500      2500           3000        83.3%   100.0%     33.3333%         43.4
cell               downlink                  5000                                                            57.9   Jain index 0.9615
cell               uplink                    4000                                                            69.4   Jain index 0.9412

both directions at once, UDP: down 5000 kb/s, up 4000 kb/s, real-time factor 0.500
CPU seconds per simulated second: 0.75 (channeld 0.25, bs.phyd 0.50)

downlink: where the symbols of a frame go (UDP at 120 %)
     3.00  maps
     2.00  preamble
   185.00  data bursts, of which 57.87 IP octets and 127.13 MAC headers, padding, tails, errors (864 bits per symbol)

uplink: where the symbols of a frame go (UDP at 120 %)
     3.00  preamble
     2.00  contention
    90.00  data bursts, of which 69.44 IP octets and 20.56 MAC headers, padding, tails, errors (576 bits per symbol)
"""


class Run(BenchCase):
    def test_every_figure(self):
        stack, result = self.run_all("--both-ways")
        origin = result.pop("provenance")
        self.assertEqual(result, RESULT)
        self.assertEqual([origin[key] for key in ("program", "seed", "mode", "duration_s")], ["wimax bench", 1, "paced", 10.0])
        self.assertTrue(all(origin[key] for key in ("version", "commit", "command", "machine", "date")), origin)
        self.assertEqual(stack.done, ["start", "quiet", *["quiet", "forget", "keep downlink"] * 2, "quiet",
                                      "quiet", "quiet", "forget", "keep uplink", "quiet", "quiet", "quiet"])
        self.assertNotIn("both_ways", self.run_all()[1])

    def test_commands_of_iperf3(self):
        """Offers are made in simulated time, at the pace of the transfer before but no faster than real time."""
        self.run_all("--both-ways")
        said = sorted((self.folder / "commands").read_text(encoding="utf-8").splitlines(), key=lambda c: c.partition("-p ")[2])
        bps = lambda kbps, factor: round(kbps * 1e3 * factor * 1472 / 1500)  # noqa: E731
        transfers = [  # from, to, address, UDP bit/s, s
            ("bs", "0", 2, None, 20), ("bs", "1", 3, None, 20), *[("bs", str(i), 2 + i, bps(4000.0 * 1.2, 0.5), 23) for i in range(2)],
            *[("bs", str(i), 2 + i, bps(4000.0 * 1.2, 0.8), 15) for i in range(2)],
            ("bs", "0", 2, bps(3000.0 * 0.95, 0.8), 15), ("bs", "1", 3, bps(2000.0 * 0.95, 0.8), 15),
            ("0", "bs", 1, None, 15), ("1", "bs", 1, None, 15), *[(str(i), "bs", 1, bps(3000.1 * 1.2, 0.9), 13) for i in range(2)],
            ("0", "bs", 1, bps(1500.0 * 0.95, 0.75), 16), ("1", "bs", 1, bps(2500.0 * 0.95, 0.75), 16),
            ("0", "bs", 1, bps(1500.0 * 0.95, 0.6), 20), ("1", "bs", 1, bps(2500.0 * 0.95, 0.6), 20),
            ("bs", "0", 2, bps(4000.04 * 0.95, 0.6), 20), ("0", "bs", 1, bps(3000.06 * 0.95, 0.6), 20),
            ("bs", "1", 3, bps(4000.04 * 0.95, 0.6), 20), ("1", "bs", 1, bps(3000.06 * 0.95, 0.6), 20)]
        expected = []
        for port, (source, sink, address, offer, seconds) in enumerate(transfers, 5201):
            kind = "-M 1460 -C cubic" if offer is None else f"-u -b {offer} -l 1472 --pacing-timer {max(1000, round(1e6 * 8 * 1472 / offer / 4))}"
            expected += [f"netns exec net-{source} iperf3 -c 10.16.0.{address} -p {port} -t {seconds} -J --get-server-output "
                         f"--connect-timeout 15000 {kind}", f"netns exec net-{sink} iperf3 -s -1 -p {port} -J --forceflush"]
        self.assertEqual(sorted(said), sorted(expected))

    def test_all_servers_start_before_the_first_client(self):
        """Otherwise the first transfers end before the last ones, and the cell is not full."""
        order = []
        for name in ("listen", "send"):
            self.patch(mock.patch.object(traffic.Iperf, name, lambda transfer, name=name: order.append((name, transfer.port))))
        bench.Bench(bench.parse(["--stations", "3"]), FakeStack()).start((i, "uplink") for i in range(3))
        self.assertEqual(order, [(name, port) for name in ("listen", "send") for port in (5201, 5202, 5203)])

    def test_a_transfer_sends_for_its_duration(self):
        transfer = traffic.Iperf("a", "b", "10.16.0.2", 5201, 7)
        transfer.began_s = 100.0
        for now_s, sends in ((100.0, True), (106.9, True), (107.0, False), (200.0, False)):
            with mock.patch.object(traffic.time, "monotonic", lambda now_s=now_s: now_s):
                self.assertEqual(transfer.sends(), sends, now_s)

    def test_inexact_transfers_are_named_in_the_result(self):
        stack = FakeStack([0.5, 0.8, 0.8, 0.78, 0.9, 0.75, 0.6, 0.6, 0.5])
        self.all_reports()
        self.drive(stack)
        measured = bench.Bench(bench.parse(["--stations", "2"]), stack)
        measured.inexact = ["downlink TCP"]
        with contextlib.redirect_stderr(io.StringIO()):
            result = measured.run()
        self.assertEqual(result["inexact"], ["downlink TCP"])
        out = io.StringIO()
        report.table(result, out)
        self.assertIn("\ninexact, since the simulation's speed changed in all tries: downlink TCP\n", out.getvalue())
        self.assertNotIn("inexact", self.run_all()[1])

    def test_a_transfer_that_ends_before_the_measurement_is_repeated(self):
        """At most four times; then the result says so."""
        for tries in range(7):
            stack, short = FakeStack(), iter([0, 0, 1] * tries)
            self.reports(*[recorded("tcp", retransmits=0)] * 15)
            self.drive(stack)
            with mock.patch.object(traffic.Iperf, "sends", lambda transfer: not next(short, 0)), \
                    contextlib.redirect_stderr(io.StringIO()):
                measured = bench.Bench(bench.parse(["--stations", "3"]), stack)
                measured.transfer([None] * 3, "downlink", "TCP", None)
            self.assertEqual(stack.done.count("quiet"), min(tries + 1, 5), tries)
            self.assertEqual(measured.inexact, ["downlink TCP"] if tries >= 5 else [], tries)

    def test_a_transfer_is_watched_for_its_duration_after_the_warm_up(self):
        stack = FakeStack()
        looks, real = [], stack.delivered
        stack.delivered = lambda direction: looks.append((direction, round(stack.simulated_s - 100, 9))) or real(direction)
        self.drive(stack)
        measured = bench.Bench(bench.parse(["--duration", "20", "--stations", "2"]), stack)
        self.assertEqual([round(bps, 3) for bps in measured.watch("uplink", usage=True)], [1.5e6, 2.5e6])
        self.assertEqual(looks, [("uplink", 1.0 + i) for i in range(21)])

    def test_pace(self):
        for mode, before, factor in (("paced", None, 0.6), ("paced", 0.3, 0.3), ("paced", 1.7, 1.0), ("rt", 1.7, 1.0),
                                     ("free", None, 0.6), ("free", 0.3, 0.6), ("free", 1.7, 0.6)):
            measured = bench.Bench(bench.parse(["--mode", mode]), FakeStack())
            measured.factor = before
            self.assertEqual(measured.pace(), factor, (mode, before))

    def test_a_free_system_may_be_faster_than_real_time(self):
        stack = FakeStack()
        stack.recent_factor = lambda: 2.5
        self.assertEqual(bench.Bench(bench.parse(["--mode", "free"]), stack).pace(), 2.5)
        self.assertEqual(bench.Bench(bench.parse([]), stack).pace(), 1.0)

    def test_progress_is_a_line_for_each_step(self):
        self.run_all()
        lines = self.err.getvalue().splitlines()
        self.assertEqual(lines[:5], ["starting channel, base station, 2 subscriber station(s)",
                                     "entry: 0 of 2 station(s) operational after 0.0 s",
                                     "ping 1/2: 200 probes on the idle network", "ping 2/2: 200 probes on the idle network",
                                     "downlink TCP: 10 s"])
        self.assertEqual(lines[5:], ["downlink UDP at 120 % of the computed capacity: 10 s", "downlink UDP at 95 % of the measured rate: 10 s",
                                     "uplink TCP: 10 s", "uplink UDP at 120 % of the computed capacity: 10 s", "uplink UDP at 95 % of the measured rate: 10 s"])


class Faults(BenchCase):
    def measured(self, *options):
        stack = FakeStack()
        self.drive(stack)
        return bench.Bench(bench.parse(["--stations", "2", "--duration", "1", *options]), stack)

    def test_a_transfer_that_fails_is_told_in_iperf3s_words(self):
        self.reports(recorded("tcp"), recorded("refused"))
        with self.assertRaises(StackError) as caught, contextlib.redirect_stderr(io.StringIO()):
            self.measured().transfer([None] * 2, "downlink", "TCP", None)
        self.assertEqual(str(caught.exception),
                         "iperf3 downlink TCP failed, to net-1: client: unable to connect to server: Connection refused")

    def test_the_servers_words_are_told_too(self):
        self.reports(recorded("refused"), recorded("tcp"))
        (self.folder / "server-5201").write_text('{"error": "Address already in use"}', encoding="utf-8")
        with self.assertRaises(StackError) as caught, contextlib.redirect_stderr(io.StringIO()):
            self.measured().transfer([None] * 2, "downlink", "TCP", None)
        self.assertTrue(str(caught.exception).endswith("Connection refused; server: Address already in use"), caught.exception)

    def test_a_transfer_both_ways_that_fails_is_told(self):
        self.reports(recorded("udp"), recorded("refused"), recorded("refused"), recorded("udp"))
        with self.assertRaisesRegex(StackError, "95% of the computed capacity failed, to net-bs: client: .*refused; to net-1: client: .*refused"), \
                contextlib.redirect_stderr(io.StringIO()):
            self.measured().both_ways()

    def test_an_error_beside_figures_is_an_error(self):
        self.reports(dict(recorded("tcp"), error="the server has terminated"), dict(recorded("tcp"), end={}))
        with self.assertRaises(StackError) as caught, contextlib.redirect_stderr(io.StringIO()):
            self.measured().transfer([None] * 2, "downlink", "TCP", None)
        self.assertEqual(str(caught.exception),
                         "iperf3 downlink TCP failed, to net-0: client: the server has terminated; to net-1: no result")

    def test_pipes_are_closed_however_it_ends(self):
        self.reports(recorded("udp"), recorded("refused"))
        for port, good in ((5201, True), (5202, False)):
            transfer = traffic.Iperf("a", "b", "10.16.0.2", port, 1, 1e6).start()
            self.assertEqual(transfer.result() is not None, good)
            pipes = [pipe for process in (transfer.client, transfer.server) for pipe in (process.stdout, process.stderr)]
            self.assertEqual([pipe.closed for pipe in pipes], [True] * 4)

    def test_a_report_that_never_comes(self):
        transfer = traffic.Iperf("a", "b", "10.16.0.2", 5201, 7).start()
        self.addCleanup(transfer.client.wait)
        late = subprocess.TimeoutExpired("iperf3", 67)
        with mock.patch.object(transfer.client, "communicate", side_effect=late) as asked:
            self.assertIsNone(transfer.result())
        asked.assert_called_once_with(timeout=67)
        self.assertEqual(transfer.fault, "client: no report 60 s after the end")

    def test_no_ping_answered(self):
        measured = self.measured()
        with mock.patch.object(traffic, "ping", lambda *_: {"rtt_s": [], "lost": 200}), \
                self.assertRaisesRegex(StackError, "no ping of station 02:00:00:00:00:01 was answered"), \
                contextlib.redirect_stderr(io.StringIO()):
            measured.pings([measured.station(0)])


class Main(BenchCase):
    missing = ()  # on the machine

    def call(self, run, *options):
        """Exit status, standard output and error of the whole command, on a stack that does nothing."""
        self.stack, self.given = FakeStack(), None
        self.stack.usage = {}

        def make(profile, **given):
            self.given = dict(given, profile=profile.name)
            return self.stack

        before = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
        out, err = io.StringIO(), io.StringIO()
        try:
            with mock.patch.object(bench, "Stack", make), mock.patch.object(bench.Bench, "run", run), \
                    mock.patch.object(bench.doctor, "faults_for", lambda checks: list(self.missing)), \
                    contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                return bench.main(options), out.getvalue(), err.getvalue()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def test_options_reach_the_stack(self):
        self.call(lambda _: RESULT, "--stations", "2", "--profile", "7MHz-20ms", "--channel", "sui3", "--snr-db", "12.5",
                  "--dl-rate", "1", "--ul-rate", "5", "--mode", "free", "--seed", "9", "--keep-logs", str(self.folder / "logs"))
        self.assertEqual(self.given, {"profile": "7MHz-20ms", "stations": 2, "channel": "sui3", "snr_db": 12.5, "dl_rate": 1,
                                      "ul_rate": 5, "dl_auto": False, "ul_auto": False, "mode": "free", "seed": 9, "folder": str(self.folder / "logs"), "pcap": None, "macd_extra": {}, "phyd_extra": {},
                                      "cable": None, "fpga": False, "shared": 0})
        self.assertEqual(self.stack.done, ["stop"])

    def test_stations_share_as_many_processes_as_there_are_processors(self):
        with mock.patch.object(bench.os, "sched_getaffinity", lambda _: {0, 5, 7}):
            for options, shared in ((("--stations", "3"), 0), (("--stations", "4"), 3), (("--stations", "64"), 3), (("--stations", "4", "--separate"), 0),
                                    (("--stations", "4", "--mode", "rt"), 0), (("--stations", "4", "--mode", "free"), 3), (("--stations", "4", "--fpga"), 0)):
                self.call(lambda _: RESULT, *options)
                self.assertEqual(self.given["shared"], shared, options)

    def test_a_channel_has_room_for_the_most_stations_and_their_base_station(self):
        source = (Path(__file__).resolve().parents[2] / "apps/vrf/link.h").read_text()
        self.assertGreater(int(re.search(r"kMaxRadios = (\d+);", source).group(1)), bench.MAX_STATIONS)

    def test_cores_in_the_radios(self):
        """Of a run with them what they have done is told, too."""
        gate = {"bursts": 700, "late": 1, "too_long": 2, "too_often": 3, "silenced": 4, "underflows": 5}
        cores = {"bs": {"preambles": 0, "symbols": 0, "frames": 0, "gate": gate},
                 "ss1": {"preambles": 2, "symbols": 9750, "frames": 100, "gate": dict.fromkeys(gate, 0)}}
        with mock.patch.object(FakeStack, "core_figures", lambda _: cores, create=True):
            stack, result = self.run_all("--fpga")
        self.assertEqual(result["cores"], cores)
        _, out, _ = self.call(lambda _: dict(RESULT, cores=cores), "--fpga")
        self.assertTrue(self.given["fpga"])
        self.assertIn("""
cores in the radios: preambles / symbols per frame / gate: bursts, late, kept back, underflows
bs                         0     0.0       700     1     9     5
ss1                        2    97.5         0     0     0     0
""", out)

    def test_models_of_radios(self):
        ends = Cable(6.25e6, 60, End("x310-ubx", 1.5, 30), End("b210", 59.75, 30, 6.25e6))

        def run(running):
            return dict(RESULT, phy={**{k: v for k, v in RESULT["phy"].items() if k not in ("channel", "snr_db")}, "channel": "sui1", **running.path()})

        self.FakeCable = mock.patch.object(bench.cable, "plan", lambda *given: self.asked.append(given[1:]) or ends)
        self.asked = []
        with self.FakeCable, mock.patch.object(FakeStack, "cable", ends, create=True):
            _, out, _ = self.call(run, "--personality", "x310-ubx,b210")
        self.assertEqual((self.asked[0][0], self.given["cable"]), (("x310-ubx", "b210"), ends))
        self.assertIn("x310-ubx to b210 at 6.25 MS/s, sui1 and 60 dB, downlink", out)
        with mock.patch.object(bench.cable, "plan", side_effect=StackError("personality x: not known")):
            self.assertEqual(self.call(run, "--personality", "x")[::2], (1, "wimax bench: personality x: not known\n"))

    def test_captures_are_checked_when_the_stations_have_ended(self):
        found = {"downlink": {"sent": 9, "heard": [8]}, "uplink": {"sent": 7, "heard": 7}}

        def check(folder, stations):
            self.stack.done.append(("check", folder, stations))
            return found

        folder = str(self.folder / "air")
        with mock.patch.object(bench.captures, "check", check):
            code, out, _ = self.call(lambda _: RESULT, "--stations", "2", "--pcap", folder, "--json", "-")
        self.assertEqual((code, json.loads(out)["captures"]), (0, dict(found, dropped=3)))
        self.assertEqual((self.given["pcap"], self.stack.done), (folder, ["stop daemons", ("check", folder, 2), "stop"]))
        with mock.patch.object(bench.captures, "check", side_effect=bench.captures.CaptureError("bs.pcap: cut off")):
            code, _, err = self.call(lambda _: RESULT, "--pcap", folder)
        self.assertEqual((code, err.splitlines()[-2]), (1, "wimax bench: captures: bs.pcap: cut off"))

    def test_an_archive_has_captures_and_configurations(self):
        path = self.folder / "run.tar.gz"

        def run(_):
            for folder, name in ((self.given["pcap"], "bs.pcap"), (self.given["folder"], "bs.macd.yml"), (self.given["folder"], "bs.macd.log")):
                Path(folder).mkdir(exist_ok=True)
                Path(folder, name).write_text(name, encoding="utf-8")
            return dict(RESULT, provenance={"date": "2026-01-02T03:04:05Z"})

        with mock.patch.object(bench.captures, "check", lambda *_: {}):
            code, _, err = self.call(run, "--archive", str(path))
        self.assertEqual((code, err), (0, "reading captures\n"))
        with tarfile.open(path) as tar:
            self.assertEqual(tar.getnames(), ["run/" + name for name in ("CITATION.cff", "README.md", "VERSIONS.json", "captures/bs.pcap", "daemons/bs.macd.yml", "result.json")])
        self.assertFalse(os.path.exists(self.given["pcap"]))
        for wrong, words in ((("--archive", "a.tar"), "ends with .tar.gz"), (("--archive", "/nowhere/a.tar.gz"), "cannot be written"),
                             (("--archive", str(path), "--matrix"), "not allowed with --matrix")):
            with contextlib.redirect_stderr(io.StringIO()) as err, self.assertRaises(SystemExit):
                bench.parse(wrong)
            self.assertIn(words, err.getvalue())

    def test_provenance_has_the_configuration_files(self):
        taps = self.folder / "taps.yml"
        taps.write_text("taps: [{delay_us: 0, power_db: 0}]", encoding="utf-8")
        args = bench.parse(["--channel", str(taps)])
        self.assertEqual(bench.origin(args)["configuration"], {str(taps): taps.read_text(encoding="utf-8")})
        self.assertNotIn("configuration", bench.origin(bench.parse([])))

    def test_json_in_a_file_and_the_table_on_standard_output(self):
        (self.folder / "result.json").write_text("an older one", encoding="utf-8")
        code, out, err = self.call(lambda _: RESULT, "--json", str(self.folder / "result.json"))
        self.assertEqual((code, err), (0, ""))
        self.assertTrue(out.startswith("5MHz-10ms, sui1"))
        self.assertEqual(json.loads((self.folder / "result.json").read_text(encoding="utf-8")), RESULT)

    def test_json_on_standard_output(self):
        code, out, err = self.call(lambda _: RESULT, "--json", "-")
        self.assertEqual((code, json.loads(out)), (0, RESULT))
        self.assertTrue(err.startswith("5MHz-10ms, sui1"))

    def test_what_the_machine_lacks_is_said_before_anything_is_started(self):
        self.missing = ("programs missing: iperf3; type: ./wimax setup", "no /dev/net/tun; type: sudo modprobe tun")
        self.assertEqual(self.call(lambda _: RESULT), (1, "", "wimax bench: programs missing: iperf3; type: ./wimax setup\n"
                                                              "wimax bench: no /dev/net/tun; type: sudo modprobe tun\n"))
        self.assertIsNone(self.given)

    def test_a_stack_that_fails(self):
        def fail(_):
            raise StackError("bs.phyd ended with status 1")

        self.assertEqual(self.call(fail), (1, "", "\nwimax bench: bs.phyd ended with status 1\nlast words\n"))
        self.assertEqual(self.stack.done, ["stop"])

    def test_a_channel_of_ones_own(self):
        taps = self.folder / "taps.yml"
        taps.write_text("taps: [{delay_us: 0, power_db: 0}]", encoding="utf-8")
        self.call(lambda _: RESULT, "--channel", str(taps))
        self.assertEqual(self.given["channel"], str(taps))

    def test_an_interrupt_ends_what_runs(self):
        stopped = []

        def interrupted(measured):
            measured.running = [types.SimpleNamespace(stop=lambda: stopped.append("transfer"))]
            raise KeyboardInterrupt

        self.assertEqual(self.call(interrupted), (130, "", "\nwimax bench: stopped\n"))
        self.assertEqual((stopped, self.stack.done), (["transfer"], ["stop"]))
        self.assertFalse(self.stack.interruptible)


class Report(unittest.TestCase):
    def test_the_whole_table(self):
        self.maxDiff = None
        out = io.StringIO()
        report.table(RESULT, out)
        self.assertEqual(out.getvalue(), TABLE)

    def test_one_station_has_no_cell_and_nothing_measured_no_share(self):
        result = copy.deepcopy(RESULT)
        del result["stations"][1], result["both_ways"]
        result["frames"] = 0
        out = io.StringIO()
        result["breakdown"] = report.breakdown({"downlink": {"data": 5, "frames": 0}})
        report.table(result, out)
        self.assertEqual(out.getvalue().splitlines()[3:], list(itertools.chain(
            TABLE.splitlines()[3:5], [""], TABLE.splitlines()[7:10])))

    def test_jain_index(self):
        """1 for equal shares, 1 / n if one station has all."""
        for rates, index in (((5, 5), "1.0000"), ((1, 0), "0.5000"), ((0, 0), "0.0000"), ((3, 1), "0.8000")):
            result = copy.deepcopy(RESULT)
            for station, rate in zip(result["stations"], rates):
                station["uplink"]["udp_kbps"] = rate
            out = io.StringIO()
            report.table(result, out)
            cell = next(line for line in out.getvalue().splitlines() if line.startswith("cell               uplink"))
            self.assertTrue(cell.endswith(f"Jain index {index}"), cell)


if __name__ == "__main__":
    unittest.main()
