# SPDX-License-Identifier: GPL-3.0-or-later
"""A page for each experiment: the study's figures and ours, pictures, conditions, seed, commit and command; and a page that lists all."""
import json
import lzma
import math
from pathlib import Path

from wimax_tools import pictures
from wimax_tools.bench import studies
from wimax_tools.bench.experiment import description, studies as networks
from wimax_tools.bench.figure import Figure, with_bounds

SIDES = {"published": "published", "field_profile": "study's network", "lab_profile": "own profile"}
NOTHING = "-"


def write(experiment, result, measured, folder):
    """JSON, pictures and page of an experiment; the page's path."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    store(folder, experiment.name, result)
    made = made_by(result)
    names = [name for name, draw in experiment.pictures.items() if drawn(draw, measured, folder / f"{experiment.name}-{name}.svg", made)]
    page = folder / f"{experiment.name}.md"
    page.write_text("\n".join(lines(experiment.name, result, names)) + "\n", encoding="utf-8")
    return page


def made_by(result):
    """Provenance of a result. Results before `provenance` have some of its keys next to the figures."""
    return result.get("provenance") or {key: result[key] for key in ("seed", "commit", "command")}


def stored(folder, name):
    """Where the figures of an experiment are: JSON, compressed."""
    return Path(folder, f"{name}.json.xz")


def store(folder, name, result):
    stored(folder, name).write_bytes(lzma.compress(compact_json(result).encode()))


def read(folder, name):
    """What store() wrote."""
    return json.loads(lzma.decompress(stored(folder, name).read_bytes()))


def names(folder):
    """Experiments that are stored there."""
    return sorted(path.name.removesuffix(".json.xz") for path in Path(folder).glob("*.json.xz"))


def compact_json(result):
    """A line for each top-level key."""
    members = (f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in result.items())
    return "{" + ",\n".join(members) + "}\n"


def drawn(draw, measured, path, made=None):
    """False if a case that the picture needs has failed."""
    try:
        figure = draw(measured)
    except KeyError:
        return False
    figure.tight_layout()
    pictures.save(figure, path, made=made)
    return True


def lines(name, result, pictures):
    text = description(name)
    made = made_by(result)
    study = networks()[text["study"]]
    found = [f"# {name}: {text['title']}", "", f"{study['title']}.", "", "| | |", "|---|---|",
             *(f"| {label} | {one_line(text[key])} |" for label, key in (("measured", "measured"), ("found there", "found"), ("expected here", "expected"))),
             f"| conditions | {one_line('; '.join(f'{k}: {v}' for k, v in text['conditions'].items()))} |",
             f"| made by | `{made['command']}` |", f"| commit, seed | {made['commit']}, {made['seed']} |",
             *([f"| version, machine | {made['version']}, {made['machine'].partition(', ')[2]} |"] if "machine" in made else []),
             f"| time | {elapsed(result)} |", "", "## Goals", "", *goal_lines(result["goals"])]
    for picture in pictures:
        found += ["", f"![{picture}]({name}-{picture}.svg)"]
    for direction in result["published"]:
        found += ["", f"## {direction.capitalize()}", "", *tables(result, direction)]
    if result.get("account"):
        found += ["", "## What the difference to the published figures consists of", "", *table([(case, "", parts) for case, parts in result["account"].items()])]
    return found + ["", "Brackets: 95 % bounds. Times and rates are simulated ones. A dash: not published, or not measured there."]


def one_line(text):
    return " ".join(str(text).split()).replace("|", "/")


def elapsed(result):
    cases = [case for cases in result["cases"].values() for case in cases.values()]
    factors = [case["realtime_factor"] for case in cases if "realtime_factor" in case]
    stolen = max((case.get("host_stolen_share", 0) for case in cases), default=0)
    paces = f", {min(factors):.3f} to {max(factors):.3f} of real time" if factors else ""
    return f"{sum(case['seconds'] for case in cases) / 60:.1f} min in {len(cases)} runs{paces}, at most {stolen:.0%} taken by the host"


def goal_lines(goals):
    if not goals:
        return ["None."]
    return ["| goal | wanted | measured | result |", "|---|---|---|---|",
            *(f"| {g['what']} | {said(g['goal'])} | {said(g['measured'])} | {'met' if g['met'] else '**missed**'} |" for g in goals)]


def tables(result, direction):
    """Rows are cases, or sides if there are no cases; columns are measured figures; the parts of a figure have a separate table."""
    known = result["bounds"]
    sides = {side: with_bounds(result[side].get(direction) or {}, known.get(side, {}).get(direction) or {}) for side in SIDES}
    whole = any(value is not None and not isinstance(value, dict) for figures in sides.values() for value in figures.values())
    rows = []
    for case in [""] if whole else dict.fromkeys(key for figures in sides.values() for key in figures):
        rows += [(case, label, sides[side] if whole else (sides[side].get(case) or {})) for side, label in SIDES.items()]
    parts = dict.fromkeys(key for _, _, figures in rows for key, value in figures.items() if isinstance(value, dict))
    found = table([(case, label, {k: v for k, v in figures.items() if not isinstance(v, dict)}) for case, label, figures in rows])
    for part in parts:
        found += ["", f"Of these, {part.replace('_', ' ')}:", "", *table([(case, label, figures.get(part) or {}) for case, label, figures in rows])]
    return found


def table(rows):
    rows = [row for row in rows if any(value is not None for value in row[2].values())]
    keys = list(dict.fromkeys(key for _, _, figures in rows for key, value in figures.items() if value is not None))
    return ["| " + " | ".join(["", "", *(key.replace("_", " ") for key in keys)]) + " |", "|" + "---|" * (2 + len(keys)),
            *("| " + " | ".join([case, label, *(said(figures.get(key)) for key in keys)]) + " |" for case, label, figures in rows)]


def said(value):
    if value is None:
        return NOTHING
    if isinstance(value, Figure):
        return f"{float(value):g} [{bound(value.low)}, {bound(value.high)}]"
    return f"{value:g}" if isinstance(value, float) else one_line(value)


def bound(value):
    return f"{value:g}" if math.isfinite(value) else NOTHING


def write_index(folder):
    """FOLDER.md next to the folder: all experiments in it, and how many of their goals are met."""
    folder = Path(folder)
    rows = []
    for name in (*studies.STUDIES, *studies.OWN):
        if stored(folder, name).exists():
            result = read(folder, name)
            met = sum(goal["met"] for goal in result["goals"])
            missed = "; ".join(f"{g['what']}: {said(g['measured'])} ({said(g['goal'])})" for g in result["goals"] if not g["met"])
            rows.append(f"| [{name}]({folder.name}/{name}.md) | {description(name)['title']} | {met} of {len(result['goals'])} | {missed or NOTHING} | {made_by(result)['commit']} |")
    names = "\n".join(f"- {key}: {study['title']}." for key, study in networks().items())
    page = folder.parent / f"{folder.name}.md"
    page.write_text(f"""# Results of the experiments

These experiments repeat field studies of real networks on this project's stack: TUN, kernel TCP and UDP, MAC, GNU Radio PHY, simulated channel. Each
was run twice: with an imitation of the study's network, as far as it is documented, and with our own profile. Each page lists the published figures next to ours.

* The goals are this project's expectations, not the published figures.
* The studies C and D used 802.16e hardware; only their experiments are repeated.
* The imitations miss the published figures in A2, B1 and C2. Their pages show by how much.

{names}

[simulator.md]({folder.name}/simulator.md) has the results of the simulator.

| experiment | title | goals met | missed | commit |
|---|---|---|---|---|
""" + "\n".join(rows) + "\n", encoding="utf-8")
    return page
