# SPDX-License-Identifier: GPL-3.0-or-later
"""A hundred random PDUs of each message type, and others: the package wimax.pdu, the program `wimax pdu` and tshark agree."""
import json
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

from dissected import expected, frame, packets, write_capture
from wimax.pdu import MESSAGES, Burst, GenericHeader, Message, Pdu, UnknownMessage, fuzz
from wimax.pdu.records import DICTIONARY, Record
from wimax.pdu.values import Bits, HmacTuple, Raw, TlvList
from wimax_tools.bench.captures import FEC_OK

PDU = Path(sys.argv[1]).resolve()
del sys.argv[1]
EACH = 100
KEYS = [{tlv["type"]: "hmac_digest" if tlv["kind"] == "hmac" else tlv["key"] for tlv in one["tlvs"]} for one in DICTIONARY["sets"]]


def program(*arguments, text=""):
    done = subprocess.run([PDU, *arguments], input=text, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        raise AssertionError(done.stderr)
    return done.stdout


def random_pdus(kind):
    """Downlink and uplink: management CIDs, with and without a CRC, in both styles."""
    for seed in range(EACH):
        header = GenericHeader(cid=(0, 0xFFFF, 33, 320, 321, 640)[seed % 6], ci=int(seed % 5 > 0), eks=seed % 4)
        yield Pdu(header=header, payload=fuzz(kind, seed), crc_style=("8023", "msb")[seed % 2])


def key_of(number, tlv_type):
    """The program's key of a TLV in a set, or in the set that it falls back to."""
    fallback = DICTIONARY["sets"][number]["fallback"]
    return KEYS[number].get(tlv_type, KEYS[fallback].get(tlv_type) if fallback is not None else None)


def plain(value):
    """A value of the package as the program prints it."""
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, tuple):
        return [plain(one) for one in value]
    return value


def forms(value):
    """How the program may print it: one element without its list, one of several TLVs in a list."""
    value = plain(value)
    return [value, [value], value[0]] if isinstance(value, list) and len(value) == 1 else [value, [value]]


def without_readings(tree):
    """The program's message without names and readable values, which an encoder ignores."""
    if isinstance(tree, list):
        return [without_readings(one) for one in tree]
    if isinstance(tree, dict):
        return {key: without_readings(value) for key, value in tree.items() if key not in ("name", "fields")}
    return tree


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="wimax-random-pdus-")
        cls.addClassCleanup(folder.cleanup)
        cls.path = str(Path(folder.name) / "pdus.pcap")

    def decoded(self, pdus):
        """The program's trees; encoding agrees as well, from the package's trees with messages as fields."""
        octets = [bytes(pdu) for pdu in pdus]
        trees = json.loads(program("decode", "--hex", "-", text=b"".join(octets).hex()))
        self.assertEqual((trees["error"], trees["padding_bytes"], len(trees["pdus"])), (None, 0, len(pdus)))
        sent = [pdu.tree() for pdu in pdus]
        for tree, pdu in zip(sent, pdus):
            if isinstance(pdu.payload, Message):
                tree["message"] = pdu.payload.tree()
                del tree["payload"]
        self.assertEqual(program("encode", "--json", "-", text=json.dumps({"pdus": sent})).strip(), b"".join(octets).hex())
        return trees["pdus"]

    def compare_fields(self, holder, tree):
        """Readable values of single TLVs; returns how many were compared."""
        compared, seen = 0, Counter(tlv.type for tlv in holder.tlvs)
        keys = Counter(key_of(holder.SET, number) for number in seen)
        for tlv, entry in zip(holder.tlvs, tree["tlvs"], strict=True):
            spec, value = holder.spec(tlv.type), tlv.value
            key = key_of(holder.SET, tlv.type)
            if isinstance(value, TlvList):
                self.compare_fields(value, entry)
            elif not isinstance(value, (Raw, Record)) and seen[tlv.type] == 1 and keys[key] == 1:
                shown = tree["fields"][key]
                self.assertIn(shown, forms(value), key)
                compared += 1
            elif isinstance(value, (Bits, HmacTuple)) and seen[tlv.type] == 1:
                names = {"ak_sequence": "hmac_seq", "digest": "hmac_digest"}
                for name, one in value.values():
                    if name != "reserved" and not isinstance(tree["fields"].get(names.get(name, name)), list):
                        self.assertEqual(tree["fields"][names.get(name, name)], plain(one))
                        compared += 1
        return compared

    def test_messages_of_each_type(self):
        captured, compared = [], 0
        for kind in (*MESSAGES.values(), UnknownMessage):
            pdus = list(random_pdus(kind))
            self.assertGreater(len({bytes(pdu.payload) for pdu in pdus}), EACH // 4, kind)
            trees = self.decoded(pdus)
            for pdu, tree in zip(pdus, trees):
                with self.subTest(message=kind.__name__, octets=bytes(pdu).hex()):
                    found = Pdu.dissect(bytes(pdu))
                    self.assertEqual((found, found.payload), (pdu, pdu.payload))
                    self.assertEqual(without_readings(tree["message"]), found.payload.tree())
                    self.assertEqual([tree["header"][name] for name in ("cid", "eks", "ci", "len")],
                                     [pdu.header.cid, pdu.header.eks, pdu.header.ci, len(bytes(pdu))])
                    if isinstance(found.payload, TlvList):
                        compared += self.compare_fields(found.payload, tree["message"])
            captured += zip(pdus, trees)
        self.assertEqual(len(captured), EACH * (len(MESSAGES) + 1))
        self.assertGreater(compared, 5000)
        self.compare_with_tshark(captured)

    def test_other_pdus(self):
        """Requests, subheaders, feedback."""
        pdus = [fuzz(Pdu, seed) for seed in range(300)]
        self.compare_with_tshark(list(zip(pdus, self.decoded(pdus))))
        burst = Burst(pdus=pdus, padding=7)
        self.assertEqual(Burst.dissect(bytes(burst)), burst)

    def compare_with_tshark(self, captured):
        write_capture(self.path, [frame(bytes(pdu), FEC_OK) for pdu, _ in captured])
        shown = packets(self.path)
        self.assertEqual(len(shown), len(captured))
        for (fields, malformed, _), (pdu, tree) in zip(shown, captured):
            wanted = Counter(expected({"pdus": [tree], "padding_bytes": 0}))
            if malformed or fields != wanted:
                with self.subTest(octets=bytes(pdu).hex()):
                    self.fail(f"{pdu}\nmalformed {malformed}\nonly shown {fields - wanted}\nonly wanted {wanted - fields}")


if __name__ == "__main__":
    unittest.main()
