#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""check_flowgraphs.py FOLDER OUT GRCC: the graphs of FOLDER become programs in OUT and do, without a screen, what they are for:
one writes whole frames, the others decode every burst. Counts of frames end a run, not times; ctest ends one that hangs."""
import importlib
import subprocess
import sys
import threading
from pathlib import Path

from gnuradio import blocks
from gnuradio.wimax import messages
from PyQt5 import Qt

FRAMES = 32  # of 10 ms
FRAME_SAMPLES = 57600
PAYLOAD = b"hello, subscriber station"


def run(application, graph, finished):
    """Runs a graph with its window until finished() says so."""
    graph.start()
    graph.show()
    while not finished():
        application.processEvents(Qt.QEventLoop.AllEvents, 20)
        threading.Event().wait(0.01)
    graph.stop()
    graph.wait()
    application.processEvents()
    graph.hide()


def reception(application, name, graph):
    """Faults of a graph with a receiver; one more sink of messages keeps what the printing one shows."""
    stored = blocks.message_debug()
    graph.msg_connect((graph.receiver, "burst"), (stored, "store"))
    enough = 2 * FRAMES * FRAME_SAMPLES  # samples: a receiver that finds nothing must not go on for ever
    run(application, graph, lambda: stored.num_messages() >= FRAMES or graph.receiver.status()["position"] > enough)
    status = graph.receiver.status()
    bursts = [messages.parse(stored.get_message(i)) for i in range(stored.num_messages())]
    faults = []
    if len(bursts) < FRAMES or status["fch_failures"] or status["sync_losses"]:
        faults.append(f"{name}: {len(bursts)} bursts, {status}")
    wrong = [b for b in bursts if not b["fec_ok"] or not b["payload"].startswith(PAYLOAD)]
    if wrong:
        faults.append(f"{name}: {len(wrong)} of {len(bursts)} bursts wrong, first {wrong[0]}")
    return faults


def main(folder, out, grcc):
    names = sorted(p.stem for p in Path(folder).glob("*.grc"))
    for name in names:
        subprocess.run([grcc, "-o", out, str(Path(folder) / f"{name}.grc")], check=True, stdout=subprocess.DEVNULL)
    sys.path.insert(0, out)
    graphs = {name: getattr(importlib.import_module(name), name) for name in names}
    application = Qt.QApplication([sys.argv[0]])
    recording = Path(out) / "downlink.cfile"
    recording.unlink(missing_ok=True)

    transmit = graphs.pop("downlink_transmit")(file=str(recording), frames=FRAMES, speed=1)
    run(application, transmit, lambda: transmit.sink.nitems_read(0) >= FRAMES * FRAME_SAMPLES)
    transmit.sink.close()
    faults = []
    if recording.stat().st_size != FRAMES * FRAME_SAMPLES * 8:
        faults.append(f"downlink_transmit: {recording.stat().st_size} octets")
    # The file is as long as what is awaited: the receiver has to get past its end, from which it repeats.
    faults += reception(application, "downlink_receive", graphs.pop("downlink_receive")(file=str(recording), speed=1))
    faults += reception(application, "loopback", graphs.pop("loopback")(speed=1))
    faults += [f"{name}: a graph nobody checks" for name in graphs]
    recording.unlink()
    print(*faults, sep="\n", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
