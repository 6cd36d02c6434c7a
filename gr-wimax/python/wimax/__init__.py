# SPDX-License-Identifier: GPL-3.0-or-later
"""IEEE 802.16-2004 WirelessMAN-OFDM: blocks of a base and a subscriber station, and the messages between them.

`from gnuradio.wimax import displays` loads the Qt displays; programs without a screen do not need them."""
from .wimax_python import *
from . import messages
