// SPDX-License-Identifier: GPL-3.0-or-later
// When the base station uses optional means of the PHY; ranges and meanings are in config_fields.h.
#pragma once

#include <cstdint>

namespace wimax::mac {

/// Uplink grants on some of the 16 subchannels for stations whose power does not suffice for all of them.
struct SubchannelizationConfig {
    bool enable = false;      ///< the preamble of such bursts is uncertain (kSubchannelPreambleAmplitude)
    uint8_t fewest = 1;       ///< 1, 2, 4 or 8
    float hysteresis_db = 2;  ///< of CINR, before a grant becomes wider
};

/// Downlink bursts in an STC zone, sent by two antennas, for stations whose link fades.
struct StcConfig {
    bool enable = false;  ///< the zone's signalling is uncertain (kStcPilots)
    /// Standard deviation over mean of the CINR at which a station enters and leaves the zone.
    float enter_variation = 0.35F, leave_variation = 0.25F;
};

/// Midambles in uplink bursts of stations whose channel varies.
struct MidamblesConfig {
    bool enable = false;  ///< their intervals are uncertain (kMidambleInterval)
};

}  // namespace wimax::mac
