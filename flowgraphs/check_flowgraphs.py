#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_flowgraphs.py FOLDER OUT CHANNELD: the graphs of FOLDER become programs, run on a virtual display and are looked at: what
they decode, and what stands on the screen (clusters of the constellations, colours of the burst map, the channel's echo). A picture
of each stays in OUT. Frames end a wait, not times: a slow machine takes longer and sees the same."""
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy

FRAMES, FRAME_SAMPLES = 32, 57600  # of the recording; 10 ms at 5 MHz
PATIENCE = 1000 * FRAME_SAMPLES  # samples that a graph gets to show what is awaited
STANDSTILL_S = 30  # a graph whose samples do not advance for this time hangs
PAYLOAD = b"hello, subscriber station"
# Rate_ID of each burst, by its index; amplitudes on each axis of its constellation by Rate_ID.
BURSTS, STC_BURSTS = {1: 1, 2: 3, 3: 4, 4: 6}, {1: 1, 2: 4, 101: 4, 102: 6}
LEVELS = {1: 2, 3: 4, 4: 4, 6: 8}  # QPSK 1/2, 16-QAM 1/2 and 3/4, 64-QAM 3/4


@contextlib.contextmanager
def virtual_display():
    read, write = os.pipe()
    command = ["Xvfb", "-displayfd", str(write), "-screen", "0", "2840x1000x24", "-nolisten", "tcp"]
    server = subprocess.Popen(command, pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        number = os.read(read, 16).decode().strip()
        if not number:
            sys.exit("Xvfb does not start (package xvfb)")
        os.environ["DISPLAY"] = f":{number}"
        yield
    finally:
        server.kill()
        server.wait()
        os.close(read)


@contextlib.contextmanager
def simulated_channel(program):
    """A channel for the live graphs; gives its address."""
    folder = tempfile.mkdtemp(dir="/tmp")  # the address of a UNIX socket holds 107 characters
    config, address = Path(folder) / "channel.yml", f"{folder}/air.sock"
    config.write_text(f"listen: ['{address}']\ncontrol: {{endpoint: ''}}\nstatus: {{console: false}}\n"
                      "links: [{from: bs, to: ss1, snr_db: 42, delay_samples: 25}]\n", encoding="utf-8")
    process = subprocess.Popen([program, "--config", str(config)], stderr=subprocess.DEVNULL)
    try:
        yield address
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def make_programs(folder, out):
    """Name -> module of each graph, through GRC's own generator."""
    from gnuradio import gr
    from gnuradio.grc.core.platform import Platform
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()),
                        prefs=gr.prefs())
    platform.build_library()
    sys.path.insert(0, out)
    modules = {}
    for path in sorted(Path(folder).glob("*.grc")):
        graph = platform.make_flow_graph(str(path))
        graph.rewrite()
        graph.validate()
        if not graph.is_valid():
            sys.exit(f"{path}: {'; '.join(str(m) for _, m in graph.iter_error_messages())}")
        platform.Generator(graph, out).write()
        modules[path.stem] = importlib.import_module(path.stem)
    return modules


class Bench:
    """Runs graphs and looks at their windows."""

    def __init__(self, modules, out):
        from PyQt5 import Qt
        self.Qt, self.modules, self.out = Qt, modules, out
        self.application = Qt.QApplication(sys.argv[:1])
        self.faults, self.untried = [], set(modules)
        self.graphs = []  # their probes' threads never end

    def check(self, what, right, seen=""):
        if not right:
            self.faults.append(f"{what} {seen}")

    @contextlib.contextmanager
    def running(self, name, x=0, prepare=lambda graph: None, **parameters):
        graph = getattr(self.modules[name], name)(**parameters)
        self.graphs.append(graph)
        prepare(graph)
        self.modules[name].snippets_main_after_init(graph)
        self.untried.discard(name)
        graph.move(x, 0)
        graph.start()
        graph.show()
        yield graph
        self.look(graph).save(f"{self.out}/{name}.png")
        graph.stop()
        graph.wait()
        graph.hide()

    def pump(self):
        self.application.processEvents(self.Qt.QEventLoop.AllEvents, 20)
        threading.Event().wait(0.01)

    def wait(self, what, position, condition):
        """Until condition(), or until position() has gone on by PATIENCE samples, or no longer goes on: that is a fault."""
        at, moved = position(), time.monotonic()
        limit = at + PATIENCE
        while not condition():
            if position() != at:
                at, moved = position(), time.monotonic()
            if at > limit or time.monotonic() - moved > STANDSTILL_S:
                return self.check(what, False, f"never seen, {at - limit + PATIENCE} samples")
            self.pump()
        self.pump()

    def look(self, graph, widget=None):
        """What stands on the screen, of the whole window or of one of its widgets."""
        picture = self.application.primaryScreen().grabWindow(graph.winId()).toImage()
        if widget is not None:
            picture = picture.copy(self.Qt.QRect(widget.mapTo(graph, self.Qt.QPoint(0, 0)), widget.size()))
        return picture.convertToFormat(self.Qt.QImage.Format_RGB32)

    def pixels(self, graph, widget):
        """Rows of (red, green, blue)."""
        picture = self.look(graph, widget)
        data = picture.constBits().asarray(picture.sizeInBytes())
        return numpy.array(data, numpy.uint8).reshape(picture.height(), picture.width(), 4)[:, :, 2::-1].astype(int)

    def clusters(self, graph):
        """(columns, rows) of blue dots on the constellation display that are apart from one another."""
        red, green, blue = numpy.moveaxis(self.pixels(graph, graph._constellation_win), 2, 0)
        dots = (blue > 200) & (red < 150) & (green < 150)
        return tuple(int((numpy.diff((dots.sum(axis) > 0.1 * dots.sum(axis).max(initial=1)).astype(int), prepend=0) == 1).sum())
                     for axis in (0, 1))

    def share(self, graph, widget, colour):
        """Part of a widget that has exactly this colour."""
        wanted = [int(colour[i:i + 2], 16) for i in (1, 3, 5)]
        return float((self.pixels(graph, widget) == wanted).all(axis=2).mean())

    def reception(self, name, graph, lossless=True, bursts=BURSTS):
        """A receiver on a good signal: bursts right, every constellation and the burst map on the screen."""
        from gnuradio.wimax import displays
        position = lambda: graph.receiver.status()["position"]
        right = lambda status: status["bursts"] - status["fec_failures"]
        self.wait(f"{name}: bursts", position, lambda: right(graph.receiver.status()) >= 4 * FRAMES)
        for place in (0, 1, 3, 2):
            graph._burst_shown_combo_box.setCurrentIndex(place)
            index = list(bursts)[place]
            wanted = (LEVELS[bursts[index]],) * 2
            self.wait(f"{name}: clusters of burst {index}", position, lambda w=wanted: self.clusters(graph) == w)
        for rate_id in set(bursts.values()):  # map and table have their own timers
            shown = lambda c=displays.RATE_COLOURS[rate_id]: self.share(graph, graph.burst_map.widget, c) > 0.01
            self.wait(f"{name}: colour of {displays.RATES[rate_id]} in the burst map", position, shown)
        self.wait(f"{name}: burst table", position,
                  lambda: sorted(graph.burst_table.counts) == [("downlink", i) for i in bursts])
        if not lossless:
            return
        self.check(f"{name}: failed bursts in the map", self.share(graph, graph.burst_map.widget, displays.FAILED_COLOUR) < 0.002)
        status = graph.receiver.status()
        self.check(f"{name}: errors", status["fec_failures"] + status["fch_failures"] + status["sync_losses"] == 0, status)


def check_files(bench, out):
    """One graph writes whole frames, the other decodes them, past the end of the file, from where it repeats."""
    from gnuradio import blocks
    from gnuradio.wimax import messages
    recording = Path(out) / "downlink.cfile"
    recording.unlink(missing_ok=True)
    with bench.running("downlink_transmit", file=str(recording), frames=FRAMES, speed=1) as graph:
        written = lambda: graph.sink.nitems_read(0)
        bench.wait("downlink_transmit: samples", written, lambda: written() >= FRAMES * FRAME_SAMPLES)
    graph.sink.close()
    size = recording.stat().st_size
    bench.check("downlink_transmit: octets", size == FRAMES * FRAME_SAMPLES * 8, size)
    stored = blocks.message_debug()
    store = lambda graph: graph.msg_connect((graph.receiver, "burst"), (stored, "store"))
    with bench.running("downlink_receive", prepare=store, file=str(recording), speed=0.5) as graph:
        bench.reception("downlink_receive", graph)
    bursts = [messages.parse(stored.get_message(i)) for i in range(stored.num_messages())]
    wrong = [b for b in bursts if not b["fec_ok"] or not b["payload"].startswith(PAYLOAD)]
    bench.check("downlink_receive: bursts stored", len(bursts) >= 3 * FRAMES, len(bursts))
    bench.check("downlink_receive: wrong bursts", not wrong, wrong[:1])
    recording.unlink()


def check_loopback(bench):
    from gnuradio.wimax import displays
    with bench.running("loopback", speed=0.5) as graph:
        bench.reception("loopback", graph)
        position = lambda: graph.receiver.status()["position"]
        gain = lambda: float(numpy.ptp(graph.channel_response.gain_db))
        bench.check("loopback: ripple of one path (dB)", gain() < 1.5, gain())
        graph._taps_combo_box.setCurrentIndex(1)  # paths of 0.89 and 0.45: 1.34 / 0.44 between crest and trough
        bench.wait("loopback: ripple of two paths", position, lambda: abs(gain() - 9.7) < 1)
        graph._taps_combo_box.setCurrentIndex(2)  # SUI-3
        graph._channel_snr_db_win.d_widget.counter.setValue(19)
        counts = graph.burst_table.counts
        frames = lambda: counts["downlink", 1][0]
        changed = frames()
        bench.wait("loopback: frames of the new channel alone", position, lambda: frames() > changed + 4)
        before = counts["downlink", 1][1]  # of the frame in whose middle the taps were changed, if there was one
        red = lambda: bench.share(graph, graph.burst_map.widget, displays.FAILED_COLOUR)
        bench.wait("loopback: failed bursts in red", position, lambda: red() > 0.02)
        # The table's own timer: later than the map.
        bench.wait("loopback: thirty failed bursts of 64-QAM", position, lambda: counts["downlink", 4][1] > 30)
        bench.check("loopback: 64-QAM fails first", counts["downlink", 1][1] == before, counts)
        graph._channel_snr_db_win.d_widget.counter.setValue(21)  # about half of the bursts of 64-QAM fail
        received, failed, _ = counts["downlink", 4]
        bench.wait("loopback: thirty bursts of 64-QAM at 21 dB", position, lambda: counts["downlink", 4][0] >= received + 30)
        lost = counts["downlink", 4][1] - failed
        bench.check("loopback: some of them are decoded, others fail", 0 < lost < counts["downlink", 4][0] - received, counts)


def check_stc_zone(bench):
    from gnuradio.wimax import displays
    with bench.running("stc_zone", speed=0.5) as graph:
        bench.reception("stc_zone", graph, bursts=STC_BURSTS)
        position = lambda: graph.receiver.status()["position"]
        second = lambda: bench.share(graph, graph.channel_response.widget, displays.SECOND_LINE)
        bench.wait("stc_zone: channel of antenna 1", position, lambda: second() > 0.0005)
        graph._taps_combo_box.setCurrentIndex(2)  # SUI-3
        graph._channel_snr_db_win.d_widget.counter.setValue(14)
        failed = lambda index: graph.burst_table.counts["downlink", index][1]
        before = failed(101)
        bench.wait("stc_zone: thirty failed bursts of antenna 0", position, lambda: failed(2) > 30)
        bench.check("stc_zone: both antennas fail less than one", failed(101) - before < 10, graph.burst_table.counts)


def check_live(bench, channeld):
    """A transmitter and a receiver on two virtual radios. A stream of samples, unlike bursts of a known time, has gaps where the
    host is too slow, as with hardware: then bursts are lost."""
    with simulated_channel(channeld) as address:
        with bench.running("downlink_receive_live", device=f"type=vrf,name=ss1,addr={address}", rx_gain=46) as receive:
            bench.check("downlink_receive_live: begins with the burst that each base station sends", receive.burst_shown == 1)
            with bench.running("downlink_transmit_live", x=1420, device=f"type=vrf,name=bs,addr={address}"):
                bench.reception("downlink_receive_live", receive, lossless=False)


def main(folder, out, channeld):
    out = os.path.abspath(out)
    os.environ.update(XDG_CONFIG_HOME=out, XDG_RUNTIME_DIR=out)  # no window positions of this test for its user
    with virtual_display():
        bench = Bench(make_programs(folder, out), out)
        check_files(bench, out)
        check_loopback(bench)
        check_stc_zone(bench)
        check_live(bench, channeld)
        bench.faults += [f"{name}: a graph nobody checks" for name in bench.untried]
    print(*bench.faults, sep="\n", file=sys.stderr)
    return 1 if bench.faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
