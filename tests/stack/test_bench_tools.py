# SPDX-License-Identifier: GPL-3.0-or-later
"""The bench's arguments and profiles."""
import contextlib
import io
import json
import struct
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from wimax_tools.bench import run as bench
from wimax_tools.bench import captures, profiles, studies

REPOSITORY = Path(__file__).resolve().parents[2]


def captured(*packets):
    """A capture of (flags, frame, PDU); each is an Ethernet frame of TLVs, the PDU's with a long length."""
    data = struct.pack("<IHHiIII", captures.MAGIC_NANOSECONDS, 2, 4, 0, 0, 65535, captures.ETHERNET)
    for number, (flags, frame, pdu) in enumerate(packets):
        tlvs = bytes([captures.FRAME, 4]) + frame.to_bytes(4, "big") + bytes([captures.PDUS, 0x82, 0, len(pdu)]) + pdu + bytes([captures.OFDM, 2, flags, 7])
        packet = bytes(12) + struct.pack(">H", captures.ETHERTYPE) + bytes(captures.COUNTS) + tlvs
        data += struct.pack("<IIII", 10 + number, 500_000_000, len(packet), len(packet)) + packet
    return data


class Captures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def write(self, name, data):
        (self.folder / name).write_bytes(data)
        return self.folder / name

    def test_records(self):
        found = list(captures.read(self.write("a", captured((captures.SENT, 3, b"abc"), (captures.FEC_OK, 2**24 + 5, b"d" * 200)))))
        self.assertEqual([tuple(one) for one in found], [(10.5, 2, 3, b"abc", b"\x02\x07"), (11.5, 4, 2**24 + 5, b"d" * 200, b"\x04\x07")])

    def test_what_is_no_capture(self):
        good = captured((captures.SENT, 3, b"abc"))
        wrong_type = good.replace(struct.pack(">H", captures.ETHERTYPE), b"\x08\x00")
        for data in (b"", good[:23], b"\0" + good[1:], good[:20] + b"\x02" + good[21:], good[:-1], good[:30], wrong_type, good.replace(b"\xf0\x02\x02", b"\xf0\x03\x02"),
                     good[:32] + struct.pack("<II", 17, 17) + good[40:57]):
            with self.assertRaises(captures.CaptureError, msg=data):
                list(captures.read(self.write("a", data)))
        self.assertEqual(list(captures.read(self.write("a", good[:24]))), [])

    def test_both_ends(self):
        """Frames are compared by their low four bits; damaged bursts were not heard."""
        sent, ok = captures.SENT, captures.FEC_OK
        base = [(sent, 1, b"down"), (sent, 2, b"more"), (ok, 18, b"up"), (0, 3, b"noise"), (ok | captures.BAD_CRC, 3, b"bad"), (ok | captures.UNREADABLE, 3, b"worse")]
        self.write("bs.pcap", captured(*base))
        self.write("ss-1.pcap", captured((sent, 2, b"up"), (ok, 17, b"down")))
        self.write("ss-2.pcap", captured((sent, 4, b"lost"), (ok, 1, b"down"), (ok, 2, b"more")))
        self.assertEqual(captures.check(self.folder, 2), {"downlink": {"sent": 2, "heard": [1, 2]}, "uplink": {"sent": 2, "heard": 1}})
        self.write("ss-2.pcap", captured((ok, 3, b"down")))
        with self.assertRaisesRegex(captures.CaptureError, "ss-2.pcap: 1 PDUs that no station has sent"):
            captures.check(self.folder, 2)


class Transfers(unittest.TestCase):
    def test_stopped_ones_are_not_kept(self):
        one, transfer = bench.Bench(None, None), mock.Mock()
        one.running = [transfer]
        one.stop_transfers()
        one.stop_transfers()
        transfer.stop.assert_called_once_with()
        self.assertEqual(one.running, [])


class Profiles(unittest.TestCase):
    def test_numbers_agree_with_the_golden_numerology(self):
        rows = json.loads((REPOSITORY / "tests/vectors/phy_ofdm256.json").read_text())["numerology"]
        for row in rows:
            bandwidth = row.get("bw_hz") or round(row["bw_mhz"] * 1e6)
            profile = profiles.Profile(bandwidth, 10.0, 8)
            self.assertEqual(profile.sample_rate_hz, row["fs_hz"], row)

    def test_sample_rates_are_multiples_of_8_khz(self):
        self.assertEqual(profiles.Profile(3_333_000, 10.0, 8).sample_rate_hz, 3_808_000)  # 8/7 of it: 3 809 142

    def test_symbols_a_frame(self):
        self.assertEqual(profiles.Profile.parse("5MHz-10ms").frame_symbols, 200)
        self.assertEqual(profiles.Profile.parse("3.5MHz-20ms").frame_symbols, 277)
        self.assertEqual(profiles.Profile.parse("7MHz-2.5ms-cp32").frame_symbols, 75)

    def test_what_a_name_says(self):
        for name, cp, frame_s, code, bandwidth in (("5MHz-10ms", "1/8", 0.01, 4, 5_000_000), ("1.75MHz-2.5ms-cp4", "1/4", 0.0025, 0, 1_750_000),
                                                   ("28MHz-12.5ms-cp16", "1/16", 0.0125, 5, 28_000_000), ("3MHz-4ms-cp32", "1/32", 0.004, 1, 3_000_000)):
            profile = profiles.Profile.parse(name)
            self.assertEqual((profile.name, profile.cp, profile.frame_s, profile.frame_code, profile.bandwidth_hz),
                             (name, cp, frame_s, code, bandwidth))
        self.assertEqual(profiles.Profile.parse("5.0MHz-5.0ms-cp8").name, "5MHz-5ms")
        self.assertEqual([profiles.Profile.bits_per_symbol(rate) for rate in range(7)], [96, 192, 288, 384, 576, 768, 864])
        self.assertEqual([(code, ms) for ms, code in profiles.FRAME_CODES.items()],
                         [(0, 2.5), (1, 4), (2, 5), (3, 8), (4, 10), (5, 12.5), (6, 20)])
        self.assertEqual(profiles.Profile.parse("1.25MHz-10ms").bandwidth_hz, 1_250_000)

    def test_a_pair_of_carriers(self):
        for name, canonical, frame_ms, cp in (("5MHz-fdd", "5MHz-fdd", 10, 8), ("3.5MHz-10ms-fdd", "3.5MHz-fdd", 10, 8),
                                              ("7MHz-5ms-fdd-cp4", "7MHz-5ms-fdd-cp4", 5, 4), ("7MHz-fdd-cp16", "7MHz-fdd-cp16", 10, 16)):
            profile = profiles.Profile.parse(name)
            self.assertEqual((profile.name, profile.frame_ms, profile.cp_denominator, profile.fdd), (canonical, frame_ms, cp, True))
            self.assertEqual(profiles.Profile.parse(profile.name), profile)
            self.assertEqual(profile.direction_symbols, profile.frame_symbols)
            self.assertEqual(profile.air["duplex_spacing_hz"], profiles.FDD_SPACING_HZ)
        tdd = profiles.Profile.parse("5MHz-10ms")
        self.assertEqual((tdd.fdd, tdd.direction_symbols, tdd.air), (False, 100, {"bandwidth_hz": 5_000_000}))

    def test_faults_name_what_is_allowed(self):
        for name, word in {"5MHz": "MHz", "5MHz-fdd-10ms": "MHz", "5MHz-cp4": "MHz", "5MHz-tdd": "MHz", "5MHz-11ms": "12.5", "40MHz-10ms": "1.25", "28MHz-20ms-cp32": "2047",
                           "1.2MHz-10ms": "1.25", "28.1MHz-5ms": "28", "5MHz-10ms-cp2": "cp4|8|16|32", " 5MHz-10ms": "MHz"}.items():
            with self.assertRaises(profiles.ProfileError) as caught:
                profiles.Profile.parse(name)
            self.assertIn(word, str(caught.exception))


class Arguments(unittest.TestCase):
    def refused(self, *argv):
        err = io.StringIO()
        with self.assertRaises(SystemExit) as caught, contextlib.redirect_stderr(err):
            bench.parse(argv)
        self.assertEqual(caught.exception.code, 2)
        return err.getvalue()

    def test_wrong_values_exit_2_and_name_the_allowed_ones(self):
        self.assertIn("64-QAM 3/4", self.refused("--dl-rate", "7"))
        for outside in ("0", "65"):
            self.assertIn("1..64", self.refused("--stations", outside))
        self.assertIn("sui1", self.refused("--channel", "moon"))
        self.assertIn("ms", self.refused("--profile", "5MHz-9ms"))
        self.assertIn(", ".join([*studies.STUDIES, "all", *studies.OWN]), self.refused("--experiment", "Z9"))  # as --help has it
        self.assertIn("ms", self.refused("--profile", "...MHz-10ms"))
        self.assertIn("86400", self.refused("--duration", "nan"))
        self.assertIn("--snr-db", self.refused("--snr-db", "inf"))
        self.assertIn("--seed", self.refused("--seed", "-1"))

    def test_places_for_results_are_tried_before_the_measurement(self):
        self.assertIn("/proc/none", self.refused("--json", "/proc/none/result.json"))
        self.assertIn("/proc/none", self.refused("--keep-logs", "/proc/none"))

    def test_limits_are_allowed(self):
        args = bench.parse(["--stations", "64", "--duration", "86400", "--snr-db", "-30", "--seed", "0", "--dl-rate", "0"])
        self.assertEqual((args.stations, args.duration, args.snr_db, args.seed, args.dl_rate), (64, 86400, -30, 0, 0))
        for option, value in (("--stations", "65"), ("--duration", "0.9"), ("--duration", "86401"), ("--snr-db", "-31"),
                              ("--snr-db", "101"), ("--seed", str(2**63)), ("--ul-rate", "-1"), ("--mode", "warp")):
            self.assertIn(option, self.refused(option, value))

    def test_rates_may_follow_the_cinr(self):
        args = bench.parse(["--dl-rate", "auto", "--ul-rate", "3"])
        self.assertEqual((args.dl_rate, args.dl_rate_auto, args.ul_rate, args.ul_rate_auto), (6, True, 3, False))
        self.assertIn("or auto", self.refused("--ul-rate", "automatic"))

    def test_cores_are_simulated_in_lock_step_alone(self):
        self.assertTrue(bench.parse(["--fpga", "--mode", "free"]).fpga)
        for other in (["--mode", "rt"], ["--lates", "5"], ["--personality", "b210"], ["--matrix"], ["--experiment", "A1"]):
            self.assertIn("slower than real time", self.refused("--fpga", *other))

    def test_defaults(self):
        args = vars(bench.parse([]))
        self.assertEqual(args.pop("profile").name, "5MHz-10ms")
        self.assertEqual(args, {"dl_rate": 6, "ul_rate": 6, "dl_rate_auto": False, "ul_rate_auto": False, "stations": 1, "duration": 10, "channel": "awgn", "snr_db": 30,
                                "experiment": None, "quick": False, "whole": True, "out": "wimax-results", "mode": "paced", "both_ways": False, "seed": 1, "json": None, "pcap": None,
                                "keep_logs": None, "lates": None, "matrix": False, "adaptation": None, "arq": False, "personality": None, "fpga": False, "separate": False, "archive": None, "files": []})


if __name__ == "__main__":
    unittest.main()
