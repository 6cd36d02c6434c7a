# SPDX-License-Identifier: GPL-3.0-or-later
"""Queue management and classifiers for test_load_packet_policies.cc."""


class SumsOfQueues:
    """Puts sums of all fields into the directives, so that the test sees each field once."""

    def __init__(self, cell):
        assert cell.role == "queue_management", cell

    def manage(self, frame):
        first, second = frame.queues
        numbers = (first.cid, first.sfid, first.priority, first.min_rate_bps, first.max_rate_bps, first.max_latency_ms, first.packets, first.octets,
                   first.limit_octets, first.arrived_octets, first.sent_octets, first.dropped, first.marked)
        assert numbers == tuple(range(11, 24)), numbers
        assert (first.scheduling, first.head_age_s, first.served_bps) == ("rtPS", 0.5, 2.5), first
        assert frame.time_s == 5 and second.cid == 12, frame
        return [{"drop_probability": 0.25, "mark_probability": 0.5, "drop_head": 3, "codel": False}, None]


class Directives:
    """One malformed result per call."""
    RESULTS = (None, [None], [None, 3], [None, {"drop": 1}], [None, {"drop_probability": "much"}], [None, {"drop_head": -1}], "ab")

    def __init__(self, cell):
        self.results = iter(self.RESULTS)

    def manage(self, frame):
        return next(self.results)


class Raises:
    def __init__(self, cell):
        pass

    def manage(self, frame):
        raise KeyError("no such flow")

    def classify(self, packet):
        raise KeyError("no such flow")


class FieldsOfPacket:
    every_packet = True

    def __init__(self, cell):
        assert cell.role == "classifier", cell

    def classify(self, packet):
        assert (packet.time_s, packet.station, packet.ip_version, packet.ethernet) == (5, 7, 4, False), packet
        assert (packet.source, packet.destination) == (bytes([10, 0, 0, 1]), bytes([10, 0, 1, 2])), packet
        assert (packet.tos, packet.protocol, packet.source_port, packet.destination_port) == (0, 17, 5000, 5000), packet
        assert (packet.ethertype, packet.tag, packet.length) == (0, None, 60), packet
        assert len(packet.octets) == 60 and packet.octets[0] == 0x45, packet
        flow = packet.flows[1]
        assert (flow.cid, flow.sfid, flow.name, flow.scheduling, flow.priority, flow.rank) == (102, 2, "voice \ufffd", "UGS", 5, -1), flow
        assert (flow.min_rate_bps, flow.max_rate_bps, flow.max_latency_ms) == (1, 2, 3), flow
        return 1


class Choices:
    """One result per call: usable ones first."""
    RESULTS = (0, None, True, "0", 1.0, -1, 2**40)

    def __init__(self, cell):
        self.results = iter(self.RESULTS)

    def classify(self, packet):
        return next(self.results)
