# SPDX-License-Identifier: GPL-3.0-or-later
"""What a receiver hears, from a PHY's answer to `signal`: its spectrum, the senders that it has heard, and of one of them all."""

LONG = ("points", "channels")  # of a burst: sent of the chosen one alone


def key_of(burst):
    """Key that selects a sender, as the PHY distinguishes them."""
    words = [burst["direction"], burst["kind"], burst["cid"]]
    return " ".join(str(word) for word in (words + [burst["iuc"]] if burst["direction"] == "downlink" else words))


def chosen(bursts, key):
    """The burst of that key; without a key the first one with data, so that it is the same each time. None: not heard."""
    if key:
        return next((burst for burst in bursts if burst["key"] == key), None)
    return next((burst for burst in bursts if burst["kind"] == "data"), bursts[0] if bursts else None)


def heard(signal, key=""):
    """What the page gets. `signal`: of the PHY, None of one that is silent."""
    if signal is None or not signal.get("radio_open"):
        return {"answers": signal is not None, "radio_open": False, "spectrum_dbm": [], "bursts": [], "burst": None}
    bursts = sorted((dict(burst, key=key_of(burst)) for burst in signal["bursts"]), key=lambda burst: (burst["kind"], burst["cid"], burst["iuc"]))
    return {"answers": True, "radio_open": True, "sample_rate_hz": signal["sample_rate_hz"], "spectrum_dbm": signal["spectrum_dbm"],
            "bursts": [{name: value for name, value in burst.items() if name not in LONG} for burst in bursts], "burst": chosen(bursts, key)}
