# SPDX-License-Identifier: GPL-3.0-or-later
"""IEEE 802.16-2004 WirelessMAN-OFDM: blocks of a base and a subscriber station, and the messages between them.

`from gnuradio.wimax import displays` brings the Qt displays, which programs without a screen need not load."""
from .wimax_python import *
from . import messages
