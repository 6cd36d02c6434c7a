#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_examples.py FOLDER OUT [CHANNELD]: the example flowgraphs of FOLDER become programs and run without a screen. Each ends when it has shown what it is for:
known octets, or bursts without errors. CHANNELD: also those with a radio."""
import contextlib
import importlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from gnuradio import blocks, gr, wimax  # noqa: E402
from gnuradio.grc.core.platform import Platform  # noqa: E402
from gnuradio.wimax import messages  # noqa: E402
from PyQt5 import Qt  # noqa: E402

import make_recording  # noqa: E402, of FOLDER, which holds this file

PATIENCE_S = 60  # only a hang takes that long


def make_modules(folder, out):
    """Name -> module of each graph, through GRC's own generator."""
    platform = Platform(version=gr.version(), version_parts=(gr.major_version(), gr.api_version(), gr.minor_version()), prefs=gr.prefs())
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


class Runner:
    """Runs graphs and collects their messages."""

    def __init__(self, modules):
        self.modules, self.untried = modules, set(modules)
        self.application = Qt.QApplication(sys.argv[:1])
        self.graphs = []  # their timers refer to them until the end

    @contextlib.contextmanager
    def running(self, name, **parameters):
        """The graph `name`, and a function that stores the messages of a port."""
        graph = getattr(self.modules[name], name)(**parameters)
        self.graphs.append(graph)
        self.untried.discard(name)
        graph.stored = {}
        graph.keep = lambda block, port: self.keep(graph, block, port)
        yield graph
        graph.stop()
        graph.wait()

    @staticmethod
    def keep(graph, block, port):
        debug = blocks.message_debug()
        graph.msg_connect((getattr(graph, block), port), (debug, "store"))
        return lambda: [messages.parse(debug.get_message(i)) for i in range(debug.num_messages())]

    def wait(self, what, condition):
        limit = time.monotonic() + PATIENCE_S
        while not condition():
            if time.monotonic() > limit:
                sys.exit(f"{what}: never seen")
            self.application.processEvents(Qt.QEventLoop.AllEvents, 20)
            time.sleep(0.005)


def expect(what, found, known):
    if found != known:
        sys.exit(f"{what}: {found}, not {known}")


def check_recording(runner):
    known = {(n, i): make_recording.text(n, i) for n in range(make_recording.FRAMES) for i in range(1, len(make_recording.BURSTS) + 1)}
    with runner.running("recording", speed=1) as graph:
        octets, bursts = graph.keep("receiver", "pdus"), graph.keep("receiver", "burst")
        graph.start()
        runner.wait("recording: three rounds", lambda: len(octets()) >= 3 * len(known))
        runner.wait("recording: list of octets", lambda: make_recording.text(make_recording.FRAMES - 1, 3).decode() in graph.octets.widget.toPlainText())
        runner.wait("recording: burst table", lambda: sorted(graph.burst_table.counts) == [("downlink", i) for i in (1, 2, 3)])
    expect("recording: octets", {pdu["payload"] for pdu in octets()}, set(known.values()))
    expect("recording: rates", {(b["rate_id"], b["data_symbols"]) for b in bursts() if b["fec_ok"]}, set(make_recording.BURSTS))
    firsts = [pdu["payload"] for pdu in octets()][:len(known)]
    expect("recording: order of the first round", firsts, [known[place] for place in sorted(known)][-len(firsts):])


def check_text_messages(runner):
    with runner.running("text_messages", speed=1) as graph:
        octets = graph.keep("receiver", "pdus")
        graph.start()
        runner.wait("text_messages: octets", lambda: {pdu["rate_id"] for pdu in octets()} == {1, 6})
    expect("text_messages: octets", {pdu["payload"] for pdu in octets()}, {f"{rate}: hello, subscriber station".encode() for rate in ("QPSK 1/2", "64-QAM 3/4")})


def check_uplink(runner):
    with runner.running("uplink", speed=1) as graph:
        bursts, errors = graph.keep("receiver", "burst"), graph.keep("transmitter", "error")
        graph.start()
        runner.wait("uplink: bursts", lambda: len(bursts()) >= 6 and {b["rate_id"] for b in bursts()} == {3, 6})
        runner.wait("uplink: burst map", lambda: graph.burst_map.rows)
    expect("uplink: octets", {(b["payload"].rstrip(b"\xff"), b["fec_ok"]) for b in bursts()},
           {(b"16-QAM 1/2: hello, base station", True), ((bytes(range(256)) * 4).rstrip(b"\xff"), True)})
    expect("uplink: errors", errors(), [])


def check_burst_transmitter(runner):
    with runner.running("burst_transmitter") as graph:
        samples, errors = graph.keep("transmitter", "samples"), graph.keep("transmitter", "error")
        graph.start()
        runner.wait("burst_transmitter: frames", lambda: len(samples()) >= 2)
    expect("burst_transmitter: samples", {len(s["payload"]) for s in samples()}, {17 * 288 + 8})  # and the last edge
    expect("burst_transmitter: errors", errors(), [])


def check_downlink_receiver(runner):
    with runner.running("downlink_receiver") as graph:
        bursts = graph.keep("receiver", "burst")
        graph.start()
        runner.wait("downlink_receiver: bursts", lambda: len(bursts()) >= 8)
    expect("downlink_receiver: octets", {(b["payload"][:25], b["fec_ok"]) for b in bursts()}, {(b"hello, subscriber station", True)})


@contextlib.contextmanager
def simulated_channel(program):
    """Address of a channel from radio bs to radio ss1."""
    folder = tempfile.mkdtemp(dir="/tmp")  # the address of a UNIX socket holds 107 characters
    config, address = Path(folder) / "channel.yml", f"{folder}/air.sock"
    config.write_text(f"listen: ['{address}']\ncontrol: {{endpoint: ''}}\nstatus: {{console: false}}\nlinks: [{{from: bs, to: ss1, snr_db: 35}}]\n", encoding="utf-8")
    process = subprocess.Popen([program, "--config", str(config)], stderr=subprocess.DEVNULL)
    try:
        yield address
    finally:
        process.terminate()
        process.wait()
        shutil.rmtree(folder, ignore_errors=True)


def check_base_station_radio(runner, channeld):
    """Another radio receives the octets."""
    with simulated_channel(channeld) as address:
        with runner.running("base_station_radio", device=f"type=vrf,name=bs,addr={address}") as graph:
            radio = wimax.radio_frontend(f"type=vrf,name=ss1,addr={address}", 5.76e6, 3.5e9, 0, 20)
            top, receiver, debug = gr.top_block(), wimax.ss_receiver(radio=radio), blocks.message_debug()
            top.connect(wimax.radio_source(radio), receiver)
            top.msg_connect(receiver, "burst", debug, "store")
            top.start()
            graph.start()
            heard = lambda: [b["payload"] for b in (messages.parse(debug.get_message(i)) for i in range(debug.num_messages())) if b["rate_id"] == 4]
            runner.wait("base_station_radio: octets at another radio", lambda: len(heard()) >= 3)
            top.stop()
            top.wait()
    expect("base_station_radio: octets", {payload.rstrip(b"\xff") for payload in heard()}, {b"hello, subscriber station"})


def main(folder, out, channeld=None):
    folder, out, channeld = (path and os.path.abspath(path) for path in (folder, out, channeld))
    os.environ.update(XDG_CONFIG_HOME=out, XDG_RUNTIME_DIR=out)  # no window positions of this test for its user
    os.chdir(folder)  # as Companion does
    runner = Runner(make_modules(folder, out))
    for check in (check_recording, check_text_messages, check_uplink, check_burst_transmitter, check_downlink_receiver):
        check(runner)
    if channeld:
        check_base_station_radio(runner, channeld)
    else:
        runner.untried.discard("base_station_radio")
    expect("flowgraphs without a check", runner.untried, set())
    sys.stdout.flush()
    os._exit(0)  # threads of probes and radios never end


if __name__ == "__main__":
    main(*sys.argv[1:])
