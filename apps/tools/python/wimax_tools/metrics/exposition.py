# SPDX-License-Identifier: GPL-3.0-or-later
"""What the programs say, as Prometheus reads it. Asks them when somebody asks, and never else."""

import threading

from prometheus_client import CollectorRegistry, exposition
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from wimax_tools.metrics.births import Births
from wimax_tools.metrics.sources import all_of
from wimax_tools.metrics.table import METRICS
from wimax_tools.printable import printable


class Collector:
    """For the client library."""

    def __init__(self, programs):
        self._programs, self._births, self._lock = programs, {}, threading.Lock()

    def describe(self):
        """Names, so that a scraper may ask for some of them (name[]=)."""
        return [self._family({}, metric) for metric in METRICS.values()]

    def collect(self):
        """Families that have samples; scrapes at the same time wait for each other."""
        with self._lock:
            families = {}
            for daemon, answer in self._programs.answers().items():
                self._add(families, daemon, answer)
        return [families[name] for name in METRICS if name in families]

    def _add(self, families, daemon, answer):
        values = {("up", (("daemon", daemon),)): float(answer.status is not None)}
        for metric, labels, value in all_of(daemon, answer.status, answer.rates) if answer.status else ():
            values[metric, tuple((label, printable(labels[label])) for label in METRICS[metric].labels)] = value
        created = self._created(daemon, answer, values)
        for (metric, labels), value in values.items():
            family, names = self._family(families, METRICS[metric]), [text for _, text in labels]
            if METRICS[metric].histogram:
                family.add_metric(names, value.buckets, value.sum)
            else:
                family.add_metric(names, value, **self._when(created.get((metric, labels))))

    def _created(self, daemon, answer, values):
        if answer.status is None:
            return {}
        counters = {key: value for key, value in values.items() if METRICS[key[0]].counter}
        return self._births.setdefault(daemon, Births()).look(counters, answer.began_s)

    @staticmethod
    def _when(created_s):
        return {} if created_s is None else {"created": created_s}

    @staticmethod
    def _family(families, metric):
        if metric.name not in families:
            kind = CounterMetricFamily if metric.counter else HistogramMetricFamily if metric.histogram else GaugeMetricFamily
            families[metric.name] = kind(metric.full_name, metric.help, labels=metric.labels)
        return families[metric.name]


class Exposition:
    """One registry of all programs, for whatever serves it."""

    def __init__(self, programs):
        self._registry = CollectorRegistry()
        self._registry.register(Collector(programs))

    @staticmethod
    def kind(accept):
        """Content type: OpenMetrics where the request's Accept header asks for it, else Prometheus' text."""
        return exposition.choose_encoder(accept)[1]

    def text(self, accept="", names=()):
        """(octets, content type). `names`: of the samples that are wanted; empty: all. Blocks while the programs are asked."""
        encode, content_type = exposition.choose_encoder(accept)
        return encode(self._registry.restricted_registry(names) if names else self._registry), content_type
