#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Subchannelized bursts side by side and focused contention (clauses 8.3.2.4, 8.3.7.3): several stations to one base station."""
import random
import time

import numpy
import pmt
from gnuradio import blocks, gr, gr_unittest, wimax
from gnuradio.wimax import messages

from qa_loopback import PatientSource

FRAME, SLOTS = 57600, 72  # 5 MHz, CP 1/8, 10 ms
GRID = 5760000 * 300 // 1000  # first frame 0.3 s after the first sample
FRAMES, FIRST_NUMBER = 3, 100
OPPORTUNITIES = (104 * SLOTS, 106 * SLOTS)
GROUPS = {2: 1, 12: 3, 24: 5, 5: 2}  # subchannel index of each station: its rate


class Mac(gr.basic_block):
    """Expects the same bursts and opportunities in every frame, then lets time continue to its end; keeps all reports."""

    def __init__(self, receiver, source):
        gr.basic_block.__init__(self, "mac", None, None)
        self.receiver, self.source, self.bursts, self.codes = receiver, source, [], []
        for port, answer in (("tick", self.tick), ("burst", self.burst), ("contention", self.contention)):
            self.message_port_register_in(pmt.intern(port))
            self.set_msg_handler(pmt.intern(port), answer)

    def burst(self, message):
        self.bursts.append(messages.parse(message))

    def contention(self, message):
        self.codes.append(messages.parse(message))

    def tick(self, message):
        tick = messages.parse(message)
        n = tick["frame_number"]
        bursts = [station_burst(index, n) for index in GROUPS]
        self.receiver.to_basic_block()._post(pmt.intern("expect"), messages.expectation(n, bursts, contention_slots=OPPORTUNITIES))
        self.source.allow(tick["frame_start_sample"] + FRAME)


def station_burst(index, frame_number, **payload):
    return messages.burst(110 * SLOTS, GROUPS[index], 20, iuc=6, preamble_symbols=1, subchannel_index=index, midamble_interval=1,
                          bsid_lsb=5, frame_lsb=frame_number & 15, **payload)


def codes_of(frame):
    """(opportunity, channel, code) sent by stations in a frame."""
    return [(0, 5 * frame, 3), (0, 40, frame), (1, 17 + frame, 7 - frame)]


class qa_contention(gr_unittest.TestCase):
    def transmit(self):
        """Samples of all stations: a burst on each group of subchannels, and in each frame three codes."""
        transmitter, store = wimax.burst_transmitter(), blocks.message_debug()
        payload = lambda index, n: random.Random(100 * n + index).randbytes(20)
        frames = []
        for n in range(FRAMES):
            start = GRID + n * FRAME
            for index in GROUPS:
                burst = station_burst(index, FIRST_NUMBER + n, payload=payload(index, n))
                frames.append(messages.tx_frame("uplink", FIRST_NUMBER + n, start, [burst]))
            codes = [messages.contention_code(OPPORTUNITIES[o], channel, code, boost_db=3) for o, channel, code in codes_of(n)]
            frames.append(messages.tx_frame("uplink", FIRST_NUMBER + n, start, [], codes=codes))
        expected = FRAMES * (len(GROUPS) + 3)
        top = gr.top_block()
        top.msg_connect((transmitter, "samples"), (store, "store"))
        top.start()
        for frame in frames:
            transmitter.to_basic_block()._post(pmt.intern("tx"), frame)
        self.wait_for(lambda: store.num_messages() == expected, store.num_messages)
        top.stop()
        top.wait()
        air = numpy.zeros(GRID + (FRAMES + 2) * FRAME, complex)
        for i in range(expected):
            piece = messages.parse(store.get_message(i))
            air[piece["start_sample"]:piece["start_sample"] + len(piece["payload"])] += piece["payload"]
        rng = numpy.random.default_rng(1)
        noise = (1.28 / 2 * 10 ** -2.5) ** 0.5
        return air + noise * (rng.standard_normal(len(air)) + 1j * rng.standard_normal(len(air))), payload

    def wait_for(self, condition, seen):
        for _ in range(3000):
            if condition():
                return
            time.sleep(0.01)
        self.fail(seen())

    def test_stations_side_by_side(self):
        air, payload = self.transmit()
        top = gr.top_block()
        receiver = wimax.bs_receiver(first_frame_number=FIRST_NUMBER)
        source = PatientSource(air.astype(numpy.complex64), GRID)
        mac = Mac(receiver, source)
        top.connect(source, receiver)
        for port in ("tick", "burst", "contention"):
            top.msg_connect((receiver, port), (mac, port))
        top.run()
        for n in range(FRAMES):
            bursts = {b["subchannel_index"]: b for b in mac.bursts if b["frame_number"] == FIRST_NUMBER + n}
            self.assertEqual(set(bursts), set(GROUPS))
            for index, burst in bursts.items():
                self.assertTrue(burst["detected"] and burst["fec_ok"], (n, index))
                self.assertEqual(burst["payload"][:20], payload(index, n))
            reports = [c for c in mac.codes if c["frame_number"] == FIRST_NUMBER + n]
            self.assertEqual([c["start_slot"] for c in reports], list(OPPORTUNITIES))
            heard = [(o, c["channel"], c["code"]) for o, report in enumerate(reports) for c in report["codes"]]
            self.assertEqual(sorted(heard), sorted(codes_of(n)))
            for report in reports:
                for code in report["codes"]:
                    self.assertAlmostEqual(code["snr_db"], 28, delta=3)
                    self.assertAlmostEqual(code["rssi_dbfs"], 10 * numpy.log10(4 / 200) + 3, delta=1)

    def test_wrong_codes_are_refused(self):
        good = messages.contention_code(OPPORTUNITIES[0], 1, 2)
        for direction, code, word in (("uplink", dict(good, channel=48), "codes[0].channel: value 48: allowed 0..47"),
                                      ("uplink", dict(good, code=-1), "codes[0].code: value -1: allowed 0..7"), ("uplink", {}, "codes[0].start_slot: missing"),
                                      ("uplink", dict(good, boost_db=31.0), "boost_db"), ("downlink", good, "only in the uplink")):
            transmitter, debug = wimax.burst_transmitter(), blocks.message_debug()
            top = gr.top_block()
            top.msg_connect((transmitter, "error"), (debug, "store"))
            top.start()
            transmitter.to_basic_block()._post(pmt.intern("tx"), messages.tx_frame(direction, 1, 0, [], codes=[code]))
            self.wait_for(debug.num_messages, lambda: word)
            top.stop()
            top.wait()
            self.assertIn(word, messages.parse(debug.get_message(0))["payload"].decode())


if __name__ == "__main__":
    gr_unittest.run(qa_contention)
