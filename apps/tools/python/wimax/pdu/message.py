# SPDX-License-Identifier: GPL-3.0-or-later
"""The base of management messages (6.3.2.3): octets from a message, and a message from octets."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, ClassVar, Mapping, Optional, TypeVar, Union

from wimax._core import core
from wimax.pdu.elements import Clock, DlMapIe, PowerCorrection, UlMapIe, feedback_of, feedback_tree
from wimax.pdu.records import DICTIONARY, DissectError, Faults, Record, error_of, json_text, tree_of
from wimax.pdu.values import TlvList

_M = TypeVar("_M", bound="Message")
_SPECS: Mapping[int, Mapping[str, Any]] = {one["type"]: one for one in DICTIONARY["messages"]}
_LISTS: Mapping[str, tuple[str, Any]] = {"dl_map": ("ies", DlMapIe), "ul_map": ("ies", UlMapIe), "clocks": ("clocks", Clock),
                                         "stations": ("stations", PowerCorrection)}

MESSAGES: dict[int, type["Message"]] = {}
"""Classes of messages by type number. Other numbers are `UnknownMessage`."""


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class Message(Record):
    """Base of the management messages. `bytes(message)` are its octets from the type octet on, without header and CRC.

    Values are checked when octets are made: ValueError has a line for each fault, with message, field and allowed range.
    """
    TYPE: ClassVar[int] = -1
    NAME: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.TYPE >= 0:
            MESSAGES[cls.TYPE] = cls

    def message_type(self) -> int:
        """The type octet."""
        return self.TYPE

    def tree(self) -> dict[str, Any]:
        """The message as JSON for `wimax pdu encode`. ValueError: values without octets."""
        faults = Faults()
        tree = self._tree(faults)
        faults.check(self.NAME)
        return tree

    def _tree(self, faults: Faults) -> dict[str, Any]:
        spec = _SPECS.get(self.TYPE, {"fields": (), "tail": "octets"})
        tree: dict[str, Any] = {"msg": self.message_type()}
        names = [field["name"] for field in spec["fields"] if field["name"]]
        if spec["tail"] == "stations":
            names.append("power_measurement_frame")
        if spec["tail"] == "octets":
            names.append("payload")
        for name in names:
            tree[name] = tree_of(getattr(self, name))
        if spec["tail"] == "tlvs":
            tree["tlvs"] = self.entries(faults) if isinstance(self, TlvList) else []
        elif spec["tail"] == "feedback":
            tree["ies"] = faults.of("ies", lambda: feedback_tree(getattr(self, "ies"))) or []
        elif spec["tail"] in _LISTS:
            name = _LISTS[spec["tail"]][0]
            tree[name] = tree_of(getattr(self, name))
        return tree

    def octets(self, faults: Faults) -> Optional[bytes]:
        """The octets; None after a fault."""
        before = len(faults.lines)
        own = Faults()
        tree = self._tree(own)
        octets = own.of("", lambda: bytes(core.encode_pdus(json_text(tree), b"")))
        for line in own.lines:
            faults.add(self.NAME, line)
        return octets if len(faults.lines) == before else None

    def __bytes__(self) -> bytes:
        faults = Faults()
        octets = self.octets(faults)
        faults.check("")
        return octets or b""

    @classmethod
    def dissect(cls: type[_M], octets: Union[bytes, bytearray, memoryview]) -> _M:
        """The message that these octets are; on a message's own class, of that type only. DissectError: malformed."""
        tree = json.loads(core.decode_message(bytes(octets)))
        if "error" in tree:
            raise error_of(tree)
        message = message_of(tree)
        if not isinstance(message, cls):
            raise DissectError(0, "kind", f"message {type(message).__name__}, not {cls.__name__}")
        return message

    def title(self) -> str:
        clause = _SPECS.get(self.TYPE, {}).get("clause", "")
        return f"{self.NAME}, type {self.message_type()}" + (f" ({clause})" if clause else "")


@dataclasses.dataclass(eq=False, repr=False, kw_only=True)
class UnknownMessage(Message):
    """A message of a reserved type. `msg`: the type, 0..255. `payload`: octets after it."""
    NAME: ClassVar[str] = "reserved message"
    msg: int = 255
    payload: bytes = b""

    def message_type(self) -> int:
        return self.msg


def message_spec(number: int) -> Mapping[str, Any]:
    """The dictionary's entry of a message that is not reserved."""
    return _SPECS[number]


def message_of(tree: Mapping[str, Any]) -> Message:
    """A message as the core has decoded it."""
    kind = MESSAGES.get(tree["msg"])
    if kind is None:
        return UnknownMessage(msg=tree["msg"], payload=bytes.fromhex(tree["payload"]))
    spec = _SPECS[kind.TYPE]
    values = {field["name"]: _field(field, tree[field["name"]]) for field in spec["fields"] if field["name"]}
    if spec["tail"] == "octets":
        values["payload"] = bytes.fromhex(tree["payload"])
    elif spec["tail"] == "feedback":
        values["ies"] = feedback_of(tree["ies"])
    elif spec["tail"] in _LISTS:
        name, element = _LISTS[spec["tail"]]
        values[name] = tuple(element.of(one) for one in tree[name])
    if spec["tail"] == "stations":
        values["power_measurement_frame"] = tree["power_measurement_frame"]
    message = kind(**values)
    if isinstance(message, TlvList):
        message.take_entries(tree["tlvs"])
    return message


def _field(field: Mapping[str, Any], value: Any) -> Any:
    if field["hex"]:
        return bytes.fromhex(value)
    return tuple(value) if isinstance(value, list) else value
