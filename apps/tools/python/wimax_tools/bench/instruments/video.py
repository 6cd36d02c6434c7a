# SPDX-License-Identifier: GPL-3.0-or-later
"""A stream like video, over UDP and one way: frames at a steady pace, a large one each second, and a receiver that plays them late.

Sender and receiver note the wall clock, which they share, and a watch of the channel's time turns it into simulated time. What the
receiver would have shown follows from that: it begins to play BUFFER_S after the first whole frame, and a frame that is not complete in time
stalls the picture.
"""
import json
import socket
import struct
import sys
import time

from wimax_tools.bench import traffic
from wimax_tools.bench.instruments.stream import RECEIVE_OCTETS, Programs

RATE_BPS, FRAMES_A_SECOND, PACKET_OCTETS, BUFFER_S = 700_000, 25, 1400, 0.3
LARGE = 5  # of the first frame of a second, which stands alone, over the others, which tell differences: usual in video with one each second
HEADER = struct.Struct(">IHH")  # number of the frame, of the packet in it, packets of the frame


def frame_octets(number):
    """Octets of UDP payload of a frame; RATE_BPS per second."""
    small = RATE_BPS // 8 // (FRAMES_A_SECOND - 1 + LARGE)
    return RATE_BPS // 8 - (FRAMES_A_SECOND - 1) * small if number % FRAMES_A_SECOND == 0 else small


def packets(number):
    """UDP payloads of a frame."""
    octets, most = frame_octets(number), PACKET_OCTETS
    count = -(-octets // most)
    return [HEADER.pack(number, i, count) + bytes(min(most, octets - i * most) - HEADER.size) for i in range(count)]


class Video(Programs):
    """A stream of `seconds` of wall-clock time at `pace` (simulated over wall time); start(), then result()."""

    def __init__(self, route, port, seconds, pace=1.0):
        source, sink, address = route
        count, gap_s = int(seconds * pace * FRAMES_A_SECOND), 1 / FRAMES_A_SECOND / pace
        super().__init__("video", (sink, "receive", port, seconds + traffic.LAST_REPLY_S), (source, "send", address, port, gap_s, count))

    def result(self, watch):
        """Result of played()."""
        received, sent = self.notes()
        return played([watch.at(at) for at in sent], [(frame, i, count, watch.at(at)) for frame, i, count, at in received])


def completed(received):
    """Completion time of each complete frame; input: (frame, packet, packets of the frame, time)."""
    missing, done = {}, {}
    for frame, i, count, at in received:
        left = missing.setdefault(frame, set(range(count)))
        if i in left:
            left.remove(i)
            if not left:
                done[frame] = at
    return done


def played(sent, received, buffer_s=BUFFER_S):
    """From times of sending by frame and arrived packets: share of frames complete in time, and duration of each freeze of the
    picture. `frames`: (time of sending, delay until complete or None, whether in time)."""
    done = completed(received)
    if not done:
        return {"in_time": 0.0, "stalls_s": [round(len(sent) / FRAMES_A_SECOND, 3)], "never_whole": len(sent),
                "frames": [(at, None, False) for at in sent]}
    first = min(done, key=lambda frame: done[frame])
    begin = done[first] + buffer_s - sent[first]  # delay of the player's clock against the sender's
    in_time = [done.get(frame, float("inf")) <= at + begin for frame, at in enumerate(sent)]
    return {"in_time": sum(in_time) / len(sent), "stalls_s": [round(n / FRAMES_A_SECOND, 3) for n in runs(not whole for whole in in_time)],
            "never_whole": len(sent) - len(done),
            "frames": [(at, done[frame] - at if frame in done else None, in_time[frame]) for frame, at in enumerate(sent)]}


def runs(marks):
    """Lengths of runs of True."""
    lengths = [0]
    for mark in marks:
        if mark:
            lengths[-1] += 1
        elif lengths[-1]:
            lengths.append(0)
    return [length for length in lengths if length]


def send(address, port, gap_s, count):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    print(flush=True)
    begin, sent = time.monotonic(), []
    for number in range(count):
        while (left := begin + number * gap_s - time.monotonic()) > 0:
            time.sleep(left)
        sent.append(time.monotonic())
        for packet in packets(number):
            sock.sendto(packet, (address, port))
    print(json.dumps(sent))


def receive(port, seconds):
    sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_OCTETS)
    sock.bind(("", port))
    print(flush=True)
    until, received = time.monotonic() + seconds, []
    while (left := until - time.monotonic()) > 0:
        sock.settimeout(left)
        try:
            packet = sock.recv(2048)
        except socket.timeout:
            break
        received.append((*HEADER.unpack_from(packet), time.monotonic()))
    print(json.dumps(received))


if __name__ == "__main__" and sys.argv[1:2] == ["send"]:
    send(sys.argv[2], int(sys.argv[3]), float(sys.argv[4]), int(sys.argv[5]))
elif __name__ == "__main__" and sys.argv[1:2] == ["receive"]:
    receive(int(sys.argv[2]), float(sys.argv[3]))
