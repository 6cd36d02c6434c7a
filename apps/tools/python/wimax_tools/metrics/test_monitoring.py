# SPDX-License-Identifier: GPL-3.0-or-later
"""Dashboard and alerts of config/monitoring ask for metrics and labels that there are; with promtool, each alert comes when it should."""

import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

from wimax_tools import provenance
from wimax_tools.metrics.command import PORT
from wimax_tools.metrics.dashboard import dashboard, expression
from wimax_tools.metrics.table import METRICS

HERE = Path(__file__).parent
FOLDER = Path(provenance.TOP, "config/monitoring")
PROMETHEUS = {"up": {"job", "instance"}}  # its own
NAME = re.compile(r"\b(?:wimax_\w+|up)\b(?!\s*\()")
SELECTED = re.compile(r"\b(wimax_\w+|up)\{([^}]*)\}")
LABEL = re.compile(r"(\w+)\s*(?:=~|!~|!=|=)")
GROUPED = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right) \(([^)]*)\)")


def labels_of(name):
    metric = METRICS.get(name.removeprefix("wimax_"))
    return PROMETHEUS[name] if name in PROMETHEUS else {*metric.labels, "job", "instance"} if metric else None


def without_texts(expression):
    return re.sub(r'"[^"]*"', '""', expression)


def faults_of(expression, shown=()):
    """What an expression, and labels that are shown of it, ask for that there is not."""
    expression, faults = without_texts(expression), []
    names = set(NAME.findall(expression))
    unknown = {name for name in names if labels_of(name) is None}
    faults += [f"no metric {name}" for name in sorted(unknown)]
    for name, selectors in SELECTED.findall(expression):
        faults += [f"{name} has no label {label}" for label in LABEL.findall(selectors) if name not in unknown and label not in labels_of(name)]
    known = set().union(*(labels_of(name) for name in names - unknown), ())
    words = {word.strip() for words in GROUPED.findall(expression) for word in words.split(",") if word.strip()}
    faults += [f"none of {sorted(names)} has {label}" for label in sorted((words | set(shown)) - known)]
    return faults if names else [*faults, "no metric at all"]


def queries():
    """(where, expression, labels shown)."""
    board = dashboard()
    for panel in board["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], target["expr"], re.findall(r"{{(\w+)}}", target["legendFormat"])


def rules():
    return [rule for group in yaml.safe_load((FOLDER / "alerts.yml").read_text(encoding="utf-8"))["groups"] for rule in group["rules"]]


class Checker(unittest.TestCase):
    def test_finds_what_is_not_there(self):
        for expression, shown, fault in (
                ("rate(wimax_frames[5m])", (), "no metric wimax_frames"), ('wimax_up{host="a"}', (), "wimax_up has no label host"),
                ("sum by (station) (wimax_up)", (), "none of ['wimax_up'] has station"), ("wimax_up", ("flow",), "none of ['wimax_up'] has flow"),
                ("vector(1)", (), "no metric at all")):
            self.assertEqual(faults_of(expression, shown), [fault])
        self.assertEqual(faults_of('sum by (daemon) (rate(wimax_frames_total{daemon=~"up|{x}"}[5m])) > 0', ("daemon",)), [])


class Dashboard(unittest.TestCase):
    def test_queries(self):
        asked = list(queries())
        self.assertGreater(len(asked), 40)
        self.assertEqual({(where, *faults) for where, expression, shown in asked if (faults := faults_of(expression, shown))}, set())

    def test_a_metric_that_the_table_lacks_is_refused(self):
        self.assertEqual(expression("rate(frames_total{CELL}[INTERVAL])"), 'rate(wimax_frames_total{daemon=~"$cell"}[$__rate_interval])')
        self.assertRaises(KeyError, expression, "rate(bad_frames_total[5m])")

    def test_variables(self):
        variables = {one["name"]: one for one in dashboard()["templating"]["list"]}
        self.assertEqual(set(variables), {"datasource", "cell", "station"})
        for name in ("cell", "station"):
            metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variables[name]["query"]["query"]).groups()
            self.assertEqual(faults_of(metric, [label]), [])
        used = {word for _, expression, _ in queries() for word in re.findall(r"\$(\w+)", expression)}
        self.assertEqual(used, {"cell", "station", "__rate_interval"})

    def test_panels_do_not_overlap(self):
        panels, cells = dashboard()["panels"], {}
        for panel in panels:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for cell in ((x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])):
                self.assertNotIn(cell, cells, f"{panel['title']} and {cells.get(cell)}")
                cells[cell] = panel["title"]
        self.assertEqual(len({panel["id"] for panel in panels}), len(panels))


class Alerts(unittest.TestCase):
    def test_expressions(self):
        self.assertGreater(len(rules()), 10)
        for rule in rules():
            shown = re.findall(r"\$labels\.(\w+)", rule["annotations"]["summary"])
            self.assertEqual(faults_of(rule["expr"], shown), [], rule["alert"])
            self.assertIn(rule["labels"]["severity"], ("critical", "warning"))

    def test_the_operating_guide_has_an_action_for_each(self):
        table = (FOLDER.parents[1] / "docs/operating.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| `(Wimax\w+)` \| (\w+) \| ([^|]+) \| ([^|]+) \|$", table, re.M)
        self.assertEqual([row[:2] for row in rows], [(rule["alert"], rule["labels"]["severity"]) for rule in rules()])

    def test_each_has_a_case(self):
        cases = yaml.safe_load((HERE / "recorded/alerts.test.yml").read_text(encoding="utf-8"))["tests"]
        told = {one["alertname"] for case in cases for one in case["alert_rule_test"] if one.get("exp_alerts")}
        silent = {one["alertname"] for case in cases for one in case["alert_rule_test"] if not one.get("exp_alerts")}
        self.assertEqual((told, silent), ({rule["alert"] for rule in rules()},) * 2, "each comes, and each stays away")

    def test_target(self):
        jobs = yaml.safe_load((FOLDER / "prometheus.yml").read_text(encoding="utf-8"))["scrape_configs"]
        self.assertEqual([(job["job_name"], job["static_configs"][0]["targets"]) for job in jobs], [("wimax", [f"127.0.0.1:{PORT}"])])


class Promtool(unittest.TestCase):
    def setUp(self):
        self.promtool = shutil.which("promtool")
        if not self.promtool:
            self.skipTest("no promtool here (Debian's package prometheus)")

    def check(self, *arguments, cwd=FOLDER):
        done = subprocess.run([self.promtool, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=cwd,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stdout)

    def test_rules_and_configuration(self):
        self.check("check", "rules", "--lint-fatal", FOLDER / "alerts.yml")
        self.check("check", "config", FOLDER / "prometheus.yml")

    def test_alerts(self):
        with tempfile.TemporaryDirectory() as folder:
            for file in (FOLDER / "alerts.yml", HERE / "recorded/alerts.test.yml"):
                shutil.copy(file, folder)
            self.check("test", "rules", "alerts.test.yml", cwd=folder)

    def test_queries_are_promql(self):
        expressions = [expression.replace("$__rate_interval", "1m") for _, expression, _ in queries()]
        records = [{"record": f"panel:number{i}", "expr": expression} for i, expression in enumerate(expressions)]
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "queries.yml")
            file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": records}]}), encoding="utf-8")
            self.check("check", "rules", file)


if __name__ == "__main__":
    unittest.main()
