# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cell from Python asks of the bench's programs, and what it computes of their replies; the programs are a fake with its own clock."""
import itertools
import os
import unittest
from unittest import mock

import wimax
from wimax import stack
from wimax_tools.bench import traffic
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Clock, Delivered, StackError

IPERF = {"ip_bps": 1.0, "lost": 7, "packets": 900, "retransmissions": 3}


class World:
    """The wall clock moves by sleeping alone, simulated time by `factor` of it."""
    stations, sites, bs_netns, mode = 2, ["bs", "ss1", "ss2"], "space-bs", "free"
    parts = ["channeld", "bs.phyd", "bs.macd", "ss1.phyd", "ss1.macd", "ss2.phyd", "ss2.macd"]

    def __init__(self, profile, **words):
        self.profile, self.words, self.calls, self.asked, self.looks = profile, words, [], [], []
        self.wall_s, self.factor, self.broken, self.reply = 100.0, 2.0, None, {"status": {"frames": 5}}

    def sleep(self, seconds):
        self.wall_s += seconds

    def clock(self):
        return Clock(self.factor * self.wall_s, self.wall_s)

    def start(self):
        self.calls.append("start")
        if self.broken:
            raise self.broken

    def wait_for_entry(self):
        return 1.25

    def __getattr__(self, name):
        if name not in ("stop", "explain", "check_alive"):
            raise AttributeError(name)
        return lambda *_: self.calls.append(name)

    def address(self, site):
        return f"address of {site}"

    def route(self, i, direction):
        return f"from {i}", f"to {i}", f"{direction} {i}"

    def recent_factor(self):
        return self.factor

    def capacity_kbps(self):
        return {"downlink": 3000.0, "uplink": 1000.0}

    def delivered(self, direction):
        """800 kb/s of simulated time to the first station, 1600 to the second; a tenth of it in the uplink."""
        now = self.clock().simulated_s
        self.looks.append(self.wall_s)
        return [Delivered(octets_per_s * (1 if direction == "downlink" else 0.1) * now, now) for octets_per_s in (1e5, 2e5)]

    def ask(self, name, request):
        self.asked.append((name, request))
        return self.reply


class Transfer:
    """Of iperf3; the arguments of the last."""
    result_of, fault = IPERF, "it broke"

    def __init__(self, *arguments):
        Transfer.arguments, Transfer.calls = arguments, []

    def start(self):
        self.calls.append("start")

    def stop(self):
        self.calls.append("stop")

    def result(self):
        return self.result_of


class Calls(unittest.TestCase):
    def setUp(self):
        patches = (mock.patch.object(stack.programs, "Stack", World), mock.patch.dict(os.environ, WIMAX_BUILD_DIR="/nowhere"),
                   mock.patch.object(stack.traffic, "Iperf", Transfer), mock.patch.object(stack.time, "sleep", lambda s: self.world.sleep(s)),
                   mock.patch.object(stack.time, "monotonic", lambda: self.world.wall_s))
        for patch in patches:
            patch.start()
            self.addCleanup(patch.stop)

    def cell(self, *arguments, **words):
        cell = wimax.Stack(*arguments, **words)
        self.world = cell._programs
        return cell

    def test_defaults(self):
        words = self.cell().start()._programs.words
        self.assertEqual(self.world.profile, Profile.parse("5MHz-10ms"))
        self.assertEqual(words, {"stations": 1, "channel": "awgn", "snr_db": 30.0, "mode": "free", "seed": 1, "folder": None, "tun": True, "dl_rate": 6,
                                 "ul_rate": 6, "dl_auto": False, "ul_auto": False, "traffic": None, "channel_extra": {}, "phyd_extra": {}, "macd_extra": {}})

    def test_what_is_given_arrives(self):
        settings = {"bs": {"log": 1}, "ss2": {"log": 2}, "bs.phyd": {"log": 3}, "ss1.phyd": {"log": 4}, "channeld": {"time": {"pace": 5}}}
        words = self.cell(2, profile="7MHz-5ms", channel="sui2", snr_db=12, dl_rate="QPSK 3/4", ul_rate="auto", seed=9, pace="rt", folder="here",
                          settings=settings)._programs.words
        self.assertEqual(self.world.profile, Profile.parse("7MHz-5ms"))
        self.assertEqual(words, {"stations": 2, "channel": "sui2", "snr_db": 12, "mode": "rt", "seed": 9, "folder": "here", "tun": True, "dl_rate": 2,
                                 "ul_rate": 6, "dl_auto": False, "ul_auto": True, "traffic": None, "channel_extra": {"time": {"pace": 5}},
                                 "phyd_extra": {"bs": {"log": 3}, "ss1": {"log": 4}}, "macd_extra": {"bs": {"log": 1}, "ss2": {"log": 2}}})
        other = self.cell(dl_rate="auto", ul_rate=0)._programs.words
        self.assertEqual([other[key] for key in ("dl_rate", "dl_auto", "ul_rate", "ul_auto")], [6, True, 0, False])

    def test_scripted_traffic(self):
        def stream(kbps, source, destination):
            return {"start_s": 0.0, "period_s": 12 / kbps, "count": 4_000_000_000, "size_bytes": 1500, "source": source, "destination": destination}
        cell = self.cell(2, offer_kbps={"downlink": 1000, "uplink": 500}, settings={"channeld": {"time": {"pace": "wall"}}})
        self.assertFalse(self.world.words["tun"])
        self.assertEqual(self.world.words["channel_extra"], {"time": {"pace": "wall", "hold": True}})
        down = [stream(1000, "10.16.0.1", f"10.16.0.{n}") for n in (2, 3)]
        up = {f"ss{n}": [stream(500, f"10.16.0.{n + 1}", "10.16.0.1")] for n in (1, 2)}
        self.assertEqual(self.world.words["traffic"], {"bs": down, **up})
        self.assertEqual(self.cell(2, offer_kbps={"uplink": 500})._programs.words["traffic"], up)
        self.assertEqual(self.cell(2, offer_kbps={"downlink": 1000})._programs.words["traffic"], {"bs": down})
        self.assertEqual(self.cell(2, offer_kbps={})._programs.words["traffic"], {})
        for call in (cell.ping, cell.iperf):
            with self.assertRaisesRegex(StackError, "no kernel traffic"):
                call()

    def test_limits(self):
        for wrong in ({"stations": 0}, {"stations": 65}, {"snr_db": -31}, {"snr_db": 101}, {"seed": -1}, {"seed": 2**63}, {"dl_rate": 7}, {"ul_rate": -1},
                      {"pace": "fast"}, {"pace": ""}, {"channel": "none"}, {"profile": "5MHz"}, {"offer_kbps": {"up": 5}}, {"offer_kbps": {"uplink": 0.9}},
                      {"offer_kbps": {"uplink": 1_000_001}}, {"settings": {"ss2": {}}}, {"settings": {"ss0": {}}}, {"settings": {"ss2.phyd": {}}},
                      {"settings": {"bs.macd": {}}}):
            with self.assertRaises(ValueError, msg=wrong) as raised:
                self.cell(**wrong)
            self.assertEqual(len(str(raised.exception).splitlines()), 1, wrong)
        most = [f"ss{n}{kind}" for n in range(1, 65) for kind in ("", ".phyd")]
        self.cell(64, snr_db=100, seed=2**63 - 1, dl_rate=0, ul_rate="BPSK 1/2", pace="paced", offer_kbps={"uplink": 1, "downlink": 1e6},
                  settings={name: {} for name in (*most, "bs", "bs.phyd", "channeld")})
        self.cell(1, snr_db=-30, seed=0)
        del os.environ["WIMAX_BUILD_DIR"]
        with self.assertRaisesRegex(StackError, "wimax python SCRIPT"):
            self.cell()

    def test_start_and_end(self):
        with self.cell() as cell:
            self.assertEqual((cell.entry_time_s, cell.stations, cell.time_s, self.world.calls), (1.25, 2, 200.0, ["start"]))
        self.assertEqual(self.world.calls, ["start", "stop"])
        for error, calls in ((StackError("x"), ["explain", "stop"]), (KeyboardInterrupt(), ["stop"])):
            cell = self.cell()
            with self.assertRaises(type(error)), cell:
                raise error
            self.assertEqual(self.world.calls, ["start", *calls])
            cell = self.cell()
            self.world.broken = error
            with self.assertRaises(type(error)):
                cell.start()
            self.assertEqual(self.world.calls, ["start", *calls])
        self.assertIsNone(cell.entry_time_s)

    def test_a_run_ends_in_time_or_when_time_stops(self):
        cell = self.cell()
        cell.run(1)
        self.assertAlmostEqual(self.world.wall_s, 100.5, delta=0.011)
        self.assertIn("check_alive", self.world.calls)
        self.world.factor = 0.01
        cell.run(0.5)  # slow, but never still
        self.world.factor, begin = 0, self.world.wall_s
        cell.run(0)  # is over where it begins
        self.assertEqual(self.world.wall_s, begin)
        with self.assertRaisesRegex(StackError, "no simulated time passed for 30 s"):
            cell.run(1)
        self.assertAlmostEqual(self.world.wall_s - begin, 30, delta=0.04)

    def test_links_that_change(self):
        cell = self.cell(2)
        down, up = [f"bs->ss{n}" for n in (1, 2)], [f"ss{n}->bs" for n in (1, 2)]
        for words, names in (({}, [down[0], up[0], down[1], up[1]]), ({"station": 2}, [down[1], up[1]]), ({"direction": "uplink"}, up),
                             ({"station": 1, "direction": "downlink"}, down[:1])):
            self.world.asked = []
            cell.set_channel(snr_db=3, **words)
            self.assertEqual(self.world.asked, [("channeld", {"set": {"link": {"name": name, "snr_db": 3}}}) for name in names], words)
        for wrong in ({"station": 0}, {"station": 3}, {"direction": "up"}):
            with self.assertRaises(ValueError, msg=wrong):
                cell.set_channel(snr_db=3, **wrong)

    def test_questions(self):
        cell = self.cell(2)
        self.assertEqual(cell.metrics(), {"frames": 5})
        cell.metrics("ss2")
        cell.set("bs.phyd", "log", "debug")
        self.assertEqual(self.world.asked, [("bs.macd", {"get": "status"}), ("ss2.macd", {"get": "status"}), ("bs.phyd", {"set": {"log": "debug"}})])
        for reply, error in ((None, StackError), ({"error": ["key: wrong"]}, ValueError)):
            self.world.reply = reply
            with self.assertRaises(error):
                cell.metrics()
        with self.assertRaisesRegex(ValueError, "allowed: bs, ss1, ss2, channeld"):
            cell.metrics("ss3")
        self.assertEqual((cell.capacity_kbps("downlink"), cell.capacity_kbps("uplink")), (3000, 1000))
        with self.assertRaises(ValueError):
            cell.capacity_kbps("up")

    def test_goodput(self):
        cell = self.cell(2)
        for words, kbps, seconds in (({}, [800], 1), ({"direction": "uplink", "station": 2, "seconds": 4, "parts": 2}, [160, 160], 4)):
            begin = cell.time_s
            for found, known in itertools.zip_longest(cell.goodput_kbps(**words), kbps):
                self.assertAlmostEqual(found, known)
            self.assertAlmostEqual(cell.time_s - begin, seconds, delta=0.05)

    def test_ping(self):
        def ping(*arguments):
            self.arguments = arguments
            self.world.factor = 3.0  # (3 * 101 - 2 * 100) simulated seconds in one
            self.world.wall_s += 1
            return {"rtt_s": [0.001, 0.004], "lost": 2}
        cell = self.cell(2)
        with mock.patch.object(stack.traffic, "ping", ping):
            found = cell.ping(2, probes=4, octets=100, seed=3)
            self.assertEqual(self.arguments, ("space-bs", "address of ss2", 4, 0.01, 3, 100))
            self.assertEqual((found.lost, [round(ms, 6) for ms in found.rtt_ms], round(found.mean_ms, 6)), (2, [103, 412], 257.5))
            self.assertEqual([round(found.percentile_ms(share)) for share in (0.1, 0.5, 0.99)], [103, 412, 412])
            cell.ping()
            self.assertEqual(self.arguments, ("space-bs", "address of ss1", 20, 0.01, 1, traffic.SMALL_PACKET))
        none = wimax.Ping((), 3)
        self.assertEqual((str(none.mean_ms), none.percentile_ms(0.5)), ("nan", None))

    def test_iperf(self):
        cell = self.cell(2)
        begin = self.world.wall_s
        found = cell.iperf("uplink", station=2, seconds=10, udp_kbps=300)
        payload_bps = 300e3 * 2 * 1472 / 1500
        self.assertEqual(Transfer.arguments[:5], ("from 1", "to 1", "uplink 1", 5201, 5.0))
        self.assertAlmostEqual(Transfer.arguments[5], payload_bps)
        self.assertEqual((round(found.kbps, 3), found.packets, found.lost, found.retransmissions), (160, 900, 7, 3))
        self.assertAlmostEqual(self.world.wall_s - begin, 0.8 * 5)
        self.assertEqual([round(at - begin, 6) for at in self.world.looks], [1.5 + n * 0.125 for n in range(20)])
        self.assertEqual(Transfer.calls, ["start", "stop"])
        for mode, factor, seconds, wall_s in (("free", 2, None, 2.5), ("paced", 2, None, 5), ("paced", 0.5, None, 10), ("free", 2, 0.1, 1)):
            self.world.mode, self.world.factor = mode, factor
            self.assertAlmostEqual(cell.iperf(**({"seconds": seconds} if seconds else {})).kbps, 800)
            self.assertEqual((Transfer.arguments[0], Transfer.arguments[4:]), ("from 0", (wall_s, None)))
        self.assertEqual(Transfer.arguments[3], 5205)
        with mock.patch.object(Transfer, "result_of", None), self.assertRaisesRegex(StackError, "iperf3 downlink of station 2: it broke"):
            cell.iperf(station=2)
        self.assertEqual(Transfer.calls, ["start", "stop"])
        for wrong in ({"direction": "up"}, {"station": 0}, {"station": 3}):
            with self.assertRaises(ValueError, msg=wrong):
                cell.iperf(**wrong)


if __name__ == "__main__":
    unittest.main()
