#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""STC zones (clause 8.3.8) through the blocks: two antennas, a channel for each, one receiver."""
import random
import time

import numpy
import pmt
from gnuradio import blocks, channels, gr, gr_unittest, wimax
from gnuradio.wimax import messages

FRAME, SLOTS = 57600, 72  # 5 MHz, CP 1/8, 10 ms
TAPS = ([0.6, 0, 0, 0.5j], [0.2j, 0, 0.7])  # of each antenna


def received(debug):
    found = [messages.parse(debug.get_message(i)) for i in range(debug.num_messages())]
    return [m for m in found if m["message"] == "burst"]


class Mac(gr.basic_block):
    """Responds to each broadcast burst: the frame has an STC zone that its prefix does not announce."""

    def __init__(self, receiver, zone_symbol, bursts):
        gr.basic_block.__init__(self, "mac", None, None)
        self.receiver, self.zone_symbol, self.bursts = receiver, zone_symbol, bursts
        for port, answer in (("burst", self.burst), ("tick", self.tick)):
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), answer)

    def post(self, port, message):
        self.receiver.to_basic_block()._post(pmt.intern(port), message)

    def burst(self, message):
        b = messages.parse(message)
        if b["index"] != 1:
            return
        expected = [dict(e, frame_lsb=b["prefix_frame_lsb"]) for e in self.bursts]
        self.post("expect", messages.expectation(b["frame_number"], expected, stc_zone_slots=[self.zone_symbol * SLOTS]))

    def tick(self, message):
        self.post("done", messages.pdu(message="done", frame_number=messages.parse(message)["frame_number"]))


class qa_stc(gr_unittest.TestCase):
    def wait_for(self, debug, count):
        for _ in range(3000):
            if debug.num_messages() >= count:
                return
            time.sleep(0.01)
        self.fail(f"{debug.num_messages()} messages, {count} awaited")

    def test_source_to_receiver(self):
        """A zone announced by the frame prefix: every burst, its constellation, the channels of both antennas."""
        top = gr.top_block()
        payload = bytes(range(90))
        sent = {1: (1, 4), 2: (3, 10), 101: (2, 4), 102: (6, 30)}
        source = wimax.downlink_source(bursts=[sent[1], sent[2]], stc_bursts=[sent[101], sent[102]], payload=list(payload))
        both = blocks.add_cc()
        for antenna, taps in enumerate(TAPS):
            head = blocks.head(gr.sizeof_gr_complex, 5 * FRAME)
            channel = channels.channel_model((1.28 * 10 ** -3.5) ** 0.5 if antenna == 0 else 0, 2500 / 5.76e6, 1.0, taps, 1)
            top.connect((source, antenna), head, channel, (both, antenna))
        receiver = wimax.ss_receiver(display_interval_frames=1)
        stored = {port: blocks.message_debug() for port in ("burst", "constellation", "response")}
        top.connect(both, receiver)
        for port, debug in stored.items():
            top.msg_connect((receiver, port), (debug, "store"))
        top.run()
        found = received(stored["burst"])
        self.assertGreaterEqual(len(found), 4 * 4)
        self.assertEqual([b["index"] for b in found[:8]], [1, 2, 101, 102] * 2)
        for b in found:
            rate, symbols = sent[b["index"]]
            self.assertEqual((b["fec_ok"], b["rate_id"], b["data_symbols"], b.get("stc", False)),
                             (True, rate, symbols, b["index"] > 100))
            self.assertEqual(b["payload"], payload + b"\xff" * (messages.capacity_bytes(rate, symbols) - len(payload)))
            first = {1: 3, 2: 7, 101: 20, 102: 24}[b["index"]]
            self.assertEqual(b["start_slot"], first * SLOTS)
        points = received(stored["constellation"])
        self.assertEqual([(p["index"], len(p["payload"])) for p in points],
                         [(b["index"], 192 * b["data_symbols"]) for b in found])
        bits = {p["index"]: p["payload"] for p in points[:4]}[101]  # QPSK 3/4: four clusters
        self.assertLess(numpy.abs(numpy.abs(bits.real) - 0.5 ** 0.5).max(), 0.4)
        truth = [numpy.fft.fftshift(numpy.abs(numpy.fft.fft(taps, 256)))[28:229] for taps in TAPS]
        for r in received(stored["response"]):
            gains = numpy.abs(r["payload"]).reshape(-1, 201)
            self.assertEqual(len(gains), 2 if r["index"] > 100 else 1)
            for gain, true in zip(gains, truth):  # each antenna has half the power in the zone
                expected = true * (0.5 ** 0.5 if len(gains) == 2 else 1)
                numpy.testing.assert_allclose(gain[1:100], expected[1:100], atol=0.06)

    def test_transmitter_to_receiver_by_the_map(self):
        """Four bursts leave no entry of the frame prefix for the zone: only an expectation, as from a DL-MAP, announces it."""
        transmitter, store = wimax.burst_transmitter(), blocks.message_debug()
        rng = random.Random(3)
        plan = [(1, 4), (2, 6), (3, 4), (0, 4)]
        zone = [(4, 6), (1, 4), (0, 4), (3, 4), (5, 8)]  # the fifth is beyond the zone's prefix
        frames, zone_symbol = [], 3 + sum(n for _, n in plan)
        payloads = [rng.randbytes(messages.capacity_bytes(*b)) for b in plan + zone]
        for n in range(4):
            bursts, symbol = [], 3
            for i, (rate, symbols) in enumerate(plan + zone):
                in_zone = i >= len(plan)
                symbol += 3 if i == len(plan) else 0
                first = i in (0, len(plan))
                bursts.append(messages.burst(symbol * SLOTS, rate, symbols, iuc=0 if first else rate + 1, frame_lsb=n,
                                             payload=payloads[i], **({"stc": True} if in_zone else {})))
                symbol += symbols
            frames.append(messages.tx_frame("downlink", n, n * FRAME, bursts))
        top = gr.top_block()
        top.msg_connect((transmitter, "samples"), (store, "store"))
        top.start()
        for frame in frames:
            transmitter.to_basic_block()._post(pmt.intern("tx"), frame)
        self.wait_for(store, 2 * len(frames))
        top.stop()
        top.wait()
        self.assertEqual(store.num_messages(), 2 * len(frames))
        air = numpy.zeros(5 * FRAME, complex)
        for i in range(store.num_messages()):
            piece = messages.parse(store.get_message(i))
            self.assertEqual(piece["antenna"], i % 2)
            start = piece["start_sample"]
            self.assertEqual(start % FRAME, zone_symbol * 288 * (i % 2))
            air[start:start + len(piece["payload"])] += numpy.array(piece["payload"]) * (0.8, 0.6j)[i % 2]

        receiver, debug = wimax.ss_receiver(wait_for_answers=True), blocks.message_debug()
        rate, symbols = zone[4]
        fifth = messages.burst((zone_symbol + 3 + 18) * SLOTS, rate, symbols, iuc=rate + 1, stc=True, cid=77)
        mac = Mac(receiver, zone_symbol, [fifth])
        top = gr.top_block()
        top.connect(blocks.vector_source_c(air.tolist(), True), receiver)  # repeated: a receiver that waits keeps its samples
        for port in ("burst", "tick"):
            top.msg_connect((receiver, port), (mac, port))
        top.msg_connect((receiver, "burst"), (debug, "store"))
        receiver.to_basic_block()._post(pmt.intern("control"), messages.control(attached=True))
        top.start()
        self.wait_for(debug, 5 * 9)
        top.stop()
        top.wait()
        frames = {}
        for b in received(debug):
            frames.setdefault(b["frame_start_sample"], []).append(b)
        found = {bursts[0]["prefix_frame_lsb"]: bursts for bursts in list(frames.values())[:4]}
        for n in (1, 2, 3):
            indices = [b["index"] for b in found[n]]
            self.assertEqual(indices, [1, 2, 3, 4, 101, 102, 103, 104, 5])
            self.assertTrue(all(b["fec_ok"] for b in found[n]))
            self.assertEqual([b["payload"] for b in found[n]], payloads)
            self.assertEqual(found[n][-1]["cid"], 77)


if __name__ == "__main__":
    gr_unittest.run(qa_stc)
