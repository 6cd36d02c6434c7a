# SPDX-License-Identifier: GPL-3.0-or-later
from wimax_tools.curves.campaign import main

main()
