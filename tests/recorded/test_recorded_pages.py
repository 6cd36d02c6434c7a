# SPDX-License-Identifier: GPL-3.0-or-later
"""Pages, tables and pictures that Python makes of known results. Arguments: the programs wimax-sim and wimax-iq."""
import contextlib
import copy
import difflib
import importlib.util
import io
import json
import lzma
import os
import re
import subprocess
import sys
import tempfile
import types
from pathlib import Path
from unittest import mock

import matplotlib.figure
import yaml

import drawn
import recorded

matplotlib.use("Agg")

HERE = Path(__file__).resolve().parent
TOP = HERE.parents[1]
TOOLS = TOP / "apps/tools/python"
REPORT = "wimax_tools.signal.report"  # wimax-iq starts it
REPORTED = recorded.Tolerance(2e-3, 2.0)  # means of levels far below the signal, in dB
CELL = TOOLS / "wimax_tools/metrics/recorded/cell.json.xz"


@contextlib.contextmanager
def pictures_of_programs():
    """The folder for descriptions of what programs draw, and their environment."""
    with tempfile.TemporaryDirectory(prefix="wimax-recorded-") as folder:
        yield Path(folder), {**os.environ, "WIMAX_FIGURES": folder, "PYTHONPATH": f"{HERE / 'hook'}:{TOOLS}"}


def described(folder):
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]


def call(words, environment=None):
    done = subprocess.run([str(w) for w in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        raise RuntimeError(f"{words[0]}: {done.stderr}")
    return done.stdout


def text_lines(text):
    return {"lines": [line.rstrip() for line in text.splitlines()]}


def simulation(programs):
    from wimax_tools.simulation import plot
    result = json.loads(call([programs["sim"], "--scenario", TOP / "config/scenarios/voice.yml", "--seconds", "1", "--json", "-"]))
    with shown() as figures:
        plot.draw(result, "pictures")
        return {"files": sorted(os.listdir("pictures")), "pictures": figures}


def report(programs, name, *options):
    """The report of a signal of signals.yml."""
    import test_recorded_signals as signals
    assert importlib.util.find_spec(REPORT)
    case = {case["signal"]: case for case in yaml.safe_load((HERE / "signals.yml").read_text(encoding="utf-8"))}[name]
    with pictures_of_programs() as (folder, environment), tempfile.TemporaryDirectory() as page:
        page = Path(page)
        spec, sent, heard = page / "spec.json", page / "sent.cf32", page / "heard.cf32"
        spec.write_text(json.dumps(signals.filled(case["spec"])), encoding="utf-8")
        call([programs["iq"], "generate", "--spec", spec, "--out", sent])
        words = [word for key, value in case["impair"].items() for word in (f"--{key}", value)]
        call([programs["iq"], "impair", "--in", sent, "--out", heard, "--bandwidth-hz", case["spec"]["bandwidth_hz"], *words])
        call([programs["iq"], "decode", "--in", heard, "--spec", spec, "--report", page / "report", *options], environment)
        figures = json.loads((page / "report/measurements.json").read_text(encoding="utf-8"))
        return {"figures": drawn.shorter({k: v for k, v in figures.items() if k != "provenance"}), "pictures": described(folder)}


def curves(name):
    from wimax_tools.curves import plot, points as kept
    points = {side: kept.read(kept.path_of(TOP / "docs/curves", f"{name}-{side}")) for side in ("downlink", "uplink")}
    with shown() as figures:
        plot.draw(points["uplink"], name, "uplink.svg")
        plot.draw_panels([(side, plot.rate_curves(found)) for side, found in points.items()], "both.svg")
    return figures


def plots():
    """Pictures that programs ask for: spectra with some and with many bands, points of wimax-link on standard input."""
    from wimax_tools.curves import plot
    from wimax_tools.radio import spectrum
    bands = [{"low_hz": 3.4e9 + n * 1e6, "high_hz": 3.4e9 + (n + 0.5) * 1e6, "power_dbm": -70.0 - n} for n in range(9)]
    result = {"first_bin_hz": 3.399e9, "bin_hz": 22500.0, "bins_dbm": [-100 + n % 7 for n in range(30)], "frequency_hz": 3.4025e9, "level_dbm": -60.5,
              "floor_dbm_per_hz": -165.0}
    points = [{"snr_db": snr, "rate_id": rate, "estimation": estimation, "block_errors": 40 - 10 * snr, "blocks": 1000, "per": 0.04 - 0.01 * snr, "per_low": 0.03 - 0.0075 * snr,
               "per_high": 0.05 - 0.01 * snr, "direction": "uplink", "channel": "awgn", "symbols": 2} for rate in (2, 0) for estimation in ("genie", "real")[:1 + rate // 2]
              for snr in (3, 4, 0)]
    with shown() as figures, mock.patch.object(sys, "argv", ["plot", "points.svg"]):
        for count in (0, 1, 8, 9):
            spectrum.draw({**result, "bands": bands[:count]}, "spectrum.svg")
        for chosen in (points, points[:3], points[3:6]):
            with mock.patch.object(sys, "stdin", io.StringIO(json.dumps({"points": chosen}))):
                plot.main()
    return figures


def error_rates():
    """The tables of docs/error-rates.md made again, as what differs from them; of each picture its texts and the sums of its numbers."""
    from wimax_tools.curves import report as rates
    sets, found = rates.read_sets(str(TOP / "docs")), {}
    _, written, _ = rates.split_document(str(TOP / "docs"))
    for name, draw in rates.pictures(sets).items():
        with shown() as figures:
            draw("x.svg")
        flat = recorded.flat(figures[0])
        numbers = [value for value in flat.values() if isinstance(value, float)]
        found[name] = {"texts": sorted({value for value in flat.values() if isinstance(value, str) and value}), "count": len(numbers), "sum": sum(numbers),
                       "order": sum((1 + n % 7) * value for n, value in enumerate(numbers))}
    return {"sets": sorted(sets), "pictures": found, "text": [line for line in difflib.unified_diff(written.splitlines(), rates.tables(sets).splitlines(), lineterm="", n=0)]}


@contextlib.contextmanager
def shown():
    """In place of saving: descriptions of the figures."""
    figures = []

    def savefig(figure, path, **_):
        figures.append(drawn.figure(figure))
        Path(path).write_bytes(b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    save, matplotlib.figure.Figure.savefig = matplotlib.figure.Figure.savefig, savefig
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield figures
        finally:
            os.chdir(here)
            matplotlib.figure.Figure.savefig = save


def experiment(name):
    """Page, goals and pictures made again of the figures in docs/results; of the page what differs from the one there."""
    from wimax_tools.bench import page, studies
    from wimax_tools.bench.experiment import Measured
    from wimax_tools.bench.figure import with_bounds
    from wimax_tools.bench.profiles import Profile
    result = page.read(TOP / "docs/results", name)
    figures = {which: present(with_bounds(result[key], result["bounds"][key])) for which, key in (("field", "field_profile"), ("lab", "lab_profile"))}
    one = studies.EXPERIMENTS[name]
    measured = Measured(result["published"], figures, {which: {} for which in figures}, Profile.parse("5MHz-10ms"))
    goals, account = attempt(lambda: one.goals(measured)), attempt(lambda: one.account(measured))
    result.update({"goals": [dict(zip(("what", "goal", "measured", "met"), goal)) for goal in goals]} if isinstance(goals, list) else {},
                  **{"account": account} if isinstance(account, dict) else {})
    written = (TOP / f"docs/results/{name}.md").read_text(encoding="utf-8")
    text = page.lines(name, result, re.findall(r"!\[(.*?)\]", written))
    found = {"failed": [fault for fault in (goals, account) if isinstance(fault, str)],
             "page": [line for line in difflib.unified_diff(written.splitlines(), text, lineterm="", n=0) if not line.startswith(("---", "+++", "@@"))],
             "plan": [[which, case, extra, arguments] for which, case, extra, arguments in one.plan(measured.profile)]}
    with shown() as drawings:
        names = [picture for picture, draw in one.pictures.items() if attempt(lambda draw=draw: page.drawn(draw, measured, "x.svg")) is True]
    return json.loads(json.dumps({**found, "names": names, "pictures": drawings}, default=str))


def present(value):
    """Without the nulls that stand for cases of the other network."""
    known = {k: present(v) if isinstance(v, dict) else v for k, v in value.items()}
    return {k: v for k, v in known.items() if v is not None and v != {}}


def attempt(work):
    """What needs series of measurements that docs/results has not: the name of the fault."""
    try:
        return work()
    except (KeyError, IndexError, ValueError, TypeError, AttributeError) as fault:
        return type(fault).__name__


def campaign():
    from wimax_tools.campaign import page
    rows = [{"stations": n, "rate": rate, "up_mean_ms": 3.5 * n + seed, "goodput_bps": 1e6 / n + 1000 * seed + rate, "seed": seed}
            for n in (1, 4, 16) for rate in (1, 6) for seed in (1, 2, 3)]
    plots = [{"x": "stations", "y": "up_mean_ms", "by": "rate", "log": "x"}, {"x": "rate", "y": "goodput_bps", "log": "both", "title": "goodput"},
             {"x": "stations", "y": "missing", "log": ""}]
    with shown() as figures:
        names = page.draw(plots, rows, ".")
    return {"names": names, "pictures": figures, "shown": [page.shown([1, 2]), page.shown({}), page.shown(2.5)]}


def status_pages():
    """The live page's picture of a recorded cell and of one moment later, and its metrics."""
    from wimax_tools.metrics.exposition import Exposition
    from wimax_tools.metrics.programs import Answer
    from wimax_tools.watch import cell
    known = recorded_cell()
    later = grown(copy.deepcopy(known["statuses"]))
    rates = {name: known["rates"] for name in known["statuses"]}
    answers = {name: Answer(status, tuple(known["rates"]), 1000.5) for name, status in known["statuses"].items()}
    metrics = Exposition(types.SimpleNamespace(answers=lambda: answers)).text()[0].decode()
    values = sorted(line for line in metrics.splitlines() if not line.startswith("#") and "_created" not in line)
    return {"first": cell.picture(cell.Sample(known["statuses"]), None, rates),
            "later": cell.picture(cell.Sample(later), cell.Sample(known["statuses"]), rates), "metrics": values}


def recorded_cell():
    """Statuses of a running cell, and its metrics."""
    return json.loads(lzma.decompress(CELL.read_bytes()), object_hook=with_bsid)


def with_bsid(status):
    """The recorded cell has its BSID as a number, programs of today as text."""
    return {k: f"{v:012X}" if k == "bsid" and isinstance(v, int) else v for k, v in status.items()}


def grown(value, number=None):
    """A status as it could be later: each counter has grown by another amount."""
    number = number or iter(range(1, 1_000_000))
    if isinstance(value, dict):
        return {k: grown(v, number) for k, v in value.items()}
    if isinstance(value, list):
        return [grown(v, number) for v in value]
    return value + next(number) if isinstance(value, int) and not isinstance(value, bool) and value > 20 else value


def metric_table():
    from wimax_tools.metrics import table
    return text_lines(table.markdown())


def main():
    from wimax_tools.bench import page
    sim, iq, *argv = sys.argv[1:]
    programs = {"sim": sim, "iq": iq}
    cases = {"simulation": lambda: simulation(programs), "campaign": campaign, "status": status_pages, "metrics": metric_table,
             "report": lambda: report(programs, "stc-zone"), "report-transmitter": lambda: report(programs, "uplink-midambles", "--transmitter"),
             "curves": lambda: curves("awgn"), "curves-fading": lambda: curves("sui3"), "plots": plots, "error-rates": error_rates,
             **{name: lambda name=name: experiment(name) for name in page.names(TOP / "docs/results")}}
    return recorded.main(cases, lambda name: cases[name](), HERE / "pages.json.xz", ["--jobs", "1", *argv], lambda name: REPORTED if name.startswith("report") else recorded.EXACT)


if __name__ == "__main__":
    sys.exit(main())
