# SPDX-License-Identifier: GPL-3.0-or-later
"""Two network namespaces with a slow link of two TUN interfaces between them, as the air is: UDP waits in a long queue, all else
passes it by."""
import collections
import ctypes
import fcntl
import os
import select
import struct
import subprocess
import threading
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 0x0001, 0x1000
CLONE_NEWNET = 0x40000000
UDP = 17


class SlowLink:
    def __init__(self, udp_bps, queue_octets):
        self.udp_bps, self.queue_octets = udp_bps, queue_octets
        self.names = [f"wmx{os.getpid() % 100000}-{end}" for end in ("near", "far")]
        self.addresses = ["10.17.0.1", "10.17.0.2"]
        self._ends, self._stop = [], threading.Event()
        self._thread = threading.Thread(target=self._carry, daemon=True)

    def start(self):
        for name, address in zip(self.names, self.addresses):
            subprocess.run(["ip", "netns", "add", name], check=True)
            self._ends.append(_tun(name))
            subprocess.run(["ip", "-n", name, "addr", "add", f"{address}/24", "dev", "slow"], check=True)
            subprocess.run(["ip", "-n", name, "link", "set", "slow", "up"], check=True)
        self._thread.start()

    def stop(self):
        self._stop.set()
        if self._thread.ident:
            self._thread.join()
        for end in self._ends:
            os.close(end)
        for name in self.names:
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL, check=False)

    def _carry(self):
        waiting = {end: collections.deque() for end in self._ends}  # (packet, when it leaves), by the end it came from
        while not self._stop.is_set():
            now = time.monotonic()
            due = [queue[0][1] for queue in waiting.values() if queue]
            for end in select.select(self._ends, [], [], min([0.05, *(max(0.0, at - now) for at in due)]))[0]:
                self._take(os.read(end, 2048), end, waiting[end])
            for end, queue in waiting.items():
                while queue and queue[0][1] <= time.monotonic():
                    self._give(queue.popleft()[0], end)

    def _take(self, packet, end, queue):
        if packet[0] >> 4 != 4 or packet[9] != UDP:
            self._give(packet, end)
        elif sum(len(p) for p, _ in queue) + len(packet) <= self.queue_octets:
            begin = max(time.monotonic(), queue[-1][1] if queue else 0)
            queue.append((packet, begin + 8 * len(packet) / self.udp_bps))

    def _give(self, packet, end):
        os.write(self._ends[1 - self._ends.index(end)], packet)


def _tun(netns):
    """A TUN interface `slow` in that namespace, opened from this process."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/task/%d/ns/net" % threading.get_native_id(), "rb") as home, open(f"/run/netns/{netns}", "rb") as there:
        try:
            if libc.setns(there.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"namespace {netns}")
            end = os.open("/dev/net/tun", os.O_RDWR)
            fcntl.ioctl(end, TUNSETIFF, struct.pack("16sH", b"slow", IFF_TUN | IFF_NO_PI))
            return end
        finally:
            libc.setns(home.fileno(), CLONE_NEWNET)
