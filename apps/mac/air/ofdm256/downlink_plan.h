// SPDX-License-Identifier: GPL-3.0-or-later
// Downlink subframe of OFDM-256: burst #1 after the frame prefix, other bursts in order of their symbols, those for two
// antennas in an STC zone at the end (clause 8.3.8), and the DL-MAP.
#pragma once

#include "mac/air/downlink_frame.h"
#include "mac/air/ofdm256/broadcast_burst.h"

namespace wimax::mac {

class DownlinkPlan final : public DownlinkFrame {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        Broadcasts& broadcasts;
        const UplinkPlan& uplink;
        FrameAccount& symbols;
        BroadcastBurst& broadcast;
    };
    DownlinkPlan(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    void use_antennas(int antennas) override;
    bool zones() const override { return zones_; }
    std::optional<Hearing> hearing(uint16_t basic_cid, const StationTurn& turn) const override;
    double begin(std::span<const Burst> bursts, Samples now) override;
    double room_in(FramePart part, uint32_t bound) const override;
    uint32_t room(size_t burst, double units) const override;
    uint32_t place(size_t burst, sap::TxBurst& tx) override;
    bool finish(sap::TxBurst& tx) override;

private:
    size_t bursts_in_zone() const;
    size_t map_elements() const;
    bool map_goes_out() const;
    uint32_t zone_header(const Burst& burst) const;
    uint32_t units_left(const Burst& burst) const;
    phy::BurstFormat format_of(ProfileId profile, uint8_t diuc, uint32_t symbols) const;

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    Broadcasts& broadcasts_;
    const UplinkPlan& uplink_;
    FrameAccount& symbols_;
    BroadcastBurst& broadcast_;
    bool zones_ = false;

    std::span<const Burst> bursts_;
    Samples now_ = 0;
    size_t map_octets_ = 0;  ///< 0: the frame has no DL-MAP
    Octets messages_;        ///< messages in the broadcast burst after the DL-MAP
    uint32_t symbol_ = 0, left_ = 0;
    bool in_zone_ = false;
    DlMap map_;
};

}  // namespace wimax::mac
