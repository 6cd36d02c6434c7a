# SPDX-License-Identifier: GPL-3.0-or-later
"""Pictures of what wimax-radio measures."""
