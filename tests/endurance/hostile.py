# SPDX-License-Identifier: GPL-3.0-or-later
"""What a malicious peer sends: MAC PDUs of IEEE 802.16-2004 made by hand, and kinds of attack of either end.

Each kind is a generator of PDUs (of a station) or a function from one downlink burst to another (of a base station). Nothing here uses the
code under test."""

import random
import zlib
from dataclasses import dataclass

BROADCAST, PADDING, RANGING = 0xFFFF, 0xFFFE, 0x0000
HEADER, CRC = 6, 4
LONGEST = 2047         # bytes of a PDU
DCD, DL_MAP, UL_MAP, UCD, RNG_REQ, RNG_RSP = 1, 2, 3, 0, 4, 5
REG_REQ, REG_RSP, PKM_REQ, DSA_REQ, DSA_RSP, DSA_ACK, DSC_REQ, DSD_REQ, DSD_RSP = 6, 7, 9, 11, 12, 13, 14, 17, 18
MCA_RSP, DBPC_REQ, RES_CMD, SBC_REQ, SBC_RSP, DREG_CMD, DSX_RVD, ARQ_FEEDBACK, ARQ_DISCARD, ARQ_RESET, REP_RSP, DREG_REQ = \
    22, 23, 25, 26, 27, 29, 30, 33, 34, 35, 37, 49
FRAGMENTATION, PACKING = 4, 2  # bits of a header's type


def hcs(octets):
    """CRC-8, x^8 + x^2 + x + 1."""
    value = 0
    for octet in octets:
        value ^= octet
        for _ in range(8):
            value = (value << 1 ^ 0x07) & 0xFF if value & 0x80 else value << 1
    return value


def header(cid, length, kind=0, crc=True, first=None, second=None):
    head = bytes((kind if first is None else first, (0x40 if crc else 0) | length >> 8 if second is None else second, length & 0xFF)) + cid.to_bytes(2, "big")
    return head + bytes((hcs(head),))


def pdu(cid, body, kind=0, crc=True):
    body = bytes(body)[:LONGEST - HEADER - CRC]
    whole = header(cid, HEADER + len(body) + (CRC if crc else 0), kind, crc) + body
    return whole + zlib.crc32(whole).to_bytes(4, "little") if crc else whole


def request(cid, octets, aggregate=False):
    head = bytes((0x80 | (8 if aggregate else 0) | octets >> 16 & 7, octets >> 8 & 0xFF, octets & 0xFF)) + cid.to_bytes(2, "big")
    return head + bytes((hcs(head),))


def tlv(kind, value):
    value = bytes(value)
    length = bytes((len(value),)) if len(value) < 128 else bytes((0x82,)) + len(value).to_bytes(2, "big")
    return bytes((kind,)) + length + value


def message(kind, *parts):
    return bytes((kind,)) + b"".join(parts)


def word(value, octets):
    return int(value).to_bytes(octets, "big")


def split(payload):
    """PDUs of a burst, without its padding."""
    found, at = [], 0
    while at + HEADER <= len(payload) and payload[at] != 0xFF:
        long = HEADER if payload[at] & 0x80 else (payload[at + 1] & 7) << 8 | payload[at + 2]
        if long < HEADER or at + long > len(payload) or hcs(payload[at:at + 5]) != payload[at + 5]:
            break
        found.append(payload[at:at + long])
        at += long
    return found


def body_of(whole):
    return whole[HEADER:-CRC] if whole[1] & 0x40 else whole[HEADER:]


def type_of(whole):
    """Of a management message on a broadcast connection; None of other PDUs."""
    plain = not whole[0] & 0x80 and len(whole) > HEADER and whole[3:5] == b"\xff\xff"
    return whole[HEADER] if plain else None


@dataclass(frozen=True)
class Numbers:
    """Connections of the malicious station (own) and of its victim."""
    basic: int
    primary: int
    transport: int
    victim_basic: int
    victim_primary: int
    victim_transport: int
    own_address: bytes
    victim_address: bytes


class Chance(random.Random):
    def octets(self, least, most):
        return self.randbytes(self.randint(least, most))

    def tlvs(self, most=8):
        return b"".join(tlv(self.randrange(256), self.octets(0, 12)) for _ in range(self.randint(0, most)))


def transaction(c, of_base_station=False):
    """Mostly one of the half that is the sender's."""
    number = c.randrange(1 << 15)
    return word(number | (0x8000 if of_base_station is (c.random() < 0.95) else 0), 2)


def hmac():
    return tlv(149, bytes(21))


def flow(sfid=None, *parts):
    return tlv(145, (tlv(1, word(sfid, 4)) if sfid is not None else b"") + b"".join(parts))


def ipv4(source, destination, text=b"x" * 40):
    head = bytearray(b"\x45\x00" + word(28 + len(text), 2) + b"\0\0\0\0\x40\x11\0\0" + source + destination)
    total = sum(head[i] << 8 | head[i + 1] for i in range(0, 20, 2))
    total = (total & 0xFFFF) + (total >> 16)
    head[10:12] = word(~(total + (total >> 16)) & 0xFFFF, 2)
    return bytes(head) + word(5000, 2) + word(5001, 2) + word(8 + len(text), 2) + b"\0\0" + text


# Of a station: the next PDU

def rng_req_flood(n, c):
    return pdu(n.basic, message(RNG_REQ, b"\x01", tlv(1, word(c.randrange(256), 1)), tlv(3, word(c.randrange(8), 1))))


def rng_req_of_the_victim(n, c):
    cid = c.choice((n.victim_basic, RANGING))
    return pdu(cid, message(RNG_REQ, b"\x01", tlv(2, bytes((2, 0, 0, 0, 0, 1))), tlv(3, word(7, 1))))


def management_of_the_victim(n, c):
    kind = c.choice((DREG_REQ, REG_REQ, SBC_REQ, DSD_REQ, RES_CMD, DREG_CMD))
    return pdu(c.choice((n.victim_basic, n.victim_primary)), message(kind, word(c.randrange(1 << 16), 2), word(c.randrange(1, 9), 4), hmac()))


def dsa_flood(n, c):
    return pdu(n.primary, message(DSA_REQ, transaction(c), flow(None, tlv(5, b"\x07"), tlv(11, b"\x02"), c.tlvs(3)), hmac()))


def dsa_names(n, c):
    name = c.choice((b"\x1b]0;PWNED\x07\x1b[31mred\r\nline two\0", b"n" * 1000 + b"\0", b"\0", b"", b"\xff\xfe\xc3\x28\0"))
    return pdu(n.primary, message(DSA_REQ, transaction(c), flow(None, tlv(3, name), tlv(5, b"\x07"), tlv(11, b"\x02")), hmac()))


def dsc_flood(n, c):
    return pdu(n.primary, message(DSC_REQ, transaction(c), flow(c.randrange(1, 12), tlv(5, word(c.randrange(8), 1)), c.tlvs(3)), hmac()))


def dsd_flood(n, c):
    return pdu(n.primary, message(DSD_REQ, transaction(c), word(c.randrange(0x100, 0x10000), 4), hmac()))


def dsx_without_a_transaction(n, c):
    return pdu(n.primary, message(c.choice((DSA_RSP, DSA_ACK, 15, 16, DSD_RSP, DSX_RVD)), word(c.randrange(1 << 16), 2), c.octets(0, 30)))


def ugs_of_4_gbps(n, c):
    rate = word(0xFFFFFFFF, 4)
    return pdu(n.primary, message(DSA_REQ, transaction(c),
                                  flow(None, tlv(5, b"\x07"), tlv(11, b"\x06"), tlv(7, rate), tlv(9, rate), tlv(14, word(1, 4)), tlv(13, word(1, 4))), hmac()))


def requests_of_all(n, c):
    return request(c.choice((n.basic, n.transport)), 0x7FFFF, c.random() < 0.5)


def requests_of_any_connection(n, c):
    return request(c.randrange(1 << 16), c.randrange(1 << 19), c.random() < 0.5)


def header_bits(n, c):
    cid = c.choice((n.basic, n.primary, n.transport, n.victim_basic, c.randrange(1 << 16)))
    return header(cid, c.randint(HEADER, 60), first=c.randrange(256), second=c.randrange(256)) + c.octets(0, 60)


def lengths(n, c):
    return header(c.choice((n.basic, n.transport)), c.choice((0, 5, 6, 9, 10, 2047)), crc=c.random() < 0.5) + c.octets(0, 20)


def endless_fragments(n, c):
    return pdu(n.transport, word((c.choice((1, 3)) if c.random() < 0.9 else 2) << 14 | c.randrange(2048) << 3, 2) + c.octets(1, 60), FRAGMENTATION)


def packing(n, c):
    return pdu(n.transport, b"".join(word(c.randrange(1 << 24), 3) + c.octets(0, 20) for _ in range(c.randint(1, 8))), PACKING)


def arq(n, c):
    kind = c.choice((ARQ_FEEDBACK, ARQ_DISCARD, ARQ_RESET))
    return pdu(n.basic, message(kind, word(c.choice((n.transport, n.victim_transport, c.randrange(1 << 16))), 2), c.octets(0, 24)))


def reg_absurd(n, c):
    return pdu(n.primary, message(REG_REQ, tlv(6, word(c.randrange(1 << 16), 2)), c.tlvs(), hmac()))


def sbc_absurd(n, c):
    return pdu(n.basic, message(SBC_REQ, tlv(1, b"\xff"), tlv(3, c.octets(4, 4)), c.tlvs()))


def pkm(n, c):
    return pdu(n.primary, message(PKM_REQ, word(c.randrange(20), 1), word(c.randrange(256), 1), c.tlvs()))


def dbpc_and_reports(n, c):
    return pdu(n.basic, message(c.choice((DBPC_REQ, REP_RSP, MCA_RSP)), c.octets(0, 20)))


def random_messages(n, c):
    return pdu(c.choice((n.basic, n.primary)), message(c.randrange(64), c.octets(0, 80)), crc=c.random() < 0.9)


def octets_without_header(n, c):
    return c.octets(40, 200)


def address_of_the_victim(n, c):
    return pdu(n.transport, ipv4(n.victim_address, c.choice((b"\x0a\x10\x00\x01", n.own_address))))


OF_A_STATION = {make.__name__: make for make in (
    rng_req_flood, rng_req_of_the_victim, management_of_the_victim, dsa_flood, dsa_names, dsc_flood, dsd_flood, dsx_without_a_transaction, ugs_of_4_gbps,
    requests_of_all, requests_of_any_connection, header_bits, lengths, endless_fragments, packing, arq, reg_absurd, sbc_absurd, pkm, dbpc_and_reports,
    random_messages, octets_without_header, address_of_the_victim)}


def filled(payload, make, numbers, chance):
    """A station's burst of the same length with PDUs of an attack in it, and with its bandwidth requests, so that it is given more bursts."""
    out = b"".join(one for one in split(payload) if one[0] & 0x80)
    while len(out) < len(payload):
        one = make(numbers, chance)
        if len(out) + len(one) > len(payload):
            break
        out += one
    return (out or make(numbers, chance)[:len(payload)]).ljust(len(payload), b"\xff")


# Of a base station: one downlink burst into another

def mapped(payload, kind, change):
    """Changes the bodies of messages of one type."""
    return b"".join(pdu(BROADCAST, change(body_of(one))) if type_of(one) == kind else one for one in split(payload))


def with_more(payload, *added):
    return b"".join((*split(payload), *added))


def uplink_element(c, cid=None, start=None, uiuc=None, symbols=None):
    bits = (c.randrange(1 << 16) if cid is None else cid) << 32 | (c.randrange(1 << 11) if start is None else start) << 21 | c.randrange(32) << 16 \
        | (c.randrange(16) if uiuc is None else uiuc) << 12 | (c.randrange(1 << 10) if symbols is None else symbols) << 2 | c.randrange(4)
    return word(bits, 6)


def ul_map_of_random_elements(p, n, c):
    return mapped(p, UL_MAP, lambda body: body[:7] + b"".join(uplink_element(c) for _ in range(330)))


def ul_map_starts_anywhere(p, n, c):
    return mapped(p, UL_MAP, lambda body: body[:3] + word(c.choice((0, 1, 0xFFFFFFFF, c.randrange(1 << 32))), 4) + body[7:])


def no_ul_map(p, n, c):
    return b"".join(one for one in split(p) if type_of(one) != UL_MAP)


def ul_map_of_overlapping_grants(p, n, c):
    return mapped(p, UL_MAP, lambda body: body[:7] + b"".join(uplink_element(c, n.basic, c.randrange(50), c.randint(5, 11), 1023) for _ in range(8)))


def dl_map_of_many_elements(p, n, c):
    return mapped(p, DL_MAP, lambda body: body[:12] + c.randbytes(4 * 400))


def ucd_backoffs(p, n, c):
    return with_more(p, pdu(BROADCAST, message(UCD, word(c.randrange(256), 1), b"\xff\xff\xff\xff", tlv(3, word(0, 2)), tlv(4, word(0, 2)))))


def random_ucd(p, n, c):
    return with_more(p, pdu(BROADCAST, message(UCD, c.octets(5, 5), c.tlvs(20))))


def random_dcd(p, n, c):
    return with_more(p, pdu(BROADCAST, message(DCD, c.octets(2, 2), c.tlvs(20))))


def frame_numbers_jump(p, n, c):
    return mapped(p, DCD, lambda body: body + tlv(15, c.randbytes(3)))


def ranging_storm(p, n, c):
    response = message(RNG_RSP, b"\x01", tlv(1, c.randbytes(4)), tlv(2, c.randbytes(1)), tlv(3, c.randbytes(4)), tlv(4, word(c.choice((1, 3)), 1)))
    return with_more(p, *(10 * [pdu(n.basic, response)]))


def overridden(frequency_khz):
    def change(p, n, c):
        return with_more(p, pdu(n.basic, message(RNG_RSP, b"\x01", tlv(4, b"\x02"), tlv(5, word(frequency_khz, 4)))))
    return change


def dereg_storm(p, n, c):
    return with_more(p, *(pdu(n.basic, message(DREG_CMD, tlv(1, word(c.randrange(8), 1)), hmac())) for _ in range(5)))


def reset_storm(p, n, c):
    return with_more(p, *(5 * [pdu(n.basic, message(RES_CMD, hmac()))]))


def random_downlink_messages(p, n, c):
    return with_more(p, *(pdu(c.choice((n.basic, n.primary, BROADCAST)), message(c.randrange(64), c.octets(0, 60))) for _ in range(6)))


def random_downlink_headers(p, n, c):
    return with_more(p, *(header_bits(n, c) for _ in range(5)))


def random_downlink_fragments(p, n, c):
    return with_more(p, *(endless_fragments(n, c) for _ in range(6)), *(packing(n, c) for _ in range(4)))


def random_burst(p, n, c):
    return c.randbytes(len(p))


def entry_messages(p, n, c):
    return with_more(p, pdu(n.basic, message(SBC_RSP, c.tlvs())), pdu(n.primary, message(REG_RSP, word(c.randrange(2), 1), c.tlvs())),
                     pdu(n.primary, message(10, word(c.randrange(20), 1), word(c.randrange(256), 1), c.tlvs())))


def three_flows_a_frame(p, n, c):
    return with_more(p, *(pdu(n.primary, message(DSA_REQ, transaction(c, True), flow(c.randrange(1 << 31), tlv(2, word(c.randrange(1 << 16), 2)),
                                                                                          tlv(5, b"\x07"), tlv(11, b"\x02"), c.tlvs(3)), hmac())) for _ in range(3)))


OF_A_BASE_STATION = {**{make.__name__: make for make in (
    ul_map_of_random_elements, ul_map_starts_anywhere, no_ul_map, ul_map_of_overlapping_grants, dl_map_of_many_elements, ucd_backoffs, random_ucd, random_dcd,
    frame_numbers_jump, ranging_storm, dereg_storm, reset_storm, random_downlink_messages, random_downlink_headers, random_downlink_fragments, random_burst,
    entry_messages, three_flows_a_frame)},
    **{f"frequency_{khz}_khz": overridden(khz) for khz in (0, 3_500_500, 3_600_000, 0xFFFFFFFF)}}
