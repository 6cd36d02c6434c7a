# SPDX-License-Identifier: GPL-3.0-or-later
"""The stack that the bench and the tests drive: what it configures, and what it makes of the answers of daemons."""
import io
import os
import subprocess
import sys
import threading
import time
import types
import unittest
from unittest import mock

import yaml
import zmq

from wimax_tools.bench import stack as stack_module
from wimax_tools.bench.cable import Cable, End
from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Clock, Delivered, Stack, StackError, StallWatch, merge


class StackCase(unittest.TestCase):
    def stack(self, profile="5MHz-10ms", statuses=None, **options):
        """With these answers instead of daemons: {daemon: status}."""
        self.maxDiff = None
        stack = Stack(Profile.parse(profile), **{"tun": False, "stations": 2, **options})
        self.addCleanup(stack.stop)
        if statuses is not None:
            stack.status = lambda daemon, timeout_ms=0: statuses.get(daemon)
        return stack


class Configuration(StackCase):
    def written(self, stack):
        stack.write_configuration()
        return {path.stem: yaml.safe_load(path.read_text(encoding="utf-8")) for path in stack.folder.glob("*.yml")}

    def test_what_stands_twice_is_written_twice(self):
        same = {"low": 1, "high": 2}
        stack = self.stack(macd_extra={"bs": {"bs": {"a": [same, same]}}})
        self.assertEqual(self.written(stack)["bs.macd"]["bs"]["a"], [same, same])
        self.assertNotIn("&", (stack.folder / "bs.macd.yml").read_text(encoding="utf-8"))

    def test_every_file(self):
        stack = self.stack(tun=True, channel="sui2", snr_db=20.0, dl_rate=3, ul_rate=5, seed=77)
        net, run = f"wmx{os.getpid() % 100000}", stack.run
        channeld = {
            "listen": [f"{run}/channel"], "control": {"endpoint": f"ipc://{run}/channeld.ctl"}, "sample_rate_hz": 5760000, "seed": 77,
            "status": {"console": True}, "defaults": {"tx_power_dbm": 30, "noise_figure_db": 5},
            "time": {"mode": "commit", "pace": "wall", "wait_for": ["bs", "ss1", "ss2"], "catch_up_ms": 1000},
            "links": [{"from": "bs", "to": "ss*", "snr_db": 20.0, "channel": "sui2", "delay_samples": 20.0}]}
        phyd = {site: {"role": site[:2], "sap": {"endpoint": f"ipc://{run}/{site}.sap"}, "control": {"endpoint": f"ipc://{run}/{site}.phyd.ctl"},
                       "radio": {"device": f"type=vrf,addr={run}/channel,name={site}", "tx_enable": "virtual",
                                 "allowed_bands": [{"low_hz": 3.4e9, "high_hz": 3.6e9}], "max_power_dbm": 36},
                       "timing": {"tick_lead_us": 1000, "deadline_lead_us": 500}} for site in ("bs", "ss1", "ss2")}
        macd = {site: {"role": site[:2], "sap": {"endpoint": f"ipc://{run}/{site}.sap"},
                       "control": {"endpoint": f"ipc://{run}/{site}.macd.ctl"},
                       "tun": {"enabled": True, "name": f"wimax-{site}", "netns": f"{net}-{site}",
                               "address": f"10.16.0.{number}/24", "mtu": 1500},
                       "air": {"bandwidth_hz": 5000000, "tx_gain_db": 60, "rx_gain_db": 52}, "traffic": []}
                for number, site in enumerate(("bs", "ss1", "ss2"), 1)}
        macd["bs"]["bs"] = {
            "cp": "1/8", "frame_duration_s": "0.01", "dl_rate_id": 3, "ul_rate_id": 5,
            "target_rssi_dbm": -82.47,  # -174 dBm/Hz + 67.60 dB + noise figure 5 dB + SNR 20 dB - 1.07 dB
            "stations": [{"mac": f"02:00:00:00:00:0{i}", "name": f"ss{i}", "ip_addresses": [f"10.16.0.{1 + i}/32"]} for i in (1, 2)]}
        macd["ss1"]["ss"], macd["ss2"]["ss"] = {"mac": "02:00:00:00:00:01"}, {"mac": "02:00:00:00:00:02"}
        self.assertEqual(self.written(stack), {"channeld": channeld, **{f"{s}.phyd": c for s, c in phyd.items()},
                                               **{f"{s}.macd": c for s, c in macd.items()}})
        stack.tun = False  # nothing was started: no namespaces to delete

    def test_models_of_radios(self):
        files = self.written(self.stack(mode="free", cable=Cable(6.25e6, 60, End("x310-ubx", 1.5, 30), End("b210", 59.75, 25, 6.25e6))))
        channel = files["channeld"]
        self.assertEqual((channel["sample_rate_hz"], channel["links"]),
                         (6.25e6, [{"from": "bs", "to": "ss*", "path_loss_db": 60, "channel": "awgn", "delay_samples": 20.0}]))
        self.assertRegex(files["bs.phyd"]["radio"]["device"], r",name=bs,personality=x310-ubx,opening_s=0$")
        self.assertNotIn("device_rate_hz", files["bs.phyd"]["radio"])
        self.assertEqual(files["ss2.phyd"]["radio"]["device_rate_hz"], 6.25e6)
        self.assertEqual([(files[f"{s}.macd"]["air"]["tx_gain_db"], files[f"{s}.macd"]["air"]["rx_gain_db"]) for s in ("bs", "ss1")],
                         [(1.5, 30), (59.75, 25)])
        self.assertEqual(files["bs.macd"]["bs"]["target_rssi_dbm"], -60)  # 0 dBm by 60 dB

    def test_cores_in_radios(self):
        files = self.written(self.stack(fpga=True, snr_db=20.0))
        self.assertEqual(files["bs.phyd"]["radio"]["headroom_db"], 12)
        self.assertEqual(files["channeld"]["links"][0]["snr_db"], 32)
        self.assertEqual(files["bs.macd"]["bs"]["target_rssi_dbm"], -82.47)  # as without
        self.assertEqual({files[f"{s}.phyd"]["radio"]["device"].rpartition(",")[2] for s in ("bs", "ss1", "ss2")}, {"fpga=1"})
        gate = {"bursts": 3}
        phyd = {"detected_preambles": 2, "transformed_symbols": 970, "frames": 10, "radio": {"gate": gate}}
        self.assertEqual(self.stack(stations=1, statuses={"bs.phyd": phyd, "ss1.phyd": dict(phyd, frames=11)}).core_figures(),
                         {site: {"preambles": 2, "symbols": 970, "frames": n, "gate": gate} for site, n in (("bs", 10), ("ss1", 11))})

    def test_what_depends_on_options(self):
        files = self.written(self.stack("3.5MHz-2.5ms-cp32", mode="rt", dl_rate=0))
        self.assertEqual(files["channeld"]["time"]["mode"], "rt")
        self.assertEqual(files["channeld"]["sample_rate_hz"], 4000000)
        self.assertEqual(files["bs.phyd"]["timing"], {"tick_lead_us": 8000, "turnaround_us": 9000})
        self.assertEqual((files["channeld"]["chunk_us"], files["bs.macd"]["bs"]["map_relevance"]), (1000, "next_frame"))
        self.assertEqual((files["bs.macd"]["bs"]["cp"], files["bs.macd"]["bs"]["frame_duration_s"]), ("1/32", "0.0025"))
        self.assertEqual(files["bs.macd"]["bs"]["profile"]["broadcast_rate_id"], 0)
        self.assertEqual(files["ss1.macd"]["tun"], {"enabled": False})
        files = self.written(self.stack(dl_auto=True, ul_auto=True))
        bs = files["bs.macd"]["bs"]
        self.assertEqual([bs["dl_rate_id"], bs["dl_lowest_rate_id"], bs["ul_lowest_rate_id"], bs["profile"]["broadcast_rate_id"]],
                         [6, 0, 0, 0])
        files = self.written(self.stack(mode="free", traffic={"ss1": [{"count": 1}]}, channel_extra={"time": {"hold": True}},
                                        macd_extra={"ss2": {"sap": {"answer_delay_ms": 4}}}, phyd_extra={"bs": {"role": "x"}}))
        self.assertEqual(files["channeld"]["time"],
                         {"mode": "commit", "pace": "free", "wait_for": ["bs", "ss1", "ss2"], "catch_up_ms": 1000, "hold": True})
        self.assertEqual([files[f"{s}.macd"]["traffic"] for s in ("bs", "ss1", "ss2")], [[], [{"count": 1}], []])
        self.assertEqual(files["ss2.macd"]["sap"]["answer_delay_ms"], 4)
        self.assertNotIn("answer_delay_ms", files["ss1.macd"]["sap"])
        self.assertEqual([files[f"{s}.phyd"]["role"] for s in ("bs", "ss1")], ["x", "ss"])

    def test_stations_that_share_processes(self):
        stack = self.stack(stations=5, shared=2)
        files = self.written(stack)
        self.assertEqual(stack.daemons, ["channeld", "bs.phyd", "bs.macd", "stations1", "stations2"])
        self.assertEqual(stack.parts, self.stack(stations=5).daemons)
        self.assertEqual(files["stations1"]["stations"], [{"name": s, "mac": f"{s}.macd.yml", "phy": f"{s}.phyd.yml"} for s in ("ss1", "ss3", "ss5")])
        self.assertEqual([s["name"] for s in files["stations2"]["stations"]], ["ss2", "ss4"])
        self.assertEqual(files["stations2"]["control"]["endpoint"], stack.control("stations2"))
        self.assertEqual(files["ss4.macd"]["control"]["endpoint"], stack.control("ss4.macd"))
        self.assertEqual((files["ss4.phyd"]["capture"], files["bs.phyd"].get("capture")), ({"length_ms": 0}, None))
        self.assertEqual(self.stack(stations=1, shared=4).daemons, ["channeld", "bs.phyd", "bs.macd", "stations1"])
        self.assertEqual(self.stack(stations=2).groups, {})

    def test_routes(self):
        stack, net = self.stack(), f"wmx{os.getpid() % 100000}"
        self.assertEqual(stack.route(1, "downlink"), (f"{net}-bs", f"{net}-ss2", "10.16.0.3"))
        self.assertEqual(stack.route(1, "uplink"), (f"{net}-ss2", f"{net}-bs", "10.16.0.1"))
        self.assertEqual((stack.bs_netns, stack.ss_address(0), stack.mac_address(10)), (f"{net}-bs", "10.16.0.2", "02:00:00:00:00:0b"))

    def test_it_begins_anew(self):
        stack, done = self.stack(statuses={"channeld": {"time_s": 7.25}}), []
        stack.stop_daemons = lambda: done.append("stopped")
        stack.start_daemon = done.append
        stack.wait_for_entry = lambda: done.append("entered")
        stack.begin_anew()
        self.assertEqual(done, ["stopped", "channeld", "bs.phyd", "bs.macd", "ss1.phyd", "ss1.macd", "ss2.phyd", "ss2.macd", "entered"])
        self.assertEqual(stack.clock().simulated_s, 14.5)

    def test_merge(self):
        into = {"a": {"b": 1, "c": {"d": 2}}, "e": {"f": 3}}
        merge(into, {"a": {"c": {"g": 4}}, "e": 5, "h": {"i": 6}})
        self.assertEqual(into, {"a": {"b": 1, "c": {"d": 2, "g": 4}}, "e": 5, "h": {"i": 6}})


def base_station(**changes):
    station = {"capacity": {"downlink": {"kbps": 8010}, "uplink": {"kbps": 1}, "uplink_shared": {"kbps": 7930}}, "frames": 510,
               "symbols": {"dl": {"data": 900, "maps": 30}, "ul": {"data": 700, "ranging": 9}},
               "stations": [{"mac": "02:00:00:00:00:02", "ul": {"bytes": 222}, "dl": {"backlog_bytes": 20}},
                            {"mac": "02:00:00:00:00:01", "ul": {"bytes": 111}, "dl": {"backlog_bytes": 3}}]}
    return {"frames": 600, "simulated_s": 6.5, "sdus": {"out_bytes": 9}, "station": dict(station, **changes)}


class Answers(StackCase):
    def statuses(self, **more):
        return {"channeld": {"time_s": 7.25}, "bs.macd": base_station(),
                "ss1.macd": {"simulated_s": 6.25, "sdus": {"out_bytes": 1000}, "station": {"ul": {"backlog_bytes": 400}}},
                "ss2.macd": {"simulated_s": 6.75, "sdus": {"out_bytes": 2000}, "station": {"ul": {"backlog_bytes": 5000}}},
                "bs.phyd": {"late": 1}, "ss1.phyd": {"late": 20}, "ss2.phyd": {"late": 300}, **more}

    def test_figures(self):
        stack = self.stack(statuses=self.statuses())
        self.assertEqual(stack.capacity_kbps(), {"downlink": 4005.0, "uplink": 3965.0})
        self.assertEqual(stack.counters(), {"frames": 600, "late": 321})
        self.assertEqual(stack.delivered("downlink"), [Delivered(1000, 6.25), Delivered(2000, 6.75)])
        self.assertEqual(stack.delivered("uplink"), [Delivered(111, 6.5), Delivered(222, 6.5)])
        self.assertEqual(stack.queued_octets(), 5423)
        self.assertEqual(stack.clock().simulated_s, 7.25)

    def test_a_daemon_that_does_not_answer(self):
        for daemon, question in (("channeld", "clock"), ("bs.macd", "capacity_kbps"), ("bs.macd", "forget_usage"),
                                 ("ss2.macd", "queued_octets")):
            with self.assertRaisesRegex(StackError, f"^{daemon} does not answer$"):
                getattr(self.stack(statuses=self.statuses(**{daemon: None})), question)()
        with self.assertRaisesRegex(StackError, "^ss1.macd does not answer$"):
            self.stack(statuses=self.statuses(**{"ss1.macd": None})).delivered("downlink")
        self.assertEqual(self.stack(statuses=self.statuses(**{"ss1.phyd": None})).counters(), {"frames": 600, "late": 301})

    def test_usage_is_what_came_between(self):
        statuses = self.statuses()
        stack = self.stack(statuses=statuses)
        stack.forget_usage()
        statuses["bs.macd"] = base_station(frames=520, symbols={"dl": {"data": 1850, "maps": 60},
                                                                "ul": {"data": 800, "ranging": 19, "idle": 4}})
        stack.keep_usage("uplink")
        stack.keep_usage("downlink")
        self.assertEqual(stack.usage, {"downlink": {"data": 950, "maps": 30, "frames": 10},
                                       "uplink": {"data": 100, "ranging": 10, "idle": 4, "frames": 10}})

    def test_clock(self):
        self.assertEqual(Clock(7.5, 104.0).factor_since(Clock(6.5, 100.0)), 0.25)
        self.assertEqual(Clock(6.5, 104.0).factor_since(Clock(6.5, 100.0)), 1e-6)  # no time passed; rates are divided by it

    def test_recent_factor(self):
        stack, times = self.stack(), iter([Clock(1.0, 50.0), Clock(1.3, 50.2)])
        stack.clock = lambda: next(times)
        with mock.patch.object(stack_module, "time", types.SimpleNamespace(sleep=lambda _: None, monotonic=time.monotonic)):
            self.assertAlmostEqual(stack.recent_factor(), 1.5)


class Entry(StackCase):
    """Looks at a system that comes up: (simulated s, radios that stream, stations that are operational)."""

    def enter(self, looks, wall_s=0.05, **options):
        stack, self.now, said = self.stack(), 0.0, []
        state = {"at": -1}

        def status(daemon, timeout_ms=0):
            if daemon == "channeld":
                state["at"] = min(state["at"] + 1, len(looks) - 1)
                time_s, radios, _ = looks[state["at"]]
                return None if time_s is None else {"time_s": time_s, "radios": {s: {"streaming": i < radios}
                                                                                for i, s in enumerate(("bs", "ss1", "ss2"))}}
            return None if daemon == "bs.macd" else {"operational": int(daemon[2]) <= looks[state["at"]][2]}

        def sleep(_):
            self.now += wall_s

        stack.status = status
        with mock.patch.object(stack_module, "time", types.SimpleNamespace(sleep=sleep, monotonic=lambda: self.now)):
            return stack.wait_for_entry(said.append, **options), said

    def test_time_counts_from_all_radios_on_to_the_slowest_station(self):
        entry, said = self.enter([(None, 0, 0), (0.5, 2, 0), (0.75, 3, 0), (1.5, 3, 1), (2.0, 3, 2)])
        self.assertEqual(entry, 1.25)
        self.assertEqual(said, ["entry: 0 of 2 station(s) operational after 0.5 s", "entry: 0 of 2 station(s) operational after 0.0 s",
                                "entry: 1 of 2 station(s) operational after 0.8 s", "entry: 2 of 2 station(s) operational after 1.2 s"])

    def test_stations_that_never_enter(self):
        with self.assertRaisesRegex(StackError, r"1 station\(s\) not operational after 30 s of simulated time"):
            self.enter([(100.0, 3, 0), (129.9, 3, 1), (130.1, 3, 1), (200.0, 3, 2)])
        with self.assertRaisesRegex(StackError, r"2 station\(s\) not operational after 5 s"):
            self.enter([(100.0, 3, 0), (105.1, 3, 0), (200.0, 3, 2)], limit_s=5)

    def test_a_channel_that_never_answers(self):
        with self.assertRaisesRegex(StackError, "no entry: the system does not run"):
            self.enter([(None, 0, 0)], wall_s=1.0)
        self.assertAlmostEqual(self.now, 121, delta=1)


class Quiet(StackCase):
    """Stack.wait_until_quiet, by looks at a system: (simulated s, octets waiting down, up, octets delivered down, up)."""

    def looked_at(self, looks):
        stack = self.stack(stations=1)
        self.looks, self.at = looks, 0
        stack.clock = lambda: Clock(self.looks[self.at][0], 0.0)
        stack.capacity_kbps = lambda: {"downlink": 8000.0, "uplink": 4000.0}
        stack.answer = lambda daemon: {"station": {"stations": [{"dl": {"backlog_bytes": self.looks[self.at][1]}}]}} \
            if daemon == "bs.macd" else {"station": {"ul": {"backlog_bytes": self.looks[self.at][2]}}}

        def delivered(direction):
            octets = self.looks[self.at][3 if direction == "downlink" else 4]
            if direction == "uplink":
                self.at += 1
            return [Delivered(octets, 0.0)]

        stack.delivered = delivered
        return stack

    def test_until_nothing_waits_and_nothing_arrives_for_ten_frames(self):
        for looks in ([(1.0, 9000, 0, 100, 0), (1.01, 0, 500, 8000, 0), (1.02, 0, 0, 8000, 600),  # 1500 octets in the air yet
                       (1.1, 0, 0, 8000, 2100), (1.19, 0, 0, 8000, 2100), (1.21, 0, 0, 8000, 2100)],
                      [(1.0, 0, 0, 8000, 2100), (1.09, 0, 0, 8000, 2100), (1.1, 1, 0, 8000, 2100), (1.19, 0, 0, 8000, 2100),
                       (1.21, 0, 0, 8000, 2100)]):
            self.looked_at(looks).wait_until_quiet()
            self.assertEqual(self.at, len(looks))

    def test_queues_that_never_empty_end_the_bench(self):
        looks = [(1.0, 500_000, 0, 0, 0), (1.0, 500_000, 0, 0, 0), (12.9, 500_000, 0, 0, 0), (13.1, 500_000, 7, 0, 0)]
        with self.assertRaisesRegex(StackError, "queues not quiet after 12.0 s of simulated time: 500007 octets wait"):
            self.looked_at(looks).wait_until_quiet()
        looks = [(1.0, 50_000, 0, 0, 0), (1.0, 50_000, 0, 0, 0), (23.4, 50_000, 0, 0, 0), (23.6, 50_000, 0, 0, 0)]
        with self.assertRaisesRegex(StackError, "after 22.5 s"):  # 400 kbit twice
            self.looked_at(looks).wait_until_quiet(64.0)


class Processes(StackCase):
    def test_a_program_that_is_missing(self):
        with mock.patch.dict(os.environ, WIMAX_BUILD_DIR="/nowhere"), \
                self.assertRaisesRegex(StackError, "/nowhere/bin/wimax-channeld is missing; type: ./wimax build"):
            self.stack().start_daemon("channeld")

    def test_a_daemon_that_ended_is_told_with_its_last_words(self):
        stack = self.stack()
        for daemon, code in (("channeld", "import time; time.sleep(600)"), ("bs.phyd", "raise SystemExit(3)")):
            stack.processes[daemon] = subprocess.Popen([sys.executable, "-c", code])
            (stack.folder / f"{daemon}.log").write_text("".join(f"line {i}\n" for i in range(9)), encoding="utf-8")
        stack.processes["bs.phyd"].wait()
        with self.assertRaisesRegex(StackError, "^bs.phyd ended with status 3: line 8$"):
            stack.check_alive()
        out = io.StringIO()
        stack.explain(out)
        last = "".join(f"\n    line {i}" for i in range(3, 9)) + "\n"
        self.assertEqual(out.getvalue(), "--- channeld (running)" + last + "--- bs.phyd (ended with 3)" + last)
        stack.kill("channeld")
        self.assertEqual(stack.processes["channeld"].returncode, -9)

    def test_stop_ends_every_process_and_leaves_no_folder(self):
        stack = self.stack()
        stack.processes["channeld"] = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        stack.stop()
        self.assertEqual(stack.processes["channeld"].returncode, -15)
        self.assertFalse(stack.run.exists() or stack.folder.exists())

    def test_logs_are_kept_where_asked(self):
        folder = self.stack().folder / "logs"
        stack = self.stack(folder=folder)
        stack.write_configuration()
        stack.stop()
        self.assertTrue((folder / "channeld.yml").exists() and not stack.run.exists())

    def test_cpu_seconds(self):
        stack = self.stack()
        stack.processes["bs.macd"] = types.SimpleNamespace(pid=os.getpid(), poll=lambda: 0, wait=lambda *_: 0)
        used = lambda: sum(os.times()[:2])  # noqa: E731
        until = used() + 0.1
        while used() < until:
            pass
        before, said, after = used(), stack.cpu_seconds(), used()
        self.assertEqual(list(said), ["bs.macd"])
        self.assertTrue(before - 0.021 <= said["bs.macd"] <= after + 0.021, (before, said, after))


    def test_namespaces_go_that_are_there(self):
        stack, net = self.stack(tun=True), f"wmx{os.getpid() % 100000}"
        done = types.SimpleNamespace(stdout=f"{net}-bs (id: 3)\nother-ss1\n{net}-ss2\n")
        with mock.patch.object(stack_module.subprocess, "run", return_value=done) as asked:
            stack.stop()
        stack.tun = False
        self.assertEqual([" ".join(call[0][0]) for call in asked.call_args_list],
                         ["ip netns list", f"ip netns delete {net}-bs", f"ip netns delete {net}-ss2"])

    def test_commands_of_daemons(self):
        for mode in ("paced", "free", "rt"):
            stack = self.stack(mode=mode)
            with mock.patch.object(stack_module.subprocess, "Popen") as started:
                started.return_value.pid = os.getpid()
                stack.start_daemon("ss1.phyd")
            stack.processes.clear()
            self.assertEqual(started.call_args[0][0], [f"{stack.binaries}/wimax-phyd", "--config", f"{stack.folder}/ss1.phyd.yml"])
            self.assertTrue(started.call_args[1]["start_new_session"])  # Ctrl-C is the bench's alone
        stack = self.stack(shared=1)
        with mock.patch.object(stack_module.subprocess, "Popen") as started:
            started.return_value.pid = os.getpid()
            stack.start_daemon("stations1")
        stack.processes.clear()
        self.assertEqual(started.call_args[0][0], [f"{stack.binaries}/wimax-stationd", "--config", f"{stack.folder}/stations1.yml"])

    def test_a_daemon_started_again_goes_on_in_its_log(self):
        stack = self.stack()
        stack.binaries = stack.folder
        (stack.folder / "wimax-macd").write_text("#!/bin/sh\necho $0 $*\n", encoding="utf-8")
        (stack.folder / "wimax-macd").chmod(0o755)
        for _ in range(2):
            stack.start_daemon("bs.macd")
            stack.processes["bs.macd"].wait()
        line = f"{stack.folder}/wimax-macd --config {stack.folder}/bs.macd.yml\n"
        self.assertEqual((stack.folder / "bs.macd.log").read_text(encoding="utf-8"), 2 * line)

    def test_questions(self):
        """Answered, or not within the time; a question that nobody took must not keep the program from ending."""
        for answered, said in ((True, {"status": 1}), (False, None)):
            context = mock.Mock()
            socket = context.socket.return_value
            socket.poll.return_value, socket.recv_json.return_value = answered, {"status": 1}
            self.assertEqual(stack_module.ask(context, "ipc:///x", {"get": "status"}, 250), said)
            self.assertEqual([name for name, *_ in socket.method_calls if name != "recv_json"],
                             ["setsockopt", "connect", "send_json", "poll", "close"])
            socket.setsockopt.assert_called_once_with(zmq.LINGER, 0)
            socket.connect.assert_called_once_with("ipc:///x")
            socket.send_json.assert_called_once_with({"get": "status"})
            socket.poll.assert_called_once_with(250)


class Passing(StackCase):
    def passed(self, speed, seconds):
        """A stack whose simulation has this speed; times of the wall clock at which it was looked at."""
        stack, wall, looks = self.stack(), [50.0], []
        stack.clock = lambda: looks.append(wall[0]) or Clock(7 + speed * (wall[0] - 50), wall[0])

        def sleep(s):
            wall[0] += s

        with mock.patch.object(stack_module, "time", types.SimpleNamespace(sleep=sleep, monotonic=time.monotonic)):
            stack.pass_time(seconds)
        return looks

    def test_simulated_time_passes_at_any_speed(self):
        for speed in (0.1, 0.7, 1.0, 3.0):
            looks = self.passed(speed, 2.0)
            self.assertAlmostEqual(looks[-1] - 50, 2.0 / speed, delta=0.06, msg=speed)

    def test_a_simulation_that_stands_still_is_an_error(self):
        with self.assertRaisesRegex(StackError, "not moved for 30 s"):
            self.passed(0, 1.0)


class Stalls(unittest.TestCase):
    def test_the_longest_beyond_the_sleep_itself(self):
        watch, times = StallWatch(period_s=0.005), iter([10.0, 10.005, 10.110, 10.135, 10.140])
        left = [4]

        def sleep(_):
            left[0] -= 1
            if not left[0]:
                watch.stop()

        with mock.patch.object(stack_module, "time", types.SimpleNamespace(sleep=sleep, monotonic=lambda: next(times))):
            watch._run()
        self.assertAlmostEqual(watch.longest_s, 0.1)

    def test_what_the_host_gave_to_others(self):
        counts = iter([[100, 10, 50, 1000, 5, 1, 2, 40], [160, 15, 80, 1075, 5, 2, 6, 65]])
        watch = StallWatch(ticks=lambda: next(counts))
        watch._thread = mock.Mock()
        watch.start()
        self.assertAlmostEqual(watch.stolen_share(), 25 / 200)

    def test_it_runs_beside(self):
        watch, slept = StallWatch(), threading.Event()
        with mock.patch.object(stack_module, "time", types.SimpleNamespace(sleep=lambda _: slept.set(), monotonic=time.monotonic)):
            watch.start()
            self.assertTrue(slept.wait(60))
            watch.stop()
            watch._thread.join()


if __name__ == "__main__":
    unittest.main()
