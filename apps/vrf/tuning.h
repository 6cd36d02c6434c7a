// SPDX-License-Identifier: GPL-3.0-or-later
// Settings of a virtual radio by its host.
#pragma once

#include <array>

#include "vrf/link.h"

namespace wimax::vrf {

struct Tuning {
    double tx_frequency_hz = 3.5e9, rx_frequency_hz = 3.5e9, rx_gain_db = 0;
    double tx_lo_offset_hz = 0, rx_lo_offset_hz = 0;  ///< oscillator minus frequency
    bool tx_cic_alone = false, rx_cic_alone = false;  ///< at its rate, see CicDroop
    std::array<double, kMaxTxChannels> tx_gain_db{};
    bool tx_connected = true, rx_connected = true;  ///< level at the channel, with the selected antenna
    bool rx_behind_switch = true;                   ///< its antenna is the transmitter's
};

}  // namespace wimax::vrf
