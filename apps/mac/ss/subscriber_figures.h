// SPDX-License-Identifier: GPL-3.0-or-later
// What a subscriber station reports about itself: a copy of its components' counters and levels. All counters start
// with the program; readers use differences. The keys are those of the description (common/json_object.h).
#pragma once

#include "mac/managed/managed_setup.h"
#include "mac/policy/loaded_policies.h"
#include "mac/report/flow_results.h"
#include "mac/report/flow_status.h"
#include "mac/report/privacy_figures.h"
#include "mac/ss/contention.h"
#include "mac/ss/downlink_reader.h"
#include "mac/ss/uplink_builder.h"

#include <string>
#include <vector>

namespace wimax::mac {

struct SubscriberLevels {
    float rssi_dbm = 0, cinr_db = 0, rssi_mean_dbm = 0, cinr_mean_db = 0;
    float frequency_offset_hz = 0, clock_offset_ppm = 0;
    int32_t timing_advance_samples = 0;
    float frequency_adjust_hz = 0, power_dbm = 0, maximum_power_dbm = 0;
};

struct SubscriberFigures {
    MacAddress mac{};
    FrameClock clock;
    phy::FrameNumber network_frame;
    SsState state = SsState::scanning;
    bool operational = false, synchronised = false;
    uint16_t basic_cid = 0;
    uint64_t bsid = 0;
    Samples heard_at = -1, operational_at = -1;
    SubscriberLevels levels;
    uint64_t frequency_hz = 0, channel_changes = 0;
    uint64_t frames = 0, late = 0, phy_errors = 0, restarts = 0;
    DownlinkCounters down;
    uint64_t missed_for_grants = 0;  ///< frames whose maps were sent while the station transmitted
    ReceiverCounters received;
    RangingCounters ranging;
    ProfileId dl_profile{};
    float dl_margin_db = 0;
    RateChanges dl_changes;
    DownlinkProfileCounters profile;
    ContentionCounters contention;
    UplinkCounters up;
    uint64_t unclassified = 0, refused = 0;
    FlowTotals totals;
    size_t ul_backlog_octets = 0, free_buffers = 0;
    std::optional<PrivacyFigures> privacy;
    std::optional<ManagedFigures> managed;  ///< of a station that offers it
    uint64_t networks_without_privacy = 0;  ///< left for lack of privacy
    PolicyFigures policies;
    std::vector<FlowStatus> flows;
    std::vector<FlowResult> flow_results;

    /// Duration of the entry from the first received frame: before that there was nothing to enter. -1: not entered.
    Samples entry() const { return operational_at >= 0 && heard_at >= 0 ? operational_at - heard_at : -1; }
    double entry_s() const {
        return entry() >= 0 ? static_cast<double>(entry()) / static_cast<double>(clock.sample_rate_hz) : -1.0;
    }
};

template <class V> void visit(V& v, const ManagedFigures& m) {
    v("step", to_string(m.step));
    v("address", m.address == 0 ? std::string() : address_text(m.address));
    v.maybe("time_s", m.time_s);
    v("file", m.file);
    v("sent", m.sent);
    v("received", m.received);
    v("ignored", m.ignored);
    v("refused_files", m.refused_files);
    v("lost_leases", m.lost_leases);
}

template <class V> void visit(V& v, const SubscriberLevels& l) {
    v("rssi_dbm", l.rssi_dbm);
    v("cinr_db", l.cinr_db);
    v("rssi_mean_dbm", l.rssi_mean_dbm);
    v("cinr_mean_db", l.cinr_mean_db);
    v("frequency_offset_hz", l.frequency_offset_hz);
    v("clock_offset_ppm", l.clock_offset_ppm);
    v("timing_advance_samples", l.timing_advance_samples);
    v("frequency_adjust_hz", l.frequency_adjust_hz);
    v("power_dbm", l.power_dbm);
    v("maximum_power_dbm", l.maximum_power_dbm);
}

template <class V> void visit(V& v, const DownlinkCounters& c) {
    v("unsynchronised_ticks", c.unsynchronised_ticks);
    v("maps", c.maps);
    v("dl_maps", c.dl_maps);
    v("dcds", c.dcds);
    v("ucds", c.ucds);
    v("zero_subchannels", c.zero_subchannels);
}

/// Requests and grants of the station.
template <class V> void visit_grants(V& v, const ContentionCounters& contention, const UplinkCounters& up) {
    v.object("requests", [&](auto& own) {
        own("contention", contention.requests);
        own("contention_lost", contention.lost);
        own("codes", contention.codes);
        own("codes_answered", contention.answered);
        own("aggregate", up.aggregate_requests);
        own("piggyback", up.piggyback_requests);
    });
    v.object("grants", [&](auto& own) {
        own("count", up.grants);
        own("unusable", up.grants_unusable);
        own("capacity_bytes", up.capacity_bytes);
        own("payload_bytes", up.payload_bytes);
    });
}

/// SDUs of all flows, including deleted ones.
template <class V> void visit_totals(V& v, const FlowTotals& totals, size_t ul_backlog_octets) {
    v.object("dl", [&](auto& own) {
        own("sdus", totals.dl_sdus);
        own("bytes", totals.dl_bytes);
        own("dropped", totals.dl_dropped);
    });
    v.object("ul", [&](auto& own) {
        own("sdus", totals.ul_sdus);
        own("bytes", totals.ul_bytes);
        own("dropped", totals.ul_dropped);
        own("backlog_bytes", ul_backlog_octets);
    });
}

template <class V> void visit(V& v, const SubscriberFigures& s) {
    v("role", "ss");
    v("mac", to_text(s.mac));
    v("frame", s.network_frame.value());
    v("time_samples", s.clock.now);
    v("sample_rate_hz", s.clock.sample_rate_hz);
    v("state", to_string(s.state));
    v("operational", s.operational);
    v("synchronised", s.synchronised);
    v("frequency_hz", s.frequency_hz);
    v("channel_changes", s.channel_changes);
    v("basic_cid", s.basic_cid);
    v("bsid", bsid_text(s.bsid));
    v("heard_at_sample", s.heard_at);
    v("operational_at_sample", s.operational_at);
    v("entry_samples", s.entry());
    v("entry_time_s", s.entry_s());
    visit(v, s.levels);
    v("frames", s.frames);
    visit(v, s.down);
    v("missed_for_grants", s.missed_for_grants);
    v("maps_unusable", s.received.maps_unusable);
    v("bursts", s.received.bursts);
    v("undecoded_bursts", s.received.undecoded_bursts);
    v("stopped_bursts", s.received.stopped_bursts);
    v("late", s.late);
    v("phy_errors", s.phy_errors);
    v("restarts", s.restarts);
    v("corrections", s.ranging.corrections);
    v.object("ranging", [&](auto& own) {
        own("attempts", s.ranging.attempts);
        own("invited", s.ranging.invited);
        own("fast_power", s.ranging.fast_power);
    });
    v.object("downlink_profile", [&](auto& own) {
        own("rate_id", row_of(s.dl_profile));
        own("margin_db", s.dl_margin_db);
        own("falls", s.dl_changes.falls);
        own("rises", s.dl_changes.rises);
        own("requests", s.profile.requests);
        own("repetitions", s.profile.repetitions);
        own("ranging_requests", s.profile.ranging_requests);
        own("refusals", s.profile.refusals);
    });
    visit_grants(v, s.contention, s.up);
    v.object("drops", [&](auto& own) {
        own("unclassified", s.unclassified);
        own("refused", s.refused);
        own("malformed", s.received.malformed);
        own("foreign_pdus", s.received.foreign_pdus);
    });
    visit_totals(v, s.totals, s.ul_backlog_octets);
    v("free_buffers", s.free_buffers);
    v.maybe("privacy", s.privacy);
    v.maybe("managed", s.managed);
    v("networks_without_privacy", s.networks_without_privacy);
    v.maybe("policies", s.policies.any() ? std::optional(s.policies) : std::nullopt);
    v.list("flows", s.flows);
    v.list("flow_results", s.flow_results);
}

}  // namespace wimax::mac
