# SPDX-License-Identifier: GPL-3.0-or-later
"""Sweeps of many deterministic points over one machine's cores or many machines (docs/campaigns.md)."""
