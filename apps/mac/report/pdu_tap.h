// SPDX-License-Identifier: GPL-3.0-or-later
// A tap receives every PDU that a station sends or receives, with the octets of the air and what is known of the burst
// that carries it. For captures and tests. A station without a tap spends one comparison per frame.
#pragma once

#include "mac/burst_profiles.h"
#include "mac/clock.h"
#include "mac/station.h"

namespace wimax::mac {

struct TappedBurst {
    phy::FrameNumber frame;  ///< the base station's number of it, as far as the station knows
    Samples start = 0;       ///< of the burst, on the PHY's receive clock
    bool downlink = false;
    bool sent = false;  ///< by the tapped station
    sap::BurstKind kind = sap::BurstKind::data;
    uint8_t index = 0;  ///< downlink: 1 is the broadcast burst; uplink: position among those sent or expected
    sap::AirInterface phy = sap::AirInterface::ofdm256;
    ProfileId profile{};  ///< of that air interface
    uint8_t iuc = 0;
    uint8_t subchannel = 0;  ///< Table 213; 0: not known
    bool stc = false;
    uint16_t cid = 0;  ///< uplink: basic CID of the grant's station; 0: none yet
    bool fec_ok = true;
    bool measured = false;  ///< the levels hold
    float rssi_dbm = 0, cinr_db = 0;
};

enum class TappedOctets : uint8_t {
    pdu,         ///< whole; its CRC fits where it has one
    bad_crc,     ///< whole, by its header
    unreadable,  ///< from a header that cannot be one to the burst's end
};

class PduTap {
public:
    virtual ~PduTap() = default;
    /// `offset`: of the octets in the burst. In order on the air within a burst. Neither burst nor octets outlive the
    /// call, which must not wait.
    virtual void on_pdu(const TappedBurst& burst, size_t offset, Octets octets, TappedOctets what) = 0;
};

/// The frame of bursts, and when it began.
struct TappedFrame {
    phy::FrameNumber number;
    Samples start = 0;
    bool downlink = false;
};

}  // namespace wimax::mac
