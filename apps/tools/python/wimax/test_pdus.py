# SPDX-License-Identifier: GPL-3.0-or-later
"""PDUs from Python: golden vectors, values by name, faults, damaged octets, the privacy sublayer, and the classes that the dictionary makes."""
import contextlib
import doctest
import importlib.util
import inspect
import io
import json
import random
import unittest
from pathlib import Path

import numpy as np

import wimax.pdu
from wimax.pdu import *
from wimax.pdu import (MESSAGES, BandwidthRequest, Burst, DissectError, DlMap, DlMapIe, DsaReq, Dcd, DownlinkBurstProfile, FeedbackIe, Fragmentation,
                       FramePrefix, FramePrefixIe, GenericHeader, GrantManagement, Keys, Message, Packing, Pdu, PkmRsp, Raw, RngReq, RngRsp, SbcReq,
                       ServiceFlow, Tlv, UlMap, UnknownMessage, damage, decrypt, encrypt, fuzz)

SOURCE = Path(__file__).resolve().parents[4]
VECTORS = json.loads((SOURCE / "tests/vectors/mac_pdus.json").read_text(encoding="utf-8"))
BY_NAME = {vector["name"]: vector for vector in VECTORS}
EVERY = (*MESSAGES.values(), UnknownMessage)


def octets_of(name):
    return bytes.fromhex(BY_NAME[name]["hex"])


def message_of(name):
    return Pdu.dissect(octets_of(name)).payload


def lines_of(make):
    """The faults that a call reports."""
    try:
        make()
    except ValueError as fault:
        return str(fault).splitlines()
    return []


class Vectors(unittest.TestCase):
    def test_octets_come_back(self):
        self.assertEqual(len(VECTORS), 45)
        for vector in VECTORS:
            octets = bytes.fromhex(vector["hex"])
            burst = Burst.dissect(octets, direction="downlink" if vector["direction"] == "dl" else "uplink")
            self.assertIsNone(burst.error, vector["name"])
            self.assertEqual(bytes(burst), octets, vector["name"])
            again = eval(repr(burst))  # noqa: S307: that it evaluates is the contract
            self.assertEqual((again, bytes(again)), (burst, octets), vector["name"])
            self.assertTrue(burst.describe().startswith("Burst\n"))

    def test_values(self):
        dcd = message_of("dcd_ofdm")
        self.assertEqual((dcd.change_count, dcd.bs_eirp, dcd.ttg, dcd.rss_ir_max, dcd.downlink_center_frequency, dcd.frame_number),
                         (3, 36, 148, -76, 3_500_000, 74565))
        self.assertEqual(dcd.base_station_id, bytes.fromhex("0216d0102030"))
        self.assertEqual((dcd.downlink_burst_profile[0].diuc, dcd.downlink_burst_profile[0].fec_code_type), (1, 0))
        flow = message_of("dsa_req_bs_ul_rtps_ipv4").uplink_service_flow
        self.assertEqual((flow.sfid, flow.cid, flow.service_class_name, flow.maximum_sustained_traffic_rate, flow.maximum_latency),
                         (257, 2049, "gold", 2_000_000, 40))
        rule = flow.ipv4_cs_parameters.packet_classification_rule
        self.assertEqual((rule.protocol, rule.ip_masked_source_address, rule.protocol_destination_port_range),
                         ((17,), ("10.0.0.0/255.255.255.0",), ((5060, 5061),)))
        sbc = message_of("sbc_req_ofdm")
        self.assertEqual((sbc.maximum_transmit_power, sbc.subscriber_transition_gaps.ssttg_us), ((168, 168, 160, 156), 50))
        ie = message_of("ul_map_focused_contention").ies[1]
        self.assertEqual((ie.uiuc, ie.focused.channel, ie.focused.code), (4, 37, 5))
        self.assertEqual(message_of("rng_rsp_continue").timing_adjust, -40)

    def test_built_as_the_vectors(self):
        rng_rsp = GenericHeader(cid=0) / RngRsp(ul_channel_id=1, timing_adjust=-40, power_level_adjust=6, offset_frequency_adjust=-1250, ranging_status=1,
                                                ss_mac_address=bytes.fromhex("0216d0aabb01"))
        self.assertEqual(rng_rsp.payload, message_of("rng_rsp_continue"))
        dl_map = DlMap(dcd_count=3, bs_id=bytes.fromhex("0216d0102030"),
                       ies=[DlMapIe(cid=65535, diuc=1, preamble=0, start=3), DlMapIe(cid=33, diuc=2, preamble=1, start=9), DlMapIe(diuc=14, start=40)])
        self.assertEqual(bytes(GenericHeader(cid=65535) / dl_map), octets_of("dl_map_ofdm"))
        self.assertEqual(bytes(Pdu(header=BandwidthRequest(cid=33, br=1500))), octets_of("br_incremental_1500"))
        packed = GenericHeader(cid=2053, ci=0) / GrantManagement(pbr=700) / Fragmentation(fc=3, fsn=300) / (b"\x55" * 8)
        self.assertEqual(bytes(packed), octets_of("gm_piggyback_then_frag"))


class Values(unittest.TestCase):
    def test_example_of_the_package(self):
        self.assertEqual(doctest.testmod(wimax.pdu).failed, 0)

    def test_order_on_air(self):
        by_name = RngReq(aas_broadcast_capability=1, ss_mac_address=bytes(6), ranging_anomalies=2)
        self.assertEqual([tlv.type for tlv in by_name.tlvs], [2, 3, 4])
        turned = RngReq(tlvs=[Tlv(4, 1), Tlv(2, bytes(6)), Tlv(3, 2), Tlv(200, Raw(b"x"))])
        self.assertEqual([tlv.type for tlv in RngReq.dissect(bytes(turned)).tlvs], [4, 2, 3, 200])
        self.assertNotEqual(turned, by_name)
        self.assertIn("tlvs=(Tlv(", repr(turned))
        self.assertEqual(eval(repr(turned)), turned)  # noqa: S307

    def test_attributes_change_tlvs(self):
        message = RngReq(ranging_anomalies=2, ss_mac_address=bytes(6))
        message.ranging_anomalies = 4
        self.assertEqual(message, RngReq(ranging_anomalies=4, ss_mac_address=bytes(6)))
        message.ranging_anomalies = [4, 5]
        self.assertEqual([tlv.value for tlv in message.tlvs], [bytes(6), 4, 5])
        message.ranging_anomalies = None
        self.assertEqual((message.ranging_anomalies, message), (None, RngReq(ss_mac_address=bytes(6))))
        message.aas_broadcast_capability = 1
        self.assertEqual(bytes(message), bytes(RngReq(ss_mac_address=bytes(6), aas_broadcast_capability=1)))

    def test_other_lengths_are_raw(self):
        message = RngReq.dissect(bytes.fromhex("0401" "03020001" "0203aabbcc"))
        self.assertEqual([tlv.value for tlv in message.tlvs], [Raw(b"\0\1"), Raw(b"\xaa\xbb\xcc")])
        self.assertEqual((message.ranging_anomalies, message.ss_mac_address), (None, None))
        self.assertEqual(bytes(message).hex(), "0401030200010203aabbcc")

    def test_dictionaries_and_lists(self):
        plain = DsaReq(tid=1, uplink_service_flow={"sfid": 1, "ipv4_cs_parameters": {"packet_classification_rule": {"protocol": [6, 17]}}})
        self.assertEqual(DsaReq.dissect(bytes(plain)), plain)
        self.assertEqual(plain.uplink_service_flow.ipv4_cs_parameters.packet_classification_rule.protocol, (6, 17))
        two = PkmRsp(code=8, tek_parameters=[{"key_sequence_number": 0}, {"key_sequence_number": 1}])
        self.assertEqual([one.key_sequence_number for one in two.all_of(13)], [0, 1])
        dcd = Dcd(downlink_burst_profile=[DownlinkBurstProfile(diuc=1), {"diuc": 2, "fec_code_type": 3}])
        self.assertEqual([one.diuc for one in Dcd.dissect(bytes(dcd)).downlink_burst_profile], [1, 2])
        self.assertEqual(Dcd().downlink_burst_profile, ())

    def test_show(self):
        shown = io.StringIO()
        with contextlib.redirect_stdout(shown):
            (GenericHeader(cid=33) / DsaReq(tid=7, uplink_service_flow=ServiceFlow(maximum_latency=40))).show()
        for line in ("    cid = 33", "  message: DSA-REQ, type 11 (6.3.2.3.10)", "    tid = 7", "    uplink_service_flow: ServiceFlow", "      maximum_latency = 40 ms"):
            self.assertIn(line + "\n", shown.getvalue())

    def test_composition(self):
        with self.assertRaisesRegex(ValueError, "one message or payload"):
            GenericHeader(cid=1) / b"a" / b"b"
        with self.assertRaisesRegex(TypeError, "header, subheaders, and a message"):
            GenericHeader(cid=1) / 5
        self.assertNotEqual(GenericHeader(cid=1) / b"a", GenericHeader(cid=1) / b"b")

    def test_type_bits_follow_from_subheaders(self):
        feedback = FeedbackIe(cid=700)
        for parts, bits in (((Fragmentation(fsn=7),), 4), ((Fragmentation(fsn=8),), 12), ((Packing(fsn=1),), 2), ((Packing(ies=[feedback]), Packing(fsn=8)), 26),
                            ((GrantManagement(pbr=1),), 1), ((wimax.pdu.FeedbackPayload(ies=[feedback]),), 16), ((), 0)):
            pdu = Pdu(header=GenericHeader(cid=700), subheaders=parts)
            self.assertEqual((bytes(pdu)[0], Pdu.dissect(bytes(pdu)).subheaders), (bits, parts))

    def test_frame_prefix(self):
        prefix = FramePrefix(bsid_lsb=1, frame_number_lsb=2, change_count_lsb=3, ies=[FramePrefixIe(rate_id=1, length=5),
                                                                                     FramePrefixIe(diuc=2, preamble_present=1, length=7)])
        self.assertEqual((len(bytes(prefix)), FramePrefix.dissect(bytes(prefix))), (11, prefix))
        broken = damage(bytes(prefix)[:10], 1)[:10].ljust(11, b"\0")
        self.assertEqual(bytes(FramePrefix.dissect(broken)), broken)
        with self.assertRaises(DissectError):
            FramePrefix.dissect(bytes(10))


class Refused(unittest.TestCase):
    def test_all_faults_at_once(self):
        pdu = GenericHeader(cid=70000, eks=4) / RngReq(dl_channel_id=300, ranging_anomalies=256, ss_mac_address=b"1", requested_downlink_burst_profile={"req_diuc": 16})
        self.assertEqual(lines_of(lambda: bytes(pdu)), [
            "RNG-REQ: requested_downlink_burst_profile: req_diuc: value 16: allowed 0..15", "RNG-REQ: ss_mac_address: needed are 6 bytes",
            "RNG-REQ: ranging_anomalies: value 256: allowed 0..255", "RNG-REQ: dl_channel_id: value 300: allowed 0..255",
            "header.eks: value 4: allowed 0..3", "header.cid: value 70000: allowed 0..65535"])

    def test_names_and_places(self):
        cases = {
            "DSA-REQ: uplink_service_flow: sfid: value -1: allowed 0..4294967295": DsaReq(uplink_service_flow=ServiceFlow(sfid=-1)),
            "DSA-REQ: uplink_service_flow: value 5: allowed are ServiceFlow(...) or its fields as a dictionary": DsaReq(uplink_service_flow=5),
            "DL-MAP: ies.1.start: value 2048: allowed 0..2047": DlMap(ies=[DlMapIe(), DlMapIe(start=2048)]),
            "UL-MAP: ies: a list is needed": UlMap(ies=5),
            "RNG-RSP: timing_adjust: value 2147483648: allowed -2147483648..2147483647": RngRsp(timing_adjust=1 << 31),
            "SBC-REQ: maximum_transmit_power: needed are 4 bytes": SbcReq(maximum_transmit_power=(1, 2)),
            "RNG-REQ: ss_mac_address: value 'x': allowed are octets (bytes)": RngReq(ss_mac_address="x"),
            "RNG-REQ: TLV 9: value 5: allowed are octets (Raw), since the type is unknown": RngReq(tlvs=[Tlv(9, 5)]),
            "RNG-REQ: hmac_tuple: digest: allowed are 20 octets": RngReq(hmac_tuple={"digest": b"1"}),
            "ARQ-Feedback: ies: at least one FeedbackIe is needed": MESSAGES[33](),
            "reserved message: msg: value 256: allowed 0..255": UnknownMessage(msg=256),
            "subheaders.0: at least one FeedbackIe is needed": GenericHeader() / wimax.pdu.FeedbackPayload(),
            "subheaders.0.fsn: value 2048: allowed 0..2047": GenericHeader() / Fragmentation(fsn=2048),
            "header: value 5: allowed GenericHeader, BandwidthRequest": Pdu(header=5),
            "subheaders.0: value 5: allowed GrantManagement, Fragmentation, Packing, FeedbackPayload": Pdu(subheaders=[5]),
            "header: PDU of 2048 octets, at most 2047": GenericHeader() / bytes(2038),
        }
        for fault, wrong in cases.items():
            self.assertEqual(lines_of(lambda: bytes(wrong)), [fault])

    def test_unknown_names(self):
        for make in (lambda: DsaReq(uplink_service_flow={"sfid": 1, "wrong": 2}), lambda: RngReq(requested_downlink_burst_profile={"wrong": 2})):
            self.assertRegex("".join(lines_of(make)), "^(uplink_service_flow|requested_downlink_burst_profile): wrong: unknown; allowed .*(sfid|req_diuc)")
        with self.assertRaisesRegex(TypeError, "wrong"):
            RngReq(wrong=5)

    def test_options(self):
        self.assertEqual(lines_of(lambda: Burst.dissect(b"", direction="up", basic_cid_max=0, frame_number=-1, teks=[(4, b"")])), [
            "direction: value 'up': allowed downlink, uplink, None", "basic_cid_max: value 0: allowed 1..32638", "frame_number: value -1: allowed 0..16777215",
            "teks: allowed are pairs of an EKS, 0..3, and a TEK of AES-CCM, 16 octets"])
        self.assertRegex(lines_of(lambda: Burst.dissect(b"", tek=b"1"))[0], "16 octets.*8")
        with self.assertRaises(ValueError):
            fuzz(int, 1)


class Malformed(unittest.TestCase):
    def test_reason_and_place(self):
        with self.assertRaises(DissectError) as raised:
            RngReq.dissect(b"\x04\x01\x02\x06\x02")
        self.assertEqual((raised.exception.offset, raised.exception.reason), (2, "length"))
        with self.assertRaisesRegex(DissectError, "kind: message RngReq, not Dcd"):
            Dcd.dissect(bytes(RngReq()))
        with self.assertRaisesRegex(DissectError, "2 PDUs"):
            Pdu.dissect(2 * bytes(GenericHeader(cid=700) / b"x"))
        with self.assertRaisesRegex(DissectError, "hcs"):
            Pdu.dissect(bytes.fromhex("000006000100"))

    def test_wrong_check_sequences_stay(self):
        octets = bytearray(octets_of("rng_req_initial"))
        octets[-1] ^= 1
        pdu = Pdu.dissect(octets)
        self.assertEqual((pdu.crc_ok, bytes(pdu)), (False, bytes(octets)))
        self.assertTrue(Pdu.dissect(octets_of("rng_req_initial")).crc_ok)
        self.assertEqual(bytes(Pdu(header=GenericHeader(cid=1, ci=0, len=99, hcs=7), payload=b"x"))[2:7], b"\x63\0\1\7x")

    def test_random_octets_raise_nothing_else(self):
        chance = random.Random(5)
        errors = 0
        for seed in range(1500):
            octets = chance.randbytes(chance.randint(0, 60)) if seed % 3 == 0 else damage(fuzz(Pdu, seed), seed)
            burst = Burst.dissect(octets)
            self.assertEqual(bytes(burst), octets, octets.hex())
            burst.describe()
            for read in (Message.dissect, Pdu.dissect, FramePrefix.dissect):
                try:
                    self.assertEqual(bytes(read(octets)), octets, octets.hex())
                except DissectError:
                    errors += 1
        self.assertGreater(errors, 1000)

    def test_damaged_messages(self):
        read = 0
        for kind in EVERY:
            for seed in range(15):
                octets = damage(fuzz(kind, seed), seed)
                self.assertNotEqual(octets, bytes(fuzz(kind, seed)))
                with contextlib.suppress(DissectError):
                    self.assertEqual(bytes(Message.dissect(octets)), octets)
                    read += 1
        self.assertGreater(read, 100)

    def test_fuzz(self):
        for kind in EVERY:
            for seed in range(10):
                message = fuzz(kind, seed)
                self.assertIsInstance(message, kind)
                again = Message.dissect(bytes(message))
                self.assertEqual((again, fuzz(kind, seed), eval(repr(message))), (message, message, message))  # noqa: S307
        self.assertEqual({type(fuzz(Message, seed)) for seed in range(1000)}, set(EVERY))


class Privacy(unittest.TestCase):
    def setUp(self):
        known = BY_NAME["pkm_key_request"]["decoded"]
        self.keys, self.kek, self.uplink = Keys.derive(bytes.fromhex(known["ak"])), known["kek"], known["hmac_key_u"]

    def test_derived_keys(self):
        self.assertEqual((self.keys.kek.hex(), self.keys.hmac_uplink.hex()), (self.kek, self.uplink))
        self.assertEqual(self.keys.hmac_downlink.hex(), BY_NAME["reg_rsp_managed"]["decoded"]["hmac_key_d"])
        self.assertNotIn(self.kek, repr(self.keys))
        self.assertEqual(lines_of(lambda: Keys.derive(bytes(19))), ["ak: value of 19 octets: allowed are 20"])

    def test_digests(self):
        for name in ("reg_req_hmac", "reg_rsp_managed", "dsa_req_bs_ul_rtps_ipv4", "dsa_rsp_ok", "dsa_ack_ok", "dsd_req", "dreg_cmd_02", "pkm_key_request"):
            message = message_of(name)
            right, wrong = ("downlink", "uplink") if BY_NAME[name]["direction"] == "dl" else ("uplink", "downlink")
            self.assertTrue(self.keys.verify(message, right), name)
            self.assertFalse(self.keys.verify(message, wrong), name)
            self.assertEqual(self.keys.sign(message, right, 1), message, name)
            bare = type(message).dissect(bytes(message))
            bare.tlvs = bare.tlvs[:-1]
            self.assertFalse(self.keys.verify(bare, right), name)
            self.assertEqual(self.keys.sign(bare, right, 1), message, name)
        self.assertRegex(lines_of(lambda: self.keys.sign(DlMap(), "downlink"))[0], "DL-MAP has no TLVs")
        self.assertRegex(lines_of(lambda: self.keys.digest(b"", "up"))[0], "direction: value 'up': allowed downlink, uplink")

    def test_keys_in_messages(self):
        for tek in (bytes(range(16)), bytes(range(8))):
            wrapped = self.keys.wrap(tek)
            self.assertEqual((len(wrapped), self.keys.unwrap(wrapped)), (len(tek), tek))
            self.assertNotEqual(wrapped, tek)
        self.assertEqual(len(lines_of(lambda: self.keys.wrap(bytes(9)))), 1)
        self.assertEqual(len(lines_of(lambda: self.keys.unwrap(bytes(9)))), 1)

    def test_published_ccm(self):
        known = BY_NAME["aes_ccm_published_cipher_crc8023"]["decoded"]
        sealed, tek = octets_of("aes_ccm_published_cipher_crc8023"), bytes.fromhex(known["tek"])
        opened = Pdu.dissect(sealed, tek=tek)
        self.assertEqual((opened.payload, opened.cipher.pn, opened.cipher.ciphertext.hex()), (bytes.fromhex(known["plaintext"]), known["pn"], known["ciphertext"]))
        self.assertEqual(bytes(opened), sealed)
        plain = decrypt(Pdu.dissect(sealed), tek)
        self.assertEqual(plain, GenericHeader(cid=1732) / bytes.fromhex(known["plaintext"]))
        self.assertEqual(bytes(encrypt(plain, tek, pn=known["pn"])), sealed)
        self.assertEqual(Burst.dissect(sealed, teks=[(0, bytes(16)), (0, tek), (1, bytes(16))]).pdus[0], opened)
        with self.assertRaises(DissectError) as raised:
            decrypt(Pdu.dissect(sealed), bytes(16))
        with self.assertRaisesRegex(ValueError, "cbc_iv: allowed are 8 octets"):  # a vector of zeros would give other text
            decrypt(Pdu.dissect(sealed), bytes(8))
        self.assertEqual(raised.exception.reason, "key")

    def test_every_pdu_encrypted(self):
        chance = random.Random(3)
        for seed in range(60):
            pdu = fuzz(Pdu, seed)
            if isinstance(pdu.header, BandwidthRequest) or len(bytes(pdu)) > 2000:
                continue
            pdu.header.eks = 0
            for tek, how, added in ((chance.randbytes(16), {"pn": seed}, 12), (chance.randbytes(8), {"cbc_iv": chance.randbytes(8), "frame_number": seed}, 0)):
                if len(bytes(pdu)) == 6 + 4 * pdu.header.ci:
                    continue  # nothing to encrypt
                sealed = encrypt(pdu, tek, eks=2, **how)
                self.assertEqual((len(bytes(sealed)), sealed.header.ec, sealed.header.eks), (len(bytes(pdu)) + added, 1, 2))
                self.assertEqual(decrypt(sealed, tek, **{key: value for key, value in how.items() if key != "pn"}), pdu)

    def test_arguments(self):
        pdu = GenericHeader(cid=700) / b"x"
        self.assertEqual(lines_of(lambda: encrypt(pdu, bytes(16), pn=-1, frame_number=1 << 24, eks=4)), [
            "eks: value 4: allowed 0..3", "frame_number: value 16777216: allowed 0..16777215", "pn: value -1: allowed 0..4294967295"])
        self.assertEqual(lines_of(lambda: encrypt(pdu, bytes(8))), ["cbc_iv: allowed are 8 octets"])
        self.assertEqual(lines_of(lambda: encrypt(pdu, bytes(9))), ["tek: allowed are 16 octets (AES-CCM) or 8 (DES-CBC)"])
        self.assertEqual(lines_of(lambda: encrypt(Pdu(header=BandwidthRequest()), bytes(16), pn=1)), ["pdu: a bandwidth request is not encrypted"])


class NumpyValues(unittest.TestCase):
    def test_integers_are_integers(self):
        for plain, of_numpy in (
                (GenericHeader(cid=33) / RngReq(dl_channel_id=1, ss_mac_address=bytes(6)), GenericHeader(cid=np.uint16(33)) / RngReq(dl_channel_id=np.int64(1), ss_mac_address=bytes(6))),
                (GenericHeader(cid=700) / Fragmentation(fc=2, fsn=300) / b"abc", GenericHeader(cid=np.int32(700)) / Fragmentation(fc=np.int8(2), fsn=np.int64(300)) / b"abc"),
                (GenericHeader(cid=33) / DsaReq(tid=1, uplink_service_flow=ServiceFlow(sfid=257, maximum_sustained_traffic_rate=5)),
                 GenericHeader(cid=33) / DsaReq(tid=np.int16(1), uplink_service_flow=ServiceFlow(sfid=np.uint32(257), maximum_sustained_traffic_rate=np.int64(5)))),
                (GenericHeader(cid=0xFFFF) / DlMap(ies=[DlMapIe(cid=3, start=7)]), GenericHeader(cid=np.int64(0xFFFF)) / DlMap(ies=[DlMapIe(cid=np.uint16(3), start=np.int64(7))])),
                (Pdu(header=BandwidthRequest(cid=3, br=100)), Pdu(header=BandwidthRequest(cid=np.int64(3), br=np.uint32(100)))),
                (HmacTuple(ak_sequence=3), HmacTuple(ak_sequence=np.uint8(3)))):
            self.assertEqual(bytes(of_numpy), bytes(plain))
        octets = bytes(GenericHeader(cid=33) / b"x")
        self.assertEqual(Pdu.dissect(octets, basic_cid_max=np.int64(10), frame_number=np.uint32(5)), Pdu.dissect(octets))
        self.assertEqual(lines_of(lambda: bytes(GenericHeader(cid=np.int64(70_000)) / b"x")), ["header.cid: value 70000: allowed 0..65535"])

    def test_other_values_are_refused_by_the_name_of_their_field(self):
        allowed = "allowed are integers, octets (bytes) and texts, by the field"
        self.assertEqual(lines_of(lambda: bytes(GenericHeader(cid=np.float32(3), ec=np.array([1, 2])) / b"x")),
                         [f"header.ec: value array([1, 2]): {allowed}", f"header.cid: value {np.float32(3)!r}: {allowed}"][::-1])
        self.assertEqual(lines_of(lambda: bytes(GenericHeader(cid=33) / DsaReq(tid=np.float32(1), uplink_service_flow=ServiceFlow(sfid=np.float32(2))))),
                         [f"DSA-REQ: uplink_service_flow: sfid: value {np.float32(2)!r}: {allowed}", f"DSA-REQ: tid: value {np.float32(1)!r}: {allowed}"])
        self.assertEqual(lines_of(lambda: bytes(GenericHeader(cid=1) / DlMap(ies=[DlMapIe(cid={1})]))), [f"DL-MAP: ies.0.cid: value {{1}}: {allowed}"])


class Classes(unittest.TestCase):
    def test_files_are_those_of_the_dictionary(self):
        spec = importlib.util.spec_from_file_location("pdu_classes", SOURCE / "apps/tools/bindings/pdu_classes.py")
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        for path, text in made.files().items():
            self.assertEqual(path.read_text(encoding="utf-8"), text, f"run ./wimax python apps/tools/bindings/pdu_classes.py, which writes {path.name}")

    def test_every_name_is_documented(self):
        for name in wimax.pdu.__all__:
            of = getattr(wimax.pdu, name)
            if inspect.isclass(of) or inspect.isfunction(of):
                self.assertGreater(len(inspect.getdoc(of) or ""), 15, name)
        self.assertRegex(ServiceFlow.__doc__, "11.13")
        self.assertRegex(RngRsp.__doc__, r"6\.3\.2\.3\.6")
        self.assertRegex(RngRsp.__doc__, r"`timing_adjust` \(TLV 1, 4 octets signed in samples\)")


if __name__ == "__main__":
    unittest.main()
