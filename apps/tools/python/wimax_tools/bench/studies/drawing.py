# SPDX-License-Identifier: GPL-3.0-or-later
"""matplotlib for the pictures of the experiments, loaded at the first use: a bench without experiments runs where it is not installed."""
import importlib


class OnFirstUse:
    """Stands for a module."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, attribute):
        importlib.import_module("matplotlib").use("Agg")
        return getattr(importlib.import_module(self._name), attribute)


plt, patches = OnFirstUse("matplotlib.pyplot"), OnFirstUse("matplotlib.patches")
