#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong inputs of every command: exit status and message, in one table. Arguments: source folder, build folder. The commands run as the
launcher runs them, but nothing is built and no root is needed."""
import json
import os
import pty
import socket
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

BUILD = Path(sys.argv.pop()).resolve()
SOURCE = Path(sys.argv.pop()).resolve()
LIMIT_S = 60
PROGRAMS = ("iq", "link", "acquisition", "speed", "pdu", "sim", "macd", "phyd", "stationd", "channeld", "radio")
MODULES = {"doctor": ["bench.doctor"], "clean-up": ["bench.clean_up"], "demo": ["demo"], **{verb: ["upkeep", verb] for verb in ("up", "down", "status", "restart", "logs")}}

SPEC = {"direction": "downlink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "000000000001", "frame_number": 1, "change_count": 0,
        "bursts": [{"rate_id": 1, "data_symbols": 2, "payload": "C0FFEE"}]}
FILES = {
    "spec.json": json.dumps(SPEC),
    "seven.json": json.dumps({**SPEC, "bandwidth_hz": 1, "cp": "1/5", "bsid": "zz", "frame_number": -1, "change_count": 256,
                              "bursts": [{"rate_id": 9, "data_symbols": 0, "payload": "0"}]}),
    "misspelt.json": json.dumps({**SPEC, "bandwith_hz": 5e6}),
    "cut.json": json.dumps(SPEC)[:26],
    "noise.cf32": "",
    "scenario.yml": "statons: 3\nrate: 9\ntraffic:\n  - {kind: udp}\n  - {packet_bites: 80}\n",
    "hostile.json": '{"provenance": {"program": "wimax-sim", "version": "", "commit": "", "machine": "", "command": "wimax-sim; id"}}',
    "campaign.yml": "kind: link\nparametres:\n  rate: [0]\nfigures: {per: points.0.per}\nsead: 1\n",
    "sweep.yml": "kind: link\nparameters:\n  rate: []\nfigures: {per: points.0.per}\n",
    "bs.macd.yml": "role: bs\ntun:\n  netn: a\nair:\n  tx_gain_db: 400\n",
    "good.macd.yml": (SOURCE / "config/bs.macd.yml").read_text(encoding="utf-8"),
    "notes.yml": "role: bs\n",
}

# Command line, exit status, what the message has to contain (regular expression).
WRONG = [
    # bench
    ("bench --duration abc", 2, r"--duration: 'abc'; allowed: numbers from 1 to 86400"),
    ("bench --durations 5", 2, r"unknown option --durations, did you mean --duration\? See wimax bench --help"),
    ("bench --stations 100", 2, r"--stations: allowed 1\.\.64"),
    ("bench --profile 6MHz", 2, r"'6MHz' is not <MHz>MHz-<ms>ms\[-fdd\]\[-cp4\|8\|16\|32\] or <MHz>MHz-fdd\[-cp\.\.\.\], for instance 5MHz-10ms"),
    ("bench --channel sui9", 2, r"--channel: 'sui9' is neither a file of taps nor one of awgn, sui1"),
    ("bench --dl-rate 9", 2, r"'9' is not a rate; allowed: 0 BPSK 1/2 \.\. 6 64-QAM 3/4, or auto"),
    ("bench --dl_rate 9", 2, r"--dl-rate: '9' is not a rate"),
    ("bench --experiment Z9", 2, r"'Z9' is not known; allowed: A1, A2, .*, D3, all, arq"),
    ("bench --experiment Voice", 2, r"'Voice' is not known, did you mean voice\? Allowed: A1, A2"),
    ("bench --snr-db 200", 2, r"--snr-db: '200'; allowed: numbers from -30 to 100"),
    ("bench --mode fast", 2, r"--mode: 'fast'; allowed: paced, free, rt"),
    ("bench --json /nope/r.json", 2, r"/nope/r\.json: cannot be written: No such file"),
    ("bench extra", 2, r"'extra' is not expected here; see wimax bench --help"),
    # iq
    ("iq", 2, r"a subcommand is missing; allowed: generate impair decode"),
    ("iq genrate", 2, r"'genrate' is no subcommand \(did you mean generate\?\); allowed: generate impair decode"),
    ("iq generate", 2, r"--spec is required; see wimax iq --help"),
    ("iq generate --spec nope.json --out -", 2, r"nope\.json: --spec: No such file or directory"),
    ("iq generate nope.json --out -", 2, r"nope\.json: --spec: No such file or directory"),
    ("iq generate --spec seven.json --out -", 2, r"bandwidth_hz.*\n.*cp.*\n.*bsid.*\n.*frame_number.*\n.*change_count.*\n.*rate_id.*\n.*data_symbols"),
    ("iq generate --spec misspelt.json --out -", 2, r"misspelt\.json: bandwith_hz: unknown key, did you mean bandwidth_hz\?"),
    ("iq generate --spec cut.json --out -", 2, r"cut\.json: value not JSON at byte \d+"),
    ("iq generate --spec spec.json --out /nope/x.cf32", 2, r"/nope/x\.cf32"),
    ("iq impair --in spec.txt --out -", 2, r"spec\.txt"),
    ("iq impair --in noise.cf32 --out - --snr 20", 2, r"unknown option --snr, did you mean --snr-db\?"),
    ("iq impair --in noise.cf32 --out - --snr-db x", 2, r"--snr-db: 'x'; allowed: numbers -100\.\.200"),
    ("iq decode nope.cf32 --spec spec.json", 2, r"nope\.cf32"),
    # link, acquisition, speed
    ("link --rate 6 --channel awgn --snr-db 10:12", 2, r"--snr-db: '10:12' is not START:STEP:STOP or values with commas"),
    ("link --rate 6 --channel awgn --snr_db 10:12", 2, r"'10:12' is not START:STEP:STOP"),
    ("link --rate 7 --channel awgn --snr-db 10", 2, r"--rate: '7'; allowed: integers 0\.\.6"),
    ("link --rate 6 --channel nope --snr-db 10", 2, r"--channel: nope: .*allowed awgn, sui1"),
    ("link --rate 6 --chanel awgn --snr-db 10", 2, r"unknown option --chanel, did you mean --channel\? See wimax link --help"),
    ("link --rate 6 --channel awgn --snr-db 10 --json /nope/r.json", 2, r"/nope/r\.json"),
    ("acquisition --snr-db x", 2, r"--snr-db: 'x'; allowed: numbers -30\.\.100"),
    ("speed --isa avx1024", 2, r"--isa: avx1024 not in \{portable,sse4,avx2,avx512\}"),
    ("speed --items rx_all", 2, r"--items: 'rx_all' does not exist; allowed: rx_bpsk12"),
    # sim
    ("sim --snr 20", 2, r"unknown option --snr, did you mean --snr-db\? See wimax sim --help"),
    ("sim --snr-db 200", 2, r"snr_db: value 200: allowed -30\.\.80"),
    ("sim --snr_db 200", 2, r"snr_db: value 200: allowed -30\.\.80"),
    ("sim --scenario nope.yml", 2, r"wimax-sim: --scenario nope\.yml: cannot be read.*No such file"),
    ("sim nope.yml", 2, r"wimax-sim: --scenario nope\.yml: cannot be read.*No such file"),
    ("sim --scenario scenario.yml", 2, r"scenario\.yml:1: statons: unknown key, did you mean stations\?\n.*:2: rate: value 9.*\n.*:4: traffic\[0\]\.kind: value udp.*\n"
     r".*:5: traffic\[1\]\.packet_bites: unknown key, did you mean traffic\[1\]\.packet_bytes\?"),
    ("sim --config good.macd.yml", 2, r"unknown option --config"),
    # pdu
    ("pdu decode --hex zz", 2, r"--hex: not hex at character 1"),
    ("pdu decode zz", 2, r"--hex: not hex at character 1"),
    ("pdu decode --hex 00 --waht pdus", 2, r"unknown option --waht, did you mean --what\?"),
    ("pdu encode nope.json", 2, r"nope\.json: cannot be read: No such file"),
    ("pdu decode --hex 00", 0, r"^$"),  # reported in the JSON
    # daemons
    ("macd --config bs.macd.yml", 2, r"bs\.macd\.yml:3: tun\.netn: unknown key, did you mean tun\.netns\?\n.*bs\.macd\.yml:5: air\.tx_gain_db: value 400: allowed"),
    ("macd --config good.macd.yml --set bs.dl_rate=5", 2, r"bs\.dl_rate: unknown key, did you mean bs\.dl_rate_id\?"),
    ("macd --confg good.macd.yml", 2, r"unknown option --confg, did you mean --config\? See wimax macd --help"),
    ("macd", 2, r"role: value \(missing\): allowed bs, ss"),
    ("macd nope.yml", 2, r"--config nope\.yml: cannot be read.*No such file"),
    ("phyd --config good.macd.yml", 2, r"good\.macd\.yml: this file is for wimax-macd by its name; this program is wimax-phyd"),
    ("phyd --config notes.yml --radio.device type=b200 --set radio.tx_gain=1", 2, r"radio\.tx_gain: unknown key"),
    ("channeld --rate 5 --listen x", 2, r"unknown option --listen"),
    # radio
    ("radio", 2, r"a subcommand is missing; allowed: probe selftest loopback spectrum calibrate capture"),
    ("radio probe", 2, r"--device is required"),
    ("radio selftest --device type=b200", 2, r"this command transmits: add --transmit"),
    # programs that run: none does here
    ("ctl", 0, r"^$"),
    ("ctl bs", 2, r"'bs': no program runs in .*; start a cell: sudo ./wimax up"),
    ("ctl bs gte status", 2, r"verb: 'gte', did you mean get\? Allowed: get, set, watch, keys"),
    ("ctl bs --evry 1", 2, r"unknown option --evry, did you mean --every\?"),
    ("flows list", 1, r"no program runs at ipc://.*bs\.macd\.ctl; start a cell: sudo ./wimax up"),
    ("flows lst", 2, r"'lst', did you mean list\? Allowed: list, add, change, delete"),
    ("flows ss list", 2, r"'ss': no program runs in .*; start a cell"),
    ("flows change x a=1", 2, r"SFID: 'x'; allowed: whole numbers from 1"),
    ("flows add direction", 2, r"'direction'; allowed: KEY=VALUE"),
    ("stations list", 1, r"no program runs at ipc://.*bs\.macd\.ctl; start a cell: sudo ./wimax up"),
    ("stations rates 02:00:00:00:00:01 --dl-rate 9", 2, r"'9'; allowed: whole numbers from 0 to 6"),
    ("stations suspnd 02:00:00:00:00:01", 2, r"did you mean suspend\?"),
    ("status", 1, r"nothing is kept running in .*: ./wimax up"),
    ("logs nope.macd", 1, r"nothing is kept running in .*: ./wimax up"),
    ("logs", 2, r"missing: NAME; see wimax logs --help"),
    ("up nope.yml", 2, r"nope\.yml: no such file"),
    ("up notes.yml", 2, r"notes\.yml: the name does not say which program it is for; allowed: \[NAME\.\]channeld\.yml"),
    ("managed", 2, r"missing: CONFIG; see wimax managed --help"),
    ("managed notes.yml", 2, r"notes\.yml: the name does not say which program it is for"),
    ("managed good.macd.yml", 2, r"good\.macd\.yml: managed\.policy: value off; allowed: allowed or required"),
    # servers
    ("watch --port 99999", 2, r"--port: '99999'; allowed: whole numbers from 0 to 65535"),
    ("watch --port -1", 2, r"--port"),
    ("metrics --port 99999", 2, r"--port: '99999'; allowed: whole numbers from 0 to 65535"),
    ("metrics --adress x", 2, r"unknown option --adress, did you mean --address\?"),
    ("metrics --once", 0, r"wimax metrics: no program runs in .*; start a cell: sudo ./wimax up"),
    ("watch --file nope.yml", 2, r"--file nope\.yml: No such file or directory"),
    ("watch --address 300.0.0.1", 2, r"--address 300\.0\.0\.1"),
    ("watch --host 300.0.0.1", 2, r"--address 300\.0\.0\.1"),
    ("watch far", 2, r"'far': allowed NAME=ENDPOINT"),
    # others
    ("keys station 02:00", 2, r"'02:00' is no MAC address such as 02:00:00:00:00:01"),
    ("keys stations", 2, r"'stations', did you mean station\?"),
    ("campaign nope.yml", 2, r"wimax campaign: nope\.yml: No such file or directory"),
    ("campaign campaign.yml", 2, r"campaign\.yml:2: parametres: unknown key, did you mean parameters\?\n.*:5: sead: unknown key, did you mean seed\?"),
    ("campaign sweep.yml", 2, r"sweep\.yml:3: parameters\.rate: allowed: a list of one or more values"),
    ("campaign sweep.yml --workers 0", 2, r"--workers: allowed 1\.\.1024"),
    ("doctor --radio foo", 2, r"'foo'; allowed: UHD device arguments KEY=VALUE,..., for instance type=b200"),
    ("curves --from /nope", 2, r"wimax curves: .*/nope"),
    ("endurance", 2, r"--days --live"),
    ("endurance --days 100", 2, r"--days: '100'; allowed: numbers from 0\.01 to 10"),
    ("repeat", 2, r"missing: RESULT\.json; see wimax repeat --help"),
    ("repeat nope.json", 2, r"nope\.json: no regular file"),
    ("repeat notes.yml", 2, r"notes\.yml: not readable as JSON"),
    ("repeat hostile.json", 2, r"provenance\.command: value wimax-sim; id: allowed: a command line as programs of wimax record it"),
    ("repeat hostile.json --longest-s 0", 2, r"--longest-s: '0'; allowed: numbers from 1 to 604800"),
    ("bench --archive a.zip", 2, r"--archive: 'a\.zip'; allowed: a name that ends with \.tar\.gz"),
    ("sim --archive a.zip", 2, r"archive: value a\.zip: allowed \.tar\.gz"),
    ("results --only bnch", 2, r"--only: 'bnch' is no row, did you mean bench\?"),
    ("results --list --write", 2, r"--write: not allowed with argument --list"),
    ("demo --seconds 1", 2, r"--seconds: '1'; allowed: numbers from"),
    ("demo --no-browsr", 2, r"unknown option --no-browsr, did you mean --no-browser\?"),
]


def environment(run):
    paths = {"UHD_MODULE_PATH": BUILD / "uhd-modules", "WIMAX_BUILD_DIR": BUILD, "WIMAX_SOURCE_DIR": SOURCE, "WIMAX_RUN": run,
             "PYTHONPATH": f"{BUILD}/python:{SOURCE}/apps/tools/python", "PATH": f"{BUILD}/bin:{os.environ['PATH']}"}
    return {**os.environ, **{name: str(path) for name, path in paths.items()}, "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}


def command(line):
    name, *words = line.split()
    if name in PROGRAMS:
        return [str(BUILD / f"bin/wimax-{name}"), *words]
    module, *more = MODULES.get(name, [name])
    return [sys.executable, "-P", "-m", f"wimax_tools.{module}", *more, *words]


class Inputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="wimax-wrong-")
        self.addCleanup(folder.cleanup)
        self.folder, self.run_folder = Path(folder.name), Path(folder.name, "run")
        self.run_folder.mkdir()
        for name, text in FILES.items():
            (self.folder / name).write_text(text, encoding="utf-8")

    def run_line(self, line):
        return subprocess.run(command(line), cwd=self.folder, env=environment(self.run_folder), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=LIMIT_S, check=False, errors="replace")

    def run_all(self, lines):
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(self.run_line, lines))

    def test_each_is_refused_with_a_clear_message(self):
        for (line, status, words), done in zip(WRONG, self.run_all(line for line, _, _ in WRONG)):
            with self.subTest(line):
                self.assertEqual(done.returncode, status, done.stderr)
                self.assertRegex(done.stderr, words)
                self.assertNotIn("Traceback", done.stderr)
                self.assertNotIn(str(BUILD), done.stderr)
                if status == 2:
                    self.assertEqual(done.stdout, "")
                    self.assertLess(done.stderr.count("\n"), 12, done.stderr)

    def test_usage_names_the_command_without_a_path(self):
        names = (*PROGRAMS, "bench", "campaign", "watch", "metrics", "ctl", "flows", "stations", "keys", "managed", "endurance", "results", "repeat", "curves", "doctor", "up", "logs", "demo")
        for name, done in zip(names, self.run_all(f"{name} --help" for name in names)):
            with self.subTest(name):
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"(?m)^usage: wimax {name}\b")
                self.assertRegex(done.stdout, rf"(?ms)^examples?:\n.*^  (sudo )?wimax {name}\b")

    def test_a_scenario_without_traffic_has_a_default_and_says_so(self):
        done = self.run_line("sim --stations 2 --seconds 1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("no traffic in the scenario: simulating 50 kbit/s", done.stderr)
        flows = json.loads(done.stdout)["flows"]
        self.assertEqual([(f["station"], f["direction"]) for f in flows], [(1, "downlink"), (1, "uplink"), (2, "downlink"), (2, "uplink")])
        self.assertGreater(min(f["delivered_packets"] for f in flows), 0)

    def on_terminal(self, line, **more):
        """What a terminal gets of the command."""
        ours, theirs = pty.openpty()
        env = {**environment(self.run_folder), "TERM": "xterm", **more}
        if "NO_COLOR" not in more:
            env.pop("NO_COLOR")
        process = subprocess.Popen(command(line), cwd=self.folder, env=env, stdin=subprocess.DEVNULL, stdout=theirs, stderr=theirs)
        os.close(theirs)
        said = b""
        try:
            while part := os.read(ours, 4096):
                said += part
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        process.wait(LIMIT_S)
        return said.decode(errors="replace")

    def test_a_terminal_gets_a_table_and_a_file_json(self):
        said = self.on_terminal("sim --stations 2 --seconds 1")
        self.assertRegex(said, r"downlink +BE +poisson +2 ")
        self.assertNotIn('"flows"', said)
        self.assertIn('"flows"', self.on_terminal("sim --stations 1 --seconds 1 --json -"))

    def test_colours_are_for_terminals_only(self):
        for line in ("iq generate", "bench --stations 0"):
            with self.subTest(line):
                self.assertIn("\033[", self.on_terminal(line))
                self.assertNotIn("\033[", self.on_terminal(line, NO_COLOR="1"))
                self.assertNotIn("\033[", self.run_line(line).stderr)

    def test_sockets_of_killed_programs_are_not_offered(self):
        for name in ("bs.macd", "bs.phyd", "channeld"):
            with socket.socket(socket.AF_UNIX) as left:
                left.bind(str(self.run_folder / f"{name}.ctl"))
        done = self.run_line("ctl")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, "no program runs in .*; start a cell: sudo ./wimax up")
        self.assertRegex(self.run_line("ctl bs").stderr, "'bs': no program runs in")
        self.assertRegex(self.run_line("flows list").stderr, "no program runs at")

    def test_python_package(self):
        for call, words in (("decode('x')", "samples: .*complex numbers"), ("decode([[1, 2]])", "samples: a one-dimensional array"),
                            ("Stack(channel='nope')", "channel: 'nope' is neither a file of taps nor one of awgn, sui1"),
                            ("Stack(profile='6MHz')", "profile: '6MHz' is not"), ("Stack(dl_rate='QPSK')", "dl_rate: 'QPSK'")):
            with self.subTest(call):
                done = subprocess.run([sys.executable, "-c", f"import wimax; wimax.{call}"], env=environment(self.run_folder), capture_output=True, text=True,
                                      timeout=LIMIT_S, check=False)
                self.assertRegex(done.stderr.strip().splitlines()[-1], f"ValueError: {words}")


if __name__ == "__main__":
    unittest.main()
