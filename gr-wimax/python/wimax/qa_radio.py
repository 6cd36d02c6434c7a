#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Radio blocks on two virtual radios: a frame sent at a given sample arrives at that sample; settings that a device cannot do are
refused with what it can do. Needs wimax-channeld (WIMAX_CHANNELD) and the virtual radio (UHD_MODULE_PATH)."""
import os
import subprocess
import tempfile
import time

import pmt
from gnuradio import blocks, gr, gr_unittest, wimax
from gnuradio.wimax import messages

DELAY = 25


class Collect(gr.basic_block):
    """Keeps the messages of a port."""

    def __init__(self):
        gr.basic_block.__init__(self, "collect", None, None)
        self.message_port_register_in(pmt.intern("in"))
        self.set_msg_handler(pmt.intern("in"), self.add)
        self.messages = []

    def add(self, message):
        self.messages.append(messages.parse(message))


class qa_radio(gr_unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.link = os.path.join(self.folder.name, "air")
        config = os.path.join(self.folder.name, "channel.yml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(f"listen: ['{self.link}']\ncontrol: ''\nconsole: false\n"
                      f"links: [{{from: a, to: b, snr_db: 35, delay_samples: {DELAY}}}]\n")
        self.channel = subprocess.Popen([os.environ["WIMAX_CHANNELD"], "--config", config], stderr=subprocess.DEVNULL)

    def tearDown(self):
        self.channel.terminate()
        self.channel.wait()
        self.folder.cleanup()

    def radio(self, name, rate=5.76e6, frequency=3.5e9, tx_gain=60, clock="internal"):
        return wimax.radio_frontend(f"type=vrf,name={name},addr={self.link}", rate, frequency, tx_gain, 20, clock)

    def test_frame_arrives_at_its_sample(self):
        a, b = self.radio("a"), self.radio("b")
        self.assertTrue(a.lock_step())
        self.assertEqual(a.sample_rate_hz(), 5760000)
        top = gr.top_block()
        base, transmitter, sink = wimax.bs_receiver(), wimax.burst_transmitter(), wimax.radio_sink(a)
        station, ticks, bursts, errors = wimax.ss_receiver(), Collect(), Collect(), Collect()
        top.connect(wimax.radio_source(a), base)
        top.connect(wimax.radio_source(b), station)
        top.msg_connect((transmitter, "samples"), (sink, "samples"))
        top.msg_connect((base, "tick"), (ticks, "in"))
        top.msg_connect((station, "burst"), (bursts, "in"))
        top.msg_connect((sink, "error"), (errors, "in"))
        top.start()
        self.wait(lambda: ticks.messages)
        start = ticks.messages[-1]["frame_start_sample"] + 576000  # 0.1 s ahead: time runs by itself here
        payload = bytes(range(100))
        for n in range(3):
            burst = messages.burst(216, rate_id=2, data_symbols=10, payload=payload)
            transmitter.to_basic_block()._post(pmt.intern("tx"), messages.tx_frame("downlink", n, start + n * 57600, [burst]))
        self.wait(lambda: len(bursts.messages) >= 3)
        late = messages.tx_frame("downlink", 9, start, [burst])
        transmitter.to_basic_block()._post(pmt.intern("tx"), late)
        self.wait(lambda: errors.messages)
        top.stop()
        top.wait()
        for b in bursts.messages:
            self.assertTrue(b["fec_ok"])
            self.assertEqual(b["payload"][:100], payload)
        # Radios count from their own first sample: only the distance of frames is known, and the level.
        starts = [b["frame_start_sample"] for b in bursts.messages]
        self.assertEqual([s - starts[0] for s in starts], [0, 57600, 115200])
        self.assertEqual(errors.messages[0]["kind"], "late")
        self.assertGreater(errors.messages[0]["microseconds"], 0)

    def test_impossible_settings_are_refused(self):
        for fault, change in (("sample rate 4000000", {"rate": 4e6}), ("rx frequency", {"frequency": 9e9}),
                              ("tx gain: 90 dB, the device allows 0 .. 60", {"tx_gain": 90})):
            with self.assertRaisesRegex(RuntimeError, fault):
                self.radio("a", **change)

    def wait(self, condition):
        for _ in range(1000):
            if condition():
                return
            time.sleep(0.01)
        self.fail("timed out")


if __name__ == "__main__":
    gr_unittest.run(qa_radio)
