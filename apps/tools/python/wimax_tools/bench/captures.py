# SPDX-License-Identifier: GPL-3.0-or-later
"""Captures of wimax-macd (docs/wireshark.md): reading them, and whether those of both ends of the air tell the same."""
import struct
from collections import namedtuple
from pathlib import Path

MAGIC_NANOSECONDS, ETHERNET, ETHERTYPE = 0xA1B23C4D, 1, 0x08F0
FILE_HEADER, RECORD_HEADER, ETHERNET_HEADER, COUNTS = 24, 16, 14, 4
FRAME, PDUS, OFDM = 2, 9, 240  # TLVs
DOWNLINK, SENT, FEC_OK, BAD_CRC, UNREADABLE = 1, 2, 4, 8, 16

Record = namedtuple("Record", "seconds flags frame octets ofdm")


class CaptureError(ValueError):
    pass


def tlvs(octets):
    at, found = 0, {}
    while at < len(octets):
        head, length = 2, octets[at + 1]
        if length > 127:
            head, length = 2 + length - 128, int.from_bytes(octets[at + 2:at + 2 + length - 128], "big")
        if at + head + length > len(octets):
            raise CaptureError("a TLV is longer than its packet")
        found[octets[at]] = octets[at + head:at + head + length]
        at += head + length
    return found


def read(path):
    """Its records, one after the other; a capture that was cut off or is none is a fault."""
    with open(path, "rb") as file:
        header = file.read(FILE_HEADER)
        if len(header) < FILE_HEADER or struct.unpack_from("<I", header)[0] != MAGIC_NANOSECONDS or \
                struct.unpack_from("<I", header, 20)[0] != ETHERNET:
            raise CaptureError(f"{path}: no capture of Ethernet frames with nanoseconds")
        while head := file.read(RECORD_HEADER):
            if len(head) < RECORD_HEADER:
                raise CaptureError(f"{path}: cut off")
            seconds, nanoseconds, length, _ = struct.unpack("<IIII", head)
            packet = file.read(length)
            if len(packet) < length or length < ETHERNET_HEADER + COUNTS:
                raise CaptureError(f"{path}: cut off")
            if struct.unpack_from(">H", packet, 12)[0] != ETHERTYPE:
                raise CaptureError(f"{path}: a packet of another Ethertype")
            found = tlvs(packet[ETHERNET_HEADER + COUNTS:])
            ofdm = found[OFDM]
            yield Record(seconds + 1e-9 * nanoseconds, ofdm[0], int.from_bytes(found[FRAME], "big"), found[PDUS], ofdm)


def sent_and_heard(path):
    """PDUs of whole bursts: those the station sent, those it heard. With the low four bits of the frame's number, as a station knows no more
    before the first DCD."""
    sent, heard = set(), set()
    for record in read(path):
        if record.flags & SENT:
            sent.add((record.frame & 15, hash(record.octets)))
        elif record.flags & FEC_OK and not record.flags & (BAD_CRC | UNREADABLE):
            heard.add((record.frame & 15, hash(record.octets)))
    return sent, heard


def names(stations):
    return ["bs.pcap"] + [f"ss-{i + 1}.pcap" for i in range(stations)]


def check(folder, stations):
    """Nothing is heard that the other end has not sent in that frame. PDUs sent and heard, by direction."""
    base, *others = (sent_and_heard(Path(folder) / name) for name in names(stations))
    up_sent, down_heard = set().union(*(sent for sent, _ in others)), [heard for _, heard in others]
    strange = {"bs.pcap": base[1] - up_sent, **{name: heard - base[0] for name, heard in zip(names(stations)[1:], down_heard)}}
    for name, pdus in strange.items():
        if pdus:
            raise CaptureError(f"{name}: {len(pdus)} PDUs that no station has sent")
    return {"downlink": {"sent": len(base[0]), "heard": [len(heard) for heard in down_heard]},
            "uplink": {"sent": len(up_sent), "heard": len(base[1])}}
