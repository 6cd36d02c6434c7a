# SPDX-License-Identifier: GPL-3.0-or-later
"""wimax watch: a page in the browser that shows a running cell, and changes it for who has the token."""
