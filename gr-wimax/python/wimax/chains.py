# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical blocks: a whole transmitter from octets to samples, and a whole receiver from samples to octets.

Time is counted in samples: a transmitter's stream waits for its frames, so a slow machine loses nothing."""
import collections
import threading

import numpy
import pmt
from gnuradio import gr

from . import messages
from .frame_composer import FRAME_NUMBERS, frame_composer
from .wimax_python import burst_transmitter, frame_duration_us, ss_receiver

GRID_DELAY_S = 0.3  # of bs_receiver: from the first sample to the first frame
PAUSE_S = 0.02  # between two looks of the scheduler whether it shall end


class _Pieces:
    """Pieces of signal between the threads of _Gate and _Stream."""

    def __init__(self, limit):
        self.waiting, self.limit, self.moved = collections.deque(), limit, threading.Condition()


class _Gate(gr.basic_block):
    """Port `signal`: pieces of signal, and what the transmitter sends after the last piece of a frame; the stream may then continue to the frame's end.

    One port for both: GNU Radio keeps the order of messages within a port only."""

    def __init__(self, pieces, frame_samples):
        gr.basic_block.__init__(self, "wimax_gate", None, None)
        self._pieces, self._frame = pieces, frame_samples
        self.message_port_register_in(pmt.intern("signal"))
        self.set_msg_handler(pmt.intern("signal"), self._take)

    def _take(self, message):
        (self._samples if pmt.is_c32vector(pmt.cdr(message)) else self._done)(message)

    def _samples(self, message):
        start = pmt.to_long(pmt.dict_ref(pmt.car(message), pmt.intern("start_sample"), pmt.PMT_NIL))
        with self._pieces.moved:
            self._pieces.waiting.append((start, numpy.array(pmt.c32vector_elements(pmt.cdr(message)), numpy.complex64)))

    def _done(self, _message):
        with self._pieces.moved:
            self._pieces.limit += self._frame
            self._pieces.moved.notify()


class _Stream(gr.sync_block):
    """Pieces at their samples, zeros between them. With `ticks`, port `tick` announces each frame one frame before its start."""

    def __init__(self, pieces, frame_samples, ticks):
        gr.sync_block.__init__(self, "wimax_stream", None, [numpy.complex64])
        self._pieces, self._frame, self._ticks = pieces, frame_samples, ticks
        self._position, self._ticked = 0, 0
        self.message_port_register_out(pmt.intern("tick"))

    def _tick(self):
        while self._ticks and self._ticked * self._frame <= self._position + self._frame:
            start = self._ticked * self._frame
            self.message_port_pub(pmt.intern("tick"), messages.pdu(b"", message="tick", frame_number=self._ticked % FRAME_NUMBERS,
                                                                  frame_start_sample=start, deadline_sample=start))
            self._ticked += 1

    def _fill(self, out):
        """Adds what the pieces have for these samples; symbol edges of two pieces may overlap."""
        end = self._position + len(out)
        out[:] = 0
        for start, piece in self._pieces.waiting:
            first, last = max(start, self._position), min(start + len(piece), end)
            if first < last:
                out[first - self._position:last - self._position] += piece[first - start:last - start]
        self._pieces.waiting = collections.deque(p for p in self._pieces.waiting if p[0] + len(p[1]) > end)

    def work(self, _input_items, output_items):
        self._tick()
        with self._pieces.moved:
            if self._position == self._pieces.limit:
                self._pieces.moved.wait(PAUSE_S)
            n = min(len(output_items[0]), self._pieces.limit - self._position)
            self._fill(output_items[0][:n])
        self._position += n
        return n


class _Octets(gr.basic_block):
    """Port `burst` of a receiver to port `pdus`: octets of bursts without errors and without the padding at their end."""

    KEPT = ("frame_number", "index", "rate_id", "rssi_dbfs", "cinr_db")
    PADDING = b"\xff"

    def __init__(self):
        gr.basic_block.__init__(self, "wimax_octets", None, None)
        self.message_port_register_in(pmt.intern("burst"))
        self.message_port_register_out(pmt.intern("pdus"))
        self.set_msg_handler(pmt.intern("burst"), self._take)

    def _take(self, message):
        burst = messages.parse(message)
        octets = burst["payload"].rstrip(self.PADDING)
        if burst["fec_ok"] and octets:
            self.message_port_pub(pmt.intern("pdus"), messages.pdu(octets, **{key: burst[key] for key in self.KEPT}))


def _rate(bandwidth_hz, sample_rate):
    """Sample rates of channel and stream; `sample_rate` 0 is that of the channel."""
    channel = messages.channel_rate_hz(bandwidth_hz)
    if sample_rate and not channel <= sample_rate <= 64 * channel:
        raise ValueError(f"sample_rate: value {sample_rate}, allowed 0 and {channel} .. {64 * channel}")
    return channel, sample_rate or channel


def _resampled(ratio):
    """The blocks between two rates: none, or a resampler that passes the used carriers, up to 0.39 of the channel's rate."""
    if abs(ratio - 1) < 1e-9:
        return []
    from gnuradio import filter as filters
    phases, lower = 32, min(1.0, ratio)
    taps = filters.firdes.low_pass_2(phases, phases, 0.5 * lower, 0.2 * lower, 70)
    return [filters.pfb.arb_resampler_ccf(ratio, taps, phases)]


class _Transmitter(gr.hier_block2):
    """Composer, modulator, stream. Port `pdus`: octets, with the optional key rate_id."""

    def __init__(self, name, composer, bandwidth_hz, frame_duration_code, sample_rate, shape, ticks):
        channel, rate = _rate(bandwidth_hz, sample_rate)
        gr.hier_block2.__init__(self, name, gr.io_signature(0, 0, 0), gr.io_signature(1, 1, gr.sizeof_gr_complex))
        frame = channel * frame_duration_us()[frame_duration_code] // 1000000
        pieces = _Pieces(0 if ticks else round(GRID_DELAY_S * channel))
        self.composer, self.transmitter = composer, burst_transmitter(bandwidth_hz, None, *shape)
        self._gate, self._stream = _Gate(pieces, frame), _Stream(pieces, frame, ticks)
        for port in ("pdus",) if ticks else ("pdus", "tick"):
            self.message_port_register_hier_in(port)
            self.msg_connect(self, port, composer, port)
        for port in ("error",) if ticks else ("error", "expect"):
            self.message_port_register_hier_out(port)
            self.msg_connect(composer, port, self, port)
        self.msg_connect(self.transmitter, "error", self, "error")
        self.msg_connect(composer, "tx", self.transmitter, "tx")
        for port in ("samples", "done"):
            self.msg_connect(self.transmitter, port, self._gate, "signal")
        if ticks:
            self.msg_connect(self._stream, "tick", composer, "tick")
        self.connect(self._stream, *_resampled(rate / channel), self)


class downlink_transmitter(_Transmitter):
    """Base station's transmitter: octets at port `pdus` to an endless stream of downlink frames.

    bandwidth_hz: of the channel, 1.25e6 to 28e6
    cp_denominator: 4, 8, 16 or 32
    frame_duration_code: 0 to 6: 2.5, 4, 5, 8, 10, 12.5, 20 ms
    rate_id: 0 to 6, of PDUs without the key rate_id
    bsid: the low 4 bits are sent
    sample_rate: of the output, at least the channel's; 0: the channel's
    window_samples, target_papr_db: shape of the signal, as of burst_transmitter

    Each PDU becomes a burst. Bursts are sent in the order of arrival, at most four per frame. Port `error` names refused PDUs."""

    def __init__(self, bandwidth_hz=5000000, cp_denominator=8, frame_duration_code=4, rate_id=1, bsid=0, sample_rate=0, window_samples=0,
                 target_papr_db=None):
        composer = frame_composer(bandwidth_hz, cp_denominator, frame_duration_code, "downlink", rate_id, bsid)
        _Transmitter.__init__(self, "wimax_downlink_transmitter", composer, bandwidth_hz, frame_duration_code, sample_rate,
                              (window_samples, target_papr_db), ticks=True)


class uplink_transmitter(_Transmitter):
    """Subscriber station's transmitter: octets at port `pdus` to uplink bursts on the frames of a base station receiver.

    bandwidth_hz, cp_denominator, frame_duration_code, rate_id, sample_rate, window_samples, target_papr_db: as of downlink_transmitter
    bsid: of the base station; seeds the randomizer
    first_symbol: symbol of the frame in which the first burst begins

    Connect port `tick` of the bs_receiver to port `tick`, and port `expect` to port `expect` of the bs_receiver. The receiver must get this stream
    from its first sample on: the stream stops at each frame until the receiver has announced it."""

    def __init__(self, bandwidth_hz=5000000, cp_denominator=8, frame_duration_code=4, rate_id=1, bsid=0, first_symbol=0, sample_rate=0,
                 window_samples=0, target_papr_db=None):
        composer = frame_composer(bandwidth_hz, cp_denominator, frame_duration_code, "uplink", rate_id, bsid, first_symbol)
        _Transmitter.__init__(self, "wimax_uplink_transmitter", composer, bandwidth_hz, frame_duration_code, sample_rate,
                              (window_samples, target_papr_db), ticks=False)


class downlink_receiver(gr.hier_block2):
    """Subscriber station's receiver: samples to the octets of bursts at port `pdus`.

    bandwidth_hz: of the channel, 1.25e6 to 28e6
    cp_denominator: 4, 8, 16 or 32; 0: search
    sample_rate: of the input, at least the channel's; 0: the channel's
    display_interval_frames: rate of the ports constellation and response

    Port `pdus` has bursts without errors, without the octets 0xFF at their end. Ports `burst`, `tick`, `constellation`, `response` and `error` are those of
    the ss_receiver."""

    def __init__(self, bandwidth_hz=5000000, cp_denominator=0, sample_rate=0, display_interval_frames=5):
        channel, rate = _rate(bandwidth_hz, sample_rate)
        gr.hier_block2.__init__(self, "wimax_downlink_receiver", gr.io_signature(1, 1, gr.sizeof_gr_complex), gr.io_signature(0, 0, 0))
        self.receiver, self._octets = ss_receiver(bandwidth_hz, cp_denominator, display_interval_frames=display_interval_frames), _Octets()
        self.connect(self, *_resampled(channel / rate), self.receiver)
        for port in ("burst", "tick", "constellation", "response", "error"):
            self.message_port_register_hier_out(port)
            self.msg_connect(self.receiver, port, self, port)
        self.message_port_register_hier_out("pdus")
        self.msg_connect(self.receiver, "burst", self._octets, "burst")
        self.msg_connect(self._octets, "pdus", self, "pdus")

    def status(self):
        """Figures of the ss_receiver."""
        return self.receiver.status()
