# SPDX-License-Identifier: GPL-3.0-or-later
"""Proportional fair, for both directions: bs: {dl_scheduler: {python: "proportional_fair.py:ProportionalFair"}, ...}"""

MEMORY = 0.01   # weight of the present frame in a station's average
REQUEST = 2     # units of the uplink for a request of an active station that has none
SPARE = 12      # units of the uplink for packets that are not requested yet


class ProportionalFair:
    def __init__(self, cell):
        self.average = {}  # octets per frame, by CID

    def schedule(self, frame):
        stations, units = frame.stations, [0] * len(frame.stations)
        left, bursts = int(frame.units), frame.map_elements or len(stations)

        def give(i, wanted):
            nonlocal left, bursts
            overhead = 0 if units[i] else frame.burst_overhead_units
            given = min(int(wanted + 0.999), left - overhead)
            if given > 0 and (units[i] or bursts):
                bursts -= units[i] == 0
                units[i] += given
                left -= given + overhead

        def metric(i):
            return stations[i].weight * stations[i].octets_per_unit / (1 + self.average.get(stations[i].cid, 0))

        order = sorted(range(len(stations)), key=metric, reverse=True)
        for i in order:
            give(i, max(stations[i].owed_units, REQUEST if stations[i].active and not stations[i].wanted_units else 0))
        for i in order:
            give(i, stations[i].wanted_units - units[i])
        if frame.map_elements:  # the uplink
            for i in sorted(order, key=lambda i: -stations[i].frames_waiting):
                give(i, SPARE - units[i])
            for i in [i for i in order if stations[i].active][:1]:
                give(i, left)
        for station, got in zip(stations, units):
            before = self.average.get(station.cid, 0)
            self.average[station.cid] = before + MEMORY * (got * station.octets_per_unit - before)
        return units
