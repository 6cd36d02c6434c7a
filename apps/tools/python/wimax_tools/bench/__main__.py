# SPDX-License-Identifier: GPL-3.0-or-later
import sys

from wimax_tools.bench.run import main

sys.exit(main())
