# SPDX-License-Identifier: GPL-3.0-or-later
"""MAC PDUs as Python objects: build, show, dissect, fuzz (IEEE 802.16-2004, 6.3.2 and clause 11), and the privacy sublayer with keys (clause 7).

>>> from wimax.pdu import *
>>> pdu = GenericHeader(cid=0) / RngReq(dl_channel_id=1, ss_mac_address=bytes.fromhex("0216d0aabb01"))
>>> bytes(pdu).hex()
'004014000092040102060216d0aabb0157a8a5c7'
>>> Pdu.dissect(bytes(pdu)) == pdu
True

Octets are made and read by the code of `wimax pdu`. Values are checked when octets are made: ValueError has a line for each wrong one.
"""
from wimax.pdu import messages as _messages, tlvs as _tlvs
from wimax.pdu.elements import BlockSequence, Clock, DlMapIe, FeedbackIe, FocusedContention, PowerCorrection, SubchannelizedEntry, UlMapIe
from wimax.pdu.frames import (BASIC_CID_MAX, MOST_PDU_OCTETS, BandwidthRequest, Burst, Cipher, FeedbackPayload, Fragmentation, FramePrefix, FramePrefixIe,
                              GenericHeader, GrantManagement, Packing, Pdu)
from wimax.pdu.fuzzing import damage, fuzz
from wimax.pdu.message import MESSAGES, Message, UnknownMessage
from wimax.pdu.messages import *  # noqa: F403
from wimax.pdu.privacy import LAST_PACKET_NUMBER, UPLINK_PACKET_NUMBERS, Keys, decrypt, encrypt
from wimax.pdu.records import DissectError
from wimax.pdu.tlvs import *  # noqa: F403
from wimax.pdu.values import HmacTuple, Raw, Tlv

__all__ = [*_messages.__all__, *_tlvs.__all__, "BASIC_CID_MAX", "LAST_PACKET_NUMBER", "MESSAGES", "MOST_PDU_OCTETS", "UPLINK_PACKET_NUMBERS",
           "BandwidthRequest", "BlockSequence", "Burst", "Cipher", "Clock", "DissectError", "DlMapIe", "FeedbackIe", "FeedbackPayload", "FocusedContention",
           "Fragmentation", "FramePrefix", "FramePrefixIe", "GenericHeader", "GrantManagement", "HmacTuple", "Keys", "Message", "Packing", "Pdu",
           "PowerCorrection", "Raw", "SubchannelizedEntry", "Tlv", "UlMapIe", "UnknownMessage", "damage", "decrypt", "encrypt", "fuzz"]
