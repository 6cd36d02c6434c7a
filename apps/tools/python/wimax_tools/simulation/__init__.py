# SPDX-License-Identifier: GPL-3.0-or-later

PICTURE_NAMES = ("delay", "throughput", "fairness", "contention")
