# SPDX-License-Identifier: GPL-3.0-or-later
"""All experiments by name: those of the field studies, and those of what the project itself promises."""
import re

from wimax_tools.bench.studies import changes, latency, mobility, own, privacy, services, tcp, tcp_traces, throughput

EXPERIMENTS = {e.name: e for module in (latency, throughput, tcp, tcp_traces, services, changes, mobility, own, privacy) for e in module.EXPERIMENTS}
STUDIES = sorted(name for name in EXPERIMENTS if re.fullmatch("[A-D][0-9]", name))
OWN = [name for name in EXPERIMENTS if name not in STUDIES]
