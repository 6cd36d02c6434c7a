# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench tools over virtual radios: what is put into cable and channel is what they find. Arguments: wimax-radio,
wimax-channeld, wimax-iq, the module of the virtual radio."""
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, CHANNEL, IQ, MODULE = sys.argv[1:5]
del sys.argv[1:5]
RATE = 5_760_000
NOISE_DBM = -174 + 67.604 + 5  # of the channel's noise figure, over the sample rate
GROUP_DELAY = 18  # samples that the b210's transmit filter takes
PATH = {"path_loss_db": 60, "both": False}
CABLE = {"from": "bs", "to": "bs", "delay_samples": 33.25, **PATH}


class Channel:
    """wimax-channeld with sockets of its own."""

    def __init__(self, test, links=(CABLE,), rate=RATE, mode="commit", pace="free", radios=()):
        folder = tempfile.TemporaryDirectory(prefix="wimax-radio-")
        test.addCleanup(folder.cleanup)
        self.folder, self.test = Path(folder.name), test
        config = {"listen": [f"{folder.name}/channel"], "sample_rate_hz": rate, "time": {"mode": mode, "pace": pace},
                  "control": {"endpoint": ""}, "links": list(links), "radios": list(radios)}
        (self.folder / "channel.yml").write_text(json.dumps(config), encoding="utf-8")
        self.process = subprocess.Popen([CHANNEL, "--config", self.folder / "channel.yml"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        test.addCleanup(self.stop)
        while not (self.folder / "channel").exists():
            test.assertIsNone(self.process.poll(), "wimax-channeld")

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=60)

    def device(self, name="bs", **more):
        opening = {"opening_s": 0.05} if "personality" in more else {}
        return ",".join(f"{k}={v}" for k, v in {"type": "vrf", "name": name, "addr": self.folder / "channel", **opening, **more}.items())

    def start(self, verb, *options, device=None):
        return subprocess.Popen([TOOL, verb, "--device", device or self.device(), *map(str, options)], stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def run(self, verb, *options, device=None, code=0):
        """What it prints; of a failure the last line of its complaint."""
        tool = self.start(verb, *options, device=device)
        out, said = tool.communicate(timeout=120)
        self.test.assertEqual(tool.returncode, code, said)
        return out if code == 0 else said.splitlines()[-1]

    def json(self, verb, *options, device=None, code=0):
        tool = self.start(verb, *options, "--json", "-", device=device)
        out, said = tool.communicate(timeout=120)
        self.test.assertEqual(tool.returncode, code, said)
        return json.loads(out)


class Probe(unittest.TestCase):
    def test_models(self):
        channel = Channel(self)
        exact = {"b210": 12, "x310-ubx": 3, "n210-sbx": 2, "n310": 0}
        # Frequencies in MHz, master clock in MHz, gains with their step, antennas, the receiver's default antenna
        facts = {"b210": (47.12, 6002.88, 32, (0, 89.75, 0.25), (0, 76, 1), "TX/RX", "TX/RX RX2", "false"),
                 "x310-ubx": (7.12, 6002.88, 200, (0, 31.5, 0.5), (0, 31.5, 0.5), "TX/RX CAL", "TX/RX RX2 CAL", "true"),
                 "n210-sbx": (397.12, 4402.88, 100, (0, 31.5, 0.5), (0, 31.5, 0.5), "TX/RX CAL", "TX/RX RX2 CAL", "true"),
                 "n310": (0, 6002.88, 125, (0, 65, 0.5), (0, 75, 0.5), "TX/RX", "TX/RX RX2 CAL LOCAL", "true")}
        for model, board in (("b210", "B210"), ("x310-ubx", "X310"), ("n210-sbx", "N210"), ("n310", "n310")):
            found = channel.json("probe", device=channel.device(personality=model))
            self.assertEqual((found["model"], found["serial"]), (board, "bs"))
            tx, rx, at = found["tx"], found["rx"], found["frequency_hz"]
            self.assertEqual((at["low"] / 1e6, at["high"] / 1e6, found["master_clock_hz"] / 1e6, tuple(tx["gain_db"].values()), tuple(rx["gain_db"].values()),
                              " ".join(tx["antennas"]), " ".join(rx["antennas"]), found["sensors"]["ref_locked"]), facts[model])
            self.assertEqual((tx["antenna"], rx["antenna"], tx["power_reference"], rx["power_reference"]), ("TX/RX", "RX2", False, False))
            self.assertEqual((found["clock_sources"], found["time_sources"], found.get("usb_version")), (["internal", "external"],) * 2 + (3 if model == "b210" else None,))
            self.assertEqual(found["fdd"], {"possible": True, "rx_antenna": "RX2"})
            rates = {rate["bandwidth_hz"]: rate for rate in found["rates"]}
            self.assertEqual(list(rates), [int(1e6 * mhz) for mhz in (1.25, 1.75, 2.5, 3, 3.5, 5, 5.5, 7, 8.75, 10, 14, 20, 28)])
            self.assertGreaterEqual(sum(not rate.get("resampled", True) for rate in rates.values()), exact[model], model)
            for rate in rates.values():
                if "refused" not in rate:
                    self.assertGreaterEqual(rate["device_rate_hz"], rate["sample_rate_hz"] * (1 - 1e-7))
                    self.assertLess(rate["evm_db"], -50, (model, rate))
            five = rates[5_000_000]
            if model == "b210":
                self.assertAlmostEqual(five["device_rate_hz"], 5759999.992, places=2)
                self.assertIs(five["resampled"], False)
            if model == "n310":
                self.assertEqual((five["device_rate_hz"], five["resampled"]), (6_144_000, True))
            if model == "n210-sbx":
                self.assertIn("the device offers 25000000 S/s nearest", rates[28_000_000]["refused"])
        self.assertEqual(found["tx"]["gain_db"]["high"], 65)

    def test_for_people(self):
        channel = Channel(self)
        text = channel.run("probe", device=channel.device(personality="b210"))
        self.assertTrue(text.startswith("model         B210, serial bs\nusb_version   3\nmaster clock  32000000 Hz\nfrequency     47.12 .. 6002.88 MHz\n"
                                        "tx            gain 0 .. 89.75 dB, antennas TX/RX (default TX/RX)\n"
                                        "rx            gain 0 .. 76 dB, antennas TX/RX, RX2 (default RX2)\nsensor        ref_locked: false\n"), text)
        self.assertIn("\nFDD           possible, receives at RX2\n", text)
        self.assertRegex(text, r"\n +5 MHz +5760000 +5759999\.992 +exact +-8")
        self.assertEqual(channel.run("probe", "--open-only", device=channel.device(personality="x310-ubx")), "X310, serial bs\n")

    def test_what_does_not_open(self):
        channel = Channel(self)
        for fault, cure in (("no_image", "type: sudo uhd_images_downloader"), ("rights", "udevadm"), ("busy", "another program has the device")):
            self.assertIn(cure, channel.run("probe", "--open-only", device=channel.device(personality="b210", fault=fault), code=1))
        self.assertIn("uhd_find_devices", channel.run("probe", device="type=b200,serial=none", code=1))
        self.assertIn("unknown 'antena'", channel.run("spectrum", device="type=vrf,antena=RX2", code=1))


class Loopback(unittest.TestCase):
    CABLE = ("--attenuation-db", 60, "--transmit", "--step-db")

    def test_one_radio(self):
        channel = Channel(self)
        found = channel.json("loopback", *self.CABLE, 15)
        self.assertAlmostEqual(found["delay_samples"], 33.25, delta=0.05)
        self.assertEqual(found["clipped_samples"], 0)
        self.assertEqual((found["bursts"], found["bursts_lost"]), (16, 0))
        noise = {}
        for point in found["grid"]:
            # Sent at 30 dBm with the highest gain; noise is on 256 carriers, of which 200 are used.
            snr = 30 - (60 - point["tx_gain_db"]) - 60 - NOISE_DBM
            noise.setdefault(point["tx_gain_db"], []).append(point["evm_db"] + snr + 1.072)
        for gain in (0, 15):
            for difference in noise[gain]:
                self.assertAlmostEqual(difference, 0, delta=0.3)
        for difference in noise[30]:  # what the symbols' edges lose on the way begins to show
            self.assertAlmostEqual(difference, 0.1, delta=0.4)
        for point in found["grid"]:
            if point["tx_gain_db"] >= 15 and (point["tx_gain_db"] % 1, point["rx_gain_db"] % 1) == (0, 0):  # full scale is -10 dBm without gain
                self.assertAlmostEqual(point["level_dbfs"], point["tx_gain_db"] + point["rx_gain_db"] - 80, delta=0.1)
        self.assertAlmostEqual(found["level_dbfs"], found["best"]["tx_gain_db"] + found["best"]["rx_gain_db"] - 80, delta=1.1)
        self.assertAlmostEqual(found["frequency_offset_hz"], 0, delta=0.1)
        self.assertLess(max(found["dc_dbc"], found["image_dbc"]), -80)
        self.assertTrue(1 < found["mask_margin_db"] < 2, found["mask_margin_db"])
        best = min(p["evm_db"] for p in found["grid"] if p["clipped_samples"] == 0)
        self.assertAlmostEqual(found["best"]["evm_db"], best, delta=0.5)
        self.assertTrue(any(p["clipped_samples"] > 0 for p in found["grid"]))

    def test_two_b210(self):
        """Images of -30 dBc at either end, which add by chance, are nearly all of the error: -24 to -36 dB, less phase noise of -36.6."""
        channel = Channel(self, links=[{**CABLE, "to": "ss", "both": True}])
        text = channel.run("loopback", *self.CABLE, 45, "--bursts", 4, "--peer", channel.device("ss", personality="b210"), "--json", channel.folder / "r.json",
                           device=channel.device(personality="b210"))
        self.assertEqual(text, "")
        found = json.loads((channel.folder / "r.json").read_text(encoding="utf-8"))
        self.assertEqual(found["provenance"]["program"], "wimax-radio")
        self.assertAlmostEqual(found["delay_samples"], 33.25 + GROUP_DELAY, delta=0.05)
        self.assertEqual(found["clipped_samples"], 0)
        self.assertTrue(-36 < found["image_dbc"] < -23.9, found["image_dbc"])
        self.assertAlmostEqual(found["best"]["evm_db"], found["image_dbc"] + 0.8, delta=1)
        edges = found["burst_edge_evm_db"].values()
        self.assertLess(max(edges) - min(edges), 1.5)

    def test_a_b210_hears_itself(self):
        """What leaks through it, 60 dB down, is an error of -30 dB beside a cable of 30 dB, and of 0 dB beside one of 60."""
        channel = Channel(self, links=[{**CABLE, "path_loss_db": 30}])
        found = channel.json("loopback", "--attenuation-db", 30, "--transmit", "--step-db", 30, "--bursts", 2, device=channel.device(personality="b210"))
        self.assertAlmostEqual(found["delay_samples"], 33.25 + GROUP_DELAY, delta=0.05)
        self.assertLess(found["best"]["evm_db"], -23)

    def test_two_radios_whose_clocks_differ(self):
        channel = Channel(self, links=[{"from": "bs", "to": "ss", "delay_samples": 20.5, "path_loss_db": 60}],
                          radios=[{"name": "ss", "clock_ppm": 2.5, "carrier_ppm": 2.5}])
        found = channel.json("loopback", *self.CABLE, 30, "--bursts", 4, "--peer", channel.device("ss"))
        self.assertAlmostEqual(found["delay_samples"], 36.5, delta=0.05, msg="a path that interpolates is 16 samples longer")
        self.assertAlmostEqual(found["frequency_offset_hz"], -3.5e9 * 2.5e-6, delta=20)

    def test_a_radio_that_is_resampled(self):
        channel = Channel(self, rate=6_250_000, links=[{**CABLE, "path_loss_db": 30}])
        found = channel.json("loopback", "--attenuation-db", 30, "--transmit", "--step-db", 15, "--bursts", 4, device=channel.device(personality="x310-ubx"))
        self.assertLess(found["best"]["evm_db"], -28)
        self.assertLess(found["best"]["tx_gain_db"], 31.6)

    def test_no_cable(self):
        channel = Channel(self, links=[])
        said = channel.run("loopback", *self.CABLE, 50, code=1)
        self.assertIn("no burst was heard at any gains", said)
        said = channel.run("loopback", "--attenuation-db", 0, "--transmit", "--step-db", 50, code=1)
        self.assertRegex(said, r"[1-9]\d* of \d+ gain pairs were left out, which could have given the receiver more than -15 dBm")

    def test_for_people(self):
        text = Channel(self).run("loopback", *self.CABLE, 30, "--bursts", 1)
        self.assertRegex(text, r"^EVM in dB .*\n  tx gain \\ rx      0    7\.5     15   22\.5     30     60\n {13}0 -12\.\d {23}-12\.\d  -12\.\d \n")
        self.assertRegex(text, r"\n            30 -42\.\d {23}-42\.\d  -42\.\d\*\n")
        self.assertRegex(text, r"\nbest          tx \S+ dB, rx \S+ dB: EVM -58\.\d dB at -\d+\.\d dBFS\nburst edges   first symbol -5\d\.\d dB, middle -6\d\.\d dB, last -6\d\.\d dB\n"
                               r"delay         33\.2[45]\d samples\nDC            -\d+\.\d dBc\nimage         -\d+\.\d dBc\n"
                               r"mask          1\.\d dB of margin within the sample rate\nclipped       0 samples\n$")


class Transmission(unittest.TestCase):
    def test_nothing_is_sent_unless_it_is_said(self):
        channel = Channel(self)
        for verb in (("loopback", "--attenuation-db", 60), ("selftest", "--seconds", 1), ("calibrate", "--file", channel.folder / "c.yml")):
            self.assertIn("add --transmit", channel.run(*verb, code=2))

    def test_selftest(self):
        channel = Channel(self)
        found = channel.json("selftest", "--seconds", 1, "--transmit", device=channel.device(personality="b210"))
        self.assertEqual((found["passed"], found["faults"], found["lock_step"]), (True, [], True))
        self.assertGreater(found["bursts"], 20)
        self.assertLessEqual(found["bursts"], found["samples"] / (0.005 * RATE) + 2, "one in 5 ms")
        self.assertEqual(sum(bin["count"] for bin in found["turnaround_us"]["bins"]), found["turnaround_us"]["count"])
        self.assertLessEqual(found["turnaround_us"]["p50"], found["turnaround_us"]["p99"])
        text = channel.run("selftest", "--seconds", 0.5, "--transmit", "--level-dbfs", -30)
        self.assertRegex(text, r"\nrate          5760000 S/s wanted, \d+ by the host's clock \(lock-step: as fast as the host\)\nreceived      \d+ samples in 0\.\d s, 0 lost\n"
                               r"sent          \d+ bursts\ncounters      O 0  U 0  L 0  S 0  clipped 0\nturnaround    p50 [\d.]+ us, p99 [\d.]+ us, ")
        histogram = re.findall(r"\n +(?:< (\d+) us|more) +(\d+) (#+)", text)
        self.assertIn(sum(int(count) for _, count, _ in histogram) - int(re.search(r"sent +(\d+)", text)[1]), (0, 1), "the last one may still wait")
        self.assertLess(sum(len(bar) for *_, bar in histogram) - 50, len(histogram))
        self.assertTrue(text.endswith("all checks passed\n"))


class Air(unittest.TestCase):
    def setUp(self):
        self.channel = Channel(self, links=[{"from": "bs", "to": "ss", "delay_samples": 20, **PATH}])

    def sending(self, seconds=3600):
        """A transmitter at -90 dBm of the receiver's port, 20 dB above the noise."""
        tool = self.channel.start("calibrate", "--file", self.channel.folder / "c.yml", "--transmit", "--tx-gain-db", 10, "--seconds", seconds)
        self.addCleanup(tool.communicate)
        self.addCleanup(tool.kill)
        return tool

    def test_silence(self):
        found = self.channel.json("spectrum", "--seconds", 0.2, "--rx-gain-db", 50, device=self.channel.device("ss"))
        self.assertEqual(found["bands"], [])
        self.assertAlmostEqual(found["level_dbm"], NOISE_DBM, delta=0.3)
        self.assertAlmostEqual(found["floor_dbm_per_hz"], -169, delta=0.8)
        text = self.channel.run("spectrum", "--seconds", 0.2, "--rx-gain-db", 50, "--bins", 64, device=self.channel.device("ss"))
        *rows, axis, _, level, bands = text.splitlines()
        bars = [row[9:].count("#") for row in rows]
        self.assertEqual([int(row[:7]) - int(rows[0][:7]) for row in rows], [-n for n in range(14)], "noise is flat: 1 dB per row")
        self.assertEqual((bars, bars[0] > 0, bars[-1], {row[7:9] for row in rows}), (sorted(bars), True, 64, {" |"}))
        self.assertEqual(axis, "dBm/bin |3497.12" + "3502.88 MHz".rjust(57))
        self.assertRegex(level, r"^level   -101\.\d dBm \(-41\.\d dBFS\), noise floor -1(68|69|70)\.\d dBm/Hz, 0 samples clipped$")
        self.assertEqual(bands, "nothing stands out of the noise")

    def test_what_is_sent_is_seen_and_captured(self):
        self.sending()
        ss, file = self.channel.device("ss"), self.channel.folder / "c.sigmf-data"
        found = self.channel.json("capture", "--trigger", "power", "--threshold-dbfs", -43, "--rx-gain-db", 50, "--out", file, "--before-s", 0.01, "--after-s", 0.02, device=ss)
        self.assertEqual((found["trigger"], found["samples"], found["trigger_sample"]), ("power", int(0.03 * RATE), int(0.01 * RATE)))
        meta = json.loads(file.with_suffix(".sigmf-meta").read_text(encoding="utf-8"))
        self.assertEqual((meta["annotations"][0]["core:label"], meta["annotations"][0]["core:sample_start"]), ("trigger: power", found["trigger_sample"]))
        page = self.channel.folder / "page"
        done = subprocess.run([IQ, "decode", "--in", file, "--spec", "-", "--report", page], input='{"direction": "downlink", "bandwidth_hz": 5000000}',
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["frames"]), (0, []), "the bursts have no preamble")
        self.assertTrue((page / "index.html").is_file())
        picture = self.channel.folder / "air.png"
        seen = self.channel.json("spectrum", "--seconds", 0.2, "--rx-gain-db", 50, "--png", picture, device=ss)
        self.assertAlmostEqual(seen["level_dbm"], -80, delta=1)
        self.assertEqual(len(seen["bands"]), 2 if seen["bands"][0]["high_hz"] < 3.5e9 else 1)
        self.assertAlmostEqual(seen["bands"][-1]["high_hz"] - seen["bands"][0]["low_hz"], 201 * 22500, delta=10 * 22500)
        self.assertEqual(picture.read_bytes()[1:4], b"PNG")
        # The transmitter as a generator: full scale is -60 dBm.
        point = self.channel.json("calibrate", "--file", self.channel.folder / "rx.yml", "--direction", "rx", "--measured-dbm", -80, "--rx-gain-db", 50, "--seconds", 0.2, device=ss)
        self.assertEqual((point["direction"], point["serial"], point["gain_db"], point["antenna"]), ("rx", "ss", 50, "TX/RX"))
        self.assertAlmostEqual(point["full_scale_dbm"], -60, delta=1)

    def test_nothing_happens(self):
        ss, file = self.channel.device("ss"), self.channel.folder / "c.sigmf-data"
        for trigger in ("power", "clip", "overflow"):
            said = self.channel.run("capture", "--trigger", trigger, "--timeout-s", 0.5, "--out", file, device=ss, code=1)
            self.assertIn(f"no {trigger} within 0.5 s; nothing is written", said)
            self.assertFalse(file.exists())
        said = self.channel.run("capture", "--out", file, "--before-s", 0, "--after-s", 0.01, device=ss)
        self.assertEqual(said, f"{file}: 57600 samples, the event (hand) at 0\nlook at it: ./wimax iq decode --in {file} --spec SPEC.json --report PAGE\n")
        self.assertEqual(file.stat().st_size, 8 * int(0.01 * RATE))


class Calibrate(unittest.TestCase):
    """The virtual radio sends 30 dBm with the highest gain, and has full scale at -10 dBm with none."""

    def setUp(self):
        self.channel = Channel(self, links=[{"from": "bs", "to": "ss", "delay_samples": 20, "path_loss_db": 60}])
        self.file = self.channel.folder / "levels.yml"

    def calibrate(self, *options, device=None, code=0):
        run = self.channel.json if code == 0 else self.channel.run
        return run("calibrate", "--file", self.file, "--transmit", *options, device=device or self.channel.device(), code=code)

    def test_by_meter_generator_and_peer(self):
        sent = self.calibrate("--seconds", 0.2, "--tx-gain-db", 40)
        self.assertAlmostEqual(sent["expected_dbm"], 10, delta=0.01)
        self.assertEqual((sent["sent_s"], sent["tx_gain_db"], sent["missed_pieces"]), (0.2, 40, 0))
        point = self.calibrate("--measured-dbm", 10, "--tx-gain-db", 40)
        self.assertEqual((point["direction"], point["serial"], point["gain_db"]), ("tx", "bs", 40))
        self.assertAlmostEqual(point["full_scale_dbm"], 10, delta=0.01)
        # The receiver of ss by bs, which is calibrated now; then the transmitter of ss' peer by it, the way back.
        ss = self.channel.device("ss")
        rx = self.calibrate("--direction", "rx", "--peer", self.channel.device(), "--peer-gain-db", 40, "--attenuation-db", 60, "--rx-gain-db", 20, device=ss)
        self.assertEqual((rx["direction"], rx["serial"]), ("rx", "ss"))
        self.assertAlmostEqual(rx["full_scale_dbm"], -30, delta=0.1)
        tx = self.calibrate("--peer", ss, "--peer-gain-db", 20, "--attenuation-db", 60, "--tx-gain-db", 30)
        self.assertAlmostEqual(tx["full_scale_dbm"], 0, delta=0.1)
        again = self.channel.run("calibrate", "--file", self.file, "--transmit", "--measured-dbm", 11, "--tx-gain-db", 40, device=self.channel.device())
        self.assertEqual(again, f"full scale is 11.00 dBm at tx gain 40 dB, port TX/RX, serial bs: written to {self.file}\n")
        lines = [line for line in self.file.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
        self.assertEqual(len(lines), 3)
        self.assertIn("gain_db: 40, full_scale_dbm: 11.00", lines[0])
        self.assertRegex(lines[1], r'^- \{serial: "ss", direction: rx, antenna: "TX/RX", frequency_hz: 3500000000, gain_db: 20, full_scale_dbm: -(30|29\.9)')

    def test_by_a_peer_that_opens_slowly(self):
        """The queue of the first radio overflows while the second one is opened, as with two B210s."""
        device = {name: self.channel.device(name, personality="b210", opening_s=0.5) for name in ("bs", "ss")}
        self.calibrate("--measured-dbm", -11.75, "--tx-gain-db", 60, device=device["bs"])
        rx = self.calibrate("--direction", "rx", "--peer", device["bs"], "--peer-gain-db", 60, "--attenuation-db", 60, "--rx-gain-db", 40, device=device["ss"])
        self.assertAlmostEqual(rx["full_scale_dbm"], -50, delta=0.2)

    def test_refusals(self):
        for options, said, code in (((*"--direction rx".split(),), "--measured-dbm", 2), (("--peer", "type=vrf"), "--attenuation-db", 2),
                                    (("--peer", "type=vrf", "--measured-dbm", 1, "--attenuation-db", 3), "only one of them is allowed", 2),
                                    (("--peer", self.channel.device("ss"), "--attenuation-db", 60), "calibrate the peer first", 1),
                                    (("--peer", "type=b200,serial=none", "--attenuation-db", 60), "uhd_find_devices", 1),
                                    (("--direction", "rx", "--measured-dbm", -60, "--seconds", 0.1), "too near the noise", 1),
                                    (("--measured-dbm", 40, "--tx-gain-db", 99), "the device allows 0 .. 60", 1)):
            self.assertIn(said, self.calibrate(*options, code=code))
        self.file.write_text("- {direction: up}\n", encoding="utf-8")
        self.assertRegex(self.calibrate("--measured-dbm", 1, code=2), r"levels\.yml:1: .*direction: value up: allowed tx, rx")


class Arguments(unittest.TestCase):
    def test_wrong_ones(self):
        for wrong in (("probe",), ("spectrum", "--device", "type=vrf", "--bandwidth-hz", "1"), ("capture", "--device", "type=vrf"), ("sing",), (),
                      ("spectrum", "--device", "type=vrf", "--png", "a.gif"), ("loopback", "--device", "type=vrf", "--transmit")):
            done = subprocess.run([TOOL, *wrong], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, done.stderr.count("\n")), (2, 1), (wrong, done.stderr))

    def test_help(self):
        for verb in ("probe", "selftest", "loopback", "spectrum", "calibrate", "capture"):
            done = subprocess.run([TOOL, verb, "--help"], capture_output=True, text=True, timeout=60, check=False)
            self.assertEqual((done.returncode, bool(re.search("--device", done.stdout))), (0, True))


if __name__ == "__main__":
    os.environ["UHD_MODULE_PATH"] = str(Path(MODULE).parent)
    os.environ["UHD_LOG_CONSOLE_LEVEL"] = "error"
    unittest.main()
