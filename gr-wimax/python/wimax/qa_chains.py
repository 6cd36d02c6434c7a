#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hierarchical blocks: octets into a transmitter come out of a receiver, in order, at equal and at other sample rates."""
import os
import random
import tempfile
import threading
import time
import unittest
from pathlib import Path

import numpy
import pmt
from gnuradio import blocks, gr, wimax
from gnuradio.wimax import chains, frame_composer, messages, recordings

PATIENCE_S = 60  # only a hang takes that long


def post(block, port, message):
    block.to_basic_block()._post(pmt.intern(port), message)


def stored(debug):
    return [messages.parse(debug.get_message(i)) for i in range(debug.num_messages())]


def drawn(count, seed=1):
    """(rate, octets) that do not end like padding."""
    rng = random.Random(seed)
    return [(n % 7, rng.randbytes(rng.randint(1, 300)) + b"\0") for n in range(count)]


class Chains(unittest.TestCase):
    def run_until(self, top, ready):
        top.start()
        limit = time.monotonic() + PATIENCE_S
        while not ready() and time.monotonic() < limit:
            time.sleep(0.005)
        top.stop()
        top.wait()
        self.assertTrue(ready())

    def downlink(self, sent, **more):
        """What a receiver makes of PDUs, through a transmitter with these arguments. All wait before the first frame."""
        top, debug, errors = gr.top_block(), blocks.message_debug(), blocks.message_debug()
        rates = {"sample_rate": more.get("sample_rate", 0), "bandwidth_hz": more.get("bandwidth_hz", 5000000)}
        transmitter, receiver = chains.downlink_transmitter(**more), chains.downlink_receiver(**rates)
        top.connect(transmitter, receiver)
        top.msg_connect(receiver, "pdus", debug, "store")
        top.msg_connect(transmitter, "error", errors, "store")
        for rate, octets in sent:
            post(transmitter.composer, "pdus", messages.pdu(octets, rate_id=rate))
        self.run_until(top, lambda: debug.num_messages() >= len(sent))
        self.assertEqual(errors.num_messages(), 0)
        return stored(debug), receiver.status()

    def test_downlink_in_order(self):
        sent = drawn(21)
        got, status = self.downlink(sent, bsid=0x123)
        self.assertEqual([(pdu["rate_id"], pdu["payload"]) for pdu in got], sent)
        self.assertEqual([pdu["index"] for pdu in got[:6]], [1, 2, 3, 4, 1, 2])
        self.assertEqual(set(got[0]), {*chains._Octets.KEPT, "payload"})
        self.assertEqual((status["fec_failures"], status["sync_losses"]), (0, 0))

    def test_frames_without_pdus_have_only_padding(self):
        top, debug, bursts = gr.top_block(), blocks.message_debug(), blocks.message_debug()
        transmitter, receiver = chains.downlink_transmitter(frame_duration_code=0), chains.downlink_receiver()
        top.connect(transmitter, receiver)
        top.msg_connect(receiver, "pdus", debug, "store")
        top.msg_connect(receiver, "burst", bursts, "store")
        self.run_until(top, lambda: bursts.num_messages() >= 5)
        self.assertEqual(debug.num_messages(), 0)
        self.assertEqual({(b["rate_id"], b["data_symbols"], b["payload"]) for b in stored(bursts)}, {(0, 1, b"\xff" * 11)})

    def test_other_rates_of_samples(self):
        """The resamplers keep all carriers: the channel is flat, and the noise low."""
        for rate, bandwidth in ((8e6, 5000000), (5e6, 3500000)):
            top, channel = gr.top_block(), blocks.message_debug()
            transmitter, receiver = chains.downlink_transmitter(bandwidth, sample_rate=rate), chains.downlink_receiver(bandwidth, sample_rate=rate)
            top.connect(transmitter, receiver)
            top.msg_connect(receiver, "response", channel, "store")
            self.run_until(top, lambda found=channel: found.num_messages() >= 2)
            gain_db = 20 * numpy.log10(numpy.abs(numpy.delete(stored(channel)[-1]["payload"], 100)))  # without the carrier that is not used
            self.assertLess(numpy.ptp(gain_db), 1)
            sent = [(6, bytes(range(200)))] * 5
            got, status = self.downlink(sent, sample_rate=rate, bandwidth_hz=bandwidth)
            self.assertEqual([pdu["payload"] for pdu in got], [octets for _, octets in sent])
            self.assertGreater(status["snr_db"], 33)

    def test_pieces_at_their_samples(self):
        """Two pieces that overlap, one over the end of a frame, and one that begins in the middle of nothing."""
        rng, size = numpy.random.default_rng(1), 60000
        parts = [(start, rng.standard_normal(length).astype(numpy.complex64)) for start, length in ((5, 9000), (9000, 20000), (45000, 14000))]
        wanted = numpy.zeros(size, numpy.complex64)
        for start, part in parts:
            wanted[start:start + len(part)] += part
        pieces = chains._Pieces(0)
        gate, stream, top, sink = chains._Gate(pieces, size // 2), chains._Stream(pieces, size // 2, False), gr.top_block(), blocks.vector_sink_c()
        for start, part in parts:
            gate._samples(pmt.cons(pmt.dict_add(pmt.make_dict(), pmt.intern("start_sample"), pmt.from_long(start)), pmt.init_c32vector(len(part), part)))
        for _ in range(2):
            gate._done(None)
        top.connect(stream, sink)
        self.run_until(top, lambda: sink.nitems_read(0) == size)
        numpy.testing.assert_array_equal(numpy.array(sink.data(), numpy.complex64), wanted)

    def test_uplink_on_the_frames_of_the_receiver(self):
        sent = drawn(14, 2)
        top, debug, errors = gr.top_block(), blocks.message_debug(), blocks.message_debug()
        transmitter, receiver = chains.uplink_transmitter(bsid=9, first_symbol=60), wimax.bs_receiver()
        top.connect(transmitter, receiver)
        top.msg_connect(receiver, "tick", transmitter, "tick")
        top.msg_connect(transmitter, "expect", receiver, "expect")
        top.msg_connect(receiver, "burst", debug, "store")
        for block in (transmitter, receiver):
            top.msg_connect(block, "error", errors, "store")
        for rate, octets in sent:
            post(transmitter.composer, "pdus", messages.pdu(octets, rate_id=rate))
        self.run_until(top, lambda: debug.num_messages() >= len(sent))
        self.assertEqual(stored(errors), [])
        got = stored(debug)[:len(sent)]
        self.assertEqual([(b["rate_id"], b["payload"].rstrip(b"\xff"), b["fec_ok"]) for b in got], [(*pdu, True) for pdu in sent])
        self.assertEqual((got[0]["start_slot"], got[0]["frame_number"]), (60 * 72, 0))

    def test_settings_that_are_refused(self):
        for make, name in ((lambda: chains.downlink_transmitter(bandwidth_hz=1000000), "bandwidth_hz"), (lambda: chains.downlink_receiver(29000000), "bandwidth_hz"),
                           (lambda: chains.downlink_receiver(sample_rate=5e6), "sample_rate"), (lambda: chains.downlink_transmitter(cp_denominator=5), "cp_denominator"),
                           (lambda: chains.downlink_transmitter(frame_duration_code=7), "frame_duration_code"), (lambda: chains.downlink_transmitter(rate_id=7), "rate_id"),
                           (lambda: chains.uplink_transmitter(first_symbol=200), "first_symbol"), (lambda: frame_composer.frame_composer(direction="up"), "direction"),
                           (lambda: chains.downlink_transmitter(window_samples=33), "window_samples"), (lambda: chains.downlink_receiver(cp_denominator=3), "cp")):
            with self.assertRaisesRegex(ValueError, name):
                make()


class Handled(list):
    """In place of the pieces of a gate: starts of signal and ends of frames ("done") in the order in which the gate handles them."""

    def __init__(self):
        super().__init__()
        self.moved = threading.Condition()
        self.waiting = self

    def append(self, item):
        super().append(item[0])

    @property
    def limit(self):
        return self.count("done")

    @limit.setter
    def limit(self, _value):
        super().append("done")


class Order(unittest.TestCase):
    FRAMES = 10

    def test_signal_precedes_the_end_of_its_frame(self):
        """The gate waits while ten frames pile up before it: it must handle the signal of a frame before the frame's end, or the stream passes over the signal."""
        top, ended, transmitter, handled = gr.top_block(), blocks.message_debug(), chains.downlink_transmitter(), Handled()
        transmitter._gate._pieces = handled
        transmitter.msg_connect(transmitter.transmitter, "done", ended, "store")
        top.connect(transmitter, blocks.null_sink(gr.sizeof_gr_complex))
        limit = time.monotonic() + PATIENCE_S
        with handled.moved:
            top.start()  # the stream announces frames 0 and 1
            for number in range(2, self.FRAMES):
                post(transmitter.composer, "tick", messages.pdu(b"", message="tick", frame_number=number, frame_start_sample=number * 57600))
            while ended.num_messages() < self.FRAMES and time.monotonic() < limit:
                time.sleep(0.005)
        while handled.limit < self.FRAMES and time.monotonic() < limit:
            time.sleep(0.005)
        top.stop()
        top.wait()
        frames = [None if item == "done" else item // 57600 for item in handled]
        signal = [frame for frame in frames if frame is not None]
        self.assertEqual(sorted(signal), list(range(self.FRAMES)))
        self.assertEqual(frames, [item for frame in signal for item in (frame, None)])


class Composer(unittest.TestCase):
    def test_frames_of_four_bursts_and_full_frames(self):
        composer, sent = frame_composer.frame_composer(), []
        composer._publish = lambda port, message: sent.append((port, messages.parse(message)))
        largest = composer.most_octets(6)
        self.assertEqual(largest, messages.capacity_bytes(6, 197))
        for message in [messages.pdu(b"a")] * 5 + [messages.pdu(bytes(largest), rate_id=6)]:
            composer._add(message)
        for n in range(3):
            composer._compose(messages.pdu(b"", message="tick", frame_number=n, frame_start_sample=n * 57600))
        self.assertEqual([(port, frame["frame_start_sample"]) for port, frame in sent], [("tx", 57600 * n) for n in range(3)])
        self.assertEqual([[(b["start_slot"], b["iuc"], b["rate_id"], b["data_symbols"], b["payload_bytes"]) for b in frame["bursts"]] for _, frame in sent],
                         [[(216 + 72 * n, 2 if n else 0, 1, 1, 1) for n in range(4)], [(216, 0, 1, 1, 1)], [(216, 0, 6, 197, largest)]])

    def test_refused_pdus_are_named(self):
        composer = frame_composer.frame_composer()
        wrong = [pmt.intern("x"), messages.pdu(b""), messages.pdu(b"a", rate_id=7), messages.pdu(b"a", rate_id="QPSK"), messages.pdu(bytes(4728))]
        found = []
        composer._refuse = found.append
        for message in wrong + [messages.pdu(b"a")] * 257:
            composer._add(message)
        self.assertEqual(found, ["pdus: not a PDU (dict . u8vector)", "pdus: payload: 0 octets: allowed 1..4727 at rate 1", "pdus: rate_id: value 7: allowed 0..6",
                                 "pdus: rate_id: value QPSK: allowed 0..6", "pdus: payload: 4728 octets: allowed 1..4727 at rate 1",
                                 "pdus: more than 256 wait for a frame"])


class Recordings(unittest.TestCase):
    def test_current_folder_then_installed_then_the_name(self):
        before, home = os.getcwd(), recordings.__file__
        self.addCleanup(setattr, recordings, "__file__", home)
        self.addCleanup(os.chdir, before)
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            recordings.__file__ = f"{folder}/lib/python3/dist-packages/gnuradio/wimax/recordings.py"
            self.assertEqual(recordings.recording("a.sigmf-data"), "a.sigmf-data")
            installed = Path(os.path.realpath(folder), recordings.EXAMPLES, "a.sigmf-data")
            installed.parent.mkdir(parents=True)
            installed.touch()
            self.assertEqual(recordings.recording("a.sigmf-data"), str(installed))
            Path("a.sigmf-data").touch()
            self.assertEqual(recordings.recording("a.sigmf-data"), "a.sigmf-data")
            os.chdir(before)


if __name__ == "__main__":
    unittest.main()
