# SPDX-License-Identifier: GPL-3.0-or-later
"""Proportional fair, for both directions: bs: {dl_scheduler: {python: "proportional_fair.py:ProportionalFair"}, ...}"""

MEMORY = 0.01       # weight of the present frame in a station's average
REQUEST_UNITS = 2   # room for a request, in the uplink, of a station that is active


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
            give(i, max(stations[i].owed_units, REQUEST_UNITS if stations[i].active else 0))
        for i in order:
            give(i, stations[i].wanted_units - units[i])
        for i in [i for i in order if stations[i].active][:1]:
            give(i, left)  # in the uplink, it will have more by then
        for station, got in zip(stations, units):
            before = self.average.get(station.cid, 0)
            self.average[station.cid] = before + MEMORY * (got * station.octets_per_unit - before)
        return units
