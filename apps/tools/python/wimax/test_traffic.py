# SPDX-License-Identifier: GPL-3.0-or-later
import struct
import tempfile
import unittest
from pathlib import Path

import numpy as np

from wimax import traffic
from wimax.traffic import Cbr, Flow, OnOff, PcapTrace, Trace, Video, read_pcap

ADDRESSES = bytes((10, 0, 0, 1)), bytes((10, 0, 0, 2))


def ipv4(size, source=ADDRESSES[0], destination=ADDRESSES[1]):
    """The first 60 octets at most, as a capture with a snap length has them."""
    return (struct.pack(">BBHHHBBH", 0x45, 0, size, 0, 0, 64, 17, 0) + source + destination + bytes(max(0, size - 20)))[:60]


def ethernet(packet, kind=0x0800, tag=b""):
    return bytes(12) + tag + kind.to_bytes(2, "big") + packet


def pcap(records, order="<", magic=0xA1B2C3D4, link=1, ticks=1_000_000):
    data = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, link)
    for at, frame in records:
        data += struct.pack(order + "4I", int(at), round((at - int(at)) * ticks), len(frame), len(frame)) + frame
    return data


class Captures(unittest.TestCase):
    def file(self, data):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "some.pcap")
        path.write_bytes(data)
        return path

    def test_formats(self):
        packets = [(100.5, ipv4(100)), (100.75, ipv4(1500)), (102.0, ipv4(40))]
        for order in "<>":
            for magic, ticks in ((0xA1B2C3D4, 1_000_000), (0xA1B23C4D, 1_000_000_000)):
                for link, wrap in ((1, ethernet), (101, bytes), (228, bytes), (113, lambda p: bytes(14) + b"\x08\x00" + p),
                                   (1, lambda p: ethernet(p, tag=b"\x81\x00\x00\x05"))):
                    with self.subTest(order=order, magic=magic, link=link):
                        times, sizes = read_pcap(self.file(pcap([(at, wrap(p)) for at, p in packets], order, magic, link, ticks)))
                        np.testing.assert_allclose(times, [0, 0.25, 1.5], atol=1e-9)
                        np.testing.assert_array_equal(sizes, [100, 1500, 40])

    def test_other_frames_addresses_and_order(self):
        back = ipv4(200, *reversed(ADDRESSES))
        ipv6 = struct.pack(">IHBB", 0x60000000, 60, 17, 64) + bytes(32)
        path = self.file(pcap([(2, ethernet(back)), (1, ethernet(ipv4(100))), (3, ethernet(b"arp", 0x0806)), (4, ethernet(ipv6, 0x86DD)), (5, b"")]))
        times, sizes = read_pcap(path)
        np.testing.assert_array_equal(times, [0, 1, 3])
        np.testing.assert_array_equal(sizes, [100, 200, 100])
        np.testing.assert_array_equal(read_pcap(path, source="10.0.0.2")[1], [200])
        np.testing.assert_array_equal(read_pcap(path, destination="10.0.0.2")[1], [100])
        self.assertEqual(len(read_pcap(path, source="10.9.9.9")[0]), 0)
        with self.assertRaisesRegex(ValueError, "some.pcap: no IP packet: allowed"):
            PcapTrace(path, source="10.9.9.9").keys()

    def test_malformed_files(self):
        good = pcap([(1, ethernet(ipv4(100))), (2, ethernet(ipv4(100)))])
        for data, message in ((b"", "octet 0: 0 octets: allowed at least the 24"), (b"\x0a\x0d\x0d\x0a" + bytes(30), "pcapng .*editcap"),
                              (b"GIF89a" + bytes(30), "octet 0: magic number 47494638: allowed classic pcap"),
                              (pcap([], link=105), "octet 20: link type 105: allowed 1 "), (good[:-1], "octet 122: a record of 74 octets: allowed 73"),
                              (good[:30], "octet 24: 6 octets: allowed 16"), (good[:32] + b"\xff" * 4 + good[36:], "octet 32: a record of 4294967295")):
            with self.subTest(message=message), self.assertRaisesRegex(ValueError, message):
                read_pcap(self.file(data))
        with self.assertRaisesRegex(ValueError, "file: .*nowhere.pcap: No such file"):
            read_pcap("nowhere.pcap")
        with self.assertRaisesRegex(ValueError, "source: 'x': allowed an IPv4 or IPv6 address"):
            read_pcap(self.file(good), source="x")

    def test_every_cut_of_a_file_is_read_or_refused(self):
        good = pcap([(1, ethernet(ipv4(100))), (2, ethernet(ipv4(100)))])
        for length in range(len(good)):
            try:
                self.assertLessEqual(len(read_pcap(self.file(good[:length]))[0]), 2)
            except ValueError as fault:
                self.assertIn("allowed", str(fault))

    def test_large_packets_are_split(self):
        entry = PcapTrace(self.file(pcap([(1, ipv4(3010)), (2, ipv4(20)), (3, ipv4(3000))], link=101)), period_s=9).keys()
        self.assertEqual([(p["at_s"], p["bytes"]) for p in entry["trace"]],
                         [(0, 1500), (0, 1500), (0, 40), (1, 40), (2, 1500), (2, 1500)])
        self.assertEqual((entry["kind"], entry["trace_period_s"]), ("trace", 9))


class Entries(unittest.TestCase):
    def test_defaults_are_absent(self):
        self.assertEqual(Flow(Cbr(1000)).keys(), {"kind": "cbr", "rate_bps": 1000, "packet_bytes": 1500})
        self.assertEqual(Flow(Video(1e6), direction="uplink", stations=3, service="rtPS", max_latency_ms=50).keys(),
                         {"kind": "video", "rate_bps": 1e6, "packet_bytes": 1400, "pictures_per_s": 25.0, "group_pictures": 12, "intra_ratio": 3.0,
                          "size_cv": 0.3, "direction": "uplink", "stations": [3], "service": "rtPS", "max_latency_ms": 50})
        self.assertEqual(Flow(Cbr(1), stations=np.array([1, 2])).keys()["stations"], [1, 2])

    def test_exponential_periods_are_those_of_voice(self):
        self.assertEqual(OnOff(1000, on_s=2, off_s=3, pareto_shape=None).keys(),
                         {"kind": "voice", "rate_bps": 1000, "packet_bytes": 1500, "talk_s": 2, "silence_s": 3})
        self.assertEqual(OnOff(1000).keys()["kind"], "onoff")

    def test_shapes_of_traces(self):
        self.assertEqual(Trace(np.array([0, 0.5]), [100, 200]).keys()["trace"], [{"at_s": 0.0, "bytes": 100}, {"at_s": 0.5, "bytes": 200}])
        for times, sizes in (([1, 2], [100]), (1, 2), ([[1]], [[100]])):
            with self.assertRaisesRegex(ValueError, "times_s, sizes_bytes: shapes"):
                Trace(times, sizes)

    def test_every_public_name_is_documented(self):
        for name in traffic.__all__:
            self.assertGreater(len(getattr(traffic, name).__doc__ or ""), 40, name)


if __name__ == "__main__":
    unittest.main()
