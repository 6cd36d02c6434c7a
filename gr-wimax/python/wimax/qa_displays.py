#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the displays make of messages, without a screen; and dictionaries that become messages and come back."""
import os
import unittest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import numpy  # noqa: E402
import pmt  # noqa: E402
from gnuradio.wimax import messages  # noqa: E402

try:
    from PyQt5 import QtWidgets
    from gnuradio.wimax import displays
    APPLICATION = QtWidgets.QApplication([])
except ImportError:
    displays = None

TAIL = {"rssi_dbfs": -31.26, "cinr_db": 24.44, "evm_db": -23.95, "frequency_offset_hz": -120.6}


def burst(frame, index, start_slot, rate_id=1, **more):
    """A downlink burst of two symbols, as a receiver reports it, of 10 ms at 5 MHz."""
    keys = {"direction": "downlink", "frame_number": frame, "frame_samples": 57600, "cp_denominator": 8, "index": index, "detected": True, "fec_ok": True,
            **messages.burst(start_slot, rate_id, 2), **TAIL}
    return {**keys, **more}


def burst_messages(*bursts):
    return [messages.pdu(b"", **keys) for keys in bursts]


@unittest.skipUnless(displays, "no PyQt5 or pyqtgraph")
class Displays(unittest.TestCase):
    def bars(self, shown):
        return [tuple(shown._bars.opts[key][i] for key in ("x0", "x1", "y0", "y1", "brushes", "pens")) for i in range(len(shown._bars.opts["x0"]))]

    def test_bursts_of_a_frame(self):
        """A symbol is 72 slots of 4 samples; the middle 16 of 32 is the whole band, 8 its lower half, 18 one of sixteen."""
        grey, first, colours = displays.PREAMBLE_COLOUR, displays.RATE_COLOURS[0], displays.RATE_COLOURS
        shown = displays.burst_map(frames=2)
        shown.draw(burst_messages(burst(7, 0, 3 * 72), burst(7, 1, 5 * 72, 6, preamble_symbols=1, subchannel_index=8), burst(7, 2, 8 * 72, fec_ok=False),
                                  burst(7, 3, 10 * 72, detected=False, subchannel_index=18), burst(7, 101, 15 * 72, 2, stc=True),
                                  burst(7, 102, 17 * 72, 2, stc=True)))
        self.assertEqual(self.bars(shown), [
            (0, 2, 7, 8, grey, "w"), (2, 3, 7, 8, first, "w"), (3, 5, 7, 8, colours[1], "w"), (5, 6, 7, 7.5, grey, "w"), (6, 8, 7, 7.5, colours[6], "w"),
            (8, 10, 7, 8, displays.FAILED_COLOUR, "w"), (10, 12, 7.5, 7.625, displays.MISSING_COLOUR, "w"), (12, 13, 7, 8, grey, "k"),
            (13, 15, 7, 8, first, "k"), (15, 17, 7, 8, colours[2], "k"), (17, 19, 7, 8, colours[2], "k")])
        self.assertEqual(shown._plot.viewRange(), [[0, 200], [6, 8]])

    def test_frames_that_stay(self):
        shown = displays.burst_map(frames=3)
        for frame in (5, 6, 6, 7, 8):
            shown.draw(burst_messages(burst(frame, 0, 216)))
        self.assertEqual([(frame, len(bursts)) for frame, bursts in shown.rows.items()], [(6, 2), (7, 1), (8, 1)])
        shown.draw(burst_messages(burst(2, 0, 216, direction="uplink", frame_samples=0)))
        self.assertEqual((list(shown.rows), len(self.bars(shown))), ([2], 1), "the count began again; an uplink burst is alone")
        self.assertEqual(shown._plot.viewRange(), [[0, 10], [0, 3]])
        shown.draw(burst_messages(burst(2, 1, 216, direction="uplink"), burst(2, 0, 30 * 72, direction="uplink", frame_samples=0)))
        self.assertEqual(shown._plot.viewRange()[0], [0, 32], "until the length of a frame is known")
        for wrong in (0, 1001):
            with self.assertRaises(ValueError):
                displays.burst_map(frames=wrong)
        self.assertEqual([displays.burst_map(frames=n)._frames for n in (1, 1000)] + [displays.burst_map()._frames], [1, 1000, 20])

    def test_messages_wait_for_the_screen(self):
        shown = displays.burst_table()
        shown._take()
        for message in burst_messages(*[burst(1, 0, 216)] * 5000):
            shown._add(message)
        shown._take()
        shown._take()
        self.assertEqual(shown.counts, {("downlink", 0): [4096, 0, 0]})
        self.assertEqual([one._timer.interval() for one in (shown, displays.burst_map(), displays.channel_response(), displays.burst_map(update_time=0))],
                         [200, 100, 100, 1])
        self.assertEqual(displays.channel_response()._arrived.maxlen, 8)

    def test_table(self):
        shown = displays.burst_table()
        uplink = burst(1, 0, 216, 6, direction="uplink", midamble_interval=1, data_symbols=17, preamble_symbols=1)
        shown.draw(burst_messages(uplink, burst(1, 1, 288, stc=True), burst(1, 0, 216)))
        shown.draw(burst_messages(burst(2, 0, 216, fec_ok=False), burst(3, 0, 216, fec_ok=False, detected=False), {**uplink, "evm_db": -20.0}))
        rows = [[shown.widget.item(row, column).text() for column in range(10)] for row in range(shown.widget.rowCount())]
        self.assertEqual([shown.widget.horizontalHeaderItem(n).text() for n in (0, 9)], ["burst", "not\nfound"])
        tail = ["-31.3", "24.4", "-23.9", "-121"]
        self.assertEqual(rows, [["DL 0", "QPSK 1/2", "2", *tail, "3", "1", "1"], ["DL 1", "QPSK 1/2, STC", "2", *tail, "1", "0", "0"],
                                ["UL 0", "64-QAM 3/4", "20", "-31.3", "24.4", "-20.0", "-121", "2", "0", "0"]])

    def test_channel(self):
        """An echo of 12 dB less, 16 samples of 5.76 MS/s later."""
        shown = displays.channel_response()
        carriers = numpy.arange(-100, 101)
        h = 1 + 0.25 * numpy.exp(-2j * numpy.pi * carriers * 16 / 256)
        h *= 10
        h[100] = 0
        shown.draw([pmt.cons(pmt.PMT_NIL, pmt.init_c32vector(201, list(h)))])
        edge = 20 * numpy.log10(abs(h[0]))
        self.assertAlmostEqual(shown.gain_db[0], edge, places=4)
        self.assertAlmostEqual(shown.gain_db[100], 20 * numpy.log10(abs((h[99] + h[101]) / 2)), places=4)
        self.assertAlmostEqual(shown._frequency_mhz[0], -2.25)
        peak, = numpy.flatnonzero(shown.power_db == shown.power_db.max())
        self.assertEqual((peak, round(shown.power_db[peak], 3), shown._delay_us[peak]), (256, 0, 0))
        late = int(numpy.searchsorted(shown._delay_us, 16 / 5.76 - 0.01))
        self.assertAlmostEqual(shown.power_db[late], -12, delta=0.3)
        self.assertEqual([len(curve.getData()[0]) for curve in (shown._gain, shown._power)], [201, 1024])
        self.assertIsNone(shown._second_gain.getData()[0])
        self.assertEqual(shown._frequency.viewRange()[1], [-10, 35])
        self.assertEqual(shown._delay.viewRange()[1], [-40, 3])
        for found, known in zip(shown._delay.viewRange()[0], (-128 / 1024, 256 / 1024)):
            self.assertAlmostEqual(found, known * 256 / 5.76)

    def test_two_antennas(self):
        """The stronger one gives the reference of both."""
        shown = displays.channel_response(sample_rate=2.88e6)
        h = numpy.concatenate([numpy.full(201, 0.1), numpy.full(201, 1.0)])
        shown.draw([None, pmt.cons(pmt.PMT_NIL, pmt.init_c32vector(402, list(h.astype(complex))))])
        self.assertEqual([round(curve.getData()[1][5], 3) for curve in (shown._gain, shown._second_gain)], [-20, 0])
        self.assertEqual([round(curve.getData()[1].max(), 3) for curve in (shown._power, shown._second_power)], [-20, 0])
        self.assertAlmostEqual(shown._frequency_mhz[-1], 1.125)
        for wrong in (0, -1.0):
            with self.assertRaises(ValueError):
                displays.channel_response(sample_rate=wrong)


    def test_octets_as_text(self):
        shown = displays.octet_list(lines=2)
        shown.draw([messages.pdu(b"dropped"), messages.pdu(b"a\x00b\xff~" + bytes(200), frame_number=7, rate_id=4), messages.pdu(b"hello")])
        self.assertEqual(shown.widget.toPlainText().splitlines(), ["       7  16-QAM 3/4    205 octets  a.b.~" + "." * 155,
                                                                   "       -                  5 octets  hello"])
        for wrong in (0, 10001):
            with self.assertRaises(ValueError):
                displays.octet_list(lines=wrong)


class Messages(unittest.TestCase):
    def test_symbols_and_bytes(self):
        self.assertEqual([messages.symbol_samples(n) for n in (4, 8, 16, 32)], [320, 288, 272, 264])
        self.assertEqual([messages.capacity_bytes(rate, 3) for rate in range(7)], [35, 71, 107, 143, 215, 287, 323])
        total = [[messages.total_symbols({"midamble_interval": code, "data_symbols": data, "preamble_symbols": 1}) for data in (1, 8, 9, 17, 33)]
                 for code in range(4)]
        self.assertEqual(total, [[2, 9, 10, 18, 34], [2, 9, 11, 20, 38], [2, 9, 10, 19, 36], [2, 9, 10, 18, 35]])

    def test_there_and_back(self):
        first = messages.burst(216, 3, 4, payload=b"abc")
        self.assertEqual(first, {"start_slot": 216, "rate_id": 3, "iuc": 0, "preamble_symbols": 0, "data_symbols": 4, "midamble_interval": 0,
                                 "subchannel_index": 16, "bsid_lsb": 0, "frame_lsb": 0, "attenuation_db": 0, "payload": b"abc"})
        code = messages.contention_code(400, 47, 7, 3)
        self.assertEqual((code, messages.contention_code(1, 0, 0)["boost_db"]), ({"start_slot": 400, "channel": 47, "code": 7, "boost_db": 3.0}, 0.0))
        found = messages.parse(messages.tx_frame("uplink", 9, 1234, [first, messages.burst(300, 0, 1)], codes=[code]))
        sent = {"message": "tx", "direction": "uplink", "frame_number": 9, "frame_start_sample": 1234, "cp_denominator": 8, "bsid_lsb": 0, "change_count_lsb": 0,
                "timing_advance_samples": 0, "frequency_hz": 0.0, "power_dbfs": 0.0, "payload": b"abc", "codes": (code,)}
        bare = {k: v for k, v in first.items() if k != "payload"}
        self.assertEqual({**found, "bursts": list(found["bursts"]), "codes": tuple(found["codes"])},
                         {**sent, "bursts": [{**bare, "payload_bytes": 3}, {**messages.burst(300, 0, 1), "payload_bytes": 0}]})
        empty = {"message": "expect", "frame_number": 4, "first_uplink_slot": 0, "next_uplink_slot": 0, "want_prefix_bursts": True, "payload": b""}
        found = messages.parse(messages.expectation(4))
        self.assertEqual({k: found[k] for k in empty}, empty)
        self.assertEqual([len(found[k]) for k in ("bursts", "stc_zone_slots", "contention_slots")], [0, 0, 0])
        found = messages.parse(messages.expectation(4, [{**bare, "kind": 2}], 10, False, 20, (30,), (40, 50)))
        self.assertEqual([found[k] for k in ("first_uplink_slot", "want_prefix_bursts", "next_uplink_slot")], [10, False, 20])
        self.assertEqual(([list(found[k]) for k in ("stc_zone_slots", "contention_slots")], list(found["bursts"])),
                         ([[30], [40, 50]], [{**bare, "search_slots": 0, "kind": 2, "cid": 0}]))
        self.assertEqual(messages.parse(messages.control()), {"message": "control", "payload": b""})
        self.assertEqual(messages.parse(messages.control(False, 5)), {"message": "control", "attached": False, "first_frame_number": 5, "payload": b""})
        samples = messages.parse(pmt.cons(pmt.dict_add(pmt.make_dict(), pmt.intern("a"), pmt.from_long(1)), pmt.init_c32vector(2, [1j, 2])))
        self.assertEqual(list(samples["payload"]), [1j, 2])


if __name__ == "__main__":
    unittest.main()
