# SPDX-License-Identifier: GPL-3.0-or-later
"""The Wireshark dissector, as tshark runs it, against `wimax pdu`: golden vectors, a session of two stations, damaged PDUs."""
import json
import random
import re
import subprocess
import sys
import tempfile
import unittest
import zlib
from collections import Counter
from pathlib import Path

from dissected import TABLE, expected, frame, packets, tshark, write_capture
from wimax_tools.bench import captures
from wimax_tools.bench.captures import DOWNLINK, FEC_OK

SOURCE, PDU, DICTIONARY, SESSION = (Path(a).resolve() for a in sys.argv[1:5])
del sys.argv[1:5]
VECTORS = json.loads((SOURCE / "tests/vectors/mac_pdus.json").read_text(encoding="utf-8"))


def decode(octets, downlink):
    done = subprocess.run([PDU, "decode", "--hex", octets.hex() or "-", "--direction", "downlink" if downlink else "uplink"],
                          input="", stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def checked(octets):
    """The same PDU with check sequences that fit, so that its contents count."""
    octets = bytearray(octets)
    crc = 0
    for octet in octets[:5]:
        crc ^= octet
        for _ in range(8):
            crc = (crc << 1 ^ (0x07 if crc & 0x80 else 0)) & 0xFF
    octets[5] = crc
    if octets[0] & 0x80 == 0 and octets[1] & 0x40 and len(octets) >= 10:
        octets[-4:] = zlib.crc32(octets[:-4]).to_bytes(4, "little")
    return bytes(octets)


class Dissector(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="wimax-wireshark-")
        cls.addClassCleanup(cls.folder.cleanup)
        subprocess.run([SESSION, cls.folder.name], check=True)

    def path(self, name):
        return str(Path(self.folder.name) / name)

    def compare(self, path, pdus):
        """Every field of every PDU, both ways; how many fields were compared."""
        shown, compared = packets(path), 0
        self.assertEqual(len(shown), len(pdus))
        for i, ((fields, malformed, _), (flags, octets)) in enumerate(zip(shown, pdus)):
            tree = decode(octets, flags & DOWNLINK)
            self.assertEqual(malformed, tree["error"] is not None, f"packet {i + 1}: {octets.hex()} {tree['error']}")
            if tree["error"] is None:
                wanted = Counter(expected(tree))
                with self.subTest(packet=i + 1):
                    self.assertEqual(fields, wanted, f"packet {i + 1}: {octets.hex()}\nonly shown {fields - wanted}\nonly wanted {wanted - fields}")
                compared += wanted.total()
        return compared

    def test_dictionary_is_that_of_the_library(self):
        made = subprocess.run([DICTIONARY], stdout=subprocess.PIPE, text=True, check=True).stdout
        self.assertEqual(made, TABLE, "make it anew: wimax-lua-dictionary > apps/tools/wireshark/wimax_dictionary.lua")

    def test_golden_vectors(self):
        pdus = [((DOWNLINK if v["direction"] == "dl" else 0) | FEC_OK, bytes.fromhex(v["hex"])) for v in VECTORS]
        write_capture(self.path("vectors.pcap"), [frame(octets, flags) for flags, octets in pdus])
        self.assertGreater(self.compare(self.path("vectors.pcap"), pdus), 1000)

    def test_session(self):
        kinds = Counter()
        for name in ("bs", "ss-1", "ss-2"):
            records = list(captures.read(self.path(f"{name}.pcap")))
            self.assertGreater(self.compare(self.path(f"{name}.pcap"), [(r.flags, r.octets) for r in records]), 2000)
            for fields, malformed, other in packets(self.path(f"{name}.pcap")):
                self.assertEqual(malformed, other["wimax.air.unreadable"] == "1", "two stations may have begun at once")
                kinds.update(v for (n, v) in fields if n == "message_name")
                if name == "ss-1":
                    kinds["measured"] += "wimax.air.cinr_db" in other
        for message in ("DL-MAP", "UL-MAP", "DCD", "UCD", "RNG-REQ", "RNG-RSP", "SBC-REQ", "SBC-RSP", "REG-REQ", "REG-RSP", "DSA-REQ",
                        "DSA-RSP", "DSA-ACK", "measured"):
            self.assertGreater(kinds[message], 0, message)

    def test_both_ends_tell_the_same(self):
        found = captures.check(self.folder.name, 2)
        self.assertGreater(found["downlink"]["sent"], 100)
        self.assertGreaterEqual(found["downlink"]["sent"], max(found["downlink"]["heard"]))
        self.assertGreater(min(found["downlink"]["heard"]), 0.9 * found["downlink"]["sent"], "the first frames are not heard yet")
        self.assertGreaterEqual(found["uplink"]["heard"], found["uplink"]["sent"] - 4, "two stations begin at once, twice")

    def test_what_nobody_sent_is_found(self):
        data = bytearray(Path(self.path("ss-1.pcap")).read_bytes())
        last = data.rindex(b"\xf0\x10")  # the TLV after the last PDU
        data[last - 1] ^= 1
        folder = Path(self.folder.name) / "changed"
        folder.mkdir()
        for name in captures.names(2):
            (folder / name).write_bytes(data if name == "ss-1.pcap" else Path(self.path(name)).read_bytes())
        with self.assertRaisesRegex(captures.CaptureError, "1 PDUs that no station has sent"):
            captures.check(folder, 2)
        (folder / "bs.pcap").write_bytes(data[:-1])
        with self.assertRaisesRegex(captures.CaptureError, "cut off"):
            captures.check(folder, 2)

    def test_ip_packets_go_to_their_dissectors(self):
        numbers, _ = tshark(self.path("bs.pcap"), "-Y", "udp.dstport == 5000", "-T", "fields", "-e", "ip.src", "-e", "ip.len")
        sent = Counter(line.split("\t")[0] for line in numbers.splitlines())
        self.assertGreater(sent["10.0.0.1"], 20)
        self.assertGreater(sent["10.0.1.2"], 10)
        self.assertGreater(sent["10.0.2.2"], 10)

    def test_frames_of_ethernet_where_the_flow_says_so(self):
        def pdu(cid, **contents):
            tree = {"pdus": [{"header": {"ht": 0, "ec": 0, "type": 0, "ci": 1, "eks": 0, "cid": cid}, "subheaders": [], **contents}]}
            done = subprocess.run([PDU, "encode", "--json", "-"], input=json.dumps(tree), stdout=subprocess.PIPE, text=True, check=True)
            return frame(bytes.fromhex(done.stdout), FEC_OK)

        arp = "ffffffffffff02000000000108060001080006040001020000000001" "0a000001" "000000000000" "0a000002"
        tlvs = [{"type": 1, "value": "00000001"}, {"type": 2, "value": "0801"}, {"type": 28, "value": "03"}]
        set_up = pdu(545, message={"msg": 11, "tid": 1, "tlvs": [{"type": 145, "tlvs": tlvs}]})
        for before, asked in (([], ""), ([set_up], "10.0.0.2")):
            write_capture(self.path("arp.pcap"), [*before, pdu(0x0801, payload=arp)])
            said, _ = tshark(self.path("arp.pcap"), "-Y", "arp", "-T", "fields", "-e", "arp.dst.proto_ipv4")
            self.assertEqual(said.strip(), asked)

    def test_time_is_that_of_the_samples(self):
        starts = [round(1e6 * r.seconds) for r in captures.read(self.path("bs.pcap")) if r.flags & DOWNLINK and r.ofdm[3] == 0]
        self.assertEqual(sorted(set(starts)), list(range(starts[0], starts[-1] + 1, 10_000)), "a burst #1 in each frame of 10 ms")
        self.assertGreater(len(set(starts)), 40)

    def test_damaged_pdus(self):
        """As `wimax pdu` takes them, where their check sequences fit; without an error of the script in any case."""
        chance = random.Random(1)
        sources = [(r.flags, r.octets) for name in ("bs", "ss-1") for r in captures.read(self.path(f"{name}.pcap")) if len(r.octets) < 200]
        sources += [((DOWNLINK if v["direction"] == "dl" else 0) | FEC_OK, bytes.fromhex(v["hex"])) for v in VECTORS] * 20
        mended, raw = [], []
        for _ in range(400):
            flags, octets = chance.choice(sources)
            octets = bytearray(octets)
            for _ in range(chance.choice((1, 1, 2, 4))):
                octets[chance.randrange(len(octets))] = chance.choice((0, 255, chance.randrange(256)))
            mended.append((flags, checked(octets)))
        write_capture(self.path("mended.pcap"), [frame(octets, flags) for flags, octets in mended])
        self.compare(self.path("mended.pcap"), mended)
        for _ in range(2000):
            flags, octets = chance.choice(sources)
            whole = bytearray(frame(checked(octets), flags))
            for _ in range(chance.choice((1, 2, 8))):
                whole[chance.randrange(14, len(whole))] = chance.randrange(256)
            if chance.random() < 0.3:
                del whole[chance.randrange(14, len(whole)):]
            raw.append(bytes(whole))
        write_capture(self.path("raw.pcap"), raw)
        text, said = tshark(self.path("raw.pcap"), "-V")
        self.assertEqual(re.findall(r"Lua Error.*", text + said), [])
        self.assertEqual(text.count("IEEE 802.16 WirelessMAN-OFDM, frame"), len([r for r in raw if len(r) >= 18]))


if __name__ == "__main__":
    unittest.main()
