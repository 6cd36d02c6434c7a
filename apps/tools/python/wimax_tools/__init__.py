# SPDX-License-Identifier: GPL-3.0-or-later
"""What the project does in Python: the bench, reports of signals, error-rate curves, speed tables."""
