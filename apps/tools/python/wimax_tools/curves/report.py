# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of the measured curves, and the tables of docs/error-rates.md between its two marks."""
import functools
import math
import os

from wimax_tools import progress
from wimax_tools.curves import plot
from wimax_tools.curves import points as curves_points
from wimax_tools.curves import threshold

DIRECTIONS = ("downlink", "uplink")
# Receiver SNR that the 2005 corrigendum assumes, dB.
CORRIGENDUM_DB = (3.0, 6.0, 8.5, 11.5, 15.0, 19.0, 21.0)
# Long bursts on the move: field of the midamble interval by direction.
MOBILITY_SYMBOLS, MOBILITY_RATE = 50, 3
MOBILITY_DOPPLER_HZ = (10, 50, 195)
MOBILITY_CASES = (("downlink", 0), ("uplink", 0), ("uplink", 3), ("uplink", 2), ("uplink", 1))
MOBILITY_NAMES = ("downlink", "uplink, no midamble", "uplink, midamble every 32", "every 16", "every 8")
NUMEROLOGIES_RATE = 3  # of the picture that compares bandwidths and prefixes
BEGIN, END = "<!-- tables: begin -->\n", "<!-- tables: end -->\n"
NAMES = {"awgn": "White noise", "sui1": "SUI-1", "sui2": "SUI-2", "sui3": "SUI-3", "sui4": "SUI-4", "sui5": "SUI-5",
         "sui6": "SUI-6", "pedestrian-a": "Pedestrian A, 3 km/h at 3.5 GHz",
         "pedestrian-b": "Pedestrian B, 3 km/h at 3.5 GHz", "vehicular-a": "Vehicular A, 60 km/h at 3.5 GHz",
         "vehicular-b": "Vehicular B, 60 km/h at 3.5 GHz"}
# The same at other bandwidths and prefixes than 5 MHz, 1/8: (channel, MHz, samples of a symbol's body a sample of the prefix).
OTHER_NUMEROLOGIES = {f"{channel}-{mhz:g}mhz-cp{prefix}": (channel, mhz, prefix)
                      for channel in ("awgn", "vehicular-a") for mhz in (1.25, 20) for prefix in (4, 32)}
NAMES |= {name: f"{NAMES[channel]}, {mhz:g} MHz, CP 1/{prefix}"
          for name, (channel, mhz, prefix) in OTHER_NUMEROLOGIES.items()}


def select(points, rate, estimation, symbols=1):
    return [point for point in points
            if (point["rate_id"], point["estimation"], point["symbols"]) == (rate, estimation, symbols)]


def number(value, digits=2):
    return "-" if value is None else f"{value:.{digits}f}"


def plus_minus(value):
    if value is None:
        return "-"
    return f"{value[0]:+.2f} ± {value[1]:.2f}" if math.isfinite(value[1]) else f"{value[0]:+.2f} ± ?"


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows]) + "\n\n"


def awgn_table(points, direction):
    rows = []
    for rate, name in enumerate(plot.RATES):
        real, genie = (threshold.crossing(select(points, rate, estimation)) for estimation in ("real", "genie"))
        reference = threshold.GENIE_PER_DB[rate]
        rows.append([name, number(reference), number(genie), number(real),
                     plus_minus(threshold.gap(select(points, rate, "real"), select(points, rate, "genie"))),
                     "-" if real is None else f"{real - reference:+.2f}", number(CORRIGENDUM_DB[rate], 1),
                     "-" if real is None else f"{CORRIGENDUM_DB[rate] - real:.2f}"])
    return f"Block error rate 1e-2, {direction}, SNR in dB:\n\n" + table(
        ["rate", "reference", "genie", "receiver", "receiver - genie", "receiver - reference", "corrigendum",
         "margin to it"], rows)


def ber_table(points, direction):
    symbols = max(point["symbols"] for point in points)
    rows = []
    for rate, name in enumerate(plot.RATES):
        real, genie = (threshold.ber_crossing(select(points, rate, estimation, symbols))
                       for estimation in ("real", "genie"))
        reference = threshold.GENIE_BER_DB[rate]
        rows.append([name, number(reference), number(genie), number(real),
                     "-" if real is None else f"{real - reference:+.2f}", number(CORRIGENDUM_DB[rate], 1),
                     "-" if real is None else f"{CORRIGENDUM_DB[rate] - real:.2f}"])
    return f"Bit error rate 1e-6, {direction}, bursts of {symbols} symbols, SNR in dB:\n\n" + table(
        ["rate", "reference", "genie", "receiver", "receiver - reference", "corrigendum", "margin to it"], rows)


def floor(points):
    """Block error rate over the three highest SNRs, where the curve does not reach the target."""
    last = sorted(points, key=lambda point: point["snr_db"])[-3:]
    return sum(point["block_errors"] for point in last) / sum(point["blocks"] for point in last)


def fading_table(by_direction):
    head, rows = ["rate"], []
    for direction in by_direction:
        head += [f"{direction} genie", "receiver", "receiver - genie"]
    for rate, name in enumerate(plot.RATES):
        row = [name]
        for points in by_direction.values():
            real, genie = select(points, rate, "real"), select(points, rate, "genie")
            for side in (genie, real):
                snr = threshold.crossing(side)
                row.append(number(snr, 1) if snr is not None else f"floor {floor(side):.3f}" if side else "-")
            row.append(plus_minus(threshold.gap(real, genie)))
        rows.append(row)
    return table(head, rows)


def section(name, by_direction):
    text = f"### {NAMES[name]}\n\n"
    if name.startswith("awgn"):
        for direction, points in by_direction.items():
            text += awgn_table(points, direction)
        for direction, points in by_direction.items():
            if any(point["symbols"] > 1 for point in points):
                text += ber_table(points, direction)
    else:
        text += fading_table(by_direction)
    return text + (f"![{NAMES[name]}](curves/{name}.svg)\n\n" if name not in OTHER_NUMEROLOGIES else "")


def numerologies_section():
    return (f"### All numerologies\n\n{plot.RATES[NUMEROLOGIES_RATE]} at each bandwidth and cyclic prefix that was measured:\n\n"
            "![Other bandwidths and cyclic prefixes](curves/numerologies.svg)\n\n")


def mobility_case(points, doppler, case, estimation):
    return [point for point in points
            if (point["doppler_hz"], point["direction"], point["midamble_interval"], point["estimation"]) ==
            (doppler, *case, estimation)]


def mobility_cell(points, doppler, case):
    real, genie = (mobility_case(points, doppler, case, estimation) for estimation in ("real", "genie"))
    snrs = [threshold.rough_crossing(side) for side in (real, genie)]
    if snrs[0] is not None:
        return f"{snrs[0]:.1f} / {number(snrs[1], 1)}"
    return f"floor {floor(real):.3f} / {number(snrs[1], 1)}"


def mobility_section(points):
    head = ["burst"] + [f"{doppler} Hz ({doppler / 195 * 60:.0f} km/h at 3.5 GHz)" for doppler in MOBILITY_DOPPLER_HZ]
    rows = [[name] + [mobility_cell(points, doppler, case) for doppler in MOBILITY_DOPPLER_HZ]
            for case, name in zip(MOBILITY_CASES, MOBILITY_NAMES)]
    return (f"### On the move\n\nBursts of {MOBILITY_SYMBOLS} symbols of {plot.RATES[MOBILITY_RATE]}, taps of "
            "vehicular A. SNR in dB for a block error rate of 1e-2, receiver / genie, from\npoints 3 dB apart:\n\n" +
            table(head, rows) + f"![Bursts of {MOBILITY_SYMBOLS} symbols on the move](curves/mobility.svg)\n\n")


def draw_mobility(points, path):
    def curves(doppler):
        return [(name, [mobility_case(points, doppler, case, estimation) for estimation in ("real", "genie")])
                for case, name in zip(MOBILITY_CASES, MOBILITY_NAMES)]

    panels = [(f"largest Doppler shift {doppler} Hz", curves(doppler)) for doppler in MOBILITY_DOPPLER_HZ]
    plot.draw_panels(panels, path)


def draw_numerologies(sets, path):
    """Side by side, for each channel and direction that has them, all bandwidths and prefixes."""
    panels = []
    for channel in dict.fromkeys(channel for channel, _, _ in OTHER_NUMEROLOGIES.values()):
        for direction in DIRECTIONS:
            others = [(f"{mhz:g} MHz, CP 1/{prefix}", f"{name}-{direction}") for name, (of, mhz, prefix) in OTHER_NUMEROLOGIES.items() if of == channel]
            curves = [(label, [select(sets[name], NUMEROLOGIES_RATE, estimation) for estimation in ("real", "genie")])
                      for label, name in [("5 MHz, CP 1/8", f"{channel}-{direction}"), *others] if name in sets]
            panels += [(f"{NAMES[channel].split(',')[0]}, {direction}", curves)] if curves else []
    plot.draw_panels(panels, path)


def read_sets(docs):
    """Points of every measured set: {name: points} of name-direction, and of mobility."""
    sets = {}
    for name in [f"{name}-{direction}" for name in NAMES for direction in DIRECTIONS] + ["mobility"]:
        if points := curves_points.read(curves_points.path_of(os.path.join(docs, "curves"), name)):
            sets[name] = points
    return sets


def tables(sets):
    """What stands between the marks of error-rates.md."""
    single = [point["blocks"] for points in sets.values() for point in points if point["symbols"] == 1]
    text = f"\nEach point of the curves of single symbols has at least {min(single, default=0)} bursts.\n\n"
    for name in NAMES:
        by_direction = {direction: sets[f"{name}-{direction}"] for direction in DIRECTIONS
                        if f"{name}-{direction}" in sets}
        if by_direction:
            text += section(name, by_direction)
    text += numerologies_section() if has_numerologies(sets) else ""
    return text + (mobility_section(sets["mobility"]) if "mobility" in sets else "")


def has_numerologies(sets):
    return any(f"{name}-{direction}" in sets for name in OTHER_NUMEROLOGIES for direction in DIRECTIONS)


def pictures(sets):
    """{name: what draws it to a path}. Other numerologies share one picture."""
    found = {}
    for name in NAMES:
        panels = [(f"{NAMES[name]}, {direction}", plot.rate_curves([point for point in sets[f"{name}-{direction}"] if point["symbols"] == 1]))
                  for direction in DIRECTIONS if f"{name}-{direction}" in sets]
        if panels and name not in OTHER_NUMEROLOGIES:
            found[name] = functools.partial(plot.draw_panels, panels)
    if has_numerologies(sets):
        found["numerologies"] = functools.partial(draw_numerologies, sets)
    if "mobility" in sets:
        found["mobility"] = functools.partial(draw_mobility, sets["mobility"])
    return found


def draw(sets, docs, bar):
    found = pictures(sets)
    for number, (name, draw_one) in enumerate(found.items()):
        bar.show(number / len(found), f"picture {number + 1} of {len(found)} ({name})")
        draw_one(os.path.join(docs, "curves", name + ".svg"))


class WrongDocument(ValueError):
    """There are no marks to put the tables between."""


def split_document(docs):
    """error-rates.md before, between and after its marks; a new one where there is none."""
    path = os.path.join(docs, "error-rates.md")
    if not os.path.exists(path):
        return ["# Error rates\n\n", "", ""]
    with open(path) as file:
        head, mark, rest = file.read().partition(BEGIN)
    between, end_mark, tail = rest.partition(END)
    if not mark or not end_mark:
        raise WrongDocument(f"{path}: allowed a document with the lines {BEGIN.strip()} and {END.strip()}")
    return [head, between, tail]


def write(docs, bar):
    """Draws every set of points in `docs`/curves and replaces the tables of `docs`/error-rates.md. How many sets there are."""
    sets = read_sets(docs)
    if not sets:
        raise WrongDocument(f"{os.path.join(docs, 'curves')}: allowed a folder with sets of points (awgn-downlink.json ...); "
                            "--from puts there what a campaign has measured")
    head, _, tail = split_document(docs)
    with progress.whole_file(os.path.join(docs, "error-rates.md")) as fresh, open(fresh, "w") as file:
        file.write(head + BEGIN + tables(sets) + END + tail)
    draw(sets, docs, bar)
    return len(sets)
