// SPDX-License-Identifier: GPL-3.0-or-later
// Divides an uplink subframe: contention regions first (their requests are known before the next frame is planned),
// short grants, long grants, each where bursts were received lately. Regions prove nothing, since most are unused. They
// are therefore moved to the end at times, so that grants probe their places.
#pragma once

#include "mac/air/ofdm256/broadcasts.h"
#include "mac/air/ofdm256/contention_scale.h"
#include "mac/air/ofdm256/focused_contention_service.h"
#include "mac/air/ofdm256/side_by_side.h"
#include "mac/air/ofdm256/uplink_plan.h"
#include "mac/air/uplink_reception.h"
#include "mac/air/uplink_users.h"
#include "mac/scheduler/schedulers.h"

namespace wimax::mac {

class UplinkPlanner final : public UplinkReception {
public:
    /// All outlive the object.
    struct Dependencies {
        const FrameClock& clock;
        UplinkUsers& users;
        Broadcasts& broadcasts;
        UplinkPlaces& places;
        UplinkPlan& plan;
        FocusedContentionService& focused;
        Schedulers& schedulers;
    };
    UplinkPlanner(const BaseStationConfig& config, const FrameLayout& layout, const Dependencies& dependencies);

    void restart();
    /// Plans the uplink that this frame's map describes.
    void plan();
    /// A station ranges: more regions for a while, and wider windows if its burst could not be read.
    void ranging_heard(bool readable) override;
    void ranging_silent(float rssi_dbm) override { ranging_window_.silent(rssi_dbm); }
    ProfileId profile_of(const sap::RxBurst& burst) const override { return mac::profile_of(burst); }
    bool planned(const sap::RxBurst& burst) const override { return plan_.place_of(burst).has_value(); }
    void judge(const sap::RxBurst& burst, bool whole, uint32_t in_a_row) override;
    void mistaken() override { places_.mistaken(clock_.now); }
    uint32_t early_samples(const sap::RxBurst& burst) const override { return plan_.early_samples(burst); }

    /// Uses windows that were changed live; scaling with the number of stations continues from them.
    void use_windows(const BaseStationProfile& profile) {
        profile_.request_backoff_start = profile.request_backoff_start;
        profile_.request_backoff_end = profile.request_backoff_end;
        profile_.ranging_backoff_start = profile.ranging_backoff_start;
        profile_.ranging_backoff_end = profile.ranging_backoff_end;
    }
    /// Present values that depend on the number of stations.
    const ContentionScale& scale() const { return scale_; }
    uint64_t maps_full() const { return maps_full_; }

private:
    enum GroupOf : size_t { kEarly, kLate, kFullDuplex, kGroups };  ///< of a station
    struct Group {
        std::vector<UplinkClaim> claims;
        uint32_t symbols = UINT32_MAX;  ///< that each of its stations can use
        uint32_t promised = 0;          ///< symbols that are owed to its stations
    };

    uint32_t broadcast_symbols() const;
    void plan_regions();
    uint32_t region_limit(uint32_t requests) const;
    void rescale(uint32_t registered);
    uint32_t plan_focused();
    bool ranging_region_due(const UplinkUsers::Summary& users);
    bool invite(const UplinkUsers::Invitation& invitation);
    SymbolSpan window(const UplinkUsers::Terms& terms) const;
    void schedule_grants();
    uint32_t promised_symbols(const Group& group, std::span<const FlowClaim> flows) const;
    void schedule_groups(std::vector<UplinkClaim>& claims, std::span<const FlowClaim> flows, uint32_t elements);
    size_t room_for_elements() const;
    uint32_t add_grant(const UplinkClaim& claim, uint32_t elements);
    uint32_t add_group(uint32_t data_symbols, uint32_t elements);

    const BaseStationConfig& config_;
    const FrameLayout& layout_;
    const FrameClock& clock_;
    UplinkUsers& users_;
    Broadcasts& broadcasts_;
    UplinkPlaces& places_;
    UplinkPlan& plan_;
    FocusedContentionService& focused_;
    std::array<std::unique_ptr<UplinkPolicy>, kGroups> schedulers_;
    std::array<Group, kGroups> groups_;
    SideBySide side_by_side_;
    Samples next_ranging_region_ = INT64_MIN, ranging_seen_until_ = INT64_MIN;
    uint32_t open_ranging_regions_ = 0;
    RangingWindow ranging_window_;
    BaseStationProfile profile_;  ///< as configured, except windows in force
    Samples scale_again_ = INT64_MIN;
    ContentionScale scale_;
    uint64_t maps_full_ = 0;
    Samples long_maps_until_ = INT64_MIN;  ///< half-duplex stations listen to a longer burst #1
    uint32_t early_from_ = 0;              ///< first symbol of half-duplex stations in this frame
};

}  // namespace wimax::mac
