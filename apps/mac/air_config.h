// SPDX-License-Identifier: GPL-3.0-or-later
// The part of both stations' configurations that is about the air interface: the radio channel, and when the base
// station uses optional means of the PHY. visit() has ranges and meanings (limits.h).
#pragma once

#include "mac/edition.h"
#include "mac/limits.h"
#include "sap/carriers.h"
#include "sap/session_messages.h"

#include <gnuradio/wimax/phy/base/numerology.h>

#include <cstdint>

namespace wimax::mac {

namespace phy = gr::wimax::phy;

inline constexpr double kMostDuplexSpacingHz = 1e10;

/// The radio channel, of both stations.
struct AirConfig {
    uint32_t bandwidth_hz = 5'000'000;
    sap::Carriers carriers{3'500'000'000};
    double tx_gain_db = 0, rx_gain_db = 0;
    Edition edition = Edition::cor1;
};

/// The members of AirConfig.
template <class V> void visit_air(V& v, auto& c) {
    v("bandwidth_hz", c.bandwidth_hz, {phy::kMinBandwidthHz, phy::kMaxBandwidthHz}, "Hz", "channel bandwidth");
    v("frequency_hz", c.carriers.downlink_hz, {sap::kMinFrequencyHz, sap::kMaxFrequencyHz}, "Hz",
      "carrier frequency of the downlink, and of the uplink too if air.duplex_spacing_hz is 0");
    v("duplex_spacing_hz", c.carriers.duplex_spacing_hz, {-kMostDuplexSpacingHz, kMostDuplexSpacingHz}, "Hz",
      "carrier frequency of the uplink minus that of the downlink, for instance -100000000 in the band of 3.5 GHz; 0: "
      "one "
      "carrier for both directions (TDD), else each has one (FDD)");
    v("tx_gain_db", c.tx_gain_db, {-sap::kMaxGainDb, sap::kMaxGainDb}, "dB",
      "transmit gain of the radio; the power at the antenna follows from it");
    v("rx_gain_db", c.rx_gain_db, {-sap::kMaxGainDb, sap::kMaxGainDb}, "dB",
      "receive gain of the radio. Lower it if the receiver clips");
}

/// Uplink grants on some of the 16 subchannels for stations whose power does not suffice for all of them.
struct SubchannelizationConfig {
    bool enable = false;      ///< the preamble of such bursts is uncertain (kSubchannelPreambleAmplitude)
    uint8_t fewest = 1;       ///< 1, 2, 4 or 8
    float hysteresis_db = 2;  ///< of CINR, before a grant becomes wider
};

template <class V> void visit(V& v, Is<SubchannelizationConfig> auto& s) {
    v("enable", s.enable,
      "give grants on fewer subchannels to stations whose power is too low for all of them. It extends the uplink's "
      "range");
    v("fewest", s.fewest, {1, 8}, "", "smallest number of subchannels of a grant: 1, 2, 4 or 8");
    v("hysteresis_db", s.hysteresis_db, {0, 20}, "dB",
      "CINR above the threshold of the rate at which a grant gets more subchannels");
}

/// Downlink bursts in an STC zone, sent by two antennas, for stations whose link fades.
struct StcConfig {
    bool enable = false;  ///< the zone's signalling is uncertain (kStcPilots)
    /// Standard deviation over mean of the CINR at which a station enters and leaves the zone.
    float enter_variation = 0.35F, leave_variation = 0.25F;
};

template <class V> void visit(V& v, Is<StcConfig> auto& s) {
    v("enable", s.enable, "serve stations with a fading link in an STC zone; needs a PHY with two antennas");
    v("enter_variation", s.enter_variation, {0.01, 2}, "",
      "ratio of standard deviation to mean of the CINR at which a station enters the zone");
    v("leave_variation", s.leave_variation, {0, 2}, "", "the same ratio, below which a station leaves the zone");
}

/// Midambles in uplink bursts of stations whose channel varies.
struct MidamblesConfig {
    bool enable = false;  ///< midamble_bits.h has the intervals of each edition
};

template <class V> void visit(V& v, Is<MidamblesConfig> auto& m) {
    v("enable", m.enable, "put midambles into uplink bursts of stations whose channel changes during a burst");
}

/// Of a base station.
struct OptionalMeans {
    SubchannelizationConfig subchannelization;
    StcConfig stc;
    MidamblesConfig midambles;
};

/// The members of OptionalMeans: v.group(key, what it is about, structure).
template <class V> void visit_means(V& v, auto& m) {
    v.group("subchannelization", "Uplink grants on some of the subchannels, for stations at the edge of the cell",
            m.subchannelization);
    v.group("stc", "Downlink bursts from two antennas, for stations with a fading link", m.stc);
    v.group("midambles", "Midambles in the uplink, for stations with a fast changing channel", m.midambles);
}

}  // namespace wimax::mac
