# SPDX-License-Identifier: GPL-3.0-or-later
"""Files of docs/curves: a line for each curve, with its points as columns. Error rates and their bounds are not stored: they follow from the counts.
All but those that the simulator is built from are compressed."""
import collections
import json
import lzma
import math
import os

from wimax_tools import progress

# Values shared by the points of a curve, and values of each point. A curve has a commit where that differs from the file's.
OF_CURVE = ("rate_id", "direction", "symbols", "estimation", "doppler_hz", "midamble_interval")
OF_POINT = ("snr_db", "blocks", "block_errors", "missed", "ber")
KEPT_KEYS = OF_CURVE + OF_POINT
LONG = 2  # symbols from which on a curve has bit error rates: those of single symbols are in no table
PLAIN = ("awgn-downlink", "awgn-uplink")  # apps/sim/CMakeLists.txt reads them
NORMAL_95 = 1.959964  # quantile of the normal distribution for two-sided 95 %, as in wimax-link


def path_of(folder, name):
    return os.path.join(folder, name + (".json" if name in PLAIN else ".json.xz"))


def opened(path, mode):
    return (lzma.open if path.endswith(".xz") else open)(path, mode + "t", encoding="utf-8")


def wilson(errors, blocks):
    """95 % bounds of a rate of which `errors` of `blocks` were counted."""
    z2 = NORMAL_95 ** 2
    centre, half = (errors + z2 / 2) / (blocks + z2), NORMAL_95 * math.sqrt(errors * (1 - errors / blocks) + z2 / 4) / (blocks + z2)
    return 0.0 if errors == 0 else centre - half, 1.0 if errors == blocks else centre + half


def with_rates(point):
    low, high = wilson(point["block_errors"], point["blocks"])
    return {**point, "per": point["block_errors"] / point["blocks"], "per_low": low, "per_high": high}


def read(path):
    """Points of a file, each with its rates and the commit of its receiver; none where there is no file."""
    if not os.path.exists(path):
        return []
    with opened(path, "r") as file:
        kept = json.load(file)
    return [with_rates({"commit": curve.get("commit", kept["commit"]), **{key: curve[key] for key in OF_CURVE}, **dict(zip(columns_of(curve), values))})
            for curve in kept["curves"] for values in zip(*(curve[key] for key in columns_of(curve)))]


def columns_of(curve):
    return OF_POINT if curve["symbols"] >= LONG else tuple(key for key in OF_POINT if key != "ber")


def write(path, points):
    """Four digits of bit error rates are more than the statistics have."""
    usual = collections.Counter(point["commit"] for point in points).most_common(1)[0][0]
    curves = {}
    for point in points:
        curves.setdefault((*(point[key] for key in OF_CURVE), point["commit"]), []).append(point)
    lines = []
    for (*values, commit), members in curves.items():
        curve = dict(zip(OF_CURVE, map(short, values))) | ({} if commit == usual else {"commit": commit})
        lines.append(json.dumps(curve | {key: [short(point[key]) for point in members] for key in columns_of(curve)}, separators=(",", ":")))
    with progress.whole_file(path) as fresh, opened(fresh, "w") as file:
        file.write(f'{{"commit":"{usual}","curves":[\n' + ",\n".join(lines) + "\n]}\n")


def short(value):
    if not isinstance(value, float):
        return value
    return int(value) if value.is_integer() else float(f"{value:.4g}")
