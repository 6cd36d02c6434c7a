#!/usr/bin/python3
# SPDX-License-Identifier: GPL-3.0-or-later
"""The Grafana dashboard's queries asked of a Prometheus that scrapes a cell with two stations and traffic both ways: which panels have no data,
and which alerts come though all is well. By hand; needs Debian's package prometheus, no root.

    ./wimax python tests/check_dashboard.py [--prometheus PROGRAM]
"""
import argparse
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
from pathlib import Path

import yaml

from wimax_tools.bench.profiles import Profile
from wimax_tools.bench.stack import Stack
from wimax_tools.metrics.dashboard import dashboard

MONITORING = Path(__file__).resolve().parents[1] / "config/monitoring"
QUIET = {"Packets given up"}  # nothing where all is well
SCRAPED_S = 30                # of the wall clock
ENDS = {"bs": ("10.16.0.1", "10.16.0.2"), "ss1": ("10.16.0.2", "10.16.0.1"), "ss2": ("10.16.0.3", "10.16.0.1")}


@contextlib.contextmanager
def program(command, **options):
    process = subprocess.Popen(command, text=True, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.communicate()


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def settings(folder, target):
    """The repository's configuration and alerts, of another address and each second."""
    config = yaml.safe_load((MONITORING / "prometheus.yml").read_text(encoding="utf-8"))
    config["global"].update(scrape_interval="1s", evaluation_interval="1s")
    config["scrape_configs"][0]["static_configs"] = [{"targets": [target]}]
    config["rule_files"] = [str(MONITORING / "alerts.yml")]
    Path(folder, "prometheus.yml").write_text(yaml.safe_dump(config), encoding="utf-8")
    return f"--config.file={folder}/prometheus.yml"


class Prometheus:
    def __init__(self, port):
        self.address = f"http://127.0.0.1:{port}/api/v1/"

    def get(self, path, **parameters):
        with urllib.request.urlopen(self.address + path + "?" + urllib.parse.urlencode(parameters)) as reply:
            return json.load(reply)["data"]

    def series(self, expression):
        return self.get("query", query=expression)["result"]


def panels(prometheus):
    """(title, expression), variables of the board filled in as Grafana does where All is chosen."""
    board = dashboard()
    chosen = {"__rate_interval": "10s"}
    filled = lambda expression: re.sub(r"\$(\w+)", lambda found: chosen[found[1]], expression)
    for variable in board["templating"]["list"]:
        if variable["type"] == "query":
            metric, label = re.fullmatch(r"label_values\((.*), (\w+)\)", variable["query"]["query"]).groups()
            chosen[variable["name"]] = "(" + "|".join(prometheus.get(f"label/{label}/values", **{"match[]": filled(metric)})) + ")"
    print("variables:", chosen)
    for panel in board["panels"]:
        for target in panel.get("targets", ()):
            yield panel["title"], filled(target["expr"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prometheus", default="prometheus", metavar="PROGRAM")
    options = parser.parse_args()
    traffic = {site: [{"start_s": 0.5, "period_s": 0.01, "count": 1_000_000, "size_bytes": 500, "source": a, "destination": b}]
               for site, (a, b) in ENDS.items()}
    stack = Stack(Profile.parse("5MHz-10ms"), stations=2, tun=False, traffic=traffic)
    with contextlib.ExitStack() as opened:
        opened.callback(stack.stop)
        folder = opened.enter_context(tempfile.TemporaryDirectory(prefix="wimax-dashboard-"))
        stack.start()
        stack.wait_for_entry()
        metrics = opened.enter_context(program([sys.executable, "-B", "-m", "wimax_tools.metrics", "--port", "0"], stderr=subprocess.PIPE,
                                               env={**os.environ, "WIMAX_RUN": str(stack.run)}))
        target, port = re.search(r"http://([^/\s]+)", metrics.stderr.readline())[1], free_port()
        opened.enter_context(program([options.prometheus, settings(folder, target), f"--storage.tsdb.path={folder}/data",
                                      f"--web.listen-address=127.0.0.1:{port}"], stderr=subprocess.DEVNULL))
        time.sleep(SCRAPED_S)
        prometheus, empty = Prometheus(port), []
        for title, expression in panels(prometheus):
            found = len(prometheus.series(expression))
            print(f"{found:4} series  {title}: {expression}")
            if not found and title not in QUIET:
                empty.append(title)
        alerts = [alert["labels"]["alertname"] for alert in prometheus.get("alerts")["alerts"]]
        targets = [(one["health"], one["lastError"]) for one in prometheus.get("targets")["activeTargets"]]
    print(f"targets {targets}, panels without data: {empty or 'none'}, alerts pending or firing: {alerts or 'none'}")
    return 1 if empty or alerts or targets != [("up", "")] else 0


if __name__ == "__main__":
    sys.exit(main())
