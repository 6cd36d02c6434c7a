# SPDX-License-Identifier: GPL-3.0-or-later
"""Grafana's dashboard "WiMAX cell", from the table of metrics: `./wimax python -m wimax_tools.metrics.dashboard > grafana.json`.

In queries, metrics have their names of the table; CELL, STATION and DIRECTION select by the dashboard's variables and the panel's direction.
"""
import json
import re
import sys
from dataclasses import dataclass

from wimax_tools.bench.profiles import RATE_NAMES
from wimax_tools.metrics.table import METRICS

SOURCE = {"type": "prometheus", "uid": "${datasource}"}
WIDTH = 24
SELECTORS = {"CELL": 'daemon=~"$cell"', "STATION": 'station=~"$station"', "[INTERVAL]": "[$__rate_interval]"}
FUNCTIONS = {"group_left"}
STAT = {"colorMode": "value", "graphMode": "area", "reduceOptions": {"calcs": ["lastNotNull"], "fields": "", "values": False}, "textMode": "auto",
        "justifyMode": "auto", "orientation": "auto", "percentChangeColorMode": "standard", "showPercentChange": False, "wideLayout": True}
SERIES = {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True, "calcs": []}, "tooltip": {"mode": "multi", "sort": "desc"}}
DASHED = {"matcher": {"id": "byFrameRefID", "options": "B"},
          "properties": [{"id": "custom.lineStyle", "value": {"fill": "dash", "dash": [8, 6]}}]}
RATES = {"type": "value", "options": {str(i): {"text": name, "index": i} for i, name in enumerate(RATE_NAMES)}}
STACKED = {"fillOpacity": 30, "stacking": {"mode": "normal", "group": "A"}}
STEPS = {"lineInterpolation": "stepAfter"}
POSITIVE, SHARE = {"min": 0}, {"min": 0, "max": 1}


@dataclass(frozen=True)
class Panel:
    title: str
    unit: str
    queries: tuple          # (expression, legend)
    range: dict = None      # of the axis
    note: str = ""
    custom: dict = None     # how lines are drawn
    dashed: bool = False    # the second query
    mappings: tuple = ()
    steps: tuple = ()       # colours by value: a single number instead of lines
    size: tuple = (8, 8)


def number(title, unit, expression, *steps, note=""):
    return Panel(title, unit, ((expression, ""),), note=note, steps=steps, size=(4, 4))


def lines(title, unit, *queries, range=POSITIVE, **more):
    return Panel(title, unit, queries, range=range, **more)


def both(title, unit, *queries, **more):
    """A panel for each direction."""
    for way in ("downlink", "uplink"):
        yield lines(f"{title}, {way}", unit, *((text.replace("DIRECTION", f'direction="{way}"'), legend) for text, legend in queries), **more)


LOST = "rate(ss_missed_bursts_total{CELL, STATION}[INTERVAL])"
SENT = 'rate(ss_{}bursts_total{{CELL, STATION, direction="uplink"}}[INTERVAL])'
OF_FLOW = " * on (daemon, station, flow, direction) group_left (name, scheduling) service_flow_info{CELL, STATION}"
FLOW = "{{station}} {{flow}} {{name}} {{scheduling}} {{direction}}"
BY_USE = "rate(frame_symbols_total{CELL, DIRECTION}[INTERVAL])"
WIDE = (12, 8)
GROUPS = {
    "Cell": (
        number("Programs that do not answer", "none", "count(up) - sum(up)", ("green", None), ("red", 1)),
        number("Stations served", "none", "sum(station_operational{CELL})", ("red", None), ("green", 1)),
        number("Weakest margin", "dB", "min(mean_cinr_report_db{STATION} - needed_cinr_db)", ("red", None), ("orange", 0), ("green", 3),
               note="CINR minus the CINR that the rate needs: the lowest of all stations and directions."),
        number("Late frames in 5 minutes", "none", "sum(increase(late_frames_total[5m]))", ("green", None), ("orange", 1), ("red", 10)),
        number("Radio faults in 5 minutes", "none", "sum(increase(radio_faults_total[5m]))", ("green", None), ("orange", 1)),
        number("Speed of the simulated channel", "percentunit", "min(channel_real_time_ratio)", ("orange", None), ("green", 0.95),
               note="Empty where radios are real.")),
    "Stations": (
        *both("CINR", "dB", ("max by (station) (mean_cinr_report_db{STATION, DIRECTION})", "{{station}}"),
              ("max by (station) (needed_cinr_db{STATION, DIRECTION})", "{{station}} needs"), range={}, dashed=True,
              note="Dashed: CINR at which one block in 10 000 of the present rate is lost in white noise."),
        lines("Received power at the base station", "dBm", ('mean_rssi_report_dbm{CELL, STATION, direction="uplink"}', "{{station}}"), range={}),
        lines("Rate", "none", ("rate_id{CELL, STATION}", "{{station}} {{direction}}"), custom=STEPS, mappings=(RATES,),
              range={"min": 0, "max": len(RATE_NAMES) - 1, "decimals": 0}),
        lines("Power left", "dB", ("transmit_power_headroom_db{CELL, STATION}", "{{station}}"), range={}),
        lines("Uplink bursts lost", "percentunit",
              (f"({LOST} + {SENT.format('uncorrectable_')}) / ({LOST} + {SENT.format('')})", "{{station}}")),
        *both("Goodput", "bps", ("8 * rate(ss_bytes_total{CELL, STATION, DIRECTION}[INTERVAL])", "{{station}}"),
              ("8 * capacity_bytes_per_second{CELL, DIRECTION}", "frame can carry, {{daemon}}"), dashed=True),
        lines("Silence", "s", ("station_silence_seconds{CELL, STATION}", "{{station}}"))),
    "Service flows": (
        lines("Goodput", "bps", ("8 * rate(sf_bytes_total{CELL, STATION}[INTERVAL])" + OF_FLOW, FLOW), size=WIDE),
        lines("Packets given up", "cps",
              ("sum by (station, flow, direction, cause) (rate(sf_dropped_mac_sdus_total{CELL, STATION}[INTERVAL])) > 0",
               "{{station}} {{flow}} {{direction}}: {{cause}}"), note="Causes without losses are left out.", size=WIDE),
        lines("Queue", "bytes", ("sf_queue_bytes{CELL, STATION}" + OF_FLOW, FLOW), note="For uplink flows: the data that the station has requested.", size=WIDE),
        lines("Delay in the queue", "s", ("sf_queue_bytes{CELL, STATION} / rate(sf_bytes_total{CELL, STATION}[INTERVAL])",
                                          "{{station}} {{flow}} {{direction}}"), note="Queue divided by goodput: how long a new packet will wait.", size=WIDE)),
    "Frame": (
        *both("Symbols by use", "percentunit", (f"sum by (use) ({BY_USE}) / ignoring (use) group_left sum({BY_USE})", "{{use}}"), range=SHARE,
              custom=STACKED),
        lines("Reserved symbols per frame", "none", ("reserved_symbols_per_frame{CELL}", "{{daemon}} {{direction}}"),
              ("reservable_symbols_per_frame{CELL}", "{{daemon}} {{direction}}, at most"), dashed=True),
        lines("Bursts in ranging and contention", "cps", ("rate(ranging_bursts_total{CELL}[INTERVAL])", "{{daemon}} ranging"),
              ("rate(contention_bursts_total{CELL}[INTERVAL])", "{{daemon}} requests"),
              ("rate(contention_undecoded_bursts_total{CELL}[INTERVAL]) + rate(ranging_undecoded_bursts_total{CELL}[INTERVAL])",
               "{{daemon}} unreadable")),
        lines("Stations lost and refused", "none", ("increase(lost_stations_total{CELL}[5m])", "{{daemon}} lost"),
              ("increase(refused_entries_total{CELL}[5m])", "{{daemon}} {{cause}}"), note="In five minutes."),
        lines("Rate changes", "none", ("increase(rate_changes_total{CELL, STATION}[5m])", "{{station}} {{direction}} {{to}}"),
              note="In five minutes.")),
    "Programs and radios": (
        lines("Programs that answer", "none", ("up", "{{daemon}}"), range={**SHARE, "decimals": 0}, custom=STEPS),
        lines("Frames per second", "cps", ("rate(frames_total[INTERVAL])", "{{daemon}}")),
        lines("Late frames per second", "cps", ("rate(late_frames_total[INTERVAL])", "{{daemon}}")),
        lines("Since the last frame", "s", ("frame_age_seconds", "{{daemon}}")),
        lines("Radio faults per second", "cps", ("rate(radio_faults_total[INTERVAL])", "{{daemon}} {{kind}}")),
        lines("Messages between MAC and PHY that failed", "cps", ("rate(sap_faults_total[INTERVAL])", "{{daemon}} {{cause}}"))),
    "Simulated channel": (
        lines("SNR of links", "dB", ("channel_link_snr_db", "{{link}}"), range={}),
        lines("Received power", "dBm", ("channel_radio_received_dbm", "{{radio}}"), range={}),
        lines("Waited for", "percentunit", ("rate(channel_radio_waited_seconds_total[INTERVAL])", "{{radio}}"),
              note="Share of wall time in which the channel in lock-step waited for a radio's program.")),
}


def expression(text):
    """The query as Prometheus reads it. KeyError: the table has no such metric."""
    for short, whole in SELECTORS.items():
        text = text.replace(short, whole)
    unknown = [word for word in re.findall(r"\b[a-z]+_\w+", re.sub(r'"[^"]*"', "", text)) if word not in METRICS and word not in FUNCTIONS]
    if unknown:
        raise KeyError(*unknown)
    return re.sub(r"\b\w+\b", lambda word: METRICS[word[0]].full_name if word[0] in METRICS else word[0], text)


def panel(one, place):
    fields = {"unit": one.unit}
    if one.steps:
        fields["thresholds"] = {"mode": "absolute", "steps": [{"color": colour, "value": value} for colour, value in one.steps]}
    else:
        fields["custom"] = {"lineWidth": 1, "fillOpacity": 0, "showPoints": "never", "spanNulls": False, **(one.custom or {})}
        fields.update(one.range)
    if one.mappings:
        fields["mappings"] = list(one.mappings)
    targets = [{"datasource": SOURCE, "expr": expression(text), "legendFormat": legend, "refId": chr(ord("A") + i)}
               for i, (text, legend) in enumerate(one.queries)]
    return {"type": "stat" if one.steps else "timeseries", "title": one.title, "description": one.note, "datasource": SOURCE, "gridPos": place,
            "fieldConfig": {"defaults": fields, "overrides": [DASHED] if one.dashed else []}, "options": STAT if one.steps else SERIES,
            "targets": targets}


def panels():
    """Group by group, from left to right."""
    y = 0
    for title, group in GROUPS.items():
        yield {"type": "row", "title": title, "collapsed": False, "gridPos": {"h": 1, "w": WIDTH, "x": 0, "y": y}, "panels": []}
        x, y = 0, y + 1
        for one in group:
            width, height = one.size
            yield panel(one, {"h": height, "w": width, "x": x, "y": y})
            x = (x + width) % WIDTH
            y += 0 if x else height
        assert x == 0, f"{title}: the last line is not full"


def variable(name, label, metric, of):
    query = f"label_values({expression(metric)}, {of})"
    return {"name": name, "label": label, "type": "query", "datasource": SOURCE, "query": {"query": query, "refId": name}, "definition": query,
            "refresh": 2, "sort": 1, "multi": True, "includeAll": True, "current": {"text": ["All"], "value": ["$__all"]}}


def dashboard():
    source = {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus",
              "current": {"text": "default", "value": "default"}}
    chosen = [source, variable("cell", "Base station", "registered_ss", "daemon"), variable("station", "Station", "station_info{CELL}", "station")]
    return {"title": "WiMAX cell", "uid": "wimax-cell", "tags": ["wimax"], "schemaVersion": 37, "version": 1, "editable": True, "refresh": "5s",
            "time": {"from": "now-15m", "to": "now"}, "timezone": "", "graphTooltip": 1, "annotations": {"list": []}, "links": [],
            "templating": {"list": chosen}, "panels": [{"id": i, **one} for i, one in enumerate(panels(), 1)]}


if __name__ == "__main__":
    json.dump(dashboard(), sys.stdout, indent=1)
