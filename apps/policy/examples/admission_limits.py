# SPDX-License-Identifier: GPL-3.0-or-later
"""An admission rule: bs: {admission: {python: "admission_limits.py:AdmissionLimits"}}"""

LEAST_CINR_DB = 3    # of a station that wants to enter
MOST_SHARE = 0.25    # largest part of the reservable units for one flow
OVERBOOKED = 1.2     # reservable units times this, for flows whose rates vary


class AdmissionLimits:
    """Refuses distant stations and large flows, and overbooks the cell with flows of variable rates."""

    def __init__(self, cell):
        pass

    def admit(self, request):
        if request.kind == "station":
            return request.cinr_db >= LEAST_CINR_DB or f"a CINR of {request.cinr_db:.1f} dB, at least {LEAST_CINR_DB} dB needed"
        if request.cost_units > MOST_SHARE * request.units:
            return f"{request.cost_units:.1f} units per frame, at most {MOST_SHARE * request.units:.1f} allowed"
        if request.fits:
            return True
        reserved = request.reserved_units + request.cost_units
        return request.scheduling in ("rtPS", "nrtPS") and reserved <= OVERBOOKED * request.units or request.reason
