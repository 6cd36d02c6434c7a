# SPDX-License-Identifier: GPL-3.0-or-later
"""Since when each counter counts: created timestamps of OpenMetrics."""

import time


class Births:
    """Start times of one program's counters. A new counter started after the last scrape; a counter that decreased was restarted since then.
    Forgets what is gone."""

    def __init__(self):
        self._began_s = self._looked_s = None
        self._known = {}  # (metric, labels): (value, created)

    def look(self, counters, began_s):
        """`counters`: {(metric, labels): value} of now. Wall time by the same keys; empty where it is not known when the program began."""
        if began_s is None:
            return {}
        again = began_s != self._began_s
        before, since_s = ({}, began_s) if again else (self._known, self._looked_s)
        self._known = {key: (value, self._created(before.get(key), value, since_s)) for key, value in counters.items()}
        self._began_s, self._looked_s = began_s, time.time()
        return {key: created for key, (_, created) in self._known.items()}

    @staticmethod
    def _created(before, value, since_s):
        return since_s if before is None or value < before[0] else before[1]
