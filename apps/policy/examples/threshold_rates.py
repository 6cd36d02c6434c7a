# SPDX-License-Identifier: GPL-3.0-or-later
"""Link adaptation by thresholds, for both directions:

    bs: {adaptation: {policy: {python: "threshold_rates.py:ThresholdRates"}}}
    ss: {adaptation: {policy: {python: "threshold_rates.py:ThresholdRates"}}}
"""

LEAST_MARGIN_DB = 0.5  # above the need of a rate in white noise
MOST_MARGIN_DB = 12
LOSS_DB = 0.5          # a lost burst adds this to the margin of its link
CALM_DB = 0.005        # a burst without errors subtracts this
RISE_DB = 0.5          # a higher rate needs this in addition


class ThresholdRates:
    """The highest rate whose need lies below mean and last CINR, with a margin that losses raise."""

    def __init__(self, cell):
        self.margins_db = {}  # by link

    def adapt(self, link):
        margin_db = self.margins_db.get(link.number, LEAST_MARGIN_DB)
        lost = link.lost_bursts[link.rate_id]
        received = link.bursts[link.rate_id] - lost
        margin_db = min(MOST_MARGIN_DB, max(LEAST_MARGIN_DB, margin_db + LOSS_DB * lost - CALM_DB * received))
        self.margins_db[link.number] = margin_db
        cinr_db = min(link.mean_cinr_db, link.cinr_db)
        rate = link.lowest_rate_id
        for higher in range(link.lowest_rate_id + 1, link.highest_rate_id + 1):
            rise_db = RISE_DB if higher > link.rate_id else 0
            if cinr_db >= max(link.needs_db[higher] + margin_db + rise_db, link.exit_db[higher]):
                rate = higher
        return rate
