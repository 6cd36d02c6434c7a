# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes the classes of messages and TLVs of the package wimax.pdu from the dictionary in wimax_core.

    ./wimax python apps/tools/bindings/pdu_classes.py          # writes apps/tools/python/wimax/pdu/messages.py and tlvs.py

test_api_pdus fails if the files are not those of the dictionary.
"""
import json
import sys
from pathlib import Path

import wimax_core

FOLDER = Path(__file__).resolve().parents[1] / "python/wimax/pdu"
DICTIONARY = json.loads(wimax_core.pdu_dictionary())
SETS = DICTIONARY["sets"]
HEAD = """# SPDX-License-Identifier: GPL-3.0-or-later
# Made by apps/tools/bindings/pdu_classes.py from apps/mac/pdu/dictionary.cc; do not edit.
"""
DATACLASS = "@dataclasses.dataclass(eq=False, repr=False, kw_only=True)\n"
TYPES = {"unsigned": "int", "signed": "int", "octets": "bytes", "blob": "bytes", "text": "str", "list": "tuple[int, ...]",
         "power_codes": "tuple[int, ...]", "ranges": "tuple[tuple[int, int], ...]", "addresses": "tuple[str, ...]", "hmac": "HmacTuple"}
FORMS = {"text": "text", "blob": "octets", "ranges": "pairs (low, high) of integers", "addresses": "texts address/mask", "hmac": "4 bits and 20 octets",
         "compound": "TLVs"}
TAILS = {"dl_map": ("ies: Sequence[DlMapIe] = ()", "`ies`: bursts, in the order on air."),
         "ul_map": ("ies: Sequence[UlMapIe] = ()", "`ies`: allocations, in the order on air."),
         "feedback": ("ies: Sequence[FeedbackIe] = ()", "`ies`: at least one."),
         "clocks": ("clocks: Sequence[Clock] = ()", "`clocks`: at most 255."),
         "stations": ("power_measurement_frame: int = 0\n    stations: Sequence[PowerCorrection] = ()",
                      "`power_measurement_frame`: 8 bits. `stations`: at most 255."),
         "octets": ('payload: bytes = b""', "`payload`: octets that the library does not read.")}


def class_name(name):
    """RNG-REQ: RngReq; service_flow: ServiceFlow."""
    return "".join(part[:1].upper() + part[1:].lower() for part in name.replace("-", "_").split("_"))


def mixin(number):
    return class_name(SETS[number]["name"]) + "Tlvs"


def wrapped(text, indent=4, width=150):
    lines, line = [], ""
    for word in text.split():
        if len(line) + len(word) + 1 + indent > width:
            lines.append(line)
            line = ""
        line += (" " if line else "") + word
    return ("\n" + " " * indent).join([*lines, line])


def form(tlv):
    """"TLV 7, 4 octets in b/s"."""
    size = f"{tlv['length']} octet{'s' if tlv['length'] > 1 else ''}" if tlv["length"] else FORMS.get(tlv["kind"], "octets")
    if tlv["kind"] == "list" and not tlv["length"]:
        size = f"integers of {tlv['width']} octet{'s' if tlv['width'] > 1 else ''}"
    if tlv["kind"] == "signed":
        size += " signed"
    return f"TLV {tlv['type']}, {size}" + (f" in {tlv['unit']}" if tlv["unit"] else "") + (", several" if tlv["repeats"] else "")


def value_class(tlv):
    if tlv["kind"] == "compound":
        return class_name(SETS[tlv["set"]]["name"])
    return class_name(tlv["name"]) if tlv["kind"] == "bits" else TYPES[tlv["kind"]]


def attribute(tlv):
    field = "RepeatedTlvField" if tlv["repeats"] else "TlvField"
    return f"    {tlv['name']}: {field}[{value_class(tlv)}] = {field}({tlv['type']})\n    \"\"\"{form(tlv)}.\"\"\"\n"


def widths(parts):
    return {part["name"] or "reserved": part["bits"] for part in parts}


def text_of(parts):
    return ", ".join(f"`{name}` {bits} bits" for name, bits in widths(parts).items())


def table(of):
    return "{" + ", ".join(f'"{name}": {bits}' for name, bits in of.items()) + "}"


def bits_class(tlv):
    fields = "".join(f"    {name}: int = 0\n" for name in widths(tlv["parts"]))
    return (f"{DATACLASS}class {class_name(tlv['name'])}(Bits):\n    \"\"\"{tlv['name']}, {form(tlv)}: {text_of(tlv['parts'])}.\"\"\"\n"
            f"    TLV: ClassVar[str] = \"{tlv['name']}\"\n    WIDTHS: ClassVar[Mapping[str, int]] = {table(widths(tlv['parts']))}\n{fields}")


def set_class(number, prefix=None):
    """Of a compound (`prefix`: its bit fields, maybe none), or of the TLVs of messages."""
    of = SETS[number]
    clause = f" (clause {of['clause']})" if of["clause"] else ""
    if prefix is None:
        base = mixin(of["fallback"]) if of["fallback"] is not None else "TlvList"
        head = f"class {mixin(number)}({base}):\n    \"\"\"TLVs{clause} of {users(number)}.\"\"\"\n    SET: ClassVar[int] = {number}\n"
    else:
        bits = f" after {text_of(prefix)}" if prefix else ""
        head = f"class {class_name(of['name'])}(Compound):\n    \"\"\"{class_name(of['name'])}{clause}: TLVs{bits}.\"\"\"\n    SET: ClassVar[int] = {number}\n"
        if prefix:
            head += f"    PREFIX: ClassVar[Mapping[str, int]] = {table(widths(prefix))}\n"
            head += "".join(f"    {name}: int = 0\n" for name in widths(prefix))
    return DATACLASS + head + "".join(attribute(tlv) for tlv in of["tlvs"])


def users(number):
    if SETS[number]["fallback"] is None:
        return "all messages with TLVs"
    return ", ".join(one["name"] for one in DICTIONARY["messages"] if one["set"] == number)


def all_tlvs():
    return [tlv for of in SETS for tlv in of["tlvs"]]


def in_order(wanted):
    """Sets by number, each after those that it needs."""
    out = []

    def add(number):
        if number is None or number in out:
            return
        for needed in [SETS[number]["fallback"], *(tlv["set"] for tlv in SETS[number]["tlvs"])]:
            add(needed)
        out.append(number)
    for number in wanted:
        add(number)
    return out


def tlvs_file():
    prefixes = {tlv["set"]: tlv["parts"] for tlv in all_tlvs() if tlv["kind"] == "compound"}
    bits = [bits_class(tlv) for tlv in all_tlvs() if tlv["kind"] == "bits"]
    bit_names = [class_name(tlv["name"]) for tlv in all_tlvs() if tlv["kind"] == "bits"]
    unique = dict(zip(bit_names, bits))
    order = in_order(range(len(SETS)))
    compounds = [class_name(SETS[number]["name"]) for number in order if number in prefixes]
    parts = [HEAD + '"""TLVs of messages and compounds as classes (clause 11). An attribute is None where there is no such TLV."""\n'
             "from __future__ import annotations\n\nimport dataclasses\nfrom typing import ClassVar, Mapping\n\n"
             "from wimax.pdu.values import Bits, Compound, HmacTuple, RepeatedTlvField, TlvField, TlvList, register\n"]
    parts += [unique[name] for name in unique]
    parts += [set_class(number, prefixes.get(number)) for number in order]
    names = list(unique) + compounds
    parts.append(f"register(bits=({', '.join(unique)}),\n         compounds=({wrapped(', '.join(compounds), 20)}))\n"
                 f"\n__all__ = [{wrapped(', '.join(quoted(name) for name in names), 11)}]\n")
    return "\n\n".join(parts)


def quoted(name):
    return f'"{name}"'


def message_field(field):
    bits = f"{field['bits']} bits"
    if field["hex"]:
        return f"    {field['name']}: bytes = bytes({field['bits'] // 8})\n    \"\"\"{field['bits'] // 8} octets.\"\"\"\n"
    if field["count"] > 1:
        zeros = ", ".join("0" for _ in range(field["count"]))
        return f"    {field['name']}: Sequence[int] = ({zeros})\n    \"\"\"{field['count']} integers of {bits}.\"\"\"\n"
    return f"    {field['name']}: int = 0\n    \"\"\"{bits}{', reserved since 802.16e' if field['optional'] else ''}.\"\"\"\n"


def message_class(of):
    tail = TAILS.get(of["tail"])
    bases = (mixin(of["set"]) + ", " if of["set"] is not None else "") + "Message"
    fields = [field for field in of["fields"] if field["name"]]
    doc = [f"`{field['name']}`: {field['count']} x {field['bits']} bits." if field["count"] > 1 else f"`{field['name']}`: {field['bits']} bits."
           for field in fields]
    if tail:
        doc.append(tail[1])
    if of["set"] is not None:
        doc.append("TLVs: " + "; ".join(f"`{tlv['name']}` ({form(tlv)})" for tlv in with_fallback(of["set"])) + ".")
    text = f"{of['name']}, type {of['type']}" + (f" (clause {of['clause']})" if of["clause"] else "") + "."
    if doc:
        text += "\n\n    " + wrapped(" ".join(doc)) + "\n    "
    body = f"    TYPE: ClassVar[int] = {of['type']}\n    NAME: ClassVar[str] = \"{of['name']}\"\n"
    body += "".join(message_field(field) for field in fields) + (f"    {tail[0]}\n" if tail else "")
    return f"{DATACLASS}class {class_name(of['name'])}({bases}):\n    \"\"\"{text}\"\"\"\n{body}"


def with_fallback(number):
    own = SETS[number]["tlvs"]
    fallback = SETS[number]["fallback"]
    return own + (with_fallback(fallback) if fallback is not None else [])


def messages_file():
    messages = [one for one in DICTIONARY["messages"] if one["name"] != "reserved"]
    sets = sorted({mixin(one["set"]) for one in messages if one["set"] is not None})
    head = (HEAD + '"""Management messages as classes (6.3.2.3)."""\nfrom __future__ import annotations\n\nimport dataclasses\n'
            "from typing import ClassVar, Sequence\n\nfrom wimax.pdu.elements import Clock, DlMapIe, FeedbackIe, PowerCorrection, UlMapIe\n"
            "from wimax.pdu.message import Message\n"
            f"from wimax.pdu.tlvs import ({wrapped(', '.join(sets), 28)})\n")
    names = [class_name(one["name"]) for one in messages]
    return "\n\n".join([head, *(message_class(one) for one in messages),
                        f"__all__ = [{wrapped(', '.join(quoted(name) for name in names), 11)}]\n"])


def files():
    """Contents by path."""
    return {FOLDER / "tlvs.py": tlvs_file(), FOLDER / "messages.py": messages_file()}


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    for path, text in files().items():
        path.write_text(text, encoding="utf-8")
