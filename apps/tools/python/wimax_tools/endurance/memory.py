# SPDX-License-Identifier: GPL-3.0-or-later
"""Does memory grow? A straight line through looks at the resident memory of a program."""
import numpy as np

WARM_SHARE = 0.1                        # of the run that does not count: caches and queues fill
ALLOWED_SHARE, ALLOWED_KIB = 0.01, 512  # growth over what counts: the larger of the two
LEAST_LOOKS = 3


def line(times_s, kib):
    """The line of Theil and Sen, the median of all slopes between two looks: a heap that swells for a while does not bend it."""
    times_s, kib = np.asarray(times_s, dtype=float), np.asarray(kib, dtype=float)
    earlier, later = np.triu_indices(len(times_s), 1)
    slope = float(np.median((kib[later] - kib[earlier]) / (times_s[later] - times_s[earlier])))
    grown = slope * (times_s[-1] - times_s[0])
    allowed = max(ALLOWED_KIB, ALLOWED_SHARE * kib[0])
    return {"first_kib": float(kib[0]), "last_kib": float(kib[-1]), "most_kib": float(kib.max()), "slope_kib_per_h": 3600 * slope,
            "grown_kib": grown, "allowed_kib": allowed, "flat": bool(grown <= allowed)}
