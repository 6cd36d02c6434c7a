# SPDX-License-Identifier: GPL-3.0-or-later
import json
import os
import socket
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.control import Failed, Refused, runtime_folder, served as is_served
from wimax_tools.ctl import command

MAC = "02:00:00:00:00:01"


class Program:
    def __init__(self):
        self.requests, self.cinr = [], 30

    def __call__(self, request):
        self.requests.append(request)
        if "set" in request:
            return {"error": ["log.mac: value \"loud\": allowed trace"]} if "loud" in request["set"].values() else {"ok": True}
        if request["get"] == "":
            return {"get": ["status"], "set": ["log.mac"], "help": {"get": {"status": "figures"}, "set": {"log.mac": "level"}}}
        if request["get"] != "status":
            return {"error": ["get: value x: allowed status"]}
        self.cinr -= 1
        return {"status": {"cinr_db": self.cinr, "stations": [{"mac": MAC, "name": "first", "dl": {"sdus": 7}}], "state": "operational"}}


def run(program, *arguments):
    return command.run(command.parser().parse_intermixed_args(["bs", *arguments]), program)


def served(path):
    server = socket.socket(socket.AF_UNIX)
    server.bind(str(path))
    server.listen()
    return server


class Ctl(unittest.TestCase):
    def test_figures_by_their_path(self):
        self.assertEqual(run(Program(), "get", "status.cinr_db"), "29")
        for station in ("first", MAC, "0"):
            self.assertEqual(run(Program(), "get", f"status.stations.{station}.dl.sdus"), "7")
        self.assertEqual(run(Program(), "get", "status.state"), "operational")
        self.assertEqual(run(Program(), "--json", "get", "status.stations.0.dl"), '{"sdus": 7}')

    def test_all_of_a_key_in_lines(self):
        self.assertEqual(run(Program(), "get", "status").splitlines(), [
            "cinr_db                 29", f"stations.first.mac      {MAC}", "stations.first.name     first",
            "stations.first.dl.sdus  7", "state                   operational"])

    def test_a_wrong_path_names_what_is_there(self):
        with self.assertRaisesRegex(Refused, "'status.cinr': there is no 'cinr'; allowed: cinr_db, stations, state"):
            run(Program(), "get", "status.cinr")
        with self.assertRaisesRegex(Refused, "there is no 'second'; allowed: first"):
            run(Program(), "get", "status.stations.second")
        with self.assertRaisesRegex(Refused, "allowed status"):
            run(Program(), "get", "nothing")

    def test_set_takes_json_and_plain_words(self):
        program = Program()
        self.assertEqual(run(program, "set", "log.mac", "debug"), "done")
        run(program, "set", "link", '{"name": "bs->ss1", "snr_db": 12}')
        self.assertEqual(program.requests, [{"set": {"log.mac": "debug"}}, {"set": {"link": {"name": "bs->ss1", "snr_db": 12}}}])
        with self.assertRaisesRegex(Refused, "allowed trace"):
            run(program, "set", "log.mac", "loud")
        with self.assertRaisesRegex(Refused, "set needs KEY VALUE"):
            run(program, "set", "log.mac")

    def test_keys_with_what_they_are(self):
        self.assertEqual(run(Program()), "get  status   figures\nset  log.mac  level")
        with self.assertRaisesRegex(Refused, "get needs a KEY"):
            run(Program(), "get")

    def test_watch_asks_again_and_again(self):
        lines, pauses = [], []
        options = command.parser().parse_args(["bs", "watch", "status.cinr_db", "status.state", "--count", "3", "--every", "0.5"])
        command.watch(Program(), options, lines.append, pauses.append)
        self.assertEqual(lines, [f"status.cinr_db {29 - 2 * i}  status.state operational" for i in range(3)])
        self.assertEqual(pauses, [0.5, 0.5])

    def test_names_are_sockets_of_the_runtime_folder(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, WIMAX_RUN=folder):
            servers = [served(Path(folder, f"{name}.ctl")) for name in ("bs.macd", "bs.phyd", "channeld")]
            served(Path(folder, "ss.macd.ctl")).close()  # left by a program that was killed
            self.assertTrue(is_served("tcp://192.0.2.1:1"), "only a connection tells")
            self.assertEqual(command.endpoint("bs"), f"ipc://{folder}/bs.macd.ctl")
            self.assertEqual(command.endpoint("bs.phyd"), f"ipc://{folder}/bs.phyd.ctl")
            self.assertEqual(command.endpoint("tcp://host:1"), "tcp://host:1")
            with self.assertRaisesRegex(Refused, "'ss1': no such program in .*; allowed: bs.macd, bs.phyd, channeld"):
                command.endpoint("ss1")
            rows = command.all_programs(command.parser().parse_args(["--json"]), lambda where: lambda request: None if "phyd" in where else {})
            self.assertEqual([row["state"] for row in json.loads(rows)], ["answers", "silent", "answers"])
            with self.assertRaisesRegex(Refused, "'bs.phy': no such program in .*, did you mean bs.phyd\\? Allowed: bs.macd"):
                command.endpoint("bs.phy")
            for server in servers:
                server.close()
            self.assertIn("start a cell: sudo ./wimax up", command.all_programs(command.parser().parse_args([]), None))
            with self.assertRaisesRegex(Refused, "'bs': no program runs in .*; start a cell: sudo ./wimax up"):
                command.endpoint("bs")

    def test_nobody_answers(self):
        with self.assertRaises(Failed):
            run(lambda request: None, "get", "status")


class Output(unittest.TestCase):
    def test_a_reader_that_has_enough_is_no_fault(self):
        script = "import sys; from wimax_tools import control; sys.exit(control.main_of_many('x', None, lambda *_: 'line\\n' * 100_000))"
        with subprocess.Popen([sys.executable, "-B", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as command:
            command.stdout.readline()
            command.stdout.close()
            self.assertEqual((command.stderr.read(), command.wait()), (b"", 0))


class RuntimeFolder(unittest.TestCase):
    """The rules of apps/common/address.h."""

    def test_by_user_and_environment(self):
        self.assertEqual(runtime_folder({"WIMAX_RUN": "/srv/cell", "XDG_RUNTIME_DIR": "/run/user/7"}, 7), "/srv/cell")
        self.assertEqual(runtime_folder({"XDG_RUNTIME_DIR": "/run/user/0"}, 0), "/run/wimax")
        self.assertEqual(runtime_folder({"XDG_RUNTIME_DIR": "/run/user/7"}, 7), "/run/user/7/wimax")
        self.assertEqual(runtime_folder({"SUDO_UID": "3999999999", "XDG_RUNTIME_DIR": "/run/user/0"}, 0), "/tmp/wimax-3999999999")
        self.assertEqual(runtime_folder({"SUDO_UID": "somebody"}, 0), "/run/wimax")
