# SPDX-License-Identifier: GPL-3.0-or-later
"""Random PDUs and messages with values that are allowed, and damaged octets."""
from __future__ import annotations

import random
from typing import Any, Optional, TypeVar, Union, cast

from wimax.pdu.elements import (BlockSequence, Clock, DlMapIe, FeedbackIe, FocusedContention, PowerCorrection, SubchannelizedEntry, UlMapIe)
from wimax.pdu.frames import (MOST_PDU_OCTETS, BandwidthRequest, FeedbackPayload, Fragmentation, GenericHeader, GrantManagement, Packing, Pdu, Subheader)
from wimax.pdu.message import MESSAGES, Message, UnknownMessage, message_spec
from wimax.pdu.records import Record
from wimax.pdu.values import Bits, Compound, HmacTuple, Raw, Tlv, TlvList, TlvSpec, class_of

_R = TypeVar("_R", bound=Record)
_OVERHEAD = 10  # octets of header and CRC


def fuzz(kind: type[_R], seed: int) -> _R:
    """A random object of the class: a message (`fuzz(RngReq, 1)`), any message (`Message`), or a PDU (`Pdu`). The same seed gives the same object.

    All values are allowed, and the octets fit into a PDU; the values need not make sense together. Some messages have TLVs of unknown types or of other
    lengths, several of a type, or an unusual order.
    """
    chance = _Chance(seed)
    if issubclass(kind, Pdu):
        return cast(_R, chance.pdu())
    if issubclass(kind, Message):
        return cast(_R, chance.message(kind))
    raise ValueError(f"kind: value {kind!r}: allowed Pdu, Message and the classes of messages")


def damage(octets: Union[bytes, Any], seed: int) -> bytes:
    """The octets with one to four random changes: bits inverted, octets replaced, removed, inserted or repeated, the end cut off. Never the same octets.

    `octets`: bytes, or an object that `bytes` makes octets of. The same seed gives the same damage.
    """
    original, chance = bytes(octets), random.Random(seed)
    out = bytearray(original)
    for _ in range(chance.randint(1, 4)):
        _change(out, chance)
    return bytes(out) if bytes(out) != original else original + bytes([chance.randrange(256)])


def _change(out: bytearray, chance: random.Random) -> None:
    place, kind = chance.randrange(len(out) + 1), chance.randrange(6)
    if kind == 0 or place == len(out):
        out[place:place] = chance.randbytes(chance.randint(1, 4))
    elif kind == 1:
        out[place] ^= 1 << chance.randrange(8)
    elif kind == 2:
        out[place] = chance.choice((0, 255, chance.randrange(256)))
    elif kind == 3:
        del out[place:place + chance.randint(1, 4)]
    elif kind == 4:
        out[place:place] = out[place:place + chance.randint(1, 8)]
    else:
        del out[place:]


class _Chance:
    """Draws values."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def bits(self, count: int) -> int:
        return self.random.choice((0, (1 << count) - 1, self.random.getrandbits(count), self.random.getrandbits(count)))

    def octets(self, most: int) -> bytes:
        return self.random.randbytes(self.random.randint(0, most))

    def message(self, kind: Optional[type[Message]] = None) -> Message:
        if kind is None or kind is Message:
            kind = self.random.choice([*MESSAGES.values(), UnknownMessage])
        if kind is UnknownMessage:
            return UnknownMessage(msg=self.random.choice([number for number in range(256) if number not in MESSAGES]), payload=self.octets(40))
        for size in (6, 3, 1, 0):
            message = kind(**self._fields(kind, size))
            if isinstance(message, TlvList):
                message.tlvs = self._tlvs(message, size)
            if len(bytes(message)) <= MOST_PDU_OCTETS - _OVERHEAD:
                return message
        raise AssertionError("a message without TLVs is short")

    def _fields(self, kind: type[Message], size: int) -> dict[str, Any]:
        spec = message_spec(kind.TYPE)
        out: dict[str, Any] = {}
        for field in spec["fields"]:
            if field["hex"]:
                out[field["name"]] = self.random.randbytes(field["bits"] // 8)
            elif field["name"]:
                values = tuple(self.bits(field["bits"]) for _ in range(field["count"]))
                out[field["name"]] = values if len(values) > 1 else values[0]
        return {**out, **self._tail(spec["tail"], self.random.randint(0, size))}

    def _tail(self, tail: str, count: int) -> dict[str, Any]:
        if tail == "dl_map":
            return {"ies": tuple(self.dl_map_ie() for _ in range(count))}
        if tail == "ul_map":
            return {"ies": tuple(self.ul_map_ie() for _ in range(count))}
        if tail == "feedback":
            return {"ies": self.feedback()}
        if tail == "clocks":
            return {"clocks": tuple(Clock(id=self.bits(8), seq=self.bits(8), value=self.bits(8) - 128) for _ in range(count))}
        if tail == "stations":
            stations = tuple(PowerCorrection(cid=self.bits(16), power_adjust=self.bits(8) - 128) for _ in range(count))
            return {"power_measurement_frame": self.bits(8), "stations": stations}
        return {"payload": self.octets(40)} if tail == "octets" else {}

    def _extended(self) -> bytes:
        contents = self.octets(15)
        return bytes([self.bits(4) << 4 | len(contents)]) + contents

    def dl_map_ie(self) -> DlMapIe:
        diuc = self.bits(4)
        if diuc == 15:
            return DlMapIe(cid=self.bits(16), diuc=diuc, extended=self._extended())
        return DlMapIe(cid=self.bits(16), diuc=diuc, preamble=self.bits(1), start=self.bits(11))

    def ul_map_ie(self) -> UlMapIe:
        ie = UlMapIe(cid=self.bits(16), start=self.bits(11), subch=self.bits(5), uiuc=self.random.choice((4, 13, 15, self.bits(4))), duration=self.bits(10),
                     midamble=self.bits(2))
        if ie.uiuc == 4:
            ie.focused = FocusedContention(frame_lsb4=self.bits(4), opportunity=self.bits(3), channel=self.bits(6), code=self.bits(3))
        if ie.uiuc == 13:
            ie.network_entry = SubchannelizedEntry(subch=self.bits(5), frame_lsb4=self.bits(4), code=self.bits(3))
        if ie.uiuc == 15:
            ie.extended = self._extended()
        return ie

    def feedback(self) -> tuple[FeedbackIe, ...]:
        return tuple(self._feedback_ie() for _ in range(self.random.randint(1, 4)))

    def _feedback_ie(self) -> FeedbackIe:
        ie = FeedbackIe(cid=self.bits(16), ack_type=self.bits(2), bsn=self.bits(11))
        count = self.random.randint(1, 4)
        if ie.ack_type in (0, 2):
            ie.maps = tuple(self.bits(16) for _ in range(count))
        if ie.ack_type == 3:
            ie.sequences = tuple(self._sequence(self.bits(1)) for _ in range(count))
        return ie

    def _sequence(self, fmt: int) -> BlockSequence:
        count = 2 + fmt
        return BlockSequence(fmt=fmt, bits="".join(self.random.choice("01") for _ in range(count)),
                             lengths=tuple(self.bits(4 if fmt else 6) for _ in range(count)))

    def _tlvs(self, holder: TlvList, size: int) -> tuple[Tlv, ...]:
        """Some of the set's TLVs, mostly in its order."""
        specs = list(holder.specs().values())
        chosen = self.random.sample(specs, min(len(specs), self.random.randint(0, 2 * size)))
        if self.random.random() < 0.7:
            chosen.sort(key=specs.index)
        elif chosen:
            chosen.append(self.random.choice(chosen))
        out = [Tlv(spec.type, self._value(spec, size // 2)) for spec in chosen]
        if self.random.random() < 0.2:
            unknown = [number for number in range(256) if number not in holder.specs()]
            out.append(Tlv(self.random.choice(unknown), Raw(self.octets(140 if size > 3 else 10))))
        return tuple(out)

    def _value(self, spec: TlvSpec, size: int) -> Any:
        if spec.kind == "compound":
            return self._compound(cast("type[Compound]", class_of(spec)), size)
        if spec.length and self.random.random() < 0.05:
            return Raw(self.random.randbytes(self.random.choice((0, spec.length + 1))))
        if spec.kind == "hmac":
            return HmacTuple(ak_sequence=self.bits(4), digest=self.random.randbytes(20))
        if spec.kind == "bits":
            of = cast("type[Bits]", class_of(spec))
            return of(**{name: self.bits(width) for name, width in of.WIDTHS.items()})
        return self._simple(spec, size)

    def _simple(self, spec: TlvSpec, size: int) -> Any:
        few = range(self.random.randint(1, 3))
        if spec.kind == "unsigned":
            return self.bits(8 * spec.length)
        if spec.kind == "signed":
            return self.bits(8 * spec.length) - (1 << 8 * spec.length - 1)
        if spec.kind == "text":
            return "".join(self.random.choice("abcXYZ 019-_./") for _ in range(self.random.randint(1, 20)))
        if spec.kind in ("list", "power_codes"):
            return tuple(self.bits(8 * spec.width) for _ in (range(spec.length // spec.width) if spec.length else few))
        if spec.kind == "ranges":
            return tuple((self.bits(8 * spec.width), self.bits(8 * spec.width)) for _ in few)
        if spec.kind == "addresses":
            return tuple(spec.value(self.random.randbytes(2 * spec.width))[0] for _ in few)
        most = 300 if spec.kind == "blob" else 10 + 20 * size
        return self.random.randbytes(spec.length) if spec.length else self.octets(most)

    def _compound(self, kind: type[Compound], size: int) -> Compound:
        out = kind.with_prefix({name: self.bits(width) for name, width in kind.PREFIX.items()})
        out.tlvs = self._tlvs(out, size)
        return out

    def pdu(self) -> Pdu:
        choice = self.random.randrange(8)
        if choice == 0:
            return Pdu(header=BandwidthRequest(cid=self.bits(16), br=self.bits(19), type=self.bits(1)))
        header = GenericHeader(cid=self.random.randint(641, 0xFEFE), ci=self.bits(1), eks=self.bits(2))
        if choice <= 3:
            header.cid = self.random.choice((0, 0xFFFF, self.random.randint(1, 640)))
            return Pdu(header=header, payload=self.message())
        return self._data(header)

    def _data(self, header: GenericHeader) -> Pdu:
        fsn = self.random.choice((3, 11))
        head: tuple[Subheader, ...] = (GrantManagement(pbr=self.bits(16)),) if self.random.random() < 0.3 else ()
        form = self.random.randrange(4)
        if form == 1:
            head += (Fragmentation(fc=self.bits(2), fsn=self.bits(fsn)),)
        elif form == 2:
            units = [Packing(fc=self.bits(2), fsn=self.bits(fsn), payload=self.octets(60)) for _ in range(self.random.randint(1, 4))]
            if self.random.random() < 0.5:
                units[0] = Packing(fc=self.bits(2), fsn=self.bits(fsn), ies=self.feedback())
            return Pdu(header=header, subheaders=(*head, *units))
        elif form == 3:
            head += (FeedbackPayload(ies=self.feedback()),)
        return Pdu(header=header, subheaders=head, payload=self.octets(0 if form == 3 else 100))
