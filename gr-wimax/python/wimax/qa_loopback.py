#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Blocks against each other through streams and messages, without a radio."""
import random
import threading
import time

import numpy
import pmt
from gnuradio import blocks, gr, gr_unittest, wimax
from gnuradio.wimax import messages

FRAME, SYMBOL, SLOTS = 57600, 288, 72  # 5 MHz, CP 1/8, 10 ms
PATIENCE_S = 30  # only a hang takes that long


class Sent(gr.basic_block):
    """Collects "samples" PDUs as one array."""

    def __init__(self, size):
        gr.basic_block.__init__(self, "collect", None, None)
        self.message_port_register_in(pmt.intern("in"))
        self.set_msg_handler(pmt.intern("in"), self.add)
        self.samples = numpy.zeros(size, numpy.complex64)
        self.pieces = 0

    def add(self, message):
        start = pmt.to_long(pmt.dict_ref(pmt.car(message), pmt.intern("start_sample"), pmt.PMT_NIL))
        piece = numpy.array(pmt.c32vector_elements(pmt.cdr(message)), numpy.complex64)
        self.samples[start:start + len(piece)] += piece
        self.pieces += 1


def modulate(frames, size, pieces, **shape):
    top = gr.top_block()
    transmitter, sent = wimax.burst_transmitter(**shape), Sent(size)
    top.msg_connect((transmitter, "samples"), (sent, "in"))
    top.start()
    for frame in frames:
        transmitter.to_basic_block()._post(pmt.intern("tx"), frame)
    limit = time.monotonic() + PATIENCE_S
    while sent.pieces < pieces and time.monotonic() < limit:
        time.sleep(0.001)
    top.stop()
    top.wait()
    assert sent.pieces == pieces, sent.pieces
    return sent.samples


def noise(size, snr_db, seed):
    rng = numpy.random.default_rng(seed)
    sigma = numpy.sqrt(1.28 / 2 * 10 ** (-snr_db / 10))
    return (sigma * (rng.standard_normal(size) + 1j * rng.standard_normal(size))).astype(numpy.complex64)


def received(debug, name):
    found = [messages.parse(debug.get_message(i)) for i in range(debug.num_messages())]
    return [m for m in found if m.get("message") == name]


class qa_loopback(gr_unittest.TestCase):
    def test_uplink_bursts_side_by_side_overlap(self):
        """Symbol edges of 16 samples: a burst's end rings into the next one's start, as if both were sent alone."""
        bursts = [messages.burst(4 * SLOTS, 2, 3, iuc=5, preamble_symbols=1, payload=b"one"),
                  messages.burst(8 * SLOTS, 6, 2, iuc=9, preamble_symbols=1, payload=b"two"),
                  messages.burst(20 * SLOTS, 1, 2, iuc=6, preamble_symbols=1, payload=b"three")]
        size = 24 * SYMBOL
        alone = modulate([messages.tx_frame("uplink", 1, 0, [b]) for b in bursts], size, 3, window_samples=16)
        together = modulate([messages.tx_frame("uplink", 1, 0, bursts)], size, 2, window_samples=16)
        self.assertLess(numpy.abs(alone - together).max(), 1e-6)
        self.assertGreater(numpy.abs(together[11 * SYMBOL:11 * SYMBOL + 16]).max(), 0.1)
        self.assertEqual(numpy.abs(together[11 * SYMBOL + 16:20 * SYMBOL]).max(), 0)

    def test_power_in_quarter_decibels(self):
        """RNG-RSP's steps over the 50 dB of clause 8.3.10: each is exact, so that levels rise with every one."""
        steps = [-0.25 * n for n in range(201)]
        burst = messages.burst(0, 3, 2, iuc=6, preamble_symbols=1, payload=b"level")
        frames = [messages.tx_frame("uplink", n, n * 4 * SYMBOL, [burst], power_dbfs=db) for n, db in enumerate(steps)]
        sent = modulate(frames, len(steps) * 4 * SYMBOL, len(steps)).reshape(len(steps), 4 * SYMBOL).astype(complex)
        power = 10 * numpy.log10((numpy.abs(sent) ** 2).sum(axis=1))
        self.assertLess(numpy.abs(power - power[0] - steps).max(), 0.001)
        self.assertLess(numpy.diff(power).max(), -0.24)

    def test_downlink_frames_of_three_bursts(self):
        """Transmitter -> noise, carrier offset, unknown start -> subscriber station."""
        frames, payloads = [], {}
        for n in range(8):
            rng = random.Random(n)
            bursts, symbol = [], 3
            for index, (rate, symbols) in enumerate(((1, 4), (4, 20), (6, 40)), 1):
                payload = rng.randbytes(messages.capacity_bytes(rate, symbols))
                bursts.append(messages.burst(symbol * SLOTS, rate, symbols, iuc=0 if index == 1 else rate + 1, bsid_lsb=5,
                                             frame_lsb=n, payload=payload))
                payloads[n, index] = payload
                symbol += symbols
            frames.append(messages.tx_frame("downlink", n, 1000 + n * FRAME, bursts, bsid_lsb=5, change_count_lsb=9))
        x = modulate(frames, 9 * FRAME, 8)
        x *= numpy.exp(2j * numpy.pi * 3000 / 5.76e6 * numpy.arange(len(x)))
        top = gr.top_block()
        source = blocks.vector_source_c((x + noise(len(x), 32, 1)).tolist())
        receiver, debug = wimax.ss_receiver(), blocks.message_debug()
        top.connect(source, receiver)
        for name in ("burst", "tick", "error"):
            top.msg_connect((receiver, name), (debug, "store"))
        top.run()
        bursts = received(debug, "burst")
        # The first frame gives synchronisation at the latest.
        got = {(b["prefix_frame_lsb"], b["index"]): b for b in bursts if b["fec_ok"]}
        for n in range(1, 8):
            for index in (1, 2, 3):
                self.assertIn((n, index), got)
                self.assertEqual(got[n, index]["payload"], payloads[n, index], (n, index))
        for b in got.values():
            self.assertEqual((b["prefix_bsid_lsb"], b["change_count_lsb"], b["cp_denominator"]), (5, 9, 8))
            self.assertAlmostEqual(b["frame_start_sample"] % FRAME, 1000, delta=2)
        ticks = [t for t in received(debug, "tick") if t["synchronised"]]
        self.assertGreaterEqual(len(ticks), 7)
        self.assertLess(abs(ticks[-1]["frequency_offset_hz"] - 3000), 100)
        self.assertLess(abs(ticks[-1]["cinr_db"] - 32), 2)
        self.assertEqual(ticks[-1]["frame_samples"], FRAME)

    def test_downlink_source_and_displays(self):
        """Three bursts per frame; the display ports show those of every other frame, each near its constellation."""
        top = gr.top_block()
        payload = bytes(range(200))
        sent = [(2, 20), (4, 10), (6, 30)]
        source = wimax.downlink_source(bursts=sent, bsid=3, payload=list(payload))
        head = blocks.head(gr.sizeof_gr_complex, 7 * FRAME)
        receiver = wimax.ss_receiver(display_interval_frames=2)
        debug, points, channel = blocks.message_debug(), blocks.message_debug(), blocks.message_debug()
        top.connect(source, head, receiver)
        top.msg_connect((receiver, "burst"), (debug, "store"))
        top.msg_connect((receiver, "constellation"), (points, "store"))
        top.msg_connect((receiver, "response"), (channel, "store"))
        top.run()
        bursts = received(debug, "burst")
        self.assertGreaterEqual(len(bursts), 3 * 6)
        for b in bursts:
            rate, symbols = sent[b["index"] - 1]
            self.assertEqual((b["direction"], b["fec_ok"], b["rate_id"], b["data_symbols"]), ("downlink", True, rate, symbols))
            self.assertEqual(b["payload"], payload + b"\xff" * (messages.capacity_bytes(rate, symbols) - len(payload)))
        shown = received(points, "burst")
        self.assertEqual([(s["frame_number"], s["index"]) for s in shown],
                         [(b["frame_number"], b["index"]) for b in bursts if b["frame_number"] % 2 == 0])
        for s in shown:
            self.check_constellation(s)
        responses = received(channel, "burst")
        self.assertEqual(len(responses), len(shown))
        for r in responses:  # the path between the blocks is flat with gain 1
            numpy.testing.assert_allclose(numpy.abs(r["payload"]), [k != 100 for k in range(201)], atol=0.02)  # unused carrier 0

    def check_constellation(self, shown):
        """Square constellations of mean power 1: every point near an odd multiple of their half distance."""
        points = shown["payload"]
        self.assertEqual(len(points), 192 * shown["data_symbols"])
        levels = {2: 1, 4: 2, 6: 4}[shown["rate_id"]]  # each side of zero: QPSK, 16-QAM, 64-QAM
        half = (3 / 2 / (4 * levels ** 2 - 1)) ** 0.5
        for axis in (points.real, points.imag):
            at = axis / half
            nearest = 2 * numpy.clip(numpy.floor(at / 2), -levels, levels - 1) + 1
            self.assertLess(numpy.abs(at - nearest).max(), 0.2)
            self.assertEqual(set(nearest.astype(int)), set(range(1 - 2 * levels, 2 * levels, 2)))

    def test_uplink_bursts_on_the_base_station_grid(self):
        """Ticks of the base station receiver, expectations sent in response, bursts in their expected positions."""
        grid = 5760000 * 300 // 1000  # first frame 0.3 s after the first sample
        frames, payloads = [], {}
        for n in range(4):
            payloads[n] = random.Random(n).randbytes(messages.capacity_bytes(5, 12))
            burst = messages.burst(110 * SLOTS, 5, 12, iuc=7, preamble_symbols=1, bsid_lsb=5, frame_lsb=n, payload=payloads[n])
            # Sent 20 samples late and ahead by 14: to be found 6 late.
            frames.append(messages.tx_frame("uplink", 100 + n, grid + n * FRAME + 20, [burst], timing_advance_samples=14,
                                            power_dbfs=-6.0))
        x = modulate(frames, grid + 5 * FRAME, 4)
        top = gr.top_block()
        source = PatientSource(x + noise(len(x), 36, 2), grid)
        receiver, debug = wimax.bs_receiver(first_frame_number=100), blocks.message_debug()
        mac = Answer(receiver, source)
        top.connect(source, receiver)
        top.msg_connect((receiver, "tick"), (mac, "in"))
        top.msg_connect((receiver, "burst"), (debug, "store"))
        top.msg_connect((receiver, "error"), (debug, "store"))
        points = blocks.message_debug()
        top.msg_connect((receiver, "constellation"), (points, "store"))
        top.run()
        bursts = received(debug, "burst")
        self.assertEqual([(p["frame_number"], p["direction"], len(p["payload"])) for p in received(points, "burst")],
                         [(100, "uplink", 12 * 192)])  # one frame in five is shown
        self.assertEqual([b["frame_number"] for b in bursts[:4]], [100, 101, 102, 103])
        for n, b in enumerate(bursts[:4]):
            self.assertTrue(b["detected"] and b["fec_ok"])
            self.assertEqual(b["payload"], payloads[n])
            self.assertEqual(b["cid"], 4711)
            self.assertAlmostEqual(b["timing_offset_samples"], 6, delta=0.5)
            self.assertAlmostEqual(b["rssi_dbfs"], -6, delta=0.5)


class PatientSource(gr.sync_block):
    """A source that waits for a MAC, like a radio in lock-step: no samples beyond `limit`."""

    def __init__(self, samples, limit):
        gr.sync_block.__init__(self, "patient source", None, [numpy.complex64])
        self.samples, self.limit, self.position, self.moved = samples, limit, 0, threading.Condition()

    def allow(self, limit):
        with self.moved:
            self.limit = limit
            self.moved.notify()

    def work(self, input_items, output_items):
        with self.moved:
            if not self.moved.wait_for(lambda: self.limit > self.position, PATIENCE_S):
                return -1  # no response: end the test with the samples received
        n = min(len(output_items[0]), self.limit - self.position, len(self.samples) - self.position)
        output_items[0][:n] = self.samples[self.position:self.position + n]
        self.position += n
        return n or -1


class Answer(gr.basic_block):
    """A MAC that expects one burst in every frame, then lets time continue to the next frame's start."""

    def __init__(self, receiver, source):
        gr.basic_block.__init__(self, "answer", None, None)
        self.receiver, self.source = receiver, source
        self.message_port_register_in(pmt.intern("in"))
        self.set_msg_handler(pmt.intern("in"), self.tick)

    def tick(self, message):
        tick = messages.parse(message)
        n = tick["frame_number"]
        burst = messages.burst(110 * SLOTS, 5, 12, iuc=7, preamble_symbols=1, bsid_lsb=5, frame_lsb=n - 100 & 15, cid=4711)
        self.receiver.to_basic_block()._post(pmt.intern("expect"), messages.expectation(n, [burst]))
        self.source.allow(tick["frame_start_sample"] + FRAME)


if __name__ == "__main__":
    gr_unittest.run(qa_loopback)
