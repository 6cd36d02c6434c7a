# SPDX-License-Identifier: GPL-3.0-or-later
"""The command as a user meets it: exit codes, standard input and output, SigMF, the report. Argument: path of wimax-iq."""
import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import wave

import numpy as np

TOOL = sys.argv.pop(1)
UPLINK = {"direction": "uplink", "bandwidth_hz": 5000000, "cp": "1/8", "bsid": "000000000001", "frame_number": 1,
          "uiuc": 7, "rate_id": 2, "data_symbols": 3, "payload": "45" * 107}
DOWNLINK = {"direction": "downlink", "bandwidth_hz": 5000000, "cp": "1/16", "bsid": "20E9FA102240", "frame_number": 9,
            "change_count": 1, "lead_in_samples": 500,
            "bursts": [{"rate_id": 3, "diuc": 0, "preamble": 0, "data_symbols": 2, "payload": "8DF1"},
                       {"rate_id": 6, "diuc": 7, "preamble": 1, "data_symbols": 3, "payload": "00" * 323}]}


class Command(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def spec(self, content, name="spec.json"):
        with open(self.path(name), "w") as file:
            json.dump(content, file) if isinstance(content, dict) else file.write(content)
        return self.path(name)

    def run_tool(self, *arguments, code=0, stdin=b""):
        done = subprocess.run([TOOL, *arguments], input=stdin, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stderr.decode())
        return done

    def test_pipe(self):
        samples = self.run_tool("generate", "--spec", self.spec(UPLINK), "--out", "-").stdout
        self.assertEqual(len(samples), 8 * 4 * 288)
        noisy = self.run_tool("impair", "--in", "-", "--out", "-", "--snr-db", "35", "--cfo-hz", "10000",
                              "--delay-samples", "99.5", stdin=samples).stdout
        result = json.loads(self.run_tool("decode", "--in", "-", "--spec", self.spec(UPLINK), stdin=noisy).stdout)
        self.assertEqual(result["frames"][0]["bursts"][0]["payload"], UPLINK["payload"])
        spec_by_pipe = self.run_tool("generate", "--spec", "-", "--out", "-", stdin=json.dumps(UPLINK).encode()).stdout
        self.assertEqual(spec_by_pipe, samples)

    def test_sigmf_and_report(self):
        spec, recording = self.spec(DOWNLINK), self.path("frame.sigmf-data")
        self.run_tool("generate", "--spec", spec, "--out", self.path("clean.sigmf-meta"))
        self.run_tool("impair", "--in", self.path("clean.sigmf-data"), "--out", recording, "--snr-db", "30", "--channel",
                      "sui1")
        result = self.path("result.json")
        self.run_tool("decode", "--in", recording, "--spec", spec, "--json", result, "--report", self.path("report"))
        with open(result) as file:
            frame = json.load(file)["frames"][0]
        self.assertEqual(frame["bursts"][1]["payload"], DOWNLINK["bursts"][1]["payload"])
        self.assertTrue(frame["bursts"][0]["payload"].startswith("8DF1FFFF"))
        with open(self.path("frame.sigmf-meta")) as file:
            meta = json.load(file)
        self.assertEqual(meta["global"]["core:sample_rate"], 5760000)
        self.assertEqual([a["core:label"] for a in meta["annotations"]], ["burst 1", "burst 2"])
        self.assertAlmostEqual(meta["annotations"][0]["core:sample_start"], 500 + 3 * 272, delta=8)
        with open(self.path("report/index.html")) as file:
            page = file.read()
        for plot in ("constellation", "evm", "spectrum", "flatness", "ccdf", "channel"):
            self.assertIn(plot, page)
        for name in os.listdir(self.path("report")):
            self.assertGreater(os.path.getsize(self.path("report/" + name)), 100, name)

    def report(self, content, recording):
        spec, folder = self.spec(content), self.path("report")
        self.run_tool("generate", "--spec", spec, "--out", recording)
        result = self.run_tool("decode", "--in", recording, "--spec", spec, "--report", folder)
        with open(folder + "/index.html") as page, open(folder + "/measurements.json") as figures:
            return json.loads(result.stdout)["frames"][0], page.read(), json.load(figures)

    def test_what_a_report_is_made_of(self):
        """The frame with four symbols on either side, and where each burst ends, its preamble and midambles included."""
        spec = self.spec(dict(DOWNLINK, lead_in_samples=5000))
        samples = self.run_tool("generate", "--spec", spec, "--out", "-").stdout
        with open(self.path("long.cf32"), "wb") as file:
            file.write(samples + bytes(8 * 5000))
        # Python keeps a copy of the folder that it is given, before the report cleans up.
        with open(self.path("sitecustomize.py"), "w") as file:
            file.write(f"import shutil, sys; shutil.copytree(sys.orig_argv[-1], {self.path('kept')!r}, dirs_exist_ok=True)")
        keep = unittest.mock.patch.dict(os.environ, PYTHONPATH=self.folder.name)
        keep.start()
        self.addCleanup(keep.stop)
        self.run_tool("decode", "--in", self.path("long.cf32"), "--spec", spec, "--report", self.path("report"))
        with open(self.path("kept/decoded.json")) as file:
            decoded = json.load(file)
        self.assertEqual([(b["start_symbol"], b["end_symbol"]) for b in decoded["frames"][0]["bursts"]], [(3, 5), (5, 9)])
        self.assertAlmostEqual(decoded["first_sample"], 5000 - 4 * 272, delta=2)
        self.assertAlmostEqual(os.path.getsize(self.path("kept/recording.cf32")) / 8, (4 + 9 + 4) * 272, delta=4)
        burst = dict(UPLINK, subchannel_index=10, data_symbols=20, midamble_interval=1, payload="45")
        self.report(burst, self.path("group.cf32"))
        with open(self.path("kept/decoded.json")) as file:
            burst, = json.load(file)["frames"][0]["bursts"]
        self.assertEqual((burst["start_symbol"], burst["end_symbol"]), (0, 1 + 20 + 2))  # a midamble every eight symbols

    def test_limits_of_the_standard(self):
        """An echo such that each limit of the flatness is the nearest once, steps of known size; the mask's points at 5 MHz
        and the errors allowed by rate as 8.3.10 has them."""
        bursts = [{"rate_id": r, "diuc": r and r + 1, "preamble": 0, "data_symbols": 2, "payload": "A5"} for r in range(7)]
        spec = self.spec(dict(DOWNLINK, bursts=bursts))
        clean = np.frombuffer(self.run_tool("generate", "--spec", spec, "--out", "-").stdout, "<c8")
        offsets = np.array([k for k in range(-100, 101) if k])
        inner = np.abs(offsets) <= 50
        nearest = set()
        for taps, echo, turn in ((2, 0.2, 64), (1, 0.35, 0), (3, 0.15, 30)):
            gain = echo * np.exp(2j * np.pi * taps * turn / 256)  # strongest at carrier `turn`
            sent = clean.copy()
            sent[taps:] += (gain * clean[:-taps]).astype("<c8")
            with open(self.path("bent.cf32"), "wb") as file:
                file.write(sent.tobytes())
            self.run_tool("decode", "--in", self.path("bent.cf32"), "--spec", spec, "--report", self.path("report"))
            with open(self.path("report/measurements.json")) as file:
                figures = json.load(file)
            power = np.abs(1 + gain * np.exp(-2j * np.pi * taps * offsets / 256)) ** 2
            level = 10 * np.log10(power / power[inner].mean())
            margins = {"high": 2 - level.max(), "inner low": level[inner].min() + 2, "outer low": level.min() + 4}
            nearest.add(min(margins, key=margins.get))
            flat = figures["flatness"]
            self.assertAlmostEqual(flat["margin_db"], min(margins.values()), delta=0.02)
            self.assertAlmostEqual(flat["peak_to_peak_db"], np.ptp(level), delta=0.02)
            steps = np.abs(np.diff(level))[np.diff(offsets) == 1]
            self.assertAlmostEqual(flat["neighbour_db"], steps.max(), delta=0.01)
            self.assertEqual((flat["neighbour_limit_db"], figures["carrier_zero"]["limit_db"]), (0.1, -15))
        self.assertEqual(nearest, {"high", "inner low", "outer low"})
        self.assertEqual([c["limit_db"] for c in figures["constellation"]], [-13, -16, -18.5, -21.5, -25, -29, -31])
        for hz, limit in zip(figures["mask"]["frequency_hz"], figures["mask"]["limit_db"]):
            if abs(hz) < 2.375e6:
                self.assertIsNone(limit)
            else:  # 2.725 MHz is 0.545 bandwidths
                slope = -25 * (abs(hz) - 2.375e6) / 0.35e6 if abs(hz) < 2.725e6 else -25 - 7 * (abs(hz) - 2.725e6) / 2.15e6
                self.assertAlmostEqual(limit, slope, delta=0.001)

    def test_report_of_an_stc_zone(self):
        zone = [{"rate_id": 1, "diuc": 0, "data_symbols": 2, "payload": "AB"},
                {"rate_id": 6, "diuc": 7, "data_symbols": 4, "payload": "CD"}]
        frame, page, figures = self.report(dict(DOWNLINK, stc_bursts=zone), self.path("zone.sigmf-data"))
        self.assertEqual([(z["start_symbol"], z["fch"]["hcs_ok"]) for z in frame["stc_zones"]], [(9, True)])
        with open(self.path("zone.sigmf-meta")) as file:
            notes = json.load(file)["annotations"]
        self.assertEqual([a["core:label"] for a in notes], ["burst 1", "burst 2", "STC zone", "burst 101", "burst 102"])
        self.assertIn("64-QAM 3/4, STC", notes[4]["core:comment"])
        for words in ("STC zones", "<td>64-QAM 3/4, STC</td>"):
            self.assertIn(words, page)
        # Symbols of the zone are measured, those of the same rate inside and outside together.
        self.assertEqual({c["rate"]: c["symbols"] for c in figures["constellation"]},
                         {"QPSK 1/2": 2, "16-QAM 1/2": 2, "64-QAM 3/4": 3 + 4})
        for c in figures["constellation"]:
            self.assertLess(c["error_db"], -45, c)

    def test_report_of_a_subchannelized_burst(self):
        burst = dict(UPLINK, subchannel_index=10, data_symbols=20, midamble_interval=1, payload="45")
        frame, page, figures = self.report(burst, self.path("group.cf32"))
        self.assertTrue(frame["bursts"][0]["payload"].startswith("45FF"))
        self.assertNotIn("flatness", figures)
        self.assertLess(figures["constellation"][0]["error_db"], -45)
        # Against the carriers it sends on: the noiseless burst is as far below the mask as its sidelobes are.
        self.assertGreater(figures["mask"]["margin_db"], 5)
        self.assertLess(max(figures["mask"]["density_db"]), 6)

    def test_report_of_focused_contention(self):
        codes = [{"channel": 5, "code": 2}, {"channel": 40, "code": 6, "opportunity": 1}]
        region = {"direction": "uplink", "bandwidth_hz": 5000000, "cp": "1/8", "contention": codes, "opportunities": 2, "start_sample": 0}
        frame, page, _ = self.report(region, self.path("codes.sigmf-data"))
        self.assertEqual([(c["opportunity"], c["channel"], c["code"]) for c in frame["contention"]], [(0, 5, 2), (1, 40, 6)])
        self.assertIn("<h2>Focused contention</h2>", page)
        with open(self.path("codes.sigmf-meta")) as file:
            notes = [(a["core:sample_start"], a["core:label"], a["core:comment"]) for a in json.load(file)["annotations"]]
        self.assertEqual(notes, [(0, "contention channel 5", "code 2"), (2 * 288, "contention channel 40", "code 6")])

    def test_wrong_input_is_one_line_and_code_2(self):
        spec, recording = self.spec(UPLINK), self.path("x.cf32")
        self.run_tool("generate", "--spec", spec, "--out", recording)
        bad = self.spec(dict(UPLINK, rate_id=9), "bad.json")
        for arguments, word in [
                (["generate", "--spec", bad, "--out", "-"], "rate_id"),
                (["generate", "--spec", self.spec("{", "broken.json"), "--out", "-"], "broken.json"),
                (["generate", "--spec", self.path("none.json"), "--out", "-"], "none.json"),
                (["generate", "--spec", spec], "--out"),
                (["generate", "--spec", spec, "--out", self.path("no/such/folder")], "folder"),
                (["impair", "--in", recording, "--out", "-", "--channel", "sui9"], "sui6"),
                (["impair", "--in", recording, "--out", "-", "--snr-db", "x"], "--snr-db"),
                (["impair", "--in", recording, "--out", "-", "--delay-samples", "-1"], "--delay-samples"),
                (["impair", "--in", self.path("none.cf32"), "--out", "-"], "none.cf32"),
                (["impair", "--in", recording, "--out", "-", "--snr-db", "nan"], "--snr-db"),
                (["impair", "--in", recording, "--out", "-", "--seed", "-1"], "--seed"),
                (["impair", "--in", recording, "--out", "-", "--channel", self.folder.name], "--channel"),
                (["generate", "--spec", self.spec(dict(UPLINK, direction="up"), "way.json"), "--out", "-"], "downlink"),
                (["decode", "--in", recording, "--spec", spec, "--json", self.path("no/r.json")], "--json"),
                (["decode", "--in", recording, "--spec", spec, "--report", "/proc/none"], "--report"),
                (["decode", "--in", recording, "--spec", bad], "rate_id"),
                (["decode", "--in", recording], "--spec"),
                (["improve"], "improve"), ([], "subcommand")]:
            done = self.run_tool(*arguments, code=2)
            lines = done.stderr.decode().strip().splitlines()
            self.assertEqual(len(lines), 1, lines)
            self.assertIn(word, lines[0])
            self.assertEqual(done.stdout, b"")

    def test_full_disk(self):
        spec, recording = self.spec(UPLINK), self.path("x.cf32")
        self.run_tool("generate", "--spec", spec, "--out", recording)
        for command in (["decode", "--in", recording, "--spec", spec], ["generate", "--spec", spec, "--out", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([TOOL, *command], stdout=full, stderr=subprocess.PIPE, timeout=60)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (1, 1), done.stderr)

    def test_nothing_found_and_random_octets(self):
        downlink = self.spec({"direction": "downlink", "bandwidth_hz": 5000000})
        done = self.run_tool("decode", "--in", "-", "--spec", downlink)
        self.assertEqual(json.loads(done.stdout)["frames"], [])
        self.assertIn(b"standard input: nothing found: no samples", done.stderr)
        self.run_tool("decode", "--in", self.folder.name, "--spec", downlink, code=2)
        for seed in range(3):
            octets = random.Random(seed).randbytes(400003)
            for spec in (downlink, self.spec(UPLINK, "up.json")):
                result = self.run_tool("decode", "--in", "-", "--spec", spec, stdin=octets).stdout
                self.assertIn("frames", json.loads(result, parse_constant=lambda name: self.fail(name)))

    def test_why_nothing_was_found(self):
        """Each with its reason, and a page with what there is."""
        rng = np.random.default_rng(1)
        noise = (rng.normal(size=60000) + 1j * rng.normal(size=60000)).astype("<c8") * 0.1
        spec = self.spec(DOWNLINK)
        frame = np.frombuffer(self.run_tool("generate", "--spec", spec, "--out", "-").stdout, "<c8")
        long = dict(DOWNLINK, bandwidth_hz=7000000, bursts=[dict(DOWNLINK["bursts"][0], data_symbols=40)])
        wide = np.frombuffer(self.run_tool("generate", "--spec", self.spec(long, "7.json"),
                                           "--out", "-").stdout, "<c8")
        slow = np.interp(np.arange(0, len(wide), 8 / 5.76), np.arange(len(wide)), wide).astype("<c8")
        uplink = np.frombuffer(self.run_tool("generate", "--spec", self.spec(UPLINK, "up.json"), "--out", "-").stdout, "<c8")
        other_cp = self.spec(dict(DOWNLINK, cp="1/8"), "cp.json")
        tone = np.exp(0.3j * np.arange(60000)).astype("<c8")
        cases = [(np.zeros(60000, "<c8"), spec, "no energy: all samples are 0"), (noise, spec, "no preamble correlation"),
                 (frame.conj(), spec, "I and Q seem to be swapped"), (frame, other_cp, "another cyclic prefix than cp 1/8"),
                 (uplink, spec, "short preambles alone: an uplink"), (slow, spec, "another bandwidth: about 7 MHz"),
                 (tone, spec, "a carrier"), (frame[:200], spec, "less than the shortest frame")]
        for number, (samples, wanted, words) in enumerate(cases):
            with self.subTest(words):
                samples.tofile(self.path("x.cf32"))
                more = ("--report", self.path("none")) if number in (1, 7) else ()
                done = self.run_tool("decode", "--in", self.path("x.cf32"), "--spec", wanted, *more)
                self.assertEqual(json.loads(done.stdout)["frames"], [])
                self.assertIn(words, done.stderr.decode())
                if more:
                    with open(self.path("none/index.html")) as page:
                        text = page.read()
                    self.assertIn("Nothing found", text)
                    self.assertIn("Power over time", text)
                    self.assertEqual("Spectrum and correlation" in text, number == 1)

    def test_formats(self):
        """The same frame in every format, by name, by header and by --format."""
        spec = self.spec(DOWNLINK)
        samples = np.frombuffer(self.run_tool("generate", "--spec", spec, "--out", "-").stdout, "<c8")
        pairs = samples.view("<f4") / 4
        files = {"a.cf32": samples.tobytes(), "a.cf64": samples.astype("<c16").tobytes(),
                 "a.cs16": np.round(pairs * 32767).astype("<i2").tobytes(), "a.ci8": np.round(pairs * 127).astype("i1").tobytes()}
        for name, octets in files.items():
            with open(self.path(name), "wb") as file:
                file.write(octets)
        np.save(self.path("a.npy"), samples)
        with open(self.path("a.wav"), "wb") as file, wave.open(file) as sound:
            sound.setparams((2, 2, 5760000, 0, "NONE", ""))
            sound.writeframes(files["a.cs16"])
        payload = DOWNLINK["bursts"][1]["payload"]
        for name in (*files, "a.npy", "a.wav"):
            with self.subTest(name):
                result = json.loads(self.run_tool("decode", "--in", self.path(name), "--spec", spec).stdout)
                self.assertEqual(result["frames"][0]["bursts"][1]["payload"], payload)
                self.assertEqual(len(self.run_tool("impair", "--in", self.path(name), "--out", "-").stdout), samples.nbytes)
        os.rename(self.path("a.cs16"), self.path("a.bin"))
        done = self.run_tool("decode", "--in", self.path("a.bin"), "--spec", spec, "--format", "ci16")
        self.assertEqual(json.loads(done.stdout)["frames"][0]["bursts"][1]["payload"], payload)
        piped = self.run_tool("decode", "--in", "-", "--spec", spec, "--format", "ci16", "--report", self.path("page"), stdin=files["a.cs16"])
        self.assertEqual(json.loads(piped.stdout)["frames"][0]["bursts"][1]["payload"], payload)
        open(self.path("empty.cf32"), "wb").close()
        with open(self.path("odd.cf32"), "wb") as file:
            file.write(bytes(13))
        for arguments, words in ((["a.bin"], "unknown format"), (["empty.cf32"], "empty"), (["odd.cf32"], "multiple of 8"),
                                 (["a.wav", "--format", "npy"], "NumPy header"), (["a.bin", "--format", "flac"], "cf32")):
            done = self.run_tool("decode", "--in", self.path(arguments[0]), *arguments[1:], "--spec", spec, code=2)
            self.assertEqual(done.stderr.count(b"\n"), 1)
            self.assertIn(words, done.stderr.decode())

    def test_where_a_page_comes_from(self):
        spec, recording = self.spec(DOWNLINK), self.path("frame.cf32")
        self.run_tool("generate", "--spec", spec, "--out", recording)
        for more, words in (((), "Signal as received"), (("--transmitter",), "Transmitter requirements")):
            result = json.loads(self.run_tool("decode", "--in", recording, "--spec", spec, "--report", self.path("page"), *more).stdout)
            self.assertLessEqual({"program", "version", "commit", "command", "machine", "date"}, result["provenance"].keys())
            with open(self.path("page/index.html")) as file:
                page = file.read()
            for word in (words, "frame.cf32", result["provenance"]["commit"], "decode --in"):
                self.assertIn(word, page)
            self.assertIs('class="ok">pass' in page, bool(more))
            if not more:
                self.assertNotIn('class="bad"', page)
            self.assertEqual(sorted(os.listdir(self.path("page")))[-1], "tracking-0.png")

    def test_memory_does_not_grow_with_the_recording(self):
        """60 and 600 frames by standard input; noise for an uplink search."""
        spec = self.spec(DOWNLINK)
        frame = self.run_tool("generate", "--spec", spec, "--out", "-").stdout.ljust(57600 * 8, b"\0")
        peaks = []
        for count in (60, 300):
            code = "import resource, subprocess, sys; p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL);" \
                f"f = sys.stdin.buffer.read(); [p.stdin.write(f) for _ in range({count})]; p.stdin.close(); p.wait();" \
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)"
            done = subprocess.run([sys.executable, "-c", code, TOOL, "decode", "--in", "-", "--spec", spec], input=frame,
                                  capture_output=True, timeout=120, check=True)
            peaks.append(int(done.stdout))
        self.assertLess(peaks[0], 120)
        self.assertLess(peaks[1], peaks[0] + 10)

    def test_interrupted_it_keeps_what_is_there(self):
        spec, result = self.spec(DOWNLINK), self.path("r.json")
        frame = self.run_tool("generate", "--spec", spec, "--out", "-").stdout.ljust(57600 * 8, b"\0")
        with subprocess.Popen([TOOL, "decode", "--in", "-", "--spec", spec, "--json", result], stdin=subprocess.PIPE,
                              stderr=subprocess.PIPE) as tool:
            for _ in range(20):
                tool.stdin.write(frame)
            self.assertFalse(os.path.exists(result))
            tool.send_signal(signal.SIGINT)
            with contextlib.suppress(BrokenPipeError):
                for _ in range(3):
                    tool.stdin.write(frame)
            with contextlib.suppress(BrokenPipeError):
                tool.stdin.close()
            self.assertEqual(tool.wait(60), 130)
            self.assertIn(b"so far are written", tool.stderr.read())
        with open(result) as file:
            self.assertGreater(len(json.load(file)["frames"]), 5)

    def test_examples_of_the_manual(self):
        """Generated and decoded with the spec as it stands there, as the page's first lines do."""
        manual = os.path.join(os.path.dirname(__file__), "../../../docs/wimax-iq.md")
        with open(manual) as file:
            examples = re.findall(r"```json\n(.*?)```", file.read(), re.DOTALL)
        self.assertEqual(len(examples), 6)
        for number, text in enumerate(examples):
            spec, recording = self.spec(text, f"{number}.json"), self.path(f"{number}.cf32")
            self.assertEqual(self.run_tool("generate", "--spec", spec, "--out", recording).stderr, b"")
            if "phy" in json.loads(text):  # OFDMA, which decode refuses
                late = max([0, *(code["delay_samples"] for code in json.loads(text).get("ranging", []))])
                self.assertEqual(os.path.getsize(recording), 8 * (1152 * json.loads(text)["symbols"] + late))
                self.assertIn(b"ofdm256", self.run_tool("decode", "--in", recording, "--spec", spec, code=2).stderr)
                continue
            result = json.loads(self.run_tool("decode", "--in", recording, "--spec", spec).stdout)
            sent = json.loads(text)
            frames = sent.get("frames", [sent])
            self.assertEqual(len(result["frames"]), len(frames))
            if "contention" in sent:
                found = result["frames"][0]["contention"]
                self.assertEqual([(c["channel"], c["code"]) for c in found], [(c["channel"], c["code"]) for c in sent["contention"]])
                continue
            for frame, seen in zip(frames, result["frames"]):
                for burst, decoded in zip(frame.get("bursts", [frame]), seen["bursts"], strict=True):
                    self.assertTrue(decoded["payload"].startswith(burst["payload"]), text)

    def test_radios(self):
        samples = self.run_tool("generate", "--spec", self.spec(UPLINK), "--out", "-").stdout
        sent = np.frombuffer(samples, np.complex64)

        def impaired(*options):
            return np.frombuffer(self.run_tool("impair", "--in", "-", "--out", "-", *options, stdin=samples).stdout, np.complex64)

        def error_db(heard, of):
            return 10 * np.log10(np.mean(np.abs(heard - of) ** 2))

        self.assertAlmostEqual(error_db(impaired("--dc-dbc", "-25"), sent), -25, delta=0.01)
        # The gain is that of a path, so the receiver's levels scale with the signal; a transmitter's leakage passes the path.
        for end in ("receiver", "transmitter"):
            quiet = impaired("--gain-db", "-20", "--dc-dbc", "-25", "--front", end)
            self.assertAlmostEqual(error_db(quiet, sent / 10), -45, delta=0.01)
        both = impaired("--dc-dbc", "-25", "--cfo-hz", "100000", "--front", "both") - impaired("--cfo-hz", "100000")
        lines = np.abs(np.fft.fft(both[:1152])) ** 2 / 1152 ** 2  # 5 kHz each
        self.assertEqual(set(np.argsort(lines)[-2:]), {0, 20})
        coarse = impaired("--bits", "8", "--full-scale-db", "12")
        self.assertAlmostEqual(error_db(coarse, sent), 20 * np.log10(10 ** (12 / 20) / 128) + 10 * np.log10(2 / 12), delta=0.2)
        self.assertLessEqual(np.max(np.abs(impaired("--rapp-saturation-db", "3", "--rapp-smoothness", "5"))), 10 ** (3 / 20))
        turned = impaired("--phase-noise-deg", "5")
        np.testing.assert_allclose(np.abs(turned), np.abs(sent), atol=1e-5)
        self.assertFalse(np.array_equal(turned, impaired("--phase-noise-deg", "5", "--seed", "2")))
        for wrong in (("--image-dbc", "-30", "--iq-phase-deg", "1"), ("--phase-noise-mask", "x")):
            done = self.run_tool("impair", "--in", "-", "--out", "-", *wrong, stdin=samples, code=2)
            self.assertIn(wrong[0], done.stderr.decode())

    def test_help_names_units(self):
        text = self.run_tool("impair", "--help").stdout.decode()
        for word in ("Hz", "ppm", "dB", "samples", "sui1"):
            self.assertIn(word, text)


if __name__ == "__main__":
    unittest.main()
