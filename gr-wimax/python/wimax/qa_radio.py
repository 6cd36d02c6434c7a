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
PATIENCE_S = 30  # only a hang takes that long


class Collect(gr.basic_block):
    """Keeps the messages of a port."""

    def __init__(self):
        gr.basic_block.__init__(self, "collect", None, None)
        self.message_port_register_in(pmt.intern("in"))
        self.set_msg_handler(pmt.intern("in"), self.add)
        self.messages = []

    def add(self, message):
        self.messages.append(messages.parse(message))


class Script(gr.basic_block):
    """A MAC of three frames for which the radio's time waits, even if this process is slow. A tick is done when the sink has taken the samples sent
    in response; it then refuses an invalid message after them in its queue."""

    def __init__(self, receiver, transmitter, sink, payload, ready):
        gr.basic_block.__init__(self, "script", None, None)
        self.receiver, self.transmitter, self.sink, self.payload, self.ready = receiver, transmitter, sink, payload, ready
        for name in ("tick", "samples", "error"):
            self.message_port_register_in(pmt.intern(name))
            self.set_msg_handler(pmt.intern(name), getattr(self, name))
        self.sent, self.starts, self.errors = 0, [], []

    def tick(self, message):
        tick = messages.parse(message)
        self.frame = tick["frame_number"]
        if self.sent == 3 or not self.ready():
            return self.done()
        self.starts.append(tick["frame_start_sample"])
        self.send(self.starts[-1])
        self.sent += 1

    def send(self, start):
        burst = messages.burst(216, rate_id=2, data_symbols=10, payload=self.payload)
        self.post(self.transmitter, "tx", messages.tx_frame("downlink", self.sent, start, [burst]))

    def samples(self, message):
        self.post(self.sink, "samples", message)
        self.post(self.sink, "samples", pmt.PMT_NIL)

    def error(self, message):
        error = messages.parse(message)
        if error["kind"] == "invalid":
            self.done()
        else:
            self.errors.append(error)

    def done(self):
        self.post(self.receiver, "done", messages.pdu(b"", message="done", frame_number=self.frame))

    @staticmethod
    def post(block, port, message):
        block.to_basic_block()._post(pmt.intern(port), message)


class qa_radio(gr_unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(dir="/tmp")  # an address holds 107 characters
        self.link = os.path.join(self.folder.name, "air")
        config = os.path.join(self.folder.name, "channel.yml")
        with open(config, "w", encoding="utf-8") as out:
            out.write(f"listen: ['{self.link}']\ncontrol: {{endpoint: ''}}\nstatus: {{console: false}}\n"
                      f"links: [{{from: a, to: b, snr_db: 35, delay_samples: {DELAY}}}]\n")
        self.channel = subprocess.Popen([os.environ["WIMAX_CHANNELD"], "--config", config], stderr=subprocess.DEVNULL)

    def tearDown(self):
        self.channel.terminate()
        self.channel.wait()
        self.folder.cleanup()

    def radio(self, name, rate=5.76e6, frequency=3.5e9, tx_gain=60, clock="internal", bands=((1e9, 10e9),)):
        return wimax.radio_frontend(f"type=vrf,name={name},addr={self.link}", rate, frequency, tx_gain, 20, clock, tx_enable=True,
                                    allowed_bands=bands, max_power_dbm=36)

    def test_frame_arrives_at_its_sample(self):
        a, b = self.radio("a"), self.radio("b")
        self.assertTrue(a.lock_step())
        self.assertEqual(a.sample_rate_hz(), 5760000)
        top = gr.top_block()
        base, transmitter, sink = wimax.bs_receiver(radio=a), wimax.burst_transmitter(), wimax.radio_sink(a)
        station, station_ticks, bursts = wimax.ss_receiver(radio=b), Collect(), Collect()
        payload = bytes(range(100))
        script = Script(base, transmitter, sink, payload, ready=lambda: station_ticks.messages)
        top.connect(wimax.radio_source(a), base)
        top.connect(wimax.radio_source(b), station)
        top.msg_connect((base, "tick"), (script, "tick"))
        top.msg_connect((transmitter, "samples"), (script, "samples"))
        top.msg_connect((sink, "error"), (script, "error"))
        top.msg_connect((station, "tick"), (station_ticks, "in"))
        top.msg_connect((station, "burst"), (bursts, "in"))
        script.post(base, "control", messages.control(attached=True))
        top.start()
        self.wait(lambda: len(bursts.messages) >= 3)
        self.assertEqual(script.errors, [])
        script.send(script.starts[0])
        self.wait(lambda: script.errors)
        top.stop()
        top.wait()
        for b in bursts.messages:
            self.assertTrue(b["fec_ok"])
            self.assertEqual(b["payload"][:100], payload)
        # Each radio counts from its first sample: only the distance of frames is known, and the level.
        starts = [b["frame_start_sample"] for b in bursts.messages]
        self.assertEqual([s - starts[0] for s in starts], [0, 57600, 115200])
        self.assertEqual(script.errors[0]["kind"], "late")
        self.assertGreater(script.errors[0]["microseconds"], 0)

    def test_impossible_settings_are_refused(self):
        for fault, change in (("sample rate 20000001", {"rate": 20000001}), ("rx frequency", {"frequency": 9e9}),
                              ("tx gain: 90 dB, the device allows 0 .. 60", {"tx_gain": 90}),
                              ("allowed_bands: value 3500 .. 3510 MHz: .* 3500000000 Hz", {"bands": [(3.5e9, 3.51e9)]}),
                              ("allowed_bands: value .none.", {"bands": []})):
            with self.assertRaisesRegex(RuntimeError, fault):
                self.radio("a", **change)

    def wait(self, condition):
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            self.assertLess(time.monotonic(), limit, "timed out")
            time.sleep(0.01)


if __name__ == "__main__":
    gr_unittest.run(qa_radio)
