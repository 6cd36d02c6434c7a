# SPDX-License-Identifier: GPL-3.0-or-later
"""The privacy sublayer with keys (clause 7): encrypted payloads, digests of messages, keys in messages."""
from __future__ import annotations

import dataclasses
from typing import Any, Optional, TypeVar, cast

from wimax._core import core
from wimax.pdu.frames import Direction, Pdu, GenericHeader
from wimax.pdu.message import Message
from wimax.pdu.records import DissectError, Faults, is_integer, json_text
from wimax.pdu.values import HmacTuple, Tlv, TlvList

_M = TypeVar("_M", bound=Message)
LAST_PACKET_NUMBER: int = core.last_packet_number
"""A TEK of AES-CCM is used up after this packet number."""
UPLINK_PACKET_NUMBERS: int = core.uplink_packet_numbers
"""Packet numbers of the uplink are XORed with this before use (stations of this project; makers differ)."""


@dataclasses.dataclass(frozen=True)
class Keys:
    """Keys that both ends derive from an authorization key (7.5.4): `kek`, 16 octets; `hmac_downlink`, `hmac_uplink`, 20 octets each."""
    kek: bytes = dataclasses.field(repr=False)
    hmac_downlink: bytes = dataclasses.field(repr=False)
    hmac_uplink: bytes = dataclasses.field(repr=False)

    @classmethod
    def derive(cls, ak: bytes) -> "Keys":
        """From the AK, 20 octets. ValueError: another length."""
        return cls(**core.derive_keys(_octets("ak", ak)))

    def wrap(self, tek: bytes) -> bytes:
        """The TEK encrypted with the KEK (7.5.2): 16 octets by AES-ECB, 8 octets by 3-DES EDE. ValueError: another length."""
        return bytes(core.wrap_tek(self.kek, _octets("tek", tek)))

    def unwrap(self, wrapped: bytes) -> bytes:
        """The inverse of `wrap`. A wrong key is not detected. ValueError: not 16 or 8 octets."""
        return bytes(core.unwrap_tek(self.kek, _octets("wrapped", wrapped)))

    def digest(self, octets: bytes, direction: Direction) -> bytes:
        """HMAC-SHA1 of these octets with the direction's key, 20 octets (7.5.3)."""
        return bytes(core.message_digest(self._key(direction), _octets("octets", octets)))

    def sign(self, message: _M, direction: Direction, ak_sequence: int = 0) -> _M:
        """The message with a digest at its end: an HMAC tuple with the AK's sequence number (0..15), or the HMAC-Digest attribute of PKM-REQ and PKM-RSP.

        ValueError: the message has no TLVs, or values that are not allowed.
        """
        bare = _without_digest(message)
        return _with_digest(bare, self.digest(bytes(bare), direction), ak_sequence)

    def verify(self, message: Message, direction: Direction) -> bool:
        """True if the message ends with the digest that `sign` makes."""
        if not isinstance(message, TlvList):
            return False
        last = message.tlvs[-1:]
        found = last[0].value if last else None
        digest = found.digest if isinstance(found, HmacTuple) else found
        return last == _digest_tlv(message, digest, getattr(found, "ak_sequence", 0)) and self.digest(bytes(_without_digest(message)), direction) == digest

    def _key(self, direction: Direction) -> bytes:
        if direction not in ("downlink", "uplink"):
            raise ValueError(f"direction: value {direction!r}: allowed downlink, uplink")
        return self.hmac_downlink if direction == "downlink" else self.hmac_uplink


def _octets(name: str, value: Any) -> bytes:
    if not isinstance(value, (bytes, bytearray)):
        raise ValueError(f"{name}: value {value!r}: allowed are octets (bytes)")
    return bytes(value)


def _digest_type(message: TlvList) -> int:
    """The TLV of the message's digest."""
    names = {spec.name: number for number, spec in message.specs().items()}
    return names.get("hmac_digest", names["hmac_tuple"])


def _digest_tlv(message: TlvList, digest: Any, ak_sequence: int) -> tuple[Tlv, ...]:
    number = _digest_type(message)
    in_tuple = message.specs()[number].kind == "hmac"
    return (Tlv(number, HmacTuple(ak_sequence=ak_sequence, digest=digest) if in_tuple else digest),)


def _without_digest(message: _M) -> _M:
    if not isinstance(message, TlvList):
        raise ValueError(f"message: {message.NAME} has no TLVs, and no digest")
    return _with_tlvs(message, tuple(tlv for tlv in message.tlvs if tlv.type != _digest_type(message)))


def _with_digest(message: _M, digest: bytes, ak_sequence: int) -> _M:
    holder = cast(TlvList, message)
    return _with_tlvs(message, holder.tlvs + _digest_tlv(holder, digest, ak_sequence))


def _with_tlvs(message: _M, tlvs: tuple[Tlv, ...]) -> _M:
    copy = type(message).dissect(bytes(message))
    setattr(copy, "tlvs", tlvs)
    return copy


def _cipher_faults(tek: Any, eks: Any, pn: Any, cbc_iv: Any, frame_number: Any) -> Faults:
    faults = Faults()
    octets = len(tek) if isinstance(tek, bytes) else 0
    if octets not in (8, 16):
        faults.add("tek", "allowed are 16 octets (AES-CCM) or 8 (DES-CBC)")
    limits = {"eks": (eks, 3), "frame_number": (frame_number, (1 << 24) - 1), **({"pn": (pn, (1 << 32) - 1)} if octets == 16 else {})}
    for name, (value, most) in limits.items():
        if not is_integer(value) or not 0 <= value <= most:
            faults.add(name, f"value {value!r}: allowed 0..{most}")
    if octets == 8 and (not isinstance(cbc_iv, bytes) or len(cbc_iv) != 8):
        faults.add("cbc_iv", "allowed are 8 octets")
    return faults


def encrypt(pdu: Pdu, tek: bytes, *, eks: int = 0, pn: Optional[int] = None, cbc_iv: Optional[bytes] = None, frame_number: int = 0) -> Pdu:
    """The PDU with its subheaders and payload encrypted (7.5.1), EC set and a new CRC.

    `tek`: 16 octets: AES-CCM with packet number `pn`, 0..2^32-1, as sent (`UPLINK_PACKET_NUMBERS`). 8 octets: DES-CBC with the SA's `cbc_iv`, 8 octets, in
    the frame `frame_number`, 0..2^24-1. `eks`: 0..3, in the header. ValueError: all arguments that are not allowed.
    """
    header = pdu.header
    if not isinstance(header, GenericHeader):
        raise ValueError("pdu: a bandwidth request is not encrypted")
    faults = _cipher_faults(tek, eks, pn, cbc_iv, frame_number)
    plain = dataclasses.replace(pdu, header=dataclasses.replace(header, eks=eks, ec=1, len=None, hcs=None), crc=None, cipher=None)
    faults.check("")
    tree = plain.tree()
    how = {"pn": pn} if len(tek) == 16 else {"cbc_iv": core.cbc_iv_of(cbc_iv, frame_number).hex()}
    sealed = bytes(core.encode_pdus(json_text({"pdus": [{**tree, **how}]}), tek))
    return dataclasses.replace(Pdu.dissect(sealed), crc_style=pdu.crc_style)


def decrypt(pdu: Pdu, tek: bytes, *, cbc_iv: bytes = b"", frame_number: int = 0, **options: Any) -> Pdu:
    """The PDU without encryption: EC 0, EKS 0, and a new CRC. Arguments as in `encrypt` and `Burst.dissect`.

    ValueError: DES-CBC without its `cbc_iv`. DissectError, reason "key": AES-CCM does not prove the payload genuine, or the payload is too short. DES-CBC cannot detect a wrong key.
    """
    if len(tek) == 8 and len(cbc_iv) != 8:
        raise ValueError("cbc_iv: allowed are 8 octets")
    opened = Pdu.dissect(bytes(pdu), tek=tek, cbc_iv=cbc_iv, frame_number=frame_number, **options)
    if opened.cipher is None or not isinstance(opened.header, GenericHeader):
        raise DissectError(6, "key", "the payload is not encrypted, or not with this key")
    header = GenericHeader(cid=opened.header.cid, ci=opened.header.ci, type=opened.header.type)
    return dataclasses.replace(opened, header=header, crc=None, cipher=None)
