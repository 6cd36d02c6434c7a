# SPDX-License-Identifier: GPL-3.0-or-later
"""Why stations do not enter, as far as measurements tell."""

MEASURED_NOTHING_DB = -100  # CINR of a station that has received nothing
WAITS_FOR_MAPS = ("scanning", "DL-MAP wait", "DCD/UCD wait")


def too_weak(direction, rate_id, cinr_db, rates):
    """None where the rate should work."""
    rate = rates[rate_id]
    if cinr_db is None or cinr_db <= MEASURED_NOTHING_DB or cinr_db >= rate["needs_db"]:
        return None
    return f"{direction} rate {rate_id} ({rate['name']}) needs {rate['needs_db']:.1f} dB, its CINR is {cinr_db:.1f}"


def reason(status, at_base, rates, dl_rate, ul_rate):
    """`status`: of the station's MAC, None without an answer; `at_base`: what the base station has of it, or None."""
    if status is None:
        return "its MAC does not answer"
    if not status["phy_alive"]:
        return "its MAC has no PHY"
    if not status["synchronised"]:
        return "it hears no base station"
    station = status["station"]
    weak = [text for text in (too_weak("downlink", dl_rate, station["cinr_db"], rates),
                              too_weak("uplink", ul_rate, at_base and at_base["cinr_db"], rates)) if text]
    if weak:
        return "; ".join(weak)
    if station["state"] in WAITS_FOR_MAPS:
        return f"it is synchronised, CINR {station['cinr_db']:.1f} dB, and reads no maps ({station['state']})"
    if station["state"] == "ranging":
        return f"{station['ranging']['attempts']} ranging requests were not answered, {station['power_dbm']:.1f} dBm the last"
    return f"it stays in {station['state']}"


def reasons(stack, states):
    """A line for each that is not operational. `states`: statuses of the MACs, base station first."""
    answer = stack.ask("bs.macd", {"get": "rates"})
    if not states[0] or not answer:
        return ["bs: its MAC does not answer"]
    known = {s["mac"]: s for s in states[0]["station"]["stations"]}
    return [f"{site}: " + reason(status, known.get(stack.mac_address(i)), answer["rates"], stack.dl_rate, stack.ul_rate)
            for i, (site, status) in enumerate(zip(stack.sites[1:], states[1:])) if not (status and status["operational"])]
