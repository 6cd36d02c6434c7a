# SPDX-License-Identifier: GPL-3.0-or-later
import sys

from wimax_tools.policy.command import main

sys.exit(main(sys.argv[1:]))
