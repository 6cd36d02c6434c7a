# SPDX-License-Identifier: GPL-3.0-or-later
"""TLVs (clause 11): values by name, kept in the order on air."""
from __future__ import annotations

import dataclasses
import json
import operator
from typing import Any, ClassVar, Generic, Iterator, Mapping, Optional, Sequence, TypeVar, Union, cast, overload

from wimax._core import core
from wimax.pdu.records import DICTIONARY, Faults, Record, is_integer, json_text

_T = TypeVar("_T")
_SETS: Sequence[Mapping[str, Any]] = DICTIONARY["sets"]
_TUPLES = ("list", "power_codes", "ranges", "addresses")
_IN_PYTHON = ("bits", "hmac", "compound")


class Raw(bytes):
    """Octets of a TLV as they stand: of an unknown type, or of a length that its type does not have. `Tlv(3, Raw(b"..."))` makes a faulty TLV."""

    def __repr__(self) -> str:
        return f"Raw({bytes(self)!r})"


@dataclasses.dataclass(frozen=True)
class Tlv:
    """One TLV: its type number, 0..255, and its value, as the attribute of that name has it; octets (`Raw`) for other types and forms."""
    type: int
    value: Any


def packed(record: Record, widths: Mapping[str, int]) -> bytes:
    """Attributes of those names and widths in bits, the most significant first. ValueError: all that do not fit."""
    faults, word = Faults(), 0
    for name, width in widths.items():
        value = getattr(record, name)
        if not is_integer(value) or not 0 <= value < 1 << width:
            faults.add(name, f"value {value!r}: allowed 0..{(1 << width) - 1}")
        else:
            word = word << width | operator.index(value)
    faults.check("")
    return word.to_bytes(sum(widths.values()) // 8, "big")


def unpacked(octets: bytes, widths: Mapping[str, int]) -> dict[str, int]:
    """The inverse of `packed`."""
    word, out = int.from_bytes(octets, "big"), {}
    for name, width in reversed(list(widths.items())):
        out[name] = word & ((1 << width) - 1)
        word >>= width
    return out


class Bits(Record):
    """Base of bit fields of a TLV: unsigned integers, 0 if not given."""
    TLV: ClassVar[str] = ""
    WIDTHS: ClassVar[Mapping[str, int]] = {}

    def __bytes__(self) -> bytes:
        return packed(self, self.WIDTHS)


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class HmacTuple(Record):
    """HMAC tuple (11.1.2): sequence number of the AK, 4 bits, and the digest, 20 octets (`wimax.pdu.Keys.sign` makes it)."""
    ak_sequence: int = 0
    digest: bytes = bytes(20)

    def __bytes__(self) -> bytes:
        faults = Faults()
        if not is_integer(self.ak_sequence) or not 0 <= self.ak_sequence <= 15:
            faults.add("ak_sequence", f"value {self.ak_sequence!r}: allowed 0..15")
        if not isinstance(self.digest, bytes) or len(self.digest) != 20:
            faults.add("digest", "allowed are 20 octets")
        faults.check("")
        return bytes([self.ak_sequence]) + self.digest


class TlvSpec:
    """One TLV of the dictionary."""

    def __init__(self, number: int, of: Mapping[str, Any]) -> None:
        self.set, self.type, self.name, self.kind = number, int(of["type"]), str(of["name"]), str(of["kind"])
        self.length, self.width, self.unit, self.repeats = int(of["length"]), int(of["width"]), str(of["unit"]), bool(of["repeats"])
        self.inner: Optional[int] = of["set"]
        self.parts: Sequence[Mapping[str, Any]] = of["parts"]

    def octets(self, value: Any) -> bytes:
        """The value on air; not of a compound. ValueError: not allowed."""
        if isinstance(value, (Bits, HmacTuple)) and self.kind in _IN_PYTHON:
            return bytes(value)
        if self.kind in _IN_PYTHON:
            raise ValueError(f"value {value!r}: allowed are {class_of(self).__name__}(...) or its fields as a dictionary")
        if self.kind in ("octets", "blob"):
            if not isinstance(value, (bytes, bytearray)):
                raise ValueError(f"value {value!r}: allowed are octets (bytes)")
            value = value.hex()
        return bytes(core.write_tlv(self.set, self.type, json_text(value)))

    def value(self, octets: bytes) -> Any:
        """The value that these octets have, or None if they have not the TLV's form."""
        if self.kind in ("octets", "blob"):
            return None if self.length and len(octets) != self.length else octets
        if self.kind == "hmac":
            return HmacTuple(ak_sequence=octets[0], digest=octets[1:]) if len(octets) == self.length and octets[0] < 16 else None
        if self.kind == "bits":
            bits = cast("type[Bits]", class_of(self))
            return bits(**unpacked(octets, bits.WIDTHS)) if len(octets) == self.length else None
        value = json.loads(core.read_tlv(self.set, self.type, octets))
        return _tuple(self.kind, value) if self.kind in _TUPLES and value is not None else value

    def read(self, octets: bytes) -> Any:
        """The value, or `Raw` octets if no value has them."""
        value = self.value(octets)
        if value is None:
            return Raw(octets)
        try:
            return value if self.octets(value) == octets else Raw(octets)
        except ValueError:
            return Raw(octets)


def _tuple(kind: str, value: Any) -> Any:
    """Lists of the core as tuples; the core gives a single element without its list."""
    if kind == "ranges":
        pairs = value if not value or isinstance(value[0], list) else [value]
        return tuple((low, high) for low, high in pairs)
    return tuple(value) if isinstance(value, list) else (value,)


def _specs(number: int) -> dict[int, TlvSpec]:
    """TLVs of a set by type: its own before those of the set that it falls back to."""
    out = {one["type"]: TlvSpec(number, one) for one in _SETS[number]["tlvs"]}
    fallback = _SETS[number]["fallback"]
    return out if fallback is None else {**out, **{t: s for t, s in _specs(fallback).items() if t not in out}}


SPECS: Sequence[Mapping[int, TlvSpec]] = tuple(_specs(number) for number in range(len(_SETS)))
"""TLVs by set and type."""

_COMPOUNDS: dict[int, "type[TlvList]"] = {}
_BITS: dict[str, "type[Bits]"] = {}


def class_of(spec: TlvSpec) -> type[Record]:
    """Class of the values of a compound, of bit fields or of an HMAC tuple."""
    if spec.kind == "hmac":
        return HmacTuple
    return _COMPOUNDS[cast(int, spec.inner)] if spec.kind == "compound" else _BITS[spec.name]


def _from_mapping(spec: TlvSpec, values: Mapping[str, Any]) -> Record:
    """A record from its arguments. ValueError: names that it does not have."""
    kind = class_of(spec)
    allowed = [field.name for field in dataclasses.fields(kind)]
    faults = Faults()
    for name in values:
        if name not in allowed:
            faults.add(str(name), f"unknown; allowed {', '.join(allowed)}")
    faults.check(spec.name)
    return kind(**values)


class TlvField(Generic[_T]):
    """A TLV as an attribute: the value of the first TLV of that type, or None if there is none, or none of a proper form.

    Setting replaces it, a list makes several TLVs, None removes all. A dictionary has the arguments of a compound's class.
    """

    def __init__(self, type: int) -> None:  # noqa: A002
        self.type = type

    @overload
    def __get__(self, record: None, owner: object) -> None: ...

    @overload
    def __get__(self, record: "TlvList", owner: object) -> Optional[_T]: ...

    def __get__(self, record: "Optional[TlvList]", owner: object) -> Optional[_T]:
        if record is None:
            return None
        found = record.all_of(self.type)
        return cast(_T, found[0]) if found else None

    def __set__(self, record: "TlvList", value: "Union[_T, list[_T], Mapping[str, Any], None]") -> None:
        record.put(self.type, value)


class RepeatedTlvField(Generic[_T]):
    """A TLV that may occur several times, as an attribute: the tuple of all values. Setting replaces all."""

    def __init__(self, type: int) -> None:  # noqa: A002
        self.type = type

    @overload
    def __get__(self, record: None, owner: object) -> None: ...

    @overload
    def __get__(self, record: "TlvList", owner: object) -> tuple[_T, ...]: ...

    def __get__(self, record: "Optional[TlvList]", owner: object) -> Optional[tuple[_T, ...]]:
        return None if record is None else cast("tuple[_T, ...]", record.all_of(self.type))

    def __set__(self, record: "TlvList", value: "Union[Sequence[Union[_T, Mapping[str, Any]]], None]") -> None:
        record.put(self.type, list(value) if isinstance(value, (list, tuple)) else value)


class TlvsField:
    """All TLVs in the order on air, as an attribute."""

    @overload
    def __get__(self, record: None, owner: object) -> tuple[Tlv, ...]: ...

    @overload
    def __get__(self, record: "TlvList", owner: object) -> tuple[Tlv, ...]: ...

    def __get__(self, record: "Optional[TlvList]", owner: object) -> tuple[Tlv, ...]:
        return () if record is None else tuple(record.held())

    def __set__(self, record: "TlvList", value: Sequence[Tlv]) -> None:
        record.held()[:] = [Tlv(tlv.type, record.proper(tlv.type, tlv.value)) for tlv in value]


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class TlvList(Record):
    """Base of messages and compounds with TLVs. Arguments by name become TLVs in the dictionary's order, after `tlvs`."""
    SET: ClassVar[int] = -1
    tlvs: TlvsField = TlvsField()

    def __post_init__(self) -> None:
        given, held = self.__dict__.pop("_given", []), self.held()
        order = list(self.specs())
        held += sorted(given, key=lambda tlv: order.index(tlv.type))
        self.__dict__["_complete"] = True

    def held(self) -> list[Tlv]:
        """The TLVs themselves."""
        return cast("list[Tlv]", self.__dict__.setdefault("_held", []))

    def specs(self) -> Mapping[int, TlvSpec]:
        """The dictionary's entries by type number."""
        return SPECS[self.SET] if self.SET >= 0 else {}

    def spec(self, type: int) -> Optional[TlvSpec]:  # noqa: A002
        """The dictionary's entry; None: unknown here."""
        return self.specs().get(type)

    def all_of(self, type: int) -> tuple[Any, ...]:  # noqa: A002
        """Values of all TLVs of that type number that have a proper form."""
        return tuple(tlv.value for tlv in self.held() if tlv.type == type and not isinstance(tlv.value, Raw))

    def put(self, type: int, value: Any) -> None:  # noqa: A002
        """Replaces all TLVs of that type number by one of this value, several (a list), or none (None)."""
        spec = self.spec(type)
        several = isinstance(value, list) and spec is not None and spec.kind not in _TUPLES
        values = value if several else [] if value is None else [value]
        new = [Tlv(type, self.proper(type, one)) for one in values]
        if not self.__dict__.get("_complete"):
            self.__dict__.setdefault("_given", []).extend(new)
            return
        held = self.held()
        place = next((i for i, tlv in enumerate(held) if tlv.type == type), len(held))
        held[:] = held[:place] + new + [tlv for tlv in held[place:] if tlv.type != type]

    def proper(self, type: int, value: Any) -> Any:  # noqa: A002
        """The form in which values are kept: dictionaries as records, lists as tuples, octets as the value that they have."""
        spec = self.spec(type)
        if spec is None:
            return Raw(value) if isinstance(value, bytes) else value
        if isinstance(value, Raw):
            return value if spec.kind == "compound" else spec.read(bytes(value))
        if isinstance(value, Mapping) and spec.kind in _IN_PYTHON:
            return _from_mapping(spec, value)
        if isinstance(value, list) and spec.kind in _TUPLES:
            return tuple(tuple(one) if isinstance(one, list) else one for one in value)
        return value

    def entries(self, faults: Faults) -> list[dict[str, Any]]:
        """TLVs for the core."""
        return [entry for tlv in self.held() if (entry := self._entry(tlv, faults)) is not None]

    def _entry(self, tlv: Tlv, faults: Faults) -> Optional[dict[str, Any]]:
        spec = self.spec(operator.index(tlv.type)) if is_integer(tlv.type) else None
        name = spec.name if spec else f"TLV {tlv.type}"
        if isinstance(tlv.value, Raw):
            return {"type": tlv.type, "value": tlv.value.hex()}
        if spec is None:
            faults.add(name, f"value {tlv.value!r}: allowed are octets (Raw), since the type is unknown")
        elif spec.kind == "compound" and isinstance(tlv.value, class_of(spec)):
            return faults.of(name, lambda: {"type": tlv.type, **cast(Compound, tlv.value).contents()})
        else:
            return faults.of(name, lambda: {"type": tlv.type, "value": spec.octets(tlv.value).hex()})
        return None

    def take_entries(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """TLVs as the core has read them."""
        self.held()[:] = [Tlv(one["type"], self._taken(one)) for one in entries]

    def _taken(self, entry: Mapping[str, Any]) -> Any:
        spec = self.spec(entry["type"])
        if "tlvs" in entry:
            return cast("type[Compound]", class_of(cast(TlvSpec, spec))).taken(entry)
        octets = bytes.fromhex(entry["value"])
        return Raw(octets) if spec is None else spec.read(octets)

    def _by_name(self) -> Iterator[tuple[str, Any]]:
        """Arguments by name that give the same TLVs; of types in the dictionary's order."""
        for spec in self.specs().values():
            values = [tlv.value for tlv in self.held() if tlv.type == spec.type]
            if values:
                yield spec.name, values if len(values) > 1 or spec.repeats else values[0]

    def _in_order(self) -> bool:
        """True if arguments by name suffice."""
        order = {number: i for i, number in enumerate(self.specs())}
        places = [order.get(tlv.type, -1) for tlv in self.held()]
        single = all(places.count(place) == 1 for tlv, place in zip(self.held(), places)
                     if (spec := self.spec(tlv.type)) is not None and spec.kind in _TUPLES)
        return single and -1 not in places and places == sorted(places)

    def own_values(self) -> Iterator[tuple[str, Any]]:
        """Fields that are no TLVs."""
        names = {spec.name for spec in self.specs().values()}
        for field in dataclasses.fields(self):
            if field.name != "tlvs" and field.name not in names:
                yield field.name, getattr(self, field.name)

    def values(self) -> Iterator[tuple[str, Any]]:
        yield from self.own_values()
        yield "tlvs", tuple(self.held())

    def arguments(self) -> Iterator[tuple[str, Any]]:
        defaults = {field.name: field.default for field in dataclasses.fields(self)}
        yield from ((name, value) for name, value in self.own_values() if value != defaults[name])
        if self._in_order():
            yield from self._by_name()
        else:
            yield "tlvs", tuple(self.held())

    def rows(self) -> Iterator[tuple[str, Any, str]]:
        yield from ((name, value, "") for name, value in self.own_values() if value is not None)
        for tlv in self.held():
            spec = self.spec(tlv.type)
            yield (spec.name, tlv.value, spec.unit) if spec else (f"TLV {tlv.type}", tlv.value, "")


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Compound(TlvList):
    """Base of TLVs that consist of TLVs, after bit fields (`PREFIX`, as in `Bits.WIDTHS`) in some."""
    PREFIX: ClassVar[Mapping[str, int]] = {}

    def contents(self) -> dict[str, Any]:
        """For the core. ValueError: all faults."""
        faults = Faults()
        prefix = faults.of("", lambda: packed(self, self.PREFIX))
        entries = self.entries(faults)
        faults.check("")
        return {**({"prefix": prefix.hex()} if prefix else {}), "tlvs": entries}

    @classmethod
    def with_prefix(cls, values: Mapping[str, int]) -> "Compound":
        """Bit fields by name, and no TLVs."""
        arguments: dict[str, Any] = dict(values)
        return cls(**arguments)

    @classmethod
    def taken(cls, entry: Mapping[str, Any]) -> "Compound":
        """As the core has read it."""
        out = cls.with_prefix(unpacked(bytes.fromhex(entry.get("prefix", "")), cls.PREFIX))
        out.take_entries(entry["tlvs"])
        return out


def register(*, bits: Sequence[type[Bits]] = (), compounds: Sequence[type[Compound]] = ()) -> None:
    """Makes generated classes known. Bit fields: by the TLV's name in `TLV`; compounds: by their set."""
    _BITS.update({one.TLV: one for one in bits})
    _COMPOUNDS.update({one.SET: one for one in compounds})
