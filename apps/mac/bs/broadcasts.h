/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * DCD and UCD of the base station (clause 6.3.11): contents, and in which frame each is due. Descriptors that are not
 * sent in every frame take turns, so that burst #1 stays short; the first second after a start they come more often,
 * for quick entry.
 */
#pragma once

#include "mac/frame_layout.h"
#include "mac/pdu/management_messages.h"
#include "mac/sample_time.h"

namespace wimax::mac {

/// The base station's profile numbers: DIUC 1..7 and UIUC 5..11 are rates 0..6.
constexpr uint8_t diuc_of(uint8_t rate_id) { return static_cast<uint8_t>(diuc::kFirstProfile + rate_id); }
constexpr uint8_t uiuc_of(uint8_t rate_id) { return static_cast<uint8_t>(uiuc::kFirstProfile + rate_id); }

class Broadcasts {
public:
    Broadcasts(const BaseStationConfig& config, const FrameLayout& layout);

    void restart(Samples now, float eirp_dbm);
    struct Due {
        bool dcd = false, ucd = false;
    };
    /// At most one of the two, the one that has waited longer, unless one goes in every frame. Stays due until sent.
    Due due(Samples now) const;
    void dcd_sent(Samples now) { next_dcd_ = now + interval_at(now, dcd_interval_); }
    void ucd_sent(Samples now) { next_ucd_ = now + interval_at(now, ucd_interval_); }
    /// Of what is due, as PDUs.
    size_t octets(const Due& due) const { return (due.dcd ? dcd_octets_ : 0) + (due.ucd ? ucd_octets_ : 0); }
    /// Most that one frame's burst #1 has to hold of descriptors and, where every frame has one, a DL-MAP.
    size_t most_octets() const;
    bool dl_map_due(Samples now) const { return now >= next_dl_map_; }
    void dl_map_sent(Samples now) { next_dl_map_ = now + dl_map_interval_; }

    const Dcd& dcd(phy::FrameNumber frame);
    uint8_t dcd_count() const { return dcd_.change_count; }
    const Ucd& ucd() const { return ucd_; }

private:
    Samples interval(uint32_t ms) const;
    Samples interval_at(Samples now, Samples usual) const;

    const FrameLayout layout_;
    Dcd dcd_;
    Ucd ucd_;
    Samples dcd_interval_, ucd_interval_, dl_map_interval_;  ///< 0: every frame
    size_t dcd_octets_ = 0, ucd_octets_ = 0;
    Samples next_dcd_ = INT64_MIN, next_ucd_ = INT64_MIN, next_dl_map_ = INT64_MIN, quick_until_ = INT64_MIN;
};

}  // namespace wimax::mac
