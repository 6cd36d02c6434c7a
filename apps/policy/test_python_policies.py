# SPDX-License-Identifier: GPL-3.0-or-later
"""Schedulers for tests of the host. They see every field that the documentation names."""
import threading


class Fields:
    """Returns the sum of all fields of a station, so that a test sees that each has its value."""

    def __init__(self, cell):
        assert cell.role in ("downlink", "uplink") and len(cell.octets_per_unit) == 7
        self.frame_s = cell.frame_s

    def schedule(self, frame):
        assert frame.units >= 0 and frame.map_elements >= 0 and frame.burst_most_units >= 0
        self.last = (frame.number, frame.time_s)
        units = []
        for s in frame.stations:
            total = s.cid + s.rate_id + s.octets_per_unit + s.weight + s.owed_units + s.wanted_units + s.served_units + s.used_units
            total += s.frames_waiting + s.active + s.entering
            for f in s.flows:
                total += f.backlog_octets + f.reserved_octets + f.unasked_octets + f.poll + f.priority + f.min_rate_bps + f.max_rate_bps
                total += f.max_latency_ms + (0 if f.deadline_s == float("inf") else f.deadline_s) + len(f.scheduling)
            units.append(total)
        return units


class Raises:
    def __init__(self, cell):
        pass

    def schedule(self, frame):
        raise KeyError("no such station")


class Hangs:
    def __init__(self, cell):
        self.never = threading.Event()

    def schedule(self, frame):
        self.never.wait()


class Answers:
    """Each frame the next one of these, which are not what a scheduler has to return."""

    def __init__(self, cell):
        self.left = [None, 7, "units", [], [1, 2, 3], ["one"], [float("nan")], [-1], [float("inf")]]

    def schedule(self, frame):
        return self.left.pop(0)


class RefusesTheCell:
    def __init__(self, cell):
        raise ValueError(f"not for the {cell.role}")

    def schedule(self, frame):
        return []


class NoMethod:
    pass


schedule = None


class Rule:
    """Refuses stations, and flows with a priority, with all fields as the reason; flows of more than 2 Mbit/s without a reason."""

    def __init__(self, cell):
        assert cell.role == "admission" and cell.frame_s > 0

    def admit(self, request):
        assert request.kind in ("station", "new flow", "changed flow") and isinstance(request.fits, bool)
        if request.kind == "station":
            return "seen " + " ".join(str(value) for value in request)
        if request.max_rate_bps > 2_000_000:
            return False
        return "seen " + " ".join(str(value) for value in request) if request.priority else True


class Rate:
    """The rate that the mean CINR names; 7: what is no rate."""

    def __init__(self, cell):
        assert cell.role == "link_adaptation"

    def adapt(self, link):
        if link.give_up:
            raise ValueError(" ".join(str(value) for value in link))
        return {7: 7, 8: -1, 9: "fast", 10: None, 11: 10**30}.get(int(link.mean_cinr_db), int(link.mean_cinr_db))


class AdmitsNothingUseful:
    def __init__(self, cell):
        self.left = [None, 1, 0.5, []]

    def admit(self, request):
        return self.left.pop(0)
