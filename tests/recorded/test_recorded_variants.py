# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python makes of inputs that differ from known ones in a few places: figures that are absent, null, zero, negative or of another kind.
The results are hashed; of what a function refuses, the kind of exception is the result."""
import copy
import functools
import hashlib
import json
import random
import re
import sys
import types
from pathlib import Path

import recorded
import test_recorded_pages as pages

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
TOGETHER = 20  # variants of a hash


def places(value, path=()):
    """Paths of all members and elements."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, one in inner:
        yield (*path, key)
        yield from places(one, (*path, key))


def another(value, draw):
    """Instead of a value: what a program of another version, another cell or a fault could have put there."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, (int, float)):
        return draw.choice((0, -value, value + 1, value * 1.5, 10 * value, draw.randrange(9)))
    if isinstance(value, str):
        return draw.choice(("", value + " of another", value.upper()))
    return type(value)() if draw.randrange(2) else value


def variant(known, draw):
    """Known inputs, changed in one to three places."""
    changed = copy.deepcopy(known)
    for _ in range(draw.randint(1, 3)):
        *path, last = draw.choice(list(places(changed)))
        inside = changed
        for key in path:
            inside = inside[key]
        what = draw.randrange(6)
        if what == 0:
            del inside[last]
        elif what == 1:
            inside[last] = None
        elif what == 2 and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[last]))
        else:
            inside[last] = another(inside[last], draw)
    return changed


def outcome(work, value):
    try:
        text = json.dumps(work(value), default=str, sort_keys=True)
    except (KeyError, IndexError, ValueError, TypeError, AttributeError, ArithmeticError) as fault:
        return type(fault).__name__
    return re.sub(r"-?\d+\.\d+(e-?\d+)?", lambda number: f"{float(number[0]):.4g}", text)


def hashes(work, known, count):
    """By groups of variants, and how many of all were refused."""
    assert outcome(work, known) not in ("KeyError", "TypeError"), "the known input itself is refused"
    draw, found, refused = random.Random(1), {}, 0
    for first in range(0, count, TOGETHER):
        digest = hashlib.sha256()
        for _ in range(TOGETHER):
            text = outcome(work, variant(known, draw))
            refused += text.endswith("Error")
            digest.update(text.encode() + b"\0")
        found[f"{first}"] = digest.hexdigest()[:12]
    return {"hashes": found, "refused": refused}


def live_page():
    """Statuses of a cell and of one moment later."""
    from wimax_tools.watch import cell
    known = pages.recorded_cell()
    rates = {name: known["rates"] for name in known["statuses"]}
    both = {"now": pages.grown(copy.deepcopy(known["statuses"])), "before": known["statuses"]}
    return hashes(lambda two: cell.picture(cell.Sample(two["now"]), cell.Sample(two["before"]), rates), both, 1200)


def metrics():
    from wimax_tools.metrics.exposition import Exposition
    from wimax_tools.metrics.programs import Answer
    known = pages.recorded_cell()

    def values(statuses):
        answers = {name: Answer(status, tuple(known["rates"]), 1000.5) for name, status in statuses.items()}
        text = Exposition(types.SimpleNamespace(answers=lambda: answers)).text()[0].decode()
        return sorted(line for line in text.splitlines() if not line.startswith("#") and "_created" not in line)
    return hashes(values, known["statuses"], 300)


def lists():
    """What `wimax stations list` and `wimax flows list` print."""
    from wimax_tools.flows import command as flows
    from wimax_tools.stations import command as stations
    known = pages.recorded_cell()["statuses"]
    base = next(status["station"] for status in known.values() if status.get("station", {}).get("stations"))
    rows = [{"station": one["mac"], **flow} for one in base["stations"] for flow in one.get("flows", ())]
    answer = {"stations": base["stations"], "flows": {"flows": rows, "multicast": base.get("multicast", []), "results": []}}
    programs = (stations, flows)
    return hashes(lambda answer: [one.run(one.parser().parse_args(["list"]), lambda _: answer) for one in programs], answer, 300)


def experiments():
    """Pages of experiments."""
    from wimax_tools.bench import page
    known = {name: page.read(TOP / "docs/results", name) for name in page.names(TOP / "docs/results")}
    return {name: hashes(lambda result, name=name: page.lines(name, result, ["one"]), result, 60) for name, result in known.items()}


def goals():
    """Goals and accounts of experiments; also with each figure on each limit."""
    from wimax_tools.bench import page, studies
    from wimax_tools.bench.experiment import Measured
    from wimax_tools.bench.figure import with_bounds
    from wimax_tools.bench.profiles import Profile
    found = {}
    for name in page.names(TOP / "docs/results"):
        result, one = page.read(TOP / "docs/results", name), studies.EXPERIMENTS[name]
        sides = {which: result[f"{which}_profile"] for which in ("field", "lab")}

        def judged(sides, one=one, result=result):
            figures = {which: pages.present(with_bounds(side or {}, result["bounds"][f"{which}_profile"])) for which, side in sides.items()}
            measured = Measured(result["published"], figures, {which: {} for which in figures}, Profile.parse("5MHz-10ms"))
            return [one.goals(measured), one.account(measured)]
        known = pages.attempt(lambda judged=judged, sides=sides: judged(sides)[0])
        if isinstance(known, list):  # others need series of measurements
            digest = hashlib.sha256()
            for *way, last in list(places(sides)):
                inside = functools.reduce(lambda value, key: value[key], way, sides)
                was = inside[last]
                for limit in {limit for _, limit, *_ in known if isinstance(was, (int, float)) and isinstance(limit, (int, float))}:
                    inside[last] = limit
                    digest.update(outcome(judged, sides).encode())
                inside[last] = was
            digest.update(json.dumps(hashes(judged, sides, 60)).encode())
            found[name] = digest.hexdigest()[:8]
    return found


class Texts:
    """In place of a page: what is written on it."""
    def __init__(self):
        self.written = []

    def __getattr__(self, kind):
        return lambda *what, **more: self.written.append([kind, *what, more])


def signal():
    """Tables of the report of a signal."""
    from wimax_tools.signal import tables
    figures = {"constellation": [{"rate": "QPSK 1/2", "error_db": -31.5, "limit_db": -19.4, "margin_db": 12.1, "symbols": 40}],
               "flatness": {"peak_to_peak_db": 1.25, "margin_db": 0.75, "neighbour_db": 0.0625, "neighbour_limit_db": 0.1},
               "carrier_zero": {"level_db": -41.5, "limit_db": -15.0}, "crest": {"papr_db": 11.5, "ccdf_db": {"0.001": 9.75}},
               "mask": {"at_hz": 2.5e6, "margin_db": 3.5, "frequency_hz": [-5e6, 0.0, 5e6], "resolution_hz": 1e5}}
    fch = {"hcs_ok": True, "frame_number_lsb": 7}
    burst = {"index": 1, "rate_id": 3, "diuc": 4, "start_symbol": 3, "data_symbols": 6, "evm_db": -31.25, "cinr_db": 30.5, "fec_ok": True, "corrected_bytes": 2,
             "payload": "00" * 40}
    frame = {"start_sample": 100, "cp": "1/8", "cfo_hz": 12.5, "sfo_ppm": 1.25, "snr_db": 31.5, "rssi_dbfs": -20.5, "fch": fch,
             "bursts": [burst, {**burst, "index": 101, "stc": True, "payload": "A5" * 300}],
             "stc_zones": [{"index": 1, "start_symbol": 20, "fch": fch, "rssi_dbfs": [-20.5, -21.5]}]}
    decoded = {"direction": "downlink", "frames": [frame, {**frame, "fch": None}], "burst_count": 9}

    def written(both):
        page = Texts()
        for transmitter in (True, False):
            tables.summary(page, both["figures"], transmitter)
        tables.tables(page, both["decoded"])
        return page.written
    codes = {"opportunity": 1, "channel": 20, "code": 5, "snr_db": 12.5, "rssi_dbfs": -31.5, "certainty": 0.875}
    uplink = {"direction": "uplink", "frames": [{**frame, "contention": [codes, codes]}]}
    return {"downlink": hashes(written, {"figures": figures, "decoded": decoded}, 500),
            "contention": hashes(written, {"figures": {"constellation": []}, "decoded": uplink}, 200)}


def curves():
    """Points of curves, and cases of the regression."""
    from wimax_tools.curves import campaign, plot, regression
    case = {"direction": "uplink", "channel": "sui3", "rate_id": 3, "symbols": 20, "snr_db": 12.5, "blocks": 1000,
            "reference": {"blocks": 2000, "block_errors": 120, "per": 0.06}}
    points = [{"symbols": symbols, "rate_id": rate, "estimation": estimation, "snr_db": snr_db, "blocks": 1000 + 10 * (index // 2), "block_errors": index, "per": index / 1000,
               "per_low": 0.0, "per_high": 0.01 * (index + 1), "direction": "uplink", "channel": "awgn"}
              for index, (symbols, rate, estimation, snr_db) in enumerate((s, r, e, d) for s in (2, 20) for r in (0, 3) for e in ("real", "genie") for d in (3, 3, 4.5))]

    def judged(case):
        point = {"blocks": 1500, "block_errors": 110}
        distance = regression.sigmas(case, point)
        return [regression.name_of(case), distance, regression.judge(distance, 3), regression.mean_sigmas([distance, 1.0])]
    return {"merge": hashes(campaign.merge, points, 300), "judge": hashes(judged, case, 300), "rates": hashes(plot.rate_curves, points, 200)}


def main():
    cases = {"live page": live_page, "metrics": metrics, "lists": lists, "experiments": experiments, "goals": goals, "signal": signal, "curves": curves}
    return recorded.main(cases, lambda name: cases[name](), HERE / "variants.json.xz", ["--jobs", "1", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
