# SPDX-License-Identifier: GPL-3.0-or-later
"""Displays for flowgraphs with a QT GUI: they draw messages of receivers. Each is a block with a `widget`.

Constellation and spectrum need none: QT GUI sinks draw the port `constellation` and the samples."""
import collections

import numpy
import pmt
import pyqtgraph
from gnuradio import gr
from PyQt5 import QtCore, QtGui, QtWidgets

from . import messages
from .wimax_python import rate_table

RATES = tuple(name for name, _ in rate_table())
RATE_COLOURS = ("#8c6bb1", "#2b8cbe", "#7bccc4", "#41ab5d", "#a1d99b", "#fe9929", "#fed976")
PREAMBLE_COLOUR, FAILED_COLOUR, MISSING_COLOUR = "#444444", "#d7191c", "#dddddd"
LINE, PALE_LINE, SECOND_LINE = "#08519c", "#9ecae1", "#d94801"


class _Display(gr.basic_block):
    """Messages wait in a short queue until the GUI's thread draws: a slow screen loses messages, never samples."""

    def __init__(self, name, port, update_time, queue):
        gr.basic_block.__init__(self, name, None, None)
        self._arrived = collections.deque(maxlen=queue)
        self.message_port_register_in(pmt.intern(port))
        self.set_msg_handler(pmt.intern(port), self._add)
        self._timer = QtCore.QTimer()
        self._timer.timeout.connect(self._take)
        self._timer.start(max(1, int(1000 * update_time)))

    def _add(self, message):
        self._arrived.append(message)

    def _take(self):
        taken = [self._arrived.popleft() for _ in range(len(self._arrived))]
        if taken:
            self.draw(taken)


def _plot(title, x, y):
    """An empty plot with labelled axes, each a pair of name and unit, in the colours of a sheet of paper."""
    plot = pyqtgraph.PlotItem(title=f"<b>{title}</b>")
    for side, (name, unit) in (("bottom", x), ("left", y)):
        axis = plot.getAxis(side)
        axis.enableAutoSIPrefix(False)
        axis.setPen("k")
        axis.setTextPen("k")
        axis.setLabel(f"{name} ({unit})" if unit else name)
    plot.titleLabel.setText(f"<b>{title}</b>", color="k")
    plot.showGrid(x=True, y=True, alpha=0.2)
    plot.setMenuEnabled(True)
    return plot


class burst_map(_Display):
    """Bursts over the symbols of a frame, one row for each of the last frames. A row's height is the 16 subchannels of the
    uplink. Colours show the rate or an FEC failure; bursts of an STC zone have dark edges. Port `burst`."""

    def __init__(self, frames=20, update_time=0.1):
        _Display.__init__(self, "wimax_burst_map", "burst", update_time, 4096)
        if not 1 <= frames <= 1000:
            raise ValueError(f"frames: {frames}, allowed 1 .. 1000")
        self._frames = frames
        self.rows = collections.OrderedDict()  # frame number: list of burst dictionaries
        self._plot = _plot("Burst map", ("OFDM symbol of the frame", ""), ("Frame number", ""))
        self._plot.showGrid(x=True, y=False, alpha=0.2)
        self._bars = pyqtgraph.BarGraphItem(x0=[], x1=[], y0=[], y1=[])  # pyqtgraph 0.13.7 fails with empty lists of pens
        self._plot.addItem(self._bars)
        view = pyqtgraph.GraphicsView(background="w")
        view.setCentralItem(self._plot)
        self.widget = QtWidgets.QWidget()
        layout = QtWidgets.QVBoxLayout(self.widget)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(view)
        names = (*zip(RATES, RATE_COLOURS), ("preamble", PREAMBLE_COLOUR), ("FEC failed", FAILED_COLOUR), ("not found", MISSING_COLOUR))
        entries = [f"<span style='color:{colour}'>\u25a0</span>&nbsp;{name.replace(' ', '&nbsp;')}" for name, colour in names]
        entries.append("\u25a1&nbsp;STC")
        # Two fixed lines: a label that wraps words would set the height of the whole window.
        legend = QtWidgets.QLabel("<br>".join(" &nbsp; ".join(entries[i:i + 6]) for i in (0, 6)))
        legend.setAlignment(QtCore.Qt.AlignCenter)
        layout.addWidget(legend)

    def draw(self, taken):
        for message in taken:
            burst = pmt.to_python(pmt.car(message))
            number = burst["frame_number"]
            if self.rows and number < next(reversed(self.rows)):
                self.rows.clear()  # the count has restarted
            self.rows.setdefault(number, []).append(burst)
        while len(self.rows) > self._frames:
            self.rows.popitem(last=False)
        bars = [bar for bursts in self.rows.values() for bar in self._bars_of(bursts)]
        x0, x1, y0, y1, colours, edges = zip(*bars)
        self._bars.setOpts(x0=x0, x1=x1, y0=y0, y1=y1, pens=list(edges), brushes=list(colours))
        newest = next(reversed(self.rows))
        self._plot.setYRange(newest - self._frames + 1, newest + 1, padding=0)
        self._plot.setXRange(0, max(max(x1), *(self._frame_symbols(b[0]) for b in self.rows.values()), 10), padding=0)

    @staticmethod
    def _frame_symbols(burst):
        """Length of the frame in symbols; 0 while it is unknown."""
        return burst["frame_samples"] / messages.symbol_samples(burst["cp_denominator"])

    @staticmethod
    def _bars_of(bursts):
        """(x0, x1, y0, y1, colour, colour of the edge) for each burst of a frame, and for preamble and FCH."""
        row = bursts[0]["frame_number"]
        if bursts[0]["direction"] == "downlink":
            yield 0, 2, row, row + 1, PREAMBLE_COLOUR, "w"
            yield 2, 3, row, row + 1, RATE_COLOURS[0], "w"  # the FCH is a symbol of BPSK 1/2
        for b in bursts:
            start = 4 * b["start_slot"] / messages.symbol_samples(b["cp_denominator"])
            # A subchannel index is the middle of its group on a scale of 32 (Table 213), its lowest bit the group's size.
            middle = b["subchannel_index"]
            size = middle & -middle
            low, high = row + (middle - size) / 32, row + (middle + size) / 32
            data = start + b["preamble_symbols"]
            stc = b.get("stc", False)
            if stc and b["index"] % 100 == 1:  # the zone's own preamble and FCH, a pair of symbols
                yield start - 3, start - 2, low, high, PREAMBLE_COLOUR, "k"
                yield start - 2, start, low, high, RATE_COLOURS[0], "k"
            if data > start:
                yield start, data, low, high, PREAMBLE_COLOUR, "w"
            colour = RATE_COLOURS[b["rate_id"]] if b["fec_ok"] else FAILED_COLOUR
            yield data, start + messages.total_symbols(b), low, high, colour if b["detected"] else MISSING_COLOUR, "k" if stc else "w"


class burst_table(_Display):
    """The last measurement of each burst of a frame, and the number of errors so far. Port `burst`."""

    COLUMNS = ("burst", "rate", "symbols", "RSSI\n(dBFS)", "CINR\n(dB)", "EVM\n(dB)", "offset\n(Hz)", "bursts", "FEC\nfailed",
               "not\nfound")

    def __init__(self, update_time=0.2):
        _Display.__init__(self, "wimax_burst_table", "burst", update_time, 4096)
        self.counts = {}  # key of a row: bursts, failed, not found
        self.widget = QtWidgets.QTableWidget(0, len(self.COLUMNS))
        self.widget.setHorizontalHeaderLabels(self.COLUMNS)
        self.widget.horizontalHeader().setSectionResizeMode(QtWidgets.QHeaderView.Stretch)
        self.widget.horizontalHeader().setSectionResizeMode(1, QtWidgets.QHeaderView.ResizeToContents)
        self.widget.verticalHeader().hide()
        self.widget.setEditTriggers(QtWidgets.QAbstractItemView.NoEditTriggers)

    def draw(self, taken):
        for message in taken:
            b = pmt.to_python(pmt.car(message))
            key = (b["direction"], b["index"])
            count = self.counts.setdefault(key, [0, 0, 0])
            count[0] += 1
            count[1] += b["detected"] and not b["fec_ok"]
            count[2] += not b["detected"]
            self._show(sorted(self.counts).index(key), b, count)

    def _show(self, row, b, count):
        if self.widget.rowCount() < len(self.counts):
            self.widget.insertRow(row)
        rate = RATES[b["rate_id"]] + (", STC" if b.get("stc") else "")
        texts = (f"{'UL' if b['direction'] == 'uplink' else 'DL'} {b['index']}", rate, messages.total_symbols(b), f"{b['rssi_dbfs']:.1f}",
                 f"{b['cinr_db']:.1f}", f"{b['evm_db']:.1f}", f"{b['frequency_offset_hz']:.0f}", *count)
        for column, text in enumerate(texts):
            item = QtWidgets.QTableWidgetItem(str(text))
            item.setTextAlignment(QtCore.Qt.AlignCenter)
            self.widget.setItem(row, column, item)


class channel_response(_Display):
    """Gain over frequency and power over delay of a burst's channel; two channels in an STC zone, antenna
    1's in orange. Port `response`."""

    TAPS = 1024  # points of the delay axis before it is cut: the 201 carriers interpolated

    def __init__(self, sample_rate=5.76e6, update_time=0.1):
        _Display.__init__(self, "wimax_channel_response", "response", update_time, 8)
        if sample_rate <= 0:
            raise ValueError(f"sample_rate: {sample_rate}, allowed above 0")
        self.gain_db, self.power_db = numpy.zeros(201), numpy.zeros(self.TAPS)
        self._frequency_mhz = numpy.arange(-100, 101) * sample_rate / 256 / 1e6
        self._delay_us = (numpy.arange(self.TAPS) - self.TAPS // 4) * 256e6 / self.TAPS / sample_rate
        self._frequency = _plot("Channel: gain over frequency", ("Frequency from the carrier", "MHz"), ("Gain", "dB"))
        self._delay = _plot("Channel: power over delay", ("Delay from the strongest path", "us"), ("Power", "dB"))
        self._frequency.setXRange(self._frequency_mhz[0], self._frequency_mhz[-1], padding=0.02)
        self._delay.setYRange(-40, 3, padding=0)
        self._delay.setXRange(self._delay_us[self.TAPS // 8], self._delay_us[self.TAPS // 2], padding=0)
        self._gain = self._frequency.plot(pen=pyqtgraph.mkPen(LINE, width=2))
        self._power = self._delay.plot(pen=pyqtgraph.mkPen(LINE, width=1), fillLevel=-100, brush=PALE_LINE)
        self._second_gain = self._frequency.plot(pen=pyqtgraph.mkPen(SECOND_LINE, width=2))
        self._second_power = self._delay.plot(pen=pyqtgraph.mkPen(SECOND_LINE, width=1))
        self.widget = pyqtgraph.GraphicsLayoutWidget()
        self.widget.setBackground("w")
        self.widget.addItem(self._frequency, 0, 0)
        self.widget.addItem(self._delay, 1, 0)

    def draw(self, taken):
        h = numpy.array(pmt.to_python(pmt.cdr(taken[-1]))).reshape(-1, 201)  # antennas by carriers -100 .. 100
        h[:, 100] = (h[:, 99] + h[:, 101]) / 2  # nothing is sent on carrier 0, so it is unknown
        gains = 20 * numpy.log10(numpy.abs(h) + 1e-6)
        taps = numpy.abs(numpy.fft.ifft(h * numpy.hanning(h.shape[1] + 2)[1:-1], self.TAPS)) ** 2
        antenna, place = numpy.unravel_index(numpy.argmax(taps), taps.shape)
        taps = numpy.roll(taps, self.TAPS // 4 - place, axis=1) / max(taps[antenna, place], 1e-12)
        powers = 10 * numpy.log10(taps + 1e-9)
        self.gain_db, self.power_db = gains[0], powers[0]
        self._gain.setData(self._frequency_mhz, gains[0])
        self._power.setData(self._delay_us, powers[0])
        second = len(h) > 1
        self._second_gain.setData(*((self._frequency_mhz, gains[1]) if second else ([], [])))
        self._second_power.setData(*((self._delay_us, powers[1]) if second else ([], [])))
        top = 10 * numpy.ceil(gains.max() / 10)
        self._frequency.setYRange(top - 40, top + 5, padding=0)


class octet_list(_Display):
    """Octets of bursts as text, one line per PDU; octets that are no printable ASCII are dots. Port `pdus`."""

    SHOWN = 160  # octets of a PDU

    def __init__(self, lines=100, update_time=0.2):
        _Display.__init__(self, "wimax_octet_list", "pdus", update_time, 4096)
        if not 1 <= lines <= 10000:
            raise ValueError(f"lines: {lines}, allowed 1 .. 10000")
        self.widget = QtWidgets.QPlainTextEdit()
        self.widget.setReadOnly(True)
        self.widget.setFont(QtGui.QFontDatabase.systemFont(QtGui.QFontDatabase.FixedFont))
        self.widget.setLineWrapMode(QtWidgets.QPlainTextEdit.NoWrap)
        self.widget.setMaximumBlockCount(lines)

    def draw(self, taken):
        for message in taken:
            pdu = messages.parse(message)
            text = "".join(chr(octet) if 32 <= octet < 127 else "." for octet in pdu["payload"][:self.SHOWN])
            self.widget.appendPlainText(f"{pdu.get('frame_number', '-'):>8}  {RATES[pdu['rate_id']] if 'rate_id' in pdu else '':<10}  "
                                        f"{len(pdu['payload']):>5} octets  {text}")
