# SPDX-License-Identifier: GPL-3.0-or-later
"""PIE (RFC 8033) for the queues of all service flows: bs: {queue_management: {python: "pie.py:Pie"}}"""

TARGET = 0.03       # s, delay of the queue. RFC 8033 has 15 ms, which is short for frames of 10 ms
PERIOD = 0.015      # s between two updates of the probability
ALPHA = 0.125       # per s of deviation from the target
BETA = 1.25         # per s of change since the last update
BURST = 0.15        # s without drops after an idle time
MARKS_UP_TO = 0.1   # above this probability packets are dropped, also where the ends support ECN
STEPS = ((1e-6, 2048), (1e-5, 512), (1e-4, 128), (1e-3, 32), (1e-2, 8), (1e-1, 2))


class Queue:
    def __init__(self, time_s):
        self.probability, self.delay, self.updated, self.burst = 0.0, 0.0, time_s, BURST

    def update(self, delay, time_s):
        if time_s - self.updated < PERIOD:
            return
        self.burst = max(0.0, self.burst - (time_s - self.updated))
        change = ALPHA * (delay - TARGET) + BETA * (delay - self.delay)
        change /= next((divisor for limit, divisor in STEPS if self.probability < limit), 1)
        if self.probability >= 0.1:
            change = min(change, 0.02)
        self.probability += change + (0.02 if delay > 0.25 else 0)
        if delay == 0 and self.delay == 0:
            self.probability *= 0.98
        self.probability = min(1.0, max(0.0, self.probability))
        if self.probability == 0 and delay < TARGET / 2 and self.delay < TARGET / 2:
            self.burst = BURST
        self.delay, self.updated = delay, time_s


class Pie:
    def __init__(self, cell):
        self.queues = {}  # by CID

    def manage(self, frame):
        return [self.directive(flow, frame.time_s) for flow in frame.queues]

    def directive(self, flow, time_s):
        queue = self.queues.setdefault(flow.cid, Queue(time_s))
        queue.update(flow.head_age_s, time_s)
        p = queue.probability
        if queue.burst > 0 or flow.octets <= 3000 or (queue.delay < TARGET / 2 and p < 0.2):
            p = 0.0
        return {"drop_probability": p, "mark_probability": p if p <= MARKS_UP_TO else 0.0, "codel": False}
