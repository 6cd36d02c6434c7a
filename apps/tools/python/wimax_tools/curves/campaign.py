# SPDX-License-Identifier: GPL-3.0-or-later
"""Draws the error-rate curves of docs/error-rates.md and writes its tables; can include new results of a campaign.

One file of points per set and direction and one picture per set, in docs/curves. What a campaign has measured replaces the points
of the same rate and length of bursts; each point names the commit of its receiver. The tables are made of all files that
are there, so a campaign of a few sets will do."""
import os
from pathlib import Path

from wimax_tools import command_line
from wimax_tools import progress
from wimax_tools import provenance
from wimax_tools.campaign import store
from wimax_tools.curves import points as curves_points
from wimax_tools.curves import report as curves_report


INTERRUPTED = 130  # exit status


def merge(points):
    """One point for equal setup and SNR: the fine grid may meet the coarse one; the larger sample is kept."""
    kept = {}
    for point in points:
        key = (point["symbols"], point["rate_id"], point["estimation"], point["snr_db"])
        if key not in kept or kept[key]["blocks"] < point["blocks"]:
            kept[key] = point
    return [kept[key] for key in sorted(kept)]


class WrongRows(ValueError):
    """No results of a campaign of kind curves."""


def file_of(row):
    """Name of the set that a row's points belong to."""
    if row["what"] == "mobility":
        return "mobility"
    name = "awgn" if row["what"] == "bits" else row["set"]
    if name not in curves_report.NAMES or row["direction"] not in curves_report.DIRECTIONS:
        raise WrongRows(f"no set is called {name}-{row['direction']}")
    return f"{name}-{row['direction']}"


def by_file(rows):
    """{set: points}, each point with the commit of its receiver; of each task one row may be there."""
    found, tasks = {}, set()
    for row in sorted(rows, key=lambda row: (row["group"], row["seed"])):
        if row["group"] in tasks:
            raise WrongRows(f"two seeds of {row['command']}: a curve is of one")
        tasks.add(row["group"])
        found.setdefault(file_of(row), []).extend({**{key: point[key] for key in curves_points.KEPT_KEYS}, "commit": row["commit"]} for point in row["points"])
    if not found:
        raise WrongRows("no rows yet")
    return found


def measured(folder):
    """Points of a campaign's results, by set."""
    journal = Path(folder, store.JOURNAL)
    try:
        return by_file(store.read(journal)[1])
    except (KeyError, TypeError, ValueError) as error:
        raise WrongRows(f"{journal}: no campaign of error-rate curves: {error}") from error


def take_over(new, folder):
    """New points instead of the old ones of their rates and lengths of bursts; mobility's are one task."""
    for name, points in new.items():
        path = curves_points.path_of(folder, name)
        if name != "mobility":
            replaced = {(point["rate_id"], point["symbols"]) for point in points}
            points = merge([point for point in curves_points.read(path) if (point["rate_id"], point["symbols"]) not in replaced] + points)
        curves_points.write(path, points)


def main(argv=None):
    parser = command_line.Parser(prog="wimax curves", description=__doc__.split("\n")[0],
                                 epilog="example:\n  wimax campaign tests/experiments/campaigns/error-rates.yml --out new\n  wimax curves --from new")
    parser.add_argument("--from", dest="campaign", metavar="DIR",
                        help="results of the campaign tests/experiments/campaigns/error-rates.yml, or of some of its sets; their points replace those in curves/")
    parser.add_argument("--docs", default=os.path.join(provenance.TOP, "docs"), help="folder of error-rates.md and curves/ (default: docs of the source tree)")
    options = parser.parse_args(argv)
    bar = progress.Progress("wimax curves")
    try:
        if options.campaign:
            new = measured(options.campaign)
            curves_report.split_document(options.docs)  # refused before anything is written
            folder = os.path.join(options.docs, "curves")
            os.makedirs(folder, exist_ok=True)
            take_over(new, folder)
        count = curves_report.write(options.docs, bar)
    except (WrongRows, curves_report.WrongDocument, OSError) as error:
        bar.clear()
        parser.exit(2, f"wimax curves: {error}\n")
    except KeyboardInterrupt:
        bar.clear()
        parser.exit(INTERRUPTED, "wimax curves: stopped; pictures not drawn again are those of before\n")
    bar.clear()
    print(f"wimax curves: {count} sets in {os.path.join(options.docs, 'error-rates.md')} and {os.path.join(options.docs, 'curves')}")
