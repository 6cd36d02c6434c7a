# SPDX-License-Identifier: GPL-3.0-or-later
"""UDP packets at a steady pace through the air, and how long each took one way, in simulated time.

Sender and receiver note the wall clock, which they share; a watch of the channel's time converts it to simulated time.
"""
import bisect
import json
import socket
import struct
import subprocess
import sys
import threading
import time

from wimax_tools.bench import traffic

HEADERS = traffic.IP_HEADER + traffic.UDP_HEADER
LOOK_S = 0.01  # between two looks at the channel's time
NUMBER = struct.Struct(">I")
RECEIVE_OCTETS = 1 << 22


class Watch(threading.Thread):
    """Simulated time over wall time while it runs; a context."""

    def __init__(self, clock):
        super().__init__(daemon=True)
        self._clock, self._over = clock, threading.Event()
        self.wall, self.simulated = [], []

    def run(self):
        while not self._over.wait(LOOK_S):
            self.look()

    def look(self):
        begin = time.monotonic()
        now = self._clock()
        self.wall.append((begin + now.wall_s) / 2)
        self.simulated.append(now.simulated_s)

    def __enter__(self):
        self.look()
        self.start()
        return self

    def __exit__(self, *_):
        self._over.set()
        self.join()
        self.look()

    def at(self, wall_s):
        """Simulated seconds, linear between two samples."""
        i = min(max(1, bisect.bisect_left(self.wall, wall_s)), len(self.wall) - 1)
        (w0, w1), (s0, s1) = self.wall[i - 1:i + 1], self.simulated[i - 1:i + 1]
        return s0 + (s1 - s0) * (wall_s - w0) / max(1e-9, w1 - w0)


class Programs:
    """Programs of an instrument, (namespace, arguments of its main) each: the next is started when the previous one is ready. Each prints
    its notes at its end."""

    def __init__(self, module, *programs):
        here = [sys.executable, "-m", f"wimax_tools.bench.instruments.{module}"]
        self._commands = [traffic.in_namespace(netns, *here, *arguments) for netns, *arguments in programs]
        self._processes = []

    def start(self):
        for command in self._commands:
            self._processes.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
            self._processes[-1].stdout.readline()  # it is ready
        return self

    def stop(self):
        """Stops the programs at any time, also after the end."""
        for process in self._processes:
            process.kill()
            process.wait()
            process.stdout.close()

    def notes(self):
        return [json.loads(process.communicate()[0]) for process in self._processes]


class Stream(Programs):
    """An IP packet of `octets` each `gap_s` of the wall clock; start(), then result()."""

    def __init__(self, route, port, octets, gap_s, count):
        source, sink, address = route
        seconds = gap_s * count + traffic.LAST_REPLY_S
        super().__init__("stream", (sink, "receive", port, count, seconds), (source, "send", address, port, octets, gap_s, count))

    def result(self, watch):
        """Delays in ms, also with the simulated time of sending; numbers of lost and reordered packets."""
        received, sent = self.notes()
        series = [(watch.at(sent[number]), 1e3 * (watch.at(at) - watch.at(sent[number]))) for number, at in received]
        order = [number for number, _ in received]
        return {"ms": [ms for _, ms in series], "series": series, "lost": len(sent) - len(set(order)), "packets": len(sent),
                "reordered": sum(b < a for a, b in zip(order, order[1:]))}


def send(address, port, octets, gap_s, count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    fill = bytes(octets - HEADERS - NUMBER.size)
    print(flush=True)
    begin, sent = time.monotonic(), []
    for number in range(count):
        while (left := begin + number * gap_s - time.monotonic()) > 0:
            time.sleep(left)
        sent.append(time.monotonic())
        sock.sendto(NUMBER.pack(number) + fill, (address, port))
    print(json.dumps(sent))


def receive(port, count, seconds):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_OCTETS)
    sock.bind(("", port))
    print(flush=True)
    until, received = time.monotonic() + seconds, []
    while len(received) < count and (left := until - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            packet = sock.recv(2048)
        except socket.timeout:
            break
        received.append((NUMBER.unpack_from(packet)[0], time.monotonic()))
    print(json.dumps(received))


if __name__ == "__main__" and sys.argv[1:2] == ["send"]:
    send(sys.argv[2], *map(int, sys.argv[3:5]), float(sys.argv[5]), int(sys.argv[6]))
elif __name__ == "__main__" and sys.argv[1:2] == ["receive"]:
    receive(*map(int, sys.argv[2:4]), float(sys.argv[4]))
