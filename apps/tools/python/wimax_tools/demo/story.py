# SPDX-License-Identifier: GPL-3.0-or-later
"""The radio channel of the demonstration, and what its console reports: pure functions of time and of figures."""
from dataclasses import dataclass

from wimax_tools.bench.profiles import RATE_NAMES

SAMPLES_PER_KM = 19.2    # delay at 5.76 MS/s
FADE_PERIOD_S = 60.0     # a fade begins every minute
FIRST_FADE_S = 15.0
FALL_S, BOTTOM_S = 12.0, 10.0


@dataclass(frozen=True)
class Place:
    """A subscriber station."""
    name: str
    km: float
    snr_db: float
    fade_db: float = 0.0  # depth of its fades

    @property
    def delay_samples(self):
        return SAMPLES_PER_KM * self.km


PLACES = (Place("near", 0.2, 30), Place("middle", 1.5, 23, fade_db=14), Place("far", 4.0, 15))


def fade_share(time_s):
    """0: no fade; 1: its full depth."""
    since = (time_s - FIRST_FADE_S) % FADE_PERIOD_S if time_s >= FIRST_FADE_S else FADE_PERIOD_S
    if since < FALL_S:
        return since / FALL_S
    if since < FALL_S + BOTTOM_S:
        return 1.0
    return max(0.0, 1 - (since - FALL_S - BOTTOM_S) / FALL_S)


def snr_db(place, time_s):
    """In steps of half a decibel, so that the channel is set when something changes."""
    return place.snr_db - round(2 * place.fade_db * fade_share(time_s)) / 2


def phase(time_s):
    """What happens to the channel now."""
    share, later = fade_share(time_s), fade_share(time_s + 0.5)
    if share in (0, 1) and share == later:
        return "steady" if share == 0 else "deep"
    return "falling" if later > share or (share < 1 and later == 1) else "rising"


PHASES = {
    "falling": "A fade begins: the path of station {name} loses {depth:g} dB within {seconds:g} s.\n"
               "  Its CINR falls. The base station changes to slower rates, which need less CINR.",
    "deep": "The fade is at its deepest. Slow rates keep the link: each symbol carries fewer bits, so the station needs more symbols for its traffic.",
    "rising": "The fade ends. The CINR rises again, and the rates follow.",
    "steady": "The channel is steady again. The next fade begins soon.",
}


def rate_name(rate_id):
    return RATE_NAMES[rate_id] if rate_id is not None and 0 <= rate_id < len(RATE_NAMES) else "-"


def rate_changes(time_s, before, now):
    """Sentences about rates that changed; `before`, `now`: {station: {"dl": rate_id, "ul": rate_id}}."""
    for place in PLACES:
        for key, direction in (("dl", "downlink"), ("ul", "uplink")):
            old, new = (rates.get(place.name, {}).get(key) for rates in (before, now))
            if old is not None and new is not None and old != new:
                yield (f"{time_s:7.1f}  {place.name}: {direction} {'slower' if new < old else 'faster'}, {rate_name(old)} -> {rate_name(new)}, "
                       f"at an SNR of {snr_db(place, time_s):g} dB")


HEADER = f"{'time s':>7}  {'station':<8}{'km':>5}{'SNR dB':>8}{'CINR dB':>9}  {'downlink':<11}{'kbit/s':>7}  {'uplink':<11}{'kbit/s':>7}"


def row(time_s, place, figures):
    """A line of the table; kbit/s is what arrived at the other end."""
    cinr = "-" if figures["cinr_db"] is None else f"{figures['cinr_db']:.1f}"
    return (f"{time_s:7.0f}  {place.name:<8}{place.km:>5g}{snr_db(place, time_s):>8.1f}{cinr:>9}  {rate_name(figures['dl']):<11}{figures['dl_kbps']:>7.0f}  "
            f"{rate_name(figures['ul']):<11}{figures['ul_kbps']:>7.0f}")
