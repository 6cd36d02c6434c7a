# SPDX-License-Identifier: GPL-3.0-or-later
"""A small MAC: octets become the bursts of frames, one PDU per burst, in the order of arrival."""
import collections

import pmt
from gnuradio import gr

from . import messages
from .wimax_python import frame_duration_us, rate_table

PREAMBLE_AND_FCH, PREFIX_BURSTS, MOST_QUEUED = 3, 4, 256  # symbols; bursts that a frame prefix announces; PDUs
FRAME_NUMBERS = 1 << 24


class frame_composer(gr.basic_block):
    """Composes a frame of the queued PDUs for each `tick`.

    bandwidth_hz: of the channel, 1.25e6 to 28e6
    cp_denominator: 4, 8, 16 or 32
    frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
    direction: "downlink" or "uplink"
    rate_id: 0 to 6, of PDUs without the key rate_id
    bsid: the low 4 bits are used
    first_symbol: uplink: symbol of the frame in which the first burst begins

    Downlink: up to four bursts per frame, announced by the frame prefix; a frame without PDUs has one symbol of padding. Uplink: as many
    bursts as the frame has symbols for; port `expect` announces them to a base station receiver."""

    def __init__(self, bandwidth_hz=5000000, cp_denominator=8, frame_duration_code=4, direction="downlink", rate_id=1, bsid=0, first_symbol=0):
        gr.basic_block.__init__(self, "wimax_frame_composer", None, None)
        rate = messages.channel_rate_hz(bandwidth_hz)
        for name, value, allowed in (("cp_denominator", cp_denominator, (4, 8, 16, 32)), ("frame_duration_code", frame_duration_code, range(7)),
                                     ("direction", direction, ("downlink", "uplink")), ("rate_id", rate_id, range(7))):
            if value not in allowed:
                raise ValueError(f"{name}: value {value}, allowed {', '.join(map(str, allowed))}")
        self._cp, self._uplink, self._rate_id, self._bsid = cp_denominator, direction == "uplink", rate_id, bsid & 15
        samples = rate * frame_duration_us()[frame_duration_code] // 1000000
        self._symbols = samples // messages.symbol_samples(cp_denominator)
        self._first = first_symbol if self._uplink else PREAMBLE_AND_FCH
        if not 0 <= self._first < self._symbols:
            raise ValueError(f"first_symbol: value {first_symbol}, allowed 0 .. {self._symbols - 1}")
        self._queue = collections.deque()  # (rate_id, octets)
        for name, handler in (("pdus", self._add), ("tick", self._compose)):
            self.message_port_register_in(pmt.intern(name))
            self.set_msg_handler(pmt.intern(name), handler)
        for name in ("tx", "expect", "error"):
            self.message_port_register_out(pmt.intern(name))

    def _publish(self, port, message):
        self.message_port_pub(pmt.intern(port), message)

    def _refuse(self, why):
        self._publish("error", messages.pdu(why.encode(), message="error", kind="invalid", frame_number=0, microseconds=0))

    def most_octets(self, rate_id):
        """Octets of the largest PDU at this rate: it fills a frame."""
        return messages.capacity_bytes(rate_id, self._symbols - self._first - self._uplink)

    def _add(self, message):
        if not (pmt.is_pair(message) and pmt.is_u8vector(pmt.cdr(message))):
            return self._refuse("pdus: not a PDU (dict . u8vector)")
        keys = pmt.car(message)
        rate = pmt.dict_ref(keys, pmt.intern("rate_id"), pmt.from_long(self._rate_id)) if pmt.is_dict(keys) else pmt.from_long(self._rate_id)
        if not (pmt.is_integer(rate) and 0 <= pmt.to_long(rate) <= 6):
            return self._refuse(f"pdus: rate_id: value {rate}: allowed 0..6")
        rate, octets = pmt.to_long(rate), bytes(pmt.u8vector_elements(pmt.cdr(message)))
        if not 1 <= len(octets) <= self.most_octets(rate):
            return self._refuse(f"pdus: payload: {len(octets)} octets: allowed 1..{self.most_octets(rate)} at rate {rate}")
        if len(self._queue) == MOST_QUEUED:
            return self._refuse(f"pdus: more than {MOST_QUEUED} wait for a frame")
        return self._queue.append((rate, octets))

    def _burst(self, symbol, number, position, rate, octets):
        """The burst that begins at `symbol`. In the downlink the frame prefix announces the first burst by its rate, others by a DIUC."""
        symbols = -(-(len(octets) + 1) // rate_table()[rate][1])  # one octet is the tail of the code
        return messages.burst(symbol * messages.symbol_samples(self._cp) // 4, rate, symbols, preamble_symbols=int(self._uplink),
                              iuc=rate + 1 if self._uplink or position else 0, bsid_lsb=self._bsid, frame_lsb=number & 15, payload=octets)

    def _bursts(self, number):
        bursts, symbol = [], self._first
        while self._queue and (self._uplink or len(bursts) < PREFIX_BURSTS):
            burst = self._burst(symbol, number, len(bursts), *self._queue[0])
            if symbol + messages.total_symbols(burst) > self._symbols:
                break
            self._queue.popleft()
            bursts.append(burst)
            symbol += messages.total_symbols(burst)
        return bursts if bursts or self._uplink else [self._burst(symbol, number, 0, 0, b"")]

    def _compose(self, message):
        if not (pmt.is_pair(message) and pmt.is_dict(pmt.car(message))):
            return self._refuse("tick: not a PDU (dict . u8vector)")
        tick = messages.parse(message)
        for key, low, high in (("frame_number", 0, FRAME_NUMBERS - 1), ("frame_start_sample", -1 << 63, (1 << 63) - 1)):
            if type(tick.get(key)) is not int or not low <= tick[key] <= high:
                return self._refuse(f"tick: {key}: value {tick.get(key)}: allowed {low}..{high}")
        number, bursts = tick["frame_number"], self._bursts(tick["frame_number"])
        if self._uplink:  # before the samples can arrive
            self._publish("expect", messages.expectation(number, [{k: v for k, v in b.items() if k != "payload"} for b in bursts]))
        return self._publish("tx", messages.tx_frame("uplink" if self._uplink else "downlink", number, tick["frame_start_sample"], bursts,
                                                     cp_denominator=self._cp, bsid_lsb=self._bsid))
