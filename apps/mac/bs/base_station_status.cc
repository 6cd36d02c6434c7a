/* SPDX-License-Identifier: GPL-3.0-or-later
 *
 * The base station's counters as JSON. Everything counts from the start of the program; readers take differences.
 */
#include "mac/report/status.h"
#include "mac/bs/base_station.h"

namespace wimax::mac {
namespace {

using Json = nlohmann::json;

Json flow_status(const FlowContext& flow) {
    Json out = {{"sfid", flow.sfid},
                {"cid", flow.cid},
                {"name", flow.config.name},
                {"direction", flow.config.direction == FlowDirection::downlink ? "downlink" : "uplink"},
                {"scheduling", to_string(flow.config.scheduling)},
                {"active", flow.active}};
    if (flow.transmitter) add_transmitter(out, *flow.transmitter);
    if (flow.reassembler) {
        const auto& counters = flow.reassembler->counters();
        out.update({{"sdus", counters.sdus},
                    {"bytes", counters.sdu_octets},
                    {"dropped", counters.dropped},
                    {"malformed", counters.malformed},
                    {"requested_bytes", flow.requests.octets}});
    }
    return out;
}

Json station_status(const Subscriber& station) {
    const auto& c = station.counters;
    const auto& m = station.ranging.smoothed();
    uint64_t dl_sdus = c.dl_sdus, dl_bytes = c.dl_bytes, ul_lost = c.ul_dropped, dl_dropped = c.dl_dropped;
    size_t backlog = 0;
    Json flows = Json::array();
    for (const auto& flow : station.flows) {
        flows.push_back(flow_status(*flow));
        if (flow->transmitter) {
            dl_sdus += flow->transmitter->counters().sdus;
            dl_bytes += flow->transmitter->counters().sdu_octets;
            dl_dropped += flow->transmitter->dropped();
            backlog += flow->transmitter->backlog_octets();
        }
        if (flow->reassembler) ul_lost += flow->reassembler->counters().dropped;
    }
    return {{"mac", to_text(station.mac)},
            {"name", station.config.name},
            {"basic_cid", station.basic_cid},
            {"state", to_string(station.state)},
            {"dl_rate_id", station.dl_rate_id},
            {"ul_rate_id", station.ul_rate.id()},
            {"rssi_dbm", m.rssi_dbm},
            {"cinr_db", m.cinr_db},
            {"evm_db", m.evm_db},
            {"timing_offset_samples", m.timing_offset_samples},
            {"frequency_offset_hz", m.frequency_offset_hz},
            {"operational_at_sample", station.operational_at},
            {"corrections", c.corrections},
            {"dl",
             {{"sdus", dl_sdus},
              {"bytes", dl_bytes},
              {"dropped", dl_dropped},
              {"backlog_bytes", backlog},
              {"symbols", c.dl_symbols}}},
            {"ul",
             {{"sdus", c.ul_sdus},
              {"bytes", c.ul_bytes},
              {"dropped", ul_lost},
              {"bursts", c.ul_bursts},
              {"missed", c.ul_missed},
              {"fec_errors", c.ul_fec_errors},
              {"stopped", c.ul_stopped},
              {"grants", c.grants},
              {"requests", c.requests},
              {"symbols", c.ul_symbols}}},
            {"malformed", c.malformed},
            {"flows", flows}};
}

}  // namespace

Json BaseStation::status() const {
    Json stations = Json::array();
    uint32_t registered = 0;
    for (const auto& [cid, station] : stations_.stations()) {
        stations.push_back(station_status(*station));
        registered += station->registered() ? 1 : 0;
    }
    const auto symbols = [](const SymbolAccount& s) {
        return Json{{"preamble", s.preamble},
                    {"fch", s.fch},
                    {"maps", s.maps},
                    {"descriptors", s.descriptors},
                    {"management", s.management},
                    {"data", s.data},
                    {"contention", s.contention},
                    {"ranging", s.ranging},
                    {"idle", s.idle},
                    {"gap", s.gap}};
    };
    const auto capacity = [](const Capacity& c) {
        return Json{{"kbps", c.kbps}, {"data_symbols", c.data_symbols}, {"ip_symbols", c.ip_symbols}};
    };
    const uint32_t sharing = std::max(1U, registered);
    const Capacity most_down = downlink_capacity(config_, layout_, config_.dl_rate_id, 1);
    const Capacity most_up = uplink_capacity(config_, layout_, config_.ul_rate_id, 1);
    const auto& c = counters_;
    const auto& down = downlink_.counters();
    const auto& broadcast = broadcast_.counters();
    const auto& received = receiver_.counters();
    const auto& admission = admission_.counters();
    const auto& router = router_.counters();
    return Json{{"role", "bs"},
                {"frame", clock_.frame.value()},
                {"time_samples", clock_.now},
                {"sample_rate_hz", layout_.sample_rate_hz()},
                {"state", silent_ ? "silent" : "transmitting"},
                {"operational", operational()},
                {"bsid", config_.bsid},
                {"profile", config_.profile.name},
                {"registered", registered},
                {"layout",
                 {{"symbol_slots", layout_.symbol_slots},
                  {"frame_slots", layout_.frame_slots},
                  {"frame_symbols", layout_.frame_symbols},
                  {"dl_symbols", layout_.dl_symbols},
                  {"ul_symbols", layout_.ul_symbols},
                  {"ul_start_slot", layout_.ul_start_slot},
                  {"frame_s", layout_.frame_seconds()},
                  {"maps_next_frame", layout_.maps_next_frame}}},
                {"capacity_kbps", {{"downlink", most_down.kbps}, {"uplink", most_up.kbps}}},
                {"capacity",
                 {{"downlink", capacity(most_down)},
                  {"uplink", capacity(most_up)},
                  {"uplink_shared", capacity(uplink_capacity(config_, layout_, config_.ul_rate_id, sharing))}}},
                {"frames", c.frames},
                {"silent_frames", c.silent_frames},
                {"late", c.late},
                {"phy_errors", c.errors},
                {"time_jumps", c.time_jumps},
                {"dl_maps", down.dl_maps},
                {"ul_maps", broadcast.ul_maps},
                {"ul_map_full", planner_.maps_full()},
                {"ul_maps_failed", plan_.withdrawn()},
                {"dcds", broadcast.dcds},
                {"ucds", broadcast.ucds},
                {"broadcast_deferred", broadcast.deferred},
                {"symbols", {{"dl", symbols(dl_symbols_)}, {"ul", symbols(plan_.symbols())}}},
                {"bytes",
                 {{"dl_capacity", down.capacity_bytes},
                  {"dl_payload", down.payload_bytes},
                  {"ul_capacity", received.capacity_bytes},
                  {"ul_padding", received.padding_bytes}}},
                {"ranging",
                 {{"bursts", received.ranging_bursts},
                  {"undecoded", received.ranging_undecoded},
                  {"refused", admission.refused_stations},
                  {"duplicates", admission.duplicate_addresses},
                  {"evicted", admission.evicted_stations}}},
                {"contention", {{"bursts", received.contention_bursts}, {"undecoded", received.contention_undecoded}}},
                {"focused_contention",
                 {{"codes", focused_.counters().codes},
                  {"answers", focused_.counters().answers},
                  {"dropped", focused_.counters().dropped}}},
                {"drops",
                 {{"unclassified", router.unclassified},
                  {"unlearnt", router.unlearnt},
                  {"refused", router.refused_sdus},
                  {"unknown_cid", received.unknown_cid},
                  {"stale_bursts", received.stale_bursts}}},
                {"lost_stations", entry_.lost_stations()},
                {"free_buffers", pool_.free_buffers()},
                {"stations", std::move(stations)}};
}

}  // namespace wimax::mac
