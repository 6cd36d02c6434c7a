# SPDX-License-Identifier: GPL-3.0-or-later
"""MAC PDUs (6.3.2): headers, subheaders, bursts of PDUs, and the frame prefix."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Iterator, Literal, Mapping, Optional, Sequence, Union

from wimax._core import core
from wimax.pdu.elements import Element, FeedbackIe, feedback_of, feedback_tree
from wimax.pdu.message import Message, message_of
from wimax.pdu.records import DissectError, Faults, Record, error_of, is_integer, json_text, tree_of

Direction = Literal["downlink", "uplink"]
Octets = Union[bytes, bytearray, memoryview]
_DIRECTIONS = {None: 0, "downlink": 1, "uplink": 2}
BASIC_CID_MAX: int = core.default_basic_cid_max
"""The last basic CID, m, of a base station of this project; management CIDs end at 2 m."""
MOST_PDU_OCTETS: int = core.most_pdu_octets
"""Octets of the longest PDU, with header and CRC."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class GrantManagement(Record):
    """Grant management subheader (6.3.2.2.2), uplink only. `pbr`: piggyback request, octets, 16 bits; or, for UGS, `si` and `pm`, one bit each."""
    pbr: Optional[int] = None
    si: int = 0
    pm: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Fragmentation(Record):
    """Fragmentation subheader (6.3.2.2.1). `fc`: 0 whole, 1 last, 2 first, 3 middle. `fsn`: FSN or BSN, 3 bits, or 11 with Type bit 3."""
    fc: int = 0
    fsn: int = 0


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Packing(Record):
    """Packing subheader and its unit (6.3.2.2.3). `payload`: the unit's octets; `ies`: ARQ feedback instead, in the first unit. `len`: as sent, with
    the subheader; None: the right one. `fc`, `fsn`: as in `Fragmentation`."""
    fc: int = 0
    fsn: int = 0
    payload: bytes = b""
    ies: Sequence[FeedbackIe] = ()
    len: Optional[int] = None


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FeedbackPayload(Record):
    """ARQ feedback payload (6.3.3.4.3) in an unpacked PDU."""
    ies: Sequence[FeedbackIe] = ()


Subheader = Union[GrantManagement, Fragmentation, Packing, FeedbackPayload]
_KINDS: Mapping[str, Any] = {"grant_management": GrantManagement, "fragmentation": Fragmentation, "packing": Packing, "arq_feedback": FeedbackPayload}
_NAMES = {kind: name for name, kind in _KINDS.items()}
_TYPE_BITS: Mapping[str, int] = json.loads(core.pdu_type_bits())


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class GenericHeader(Record):
    """Generic MAC header (6.3.2.1.1).

    `cid`: 16 bits. `ec`: 1 if the payload is encrypted. `ci`: 1 if a CRC follows. `eks`: encryption key sequence, 2 bits. `type`: 6 bits, `len`: octets
    of the PDU, 11 bits, `hcs`: 8 bits; None: computed from the PDU.

    `GenericHeader(cid=33) / Fragmentation(fc=2) / b"..."` and `GenericHeader(cid=0) / RngReq(...)` are PDUs.
    """
    cid: int = 0
    ec: int = 0
    ci: int = 1
    eks: int = 0
    type: Optional[int] = None
    len: Optional[int] = None
    hcs: Optional[int] = None

    def __truediv__(self, part: "Union[Subheader, Message, bytes]") -> "Pdu":
        return Pdu(header=self) / part


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class BandwidthRequest(Record):
    """Bandwidth request header (6.3.2.1.2). `br`: octets requested, 19 bits. `type`: 0 incremental, 1 aggregate. `cid`: 16 bits. `hcs`: 8 bits; None:
    computed."""
    cid: int = 0
    br: int = 0
    type: int = 0
    ec: int = 0
    hcs: Optional[int] = None


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Cipher(Record):
    """How a dissected payload was encrypted. AES-CCM: packet number `pn`, `icv` of 8 octets. DES-CBC: `cbc_iv` of 8 octets. `ciphertext`: what is sent."""
    pn: Optional[int] = None
    cbc_iv: Optional[bytes] = None
    ciphertext: bytes = b""
    icv: Optional[bytes] = None


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Pdu(Record):
    """A MAC PDU. `bytes(pdu)` are its octets.

    `header`: generic, or a bandwidth request, which has nothing else. `subheaders`: in the order on air. `payload`: a message or octets. `crc`: 4 octets;
    None: computed, by `crc_style` "8023" (the air interface) or "msb" (Wireshark's). `cipher`: of a PDU dissected with its key. Two PDUs are equal if their
    octets are.
    """
    header: Union[GenericHeader, BandwidthRequest] = dataclasses.field(default_factory=GenericHeader)
    subheaders: Sequence[Subheader] = ()
    payload: Union[Message, bytes] = b""
    crc: Optional[bytes] = None
    crc_style: str = "8023"
    cipher: Optional[Cipher] = None

    def __truediv__(self, part: Union[Subheader, Message, bytes]) -> "Pdu":
        if isinstance(part, (Message, bytes)):
            if self.payload != b"":
                raise ValueError("payload: a PDU has one message or payload")
            return dataclasses.replace(self, payload=part)
        if type(part) not in _NAMES:
            raise TypeError(f"{part!r}: a PDU consists of a header, subheaders, and a message or octets")
        return dataclasses.replace(self, subheaders=(*self.subheaders, part))

    def tree(self) -> dict[str, Any]:
        """The PDU as JSON for `wimax pdu encode`, with a message as payload octets. ValueError: all values that are not allowed."""
        faults = Faults()
        tree = self._tree(faults)
        faults.check("")
        return tree

    def _tree(self, faults: Faults) -> dict[str, Any]:
        if isinstance(self.header, BandwidthRequest):
            if self.subheaders or self.payload != b"":
                faults.add("BandwidthRequest", "a bandwidth request has no subheaders and no payload")
            return {"header": {"ht": 1, **tree_of(self.header)}, "subheaders": []}
        if not isinstance(self.header, GenericHeader):
            faults.add("header", f"value {self.header!r}: allowed GenericHeader, BandwidthRequest")
            return {"header": {"ht": 0, "cid": 0}, "subheaders": []}
        header = {"ht": 0, **tree_of(self.header)}
        header.setdefault("type", self._type())
        subheaders = [_subheader_tree(f"subheaders.{i}", one, faults) for i, one in enumerate(self.subheaders)]
        payload = self.payload.octets(faults) if isinstance(self.payload, Message) else self.payload
        tree = {"header": header, "subheaders": subheaders, "crc_style": self.crc_style}
        if payload or "packing" not in (one.get("kind") for one in subheaders):
            tree["payload"] = tree_of(payload or b"")
        if self.crc is not None:
            tree["crc"] = tree_of(self.crc)
        return {**tree, **(tree_of(self.cipher) if self.cipher else {})}

    def _type(self) -> int:
        """Type bits of the subheaders."""
        bits = 0
        for one in self.subheaders:
            bits |= _TYPE_BITS[_NAMES[type(one)]] if type(one) in _NAMES else 0
            if isinstance(one, Packing) and one.ies:
                bits |= _TYPE_BITS["arq_feedback"]
            if is_integer(getattr(one, "fsn", 0)) and getattr(one, "fsn", 0) > 7:
                bits |= _TYPE_BITS["extended"]
        return bits

    def __bytes__(self) -> bytes:
        return bytes(Burst(pdus=[self]))

    def key(self) -> Any:
        try:
            return bytes(self)
        except ValueError:
            return super().key()

    @property
    def crc_ok(self) -> bool:
        """True if the CRC fits, in either style; also without a CRC."""
        return self.crc is None or any(bytes(dataclasses.replace(self, crc=None, crc_style=style))[-4:] == self.crc for style in ("8023", "msb"))

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        yield "header", self._completed(), ""
        for one in self.subheaders:
            yield "subheader", one, ""
        if self.payload != b"":
            yield ("message" if isinstance(self.payload, Message) else "payload"), self.payload, ""
        if self.cipher:
            yield "cipher", self.cipher, ""
        if getattr(self.header, "ci", 0):
            yield "crc", bytes(self)[-4:], ""

    def _completed(self) -> Record:
        """The header with the values that are computed."""
        octets = bytes(self)
        if isinstance(self.header, BandwidthRequest):
            return dataclasses.replace(self.header, hcs=octets[5])
        return dataclasses.replace(self.header, type=octets[0] & 63, len=(octets[1] & 7) << 8 | octets[2], hcs=octets[5])

    @classmethod
    def dissect(cls, octets: Octets, **options: Any) -> "Pdu":
        """The PDU that these octets are, without any octets after it. `options`: as in `Burst.dissect`. DissectError: malformed, or several PDUs."""
        burst = Burst.dissect(octets, **options)
        if burst.error is not None:
            raise burst.error
        if len(burst.pdus) != 1 or burst.padding:
            raise DissectError(0, "kind", f"{len(burst.pdus)} PDUs and {burst.padding} octets of padding, not one PDU")
        return burst.pdus[0]


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Burst(Record):
    """PDUs in a burst, then octets 0xFF. `padding`: their number. Of a dissected burst, `error` is the reason why the octets `rest` are no PDUs, or None."""
    pdus: Sequence[Pdu] = ()
    padding: int = 0
    rest: bytes = b""
    error: Optional[DissectError] = None

    def tree(self) -> dict[str, Any]:
        """JSON for `wimax pdu encode`. ValueError: all values that are not allowed."""
        faults = Faults()
        tree = self._tree(faults)
        faults.check("")
        return tree

    def _tree(self, faults: Faults) -> dict[str, Any]:
        trees = []
        for i, pdu in enumerate(self.pdus):
            own = Faults()
            trees.append(pdu._tree(own))
            for line in own.lines:
                faults.add(f"pdus.{i}" if len(self.pdus) > 1 else "", line)
        return {"pdus": trees, "padding_bytes": self.padding, **({"rest": tree_of(self.rest)} if self.rest else {})}

    def __bytes__(self) -> bytes:
        faults = Faults()
        tree = self._tree(faults)
        octets = faults.of("", lambda: bytes(core.encode_pdus(json_text(tree), b"")))
        if len(self.pdus) == 1:
            faults.lines = [line[len("pdus.0."):] if line.startswith("pdus.0.") else line for line in faults.lines]
        faults.check("")
        return octets or b""

    def key(self) -> Any:
        return tuple(pdu.key() for pdu in self.pdus), self.padding, self.rest

    @classmethod
    def dissect(cls, octets: Octets, *, direction: Optional[Direction] = None, basic_cid_max: int = BASIC_CID_MAX, tek: bytes = b"",
                cbc_iv: bytes = b"", frame_number: int = 0, teks: Sequence[tuple[int, bytes]] = ()) -> "Burst":
        """PDUs of a burst. Malformed octets are a result: `error` and `rest`, after the PDUs before them.

        `direction`: the grant management subheader is malformed in the downlink. `basic_cid_max`: m, 1..32638; PDUs of CID 0, 0xFFFF and 1..2 m have
        messages. `tek`: opens encrypted payloads: 16 octets AES-CCM, 8 octets DES-CBC with the SA's `cbc_iv` (8 octets) and the `frame_number`. `teks`:
        pairs (EKS, TEK) instead, the latest last, as `wimax macd --key-log` writes them; AES-CCM only. Other payloads stay octets. ValueError: options that
        are not allowed.
        """
        checked = _options(direction, basic_cid_max, frame_number, teks)
        for name, value in (("octets", octets), ("tek", tek), ("cbc_iv", cbc_iv)):
            if is_integer(value):  # bytes(5) would be five zeros
                raise ValueError(f"{name}: value {value!r}: allowed are octets (bytes)")
        octets = bytes(octets)
        tree = json.loads(core.decode_pdus(octets, *checked[:2], bytes(tek), bytes(cbc_iv), *checked[2:]))
        pdus, place = [], 0
        for one in tree["pdus"]:
            pdu = _pdu_of(one, octets[place:])
            pdus.append(pdu)
            place += 6 if isinstance(pdu.header, BandwidthRequest) else one["header"]["len"]
        error = error_of(tree) if tree["error"] else None
        return cls(pdus=tuple(pdus), padding=tree["padding_bytes"], rest=bytes.fromhex(tree.get("rest", "")), error=error)


def _options(direction: Any, basic_cid_max: Any, frame_number: Any, teks: Any) -> tuple[int, int, int, list[tuple[int, bytes]]]:
    faults = Faults()
    if direction not in _DIRECTIONS:
        faults.add("direction", f"value {direction!r}: allowed downlink, uplink, None")
    if not is_integer(basic_cid_max) or not 1 <= basic_cid_max <= core.largest_basic_cid_max:
        faults.add("basic_cid_max", f"value {basic_cid_max!r}: allowed 1..{core.largest_basic_cid_max}")
    if not is_integer(frame_number) or not 0 <= frame_number < 1 << 24:
        faults.add("frame_number", f"value {frame_number!r}: allowed 0..{(1 << 24) - 1}")
    for one in teks:
        if not isinstance(one, (list, tuple)) or len(one) != 2 or one[0] not in range(4) or not isinstance(one[1], bytes) or len(one[1]) != 16:
            faults.add("teks", "allowed are pairs of an EKS, 0..3, and a TEK of AES-CCM, 16 octets")
    faults.check("")
    return _DIRECTIONS[direction], basic_cid_max, frame_number, [(int(eks), tek) for eks, tek in teks]


def _subheader_tree(name: str, one: Any, faults: Faults) -> dict[str, Any]:
    if type(one) not in _NAMES:
        faults.add(name, f"value {one!r}: allowed GrantManagement, Fragmentation, Packing, FeedbackPayload")
        return {"kind": "fragmentation", "fc": 0, "fsn": 0}
    tree: dict[str, Any] = tree_of(one)
    if isinstance(one, Packing):
        tree.pop("payload" if one.ies else "ies", None)
    if getattr(one, "ies", ()) or isinstance(one, FeedbackPayload):
        tree["ies"] = faults.of(name, lambda: feedback_tree(getattr(one, "ies"))) or []
    return {"kind": _NAMES[type(one)], **tree}


def _subheader_of(tree: Mapping[str, Any]) -> Subheader:
    if tree["kind"] == "grant_management":
        return GrantManagement(pbr=tree["pbr"]) if tree["raw"] & 0x3FFF else GrantManagement(si=tree["si"], pm=tree["pm"])
    if tree["kind"] == "fragmentation":
        return Fragmentation(fc=tree["fc"], fsn=tree["fsn"])
    if tree["kind"] == "arq_feedback":
        return FeedbackPayload(ies=feedback_of(tree["ies"]))
    if "ies" in tree:
        return Packing(fc=tree["fc"], fsn=tree["fsn"], ies=feedback_of(tree["ies"]))
    return Packing(fc=tree["fc"], fsn=tree["fsn"], payload=bytes.fromhex(tree["payload"]))


def _pdu_of(tree: Mapping[str, Any], octets: bytes) -> Pdu:
    """A PDU as the core has decoded it, from `octets` on. Values are left to be computed where this gives the same octets."""
    given = tree["header"]
    if given["ht"]:
        names = ("cid", "br", "type", "ec")
        lean = Pdu(header=BandwidthRequest(**{name: given[name] for name in names}))
        return lean if bytes(lean) == octets[:6] else Pdu(header=BandwidthRequest(**{name: given[name] for name in (*names, "hcs")}))
    octets = octets[:given["len"]]
    names = ("cid", "ec", "ci", "eks")
    lean = Pdu(header=GenericHeader(**{name: given[name] for name in names}), subheaders=tuple(_subheader_of(one) for one in tree["subheaders"]),
               payload=message_of(tree["message"]) if "message" in tree else bytes.fromhex(tree.get("payload", "")),
               crc_style=tree.get("crc_style") or "8023", cipher=_cipher_of(tree))
    if tree.get("crc_style", "") is None:
        lean.crc = bytes.fromhex(tree["crc"])
    for more in ((), ("type",), ("type", "len"), ("type", "len", "hcs")):
        lean.header = GenericHeader(**{name: given[name] for name in (*names, *more)})
        if bytes(lean) == octets:
            break
    return lean


def _cipher_of(tree: Mapping[str, Any]) -> Optional[Cipher]:
    if "ciphertext" not in tree:
        return None
    of = {name: bytes.fromhex(tree[name]) for name in ("cbc_iv", "ciphertext", "icv") if name in tree}
    return Cipher(pn=tree.get("pn"), **of)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FramePrefixIe(Element):
    """Information element of a frame prefix. The first has `rate_id` (4 bits) and `length`; others have `diuc` (4 bits), `preamble_present` (0 or 1) and
    `length`, or `diuc` 0 and `start_time` (12 bits). Lengths are OFDM symbols, 11 bits."""
    rate_id: Optional[int] = None
    diuc: Optional[int] = None
    preamble_present: Optional[int] = None
    length: Optional[int] = None
    start_time: Optional[int] = None


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class FramePrefix(Record):
    """Downlink frame prefix, DLFP (8.3.5.1): 11 octets in the FCH. Low four bits of the BSID, the frame number and the DCD count; at most four `ies`.
    `octets`: as received, where they are not those of the values (a wrong HCS, reserved bits)."""
    bsid_lsb: int = 0
    frame_number_lsb: int = 0
    change_count_lsb: int = 0
    ies: Sequence[FramePrefixIe] = ()
    octets: Optional[bytes] = None

    def __bytes__(self) -> bytes:
        faults = Faults()
        octets = faults.of("FramePrefix", lambda: bytes(core.encode_pdus(json_text(tree_of(self) | {"ies": tree_of(self.ies)}), b"")))
        faults.check("")
        return octets or b""

    @classmethod
    def dissect(cls, octets: Octets) -> "FramePrefix":
        """From 11 octets. DissectError: another number of octets."""
        tree = json.loads(core.decode_frame_prefix(bytes(octets)))
        if "error" in tree:
            raise error_of(tree)
        return cls(bsid_lsb=tree["bsid_lsb"], frame_number_lsb=tree["frame_number_lsb"], change_count_lsb=tree["change_count_lsb"],
                   ies=tuple(FramePrefixIe.of(one) for one in tree["ies"]), octets=bytes.fromhex(tree["octets"]) if "octets" in tree else None)
