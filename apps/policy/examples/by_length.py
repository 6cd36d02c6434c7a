# SPDX-License-Identifier: GPL-3.0-or-later
"""Short packets into the service flow of the best service: ss: {classifier: {python: "by_length.py:ShortFirst"}}"""

SHORT = 300  # octets
SERVICES = ("BE", "nrtPS", "rtPS", "ertPS", "UGS")


class ShortFirst:
    every_packet = True  # packets of one connection differ in length

    def __init__(self, cell):
        pass

    def classify(self, packet):
        flows = packet.flows
        if packet.length <= SHORT:
            return max(range(len(flows)), key=lambda i: (SERVICES.index(flows[i].scheduling), flows[i].priority))
        best = max(range(len(flows)), key=lambda i: flows[i].rank)
        return best if flows[best].rank >= 0 else None
