# SPDX-License-Identifier: GPL-3.0-or-later
"""Between a MAC and its PHY: hands their messages on, and rewrites the bursts of one of them."""

import threading

import zmq

TX_FRAME, RX_BURST = 20, 22    # fields of the Envelope (phy_sap.proto)
RX_INDEX, BROADCAST_BURST = 3, 1
LEAST = 40                     # bytes of an uplink burst that has PDUs, not a request alone


def varint(octets, at):
    value = shift = 0
    while True:
        value |= (octets[at] & 0x7F) << shift
        shift, at = shift + 7, at + 1
        if not octets[at - 1] & 0x80:
            return value, at


def fields(octets):
    """Number to value, of a message of Protocol Buffers."""
    found, at = {}, 0
    while at < len(octets):
        key, at = varint(octets, at)
        if key & 7 == 0:
            found[key >> 3], at = varint(octets, at)
        else:
            long, at = {1: (8, at), 5: (4, at)}.get(key & 7) or varint(octets, at)
            found[key >> 3], at = octets[at:at + long], at + long
    return found


class SapProxy:
    def __init__(self, mac_side, phy_side):
        """Endpoints: that the MAC connects to, and the PHY's. The PHY must have its socket by the time of the first message."""
        self.uplink = self.downlink = None  # payload -> payload
        self.rewritten = 0
        self._context, self._stop = zmq.Context(), threading.Event()
        self._mac, self._phy = self._context.socket(zmq.ROUTER), self._context.socket(zmq.DEALER)
        for socket in (self._mac, self._phy):
            socket.setsockopt(zmq.LINGER, 0)
            socket.setsockopt(zmq.SNDHWM, 1000)
        self._mac.bind(mac_side)
        self._phy.setsockopt(zmq.RECONNECT_IVL_MAX, 100)
        self._phy.connect(phy_side)
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self):
        self._stop.set()
        self._thread.join()
        self._context.destroy(linger=0)

    def _run(self):
        identity, poller = None, zmq.Poller()
        poller.register(self._mac, zmq.POLLIN)
        poller.register(self._phy, zmq.POLLIN)
        while not self._stop.is_set():
            ready = dict(poller.poll(100))
            if self._mac in ready:
                identity, *parts = self._mac.recv_multipart()
                self._phy.send_multipart(self._of_mac(parts))
            if self._phy in ready:
                parts = self._phy.recv_multipart()
                if identity:
                    self._mac.send_multipart([identity, *self._of_phy(parts)])

    def _of_mac(self, parts):
        change = self.uplink
        if change is None or TX_FRAME not in fields(parts[0]):
            return parts
        return [parts[0], *(self._changed(change, payload) if len(payload) >= LEAST else payload for payload in parts[1:])]

    def _of_phy(self, parts):
        change = self.downlink
        if change is None or len(parts) != 2 or not parts[1] or (burst := fields(parts[0]).get(RX_BURST)) is None:
            return parts
        return [parts[0], self._changed(change, parts[1])] if fields(burst).get(RX_INDEX) == BROADCAST_BURST else parts

    def _changed(self, change, payload):
        self.rewritten += 1
        return change(payload)
