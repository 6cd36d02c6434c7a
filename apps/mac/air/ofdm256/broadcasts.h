// SPDX-License-Identifier: GPL-3.0-or-later
// DCD and UCD of the base station (clause 6.3.11): contents, and the frame in which each is due. Descriptors that are
// not sent in every frame take turns, so that burst #1 stays short. In the first second after a start they are sent
// more often, for quick entry.
#pragma once

#include "mac/air/descriptors.h"
#include "mac/air/ofdm256/air_codes.h"
#include "mac/air/ofdm256/frame_layout.h"
#include "mac/pdu/management_messages.h"
#include "mac/sample_time.h"

namespace wimax::mac {

class Broadcasts final : public Descriptors {
public:
    Broadcasts(const BaseStationConfig& config, const FrameLayout& layout);

    void restart(Samples now, float eirp_dbm, float target_dbm) override;
    /// Descriptors with new values and the next change count are sent kAnnouncements times. Maps name the new count,
    /// and its values take effect, a transition interval later. False: a change is still under way.
    bool change(const DescriptorValues& values, Samples now);
    bool change_profile(const BaseStationProfile& profile, Samples now) override {
        return change(descriptor_values(profile, margin_db_), now);
    }
    /// The power that is announced changes in the same way.
    bool change_power(float eirp_dbm, float target_dbm, Samples now) override;
    void begin_frame(Samples now) override;
    struct Due {
        bool dcd = false, ucd = false;
    };
    /// At most one of the two, the one that has waited longer, unless one is sent in every frame. Stays due until sent.
    Due due(Samples now) const;
    void dcd_sent(Samples now);
    void ucd_sent(Samples now);
    /// Size of the due descriptors as PDUs.
    size_t octets(const Due& due) const { return (due.dcd ? dcd_octets_ : 0) + (due.ucd ? ucd_octets_ : 0); }
    /// Most octets of descriptors and, if every frame has one, a DL-MAP in one frame's burst #1.
    size_t most_octets() const;
    bool dl_map_due(Samples now) const { return now >= next_dl_map_; }
    void dl_map_sent(Samples now) { next_dl_map_ = now + dl_map_interval_; }

    // As announced: newer than the values in force while a change is under way.
    const Dcd& dcd(phy::FrameNumber frame);
    const Ucd& ucd() const { return ucd_; }
    // In force: named by maps and used by the base station.
    uint8_t dcd_count() const override { return dcd_change_.count_in_force; }
    uint8_t ucd_count() const { return ucd_change_.count_in_force; }
    const RateThresholds& thresholds() const override { return thresholds_; }
    const DescriptorValues& values() const { return values_; }  ///< as announced
    bool changing() const { return dcd_change_.under_way() || ucd_change_.under_way(); }
    uint8_t diuc_of(ProfileId profile) const override { return mac::diuc_of(profile); }
    std::optional<ProfileId> profile_of_diuc(uint8_t diuc) const override { return mac::profile_of_diuc(diuc); }

private:
    /// State of one descriptor.
    struct Change {
        uint8_t count_in_force = 1;
        int announcements_left = 0;
        Samples in_force_at = INT64_MAX;

        bool under_way() const { return announcements_left > 0 || in_force_at != INT64_MAX; }
        void begin(int announcements) { announcements_left = announcements; }
        void sent(Samples in_force) {
            if (announcements_left > 0 && --announcements_left == 0) in_force_at = in_force;
        }
        /// True once.
        bool comes_into_force(Samples now, uint8_t count) {
            if (now < in_force_at) return false;
            in_force_at = INT64_MAX;
            count_in_force = count;
            return true;
        }
    };

    void put(const DescriptorValues& values);
    void begin_dcd_change(Samples now);
    Samples interval(uint32_t ms) const;
    Samples interval_at(Samples now, Samples usual, const Change& change) const;

    const FrameLayout layout_;
    const float margin_db_;
    Dcd dcd_;
    Ucd ucd_;
    Change dcd_change_, ucd_change_;
    DescriptorValues values_;
    RateThresholds thresholds_;
    Samples dcd_interval_, ucd_interval_, dl_map_interval_;  ///< 0: every frame
    size_t dcd_octets_ = 0, ucd_octets_ = 0;
    Samples next_dcd_ = INT64_MIN, next_ucd_ = INT64_MIN, next_dl_map_ = INT64_MIN, quick_until_ = INT64_MIN;
};

}  // namespace wimax::mac
