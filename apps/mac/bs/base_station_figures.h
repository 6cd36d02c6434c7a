// SPDX-License-Identifier: GPL-3.0-or-later
// What a base station reports about itself and its stations: a copy of its components' counters. All counters start
// with the program; readers use differences. The keys are those of the description (common/json_object.h).
#pragma once

#include "mac/air/air_figures.h"
#include "mac/bs/base_station.h"
#include "mac/managed/udp_datagram.h"
#include "mac/report/flow_results.h"
#include "mac/report/flow_status.h"
#include "mac/report/privacy_figures.h"

#include <string>
#include <vector>

namespace wimax::mac {

/// Of a managed station.
struct StationManagementFigures {
    uint16_t secondary_cid = 0;
    uint32_t address = 0;   ///< host order; 0: not known
    bool complete = false;  ///< TFTP-CPLT was received
    bool arq = false;
};

struct StationFigures {
    MacAddress mac{};
    std::string name;
    uint16_t basic_cid = 0;
    EntryState state = EntryState::ranging;
    Restriction restriction = Restriction::none;
    ProfileId dl_profile{}, ul_profile{};
    UplinkMeasurement measured;
    LinkState link;
    uint64_t dl_falls = 0, dl_rises = 0;
    RateChanges ul_changes;
    float ul_margin_db = 0;
    uint32_t ul_subchannels = 16;
    uint64_t ul_width_changes = 0;
    uint8_t ul_midambles = 0;
    Samples operational_at = -1;
    double silent_s = 0;          ///< since it was last heard
    SubscriberCounters counters;  ///< including those of its flows
    size_t dl_backlog_octets = 0;
    std::optional<PrivacyFigures> privacy;
    std::optional<StationManagementFigures> managed;
    std::vector<FlowStatus> flows;
};

struct MulticastFigures {
    FlowStatus flow;       ///< of all its stations together
    size_t members = 0;    ///< stations that have it or are being sent its DSA
    size_t listeners = 0;  ///< members that receive it
    std::optional<ProfileId> dl_profile;
    uint64_t units = 0, dropped_unheard = 0;
};

struct BaseStationFigures : AirCellFigures {
    FrameClock clock;
    bool silent = false, operational = false;
    uint64_t bsid = 0;
    std::string profile;
    uint32_t registered = 0;  ///< stations
    BaseStationCounters counters;
    DownlinkBuilderCounters built;
    UplinkReaderCounters received;
    AdmissionCounters admission;
    RouterCounters router;
    SourceAddressCounters sources;
    Reservations::Uses reserved;
    uint32_t flows_without_room = 0;
    ReservationCounters reservations;
    std::vector<FlowResult> flow_results;
    uint64_t lost_stations = 0;
    PolicyFigures policies;
    PrivacyServiceCounters privacy;
    std::optional<ManagementNetworkCounters> management;  ///< nullopt: no managed stations
    size_t free_buffers = 0;
    std::vector<StationFigures> stations;
    std::vector<MulticastFigures> multicast;
};

template <class V> void visit(V& v, const StationManagementFigures& s) {
    v("secondary_cid", s.secondary_cid);
    v("address", s.address == 0 ? std::string() : address_text(s.address));
    v("complete", s.complete);
    v("arq", s.arq);
}

template <class V> void visit(V& v, const ManagementNetworkCounters& c) {
    v("from_stations", c.from_stations);
    v("to_stations", c.to_stations);
    v("relayed", c.relayed);
    v("dropped", c.dropped);
}

template <class V> void visit(V& v, const StationFigures& s) {
    const auto& c = s.counters;
    v("mac", to_text(s.mac));
    v("name", s.name);
    v("basic_cid", s.basic_cid);
    v("state", to_string(s.state));
    v("restriction", to_string(s.restriction));
    v("dl_rate_id", row_of(s.dl_profile));
    v("ul_rate_id", row_of(s.ul_profile));
    v("rssi_dbm", s.measured.rssi_dbm);
    v("cinr_db", s.measured.cinr_db);
    v("evm_db", s.measured.evm_db);
    v("timing_offset_samples", s.measured.timing_offset_samples);
    v("frequency_offset_hz", s.measured.frequency_offset_hz);
    v("operational_at_sample", s.operational_at);
    v("silent_s", s.silent_s);
    v("corrections", c.corrections);
    v.object("link", [&](auto& own) {
        own.maybe("dl_cinr_db", s.link.dl_cinr_db);
        own.maybe("power_left_db", s.link.power.left_db());
        own("dl_falls", s.dl_falls);
        own("dl_rises", s.dl_rises);
        own("ul_falls", s.ul_changes.falls);
        own("ul_rises", s.ul_changes.rises);
        own("ul_margin_db", s.ul_margin_db);
        own("ul_subchannels", s.ul_subchannels);
        own("ul_width_changes", s.ul_width_changes);
        own("ul_midambles", s.ul_midambles);
        own("stc", s.link.in_zone);
        own("stc_changes", s.link.zone_changes);
        own("dl_variation", s.link.variation.ratio());
    });
    v.object("dl", [&](auto& own) {
        own("sdus", c.dl_sdus);
        own("bytes", c.dl_bytes);
        own("dropped", c.dl_dropped);
        own("backlog_bytes", s.dl_backlog_octets);
        own("symbols", c.dl_units);
    });
    v.object("ul", [&](auto& own) {
        own("sdus", c.ul_sdus);
        own("bytes", c.ul_bytes);
        own("dropped", c.ul_dropped);
        own("bursts", c.ul_bursts);
        own("missed", c.ul_missed);
        own("fec_errors", c.ul_fec_errors);
        own("stopped", c.ul_stopped);
        own("wrong_source", c.ul_wrong_source);
        own("grants", c.grants);
        own("requests", c.requests);
        own("symbols", c.ul_units);
    });
    v("malformed", c.malformed);
    v.maybe("privacy", s.privacy);
    v.maybe("managed", s.managed);
    v.list("flows", s.flows);
}

template <class V> void visit(V& v, const MulticastFigures& s) {
    v("members", s.members);
    v("listeners", s.listeners);
    v.maybe("dl_rate_id", s.dl_profile ? std::optional(row_of(*s.dl_profile)) : std::nullopt);
    v("symbols", s.units);
    v("dropped_unheard", s.dropped_unheard);
    visit(v, s.flow);
}

/// Bursts received in regions open to all stations, and their outcome.
template <class V>
void visit_regions(V& v, const UplinkReaderCounters& c, const AdmissionCounters& admission,
                   const ContentionScale& scale) {
    v.object("ranging", [&](auto& own) {
        own("bursts", c.ranging_bursts);
        own("undecoded", c.ranging_undecoded);
        own("refused", admission.refused_stations);
        own("duplicates", admission.duplicate_addresses);
        own("evicted", admission.evicted_stations);
    });
    v.object("contention", [&](auto& own) {
        own("bursts", c.contention_bursts);
        own("undecoded", c.contention_undecoded);
        visit(own, scale);
    });
}

template <class V> void visit(V& v, const PrivacyServiceCounters& c) {
    v("no_privacy", c.no_privacy);
    v("certificates", c.certificates);
    v("suites", c.suites);
    v("others", c.others);
    v("ended", c.ended);
}

template <class V> void visit(V& v, const Reservations::Use& u) {
    v("symbols", u.held);
    v("room", u.room);
    v("bounded_symbols", u.bounded);
    v("bounded_room", u.bounded_room);
}

template <class V> void visit(V& v, const BaseStationFigures& s) {
    v("role", "bs");
    v("frame", s.clock.frame.value());
    v("time_samples", s.clock.now);
    v("sample_rate_hz", s.sample_rate_hz);
    v("state", s.silent ? "silent" : "transmitting");
    v("operational", s.operational);
    v("bsid", bsid_text(s.bsid));
    v("profile", s.profile);
    v("registered", s.registered);
    v("layout", s.layout);
    v.object("capacity_kbps", [&](auto& own) {
        own("downlink", s.downlink.kbps);
        own("uplink", s.uplink.kbps);
    });
    v.object("capacity", [&](auto& own) {
        own("downlink", s.downlink);
        own("uplink", s.uplink);
        own("uplink_shared", s.uplink_shared);
    });
    v("frames", s.counters.frames);
    v("silent_frames", s.counters.silent_frames);
    v("late", s.counters.late);
    v("phy_errors", s.counters.errors);
    v("time_jumps", s.counters.time_jumps);
    v("dl_maps", s.built.dl_maps);
    v("ul_maps", s.broadcast.ul_maps);
    v("ul_map_full", s.ul_map_full);
    v("ul_maps_failed", s.ul_maps_failed);
    v("dcds", s.broadcast.dcds);
    v("ucds", s.broadcast.ucds);
    v("broadcast_deferred", s.broadcast.deferred);
    v.object("symbols", [&](auto& own) {
        own("dl", s.dl_symbols);
        own("ul", s.ul_symbols);
    });
    v.object("bytes", [&](auto& own) {
        own("dl_capacity", s.built.capacity_bytes);
        own("dl_payload", s.built.payload_bytes);
        own("ul_capacity", s.received.capacity_bytes);
        own("ul_padding", s.received.padding_bytes);
    });
    visit_regions(v, s.received, s.admission, s.scale);
    v("focused_contention", s.focused);
    v.object("drops", [&](auto& own) {
        own("unclassified", s.router.unclassified);
        own("unlearnt", s.router.unlearnt);
        own("refused", s.router.refused_sdus);
        own("unknown_cid", s.received.unknown_cid);
        own("stale_bursts", s.received.stale_bursts);
        own("wrong_source", s.sources.wrong);
    });
    v.object("reserved", [&](auto& own) {
        own("downlink", s.reserved.downlink);
        own("uplink", s.reserved.uplink);
        own("map_bytes", s.reserved.map_octets);
        own("map_room", s.reserved.map_room);
        own("refused", s.reservations.refused);
        own("overbooked", s.reservations.overbooked);
        own("flows_without_room", s.flows_without_room);
    });
    v.list("flow_results", s.flow_results);
    v("lost_stations", s.lost_stations);
    v.maybe("policies", s.policies.any() ? std::optional(s.policies) : std::nullopt);
    v("privacy", s.privacy);
    v.maybe("management", s.management);
    v("free_buffers", s.free_buffers);
    v.list("stations", s.stations);
    v.list("multicast", s.multicast);
}

}  // namespace wimax::mac
