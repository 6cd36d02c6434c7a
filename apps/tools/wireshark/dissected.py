# SPDX-License-Identifier: GPL-3.0-or-later
"""What tests of the dissector share: captures of PDUs, what tshark shows of them, and the same from the JSON of `wimax pdu`."""
import os
import re
import struct
import subprocess
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
TABLE = (FOLDER / "wimax_dictionary.lua").read_text(encoding="utf-8")
ALIASES = set(re.findall(r'alias = "(\w+)"', TABLE))  # second names of a value: the dissector shows the first
RANGES = set(re.findall(r'kind = "ranges", key = "(\w+)"', TABLE))
NOT_MEASURED = -32768
NOT_OF_PDUS = ("wimax.air.", "wimax.malformed", "wimax.wrong_crc", "wimax.inner_malformed")


def tlv(kind, value):
    length = bytes([len(value)]) if len(value) < 128 else b"\x82" + struct.pack(">H", len(value))
    return bytes([kind]) + length + value


def frame(octets, flags):
    burst = bytes([flags, 0, 6, 1, 0, 0]) + struct.pack(">HhhHH", 0, NOT_MEASURED, NOT_MEASURED, 0, 320)
    return bytes(12) + b"\x08\xf0" + struct.pack(">HH", 0, 3) + tlv(2, b"\0\0\7") + tlv(9, octets) + tlv(240, burst)


def write_capture(path, frames):
    with open(path, "wb") as out:
        out.write(struct.pack("<IHHIIII", 0xA1B23C4D, 2, 4, 0, 0, 65535, 1))
        for i, octets in enumerate(frames):
            out.write(struct.pack("<IIII", 0, i, len(octets), len(octets)) + octets)


def tshark(path, *arguments):
    # Wireshark 4.4 loads no Lua script for root. In this namespace root's files can be read, and no process is root.
    user = ["unshare", "--user", "--map-user=65534", "--map-group=65534"] if os.geteuid() == 0 else []
    done = subprocess.run([*user, "tshark", "-X", f"lua_script:{FOLDER / 'wimax.lua'}", "-r", path, *arguments], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace")
    return done.stdout, done.stderr


def packets(path):
    """For each packet of a capture: (what the dissector shows as (name, value), whether something is malformed, other fields)."""
    out = []
    text, _ = tshark(path, "-T", "pdml")
    for packet in ElementTree.fromstring(re.sub(r"[\x00-\x08\x0b\x0c\x0e-\x1f]", "", text)).iter("packet"):
        fields = [(f.get("name"), f.get("show")) for f in packet.iter("field")]
        own = Counter((n[len("wimax."):], plain(v)) for n, v in fields if n.startswith("wimax.") and not n.startswith(NOT_OF_PDUS))
        other = {n: v for n, v in fields if not n.startswith("wimax.") or n.startswith("wimax.air.")}
        out.append((own, any(n == "wimax.malformed" for n, _ in fields), other))
    return out


def plain(value):
    return re.sub(r"^[0-9a-f]{2}(:[0-9a-f]{2})+$", lambda m: m[0].replace(":", ""), value)


def values(key, value):
    """A leaf of wimax-pdu's JSON as the dissector shows it."""
    if isinstance(value, dict):
        for inner, one in value.items():
            yield from values(inner, one)
    elif key in RANGES:
        pairs = value if value and isinstance(value[0], list) else [value]
        yield from ((key, f"{low}-{high}") for low, high in pairs)
    elif isinstance(value, list):
        for one in value:
            yield from values(key, one)
    elif isinstance(value, bool):
        yield key, str(int(value))
    elif value not in ("", None):
        yield key, str(value)


def tlv_values(tree):
    for one in tree["tlvs"]:
        yield "tlv_type", str(one["type"])
        if "tlvs" in one:
            yield from tlv_values(one)
        elif "name" not in one and one["value"]:
            yield "tlv_value", one["value"]
    for key, value in tree["fields"].items():
        inner = value[0] if isinstance(value, list) and value else value
        if key not in ALIASES and not isinstance(inner, dict):
            yield from values(key, value)


def expected(tree):
    for pdu in tree["pdus"]:
        yield from values("", pdu["header"])
        for subheader in pdu["subheaders"]:
            yield from values("", {k: v for k, v in subheader.items() if k != "kind"})
        yield from values("", {k: pdu[k] for k in ("payload", "crc", "crc_ok", "crc_style") if k in pdu})
        message = pdu.get("message")
        if message:
            yield "message_name", message["name"]
            yield from values("", {k: v for k, v in message.items() if k not in ("name", "tlvs", "fields")})
            if "tlvs" in message:
                yield from tlv_values(message)
    if tree["padding_bytes"]:
        yield "padding_bytes", str(tree["padding_bytes"])
