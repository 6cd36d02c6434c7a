#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""Wrong messages are refused by name; blocks refuse wrong settings."""
import time

import pmt
from gnuradio import blocks, gr, gr_unittest, wimax
from gnuradio.wimax import messages

PATIENCE_S = 30  # only a hang takes that long


class qa_messages(gr_unittest.TestCase):
    def errors_of(self, block, port, message):
        top = gr.top_block()
        debug = blocks.message_debug()
        top.msg_connect((block, "error"), (debug, "store"))
        top.start()
        block.to_basic_block()._post(pmt.intern(port), message)
        limit = time.monotonic() + PATIENCE_S
        while not debug.num_messages() and time.monotonic() < limit:
            time.sleep(0.001)
        top.stop()
        top.wait()
        self.assertEqual(debug.num_messages(), 1)
        return messages.parse(debug.get_message(0))

    def test_missing_key_is_named(self):
        good = dict(direction="downlink", frame_number=1, frame_start_sample=0, cp_denominator=8, bsid_lsb=0,
                    change_count_lsb=0, timing_advance_samples=0, frequency_hz=0.0, power_dbfs=0.0, bursts=[])
        for name in good:
            keys = {k: v for k, v in good.items() if k != name}
            error = self.errors_of(wimax.burst_transmitter(), "tx", messages.pdu(b"", **keys))
            self.assertEqual(error["kind"], "invalid")
            self.assertIn(name + ": missing", error["payload"].decode())

    def test_value_out_of_range_is_named_with_its_place(self):
        bursts = [messages.burst(216, rate_id=1, data_symbols=1), messages.burst(288, rate_id=7, data_symbols=1)]
        error = self.errors_of(wimax.burst_transmitter(), "tx", messages.tx_frame("downlink", 1, 0, bursts))
        self.assertIn("bursts[1].rate_id: value 7: allowed 0..6", error["payload"].decode())

    def test_impossible_frame_is_refused(self):
        overlap = [messages.burst(216, rate_id=1, data_symbols=4, payload=b"a"), messages.burst(288, rate_id=1, data_symbols=1)]
        error = self.errors_of(wimax.burst_transmitter(), "tx", messages.tx_frame("downlink", 7, 0, overlap))
        self.assertEqual((error["kind"], error["frame_number"]), ("invalid", 7))

    def test_impossible_zone_is_refused(self):
        first = messages.burst(216, rate_id=1, data_symbols=2)
        stc = lambda symbol, symbols=2, **more: messages.burst(72 * symbol, 1, symbols, stc=True, **more)
        for bursts, word, shape in (([first, stc(8, 3)], "odd", {}), ([first, stc(7)], "in front", {}),
                                    ([first, stc(8), stc(9)], "overlap", {}), ([first, stc(8)], "shaping", {"window_samples": 8}),
                                    ([stc(8), first], "overlap", {}), ([stc(3)], "no room", {})):
            error = self.errors_of(wimax.burst_transmitter(**shape), "tx", messages.tx_frame("downlink", 3, 0, bursts))
            self.assertEqual((error["kind"], error["frame_number"]), ("invalid", 3))
            self.assertIn(word, error["payload"].decode())
        # Refused before its frame is known, with the name of the key.
        error = self.errors_of(wimax.burst_transmitter(), "tx", messages.tx_frame("downlink", 3, 0, [first, stc(8, payload=b"a" * 48)]))
        self.assertEqual((error["kind"], error["frame_number"]), ("invalid", 0))
        self.assertIn("bursts[1].payload_bytes: value 48: allowed 0..47", error["payload"].decode())
        wrong = messages.tx_frame("downlink", 1, 0, [dict(first, stc=1)])
        self.assertIn("bursts[0].stc: not a boolean",
                      self.errors_of(wimax.burst_transmitter(), "tx", wrong)["payload"].decode())

    def test_anything_but_a_pdu_is_refused(self):
        for nonsense in (pmt.PMT_T, pmt.from_long(3), pmt.cons(pmt.PMT_T, pmt.PMT_T), pmt.make_vector(2, pmt.PMT_NIL)):
            self.assertEqual(self.errors_of(wimax.burst_transmitter(), "tx", nonsense)["kind"], "invalid")

    def test_wrong_settings_are_refused(self):
        for make in (lambda: wimax.burst_transmitter(bandwidth_hz=1), lambda: wimax.bs_receiver(cp_denominator=7),
                     lambda: wimax.bs_receiver(frame_duration_code=7), lambda: wimax.ss_receiver(cp_denominator=5),
                     lambda: wimax.bs_receiver(bandwidth_hz=28000000, cp_denominator=32, frame_duration_code=6),
                     lambda: wimax.downlink_source(bursts=[(6, 100), (6, 98)]), lambda: wimax.downlink_source(bursts=[(7, 1)]),
                     lambda: wimax.downlink_source(bursts=[]), lambda: wimax.downlink_source(bursts=[(6, 1)] * 5),
                     lambda: wimax.downlink_source(bursts=[(6, 9), (0, 1)], payload=[0] * 12),
                     lambda: wimax.downlink_source(bursts=[(6, 9)] * 4, stc_bursts=[(6, 2)]),
                     lambda: wimax.downlink_source(stc_bursts=[(6, 3)]), lambda: wimax.downlink_source(stc_bursts=[(6, 106)]),
                     lambda: wimax.ss_receiver(display_interval_frames=0),
                     lambda: wimax.bs_receiver(display_interval_frames=1001),
                     lambda: wimax.burst_transmitter(window_samples=33),
                     lambda: wimax.burst_transmitter(target_papr_db=3.99), lambda: wimax.burst_transmitter(target_papr_db=13.01)):
            with self.assertRaises(ValueError):
                make()
        for target_papr_db in (4.0, 13.0):
            wimax.burst_transmitter(target_papr_db=target_papr_db, window_samples=32)

    def test_misspelt_device_argument_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "unknown 'adress'"):
            wimax.radio_frontend("type=vrf,adress=x", 5.76e6, 3.5e9)


if __name__ == "__main__":
    gr_unittest.run(qa_messages)
